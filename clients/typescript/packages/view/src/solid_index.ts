/**
 * solid_index.ts: a solid's triangles with shared corners, so that the shader computes a corner
 * once and not once for each triangle around it.
 *
 * Two corners are shared if place, normal and rims are equal.  On a smooth surface these are all
 * corners around a vertex; at a crease those on the same side of it.
 */
import type { Solid } from "./solid";

export interface IndexedSolid {
  /** x, y, z of every corner [m]. */
  positions: Float32Array;
  normals: Float32Array;
  rims: Float32Array;
  /** Three corners for each triangle. */
  triangles: Uint32Array;
}

const STRIDE = 9;

export function indexSolid({ positions, normals, rims }: Solid): IndexedSolid {
  const count = positions.length / 3;
  const corners = new Float32Array(count * STRIDE);
  const bits = new Uint32Array(corners.buffer);
  const triangles = new Uint32Array(count);
  // Open addressing; a slot has the index of its corner plus one, or 0.
  const slots = new Uint32Array(1 << Math.ceil(Math.log2(2 * count + 2)));
  let made = 0;
  for (let corner = 0; corner < count; corner++) {
    const at = made * STRIDE;
    for (let axis = 0; axis < 3; axis++) {
      corners[at + axis] = positions[3 * corner + axis]! + 0; // no -0, which has other bits
      corners[at + 3 + axis] = normals[3 * corner + axis]! + 0;
      corners[at + 6 + axis] = rims[3 * corner + axis]! + 0;
    }
    let slot = hashOf(bits, at) & (slots.length - 1);
    while (slots[slot] !== 0 && !areSame(bits, (slots[slot]! - 1) * STRIDE, at)) {
      slot = (slot + 1) & (slots.length - 1);
    }
    if (slots[slot] === 0) {
      slots[slot] = ++made;
    }
    triangles[corner] = slots[slot]! - 1;
  }
  const column = (first: number) =>
    Float32Array.from({ length: 3 * made }, (_, at) =>
      corners[Math.floor(at / 3) * STRIDE + first + (at % 3)]!);
  return { positions: column(0), normals: column(3), rims: column(6), triangles };
}

function hashOf(bits: Uint32Array, at: number): number {
  let hash = 0;
  for (let word = at; word < at + STRIDE; word++) {
    hash = Math.imul(hash ^ bits[word]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}

function areSame(bits: Uint32Array, a: number, b: number): boolean {
  for (let word = 0; word < STRIDE; word++) {
    if (bits[a + word] !== bits[b + word]) {
      return false;
    }
  }
  return true;
}
