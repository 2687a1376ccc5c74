/**
 * solid_material.ts: matt colour with dark lines along the sides of faces, one or two pixels wide.
 * Round shapes have two tones by octants.
 *
 * three.js' Lambert material computes light and shadows; only the colour is changed.
 */
import { MeshLambertMaterial } from "three";

const VERTEX_HEAD = `
attribute vec3 rim;
varying vec3 vRim;
varying vec3 vOwn;
#include <common>`;

const VERTEX_BODY = `
vRim = rim;
vOwn = position;
#include <begin_vertex>`;

const FRAGMENT_HEAD = `
varying vec3 vRim;
varying vec3 vOwn;
#include <common>`;

const FLAT_PAINT = `
#include <color_fragment>
{
  vec3 away = vRim / max(fwidth(vRim), vec3(1e-6));
  float nearest = min(away.x, min(away.y, away.z));
  float ink = 1.0 - smoothstep(LINE - 0.5, LINE + 0.5, nearest);
  diffuseColor.rgb *= 1.0 - 0.72 * ink;
}`;

const ROUND_PAINT = `
#include <color_fragment>
{
  vec3 soft = clamp(vOwn / max(fwidth(vOwn), vec3(1e-6)), -1.0, 1.0);
  float octant = soft.x * soft.y * soft.z;
  diffuseColor.rgb *= 0.86 + 0.14 * octant;
}`;

/** The width of a line on one of its two faces, in CSS pixels. */
const LINE = 1.1;

export function solidMaterial(round: boolean): MeshLambertMaterial {
  const material = new MeshLambertMaterial();
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", VERTEX_HEAD)
      .replace("#include <begin_vertex>", VERTEX_BODY);
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", FRAGMENT_HEAD)
      .replace("#include <color_fragment>", round ? ROUND_PAINT : FLAT_PAINT)
      .replace(/LINE/g, LINE.toFixed(2));
  };
  material.customProgramCacheKey = () => (round ? "round" : "flat");
  return material;
}
