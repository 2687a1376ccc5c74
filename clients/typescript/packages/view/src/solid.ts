/**
 * solid.ts: spatial shapes as triangles, in the shape's own frame.
 *
 * Every triangle has its own three corners.  `rims` tells the shader where to draw lines.  It has
 * three numbers for each corner: relative distances from the triangle's sides, 0 on a side and 1 at
 * the opposite corner.  A side within a flat face has 1 at all corners, and so no line.  Round
 * shapes have no lines.  They have two tones, by the octants of their frame, so that their rotation
 * is visible.
 */
import type { Mesh, Scene, Shape, Vec3 } from "@cairn/protocol";
import { Vector3 } from "three";
import { ConvexHull } from "three/addons/math/ConvexHull.js";
import { meshPositions, meshSolid } from "./mesh_solid";

export interface Solid {
  /** x, y, z of every corner [m]. */
  positions: number[];
  normals: number[];
  rims: number[];
  round: boolean;
}

const TURNS = 40;
/** The number of rings of a half sphere. */
const RINGS = 12;
/** Cosine of the largest angle between faces that count as one face. */
const FLAT = 0.9999;

function emptySolid(round: boolean): Solid {
  return { positions: [], normals: [], rims: [], round };
}

type Triple = readonly [number, number, number];

function addCorner(solid: Solid, position: Triple, normal: Triple, rim: Triple): void {
  solid.positions.push(...position);
  solid.normals.push(...normal);
  solid.rims.push(...rim);
}

const NO_RIM: Triple = [1, 1, 1];

/** A solid of revolution about y: a half sphere at each end of a cylinder of this length. */
function roundSolid(radius: number, length: number): Solid {
  const solid = emptySolid(true);
  const ring: { y: number; r: number; ny: number }[] = [];
  for (let end = -1; end <= 1; end += 2) {
    for (let step = 0; step <= RINGS; step++) {
      const angle = ((end < 0 ? step - RINGS : step) / RINGS) * (Math.PI / 2);
      const y = radius * Math.sin(angle) + (end * length) / 2;
      ring.push({ y, r: Math.cos(angle), ny: Math.sin(angle) });
    }
  }
  const corner = (index: number, turn: number): [Triple, Triple] => {
    const { y, r, ny } = ring[index]!;
    const angle = (turn / TURNS) * 2 * Math.PI;
    const [c, s] = [Math.cos(angle) * r, Math.sin(angle) * r];
    return [[radius * c, y, radius * s], [c, ny, s]];
  };
  for (let index = 0; index + 1 < ring.length; index++) {
    for (let turn = 0; turn < TURNS; turn++) {
      const a = corner(index, turn);
      const b = corner(index + 1, turn);
      const c = corner(index + 1, turn + 1);
      const d = corner(index, turn + 1);
      for (const [position, normal] of [a, b, c, a, c, d]) {
        addCorner(solid, position, normal, NO_RIM);
      }
    }
  }
  return solid;
}

/** A flat face with its corners counter-clockwise as seen from outside. */
function addFace(solid: Solid, corners: readonly Triple[], normal: Triple): void {
  const count = corners.length;
  for (let index = 1; index + 1 < count; index++) {
    const first = index === 1 ? 0 : 1;
    const last = index + 2 === count ? 0 : 1;
    // The sides opposite the three corners: within the outline, the last one, the first one.
    addCorner(solid, corners[0]!, normal, [1, last, first]);
    addCorner(solid, corners[index]!, normal, [0, 1, first]);
    addCorner(solid, corners[index + 1]!, normal, [0, last, 1]);
  }
}

function boxSolid({ x, y, z }: Vec3): Solid {
  const solid = emptySolid(false);
  const half: Triple = [x / 2, y / 2, z / 2];
  for (let axis = 0; axis < 3; axis++) {
    for (let side = -1; side <= 1; side += 2) {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      const corner = (su: number, sv: number): Triple => {
        const place: [number, number, number] = [0, 0, 0];
        place[axis] = side * half[axis]!;
        place[u] = su * half[u]!;
        place[v] = sv * side * half[v]!;
        return place;
      };
      const normal: [number, number, number] = [0, 0, 0];
      normal[axis] = side;
      addFace(solid, [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)], normal);
    }
  }
  return solid;
}

/** The hull's triangles; a side between triangles of one plane gets no line. */
function hullSolid(vertices: readonly Vec3[]): Solid {
  const solid = emptySolid(false);
  const points = vertices.map(({ x, y, z }) => new Vector3(x, y, z));
  if (points.length < 4) {
    return solid;
  }
  for (const face of new ConvexHull().setFromPoints(points).faces) {
    const normal: Triple = [face.normal.x, face.normal.y, face.normal.z];
    const edges = [face.getEdge(0), face.getEdge(1), face.getEdge(2)];
    // An edge ends at its head; the corner opposite it is the next one's head.
    const within = edges.map((edge) => edge.twin.face.normal.dot(face.normal) > FLAT);
    edges.forEach((edge, index) => {
      const { x, y, z } = edge.head().point;
      const opposite = (index + 2) % 3;
      const rim = [0, 1, 2].map((side) => (within[side] || side === opposite ? 1 : 0));
      addCorner(solid, [x, y, z], normal, [rim[0]!, rim[1]!, rim[2]!]);
    });
  }
  return solid;
}

function findMesh(scene: Scene, name: string): Mesh | undefined {
  return scene.meshes.find((mesh) => mesh.name === name);
}

/**
 * Null for planes and planar shapes, which have no solid.  The scene has the meshes that shapes
 * name.
 */
export function shapeSolid(shape: Shape, scene: Scene): Solid | null {
  const { case: kind, value } = shape.shape;
  switch (kind) {
    case "sphere":
    case "circle":
      return roundSolid(value.radius, 0);
    case "capsule":
      return roundSolid(value.radius, value.length);
    case "box":
      return value.size === undefined ? null : boxSolid(value.size);
    case "hull":
      return hullSolid(value.vertices);
    case "mesh": {
      const mesh = findMesh(scene, value.name);
      return mesh === undefined ? null : meshSolid(mesh);
    }
    default:
      return null;
  }
}

/** x, y, z of points with the same convex hull as the shape [m]. */
export function solidCorners(shape: Shape, scene: Scene): readonly number[] {
  const { case: kind, value } = shape.shape;
  const mesh = kind === "mesh" ? findMesh(scene, value.name) : undefined;
  return mesh === undefined ? shapeSolid(shape, scene)?.positions ?? [] : meshPositions(mesh);
}

/** The volume, m^3, from the tetrahedra between the origin and the triangles. */
export function solidVolume({ positions }: Solid): number {
  let sixfold = 0;
  for (let at = 0; at < positions.length; at += 9) {
    const [ax, ay, az, bx, by, bz, cx, cy, cz] = positions.slice(at, at + 9) as [
      number, number, number, number, number, number, number, number, number,
    ];
    sixfold += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
  }
  return sixfold / 6;
}
