/**
 * turn.ts: rotations in space as unit quaternions w, x, y, z within longer arrays.
 *
 * q and -q are the same rotation; interpolation takes the shorter way.
 */

/**
 * Writes the quaternion whose component number `largest` (0 w, 1 x, 2 y, 3 z) is positive and
 * follows from the other three, which are given in order (WIRE.md, "Snapshots").
 */
export function unpackTurn(
  largest: number, a: number, b: number, c: number, out: Float64Array, at: number,
): void {
  const rest = Math.sqrt(Math.max(0, 1 - a * a - b * b - c * c));
  out[at] = largest === 0 ? rest : a;
  out[at + 1] = largest === 0 ? a : largest === 1 ? rest : b;
  out[at + 2] = largest <= 1 ? b : largest === 2 ? rest : c;
  out[at + 3] = largest === 3 ? rest : c;
}

/** Above this cosine of half the angle, linear interpolation is as good as spherical. */
const NEAR = 0.995;

/** Writes the rotation at a share of the way from a to b, about one axis at a constant rate. */
export function blendTurns(
  a: Float64Array, b: Float64Array, from: number, share: number, out: Float64Array,
): void {
  const cosine = a[from]! * b[from]! + a[from + 1]! * b[from + 1]! +
    a[from + 2]! * b[from + 2]! + a[from + 3]! * b[from + 3]!;
  const sign = cosine < 0 ? -1 : 1;
  const near = Math.min(cosine * sign, 1);
  let ofA = 1 - share;
  let ofB = share * sign;
  if (near < NEAR) {
    const angle = Math.acos(near);
    const sine = Math.sin(angle);
    ofA = Math.sin((1 - share) * angle) / sine;
    ofB = (sign * Math.sin(share * angle)) / sine;
  }
  let size = 0;
  for (let k = from; k < from + 4; k++) {
    const value = ofA * a[k]! + ofB * b[k]!;
    out[k] = value;
    size += value * value;
  }
  const scale = 1 / Math.sqrt(size);
  for (let k = from; k < from + 4; k++) {
    out[k]! *= scale;
  }
}
