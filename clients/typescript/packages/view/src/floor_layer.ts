/**
 * floor_layer.ts: the planes of a spatial scene, as wide sheets with a metre grid.  They fade into
 * the background, show shadows, and are transparent from behind.
 */
import {
  Color,
  DoubleSide,
  type Group,
  Mesh,
  MeshLambertMaterial,
  PlaneGeometry,
  SRGBColorSpace,
  Vector3,
} from "three";
import { GRID, SOLID_SHEET } from "./palette";

/** In its body's frame: solid where normal . x <= offset. */
export interface SpacePlane {
  body: number;
  normal: Vector3;
  offset: number;
}

const VERTEX_HEAD = `
varying vec2 vSheet;
uniform float reach;
#include <common>`;

const FRAGMENT_HEAD = `
varying vec2 vSheet;
uniform vec3 middle, line;
uniform float cell, reach;
#include <common>`;

const VERTEX_BODY = `
vSheet = position.xy * reach;
#include <begin_vertex>`;

const FRAGMENT_PAINT = `
#include <color_fragment>
{
  vec2 place = vSheet + middle.xy;
  vec2 pixel = max(fwidth(vSheet), vec2(1e-6));
  vec2 fine = abs(fract(place / cell + 0.5) - 0.5) * cell / pixel;
  vec2 wide = abs(fract(place / (5.0 * cell) + 0.5) - 0.5) * 5.0 * cell / pixel;
  vec2 fade = clamp(1.0 - 4.0 * pixel / cell, 0.0, 1.0);
  vec2 fineInk = clamp(1.0 - fine, 0.0, 1.0) * fade * 0.30;
  vec2 wideInk = clamp(1.1 - wide, 0.0, 1.0) * 0.42;
  float ink = max(max(fineInk.x, fineInk.y), max(wideInk.x, wideInk.y));
  diffuseColor.rgb = mix(diffuseColor.rgb, line, ink);
  float away = length(vSheet) / reach;
  diffuseColor.a = (1.0 - smoothstep(0.35, 1.0, away)) * (gl_FrontFacing ? 1.0 : 0.25);
}`;

interface Uniforms {
  middle: { value: Vector3 };
  cell: { value: number };
  reach: { value: number };
  line: { value: Color };
}

interface Sheet {
  plane: SpacePlane;
  mesh: Mesh<PlaneGeometry, MeshLambertMaterial>;
  uniforms: Uniforms;
}

const FORWARD = new Vector3(0, 0, 1);

function srgb([r, g, b]: readonly [number, number, number]): Color {
  return new Color().setRGB(r, g, b, SRGBColorSpace);
}

export class FloorLayer {
  private sheets: Sheet[] = [];
  private readonly geometry = new PlaneGeometry(2, 2);
  private readonly center = new Vector3();
  private readonly normal = new Vector3();
  private readonly corner = new Vector3();

  constructor(private readonly parent: Group) {}

  /** `center` and `radius` describe the ball that the view shows at first. */
  setPlanes(planes: readonly SpacePlane[], center: Vector3, radius: number, cell: number): void {
    for (const { mesh } of this.sheets) {
      this.parent.remove(mesh);
      mesh.material.dispose();
    }
    this.center.copy(center);
    this.sheets = planes.map((plane) => this.makeSheet(plane, radius * 9, cell));
  }

  private makeSheet(plane: SpacePlane, reach: number, cell: number): Sheet {
    const uniforms: Uniforms = {
      middle: { value: new Vector3() },
      cell: { value: cell },
      reach: { value: reach },
      line: { value: srgb(GRID) },
    };
    const material = new MeshLambertMaterial({
      color: srgb(SOLID_SHEET), transparent: true, side: DoubleSide, depthWrite: false,
      forceSinglePass: true,
    });
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", VERTEX_HEAD)
        .replace("#include <begin_vertex>", VERTEX_BODY);
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", FRAGMENT_HEAD)
        .replace("#include <color_fragment>", FRAGMENT_PAINT);
    };
    material.customProgramCacheKey = () => "sheet";
    const mesh = new Mesh(this.geometry, material);
    mesh.scale.set(reach, reach, 1);
    mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    mesh.renderOrder = -1;
    this.parent.add(mesh);
    return { plane, mesh, uniforms };
  }

  /** Poses have 7 numbers for each body. */
  update(poses: Float64Array): void {
    for (const { plane, mesh, uniforms } of this.sheets) {
      const at = plane.body * 7;
      const { quaternion } = mesh;
      quaternion.set(poses[at + 4]!, poses[at + 5]!, poses[at + 6]!, poses[at + 3]!);
      this.normal.copy(plane.normal).applyQuaternion(quaternion);
      this.corner.set(poses[at]!, poses[at + 1]!, poses[at + 2]!);
      const offset = plane.offset + this.normal.dot(this.corner) - this.normal.dot(this.center);
      mesh.position.copy(this.center).addScaledVector(this.normal, offset);
      quaternion.setFromUnitVectors(FORWARD, this.normal);
      // The grid's origin is the world's origin, projected along the plane's normal.
      const { value } = uniforms.middle;
      value.copy(mesh.position).applyQuaternion(quaternion.invert());
      quaternion.invert();
    }
  }
}
