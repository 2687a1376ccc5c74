/** part.test.ts: a part of a world in the address, and how bodies fade at its edge. */
import { describe, expect, it } from "vitest";
import { readPart, veilAt, writePart } from "../src/address/part";

function read(text: string) {
  return readPart(new URLSearchParams(text));
}

describe("readPart", () => {
  it("reads a place in the plane and one in space", () => {
    const point = { x: 10, y: -1.5, z: 0 };
    expect(read("area=10,-1.5,8")?.area).toEqual({ point, reach: { x: 8, y: 8, z: 8 } });
    expect(read("area=1,2,3,4")?.area).toEqual(
      { point: { x: 1, y: 2, z: 3 }, reach: { x: 4, y: 4, z: 4 } });
  });

  it("reads tags with or without an area", () => {
    expect(read("tag=ball,,flag")).toEqual({ area: null, tags: ["ball", "flag"] });
    expect(read("area=0,0,2&tag=ball")?.tags).toEqual(["ball"]);
  });

  it("takes what it does not understand for all of the world", () => {
    for (const text of ["", "area=", "area=1,2", "area=1,2,0", "area=1,2,-3", "area=a,b,c",
      "area=1,2,3,4,5", "area=1,,2", "tag="]) {
      expect(read(text)).toBeNull();
    }
  });

  it("writes what it reads", () => {
    const query = new URLSearchParams("world=yard&area=9,9,9&tag=old");
    writePart(query, read("area=10,-1.5,8&tag=ball"), true);
    expect(decodeURIComponent(query.toString())).toBe("world=yard&area=10,-1.5,8&tag=ball");
    writePart(query, read("area=1,2,3,4"), false);
    expect(decodeURIComponent(query.toString())).toBe("world=yard&area=1,2,3,4");
    writePart(query, null, true);
    expect(query.toString()).toBe("world=yard");
  });
});

describe("veilAt", () => {
  const part = read("area=0,0,10")!;

  it("veils nothing inside, and more towards a tenth of the reach outside", () => {
    expect(veilAt(part, 0, 0, 0)).toBe(0);
    expect(veilAt(part, 10, -10, 0)).toBe(0);
    expect(veilAt(part, 10.5, 0, 0)).toBeCloseTo(0.3);
    expect(veilAt(part, 0, -10.5, 0)).toBeCloseTo(0.3);
    expect(veilAt(part, 11, 10.5, 0)).toBeCloseTo(0.6);
    expect(veilAt(part, 50, 0, 0)).toBeCloseTo(0.6);
  });

  it("veils nothing that is seen for its tag", () => {
    expect(veilAt(read("tag=ball")!, 1e6, 0, 0)).toBe(0);
  });
});
