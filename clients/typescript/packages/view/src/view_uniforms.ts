/**
 * view_uniforms.ts: what every shader needs to put metres on the screen, shared by reference.
 *
 *     clip = (world - center) * toClip;   device pixels = metres * scale
 */
import {
  DoubleSide,
  GLSL3,
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

  update(framing: Framing, ratio: number): void {
    this.center.value.set(framing.centerX, framing.centerY);
    const { scale, width, height } = framing;
    this.toClip.value.set((2 * scale) / width, (2 * scale) / height);
    this.scale.value = scale * ratio;
    this.ratio.value = ratio;
  }
}

const HEADER = `precision highp float;
uniform vec2 center, toClip;
uniform float scale, ratio;
`;

/** A material for flat things that are drawn in the order in which they are given. */
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
    depthTest: false,
    depthWrite: false,
  });
}

/** What three.js would sort by; the order of drawing is given by renderOrder alone. */
export function everywhere(): Sphere {
  return new Sphere(new Vector3(), 1);
}
