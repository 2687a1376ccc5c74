/**
 * stroke_layer.ts: lines of any two widths, written anew every frame.
 *
 * A stroke goes from a to b in the world and is so many CSS pixels wide at either end: equal widths
 * make a line with round ends, a = b a dot; different widths make a wedge with flat ends, such as
 * an arrow's head or a flame.  In space what a body hides of a stroke shines through it faintly;
 * for that a stroke lies a little before the place that it marks.
 */
import {
  BufferAttribute,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  GreaterDepth,
  InstancedBufferGeometry,
  LessEqualDepth,
  Mesh,
  type RawShaderMaterial,
  type Scene as ThreeScene,
} from "three";
import type { Rgb } from "./palette";
import { type ViewUniforms, everywhere, flatMaterial } from "./view_uniforms";

const VERTEX = `
in vec2 corner;
in vec3 tail, tip;
in vec4 tint;
in vec2 widths;
out vec2 spot;
out vec4 look;
out vec3 size;
const float NEAR = 1e-3;
const float LIFT = 2e-4;
void main() {
  vec4 a = toScreen * vec4(tail, 1.0);
  vec4 b = toScreen * vec4(tip, 1.0);
  if (a.w < NEAR && b.w < NEAR) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  if (a.w < NEAR) a = mix(b, a, (b.w - NEAR) / (b.w - a.w));
  if (b.w < NEAR) b = mix(a, b, (a.w - NEAR) / (a.w - b.w));
  vec2 from = a.xy / a.w * halfSize;
  vec2 span = b.xy / b.w * halfSize - from;
  float len = length(span);
  vec2 along = len > 1e-3 ? span / len : vec2(1.0, 0.0);
  vec2 radii = 0.5 * widths * ratio;
  float reach = max(radii.x, radii.y) + 1.0;
  spot = vec2(corner.x < 0.0 ? -reach : len + reach, corner.y * reach);
  vec2 pixel = from + along * spot.x + vec2(-along.y, along.x) * spot.y;
  look = tint;
  size = vec3(len, radii);
  float depth = corner.x < 0.0 ? a.z / a.w : b.z / b.w;
  gl_Position = vec4(pixel / halfSize, depth - LIFT, 1.0);
}`;

const FRAGMENT = `
in vec2 spot;
in vec4 look;
in vec3 size;
out vec4 color;
uniform float strength;
void main() {
  float share = size.x > 0.0 ? clamp(spot.x / size.x, 0.0, 1.0) : 0.0;
  float radius = mix(size.y, size.z, share);
  bool isWedge = size.x > 0.0 && size.y != size.z;
  float distance = isWedge
    ? max(abs(spot.y) - radius, max(-spot.x, spot.x - size.x))
    : length(spot - vec2(share * size.x, 0.0)) - radius;
  float cover = clamp(0.5 - distance, 0.0, 1.0);
  if (cover <= 0.0) discard;
  color = vec4(look.rgb, look.a * cover * strength);
}`;

/** Of what is hidden. */
const FAINT = 0.55;

const CAPACITY_FIRST = 256;
const STROKE_COUNT_MAX = 1 << 15;

export class StrokeLayer {
  count = 0;
  private capacity = 0;
  private tails!: InstancedBufferAttribute;
  private tips!: InstancedBufferAttribute;
  private widths!: InstancedBufferAttribute;
  private tints!: InstancedBufferAttribute;
  private readonly meshes: Mesh<InstancedBufferGeometry, RawShaderMaterial>[];

  /** `hidesBehind`: whether bodies stand before strokes, as they do in space. */
  constructor(view: ViewUniforms, parent: ThreeScene, order: number, hidesBehind = false) {
    const material = (strength: number, isBefore: boolean) => flatMaterial(view, {
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { strength: { value: strength } },
      depthTest: hidesBehind,
      depthFunc: isBefore ? LessEqualDepth : GreaterDepth,
    });
    const materials = hidesBehind
      ? [material(FAINT, false), material(1, true)]
      : [material(1, true)];
    this.meshes = materials.map((one) => {
      const mesh = new Mesh(new InstancedBufferGeometry(), one);
      mesh.frustumCulled = false;
      mesh.renderOrder = order;
      parent.add(mesh);
      return mesh;
    });
    this.grow(CAPACITY_FIRST);
  }

  private grow(capacity: number): void {
    const attribute = (size: number, old: InstancedBufferAttribute | undefined) => {
      const array = new Float32Array(capacity * size);
      array.set(old?.array ?? []);
      const made = new InstancedBufferAttribute(array, size);
      made.setUsage(DynamicDrawUsage);
      return made;
    };
    this.tails = attribute(3, this.tails);
    this.tips = attribute(3, this.tips);
    this.widths = attribute(2, this.widths);
    this.tints = attribute(4, this.tints);
    const geometry = new InstancedBufferGeometry();
    const corners = new Float32Array([-1, -1, 1, -1, 1, 1, -1, 1]);
    geometry.setAttribute("corner", new BufferAttribute(corners, 2));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.boundingSphere = everywhere();
    geometry.setAttribute("tail", this.tails);
    geometry.setAttribute("tip", this.tips);
    geometry.setAttribute("widths", this.widths);
    geometry.setAttribute("tint", this.tints);
    for (const mesh of this.meshes) {
      mesh.geometry.dispose();
      mesh.geometry = geometry;
    }
    this.capacity = capacity;
  }

  clear(): void {
    this.count = 0;
  }

  /** How much of what bodies hide shines through, as a share of what does at most. */
  setFaint(share: number): void {
    if (this.meshes.length > 1) {
      this.meshes[0]!.material.uniforms["strength"]!.value = FAINT * share;
    }
  }

  /** A round spot. */
  dot(x: number, y: number, z: number, width: number, color: Rgb, alpha = 1): void {
    this.add(x, y, z, x, y, z, width, width, color, alpha);
  }

  /** Strokes beyond STROKE_COUNT_MAX are not drawn. */
  add(
    ax: number, ay: number, az: number, bx: number, by: number, bz: number,
    widthA: number, widthB: number, color: Rgb, alpha = 1,
  ): void {
    if (this.count === this.capacity) {
      if (this.capacity >= STROKE_COUNT_MAX) {
        return;
      }
      this.grow(this.capacity * 2);
    }
    const row = this.count++;
    const tails = this.tails.array;
    tails[row * 3] = ax;
    tails[row * 3 + 1] = ay;
    tails[row * 3 + 2] = az;
    const tips = this.tips.array;
    tips[row * 3] = bx;
    tips[row * 3 + 1] = by;
    tips[row * 3 + 2] = bz;
    this.widths.array[row * 2] = widthA;
    this.widths.array[row * 2 + 1] = widthB;
    const tints = this.tints.array;
    tints[row * 4] = color[0];
    tints[row * 4 + 1] = color[1];
    tints[row * 4 + 2] = color[2];
    tints[row * 4 + 3] = alpha;
  }

  /** Sends what was added since clear() to the screen. */
  flush(): void {
    for (const mesh of this.meshes) {
      mesh.geometry.instanceCount = this.count;
      mesh.visible = this.count > 0;
    }
    this.tails.needsUpdate = true;
    this.tips.needsUpdate = true;
    this.widths.needsUpdate = true;
    this.tints.needsUpdate = true;
  }
}
