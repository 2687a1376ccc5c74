/**
 * columns.ts: the messages of every tick, as columns that are reused for each message.
 *
 * A column's array may be longer than `count`; the numbers beyond are from an earlier message.  A
 * fill function reads one message that ends at `end`.  It fills all columns or throws WireError.
 */
import type { ServerMicroseconds, Tick, WorldSeconds } from "./units";
import { WireError, type WireReader, WireType } from "./wire_reader";

const COLUMN_CAPACITY_MIN = 64;
/** Limit of the rows of one message; a longer column is refused. */
export const COLUMN_SIZE_MAX = 1 << 17;

export class TickHeaderFields {
  tick: Tick = 0;
  appliedSeq = 0;
  durableSeq = 0;
  durableTick = 0;
  serverTime: ServerMicroseconds = 0;
}

/**
 * Bodies as quantised columns (WIRE.md, "Snapshots").  `body` is not filled if `everyBody` is set.
 * `angle` is for planar worlds; `z` and the four columns of the rotation are for spatial worlds.
 */
export class SnapshotColumns {
  tick: Tick = 0;
  generation = 0;
  time: WorldSeconds = 0;
  count = 0;
  everyBody = true;
  isSpatial = false;
  body = new Uint32Array(COLUMN_CAPACITY_MIN);
  x = new Int32Array(COLUMN_CAPACITY_MIN);
  y = new Int32Array(COLUMN_CAPACITY_MIN);
  angle = new Int32Array(COLUMN_CAPACITY_MIN);
  z = new Int32Array(COLUMN_CAPACITY_MIN);
  /** The component of the quaternion that is not sent: 0 w, 1 x, 2 y, 3 z. */
  turnLargest = new Uint32Array(COLUMN_CAPACITY_MIN);
  turnA = new Int32Array(COLUMN_CAPACITY_MIN);
  turnB = new Int32Array(COLUMN_CAPACITY_MIN);
  turnC = new Int32Array(COLUMN_CAPACITY_MIN);
  /** Bit i % 8 of byte i / 8: row i sleeps.  Bits beyond `asleepSize` bytes are 0. */
  asleep = new Uint8Array(COLUMN_CAPACITY_MIN);
  asleepSize = 0;
  viewHash = 0;

  sleeps(row: number): boolean {
    return row >> 3 < this.asleepSize && (this.asleep[row >> 3]! & (1 << (row & 7))) !== 0;
  }
}

/** Forces and torques of joints on their bodies B, at the anchors on B. */
export class JointColumns {
  count = 0;
  joint = new Uint32Array(COLUMN_CAPACITY_MIN);
  x = new Float32Array(COLUMN_CAPACITY_MIN);
  y = new Float32Array(COLUMN_CAPACITY_MIN);
  z = new Float32Array(COLUMN_CAPACITY_MIN);
  /** N. */
  forceX = new Float32Array(COLUMN_CAPACITY_MIN);
  forceY = new Float32Array(COLUMN_CAPACITY_MIN);
  forceZ = new Float32Array(COLUMN_CAPACITY_MIN);
  /** N m. */
  torqueX = new Float32Array(COLUMN_CAPACITY_MIN);
  torqueY = new Float32Array(COLUMN_CAPACITY_MIN);
  torqueZ = new Float32Array(COLUMN_CAPACITY_MIN);
}

/** Touching contacts; the normal points from A to B, and a force >= 0 pushes them apart. */
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
  z = new Float32Array(COLUMN_CAPACITY_MIN);
  normalZ = new Float32Array(COLUMN_CAPACITY_MIN);
  /** N, on body B. */
  frictionX = new Float32Array(COLUMN_CAPACITY_MIN);
  frictionY = new Float32Array(COLUMN_CAPACITY_MIN);
  frictionZ = new Float32Array(COLUMN_CAPACITY_MIN);
  /** Of the solve that gave the forces: scaled residual (NaN: not judged), ContactFrame_Outcome. */
  residual = 0;
  outcome = 0;
  solver = "";
  iterationCount = 0;
  rowCount = 0;
  /** The number of contacts that did not fit into the frame. */
  leftOut = 0;
  readonly joints = new JointColumns();
}

export class EnergyFields {
  tick: Tick = 0;
  time: WorldSeconds = 0;
  kinetic = 0;
  potential = 0;
  total = 0;
}

type Column = Uint32Array | Int32Array | Float32Array | Uint8Array;

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

/** The number of rows read by the last call of fillColumn. */
let rowCount = 0;

/**
 * Appends one occurrence of a repeated field, packed or not, at row `start`.  Returns the column,
 * or a longer copy if it had to grow.
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
  into.tick = into.appliedSeq = into.durableSeq = into.serverTime = into.durableTick = 0;
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
      case 6:
        into.durableTick = reader.uint64();
        break;
      default:
        reader.skip(tag & 7);
    }
  }
}

type SnapshotColumn = "body" | "x" | "y" | "angle" | "z" | "turnLargest" | "turnA" | "turnB"
  | "turnC";
/** In the order of the fields: from number 4, and from number 10. */
const SNAPSHOT_COLUMNS: readonly SnapshotColumn[] = [
  "body", "x", "y", "angle", "z", "turnLargest", "turnA", "turnB", "turnC",
];
const UNSIGNED: ReadonlySet<string> = new Set(["body", "turnLargest"]);
const snapshotRows = new Uint32Array(SNAPSHOT_COLUMNS.length);

function snapshotColumn(field: number): number {
  if (field >= 4 && field <= 7) {
    return field - 4;
  }
  return field >= 10 && field <= 14 ? field - 6 : -1;
}

export function fillSnapshot(reader: WireReader, end: number, into: SnapshotColumns): void {
  snapshotRows.fill(0);
  into.tick = into.generation = into.time = into.viewHash = into.asleepSize = 0;
  while (reader.at < end) {
    const tag = reader.uint32();
    const field = tag >>> 3;
    const index = snapshotColumn(field);
    if (index >= 0) {
      const name = SNAPSHOT_COLUMNS[index]!;
      const element = UNSIGNED.has(name) ? Element.UINT32 : Element.SINT32;
      const start = snapshotRows[index]!;
      (into[name] as Column) = fillColumn(reader, tag & 7, element, into[name], start);
      snapshotRows[index] = rowCount;
    } else if (field === 1) {
      into.tick = reader.uint64();
    } else if (field === 2) {
      into.generation = reader.uint32();
    } else if (field === 3) {
      into.time = reader.double();
    } else if (field === 8) {
      into.viewHash = reader.fixed32();
    } else if (field === 15 && (tag & 7) === WireType.BYTES) {
      fillAsleep(reader, into);
    } else {
      reader.skip(tag & 7);
    }
  }
  finishSnapshot(into);
}

function fillAsleep(reader: WireReader, into: SnapshotColumns): void {
  const end = reader.fieldEnd();
  const size = end - reader.at;
  while (into.asleep.length < size) {
    into.asleep = grown(into.asleep);
  }
  reader.copy(end, into.asleep);
  into.asleepSize = size;
}

const ROWS_X = SNAPSHOT_COLUMNS.indexOf("x");
const ROWS_ANGLE = SNAPSHOT_COLUMNS.indexOf("angle");
const ROWS_Z = SNAPSHOT_COLUMNS.indexOf("z");

/** A snapshot is either planar, with angles, or spatial, with z and rotations. */
function finishSnapshot(into: SnapshotColumns): void {
  const rows = snapshotRows;
  const count = rows[ROWS_X]!;
  into.count = count;
  into.everyBody = rows[0] === 0;
  into.isSpatial = rows[ROWS_Z]! > 0;
  let isWhole = into.everyBody || rows[0] === count;
  for (let index = ROWS_X; index < rows.length; index++) {
    const isMeant = index < ROWS_ANGLE || (index >= ROWS_Z) === into.isSpatial;
    isWhole = isWhole && rows[index] === (isMeant ? count : 0);
  }
  if (!isWhole) {
    throw new WireError("the columns of a snapshot differ in length");
  }
}

type ContactColumn = "bodyA" | "bodyB" | "x" | "y" | "normalX" | "normalY" | "force" | "impulse"
  | "gap" | "z" | "normalZ" | "frictionX" | "frictionY" | "frictionZ";
/** In the order of the fields: from number 2, and from number 13. */
const CONTACT_COLUMNS: readonly ContactColumn[] = [
  "bodyA", "bodyB", "x", "y", "normalX", "normalY", "force", "impulse", "gap",
  "z", "normalZ", "frictionX", "frictionY", "frictionZ",
];
/** The columns from this one on are empty if all their values are zero. */
const CONTACT_COLUMN_OPTIONAL = CONTACT_COLUMNS.indexOf("z");
const contactRows = new Uint32Array(CONTACT_COLUMNS.length);

function contactColumn(field: number): number {
  if (field >= 2 && field <= 10) {
    return field - 2;
  }
  return field >= 13 && field <= 17 ? field - 4 : -1;
}

export function fillContacts(reader: WireReader, end: number, into: ContactColumns): void {
  contactRows.fill(0);
  into.tick = into.outcome = 0;
  into.residual = NaN;
  into.iterationCount = into.rowCount = into.leftOut = into.joints.count = 0;
  while (reader.at < end) {
    const tag = reader.uint32();
    const field = tag >>> 3;
    const index = contactColumn(field);
    if (index >= 0) {
      const name = CONTACT_COLUMNS[index]!;
      const element = index < 2 ? Element.UINT32 : Element.FLOAT;
      const start = contactRows[index]!;
      (into[name] as Column) = fillColumn(reader, tag & 7, element, into[name], start);
      contactRows[index] = rowCount;
    } else {
      fillSolve(reader, tag, into);
    }
  }
  finishContacts(into);
}

/** The fields of a contact frame that are not columns. */
function fillSolve(reader: WireReader, tag: number, into: ContactColumns): void {
  switch (tag >>> 3) {
    case 1:
      into.tick = reader.uint64();
      break;
    case 11:
      into.residual = reader.double();
      break;
    case 12:
      into.outcome = reader.uint32();
      break;
    case 18:
      into.solver = reader.text(into.solver);
      break;
    case 19:
      into.iterationCount = reader.uint32();
      break;
    case 20:
      into.rowCount = reader.uint32();
      break;
    case 21:
      into.leftOut = reader.uint32();
      break;
    case 22:
      fillJoints(reader, reader.fieldEnd(), into.joints);
      break;
    default:
      reader.skip(tag & 7);
  }
}

type JointColumn = Exclude<keyof JointColumns, "count">;
/** In the order of the fields, from number 1. */
const JOINT_COLUMNS: readonly JointColumn[] = [
  "joint", "x", "y", "z", "forceX", "forceY", "forceZ", "torqueX", "torqueY", "torqueZ",
];
const jointRows = new Uint32Array(JOINT_COLUMNS.length);

function fillJoints(reader: WireReader, end: number, into: JointColumns): void {
  jointRows.fill(0);
  while (reader.at < end) {
    const tag = reader.uint32();
    const index = (tag >>> 3) - 1;
    const name = JOINT_COLUMNS[index];
    if (name === undefined) {
      reader.skip(tag & 7);
      continue;
    }
    const element = index === 0 ? Element.UINT32 : Element.FLOAT;
    const start = jointRows[index]!;
    (into[name] as Column) = fillColumn(reader, tag & 7, element, into[name], start);
    jointRows[index] = rowCount;
  }
  into.count = jointRows[0]!;
  for (let index = 1; index < jointRows.length; index++) {
    if (jointRows[index] !== into.count) {
      throw new WireError("the columns of joints differ in length");
    }
  }
}

function finishContacts(into: ContactColumns): void {
  into.count = contactRows[0]!;
  for (let index = 1; index < contactRows.length; index++) {
    if (index >= CONTACT_COLUMN_OPTIONAL && contactRows[index] === 0) {
      clearColumn(into, CONTACT_COLUMNS[index]!, into.count);
    } else if (contactRows[index] !== into.count) {
      throw new WireError("the columns of a contact frame differ in length");
    }
  }
}

function clearColumn(into: ContactColumns, name: ContactColumn, count: number): void {
  while (into[name].length < count) {
    (into[name] as Column) = grown(into[name]);
  }
  into[name].fill(0, 0, count);
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
  to.solver = from.solver;
  to.iterationCount = from.iterationCount;
  to.rowCount = from.rowCount;
  to.leftOut = from.leftOut;
  to.joints.count = from.joints.count;
  for (const name of CONTACT_COLUMNS) {
    (to[name] as Column) = copied(from[name], to[name], from.count);
  }
  for (const name of JOINT_COLUMNS) {
    (to.joints[name] as Column) = copied(from.joints[name], to.joints[name], from.joints.count);
  }
}

/** Makes room for so many rows of contacts and of loads. */
export function reserveContacts(into: ContactColumns, count: number): void {
  for (const name of CONTACT_COLUMNS) {
    (into[name] as Column) = reserved(into[name], count);
  }
  for (const name of JOINT_COLUMNS) {
    (into.joints[name] as Column) = reserved(into.joints[name], count);
  }
}

function reserved<T extends Column>(column: T, count: number): T {
  while (column.length < count) {
    column = grown(column);
  }
  return column;
}

/** Copies `count` rows into `to`, or into a longer column; returns the column. */
function copied<T extends Column>(from: T, to: T, count: number): T {
  to = reserved(to, count);
  for (let row = 0; row < count; row++) {
    to[row] = from[row]!;
  }
  return to;
}
