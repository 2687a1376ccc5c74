/**
 * solid_layer.ts: the bodies of a spatial scene as lit solids, one draw call for each kind of
 * shape.
 *
 * Equal shapes are instances of one geometry.  Each frame writes only their matrices.
 */
import { type Scene, type Shape, spatialTurn } from "@cairn/protocol";
import { Body_Type } from "@cairn/protocol";
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  type Group,
  InstancedMesh,
  Matrix4,
  Quaternion,
  type Raycaster,
  SRGBColorSpace,
  Vector3,
} from "three";
import { PAPER, type Rgb, SOLID_BODY, asleepColor, mixed, sceneColors } from "./palette";
import { type Solid, shapeSolid } from "./solid";
import { coarseSolid } from "./coarse_solid";
import { type IndexedSolid, indexSolid } from "./solid_index";
import { solidMaterial } from "./solid_material";

const STRIDE = 7;
/** Shapes with fewer instances keep their triangles: a single funnel is seen closely. */
const CROWD = 8;

interface Instance {
  body: number;
  /** The pose of the shape in its body's frame. */
  local: Matrix4;
}

interface Batch {
  instances: Instance[];
  mesh: InstancedMesh;
  fine: BufferGeometry;
  coarse: BufferGeometry;
}

export interface Hit {
  body: number;
  point: Vector3;
}

export function shapeMatrix(shape: Shape): Matrix4 {
  const { x = 0, y = 0, z = 0 } = shape.position ?? {};
  const turn = spatialTurn(shape);
  return new Matrix4().compose(
    new Vector3(x, y, z),
    new Quaternion(turn.x, turn.y, turn.z, turn.w),
    new Vector3(1, 1, 1),
  );
}

function geometryOf({ positions, normals, rims, triangles }: IndexedSolid): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  geometry.setAttribute("rim", new BufferAttribute(rims, 3));
  geometry.setIndex(new BufferAttribute(triangles, 1));
  return geometry;
}

export class SolidLayer {
  /** The number of triangles of all instances at full quality. */
  triangleCount = 0;
  private batches: Batch[] = [];
  private isCoarse = false;
  private colors: readonly Rgb[] = [];
  private paleColors: readonly Rgb[] = [];
  private readonly color = new Color();
  private readonly pose = new Matrix4();
  private readonly matrix = new Matrix4();
  private readonly place = new Vector3();
  private readonly turn = new Quaternion();
  private readonly one = new Vector3(1, 1, 1);
  private readonly flat = solidMaterial(false);
  private readonly round = solidMaterial(true);

  constructor(private readonly parent: Group) {}

  setScene(scene: Scene): void {
    for (const { mesh, fine, coarse } of this.batches) {
      this.parent.remove(mesh);
      fine.dispose();
      coarse.dispose();
      mesh.dispose();
    }
    this.triangleCount = 0;
    const groups = new Map<string, { shape: Shape; instances: Instance[] }>();
    scene.bodies.forEach((body, index) => {
      for (const shape of body.shapes) {
        const key = JSON.stringify(shape.shape.value ?? null) + shape.shape.case;
        const group = groups.get(key) ?? { shape, instances: [] };
        group.instances.push({ body: index, local: shapeMatrix(shape) });
        groups.set(key, group);
      }
    });
    const colors = sceneColors(scene).map((color, index) =>
      scene.bodies[index]!.type === Body_Type.STATIC ? SOLID_BODY : color);
    this.colors = colors;
    this.paleColors = colors.map(asleepColor);
    this.batches = [...groups.values()].flatMap(({ shape, instances }) => {
      const solid = shapeSolid(shape, scene);
      return solid === null ? [] : [this.makeBatch(solid, instances)];
    });
  }

  private makeBatch(solid: Solid, instances: Instance[]): Batch {
    const material = solid.round ? this.round : this.flat;
    const indexed = indexSolid(solid);
    const less = instances.length < CROWD ? indexed : coarseSolid(indexed);
    const fine = geometryOf(indexed);
    const coarse = less === indexed ? fine : geometryOf(less);
    this.triangleCount += (indexed.triangles.length / 3) * instances.length;
    const geometry = this.isCoarse ? coarse : fine;
    const mesh = new InstancedMesh(geometry, material, instances.length);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    instances.forEach(({ body }, row) => this.paint(mesh, row, this.colors[body]!));
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.parent.add(mesh);
    return { instances, mesh, fine, coarse };
  }

  /** Whether meshes and round bodies are drawn with fewer triangles. */
  setCoarse(isCoarse: boolean): void {
    this.isCoarse = isCoarse;
    for (const { mesh, fine, coarse } of this.batches) {
      mesh.geometry = isCoarse ? coarse : fine;
    }
  }

  private paint(mesh: InstancedMesh, row: number, [r, g, b]: Rgb): void {
    mesh.setColorAt(row, this.color.setRGB(r, g, b, SRGBColorSpace));
  }

  /** Sleeping bodies, marked by 1, are paler; faint bodies are nearer to the background. */
  shade(asleep: Uint8Array, veils: Float32Array): void {
    for (const { instances, mesh } of this.batches) {
      for (let row = 0; row < instances.length; row++) {
        const { body } = instances[row]!;
        const color = (asleep[body] === 1 ? this.paleColors : this.colors)[body]!;
        const veil = veils[body] ?? 0;
        this.paint(mesh, row, veil > 0 ? mixed(color, PAPER, veil) : color);
      }
      mesh.instanceColor!.needsUpdate = true;
    }
  }

  update(poses: Float64Array): void {
    for (const { instances, mesh } of this.batches) {
      for (let row = 0; row < instances.length; row++) {
        const { body, local } = instances[row]!;
        const at = body * STRIDE;
        this.place.set(poses[at]!, poses[at + 1]!, poses[at + 2]!);
        this.turn.set(poses[at + 4]!, poses[at + 5]!, poses[at + 6]!, poses[at + 3]!);
        this.pose.compose(this.place, this.turn, this.one);
        this.matrix.multiplyMatrices(this.pose, local);
        mesh.setMatrixAt(row, this.matrix);
      }
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  /** The first body on a ray that `isWanted` accepts; for pointers, too slow for every frame. */
  hit(ray: Raycaster, isWanted: (body: number) => boolean): Hit | null {
    let nearest = Infinity;
    let found: Hit | null = null;
    for (const { instances, mesh, fine } of this.batches) {
      const shown = mesh.geometry;
      mesh.geometry = fine; // the pointer uses the exact shape at any quality
      mesh.boundingSphere = null; // computed again from the present instances
      for (const { instanceId, distance, point } of ray.intersectObject(mesh, false)) {
        const body = instances[instanceId!]!.body;
        if (distance < nearest) {
          nearest = distance;
          found = isWanted(body) ? { body, point } : null;
        }
      }
      mesh.geometry = shown;
    }
    return found;
  }
}
