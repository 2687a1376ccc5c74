/**
 * coarse_solid.ts: reduces a mesh to fewer triangles, with a similar look from far away.
 *
 * Corners within a cell of a grid become one corner, with the mean position and the mean normal
 * (Rossignac and Borrel 1993, vertex clustering).  Triangles with two equal corners are removed.
 * Lines along creases are left out, because their corners have moved.
 */
import type { IndexedSolid } from "./solid_index";

/** Cells along the longest side. */
const CELLS = 10;
/** Solids with at most this many triangles are not reduced. */
const TRIANGLES_MIN = 64;

export function coarseSolid(solid: IndexedSolid): IndexedSolid {
  const { positions, normals, triangles } = solid;
  if (triangles.length / 3 <= TRIANGLES_MIN) {
    return solid;
  }
  const cells = cellsOf(positions);
  const count = Math.max(...cells) + 1;
  const sums = new Float32Array(6 * count);
  const shares = new Uint32Array(count);
  cells.forEach((cell, corner) => {
    shares[cell]!++;
    for (let axis = 0; axis < 3; axis++) {
      sums[6 * cell + axis]! += positions[3 * corner + axis]!;
      sums[6 * cell + 3 + axis]! += normals[3 * corner + axis]!;
    }
  });
  const places = new Float32Array(3 * count);
  const ways = new Float32Array(3 * count);
  for (let cell = 0; cell < count; cell++) {
    const [x, y, z] = sums.subarray(6 * cell + 3, 6 * cell + 6) as unknown as
      [number, number, number];
    const length = Math.hypot(x, y, z) || 1;
    for (let axis = 0; axis < 3; axis++) {
      places[3 * cell + axis] = sums[6 * cell + axis]! / shares[cell]!;
      ways[3 * cell + axis] = sums[6 * cell + 3 + axis]! / length;
    }
  }
  const kept: number[] = [];
  for (let at = 0; at < triangles.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map((side) => cells[triangles[at + side]!]!) as
      [number, number, number];
    if (a !== b && b !== c && c !== a) {
      kept.push(a, b, c);
    }
  }
  return {
    positions: places, normals: ways, rims: new Float32Array(3 * count).fill(1),
    triangles: Uint32Array.from(kept),
  };
}

/** For each corner the number of its cell; only cells with corners have a number. */
function cellsOf(positions: Float32Array): Uint32Array {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  positions.forEach((value, at) => {
    low[at % 3] = Math.min(low[at % 3]!, value);
    high[at % 3] = Math.max(high[at % 3]!, value);
  });
  const size = Math.max(...high.map((value, axis) => value - low[axis]!)) / CELLS || 1;
  const numbers = new Map<number, number>();
  return Uint32Array.from({ length: positions.length / 3 }, (_, corner) => {
    let key = 0;
    for (let axis = 0; axis < 3; axis++) {
      key = key * (CELLS + 1) + Math.floor((positions[3 * corner + axis]! - low[axis]!) / size);
    }
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
}
