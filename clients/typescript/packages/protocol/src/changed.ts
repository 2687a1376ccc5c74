/** changed.ts: computes the new scene from the old one and a Changed (WIRE.md). */
import { create } from "@bufbuild/protobuf";
import {
  type Body,
  BodySchema,
  Body_Type,
  type Force,
  type Joint,
  JointSchema,
  type Scene,
} from "../generated/cairn/v1/scene_pb";
import type { Changed } from "../generated/cairn/v1/wire_pb";
import { bodyName } from "./scene";

function absentBody(): Body {
  return create(BodySchema, { type: Body_Type.STATIC, absent: true });
}

function follow<T>(
  before: readonly T[],
  count: number,
  nothing: () => T,
  removed: readonly number[],
  slots: readonly number[],
  made: readonly T[],
): T[] {
  const now = Array.from({ length: count }, (_, slot) => before[slot] ?? nothing());
  for (const slot of removed) {
    if (slot < count) {
      now[slot] = nothing();
    }
  }
  slots.forEach((slot, index) => {
    const one = made[index];
    if (slot < count && one !== undefined) {
      now[slot] = one;
    }
  });
  return now;
}

/** Removes springs and constant forces of removed bodies; thrusters stay and keep their indices. */
function followForces(forces: readonly Force[], gone: ReadonlySet<string>): Force[] {
  return forces.flatMap((one) => {
    const { force } = one;
    if (force.case === "spring" && (gone.has(force.value.bodyA) || gone.has(force.value.bodyB))) {
      return [];
    }
    if (force.case === "constant" && gone.has(force.value.body)) {
      return [];
    }
    if (force.case === "thruster" && gone.has(force.value.body)) {
      return [{ ...one, force: { ...force, value: { ...force.value, body: "" } } }];
    }
    return [one];
  });
}

/** Returns a new scene, which shares unchanged parts with the old one. */
export function followScene(scene: Scene, changed: Changed): Scene {
  const gone = new Set(changed.removedBodies.flatMap((slot) =>
    scene.bodies[slot] === undefined ? [] : [bodyName(scene.bodies[slot], slot)]));
  return {
    ...scene,
    bodies: follow<Body>(scene.bodies, changed.bodyCount, absentBody, changed.removedBodies,
      changed.bodySlots, changed.bodies),
    joints: follow<Joint>(scene.joints, changed.jointCount, () => create(JointSchema),
      changed.removedJoints, changed.jointSlots, changed.joints),
    forces: followForces(scene.forces, gone),
  };
}
