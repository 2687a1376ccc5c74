/**
 * marks.ts: forces, springs, thrusters and impacts as strokes, in the plane and in space.
 *
 * Of a contact's two forces only one is drawn, on a body that can move.  It starts at the contact
 * point.  On B it points along the normal; if only A can move, against it.  Friction starts at the
 * same point.  Lengths are force times `metersPerNewton`.  A contact whose force is too small to
 * see still has a dot.
 */
import type { ContactColumns } from "@cairn/protocol";
import type { Lens } from "./lens";
import {
  DRAG, FLAME_INNER, FLAME_OUTER, FORCE, FRICTION, HALO, IMPACT, JOINT_FORCE, MOTION,
  type Rgb, SPRING,
} from "./palette";
import type { Placing, Point } from "./placing";
import type { ShownMotion } from "./scene_marks";
import type { StrokeLayer } from "./stroke_layer";

const SHAFT_WIDTH = 3;
const HEAD_WIDTH = 12;
/** CSS pixels. */
const HEAD_LENGTH = 13;
/** The head of a short arrow is at most this share, so that some shaft remains. */
const HEAD_SHARE_MAX = 0.65;
const DOT_WIDTH = 6;
const HALO_WIDTH = 3;
const HALO_ALPHA = 0.75;
/** CSS pixels that the longest arrow approaches; up to half of it lengths are to scale. */
const ARROW_LENGTH_MAX = 220;
/** Up to this number, arrows have full size; with more, all are thinner, to keep bodies visible. */
const ARROW_COUNT_FULL = 60;
const ARROW_SIZE_MIN = 0.4;
/** Thinner arrows have no halo and no dot, because thousands are drawn in a frame. */
export const ARROW_SIZE_PLAIN = 0.5;

/** How thick arrows are, given their number. */
export function arrowSize({ count, joints }: ContactColumns): number {
  const all = Math.max(count + joints.count, 1);
  return Math.max(Math.min(Math.sqrt(ARROW_COUNT_FULL / all), 1), ARROW_SIZE_MIN);
}

/** The drawn length: to scale up to half of the longest, and then approaching the longest. */
function bounded(pixels: number): number {
  const half = ARROW_LENGTH_MAX / 2;
  return pixels <= half ? pixels : ARROW_LENGTH_MAX - (half * half) / pixels;
}

/** Draws an arrow from (x, y, z) along a vector [m]; false if it is too short to see. */
export function addArrow(
  strokes: StrokeLayer, lens: Lens,
  x: number, y: number, z: number, vx: number, vy: number, vz: number, color: Rgb, size = 1,
): boolean {
  const whole = Math.hypot(vx, vy, vz);
  const pixels = lens.pixelsPerMeter(x, y, z);
  if (!(whole * pixels >= 1)) {
    return false;
  }
  const length = bounded(whole * pixels) / pixels;
  vx *= length / whole;
  vy *= length / whole;
  vz *= length / whole;
  const shaft = SHAFT_WIDTH * size;
  const head = Math.min((HEAD_LENGTH * size) / pixels, length * HEAD_SHARE_MAX);
  const neck = 1 - head / length;
  const width = Math.max((HEAD_WIDTH * head * pixels) / HEAD_LENGTH, shaft);
  const border = HALO_WIDTH * size;
  const halo = shaft + border;
  const rim = border / 2 / pixels / length;
  const low = neck - rim;
  const high = 1 + rim;
  const neckX = x + vx * neck;
  const neckY = y + vy * neck;
  const neckZ = z + vz * neck;
  if (size > ARROW_SIZE_PLAIN) {
    strokes.add(x, y, z, neckX, neckY, neckZ, halo, halo, HALO, HALO_ALPHA);
    strokes.add(x + vx * low, y + vy * low, z + vz * low,
      x + vx * high, y + vy * high, z + vz * high, width + border, border, HALO, HALO_ALPHA);
  }
  strokes.add(x, y, z, neckX, neckY, neckZ, shaft, shaft, color);
  strokes.add(neckX, neckY, neckZ, x + vx, y + vy, z + vz, width, 0.5, color);
  return true;
}

/** Draws a frame's normal forces; returns the number of arrows that are long enough to see. */
export function addForces(
  strokes: StrokeLayer,
  lens: Lens,
  contacts: ContactColumns,
  movable: Uint8Array,
  metersPerNewton: number,
): number {
  let arrows = 0;
  const size = arrowSize(contacts);
  for (let row = 0; row < contacts.count; row++) {
    const x = contacts.x[row]!;
    const y = contacts.y[row]!;
    const z = contacts.z[row]!;
    const scale = metersPerNewton * (movable[contacts.bodyB[row]!] === 1 ? 1 : -1);
    const force = contacts.force[row]! * scale;
    addArrow(strokes, lens, x, y, z, contacts.frictionX[row]! * scale,
      contacts.frictionY[row]! * scale, contacts.frictionZ[row]! * scale, FRICTION, size);
    const isSeen = addArrow(strokes, lens, x, y, z, contacts.normalX[row]! * force,
      contacts.normalY[row]! * force, contacts.normalZ[row]! * force, FORCE, size);
    arrows += isSeen ? 1 : 0;
    if (!isSeen && size > ARROW_SIZE_PLAIN) {
      strokes.dot(x, y, z, (DOT_WIDTH + HALO_WIDTH) * size, HALO, HALO_ALPHA);
    }
    if (!isSeen || size > ARROW_SIZE_PLAIN) {
      strokes.dot(x, y, z, DOT_WIDTH * size, FORCE);
    }
  }
  return arrows;
}

/** Forces of joints, drawn on one body of the pair, like contact forces. */
export function addJointForces(
  strokes: StrokeLayer, lens: Lens, contacts: ContactColumns, metersPerNewton: number,
): void {
  const { joints } = contacts;
  const size = arrowSize(contacts);
  for (let row = 0; row < joints.count; row++) {
    addArrow(strokes, lens, joints.x[row]!, joints.y[row]!, joints.z[row]!,
      joints.forceX[row]! * metersPerNewton, joints.forceY[row]! * metersPerNewton,
      joints.forceZ[row]! * metersPerNewton, JOINT_FORCE, size);
  }
}

/** CSS pixels. */
const TURN_RADIUS = 20;
const TURN_STEPS = 12;
const TURN_ARC = 1.4 * Math.PI;

/** Arrows for velocities, with this length of the longest [m], and arcs around turning bodies. */
export function addMotions(
  strokes: StrokeLayer, lens: Lens, motions: readonly ShownMotion[], longest: number,
): void {
  let fastest = 0;
  for (const { vx, vy, vz } of motions) {
    fastest = Math.max(fastest, Math.hypot(vx, vy, vz));
  }
  const scale = fastest > 0 ? longest / fastest : 0;
  for (const { x, y, z, vx, vy, vz, turn } of motions) {
    strokes.dot(x, y, z, DOT_WIDTH, MOTION);
    addArrow(strokes, lens, x, y, z, vx * scale, vy * scale, vz * scale, MOTION);
    if (turn !== 0) {
      addTurn(strokes, x, y, Math.sign(turn), TURN_RADIUS / lens.pixelsPerMeter(x, y, 0));
    }
  }
}

function addTurn(strokes: StrokeLayer, x: number, y: number, way: number, radius: number): void {
  const place = (step: number) => way * ((TURN_ARC * step) / TURN_STEPS) + Math.PI / 4;
  for (let step = 0; step < TURN_STEPS; step++) {
    const [from, to] = [place(step), place(step + 1)];
    const isHead = step >= TURN_STEPS - 2;
    strokes.add(x + radius * Math.cos(from), y + radius * Math.sin(from), 0,
      x + radius * Math.cos(to), y + radius * Math.sin(to), 0,
      isHead ? (TURN_STEPS - step) * 5 : 2.5, isHead ? (TURN_STEPS - step - 1) * 5 + 0.5 : 2.5,
      MOTION, isHead ? 1 : 0.9);
  }
}

const COIL_COUNT = 9;
/** CSS pixels. */
const COIL_WIDTH = 6;
const eyeward: Point = { x: 0, y: 0, z: 1 };

/** A spring as a zigzag from a to b with straight ends, across the line of sight. */
export function addSpring(
  strokes: StrokeLayer, lens: Lens, a: Readonly<Point>, b: Readonly<Point>, held: boolean,
  color: Rgb = held ? DRAG : SPRING,
): void {
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  const dz = b.z - a.z;
  const scale = lens.pixelsPerMeter((a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2);
  lens.toward(a.x, a.y, a.z, eyeward);
  const sideX = dy * eyeward.z - dz * eyeward.y;
  const sideY = dz * eyeward.x - dx * eyeward.z;
  const sideZ = dx * eyeward.y - dy * eyeward.x;
  const across = Math.hypot(sideX, sideY, sideZ);
  if (across * scale < 24) {
    strokes.add(a.x, a.y, a.z, b.x, b.y, b.z, 2, 2, color);
  } else {
    addZigzag(strokes, a, dx, dy, dz, sideX, sideY, sideZ, COIL_WIDTH / scale / across, color);
  }
  strokes.dot(a.x, a.y, a.z, 7, color);
  if (held) {
    strokes.dot(b.x, b.y, b.z, 12, color, 0.35);
  }
}

function addZigzag(
  strokes: StrokeLayer, a: Readonly<Point>,
  dx: number, dy: number, dz: number, sideX: number, sideY: number, sideZ: number,
  width: number, color: Rgb,
): void {
  const points = COIL_COUNT * 2;
  let fromX = a.x;
  let fromY = a.y;
  let fromZ = a.z;
  for (let point = 1; point <= points + 1; point++) {
    const share = point > points ? 1 : 0.1 + (0.8 * (point - 1)) / (points - 1);
    const lay = point === 1 || point >= points ? 0 : point % 2 === 0 ? width : -width;
    const toX = a.x + dx * share + sideX * lay;
    const toY = a.y + dy * share + sideY * lay;
    const toZ = a.z + dz * share + sideZ * lay;
    strokes.add(fromX, fromY, fromZ, toX, toY, toZ, 2, 2, color);
    fromX = toX;
    fromY = toY;
    fromZ = toZ;
  }
}

/** CSS pixels of flame at level 1. */
const FLAME_LENGTH = 42;

/** The two nozzles of a thruster, in its body's frame. */
export interface Nozzle {
  body: number;
  /** Where the flame leaves the body, for levels above 0 and below 0; m. */
  front: Point;
  back: Point;
  /** The direction of the force. */
  force: Point;
}

const flameRoot: Point = { x: 0, y: 0, z: 0 };
const flameWay: Point = { x: 0, y: 0, z: 0 };

/** A flame on the side opposite to the thruster's force. */
export function addFlame(
  strokes: StrokeLayer,
  lens: Lens,
  placing: Placing,
  nozzle: Nozzle,
  poses: Float64Array,
  level: number,
  flicker: number,
): void {
  const { body, force } = nozzle;
  const root = level > 0 ? nozzle.back : nozzle.front;
  placing.place(poses, body, root.x, root.y, root.z, flameRoot);
  placing.turn(poses, body, force.x, force.y, force.z, flameWay);
  const { x, y, z } = flameRoot;
  const scale = lens.pixelsPerMeter(x, y, z);
  if (scale === 0) {
    return;
  }
  const length = -Math.sign(level) *
    ((FLAME_LENGTH * Math.abs(level) * (0.85 + 0.15 * flicker)) / scale);
  const inner = length * 0.55;
  strokes.add(x, y, z, x + flameWay.x * length, y + flameWay.y * length, z + flameWay.z * length,
    16, 1, FLAME_OUTER, 0.9);
  strokes.add(x, y, z, x + flameWay.x * inner, y + flameWay.y * inner, z + flameWay.z * inner,
    9, 1, FLAME_INNER);
}

const FLASH_COUNT = 48;
const FLASH_MS = 260;

/** An impact lasts one tick; its flash stays for a moment. */
export class ImpactFlashes {
  private readonly x = new Float64Array(FLASH_COUNT);
  private readonly y = new Float64Array(FLASH_COUNT);
  private readonly z = new Float64Array(FLASH_COUNT);
  private readonly size = new Float64Array(FLASH_COUNT);
  private readonly bornMs = new Float64Array(FLASH_COUNT).fill(-Infinity);
  private next = 0;
  private seenTick = -1;

  reset(): void {
    this.bornMs.fill(-Infinity);
    this.seenTick = -1;
  }

  /** An impulse of `impulseUnit` [N s] makes a flash of middle size. */
  notice(contacts: ContactColumns, impulseUnit: number, nowMs: number): void {
    if (contacts.tick === this.seenTick) {
      return;
    }
    this.seenTick = contacts.tick;
    for (let row = 0; row < contacts.count; row++) {
      const share = contacts.impulse[row]! / impulseUnit;
      if (share > 0.05) {
        this.x[this.next] = contacts.x[row]!;
        this.y[this.next] = contacts.y[row]!;
        this.z[this.next] = contacts.z[row]!;
        this.size[this.next] = 14 * Math.min(Math.sqrt(share), 2.2);
        this.bornMs[this.next] = nowMs;
        this.next = (this.next + 1) % FLASH_COUNT;
      }
    }
  }

  /** True while a flash is on the screen. */
  draw(strokes: StrokeLayer, nowMs: number): boolean {
    let alive = false;
    for (let index = 0; index < FLASH_COUNT; index++) {
      const age = (nowMs - this.bornMs[index]!) / FLASH_MS;
      if (age < 1) {
        const width = this.size[index]! * (0.6 + 0.7 * age);
        const alpha = 0.75 * (1 - age);
        strokes.dot(this.x[index]!, this.y[index]!, this.z[index]!, width, IMPACT, alpha);
        alive = true;
      }
    }
    return alive;
  }
}
