/**
 * body_layer.ts: bodies as filled shapes with sharp outlines, one draw call for each kind of body.
 *
 * Bodies with the same shapes are instances of one geometry.  Each frame writes only their poses.
 * Static bodies are hatched.
 */
import type { Scene } from "@cairn/protocol";
import { Body_Type } from "@cairn/protocol";
import {
  BufferAttribute,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  type RawShaderMaterial,
  type Scene as ThreeScene,
} from "three";
import { bodyContours } from "./contour";
import { meshContours } from "./outline_mesh";
import {
  ASLEEP_SHARE, OUTLINE, type Rgb, SOLID, SOLID_HATCH, SOLID_INK, sceneColors,
} from "./palette";
import { type ViewUniforms, everywhere, flatMaterial } from "./view_uniforms";

const POSE_STRIDE = 3;
/** CSS pixels. */
const OUTLINE_WIDTH = 2.0;

/** CSS pixels of hatching along a wall's solid side. */
const WALL_BAND = 12;

const VERTEX = `
in vec2 position, miter;
in vec3 ink;
in vec4 pose, tint;
in float veil;
out float seen;
out vec3 across;
out vec4 look;
out vec2 place;
uniform float width;
void main() {
  float w = width * ratio;
  float edge = 0.5 - ink.x * (w + 1.0);
  float mark = (0.5 - ink.x) * (w + 1.0);
  float wall = ink.x * BAND * ratio;
  float lay = ink.y == 1.0 ? edge : ink.y == 2.0 ? mark : ink.y == 3.0 ? wall : 0.0;
  vec2 local = position + miter * lay / scale;
  vec2 world = pose.xy + mat2(pose.z, pose.w, -pose.w, pose.z) * local;
  across = vec3(ink.y == 3.0 ? wall : ink.x * (w + 1.0), ink.y, ink.z * scale);
  look = tint;
  seen = 1.0 - veil;
  place = world * scale;
  gl_Position = vec4((world - center) * toClip, 0.0, 1.0);
}`;

const FRAGMENT = `
in vec3 across;
in float seen;
in vec4 look;
in vec2 place;
out vec4 color;
uniform float width;
uniform vec3 solid, hatch, solidInk;
uniform vec4 outline;
void main() {
  bool fixedBody = look.a < 0.25;
  float pale = look.a < 0.75 ? ASLEEP : 0.0;
  vec3 fill = fixedBody ? solid : mix(look.rgb, solid, pale);
  vec3 ink = fixedBody ? solidInk : mix(look.rgb * outline.a + outline.rgb, solidInk, pale);
  if (across.y < 0.5) {
    float period = 9.0 * ratio;
    float line = abs(mod(place.x + place.y, period) - 0.5 * period);
    float hatched = fixedBody ? clamp(ratio * 0.9 - line + 0.5, 0.0, 1.0) : 0.0;
    color = vec4(mix(fill, hatch, hatched), 1.0);
  } else if (across.y > 2.5) {
    float line = clamp(width * ratio + 0.5 - across.x, 0.0, 1.0);
    float period = 7.0 * ratio;
    float stripe = abs(mod(across.z + across.x, period) - 0.5 * period);
    float hatched = clamp(ratio * 0.9 - stripe + 0.5, 0.0, 1.0);
    float fade = 1.0 - across.x / (BAND * ratio);
    color = vec4(solidInk, max(line, hatched * fade));
  } else {
    float w = width * ratio;
    float cover = clamp(across.x, 0.0, 1.0) * clamp(w + 1.0 - across.x, 0.0, 1.0);
    color = vec4(ink, across.y > 1.5 ? cover * 0.7 : cover);
  }
  color.a *= seen;
}`;

interface Batch {
  bodies: number[];
  pose: InstancedBufferAttribute;
  /** Colour and state; 0: cannot move, 0.5: sleeps, 1: moves. */
  tint: InstancedBufferAttribute;
  /** How faint it is, 0 to 1. */
  veil: InstancedBufferAttribute;
  mesh: Mesh<InstancedBufferGeometry, RawShaderMaterial>;
}

export class BodyLayer {
  private readonly material: RawShaderMaterial;
  private batches: Batch[] = [];

  constructor(
    view: ViewUniforms,
    private readonly parent: ThreeScene,
    private readonly order: number,
  ) {
    this.material = flatMaterial(view, {
      vertexShader: VERTEX.replace(/BAND/g, WALL_BAND.toFixed(1)),
      fragmentShader: FRAGMENT.replace(/BAND/g, WALL_BAND.toFixed(1))
        .replace(/ASLEEP/g, ASLEEP_SHARE.toFixed(2)),
      uniforms: {
        width: { value: OUTLINE_WIDTH },
        solid: { value: SOLID },
        hatch: { value: SOLID_HATCH },
        solidInk: { value: SOLID_INK },
        outline: { value: OUTLINE },
      },
    });
  }

  setScene(scene: Scene): void {
    for (const { mesh } of this.batches) {
      this.parent.remove(mesh);
      mesh.geometry.dispose();
    }
    const groups = new Map<string, number[]>();
    scene.bodies.forEach((body, index) => {
      const rank = body.type === Body_Type.STATIC ? 0 : 1;
      const key = `${rank}${JSON.stringify(bodyContours(body).map(contourKey))}`;
      groups.set(key, [...(groups.get(key) ?? []), index]);
    });
    const colors = sceneColors(scene);
    const keys = [...groups.keys()].sort((a, b) => Number(a[0]) - Number(b[0]));
    this.batches = keys.map((key, rank) => {
      const bodies = groups.get(key)!;
      return this.makeBatch(scene, bodies, colors, this.order + rank / (keys.length + 1));
    });
  }

  private makeBatch(scene: Scene, bodies: number[], colors: Rgb[], order: number): Batch {
    const outline = meshContours(bodyContours(scene.bodies[bodies[0]!]!));
    const geometry = new InstancedBufferGeometry();
    const floats = (values: number[], size: number) =>
      new BufferAttribute(new Float32Array(values), size);
    geometry.setAttribute("position", floats(outline.positions, 2));
    geometry.setAttribute("miter", floats(outline.miters, 2));
    geometry.setAttribute("ink", floats(outline.inks, 3));
    geometry.setIndex(outline.indices);
    const tint = new Float32Array(bodies.length * 4);
    bodies.forEach((index, row) => {
      const fixed = scene.bodies[index]!.type === Body_Type.STATIC;
      tint.set([...colors[index]!, fixed ? 0 : 1], row * 4);
    });
    const pose = new InstancedBufferAttribute(new Float32Array(bodies.length * 4), 4);
    pose.setUsage(DynamicDrawUsage);
    geometry.setAttribute("pose", pose);
    const tints = new InstancedBufferAttribute(tint, 4);
    geometry.setAttribute("tint", tints);
    const veil = new InstancedBufferAttribute(new Float32Array(bodies.length), 1);
    geometry.setAttribute("veil", veil);
    geometry.instanceCount = bodies.length;
    geometry.boundingSphere = everywhere();
    const mesh = new Mesh(geometry, this.material);
    mesh.frustumCulled = false;
    mesh.renderOrder = order;
    this.parent.add(mesh);
    return { bodies, pose, tint: tints, veil, mesh };
  }

  /** Draws the sleeping bodies, marked by 1, paler. */
  setAsleep(asleep: Uint8Array): void {
    for (const { bodies, tint } of this.batches) {
      for (let row = 0; row < bodies.length; row++) {
        if (tint.array[row * 4 + 3] !== 0) {
          tint.array[row * 4 + 3] = asleep[bodies[row]!] === 1 ? 0.5 : 1;
        }
      }
      tint.needsUpdate = true;
    }
  }

  /** Draws bodies out of view, or near its edge, fainter; an empty array changes nothing. */
  setVeils(veils: Float32Array): void {
    for (const { bodies, veil } of this.batches) {
      for (let row = 0; row < bodies.length; row++) {
        veil.array[row] = veils[bodies[row]!] ?? 0;
      }
      veil.needsUpdate = true;
    }
  }

  /** Poses are x, y, angle of every body of the scene. */
  update(poses: Float64Array): void {
    for (const { bodies, pose } of this.batches) {
      const out = pose.array;
      for (let row = 0; row < bodies.length; row++) {
        const at = bodies[row]! * POSE_STRIDE;
        out[row * 4] = poses[at]!;
        out[row * 4 + 1] = poses[at + 1]!;
        out[row * 4 + 2] = Math.cos(poses[at + 2]!);
        out[row * 4 + 3] = Math.sin(poses[at + 2]!);
      }
      pose.needsUpdate = true;
    }
  }
}

function contourKey(contour: ReturnType<typeof bodyContours>[number]): unknown[] {
  return [...contour.corners, contour.radius, contour.mark !== null, contour.kind];
}
