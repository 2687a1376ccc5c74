/** view_hash.test.ts: known answers of FNV-1a, and what the hash notices. */
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

/** The definition, in whole numbers of any size. */
function reference(words: number[]): number {
  let hash = 2166136261n;
  for (const word of words) {
    for (let shift = 0n; shift < 32n; shift += 8n) {
      const byte = (BigInt.asUintN(32, BigInt(word)) >> shift) & 255n;
      hash = BigInt.asUintN(32, (hash ^ byte) * 16777619n);
    }
  }
  return Number(hash);
}

it("is the basis for no bodies and FNV-1a of the columns for others", () => {
  expect(viewHash(snapshot([]))).toBe(2166136261);
  expect(viewHash(snapshot([[1, -2, 3], [-2147483648, 2147483647, 0]]))).toBe(
    reference([0, 1, -2, 3, 1, -2147483648, 2147483647, 0]),
  );
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
