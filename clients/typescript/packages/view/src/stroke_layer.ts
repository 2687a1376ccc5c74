/**
 * stroke_layer.ts: lines with a width at each end, written again every frame.
 *
 * A stroke goes from a to b in the world and has a width in CSS pixels at each end.  Equal widths
 * make a line with round ends, and a dot if a = b.  Different widths make a wedge with flat ends,
 * for example an arrow's head or a flame.  In space the part of a stroke behind a body is faintly
 * visible.  For this a stroke is drawn a little in front of its place.
 *
 * A stroke's numbers are stored at each of its four corners.  Instances of one square would need a
 * quarter of the numbers, but without a graphics processor an instance takes 0.1 ms.
 */
import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  GreaterDepth,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  LessEqualDepth,
  Mesh,
  type RawShaderMaterial,
  type Scene as ThreeScene,
} from "three";
import type { Rgb } from "./palette";
import { type ViewUniforms, everywhere, flatMaterial } from "./view_uniforms";

const VERTEX = `
in vec3 tail, tip;
in vec4 tint;
in vec2 widths;
out vec2 spot;
out vec4 look;
out vec3 size;
const float NEAR = 1e-3;
const float LIFT = 2e-4;
void main() {
  int place = gl_VertexID & 3;
  vec2 corner = vec2(place == 1 || place == 2 ? 1.0 : -1.0, place > 1 ? 1.0 : -1.0);
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

/** The visibility of hidden parts. */
const FAINT = 0.55;

const CAPACITY_FIRST = 256;
const STROKE_COUNT_MAX = 1 << 15;

/** Numbers at a corner: tail, tip, tint, widths. */
const STRIDE = 12;
const CORNERS = 4;
const STROKE_SIZE = CORNERS * STRIDE;
const INDICES = [0, 1, 2, 0, 2, 3] as const;

export class StrokeLayer {
  count = 0;
  private faint = 1;
  private capacity = 0;
  private numbers = new Float32Array(0);
  private buffer!: InterleavedBuffer;
  private readonly meshes: Mesh<BufferGeometry, RawShaderMaterial>[];

  /** `hidesBehind`: whether bodies can hide strokes, as in space. */
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
      const mesh = new Mesh(new BufferGeometry(), one);
      mesh.frustumCulled = false;
      mesh.renderOrder = order;
      parent.add(mesh);
      return mesh;
    });
    this.grow(CAPACITY_FIRST);
  }

  private grow(capacity: number): void {
    const numbers = new Float32Array(capacity * STROKE_SIZE);
    numbers.set(this.numbers);
    this.numbers = numbers;
    this.buffer = new InterleavedBuffer(numbers, STRIDE);
    this.buffer.setUsage(DynamicDrawUsage);
    const indices = Uint32Array.from({ length: capacity * INDICES.length }, (_, at) =>
      Math.floor(at / INDICES.length) * CORNERS + INDICES[at % INDICES.length]!);
    const geometry = new BufferGeometry();
    const column = (name: string, size: number, first: number) =>
      geometry.setAttribute(name, new InterleavedBufferAttribute(this.buffer, size, first));
    column("tail", 3, 0);
    column("tip", 3, 3);
    column("tint", 4, 6);
    column("widths", 2, 10);
    geometry.setIndex(new BufferAttribute(indices, 1));
    geometry.boundingSphere = everywhere();
    for (const mesh of this.meshes) {
      mesh.geometry.dispose();
      mesh.geometry = geometry;
    }
    this.capacity = capacity;
  }

  clear(): void {
    this.count = 0;
  }

  /** Sets the visibility of hidden parts, as a share of the maximum. */
  setFaint(share: number): void {
    this.faint = share;
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
    const { numbers } = this;
    const at = this.count++ * STROKE_SIZE;
    numbers[at] = ax;
    numbers[at + 1] = ay;
    numbers[at + 2] = az;
    numbers[at + 3] = bx;
    numbers[at + 4] = by;
    numbers[at + 5] = bz;
    numbers[at + 6] = color[0];
    numbers[at + 7] = color[1];
    numbers[at + 8] = color[2];
    numbers[at + 9] = alpha;
    numbers[at + 10] = widthA;
    numbers[at + 11] = widthB;
    numbers.copyWithin(at + STRIDE, at, at + STRIDE);
    numbers.copyWithin(at + 2 * STRIDE, at, at + 2 * STRIDE);
  }

  /** Sends the strokes that were added since clear() to the screen. */
  flush(): void {
    const { buffer, count } = this;
    this.meshes.forEach((mesh, index) => {
      mesh.geometry.setDrawRange(0, count * INDICES.length);
      const isOfHidden = index + 1 < this.meshes.length;
      mesh.visible = count > 0 && (this.faint > 0 || !isOfHidden);
    });
    buffer.clearUpdateRanges();
    if (count > 0) {
      buffer.addUpdateRange(0, count * STROKE_SIZE);
      buffer.needsUpdate = true;
    }
  }
}
