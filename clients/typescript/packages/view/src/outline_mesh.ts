/**
 * outline_mesh.ts: triangles of a body: its fill, then an outline of constant width on the screen.
 *
 * Every vertex has a place in the body's frame and a miter, the direction of the outline's width.
 * The shader multiplies the miter by pixels.  `side` runs from 0 to 1 across the ink.  `kind` is
 * one of: fill; ink at an edge (inwards); ink at a mark (on both sides); the hatched band along a
 * wall (on its solid side).
 *
 *        side 0 ------ outside, half a pixel beyond the edge
 *        ====== edge of the shape
 *        side 1 ------ inside
 */
import { ShapeUtils, Vector2 } from "three";
import type { Contour } from "./contour";

export const KIND_FILL = 0;
export const KIND_EDGE = 1;
export const KIND_MARK = 2;
export const KIND_WALL = 3;

/** Sharper corners are cut off. */
const MITER_MAX = 2.5;
const ROUND_STEPS = 56;

export interface OutlineMesh {
  /** x, y */
  positions: number[];
  /** x, y */
  miters: number[];
  /** side, kind, and the distance along a wall [m] */
  inks: number[];
  indices: number[];
}

export function emptyMesh(): OutlineMesh {
  return { positions: [], miters: [], inks: [], indices: [] };
}

/** The rounded contour as a closed list of corners, counter-clockwise. */
export function contourLoop(contour: Contour): number[] {
  const { corners, radius } = contour;
  if (radius === 0) {
    return [...corners];
  }
  const count = corners.length / 2;
  const loop: number[] = [];
  if (count === 1) {
    for (let step = 0; step < ROUND_STEPS; step++) {
      const angle = (step / ROUND_STEPS) * 2 * Math.PI;
      loop.push(corners[0]! + radius * Math.cos(angle), corners[1]! + radius * Math.sin(angle));
    }
    return loop;
  }
  for (let index = 0; index < count; index++) {
    const ax = corners[index * 2]!;
    const ay = corners[index * 2 + 1]!;
    const previous = (index + count - 1) % count;
    const inX = ax - corners[previous * 2]!;
    const inY = ay - corners[previous * 2 + 1]!;
    const next = (index + 1) % count;
    const outX = corners[next * 2]! - ax;
    const outY = corners[next * 2 + 1]! - ay;
    const start = Math.atan2(-inX, inY);
    let turn = Math.atan2(-outX, outY) - start;
    turn -= 2 * Math.PI * Math.floor(turn / (2 * Math.PI));
    const steps = Math.max(2, Math.ceil((turn / (2 * Math.PI)) * ROUND_STEPS));
    for (let step = 0; step <= steps; step++) {
      const angle = start + (turn * step) / steps;
      loop.push(ax + radius * Math.cos(angle), ay + radius * Math.sin(angle));
    }
  }
  return loop;
}

function push(mesh: OutlineMesh, x: number, y: number, mx: number, my: number, ink: number[]) {
  mesh.positions.push(x, y);
  mesh.miters.push(mx, my);
  mesh.inks.push(...ink, ...(ink.length < 3 ? [0] : []));
  return mesh.positions.length / 2 - 1;
}

function addFill(mesh: OutlineMesh, loop: readonly number[], convex: boolean): void {
  const first = mesh.positions.length / 2;
  for (let at = 0; at < loop.length; at += 2) {
    push(mesh, loop[at]!, loop[at + 1]!, 0, 0, [0, KIND_FILL]);
  }
  if (!convex) {
    const points = Array.from({ length: loop.length / 2 }, (_, index) =>
      new Vector2(loop[index * 2], loop[index * 2 + 1]));
    for (const triangle of ShapeUtils.triangulateShape(points, [])) {
      mesh.indices.push(...triangle.map((index) => first + index));
    }
    return;
  }
  for (let index = 2; index < loop.length / 2; index++) {
    mesh.indices.push(first, first + index - 1, first + index);
  }
}

/** The outward normal of the edge that leaves corner `index`. */
function edgeNormal(loop: readonly number[], index: number): [number, number] {
  const count = loop.length / 2;
  const at = ((index + count) % count) * 2;
  const to = ((index + 1 + count) % count) * 2;
  const x = loop[to]! - loop[at]!;
  const y = loop[to + 1]! - loop[at + 1]!;
  const length = Math.hypot(x, y) || 1;
  return [y / length, -x / length];
}

/** KIND_EDGE is drawn inwards; KIND_WALL to the left, and is open unless `closed`. */
function addEdge(mesh: OutlineMesh, loop: readonly number[], kind: number, closed: boolean): void {
  const count = loop.length / 2;
  const first = mesh.positions.length / 2;
  const way = kind === KIND_WALL ? -1 : 1;
  let along = 0;
  for (let index = 0; index < count; index++) {
    const isFirst = !closed && index === 0;
    const isLast = !closed && index === count - 1;
    const [ax, ay] = edgeNormal(loop, isFirst ? 0 : index - 1);
    const [bx, by] = edgeNormal(loop, isLast ? index - 1 : index);
    const sumX = ax + bx;
    const sumY = ay + by;
    const length = Math.hypot(sumX, sumY) || 1;
    const size = Math.min(2 / length, MITER_MAX) / length;
    const x = loop[index * 2]!;
    const y = loop[index * 2 + 1]!;
    push(mesh, x, y, way * sumX * size, way * sumY * size, [0, kind, along]);
    push(mesh, x, y, way * sumX * size, way * sumY * size, [1, kind, along]);
    const next = ((index + 1) % count) * 2;
    along += Math.hypot(loop[next]! - x, loop[next + 1]! - y);
  }
  for (let index = 0; index < (closed ? count : count - 1); index++) {
    const a = first + index * 2;
    const b = first + ((index + 1) % count) * 2;
    mesh.indices.push(a, a + 1, b, b, a + 1, b + 1);
  }
}

function addMark(mesh: OutlineMesh, [ax, ay, bx, by]: [number, number, number, number]): void {
  const length = Math.hypot(bx - ax, by - ay);
  if (length === 0) {
    return;
  }
  const nx = (by - ay) / length;
  const ny = -(bx - ax) / length;
  const a0 = push(mesh, ax, ay, nx, ny, [0, KIND_MARK]);
  const a1 = push(mesh, ax, ay, nx, ny, [1, KIND_MARK]);
  const b0 = push(mesh, bx, by, nx, ny, [0, KIND_MARK]);
  const b1 = push(mesh, bx, by, nx, ny, [1, KIND_MARK]);
  mesh.indices.push(a0, a1, b0, b0, a1, b1);
}

/** Fills come first, so that the fill of one shape never covers the ink of another. */
export function meshContours(contours: readonly Contour[]): OutlineMesh {
  const mesh = emptyMesh();
  const loops = contours.map((contour) => ({ ...contour, loop: contourLoop(contour) }));
  const solids = loops.filter(({ kind }) => kind === "convex" || kind === "outline");
  const walls = loops.filter(({ kind }) => kind === "wall" || kind === "closed wall");
  walls.forEach(({ loop, kind }) => addEdge(mesh, loop, KIND_WALL, kind === "closed wall"));
  solids.forEach(({ loop, kind }) => addFill(mesh, loop, kind === "convex"));
  solids.forEach(({ loop }) => addEdge(mesh, loop, KIND_EDGE, true));
  for (const { mark } of contours) {
    if (mark !== null) {
      addMark(mesh, mark);
    }
  }
  return mesh;
}

/** The length of a ray from (x, y) along the unit vector (dx, dy) until it leaves all contours. */
export function rayExit(
  contours: readonly Contour[],
  x: number, y: number, dx: number, dy: number,
): number {
  let exit = 0;
  for (const contour of contours) {
    const loop = contourLoop(contour);
    for (let at = 0; at < loop.length; at += 2) {
      const to = (at + 2) % loop.length;
      const ax = loop[at]! - x;
      const ay = loop[at + 1]! - y;
      const ex = loop[to]! - loop[at]!;
      const ey = loop[to + 1]! - loop[at + 1]!;
      const across = dx * ey - dy * ex;
      const along = (ax * ey - ay * ex) / across;
      const share = (ax * dy - ay * dx) / across;
      if (across !== 0 && share >= 0 && share <= 1) {
        exit = Math.max(exit, along);
      }
    }
  }
  return exit;
}
