/** delta_columns.ts: a Delta as lists that are reused for each message (WIRE.md, "Deltas"). */
import type { Tick } from "./units";
import { WireError, type WireReader, WireType } from "./wire_reader";

const LIST_CAPACITY_MIN = 64;
/** Limit of the numbers of one list; a longer list is refused. */
const LIST_SIZE_MAX = 1 << 21;

/** The numbers of one field; those beyond `count` are from an earlier message. */
export class NumberList {
  count = 0;
  data = new Int32Array(LIST_CAPACITY_MIN);

  push(value: number): void {
    if (this.count === this.data.length) {
      if (this.count >= LIST_SIZE_MAX) {
        throw new WireError(`a list is longer than ${LIST_SIZE_MAX}`);
      }
      const longer = new Int32Array(2 * this.count);
      longer.set(this.data);
      this.data = longer;
    }
    this.data[this.count++] = value;
  }

  assign(values: ArrayLike<number>): void {
    this.count = 0;
    for (let index = 0; index < values.length; index++) {
      this.push(values[index]!);
    }
  }
}

/** Unsigned numbers are stored with the same 32 bits. */
export class DeltaColumns {
  tick: Tick = 0;
  generation = 0;
  first = 0;
  second = 0;
  timeUs = 0;
  viewHash = 0;
  readonly left = new NumberList();
  readonly entered = new NumberList();
  readonly changed = new NumberList();
  readonly position = new NumberList();
  readonly turn = new NumberList();
  readonly place = new NumberList();
  readonly facing = new NumberList();
  readonly escape = new NumberList();
  readonly sleep = new NumberList();
}

export type DeltaList = "left" | "entered" | "changed" | "position" | "turn" | "place" | "facing"
  | "escape" | "sleep";
/** In the order of the fields, from number 6. */
export const DELTA_LISTS: readonly DeltaList[] = [
  "left", "entered", "changed", "position", "turn", "place", "facing", "escape", "sleep",
];
const LIST_FIRST = 6;
const SIGNED: ReadonlySet<string> = new Set(["place", "escape"]);

/** Reads a packed field. */
export function fillList(reader: WireReader, list: NumberList, isSigned: boolean): void {
  const end = reader.fieldEnd();
  while (reader.at < end) {
    list.push(isSigned ? reader.sint32() : reader.uint32());
  }
  if (reader.at !== end) {
    throw new WireError("a packed field ends within a number");
  }
}

function fillNumber(reader: WireReader, tag: number, into: DeltaColumns): void {
  switch (tag >>> 3) {
    case 1:
      into.tick = reader.uint64();
      break;
    case 2:
      into.generation = reader.uint32();
      break;
    case 3:
      into.first = reader.uint32();
      break;
    case 4:
      into.second = reader.uint32();
      break;
    case 5:
      into.timeUs = reader.sint64();
      break;
    case 15:
      into.viewHash = reader.fixed32();
      break;
    default:
      reader.skip(tag & 7);
  }
}

export function fillDelta(reader: WireReader, end: number, into: DeltaColumns): void {
  into.tick = into.generation = into.first = into.second = into.timeUs = into.viewHash = 0;
  for (const name of DELTA_LISTS) {
    into[name].count = 0;
  }
  while (reader.at < end) {
    const tag = reader.uint32();
    const name = DELTA_LISTS[(tag >>> 3) - LIST_FIRST];
    if (name === undefined) {
      fillNumber(reader, tag, into);
    } else if ((tag & 7) === WireType.BYTES) {
      fillList(reader, into[name], SIGNED.has(name));
    } else {
      throw new WireError("a list of a delta is not packed");
    }
  }
}
