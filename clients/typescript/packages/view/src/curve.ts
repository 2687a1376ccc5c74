/**
 * curve.ts: a scene's curves as polylines, for tracks.
 *
 * A spline is the C2 cubic through its points P.  Its parameter is the sum of the straight
 * distances h between the points.  An open spline has no curvature at its ends.  Its slopes m solve
 *
 *     m[i-1] / g + 2 m[i] (1 / g + 1 / h) + m[i+1] / h
 *         = 3 (P[i] - P[i-1]) / g^2 + 3 (P[i+1] - P[i]) / h^2,  g = h[i-1], h = h[i]
 *     2 m[0] + m[1] = 3 (P[1] - P[0]) / h[0]                               at an open end
 */
import type { Curve, Vec3 } from "@cairn/protocol";

const STEPS_PER_PIECE = 24;
const SWEEPS = 60;
const CIRCLE_STEPS = 96;
/** How far a line is drawn beyond its two points, m. */
const LINE_REACH = 1000;

type Axis = "x" | "y" | "z";
const AXES: readonly Axis[] = ["x", "y", "z"];

/** The slopes at the points, by Gauss-Seidel iteration, which converges quickly here. */
function slopes(values: readonly number[], lengths: readonly number[], closed: boolean): number[] {
  const count = values.length;
  const slope = values.map(() => 0);
  const at = (index: number) => (index + count) % count;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let i = 0; i < count; i++) {
      const isFirst = !closed && i === 0;
      if (isFirst || (!closed && i === count - 1)) {
        const from = isFirst ? 0 : i - 1;
        const rise = (values[from + 1]! - values[from]!) / lengths[from]!;
        slope[i] = (3 * rise - slope[isFirst ? 1 : from]!) / 2;
      } else {
        const [before, after] = [lengths[at(i - 1)]!, lengths[i]!];
        const rise = 3 * (values[i]! - values[at(i - 1)]!) / before ** 2 +
          3 * (values[at(i + 1)]! - values[i]!) / after ** 2;
        const others = slope[at(i - 1)]! / before + slope[at(i + 1)]! / after;
        slope[i] = (rise - others) / (2 / before + 2 / after);
      }
    }
  }
  return slope;
}

function splinePoints(points: readonly Vec3[], closed: boolean): number[] {
  const count = points.length;
  if (count < 2) {
    return [];
  }
  const pieces = closed ? count : count - 1;
  const lengths = Array.from({ length: pieces }, (_, piece) => {
    const [p, q] = [points[piece]!, points[(piece + 1) % count]!];
    return Math.hypot(q.x - p.x, q.y - p.y, q.z - p.z) || 1;
  });
  const axes = AXES.map((axis) => {
    const values = points.map((point) => point[axis]);
    return { values, slope: slopes(values, lengths, closed) };
  });
  const flat: number[] = [];
  for (let step = 0; step <= pieces * STEPS_PER_PIECE; step++) {
    const piece = Math.min(Math.floor(step / STEPS_PER_PIECE), pieces - 1);
    const t = step / STEPS_PER_PIECE - piece;
    const next = (piece + 1) % count;
    for (const { values, slope } of axes) {
      const [p, q, m, n] = [values[piece]!, values[next]!, slope[piece]!, slope[next]!];
      const h = lengths[piece]!;
      flat.push((1 + 2 * t) * (1 - t) ** 2 * p + h * t * (1 - t) ** 2 * m +
        t * t * (3 - 2 * t) * q + h * t * t * (t - 1) * n);
    }
  }
  return flat;
}

/** x, y, z of points along the curve; a closed curve ends with its first point. */
export function curvePoints({ curve }: Curve): Float64Array {
  const flat: number[] = [];
  if (curve.case === "spline") {
    flat.push(...splinePoints(curve.value.points, curve.value.closed));
  } else if (curve.case === "circle") {
    const { x = 0, y = 0, z = 0 } = curve.value.center ?? {};
    for (let step = 0; step <= CIRCLE_STEPS; step++) {
      const angle = (step / CIRCLE_STEPS) * 2 * Math.PI;
      const { radius } = curve.value;
      flat.push(x + radius * Math.cos(angle), y + radius * Math.sin(angle), z);
    }
  } else if (curve.case === "line") {
    const { x = 0, y = 0, z = 0 } = curve.value.from ?? {};
    const to = curve.value.to;
    const [dx, dy, dz] = [(to?.x ?? 0) - x, (to?.y ?? 0) - y, (to?.z ?? 0) - z];
    const reach = LINE_REACH / (Math.hypot(dx, dy, dz) || 1);
    flat.push(x - dx * reach, y - dy * reach, z - dz * reach);
    flat.push(x + dx * reach, y + dy * reach, z + dz * reach);
  }
  return Float64Array.from(flat);
}
