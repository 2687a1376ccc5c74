/** stability.test.ts: fractions of any length, and certificates with answers known by hand. */
import { describe, expect, it } from "vitest";
import { type StabilityAnswer, fraction, readStability } from "../src";

describe("fraction", () => {
  it("reads whole numbers, fractions, signs, and numbers that no double holds", () => {
    expect(fraction("3")).toBe(3);
    expect(fraction("-2943/800")).toBe(-3.67875);
    expect(fraction("1/3")).toBeCloseTo(1 / 3, 15);
    expect(fraction(`${"9".repeat(400)}/${"3".repeat(400)}`)).toBe(3);
  });
});

const contact = { bodyA: 0, bodyB: 1, point: ["1/2", "1"], normal: ["0", "1"] };

describe("readStability", () => {
  it("shows the forces that hold, with their part across the normal", () => {
    const answer: StabilityAnswer = {
      verdict: "stable", claim: "stands", margin: 2,
      certificate: { contacts: [{ ...contact, force: ["5", "2"] }], bodies: [{}, {}] },
    };
    const { forces, motions, margin } = readStability(answer, [[0, 0, 0], [0, 1, 0]]);
    expect([forces.count, forces.bodyB[0], forces.x[0], forces.y[0]]).toEqual([1, 1, 0.5, 1]);
    expect([forces.force[0], forces.frictionX[0], forces.frictionY[0]]).toEqual([5, -2, 0]);
    expect(motions).toEqual([]);
    expect(margin).toBe(2);
  });

  it("shows how it begins to fall, with the pushes that are left", () => {
    const answer: StabilityAnswer = {
      verdict: "unstable", claim: "falls", margin: -1,
      certificate: {
        contacts: [{ ...contact, force: ["-3", "0"], push: "7/2" }],
        bodies: [{ acceleration: ["0", "0", "0"] }, { acceleration: ["0", "-2", "1/4"] }],
      },
    };
    const { forces, motions } = readStability(answer, [[0, 0, 0], [4, 1, 0]]);
    expect(forces.force[0]).toBe(3.5);
    expect(motions).toEqual([{ body: 1, x: 4, y: 1, z: 0, vx: 0, vy: -2, vz: 0, turn: 0.25 }]);
  });

  it("moves a body's own place by a motion that is told of the world's origin", () => {
    const answer: StabilityAnswer = {
      verdict: "unstable", claim: "no holding force exists", margin: null,
      certificate: { contacts: [], bodies: [{ motion: ["1", "0", "2"] }] },
    };
    const { motions } = readStability(answer, [[3, 0.25, 0]]);
    expect(motions).toEqual([{ body: 0, x: 3, y: 0.25, z: 0, vx: 0.5, vy: 6, vz: 0, turn: 2 }]);
  });

  it("reads six numbers of a motion in space, and points with a depth", () => {
    const answer: StabilityAnswer = {
      verdict: "unstable", claim: "falls", margin: -1,
      certificate: {
        contacts: [{ ...contact, point: ["0", "1", "-2"], normal: ["0", "0", "1"], push: "3" }],
        bodies: [{ motion: ["0", "0", "1", "2", "0", "0"] }],
      },
    };
    const { forces, motions } = readStability(answer, [[0, 3, 0]]);
    expect([forces.z[0], forces.normalZ[0], forces.force[0]]).toEqual([-2, 1, 3]);
    expect(motions[0]).toMatchObject({ vx: 0, vy: 0, vz: 7, turn: 0 });
  });
});
