/** quality.test.ts: reduced solids, and the choice of quality from the drawing time. */
import { create } from "@bufbuild/protobuf";
import { MeshSchema, SceneSchema, ShapeSchema } from "@cairn/protocol";
import { describe, expect, it } from "vitest";
import { AutoQuality, type IndexedSolid, coarseSolid, indexSolid, shapeSolid } from "../src/pure";

/** A closed torus about z, of `around` times `across` squares of two triangles. */
function torus(around: number, across: number) {
  const vertices: number[] = [];
  const triangles: number[] = [];
  for (let u = 0; u < around; u++) {
    for (let v = 0; v < across; v++) {
      const [a, b] = [(2 * Math.PI * u) / around, (2 * Math.PI * v) / across];
      const r = 1 + 0.3 * Math.cos(b);
      vertices.push(r * Math.cos(a), r * Math.sin(a), 0.3 * Math.sin(b));
      const at = (i: number, j: number) => (i % around) * across + (j % across);
      triangles.push(at(u, v), at(u + 1, v), at(u + 1, v + 1));
      triangles.push(at(u, v), at(u + 1, v + 1), at(u, v + 1));
    }
  }
  const scene = create(SceneSchema, { meshes: [create(MeshSchema, {
    name: "torus", vertices, triangles, scale: 1,
  })] });
  const shape = create(ShapeSchema, { shape: { case: "mesh", value: { name: "torus" } } });
  return shapeSolid(shape, scene)!;
}

function volume({ positions, triangles }: IndexedSolid): number {
  let sixfold = 0;
  for (let at = 0; at < triangles.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map((side) => 3 * triangles[at + side]!) as
      [number, number, number];
    const p = (index: number, axis: number) => positions[index + axis]!;
    sixfold += p(a, 0) * (p(b, 1) * p(c, 2) - p(b, 2) * p(c, 1)) +
      p(a, 1) * (p(b, 2) * p(c, 0) - p(b, 0) * p(c, 2)) +
      p(a, 2) * (p(b, 0) * p(c, 1) - p(b, 1) * p(c, 0));
  }
  return Math.abs(sixfold / 6);
}

describe("indexSolid", () => {
  it("places a corner of a smooth mesh once, and draws the same triangles", () => {
    const solid = torus(16, 10);
    const indexed = indexSolid(solid);
    expect(solid.positions.length / 3).toBe(960);
    expect(indexed.positions.length / 3).toBe(160);
    expect(indexed.triangles.length).toBe(960);
    const drawn = [...indexed.triangles].flatMap((corner) =>
      [...indexed.positions.subarray(3 * corner, 3 * corner + 3)]);
    expect(drawn).toEqual(solid.positions.map(Math.fround));
    const rims = [...indexed.triangles].flatMap((corner) =>
      [...indexed.rims.subarray(3 * corner, 3 * corner + 3)]);
    expect(rims).toEqual(solid.rims);
  });

  it("keeps corners apart where faces are", () => {
    const box = create(ShapeSchema, {
      shape: { case: "box", value: { size: { x: 1, y: 2, z: 3 } } },
    });
    const { positions, triangles } = indexSolid(shapeSolid(box, create(SceneSchema, {}))!);
    expect(triangles.length).toBe(36);
    expect(positions.length / 3).toBeGreaterThanOrEqual(24);
  });
});

describe("coarseSolid", () => {
  it("has far fewer triangles of about the same body, and no corner far outside it", () => {
    const fine = indexSolid(torus(48, 24));
    const coarse = coarseSolid(fine);
    expect(coarse.triangles.length).toBeLessThan(fine.triangles.length / 4);
    expect(volume(coarse) / volume(fine)).toBeGreaterThan(0.75);
    expect(volume(coarse) / volume(fine)).toBeLessThan(1.1);
    for (let at = 0; at < coarse.positions.length; at += 3) {
      const [x, y, z] = coarse.positions.subarray(at, at + 3) as unknown as
        [number, number, number];
      expect(Math.hypot(Math.hypot(x, y) - 1, z)).toBeLessThan(0.31);
      expect(Math.hypot(...coarse.normals.subarray(at, at + 3))).toBeCloseTo(1, 5);
    }
  });

  it("leaves what is small as it is", () => {
    const box = create(ShapeSchema, {
      shape: { case: "box", value: { size: { x: 1, y: 2, z: 3 } } },
    });
    const indexed = indexSolid(shapeSolid(box, create(SceneSchema, {}))!);
    expect(coarseSolid(indexed)).toBe(indexed);
  });
});

describe("AutoQuality", () => {
  let now = 0;
  const draw = (quality: AutoQuality, intervalMs: number, forMs: number) => {
    for (let end = now + forMs; now < end;) {
      now += intervalMs;
      quality.note(now, true);
    }
  };

  it("stays as fine as can be where that is quick, hiccups and all", () => {
    const quality = new AutoQuality();
    for (let round = 0; round < 20; round++) {
      draw(quality, 17, 1000);
      draw(quality, 700, 700);
    }
    expect(quality.level).toBe(0);
  });

  it("goes down by steps where it is slow, at once where it crawls, no further than it can", () => {
    const quality = new AutoQuality();
    draw(quality, 70, 1000);
    expect(quality.level).toBe(0);
    draw(quality, 70, 2500);
    expect(quality.level).toBe(1);
    const other = new AutoQuality();
    draw(other, 900, 6 * 900);
    expect(other.level).toBe(1);
    draw(other, 900, 60_000);
    expect(other.level).toBe(2);
  });

  it("comes back, with ever more patience where that was too early", () => {
    const quality = new AutoQuality();
    quality.reset(2);
    const waits: number[] = [];
    for (let round = 0; round < 4; round++) {
      const from = now;
      while (quality.level === 2) {
        draw(quality, 16, 16);
      }
      waits.push(Math.round((now - from) / 1000));
      while (quality.level < 2) {
        draw(quality, 80, 80);
      }
    }
    expect(waits[0]).toBeLessThan(6);
    expect(waits[1]! / waits[0]!).toBeGreaterThan(1.5);
    expect(waits[3]! / waits[1]!).toBeGreaterThan(3);
  });

  it("does not count the time in which nothing was to be drawn", () => {
    const quality = new AutoQuality();
    for (let round = 0; round < 100; round++) {
      quality.note((now += 16), true);
      quality.note((now += 400), false);
    }
    expect(quality.level).toBe(0);
  });
});
