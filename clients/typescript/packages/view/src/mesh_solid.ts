/**
 * mesh_solid.ts: a scene's mesh as triangles to draw, smooth except at creases.
 *
 * A corner's normal is a mean over the faces around its vertex.  Only faces whose angle to the
 * corner's own face is at most the crease angle count.  A side between faces with a larger angle
 * gets a line.
 */
import type { Mesh } from "@cairn/protocol";
import type { Solid } from "./solid";

/** Cosine of the crease angle: a larger angle between faces gets a line. */
const CREASE = Math.cos(Math.PI / 4);

const made = new WeakMap<Mesh, Solid>();

/** x, y, z of every vertex [m]. */
export function meshPositions(mesh: Mesh): number[] {
  const scale = mesh.scale === 0 ? 1 : mesh.scale;
  return mesh.vertices.map((value) => value * scale);
}

/** The normal of each triangle; its length is twice the area. */
function faceNormals(positions: readonly number[], triangles: readonly number[]): number[] {
  const normals: number[] = [];
  for (let at = 0; at + 2 < triangles.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map((corner) => 3 * triangles[at + corner]!) as
      [number, number, number];
    const [ux, uy, uz] = [0, 1, 2].map((axis) => positions[b + axis]! - positions[a + axis]!) as
      [number, number, number];
    const [vx, vy, vz] = [0, 1, 2].map((axis) => positions[c + axis]! - positions[a + axis]!) as
      [number, number, number];
    normals.push(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx);
  }
  return normals;
}

function dot(normals: readonly number[], a: number, b: number): number {
  return normals[3 * a]! * normals[3 * b]! + normals[3 * a + 1]! * normals[3 * b + 1]! +
    normals[3 * a + 2]! * normals[3 * b + 2]!;
}

function areAlike(normals: readonly number[], a: number, b: number): boolean {
  return dot(normals, a, b) > CREASE * Math.sqrt(dot(normals, a, a) * dot(normals, b, b));
}

/** The faces around each vertex, and the two faces of each side, found by its ends. */
function neighbours(triangles: readonly number[], vertexCount: number) {
  const around: number[][] = Array.from({ length: vertexCount }, () => []);
  const along = new Map<number, number[]>();
  const side = (u: number, v: number) => Math.min(u, v) * vertexCount + Math.max(u, v);
  triangles.forEach((vertex, at) => {
    const face = Math.floor(at / 3);
    const next = triangles[at % 3 === 2 ? at - 2 : at + 1]!;
    around[vertex]!.push(face);
    const key = side(vertex, next);
    along.set(key, [...(along.get(key) ?? []), face]);
  });
  return { around, along, side };
}

function makeSolid(mesh: Mesh): Solid {
  const solid: Solid = { positions: [], normals: [], rims: [], round: false };
  const positions = meshPositions(mesh);
  const { triangles } = mesh;
  const faces = faceNormals(positions, triangles);
  const { around, along, side } = neighbours(triangles, positions.length / 3);
  for (let at = 0; at + 2 < triangles.length; at += 3) {
    const face = at / 3;
    const corners = triangles.slice(at, at + 3);
    // The side opposite a corner has no line if the faces on both of its sides are smooth.
    const within = corners.map((_, corner) => {
      const sides = along.get(side(corners[(corner + 1) % 3]!, corners[(corner + 2) % 3]!)) ?? [];
      return sides.every((other) => areAlike(faces, face, other));
    });
    corners.forEach((vertex, corner) => {
      const normal = [0, 0, 0];
      for (const other of around[vertex]!) {
        if (areAlike(faces, face, other)) {
          normal.forEach((_, axis) => { normal[axis]! += faces[3 * other + axis]!; });
        }
      }
      const length = Math.hypot(...normal) || 1;
      solid.positions.push(...positions.slice(3 * vertex, 3 * vertex + 3));
      solid.normals.push(...normal.map((value) => value / length));
      solid.rims.push(...within.map((is, opposite) => (is || opposite === corner ? 1 : 0)));
    });
  }
  return solid;
}

export function meshSolid(mesh: Mesh): Solid {
  const known = made.get(mesh);
  const solid = known ?? makeSolid(mesh);
  made.set(mesh, solid);
  return solid;
}
