/** runs.ts: run lists and interleaved numbers of Deltas and ContactDeltas (WIRE.md, "Deltas"). */
import type { NumberList } from "./delta_columns";

/** Moves bit 3 i to bit i, for ten bits. */
export function gather(value: number): number {
  value &= 0x09249249;
  value = (value | (value >>> 2)) & 0x030c30c3;
  value = (value | (value >>> 4)) & 0x0300f00f;
  value = (value | (value >>> 8)) & 0x030000ff;
  return (value | (value >>> 16)) & 0x3ff;
}

/** The number of a zigzag code. */
export function unzigzag(value: number): number {
  return (value >>> 1) ^ -(value & 1);
}

/** Iterates over the runs of a run list: [from, to). */
export class Runs {
  from = 0;
  to = 0;
  private at = 0;
  constructor(private readonly list: NumberList) {}

  next(limit: number): boolean {
    const { data, count } = this.list;
    if (this.at >= count) {
      return false;
    }
    const pass = data[this.at]! >>> 0;
    const take = this.at + 1 < count ? data[this.at + 1]! >>> 0 : 0;
    const from = this.to + pass;
    if (take === 0 || (pass === 0 && this.at > 0) || from + take > limit) {
      throw new RangeError("the list of runs is invalid");
    }
    this.at += 2;
    this.from = from;
    this.to = from + take;
    return true;
  }
}

/** How many numbers a run list has. */
export function total(list: NumberList, limit: number): number {
  const runs = new Runs(list);
  let count = 0;
  while (runs.next(limit)) {
    count += runs.to - runs.from;
  }
  return count;
}
