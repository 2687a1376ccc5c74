/** scene.test.ts: masses and thrusters of a scene, with answers known by hand. */
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { BodySchema, SceneSchema, bodyMass, sceneThrusters } from "../src";

const square = [{ x: 0, y: 0 }, { x: 2, y: 0 }, { x: 2, y: 2 }, { x: 0, y: 2 }];

describe("bodyMass", () => {
  it("takes the mass that is given", () => {
    const body = create(BodySchema, { massSet: { case: "mass", value: 3 } });
    expect(bodyMass(body)).toBe(3);
  });

  it("sums density times area, and is 1 kg where neither is given", () => {
    const density = { case: "density" as const, value: 2 };
    const body = create(BodySchema, {
      shapes: [
        { shape: { case: "polygon", value: { vertices: square } }, densitySet: density },
        { shape: { case: "circle", value: { radius: 1 } }, densitySet: density },
        { shape: { case: "capsule", value: { radius: 1, length: 3 } }, densitySet: density },
        { shape: { case: "box", value: { size: { x: 5, y: 1 } } } },
      ],
    });
    expect(bodyMass(body)).toBeCloseTo(2 * (4 + Math.PI + Math.PI + 6), 12);
    expect(bodyMass(create(BodySchema, {}))).toBe(1);
  });

  it("counts the arcs of outlines, outwards and inwards", () => {
    // A half circle of radius 1 on a square's right side: outwards (bulge 1), inwards (bulge -1).
    const outline = (bulge: number) => create(BodySchema, {
      shapes: [{
        shape: { case: "outline", value: { points: square.map((corner, index) =>
          ({ ...corner, bulge: index === 1 ? bulge : 0 })) } },
        densitySet: { case: "density", value: 1 },
      }],
    });
    expect(bodyMass(outline(1))).toBeCloseTo(4 + Math.PI / 2, 12);
    expect(bodyMass(outline(-1))).toBeCloseTo(4 - Math.PI / 2, 12);
  });
});

describe("sceneThrusters", () => {
  it("numbers thrusters among themselves and splits their keys", () => {
    const scene = create(SceneSchema, {
      bodies: [{ name: "floor" }, {}],
      forces: [
        { force: { case: "damping", value: { linear: 1 } } },
        { force: { case: "thruster", value: { body: "body1", key: "l ArrowRight" } } },
        { force: { case: "thruster", value: { body: "floor", key: "S", force: { y: 2 } } } },
      ],
    });
    const [first, second] = sceneThrusters(scene);
    expect(first).toMatchObject({ actuator: 0, body: 1, keys: ["l", "arrowright"] });
    expect(second).toMatchObject({ actuator: 1, body: 0, keys: ["s"], forceY: 2 });
  });
});
