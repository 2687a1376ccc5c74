/**
 * contour.ts: shapes as closed contours in the body's frame, and distances to them.
 *
 * A convex contour is a list of corners, counter-clockwise, and a radius by which it is rounded:
 * a circle is one corner, a capsule two, boxes and polygons have radius 0.  A plane has no contour.
 */
import type { Body, Meters, Shape } from "@cairn/protocol";

export interface Contour {
  /** x0, y0, x1, y1, ... [m] */
  corners: Float64Array;
  radius: Meters;
  /** A line, from (x, y) to (x, y), that shows how a round shape has turned. */
  mark: [number, number, number, number] | null;
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

export function shapeContour(shape: Shape): Contour | null {
  const { case: kind, value } = shape.shape;
  switch (kind) {
    case "circle": {
      const mark = rotated(shape, [0, 0, value.radius, 0]);
      return {
        corners: rotated(shape, [0, 0]),
        radius: value.radius,
        mark: [mark[0]!, mark[1]!, mark[2]!, mark[3]!],
      };
    }
    case "capsule": {
      const half = value.length / 2;
      const corners = rotated(shape, [0, -half, 0, half]);
      return {
        corners,
        radius: value.radius,
        mark: [corners[0]!, corners[1]!, corners[2]!, corners[3]!],
      };
    }
    case "box": {
      const x = (value.size?.x ?? 0) / 2;
      const y = (value.size?.y ?? 0) / 2;
      return { corners: rotated(shape, [-x, -y, x, -y, x, y, -x, y]), radius: 0, mark: null };
    }
    case "polygon": {
      const flat = value.vertices.flatMap((vertex) => [vertex.x, vertex.y]);
      return { corners: rotated(shape, flat), radius: 0, mark: null };
    }
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
 * The distance from (px, py), in the body's frame, to the contour, and the contour's point nearest
 * to it; inside, the point is (px, py) itself.
 */
export function nearestOnContour(contour: Contour, px: Meters, py: Meters, out: Nearest): void {
  const { corners, radius } = contour;
  const count = corners.length / 2;
  let best = Infinity;
  let inside = count > 2;
  out.x = corners[0]!;
  out.y = corners[1]!;
  for (let index = 0; index < count; index++) {
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
    inside = inside && ex * (py - ay) - ey * (px - ax) >= 0;
  }
  out.distance = (inside ? -best : best) - radius;
  if (out.distance <= 0) {
    out.x = px;
    out.y = py;
  } else if (radius > 0) {
    out.x += ((px - out.x) * radius) / best;
    out.y += ((py - out.y) * radius) / best;
  }
}

/** Widens `box` [x0, y0, x1, y1] by the contour of a body at a pose. */
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
