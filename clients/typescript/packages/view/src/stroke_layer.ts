/**
 * stroke_layer.ts: lines of any two widths, written anew every frame.
 *
 * A stroke goes from a to b in the world and is so many CSS pixels wide at either end: equal widths
 * make a line with round ends, a = b a dot; different widths make a wedge with flat ends, such as
 * an arrow's head or a flame.
 */
import {
  BufferAttribute,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  type RawShaderMaterial,
  type Scene as ThreeScene,
} from "three";
import type { Rgb } from "./palette";
import { type ViewUniforms, everywhere, flatMaterial } from "./view_uniforms";

const VERTEX = `
in vec2 corner;
in vec4 ends, tint;
in vec2 widths;
out vec2 spot;
out vec4 look;
out vec3 size;
void main() {
  vec2 a = (ends.xy - center) * scale;
  vec2 b = (ends.zw - center) * scale;
  vec2 span = b - a;
  float len = length(span);
  vec2 along = len > 1e-3 ? span / len : vec2(1.0, 0.0);
  vec2 radii = 0.5 * widths * ratio;
  float reach = max(radii.x, radii.y) + 1.0;
  spot = vec2(corner.x < 0.0 ? -reach : len + reach, corner.y * reach);
  vec2 pixel = a + along * spot.x + vec2(-along.y, along.x) * spot.y;
  look = tint;
  size = vec3(len, radii);
  gl_Position = vec4(pixel / scale * toClip, 0.0, 1.0);
}`;

const FRAGMENT = `
in vec2 spot;
in vec4 look;
in vec3 size;
out vec4 color;
void main() {
  float share = size.x > 0.0 ? clamp(spot.x / size.x, 0.0, 1.0) : 0.0;
  float radius = mix(size.y, size.z, share);
  bool isWedge = size.x > 0.0 && size.y != size.z;
  float distance = isWedge
    ? max(abs(spot.y) - radius, max(-spot.x, spot.x - size.x))
    : length(spot - vec2(share * size.x, 0.0)) - radius;
  float cover = clamp(0.5 - distance, 0.0, 1.0);
  if (cover <= 0.0) discard;
  color = vec4(look.rgb, look.a * cover);
}`;

const CAPACITY_FIRST = 256;
const STROKE_COUNT_MAX = 1 << 15;

export class StrokeLayer {
  count = 0;
  private capacity = 0;
  private ends!: InstancedBufferAttribute;
  private widths!: InstancedBufferAttribute;
  private tints!: InstancedBufferAttribute;
  private readonly mesh: Mesh<InstancedBufferGeometry, RawShaderMaterial>;

  constructor(view: ViewUniforms, parent: ThreeScene, order: number) {
    const material = flatMaterial(view, { vertexShader: VERTEX, fragmentShader: FRAGMENT });
    this.mesh = new Mesh(new InstancedBufferGeometry(), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = order;
    this.grow(CAPACITY_FIRST);
    parent.add(this.mesh);
  }

  private grow(capacity: number): void {
    const attribute = (size: number, old: InstancedBufferAttribute | undefined) => {
      const array = new Float32Array(capacity * size);
      array.set(old?.array ?? []);
      const made = new InstancedBufferAttribute(array, size);
      made.setUsage(DynamicDrawUsage);
      return made;
    };
    this.ends = attribute(4, this.ends);
    this.widths = attribute(2, this.widths);
    this.tints = attribute(4, this.tints);
    const geometry = new InstancedBufferGeometry();
    const corners = new Float32Array([-1, -1, 1, -1, 1, 1, -1, 1]);
    geometry.setAttribute("corner", new BufferAttribute(corners, 2));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.boundingSphere = everywhere();
    geometry.setAttribute("ends", this.ends);
    geometry.setAttribute("widths", this.widths);
    geometry.setAttribute("tint", this.tints);
    this.mesh.geometry.dispose();
    this.mesh.geometry = geometry;
    this.capacity = capacity;
  }

  clear(): void {
    this.count = 0;
  }

  /** Strokes beyond STROKE_COUNT_MAX are not drawn. */
  add(
    ax: number, ay: number, bx: number, by: number,
    widthA: number, widthB: number, color: Rgb, alpha = 1,
  ): void {
    if (this.count === this.capacity) {
      if (this.capacity >= STROKE_COUNT_MAX) {
        return;
      }
      this.grow(this.capacity * 2);
    }
    const row = this.count++;
    const ends = this.ends.array;
    ends[row * 4] = ax;
    ends[row * 4 + 1] = ay;
    ends[row * 4 + 2] = bx;
    ends[row * 4 + 3] = by;
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
    this.mesh.geometry.instanceCount = this.count;
    this.mesh.visible = this.count > 0;
    this.ends.needsUpdate = true;
    this.widths.needsUpdate = true;
    this.tints.needsUpdate = true;
  }
}
