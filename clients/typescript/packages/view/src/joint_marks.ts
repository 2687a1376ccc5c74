/**
 * joint_marks.ts: draws a scene's joints.
 *
 *     ball      a ring            hinge   a pin along its axis    slider  a rail through its anchor
 *     fixed     a square dot      distance  a rod                 rope    a line, slack or taut
 *     track     its curve, and a bead on it
 *
 * Anchors are given in world coordinates at the start, and stored in the frames of the two bodies.
 */
import type { Scene, Vec3 } from "@cairn/protocol";
import { bodyName } from "@cairn/protocol";
import { curvePoints } from "./curve";
import type { Lens } from "./lens";
import { JOINT, JOINT_FILL, TRACK } from "./palette";
import type { Placing, Point } from "./placing";
import type { StrokeLayer } from "./stroke_layer";

export type JointKind = "ball" | "hinge" | "slider" | "fixed" | "distance" | "rope" | "track";

export interface JointMark {
  kind: JointKind;
  /** -1: the world. */
  bodyA: number;
  bodyB: number;
  /** In the frames of the bodies [m]. */
  anchorA: Point;
  anchorB: Point;
  axis: Point;
  /** The length of a rod or rope [m]. */
  length: number;
}

function point({ x, y, z }: Partial<Vec3> = {}, fallback: Partial<Point> = {}): Point {
  return { x: 0, y: 0, z: 0, ...fallback, ...(x === undefined ? {} : { x, y, z }) } as Point;
}

function unit({ x, y, z }: Point): Point {
  const size = Math.hypot(x, y, z) || 1;
  return { x: x / size, y: y / size, z: z / size };
}

/** `poses` are the poses at the scene's start. */
export function sceneJoints(scene: Scene, placing: Placing, poses: Float64Array): JointMark[] {
  const indices = new Map(scene.bodies.map((body, index) => [bodyName(body, index), index]));
  const indexOf = (name: string) => (name === "" ? -1 : (indices.get(name) ?? -1));
  const marks: JointMark[] = [];
  const add = (kind: JointKind, a: number, b: number, atA: Point, atB: Point, axis: Point,
    length?: number) => {
    const anchorA = point();
    const anchorB = point();
    placing.local(poses, a, atA.x, atA.y, atA.z, anchorA);
    placing.local(poses, b, atB.x, atB.y, atB.z, anchorB);
    const localAxis = point();
    const origin = point();
    placing.local(poses, a, 0, 0, 0, origin);
    placing.local(poses, a, axis.x, axis.y, axis.z, localAxis);
    const turned = unit({
      x: localAxis.x - origin.x, y: localAxis.y - origin.y, z: localAxis.z - origin.z,
    });
    marks.push({
      kind, bodyA: a, bodyB: b, anchorA, anchorB, axis: turned,
      length: length ?? Math.hypot(atB.x - atA.x, atB.y - atA.y, atB.z - atA.z),
    });
  };
  for (const { joint } of scene.joints) {
    const { case: kind, value } = joint;
    if (kind === undefined) {
      continue;
    }
    if (kind === "track") {
      const at = point(value.anchor);
      add(kind, -1, indexOf(value.body), at, at, { x: 0, y: 0, z: 1 });
    } else if (kind === "distance" || kind === "rope") {
      add(kind, indexOf(value.bodyA), indexOf(value.bodyB), point(value.anchorA),
        point(value.anchorB), { x: 1, y: 0, z: 0 }, value.lengthSet.value);
    } else {
      const at = point(value.anchor);
      const axis = kind === "hinge" ? point(value.axis, { z: 1 })
        : kind === "slider" ? point(value.axis, { x: 1 }) : { x: 0, y: 0, z: 1 };
      add(kind, indexOf(value.bodyA), indexOf(value.bodyB), at, at, axis);
    }
  }
  return marks;
}

const PIN_PIXELS = 13;
const RAIL_PIXELS = 90;
const ROPE_PIECES = 16;

const a: Point = { x: 0, y: 0, z: 0 };
const b: Point = { x: 0, y: 0, z: 0 };
const way: Point = { x: 0, y: 0, z: 0 };

/** A slack rope is drawn as a parabola of about the rope's length. */
function addRope(strokes: StrokeLayer, length: number, down: Readonly<Point>): void {
  const span = Math.hypot(b.x - a.x, b.y - a.y, b.z - a.z);
  const sag = Math.sqrt(Math.max(0, (3 / 8) * Math.max(span, length / 2) * (length - span)));
  let { x, y, z } = a;
  for (let piece = 1; piece <= ROPE_PIECES; piece++) {
    const t = piece / ROPE_PIECES;
    const drop = 4 * sag * t * (1 - t);
    const toX = a.x + (b.x - a.x) * t + down.x * drop;
    const toY = a.y + (b.y - a.y) * t + down.y * drop;
    const toZ = a.z + (b.z - a.z) * t + down.z * drop;
    strokes.add(x, y, z, toX, toY, toZ, 2.5, 2.5, JOINT, 0.9);
    x = toX;
    y = toY;
    z = toZ;
  }
}

function addRing(strokes: StrokeLayer, at: Readonly<Point>, width: number): void {
  strokes.dot(at.x, at.y, at.z, width, JOINT);
  strokes.dot(at.x, at.y, at.z, width - 4, JOINT_FILL);
}

/** A line along `way` through `at`, with `pixels` pixels on each side. */
function addLineThrough(
  strokes: StrokeLayer, lens: Lens, at: Readonly<Point>, pixels: number, width: number,
  alpha: number,
): void {
  const scale = lens.pixelsPerMeter(at.x, at.y, at.z);
  if (scale > 0) {
    const reach = pixels / scale;
    strokes.add(at.x - way.x * reach, at.y - way.y * reach, at.z - way.z * reach,
      at.x + way.x * reach, at.y + way.y * reach, at.z + way.z * reach, width, width, JOINT, alpha);
  }
}

export function addJoint(
  strokes: StrokeLayer, lens: Lens, placing: Placing, poses: Float64Array, mark: JointMark,
  down: Readonly<Point>,
): void {
  const { kind, bodyA, bodyB, anchorA, anchorB, axis } = mark;
  placing.place(poses, bodyA, anchorA.x, anchorA.y, anchorA.z, a);
  placing.place(poses, bodyB, anchorB.x, anchorB.y, anchorB.z, b);
  switch (kind) {
    case "distance":
      strokes.add(a.x, a.y, a.z, b.x, b.y, b.z, 5, 5, JOINT);
      strokes.add(a.x, a.y, a.z, b.x, b.y, b.z, 1.5, 1.5, JOINT_FILL, 0.8);
      addRing(strokes, a, 9);
      addRing(strokes, b, 9);
      break;
    case "rope":
      addRope(strokes, mark.length, down);
      strokes.dot(a.x, a.y, a.z, 6, JOINT);
      strokes.dot(b.x, b.y, b.z, 6, JOINT);
      break;
    case "track":
      addRing(strokes, b, 11);
      break;
    case "slider":
      placing.turn(poses, bodyA, axis.x, axis.y, axis.z, way);
      addLineThrough(strokes, lens, a, RAIL_PIXELS, 2, 0.55);
      addLineThrough(strokes, lens, b, PIN_PIXELS, 8, 1);
      break;
    case "hinge":
      placing.turn(poses, bodyA, axis.x, axis.y, axis.z, way);
      addLineThrough(strokes, lens, b, PIN_PIXELS, 6, 1);
      addRing(strokes, b, 10);
      break;
    case "fixed":
      strokes.dot(b.x, b.y, b.z, 8, JOINT);
      break;
    case "ball":
      addRing(strokes, b, 12);
      break;
  }
}

/** The curves on which tracks hold bodies. */
export function sceneCurves(scene: Scene): Float64Array[] {
  return scene.curves.map(curvePoints);
}

export function addCurve(strokes: StrokeLayer, points: Float64Array): void {
  for (let at = 3; at < points.length; at += 3) {
    strokes.add(points[at - 3]!, points[at - 2]!, points[at - 1]!, points[at]!, points[at + 1]!,
      points[at + 2]!, 3.5, 3.5, TRACK);
  }
}
