/**
 * columns.ts: the messages of every tick, as columns that are filled again and again.
 *
 * A column's array may be longer than `count`; what lies beyond is of an earlier message.  Fill
 * functions read one message that ends at `end` and leave the columns whole or throw WireError.
 */
import type { ServerMicroseconds, Tick, WorldSeconds } from "./units";
import { WireError, type WireReader, WireType } from "./wire_reader";

const COLUMN_CAPACITY_MIN = 64;
/** Rows of one message; a longer column is refused rather than stored. */
export const COLUMN_SIZE_MAX = 1 << 17;

export class TickHeaderFields {
  tick: Tick = 0;
  appliedSeq = 0;
  durableSeq = 0;
  serverTime: ServerMicroseconds = 0;
}

/** Bodies as quantised columns; `body` is not filled when `everyBody`. */
export class SnapshotColumns {
  tick: Tick = 0;
  generation = 0;
  time: WorldSeconds = 0;
  count = 0;
  everyBody = true;
  body = new Uint32Array(COLUMN_CAPACITY_MIN);
  x = new Int32Array(COLUMN_CAPACITY_MIN);
  y = new Int32Array(COLUMN_CAPACITY_MIN);
  angle = new Int32Array(COLUMN_CAPACITY_MIN);
  viewHash = 0;
}

/** Contacts that touch; the normal points from A to B, a force >= 0 pushes them apart. */
export class ContactColumns {
  tick: Tick = 0;
  count = 0;
  bodyA = new Uint32Array(COLUMN_CAPACITY_MIN);
  bodyB = new Uint32Array(COLUMN_CAPACITY_MIN);
  x = new Float32Array(COLUMN_CAPACITY_MIN);
  y = new Float32Array(COLUMN_CAPACITY_MIN);
  normalX = new Float32Array(COLUMN_CAPACITY_MIN);
  normalY = new Float32Array(COLUMN_CAPACITY_MIN);
  force = new Float32Array(COLUMN_CAPACITY_MIN);
  impulse = new Float32Array(COLUMN_CAPACITY_MIN);
  gap = new Float32Array(COLUMN_CAPACITY_MIN);
  /** Of the solve that gave the forces: scaled residual, and ContactFrame_Outcome. */
  residual = 0;
  outcome = 0;
}

export class EnergyFields {
  tick: Tick = 0;
  time: WorldSeconds = 0;
  kinetic = 0;
  potential = 0;
  total = 0;
}

type Column = Uint32Array | Int32Array | Float32Array;

function grown<T extends Column>(column: T): T {
  if (column.length >= COLUMN_SIZE_MAX) {
    throw new WireError(`a column is longer than ${COLUMN_SIZE_MAX}`);
  }
  const longer = new (column.constructor as new (length: number) => T)(column.length * 2);
  longer.set(column as never);
  return longer;
}

const enum Element {
  UINT32,
  SINT32,
  FLOAT,
}

/** The rows read by the last call of fillColumn. */
let rowCount = 0;

/**
 * Appends one occurrence of a repeated field, packed or not, at row `start`; returns the column,
 * a longer one if it had to grow.
 */
function fillColumn<T extends Column>(
  reader: WireReader,
  type: number,
  element: Element,
  column: T,
  start: number,
): T {
  const end = type === WireType.BYTES ? reader.fieldEnd() : reader.at + 1;
  let row = start;
  while (reader.at < end) {
    if (row === column.length) {
      column = grown(column);
    }
    column[row++] =
      element === Element.UINT32
        ? reader.uint32()
        : element === Element.SINT32
          ? reader.sint32()
          : reader.float();
  }
  if (type === WireType.BYTES && reader.at !== end) {
    throw new WireError("a packed field ends within a number");
  }
  rowCount = row;
  return column;
}

export function fillTickHeader(reader: WireReader, end: number, into: TickHeaderFields): void {
  into.tick = into.appliedSeq = into.durableSeq = into.serverTime = 0;
  while (reader.at < end) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case 1:
        into.tick = reader.uint64();
        break;
      case 2:
        into.appliedSeq = reader.uint64();
        break;
      case 3:
        into.durableSeq = reader.uint64();
        break;
      case 4:
        into.serverTime = reader.uint64();
        break;
      default:
        reader.skip(tag & 7);
    }
  }
}

export function fillSnapshot(reader: WireReader, end: number, into: SnapshotColumns): void {
  let bodies = 0;
  let xs = 0;
  let ys = 0;
  let angles = 0;
  into.tick = into.generation = into.time = into.viewHash = 0;
  while (reader.at < end) {
    const tag = reader.uint32();
    const type = tag & 7;
    switch (tag >>> 3) {
      case 1:
        into.tick = reader.uint64();
        break;
      case 2:
        into.generation = reader.uint32();
        break;
      case 3:
        into.time = reader.double();
        break;
      case 4:
        into.body = fillColumn(reader, type, Element.UINT32, into.body, bodies);
        bodies = rowCount;
        break;
      case 5:
        into.x = fillColumn(reader, type, Element.SINT32, into.x, xs);
        xs = rowCount;
        break;
      case 6:
        into.y = fillColumn(reader, type, Element.SINT32, into.y, ys);
        ys = rowCount;
        break;
      case 7:
        into.angle = fillColumn(reader, type, Element.SINT32, into.angle, angles);
        angles = rowCount;
        break;
      case 8:
        into.viewHash = reader.fixed32();
        break;
      default:
        reader.skip(type);
    }
  }
  into.everyBody = bodies === 0;
  into.count = xs;
  if (ys !== xs || angles !== xs || (bodies !== 0 && bodies !== xs)) {
    throw new WireError("the columns of a snapshot differ in length");
  }
}

type ContactColumn = "bodyA" | "bodyB" | "x" | "y" | "normalX" | "normalY" | "force" | "impulse"
  | "gap";
/** In the order of the fields, from number 2. */
const CONTACT_COLUMNS: readonly ContactColumn[] = [
  "bodyA", "bodyB", "x", "y", "normalX", "normalY", "force", "impulse", "gap",
];
const contactRows = new Uint32Array(CONTACT_COLUMNS.length);

export function fillContacts(reader: WireReader, end: number, into: ContactColumns): void {
  contactRows.fill(0);
  into.tick = into.residual = into.outcome = 0;
  while (reader.at < end) {
    const tag = reader.uint32();
    const field = tag >>> 3;
    const index = field - 2;
    if (field === 1) {
      into.tick = reader.uint64();
    } else if (index >= 0 && index < CONTACT_COLUMNS.length) {
      const name = CONTACT_COLUMNS[index]!;
      const element = index < 2 ? Element.UINT32 : Element.FLOAT;
      const start = contactRows[index]!;
      (into[name] as Column) = fillColumn(reader, tag & 7, element, into[name], start);
      contactRows[index] = rowCount;
    } else if (field === 11) {
      into.residual = reader.double();
    } else if (field === 12) {
      into.outcome = reader.uint32();
    } else {
      reader.skip(tag & 7);
    }
  }
  into.count = contactRows[0]!;
  for (let index = 1; index < contactRows.length; index++) {
    if (contactRows[index] !== into.count) {
      throw new WireError("the columns of a contact frame differ in length");
    }
  }
}

export function fillEnergy(reader: WireReader, end: number, into: EnergyFields): void {
  into.tick = into.time = into.kinetic = into.potential = into.total = 0;
  while (reader.at < end) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case 1:
        into.tick = reader.uint64();
        break;
      case 2:
        into.time = reader.double();
        break;
      case 3:
        into.kinetic = reader.double();
        break;
      case 4:
        into.potential = reader.double();
        break;
      case 5:
        into.total = reader.double();
        break;
      default:
        reader.skip(tag & 7);
    }
  }
}

export function copyContacts(from: ContactColumns, to: ContactColumns): void {
  to.tick = from.tick;
  to.count = from.count;
  to.residual = from.residual;
  to.outcome = from.outcome;
  for (const name of CONTACT_COLUMNS) {
    const source = from[name];
    while (to[name].length < from.count) {
      (to[name] as Column) = grown(to[name]);
    }
    const target = to[name];
    for (let row = 0; row < from.count; row++) {
      target[row] = source[row]!;
    }
  }
}
