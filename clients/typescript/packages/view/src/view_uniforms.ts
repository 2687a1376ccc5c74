/**
 * view_uniforms.ts: the uniforms with which every shader converts metres to the screen, shared by
 * reference.
 *
 *     in the plane:  clip = (world - center) * toClip;   device pixels = metres * scale
 *     everywhere:    clip = toScreen * (x, y, z, 1);     pixels from the middle = clip * halfSize
 */
import {
  DoubleSide,
  GLSL3,
  Matrix4,
  RawShaderMaterial,
  type ShaderMaterialParameters,
  Sphere,
  Vector2,
  Vector3,
} from "three";
import type { Framing } from "./framing";

export class ViewUniforms {
  readonly center = { value: new Vector2() };
  readonly toClip = { value: new Vector2(1, 1) };
  /** Device pixels per metre. */
  readonly scale = { value: 1 };
  /** Device pixels per CSS pixel. */
  readonly ratio = { value: 1 };
  readonly toScreen = { value: new Matrix4() };
  /** Half the canvas, in device pixels. */
  readonly halfSize = { value: new Vector2(1, 1) };

  /** For the plane. */
  update(framing: Framing, ratio: number): void {
    const { scale, width, height, centerX, centerY } = framing;
    const x = (2 * scale) / width;
    const y = (2 * scale) / height;
    this.center.value.set(centerX, centerY);
    this.toClip.value.set(x, y);
    this.scale.value = scale * ratio;
    this.toScreen.value.set(x, 0, 0, -x * centerX, 0, y, 0, -y * centerY, 0, 0, 0, 0, 0, 0, 0, 1);
    this.setSize(width, height, ratio);
  }

  setSize(width: number, height: number, ratio: number): void {
    this.ratio.value = ratio;
    this.halfSize.value.set((width * ratio) / 2, (height * ratio) / 2);
  }
}

const HEADER = `precision highp float;
uniform vec2 center, toClip, halfSize;
uniform float scale, ratio;
uniform mat4 toScreen;
`;

/** A material for flat objects, which are drawn in their given order. */
export function flatMaterial(
  view: ViewUniforms,
  parameters: ShaderMaterialParameters & { vertexShader: string; fragmentShader: string },
): RawShaderMaterial {
  return new RawShaderMaterial({
    ...parameters,
    glslVersion: GLSL3,
    vertexShader: HEADER + parameters.vertexShader,
    fragmentShader: HEADER + parameters.fragmentShader,
    uniforms: { ...(parameters.uniforms ?? {}), ...view },
    side: DoubleSide,
    transparent: true,
    depthTest: parameters.depthTest ?? false,
    depthWrite: false,
  });
}

/** Disables the sorting of three.js: only renderOrder decides the order of drawing. */
export function everywhere(): Sphere {
  return new Sphere(new Vector3(), 1);
}
