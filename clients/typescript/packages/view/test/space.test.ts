/** space.test.ts: the eye, placing, solids, curves and joints in space, with answers by hand. */
import { create } from "@bufbuild/protobuf";
import { CurveSchema, SceneSchema, ShapeSchema, World_Dimension } from "@cairn/protocol";
import { describe, expect, it } from "vitest";
import {
  Orbit, PLANAR_PLACING, SPATIAL_PLACING, curvePoints, sceneBall, sceneJoints, sceneMass,
  scenePlanes, shapeSolid, solidVolume,
} from "../src/pure";

const point = () => ({ x: 0, y: 0, z: 0 });
const half = Math.SQRT1_2;

describe("Orbit", () => {
  const orbit = new Orbit();
  orbit.resize(800, 600);
  orbit.setBall({ center: { x: 1, y: 2, z: 3 }, radius: 2 });

  it("looks at the middle of its ball from outside it", () => {
    const at = point();
    orbit.project(1, 2, 3, at);
    expect(at.x).toBeCloseTo(400, 9);
    expect(at.y).toBeCloseTo(300, 9);
    expect(at.z).toBeCloseTo(orbit.distance, 9);
    expect(orbit.distance).toBeGreaterThan(2);
  });

  it("has right, up and back at right angles, and up is up", () => {
    const { right, up, back } = orbit;
    const dot = (a: typeof up, b: typeof up) => a.x * b.x + a.y * b.y + a.z * b.z;
    for (const [a, b] of [[right, up], [up, back], [back, right]] as const) {
      expect(dot(a, b)).toBeCloseTo(0, 12);
    }
    expect(dot(up, up)).toBeCloseTo(1, 12);
    expect(up.y).toBeGreaterThan(0);
    const higher = point();
    orbit.project(1, 2.5, 3, higher);
    expect(higher.y).toBeLessThan(300);
  });

  it("carries a place at its own distance, under the pointer", () => {
    const anchor = { x: 1.5, y: 2.2, z: 2.1 };
    const at = point();
    const carried = point();
    orbit.project(anchor.x, anchor.y, anchor.z, at);
    const depth = at.z;
    orbit.carry(at.x, at.y, anchor, carried);
    expect(carried.x).toBeCloseTo(1.5, 9);
    expect(carried.z).toBeCloseTo(2.1, 9);
    orbit.carry(123, 456, anchor, carried);
    orbit.project(carried.x, carried.y, carried.z, at);
    expect([at.x, at.y, at.z].map((value) => Math.round(value * 1e6) / 1e6)).toEqual(
      [123, 456, Math.round(depth * 1e6) / 1e6],
    );
  });

  it("zooms towards what lies under the pointer, turns about its target, and comes home", () => {
    const anchor = { ...orbit.target };
    const before = point();
    orbit.carry(600, 200, anchor, before);
    orbit.zoomAt(600, 200, 2);
    const at = point();
    orbit.project(before.x, before.y, before.z, at);
    expect(at.x).toBeCloseTo(600, 6);
    expect(at.y).toBeCloseTo(200, 6);
    const { distance, target } = orbit;
    const from = { ...target };
    orbit.turnBy(40, 25);
    expect(orbit.target).toEqual(from);
    expect(Math.hypot(orbit.eye.x - from.x, orbit.eye.y - from.y, orbit.eye.z - from.z))
      .toBeCloseTo(distance, 9);
    orbit.turnBy(0, 1e6);
    expect(orbit.pitch, "never over the top").toBeLessThan(Math.PI / 2);
    orbit.home();
    expect(orbit.target).toEqual({ x: 1, y: 2, z: 3 });
  });

  it("fits the ball above what is covered", () => {
    const free = orbit.distance;
    orbit.cover(200);
    expect(orbit.distance).toBeGreaterThan(free);
    const at = point();
    orbit.project(1, 2, 3, at);
    expect(at.y).toBeCloseTo(200, 9);
    orbit.cover(0);
  });
});

describe("placing", () => {
  it("turns and places in space, and back again", () => {
    // A quarter turn about z takes x to y; the body stands at (10, 20, 30).
    const poses = Float64Array.from([10, 20, 30, half, 0, 0, half]);
    const out = point();
    SPATIAL_PLACING.place(poses, 0, 1, 0, 2, out);
    expect(out.x).toBeCloseTo(10, 12);
    expect(out.y).toBeCloseTo(21, 12);
    expect(out.z).toBeCloseTo(32, 12);
    SPATIAL_PLACING.local(poses, 0, out.x, out.y, out.z, out);
    expect(out.x).toBeCloseTo(1, 12);
    expect(out.z).toBeCloseTo(2, 12);
    SPATIAL_PLACING.place(poses, -1, 1, 2, 3, out);
    expect(out).toEqual({ x: 1, y: 2, z: 3 });
  });

  it("does the same in the plane, where z is nothing", () => {
    const poses = Float64Array.from([1, 2, Math.PI / 2]);
    const out = point();
    PLANAR_PLACING.place(poses, 0, 3, 0, 9, out);
    expect(out.x).toBeCloseTo(1, 12);
    expect(out.y).toBeCloseTo(5, 12);
    expect(out.z).toBe(0);
    PLANAR_PLACING.local(poses, 0, out.x, out.y, 0, out);
    expect(out.x).toBeCloseTo(3, 12);
  });
});

type SceneInit = Exclude<Parameters<typeof create<typeof SceneSchema>>[1], undefined>;
type ShapeInit = Parameters<typeof create<typeof ShapeSchema>>[1];
const solid = (init: ShapeInit, meshes: SceneInit["meshes"] = []) =>
  shapeSolid(create(ShapeSchema, init), create(SceneSchema, { meshes }))!;
const box = { case: "box" as const, value: { size: { x: 2, y: 3, z: 4 } } };
const tetrahedron = [
  { x: 0, y: 0, z: 0 }, { x: 1, y: 0, z: 0 }, { x: 0, y: 1, z: 0 }, { x: 0, y: 0, z: 1 },
];

describe("solids", () => {
  it("have the volumes of their shapes, so that all triangles face outwards", () => {
    expect(solidVolume(solid({ shape: box }))).toBeCloseTo(24, 12);
    const hull = solid({ shape: { case: "hull", value: { vertices: tetrahedron } } });
    expect(solidVolume(hull)).toBeCloseTo(1 / 6, 12);
    const ball = solidVolume(solid({ shape: { case: "sphere", value: { radius: 1 } } }));
    expect(Math.abs(ball / ((4 / 3) * Math.PI) - 1)).toBeLessThan(0.01);
    const capsule = solid({ shape: { case: "capsule", value: { radius: 1, length: 3 } } });
    expect(Math.abs(solidVolume(capsule) / ((4 / 3 + 3) * Math.PI) - 1)).toBeLessThan(0.01);
  });

  it("draw a box's twelve edges, each from both sides, and no diagonals", () => {
    const { positions, rims } = solid({ shape: box });
    const lengths: number[] = [];
    for (let corner = 0; corner < positions.length / 3; corner += 3) {
      for (let side = 0; side < 3; side++) {
        const shares = [0, 1, 2].map((index) => rims[(corner + index) * 3 + side]);
        if (shares.includes(0)) {
          const [a, b] = [0, 1, 2].filter((index) => shares[index] === 0);
          const coordinate = (index: number, axis: number) =>
            positions[(corner + index) * 3 + axis]!;
          lengths.push(Math.hypot(...[0, 1, 2].map((axis) =>
            coordinate(a!, axis) - coordinate(b!, axis))));
        }
      }
    }
    const counts = [2, 3, 4].map((size) => lengths.filter((length) => length === size).length);
    expect(counts).toEqual([8, 8, 8]);
    expect(lengths).toHaveLength(24);
  });

  it("make a hull of a box's corners look like the box", () => {
    const corners = [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) =>
      ({ x, y, z }))));
    const { rims, positions } = solid({ shape: { case: "hull", value: { vertices: corners } } });
    expect(positions).toHaveLength(12 * 9);
    expect(rims.filter((rim) => rim === 0), "two corners of each side, 24 sides").toHaveLength(48);
  });

  it("draw a mesh with its scale, and lines where it is creased alone", () => {
    const ends = [-1, 1];
    const corners = ends.flatMap((x) => ends.flatMap((y) => ends.flatMap((z) => [x, y, z])));
    const triangles = [
      0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4,
      1, 5, 7, 1, 7, 3,
    ];
    const cube = { name: "cube", vertices: corners, triangles, scale: 0.5 };
    const { rims, positions, normals } =
      solid({ shape: { case: "mesh", value: { name: "cube" } } }, [cube]);
    expect(solidVolume({ rims, positions, normals, round: false })).toBeCloseTo(1, 12);
    expect(rims.filter((rim) => rim === 0), "two corners of each side, 24 sides").toHaveLength(48);
    expect(normals.slice(0, 3).map(Math.abs).sort(), "flat").toEqual([0, 0, 1]);
  });
});

describe("a spatial scene", () => {
  const scene = create(SceneSchema, {
    world: { dimension: World_Dimension.SPATIAL },
    bodies: [
      { type: 1, shapes: [{ shape: { case: "plane", value: { normal: { y: 2 }, offset: 1 } } }] },
      { position: { x: 4 }, shapes: [{ shape: box, densitySet: { case: "density", value: 2 } }] },
    ],
    joints: [{ joint: { case: "hinge", value: { bodyB: "body1", anchor: { x: 5, y: 1 } } } }],
  });

  it("is shown where it moves, with planes and masses", () => {
    const { center, radius } = sceneBall(scene);
    expect(center).toEqual({ x: 4, y: 0, z: 0 });
    expect(radius).toBeGreaterThan(Math.hypot(1, 1.5, 2) - 1e-9);
    expect(scenePlanes(scene)[0]).toMatchObject({ body: 0, offset: 0.5 });
    expect(sceneMass(scene, scene.bodies[1]!)).toBeCloseTo(48, 9);
  });

  it("keeps anchors in the frames of its bodies", () => {
    const poses = Float64Array.from([0, 0, 0, 1, 0, 0, 0, 4, 0, 0, half, 0, 0, half]);
    const [hinge] = sceneJoints(scene, SPATIAL_PLACING, poses);
    expect(hinge).toMatchObject({ kind: "hinge", bodyA: -1, bodyB: 1, axis: { z: 1 } });
    expect(hinge!.anchorA).toEqual({ x: 5, y: 1, z: 0 });
    expect(hinge!.anchorB.x, "(1, 1) turned back by a quarter").toBeCloseTo(1, 12);
    expect(hinge!.anchorB.y).toBeCloseTo(-1, 12);
  });
});

describe("curvePoints", () => {
  it("goes straight through points on a line, however they are spaced", () => {
    const points = [{ x: 0 }, { x: 1, y: 1 }, { x: 5, y: 5 }];
    const flat = curvePoints(create(CurveSchema, { curve: { case: "spline", value: { points } } }));
    for (let at = 0; at < flat.length; at += 3) {
      expect(flat[at + 1]! - flat[at]!).toBeCloseTo(0, 12);
    }
    expect(flat.at(-3)).toBeCloseTo(5, 12);
  });

  it("is near a circle through eight of its points, and smooth where it closes", () => {
    const points = Array.from({ length: 8 }, (_, index) =>
      ({ x: Math.cos((index * Math.PI) / 4), y: Math.sin((index * Math.PI) / 4) }));
    const value = { points, closed: true };
    const flat = curvePoints(create(CurveSchema, { curve: { case: "spline", value } }));
    for (let at = 0; at < flat.length; at += 3) {
      expect(Math.hypot(flat[at]!, flat[at + 1]!)).toBeCloseTo(1, 2);
    }
    expect(flat[1]! - flat.at(-5)!, "the steps before and after the seam").toBeCloseTo(
      flat[4]! - flat[1]!, 4,
    );
  });
});
