/**
 * marks.ts: forces, springs, thrusters and impacts as strokes.
 *
 * A contact's force is drawn once of the pair, on the body that can move: from the contact point
 * along the normal on B, against it where only A can move.  Its length is force times
 * `metersPerNewton`; a contact whose force is too small to see still has its dot.
 */
import type { ContactColumns } from "@cairn/protocol";
import { DRAG, FLAME_INNER, FLAME_OUTER, FORCE, HALO, IMPACT, SPRING } from "./palette";
import type { StrokeLayer } from "./stroke_layer";

const FORCE_WIDTH = 3;
const HEAD_WIDTH = 12;
/** CSS pixels. */
const HEAD_LENGTH = 13;
/** A short arrow keeps some of its shaft. */
const HEAD_SHARE_MAX = 0.65;
const DOT_WIDTH = 6;
const HALO_WIDTH = 3;
const HALO_ALPHA = 0.75;

/** The drawn arrows of one frame; `count` is the number with a length that can be seen. */
export function addForces(
  strokes: StrokeLayer,
  contacts: ContactColumns,
  movable: Uint8Array,
  metersPerNewton: number,
  pixelsPerMeter: number,
): number {
  let arrows = 0;
  for (let row = 0; row < contacts.count; row++) {
    const x = contacts.x[row]!;
    const y = contacts.y[row]!;
    const sign = movable[contacts.bodyB[row]!] === 1 ? 1 : -1;
    const length = contacts.force[row]! * metersPerNewton;
    if (length * pixelsPerMeter < 1) {
      strokes.add(x, y, x, y, DOT_WIDTH + HALO_WIDTH, DOT_WIDTH + HALO_WIDTH, HALO, HALO_ALPHA);
      strokes.add(x, y, x, y, DOT_WIDTH, DOT_WIDTH, FORCE);
      continue;
    }
    arrows++;
    const nx = contacts.normalX[row]! * sign;
    const ny = contacts.normalY[row]! * sign;
    const tipX = x + nx * length;
    const tipY = y + ny * length;
    const head = Math.min(HEAD_LENGTH / pixelsPerMeter, length * HEAD_SHARE_MAX);
    const neckX = tipX - nx * head;
    const neckY = tipY - ny * head;
    const width = Math.max((HEAD_WIDTH * head * pixelsPerMeter) / HEAD_LENGTH, FORCE_WIDTH);
    const halo = FORCE_WIDTH + HALO_WIDTH;
    const rim = HALO_WIDTH / 2 / pixelsPerMeter;
    strokes.add(x, y, neckX, neckY, halo, halo, HALO, HALO_ALPHA);
    strokes.add(neckX - nx * rim, neckY - ny * rim, tipX + nx * rim, tipY + ny * rim,
      width + HALO_WIDTH, HALO_WIDTH, HALO, HALO_ALPHA);
    strokes.add(x, y, x, y, DOT_WIDTH, DOT_WIDTH, FORCE);
    strokes.add(x, y, neckX, neckY, FORCE_WIDTH, FORCE_WIDTH, FORCE);
    strokes.add(neckX, neckY, tipX, tipY, width, 0.5, FORCE);
  }
  return arrows;
}

const COIL_COUNT = 9;
/** CSS pixels. */
const COIL_WIDTH = 6;

/** A spring as a zigzag from a to b with straight ends. */
export function addSpring(
  strokes: StrokeLayer,
  ax: number, ay: number, bx: number, by: number,
  pixelsPerMeter: number,
  held: boolean,
): void {
  const color = held ? DRAG : SPRING;
  const length = Math.hypot(bx - ax, by - ay);
  const pixels = length * pixelsPerMeter;
  const points = COIL_COUNT * 2;
  if (pixels < 24) {
    strokes.add(ax, ay, bx, by, 2, 2, color);
  } else {
    const sideX = (-(by - ay) / length) * (COIL_WIDTH / pixelsPerMeter);
    const sideY = ((bx - ax) / length) * (COIL_WIDTH / pixelsPerMeter);
    let fromX = ax;
    let fromY = ay;
    for (let point = 1; point <= points + 1; point++) {
      const share = point > points ? 1 : 0.1 + (0.8 * (point - 1)) / (points - 1);
      const lay = point === 1 || point >= points ? 0 : point % 2 === 0 ? 1 : -1;
      const toX = ax + (bx - ax) * share + sideX * lay;
      const toY = ay + (by - ay) * share + sideY * lay;
      strokes.add(fromX, fromY, toX, toY, 2, 2, color);
      fromX = toX;
      fromY = toY;
    }
  }
  strokes.add(ax, ay, ax, ay, 7, 7, color);
  if (held) {
    strokes.add(bx, by, bx, by, 12, 12, color, 0.35);
  }
}

/** CSS pixels of flame at level 1. */
const FLAME_LENGTH = 42;

/** A thruster's two nozzles, in its body's frame. */
export interface Nozzle {
  body: number;
  /** Where a flame leaves the body at a level above 0, and at one below; m. */
  frontX: number;
  frontY: number;
  backX: number;
  backY: number;
  /** The direction of the force. */
  forceX: number;
  forceY: number;
}

/** A flame on the side that a thruster blows to, that is against its force. */
export function addFlame(
  strokes: StrokeLayer,
  nozzle: Nozzle,
  poses: Float64Array,
  level: number,
  pixelsPerMeter: number,
  flicker: number,
): void {
  const at = nozzle.body * 3;
  const c = Math.cos(poses[at + 2]!);
  const s = Math.sin(poses[at + 2]!);
  const placeX = level > 0 ? nozzle.backX : nozzle.frontX;
  const placeY = level > 0 ? nozzle.backY : nozzle.frontY;
  const blowX = -nozzle.forceX * Math.sign(level);
  const blowY = -nozzle.forceY * Math.sign(level);
  const dx = c * blowX - s * blowY;
  const dy = s * blowX + c * blowY;
  const x = poses[at]! + c * placeX - s * placeY;
  const y = poses[at + 1]! + s * placeX + c * placeY;
  const length = (FLAME_LENGTH * Math.abs(level) * (0.85 + 0.15 * flicker)) / pixelsPerMeter;
  const inner = length * 0.55;
  strokes.add(x, y, x + dx * length, y + dy * length, 16, 1, FLAME_OUTER, 0.9);
  strokes.add(x, y, x + dx * inner, y + dy * inner, 9, 1, FLAME_INNER);
}

const FLASH_COUNT = 48;
const FLASH_MS = 260;

/** Impacts last a tick; their flashes stay for a moment. */
export class ImpactFlashes {
  private readonly x = new Float64Array(FLASH_COUNT);
  private readonly y = new Float64Array(FLASH_COUNT);
  private readonly size = new Float64Array(FLASH_COUNT);
  private readonly bornMs = new Float64Array(FLASH_COUNT).fill(-Infinity);
  private next = 0;
  private seenTick = -1;

  reset(): void {
    this.bornMs.fill(-Infinity);
    this.seenTick = -1;
  }

  /** `impulseUnit` [N s] makes a flash of middle size. */
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
        const x = this.x[index]!;
        const y = this.y[index]!;
        strokes.add(x, y, x, y, width, width, IMPACT, 0.75 * (1 - age));
        alive = true;
      }
    }
    return alive;
  }
}
