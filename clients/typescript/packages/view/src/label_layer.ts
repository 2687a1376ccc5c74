/**
 * label_layer.ts: short upright names on bodies, so that people can refer to them.
 *
 * Texts are drawn once into textures; their size is constant on the screen.
 */
import {
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  LinearFilter,
  Mesh,
  type RawShaderMaterial,
  type Scene as ThreeScene,
  Vector2,
  Vector3,
} from "three";
import type { Placing } from "./placing";
import { type ViewUniforms, everywhere, flatMaterial } from "./view_uniforms";

const VERTEX = `
in vec2 position;
out vec2 at;
uniform vec3 place;
uniform vec2 size;
void main() {
  at = position * 0.5 + 0.5;
  vec4 middle = toScreen * vec4(place, 1.0);
  vec2 pixel = middle.xy / middle.w * halfSize + position * size * 0.5 * ratio;
  gl_Position = middle.w > 0.0 ? vec4(pixel / halfSize, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`;

const FRAGMENT = `
in vec2 at;
out vec4 color;
uniform sampler2D text;
void main() {
  float cover = texture(text, at).a;
  color = vec4(vec3(0.09, 0.11, 0.16), 0.78 * cover);
}`;

const TEXT_PIXELS = 19;
const OVERSAMPLING = 3;

interface Label {
  body: number;
  mesh: Mesh<BufferGeometry, RawShaderMaterial>;
  place: Vector3;
}

export class LabelLayer {
  private labels: Label[] = [];

  constructor(
    private readonly view: ViewUniforms,
    private readonly parent: ThreeScene,
    private readonly order: number,
  ) {}

  setLabels(texts: ReadonlyMap<number, string>): void {
    for (const { mesh } of this.labels) {
      this.parent.remove(mesh);
      mesh.geometry.dispose();
      (mesh.material.uniforms["text"]!.value as CanvasTexture).dispose();
      mesh.material.dispose();
    }
    this.labels = [...texts].map(([body, text]) => this.makeLabel(body, text));
  }

  private makeLabel(body: number, text: string): Label {
    const { texture, width, height } = drawText(text);
    const place = new Vector3();
    const material = flatMaterial(this.view, {
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        text: { value: texture },
        place: { value: place },
        size: { value: new Vector2(width, height) },
      },
    });
    const geometry = new BufferGeometry();
    const corners = new Float32Array([-1, -1, 1, -1, 1, 1, -1, 1]);
    geometry.setAttribute("position", new BufferAttribute(corners, 2));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.boundingSphere = everywhere();
    const mesh = new Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.renderOrder = this.order;
    this.parent.add(mesh);
    return { body, mesh, place };
  }

  update(poses: Float64Array, placing: Placing): void {
    for (const { body, place } of this.labels) {
      placing.place(poses, body, 0, 0, 0, place);
    }
  }
}

function drawText(text: string): { texture: CanvasTexture; width: number; height: number } {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d")!;
  const font = `600 ${TEXT_PIXELS * OVERSAMPLING}px system-ui, sans-serif`;
  context.font = font;
  canvas.width = Math.ceil(context.measureText(text).width) + 4 * OVERSAMPLING;
  canvas.height = Math.ceil(TEXT_PIXELS * 1.4) * OVERSAMPLING;
  context.font = font;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, canvas.width / 2, canvas.height / 2);
  const texture = new CanvasTexture(canvas);
  texture.minFilter = LinearFilter;
  texture.generateMipmaps = false;
  return { texture, width: canvas.width / OVERSAMPLING, height: canvas.height / OVERSAMPLING };
}
