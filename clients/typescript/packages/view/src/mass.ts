/**
 * mass.ts: masses by the engine's rule: the given mass, else density times size, else 1 kg.
 */
import { type Body, type Kilograms, type Scene, bodyMass, isSpatial } from "@cairn/protocol";
import { shapeSolid, solidVolume } from "./solid";

/** The mass of a body of this scene; for round shapes an approximation by triangles. */
export function sceneMass(scene: Scene, body: Body): Kilograms {
  if (!isSpatial(scene) || body.massSet.case === "mass") {
    return bodyMass(body);
  }
  let mass = 0;
  for (const shape of body.shapes) {
    const solid = shape.densitySet.case === "density" ? shapeSolid(shape, scene) : null;
    mass += solid === null ? 0 : (shape.densitySet.value ?? 0) * solidVolume(solid);
  }
  return mass > 0 ? mass : 1;
}
