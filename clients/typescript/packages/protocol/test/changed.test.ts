/** changed.test.ts: a scene after a Changed. */
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ChangedSchema, SceneSchema, followScene } from "../src";

const SCENE = create(SceneSchema, {
  name: "room",
  bodies: [{ name: "floor" }, {}, { name: "ship" }],
  joints: [{ name: "pin", joint: { case: "ball", value: { bodyB: "ship" } } }],
  forces: [
    { force: { case: "thruster", value: { body: "ship", key: "s" } } },
    { force: { case: "spring", value: { bodyA: "body1", bodyB: "ship" } } },
    { force: { case: "spring", value: { bodyB: "ship" } } },
    { force: { case: "constant", value: { body: "body1", force: { x: 1 } } } },
  ],
});

describe("followScene", () => {
  it("empties slots, takes free ones, and leaves the rest alone", () => {
    const changed = create(ChangedSchema, {
      generation: 2, bodyCount: 5, jointCount: 1, removedBodies: [1],
      bodySlots: [4], bodies: [{ name: "late" }],
    });
    const now = followScene(SCENE, changed);
    expect(now.bodies.map(({ name, absent }) => (absent ? "-" : name)))
      .toEqual(["floor", "-", "ship", "-", "late"]);
    expect(now.bodies[0]).toBe(SCENE.bodies[0]);
    expect(now.joints).toEqual(SCENE.joints);
    expect(now.forces.map(({ force }) => force.case)).toEqual(["thruster", "spring"]);
    expect(SCENE.bodies).toHaveLength(3);
  });

  it("keeps the thrusters of who is gone, since actuators are counted", () => {
    const changed = create(ChangedSchema, {
      bodyCount: 3, jointCount: 1, removedBodies: [2], removedJoints: [0],
    });
    const now = followScene(SCENE, changed);
    expect(now.joints[0]!.joint.case).toBe(undefined);
    expect(now.forces).toHaveLength(2);
    expect(now.forces[0]!.force.value).toMatchObject({ body: "", key: "s" });
    expect(SCENE.forces[0]!.force.value).toMatchObject({ body: "ship" });
  });

  it("survives slots that are not there", () => {
    const changed = create(ChangedSchema, {
      bodyCount: 1, removedBodies: [9], bodySlots: [7, 0], bodies: [{ name: "x" }],
    });
    expect(followScene(SCENE, changed).bodies.map(({ name }) => name)).toEqual(["floor"]);
  });
});
