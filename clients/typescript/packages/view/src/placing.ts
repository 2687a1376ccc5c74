/**
 * placing.ts: converts points between bodies and the world, in the plane and in space.
 *
 * A pose array has `stride` numbers for each body: x, y, angle in the plane; x, y, z and the unit
 * quaternion w, x, y, z in space.  Body -1 is the world itself.
 */
export interface Point {
  x: number;
  y: number;
  z: number;
}

export interface Placing {
  readonly stride: number;
  /** Rotates a direction from a body's frame to the world. */
  turn(poses: Float64Array, body: number, x: number, y: number, z: number, out: Point): void;
  /** Converts a point from a body's frame to the world. */
  place(poses: Float64Array, body: number, x: number, y: number, z: number, out: Point): void;
  /** Converts a point from the world to a body's frame. */
  local(poses: Float64Array, body: number, x: number, y: number, z: number, out: Point): void;
}

function set(out: Point, x: number, y: number, z: number): void {
  out.x = x;
  out.y = y;
  out.z = z;
}

/** v + 2 w (u x v) + 2 u x (u x v), with u the quaternion's vector. */
function rotate(
  w: number, ux: number, uy: number, uz: number, x: number, y: number, z: number, out: Point,
): void {
  const tx = 2 * (uy * z - uz * y);
  const ty = 2 * (uz * x - ux * z);
  const tz = 2 * (ux * y - uy * x);
  set(out,
    x + w * tx + uy * tz - uz * ty,
    y + w * ty + uz * tx - ux * tz,
    z + w * tz + ux * ty - uy * tx);
}

export const PLANAR_PLACING: Placing = {
  stride: 3,
  turn(poses, body, x, y, _z, out) {
    const angle = body < 0 ? 0 : poses[body * 3 + 2]!;
    const c = Math.cos(angle);
    const s = Math.sin(angle);
    set(out, c * x - s * y, s * x + c * y, 0);
  },
  place(poses, body, x, y, z, out) {
    this.turn(poses, body, x, y, z, out);
    out.x += body < 0 ? 0 : poses[body * 3]!;
    out.y += body < 0 ? 0 : poses[body * 3 + 1]!;
  },
  local(poses, body, x, y, _z, out) {
    const angle = body < 0 ? 0 : poses[body * 3 + 2]!;
    const c = Math.cos(angle);
    const s = Math.sin(angle);
    const dx = x - (body < 0 ? 0 : poses[body * 3]!);
    const dy = y - (body < 0 ? 0 : poses[body * 3 + 1]!);
    set(out, c * dx + s * dy, c * dy - s * dx, 0);
  },
};

export const SPATIAL_PLACING: Placing = {
  stride: 7,
  turn(poses, body, x, y, z, out) {
    if (body < 0) {
      set(out, x, y, z);
      return;
    }
    const at = body * 7;
    rotate(poses[at + 3]!, poses[at + 4]!, poses[at + 5]!, poses[at + 6]!, x, y, z, out);
  },
  place(poses, body, x, y, z, out) {
    this.turn(poses, body, x, y, z, out);
    if (body >= 0) {
      out.x += poses[body * 7]!;
      out.y += poses[body * 7 + 1]!;
      out.z += poses[body * 7 + 2]!;
    }
  },
  local(poses, body, x, y, z, out) {
    if (body < 0) {
      set(out, x, y, z);
      return;
    }
    const at = body * 7;
    const dx = x - poses[at]!;
    const dy = y - poses[at + 1]!;
    const dz = z - poses[at + 2]!;
    rotate(poses[at + 3]!, -poses[at + 4]!, -poses[at + 5]!, -poses[at + 6]!, dx, dy, dz, out);
  },
};
