/**
 * contact_delta_columns.ts: a ContactDelta as lists that are reused for each message (WIRE.md,
 * "Contact deltas").
 */
import { NumberList, fillList } from "./delta_columns";
import type { Tick } from "./units";
import { WireError, type WireReader, WireType } from "./wire_reader";

const KEYS_MAX = 1 << 18;

/** The report of the solve that gave the forces. */
export class ContactReportFields {
  /** A code + 1; 0: not judged. */
  residual = 0;
  outcome = 0;
  /** Empty: as in the baseline. */
  solver = "";
  iterationCount = 0;
  rowCount = 0;
  leftOut = 0;
}

/** Unsigned numbers are stored with the same 32 bits. */
export class ContactDeltaColumns {
  tick: Tick = 0;
  generation = 0;
  number = 0;
  back = 0;
  hash = 0;
  hasReport = false;
  readonly report = new ContactReportFields();
  readonly left = new NumberList();
  /** Varints of more than 32 bits. */
  readonly entered: number[] = [];
  /** The entries that differ, and their codes: point, normal, gap, force, torque, impulse. */
  readonly lists = Array.from({ length: 6 }, () => new NumberList());
  readonly codes = Array.from({ length: 6 }, () => new NumberList());
  readonly escape = new NumberList();
}

const LEFT = 5;
const ENTERED = 6;
const LISTS = 7;
const ESCAPE = 19;
const REPORT = 20;
const HASH = 21;
/** Columns whose numbers are differences, and not codes. */
const SIGNED: ReadonlySet<number> = new Set([2, 5]);

function fillKeys(reader: WireReader, keys: number[]): void {
  const end = reader.fieldEnd();
  while (reader.at < end) {
    if (keys.length >= KEYS_MAX) {
      throw new WireError(`a list is longer than ${KEYS_MAX}`);
    }
    keys.push(reader.uint64());
  }
  if (reader.at !== end) {
    throw new WireError("a packed field ends within a number");
  }
}

function fillReport(reader: WireReader, into: ContactReportFields): void {
  const end = reader.fieldEnd();
  Object.assign(into, new ContactReportFields());
  while (reader.at < end) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case 1:
        into.residual = reader.uint32();
        break;
      case 2:
        into.outcome = reader.uint32();
        break;
      case 3:
        into.solver = reader.text("");
        break;
      case 4:
        into.iterationCount = reader.uint32();
        break;
      case 5:
        into.rowCount = reader.uint32();
        break;
      case 6:
        into.leftOut = reader.uint32();
        break;
      default:
        reader.skip(tag & 7);
    }
  }
}

function fillNumber(reader: WireReader, tag: number, into: ContactDeltaColumns): void {
  switch (tag >>> 3) {
    case 1:
      into.tick = reader.uint64();
      break;
    case 2:
      into.generation = reader.uint32();
      break;
    case 3:
      into.number = reader.uint32();
      break;
    case 4:
      into.back = reader.uint32();
      break;
    case HASH:
      into.hash = reader.fixed32();
      break;
    default:
      reader.skip(tag & 7);
  }
}

function listOf(into: ContactDeltaColumns, field: number): NumberList | undefined {
  if (field >= LISTS && field < ESCAPE) {
    const column = (field - LISTS) >> 1;
    return (field - LISTS) % 2 === 0 ? into.lists[column] : into.codes[column];
  }
  return field === LEFT ? into.left : field === ESCAPE ? into.escape : undefined;
}

function clear(into: ContactDeltaColumns): void {
  into.tick = into.generation = into.number = into.back = into.hash = 0;
  into.hasReport = false;
  into.left.count = into.escape.count = into.entered.length = 0;
  for (let column = 0; column < into.lists.length; column++) {
    into.lists[column]!.count = into.codes[column]!.count = 0;
  }
}

export function fillContactDelta(
  reader: WireReader, end: number, into: ContactDeltaColumns,
): void {
  clear(into);
  while (reader.at < end) {
    const tag = reader.uint32();
    const field = tag >>> 3;
    const list = listOf(into, field);
    const isPacked = (tag & 7) === WireType.BYTES;
    if (list === undefined && field !== ENTERED && field !== REPORT) {
      fillNumber(reader, tag, into);
    } else if (!isPacked) {
      throw new WireError("a list of a contact delta is not packed");
    } else if (list !== undefined) {
      const isCode = field >= LISTS && field < ESCAPE && (field - LISTS) % 2 === 1;
      fillList(reader, list, field === ESCAPE || (isCode && SIGNED.has((field - LISTS) >> 1)));
    } else if (field === ENTERED) {
      fillKeys(reader, into.entered);
    } else {
      into.hasReport = true;
      fillReport(reader, into.report);
    }
  }
}
