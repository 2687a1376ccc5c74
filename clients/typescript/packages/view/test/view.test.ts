/** view.test.ts: framing, contours, outlines and scales, with answers known by hand. */
import { create } from "@bufbuild/protobuf";
import { SceneSchema, ShapeSchema, sceneThrusters } from "@cairn/protocol";
import { describe, expect, it } from "vitest";
import {
  Framing, bodyPlanes, contourLoop, forceScale, gridCell, meshContours, nearestOnContour,
  personColor, rayExit,
  sceneLabels, sceneRegion, sceneThumbnail, shapeContour,
} from "../src/pure";

type ShapeInit = Parameters<typeof create<typeof ShapeSchema>>[1];
const shape = (init: ShapeInit) => create(ShapeSchema, init);
const box = shape({ shape: { case: "box", value: { size: { x: 4, y: 2 } } } });
const circle = shape({ shape: { case: "circle", value: { radius: 2 } }, position: { x: 1 } });
const capsule = shape({ shape: { case: "capsule", value: { radius: 1, length: 4 } } });

function area(loop: number[]): number {
  let doubled = 0;
  for (let at = 0; at < loop.length; at += 2) {
    const to = (at + 2) % loop.length;
    doubled += loop[at]! * loop[to + 1]! - loop[at + 1]! * loop[to]!;
  }
  return doubled / 2;
}

describe("Framing", () => {
  const framing = new Framing();
  framing.resize(800, 400);
  framing.setRegion({ centerX: 1, centerY: 2, width: 10, height: 8 });

  it("fits a region into the canvas and inverts its own map", () => {
    expect(framing.scale).toBe(50);
    expect(framing.worldX(400)).toBe(1);
    expect(framing.worldY(0)).toBe(6);
    expect(framing.screenX(framing.worldX(123))).toBeCloseTo(123, 9);
    expect(framing.screenY(framing.worldY(321))).toBeCloseTo(321, 9);
  });

  it("zooms about the pointer, pans with it, and comes home", () => {
    const x = framing.worldX(700);
    const y = framing.worldY(50);
    framing.zoomAt(700, 50, 2);
    expect(framing.scale).toBe(100);
    expect(framing.worldX(700)).toBeCloseTo(x, 9);
    expect(framing.worldY(50)).toBeCloseTo(y, 9);
    framing.panBy(10, -20);
    expect(framing.worldX(710)).toBeCloseTo(x, 9);
    expect(framing.worldY(30)).toBeCloseTo(y, 9);
    framing.zoomAt(0, 0, 1e9);
    expect(framing.scale).toBeLessThanOrEqual(5000);
    framing.home();
    expect(framing.scale).toBe(50);
    framing.resize(100, 400);
    expect(framing.scale).toBe(10);
  });
});

it("fits a scene above what is covered", () => {
  const framing = new Framing();
  framing.resize(100, 400);
  framing.setRegion({ centerX: 0, centerY: 5, width: 10, height: 10 });
  framing.cover(200);
  expect(framing.scale).toBe(10);
  expect(framing.screenY(5)).toBe(100);
  framing.cover(1000);
  expect(framing.screenY(5), "half of the height stays").toBe(100);
  framing.cover(0);
  expect(framing.screenY(5)).toBe(200);
});

describe("outlines and chains", () => {
  const corners = [{ x: 0, y: 0 }, { x: 2, y: 0 }, { x: 2, y: 2 }, { x: 0, y: 2 }];
  /** A square whose upper side is a half circle that goes in. */
  const points = corners.map((corner, index) => ({ ...corner, bulge: index === 2 ? -1 : 0 }));
  const bowl = shapeContour(shape({ shape: { case: "outline", value: { points } } }))!;
  const nearest = { distance: 0, x: 0, y: 0 };

  it("bend arcs to the side of their bulge", () => {
    const loop = contourLoop(bowl);
    expect(area(loop)).toBeCloseTo(4 - Math.PI / 2, 1);
    for (let at = 0; at < loop.length; at += 2) {
      const off = Math.hypot(loop[at]! - 1, loop[at + 1]! - 2);
      expect(off).toBeGreaterThan(1 - 1e-9);
    }
  });

  it("are filled within, not across what is hollow", () => {
    const { positions, indices } = meshContours([bowl]);
    let filled = 0;
    for (let at = 0; at < indices.length; at += 3) {
      const [a, b, c] = [0, 1, 2].map((index) => indices[at + index]!) as [number, number, number];
      const [ax, ay] = [positions[a * 2]!, positions[a * 2 + 1]!];
      const across = (positions[b * 2]! - ax) * (positions[c * 2 + 1]! - ay) -
        (positions[b * 2 + 1]! - ay) * (positions[c * 2]! - ax);
      filled += Math.abs(across) / 2;
    }
    expect(filled, "ink has no area before its width is laid off").toBeCloseTo(
      area(contourLoop(bowl)), 9,
    );
  });

  it("tell the hollow from the inside", () => {
    nearestOnContour(bowl, 1, 1.5, nearest);
    expect(nearest.distance, "half a metre above the bottom of the bowl").toBeCloseTo(0.5, 2);
    nearestOnContour(bowl, 0.2, 0.4, nearest);
    expect(nearest.distance).toBeCloseTo(-0.2, 9);
  });

  it("have no inside where they are walls, and end where they are open", () => {
    const chain = (closed: boolean) => shapeContour(
      shape({ shape: { case: "chain", value: { points: corners, closed } } }))!;
    nearestOnContour(chain(true), 1, 0.5, nearest);
    expect(nearest.distance).toBeCloseTo(0.5, 12);
    nearestOnContour(chain(false), -1, 1, nearest);
    expect(nearest.distance, "the side from last to first is not there").toBeCloseTo(
      Math.SQRT2, 12,
    );
  });
});

describe("nearestOnContour", () => {
  const nearest = { distance: 0, x: 0, y: 0 };

  it("measures a box from outside, from a corner and from inside", () => {
    nearestOnContour(shapeContour(box)!, 5, 0.5, nearest);
    expect(nearest).toEqual({ distance: 3, x: 2, y: 0.5 });
    nearestOnContour(shapeContour(box)!, 5, 5, nearest);
    expect(nearest).toEqual({ distance: 5, x: 2, y: 1 });
    nearestOnContour(shapeContour(box)!, 1.5, 0, nearest);
    expect(nearest).toEqual({ distance: -0.5, x: 1.5, y: 0 });
  });

  it("measures circles and capsules from their rims", () => {
    nearestOnContour(shapeContour(circle)!, 6, 0, nearest);
    expect(nearest).toEqual({ distance: 3, x: 3, y: 0 });
    nearestOnContour(shapeContour(capsule)!, 3, 1, nearest);
    expect(nearest).toEqual({ distance: 2, x: 1, y: 1 });
    nearestOnContour(shapeContour(capsule)!, 0, 5, nearest);
    expect(nearest).toEqual({ distance: 2, x: 0, y: 3 });
  });
});

describe("outlines", () => {
  it("goes around every shape counter-clockwise", () => {
    expect(area(contourLoop(shapeContour(box)!))).toBe(8);
    expect(area(contourLoop(shapeContour(circle)!))).toBeCloseTo(4 * Math.PI, 0);
    expect(area(contourLoop(shapeContour(capsule)!))).toBeCloseTo(8 + Math.PI, 1);
    const loop = contourLoop(shapeContour(capsule)!);
    const ys = loop.filter((_, at) => at % 2 === 1);
    expect(Math.max(...ys)).toBeCloseTo(3, 2);
    expect(Math.min(...ys)).toBeCloseTo(-3, 2);
  });

  it("lays the ink of a square's corner off along its diagonal", () => {
    const mesh = meshContours([shapeContour(box)!]);
    const corner = mesh.inks.findIndex((value, at) => at % 3 === 1 && value === 1);
    const at = ((corner - 1) / 3) * 2;
    expect(mesh.miters[at]).toBeCloseTo(-1, 12);
    expect(mesh.miters[at + 1]).toBeCloseTo(-1, 12);
    expect(mesh.indices.length).toBe(3 * (2 + 8));
    expect(Math.max(...mesh.indices)).toBe(mesh.positions.length / 2 - 1);
  });
});

describe("rayExit", () => {
  it("finds where a ray leaves, from the inside and from the edge", () => {
    const contours = [shapeContour(box)!];
    expect(rayExit(contours, 0.5, 0, 1, 0)).toBeCloseTo(1.5, 12);
    expect(rayExit(contours, 2, 0, 1, 0)).toBeCloseTo(0, 12);
    expect(rayExit(contours, 2, 0, -1, 0)).toBeCloseTo(4, 12);
    expect(rayExit([shapeContour(circle)!], 1, 0, 0, -1)).toBeCloseTo(2, 2);
    expect(rayExit([], 0, 0, 1, 0)).toBe(0);
  });
});

describe("scenes", () => {
  const scene = create(SceneSchema, {
    bodies: [
      {
        name: "floor", type: 1, position: { y: -1 },
        shapes: [{ shape: { case: "plane", value: { normal: { y: 2 }, offset: 3 } } }],
      },
      { name: "block12", massSet: { case: "mass", value: 2 }, shapes: [box] },
      { name: "a-long-name", position: { x: 6 }, massSet: { case: "mass", value: 2 } },
    ],
    forces: [
      { force: { case: "thruster", value: { body: "block12" } } },
      { force: { case: "thruster", value: { body: "a-long-name" } } },
    ],
    view: { center: { x: 0, y: 1 }, height: 4 },
  });

  it("normalises planes and labels bodies with thrusters", () => {
    expect(bodyPlanes(scene.bodies[0]!)).toEqual([{ normalX: 0, normalY: 1, offset: 1.5 }]);
    expect([...sceneLabels(scene, sceneThrusters(scene))]).toEqual([[1, "12"]]);
  });

  it("frames by the scene's view and by its bodies where it has none", () => {
    const region = sceneRegion(scene);
    expect(region).toMatchObject({ centerX: 0, centerY: 1, height: 4 });
    expect(region.width).toBeCloseTo(4.16, 9);
    const plain = create(SceneSchema, { bodies: scene.bodies });
    expect(sceneRegion(plain)).toMatchObject({ centerX: 0, centerY: 0 });
    expect(sceneRegion(create(SceneSchema, {})).height).toBeGreaterThan(0);
  });

  it("draws a small picture with y down, as wide as it must be", () => {
    const { viewBox, paths } = sceneThumbnail(scene);
    const [left, top, width, height] = viewBox.split(" ").map(Number);
    expect(width! / height!).toBeCloseTo(16 / 9, 9);
    expect(left! + width! / 2).toBeCloseTo(0, 9);
    expect(top! + height! / 2).toBeCloseTo(-1, 9);
    expect(paths.length).toBe(2);
    const plane = paths[0]!.path.match(/-?[\d.]+ -?[\d.]+/g)!.map((point) => point.split(" "));
    const ys = plane.map(([, y]) => Number(y));
    expect(Math.min(...ys), "its surface is 0.5 m up").toBeCloseTo(-0.5, 3);
    expect(paths[1]!.path).toBe("M-2.000 1.000L2.000 1.000L2.000 -1.000L-2.000 -1.000Z");
  });

  it("draws the middle body's weight as a share of the height", () => {
    const height = 100;
    expect(forceScale(scene, height) * 2 * 9.81).toBeCloseTo(10, 9);
    const { bodies } = scene;
    const light = create(SceneSchema, { bodies, world: { gravity: { x: 3, y: -4 } } });
    expect(forceScale(light, height) * 2 * 5).toBeCloseTo(10, 9);
    const floating = create(SceneSchema, { bodies, world: { gravity: {} } });
    expect(forceScale(floating, height)).toBe(forceScale(scene, height));
  });
});

it("picks grid cells of 1, 2 and 5", () => {
  expect([1, 4, 10, 40, 100, 1000].map((scale) => gridCell(scale, 40))).toEqual(
    [50, 10, 5, 1, 0.5, 0.05],
  );
});

describe("personColor", () => {
  it("is the colour that a style sheet writes hsl(hue 60% 52%)", () => {
    // 0.52 - 0.6 * 0.48 = 0.232 and 0.52 + 0.6 * 0.48 = 0.808
    const near = (hue: number) => personColor(hue).map((channel) => Math.round(channel * 1000));
    expect(near(0)).toEqual([808, 232, 232]);
    expect(near(60)).toEqual([808, 808, 232]);
    expect(near(120)).toEqual([232, 808, 232]);
    expect(near(240)).toEqual([232, 232, 808]);
  });
});
