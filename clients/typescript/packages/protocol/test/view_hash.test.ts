/** view_hash.test.ts: known answers, and the changes that the hash detects. */
import { expect, it } from "vitest";
import { SnapshotColumns, viewHash } from "../src";

function snapshot(rows: number[][]): SnapshotColumns {
  const columns = new SnapshotColumns();
  columns.count = rows.length;
  rows.forEach(([x, y, angle], row) => {
    columns.x[row] = x!;
    columns.y[row] = y!;
    columns.angle[row] = angle!;
  });
  return columns;
}

/** The definition, with integers of any size. */
function reference(...entries: number[][]): number {
  let sum = 0n;
  for (const words of entries) {
    let hash = 2166136261n;
    for (const word of words) {
      hash = BigInt.asUintN(32, (hash ^ BigInt.asUintN(32, BigInt(word))) * 2654435761n);
      hash ^= hash >> 15n;
    }
    sum += hash;
  }
  return Number(BigInt.asUintN(32, sum));
}

it("is 0 for no bodies and the sum of their hashes for others", () => {
  expect(viewHash(snapshot([]))).toBe(0);
  expect(viewHash(snapshot([[1, -2, 3], [-2147483648, 2147483647, 0]]))).toBe(
    reference([0, 1, -2, 3], [1, -2147483648, 2147483647, 0]),
  );
});

it("is what was computed elsewhere", () => {
  expect(reference([1, 2, -1, 256])).toBe(0xe03e5f58);
});

it("uses the slots that are named", () => {
  const named = snapshot([[1, 2, 3]]);
  named.everyBody = false;
  named.body[0] = 70000;
  expect(viewHash(named)).toBe(reference([70000, 1, 2, 3]));
});

it("notices a swap of bodies and of columns", () => {
  const hashes = [[[1, 2, 3], [4, 5, 6]], [[4, 5, 6], [1, 2, 3]], [[2, 1, 3], [4, 5, 6]]];
  expect(new Set(hashes.map((rows) => viewHash(snapshot(rows)))).size).toBe(3);
});

it("counts every column of a spatial snapshot", () => {
  const spatial = snapshot([[2, -1, 0]]);
  spatial.isSpatial = true;
  spatial.everyBody = false;
  spatial.body[0] = 1;
  spatial.z[0] = 3;
  spatial.turnLargest[0] = 2;
  spatial.turnA[0] = -4;
  spatial.turnB[0] = 5;
  spatial.turnC[0] = 6;
  expect(viewHash(spatial)).toBe(reference([1, 2, -1, 3, 2, -4, 5, 6]));
});
