/**
 * contour.ts: shapes as closed contours in the body's frame, and distances to them.
 *
 * A convex contour is a list of corners, counter-clockwise, and a rounding radius.  A circle has
 * one corner and a capsule has two.  Boxes and polygons have radius 0.  The arcs of an outline
 * become short straight edges.  A chain is an open or closed line, solid on its left.  A plane has
 * no contour.
 *
 * An arc from P to Q with bulge b turns by the angle t = 4 atan(b), counter-clockwise if positive.
 * Its radius is r = |Q - P| / (2 sin(t / 2)).  Its centre is (P + Q) / 2 + n r cos(t / 2), where n
 * is the left normal of the chord.
 */
import type { Body, Meters, Shape, Shape_Point } from "@cairn/protocol";

export interface Contour {
  /** x0, y0, x1, y1, ... [m] */
  corners: Float64Array;
  radius: Meters;
  /** A line, from (x, y) to (x, y), that makes the rotation of a round shape visible. */
  mark: [number, number, number, number] | null;
  kind: "convex" | "outline" | "wall" | "closed wall";
}

export interface PlaneShape {
  normalX: number;
  normalY: number;
  offset: Meters;
}

function rotated(shape: Shape, flat: readonly number[]): Float64Array {
  const c = Math.cos(shape.angle);
  const s = Math.sin(shape.angle);
  const { x = 0, y = 0 } = shape.position ?? {};
  const out = new Float64Array(flat.length);
  for (let at = 0; at < flat.length; at += 2) {
    out[at] = x + c * flat[at]! - s * flat[at + 1]!;
    out[at + 1] = y + s * flat[at]! + c * flat[at + 1]!;
  }
  return out;
}

function sharp(shape: Shape, flat: readonly number[], kind: Contour["kind"]): Contour {
  return { corners: rotated(shape, flat), radius: 0, mark: null, kind };
}

const ARC_STEP = Math.PI / 72;

/** x, y of points along the edges; `closed` adds those of the edge from the last to the first. */
export function arcPoints(points: readonly Shape_Point[], closed: boolean): number[] {
  const flat: number[] = [];
  points.forEach(({ x, y, bulge }, index) => {
    flat.push(x, y);
    const isEdge = closed || index + 1 < points.length;
    const next = points[(index + 1) % points.length]!;
    const angle = 4 * Math.atan(bulge);
    const count = isEdge ? Math.ceil(Math.abs(angle) / ARC_STEP) : 0;
    const [dx, dy] = [next.x - x, next.y - y];
    const ratio = 1 / (2 * Math.tan(angle / 2)); // r cos(t / 2) / |Q - P|
    const centerX = x + dx / 2 - dy * ratio;
    const centerY = y + dy / 2 + dx * ratio;
    for (let step = 1; step < count; step++) {
      const c = Math.cos((angle * step) / count);
      const s = Math.sin((angle * step) / count);
      const [fromX, fromY] = [x - centerX, y - centerY];
      flat.push(centerX + c * fromX - s * fromY, centerY + s * fromX + c * fromY);
    }
  });
  return flat;
}

export function shapeContour(shape: Shape): Contour | null {
  const { case: kind, value } = shape.shape;
  switch (kind) {
    case "sphere":
    case "circle": {
      const mark = rotated(shape, [0, 0, value.radius, 0]);
      return {
        corners: rotated(shape, [0, 0]),
        radius: value.radius,
        mark: [mark[0]!, mark[1]!, mark[2]!, mark[3]!],
        kind: "convex",
      };
    }
    case "capsule": {
      const half = value.length / 2;
      const corners = rotated(shape, [0, -half, 0, half]);
      return {
        corners,
        radius: value.radius,
        mark: [corners[0]!, corners[1]!, corners[2]!, corners[3]!],
        kind: "convex",
      };
    }
    case "box": {
      const x = (value.size?.x ?? 0) / 2;
      const y = (value.size?.y ?? 0) / 2;
      return sharp(shape, [-x, -y, x, -y, x, y, -x, y], "convex");
    }
    case "polygon": {
      const flat = value.vertices.flatMap((vertex) => [vertex.x, vertex.y]);
      return sharp(shape, flat, "convex");
    }
    case "outline":
      return sharp(shape, arcPoints(value.points, true), "outline");
    case "chain":
      return sharp(shape, arcPoints(value.points, value.closed),
        value.closed ? "closed wall" : "wall");
    default:
      return null;
  }
}

export function bodyContours(body: Body): Contour[] {
  return body.shapes.map(shapeContour).filter((contour) => contour !== null);
}

/** Planes of a body in its own frame: solid where normal . x <= offset. */
export function bodyPlanes(body: Body): PlaneShape[] {
  const planes: PlaneShape[] = [];
  for (const shape of body.shapes) {
    if (shape.shape.case === "plane") {
      const { normal, offset } = shape.shape.value;
      const length = Math.hypot(normal?.x ?? 0, normal?.y ?? 0) || 1;
      const c = Math.cos(shape.angle);
      const s = Math.sin(shape.angle);
      const x = (normal?.x ?? 0) / length;
      const y = (normal?.y ?? 0) / length;
      const normalX = c * x - s * y;
      const normalY = s * x + c * y;
      const { x: px = 0, y: py = 0 } = shape.position ?? {};
      planes.push({ normalX, normalY, offset: offset / length + normalX * px + normalY * py });
    }
  }
  return planes;
}

export interface Nearest {
  /** m; negative inside. */
  distance: Meters;
  x: Meters;
  y: Meters;
}

/**
 * The distance from (px, py), in the body's frame, to the contour, and the nearest point of the
 * contour.  If (px, py) is inside, the nearest point is (px, py) itself.
 */
export function nearestOnContour(contour: Contour, px: Meters, py: Meters, out: Nearest): void {
  const { corners, radius } = contour;
  const count = corners.length / 2;
  let best = Infinity;
  const isSolid = count > 2 && (contour.kind === "convex" || contour.kind === "outline");
  let inside = false;
  out.x = corners[0]!;
  out.y = corners[1]!;
  const edges = contour.kind === "wall" ? count - 1 : count;
  for (let index = 0; index < edges; index++) {
    const next = (index + 1) % count;
    const ax = corners[index * 2]!;
    const ay = corners[index * 2 + 1]!;
    const ex = corners[next * 2]! - ax;
    const ey = corners[next * 2 + 1]! - ay;
    const length2 = ex * ex + ey * ey;
    const along = length2 > 0 ? ((px - ax) * ex + (py - ay) * ey) / length2 : 0;
    const share = Math.min(Math.max(along, 0), 1);
    const dx = px - (ax + share * ex);
    const dy = py - (ay + share * ey);
    const distance = Math.hypot(dx, dy);
    if (distance < best) {
      best = distance;
      out.x = ax + share * ex;
      out.y = ay + share * ey;
    }
    // A ray to the right from a point inside crosses the contour an odd number of times.
    const isAcross = ay > py !== ay + ey > py && px < ax + (ex * (py - ay)) / ey;
    inside = isAcross !== inside;
  }
  out.distance = (inside && isSolid ? -best : best) - radius;
  if (out.distance <= 0) {
    out.x = px;
    out.y = py;
  } else if (radius > 0) {
    out.x += ((px - out.x) * radius) / best;
    out.y += ((py - out.y) * radius) / best;
  }
}

/** Extends `box` [x0, y0, x1, y1] to include the contour of a body at a pose. */
export function widenBox(
  box: [number, number, number, number],
  contour: Contour,
  x: Meters,
  y: Meters,
  angle: number,
): void {
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  for (let at = 0; at < contour.corners.length; at += 2) {
    const cornerX = contour.corners[at]!;
    const cornerY = contour.corners[at + 1]!;
    const worldX = x + c * cornerX - s * cornerY;
    const worldY = y + s * cornerX + c * cornerY;
    box[0] = Math.min(box[0], worldX - contour.radius);
    box[1] = Math.min(box[1], worldY - contour.radius);
    box[2] = Math.max(box[2], worldX + contour.radius);
    box[3] = Math.max(box[3], worldY + contour.radius);
  }
}
