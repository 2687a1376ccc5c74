/**
 * contact_delta.ts: decodes ContactDeltas and keeps the last contacts (WIRE.md, "Contact deltas").
 *
 * An entry is a row of 20 integers of 32 bits that wrap.  The hash checks that they are the
 * daemon's.
 */
import type { ContactDeltaColumns } from "./contact_delta_columns";
import { ContactReportFields } from "./contact_delta_columns";
import { Runs, gather, total, unzigzag } from "./runs";
import type { Tick } from "./units";

/** Numbers of an entry, and where they are. */
export const CONTACT_STRIDE = 20;
const A = 0;
const B = 1;
const ANCHOR = 3;
const POINT = 4;
const NORMAL = 7;
const GAP = 10;
const FORCE = 11;
const FORCE_SCALE = 14;
const TORQUE = 15;
const TORQUE_SCALE = 18;
const IMPULSE = 19;

/** An entry from here on is the load of joint a - LOADS_FROM. */
export const LOADS_FROM = 2 ** 30;
const KEPT = 16;
const ENTRIES_MAX = 1 << 16;
const SCALE_MIN = -100;
const SCALE_MAX = 900;
const MAGNITUDE_MAX = 32000;

/** The columns in their order: where their numbers are, and their scale. */
const COLUMNS: readonly { at: number; scale: number; isVector: boolean }[] = [
  { at: POINT, scale: -1, isVector: true },
  { at: NORMAL, scale: -1, isVector: true },
  { at: GAP, scale: -1, isVector: false },
  { at: FORCE, scale: FORCE_SCALE, isVector: true },
  { at: TORQUE, scale: TORQUE_SCALE, isVector: true },
  { at: IMPULSE, scale: -1, isVector: false },
];

/** The order in which words are hashed. */
const HASHED = [0, 1, 2, 3, 4, 7, 11, 15, 5, 8, 12, 16, 6, 9, 13, 17, 10, 14, 18, 19];

export class ContactState {
  tick: Tick = 0;
  generation = 0;
  number = 0;
  count = 0;
  entries = new Int32Array(0);
  report = new ContactReportFields();
}

/** The value of a code of an impulse or a residual. */
export function magnitude(code: number): number {
  return code < 32 ? code * 2 ** -20 : (32 + (code % 32)) * 2 ** (Math.floor(code / 32) - 21);
}

function hashOf(state: ContactState): number {
  const { entries } = state;
  let sum = 0;
  for (let from = 0; from < state.count * CONTACT_STRIDE; from += CONTACT_STRIDE) {
    let hash = 2166136261;
    for (const word of HASHED) {
      hash = Math.imul(hash ^ entries[from + word]!, 2654435761);
      hash ^= hash >>> 15;
    }
    sum = (sum + hash) | 0;
  }
  return sum >>> 0;
}

/** Compares two keys as unsigned numbers. */
function compare(a: Int32Array, fromA: number, b: Int32Array, fromB: number): number {
  for (let word = A; word <= ANCHOR; word++) {
    const one = a[fromA + word]! >>> 0;
    const other = b[fromB + word]! >>> 0;
    if (one !== other) {
      return one - other;
    }
  }
  return 0;
}

function bad(text: string): never {
  throw new RangeError(text);
}

/** The keys of `entered`, as rows. */
function keysOf(codes: readonly number[]): Int32Array {
  const keys: number[] = [];
  let a = 0;
  let b = 0;
  for (let at = 0; at < codes.length;) {
    const code = codes[at++]!;
    const anchor = Math.floor(code / 2) % 4;
    let rank = Math.floor(code / 8);
    if (code % 2 === 0) {
      a += rank;
      if (at + 2 > codes.length || a >= 2 ** 32) {
        bad("a key is broken off");
      }
      b = (a + unzigzag(codes[at++]! >>> 0)) | 0;
      rank = codes[at++]!;
    } else if (keys.length === 0) {
      bad("the first key has no entry before it");
    }
    if (rank >= 2 ** 32) {
      bad("a rank is too large");
    }
    keys.push(a | 0, b, rank | 0, anchor);
  }
  return Int32Array.from(keys);
}

/** A message that is being decoded. */
class Piece {
  private escapeAt = 0;
  readonly state = new ContactState();
  private known = new Uint8Array(0);

  constructor(
    private readonly delta: ContactDeltaColumns, private readonly base: ContactState | undefined,
  ) {}

  decode(): ContactState {
    const { state, delta, base } = this;
    state.tick = delta.tick;
    state.generation = delta.generation;
    state.number = delta.number;
    this.layOut();
    for (let column = 0; column < COLUMNS.length; column++) {
      this.correct(column);
    }
    if (this.escapeAt !== delta.escape.count) {
      bad("escapes are left over");
    }
    Object.assign(state.report, delta.hasReport ? delta.report : base?.report);
    if (state.report.solver === "") {
      state.report.solver = base?.report.solver ?? "";
    }
    return state;
  }

  /** The entries of the base without `left`, merged with those of `entered`. */
  private layOut(): void {
    const { delta, base, state } = this;
    const old = base?.count ?? 0;
    const keys = keysOf(delta.entered);
    const come = keys.length / 4;
    state.count = old - total(delta.left, old) + come;
    if (state.count > ENTRIES_MAX) {
      bad("too many entries");
    }
    state.entries = new Int32Array(state.count * CONTACT_STRIDE);
    this.known = new Uint8Array(state.count);
    const left = new Runs(delta.left);
    let isLeaving = left.next(old);
    let entry = 0;
    let key = 0;
    for (let row = 0; row < state.count; row++) {
      while (isLeaving && entry === left.from) {
        entry = left.to;
        isLeaving = left.next(old);
      }
      const isNew = key < come &&
        (entry >= old || compare(keys, 4 * key, base!.entries, entry * CONTACT_STRIDE) < 0);
      const to = row * CONTACT_STRIDE;
      if (isNew) {
        state.entries.set(keys.subarray(4 * key, 4 * key + 4), to);
        key++;
      } else if (entry < old) {
        const from = entry++ * CONTACT_STRIDE;
        state.entries.set(base!.entries.subarray(from, from + CONTACT_STRIDE), to);
        this.known[row] = 1;
      } else {
        bad("fewer entries than announced");
      }
      if (row > 0 && compare(state.entries, to - CONTACT_STRIDE, state.entries, to) >= 0) {
        bad("entries are not in order");
      }
    }
  }

  private correct(column: number): void {
    const { state } = this;
    const list = this.delta.lists[column]!;
    const codes = this.delta.codes[column]!;
    if (total(list, state.count) !== codes.count) {
      bad("a list and its column differ in length");
    }
    const runs = new Runs(list);
    let isOpen = runs.next(state.count);
    let at = 0;
    for (let row = 0; row < state.count; row++) {
      if (this.known[row] === 0) {
        this.predict(row, column);
      }
      if (isOpen && row >= runs.from) {
        this.correctEntry(row * CONTACT_STRIDE, column, codes.data[at++]!);
      }
      if (isOpen && row + 1 === runs.to) {
        isOpen = runs.next(state.count);
      }
    }
  }

  /** Predicts a column of a new entry; its numbers are 0 so far. */
  private predict(row: number, column: number): void {
    const { entries } = this.state;
    const to = row * CONTACT_STRIDE;
    const from = to - CONTACT_STRIDE;
    if (row === 0) {
      return;
    }
    const { at, scale } = COLUMNS[column]!;
    const isLoad = entries[to + A]! >>> 0 >= LOADS_FROM;
    if (scale >= 0 && (isLoad || scale === FORCE_SCALE)) {
      entries[to + scale] = entries[from + scale]!;
    }
    const isPair = entries[to + A] === entries[from + A] && entries[to + B] === entries[from + B];
    if (isLoad || (at !== NORMAL && !(isPair && (at === GAP || at === FORCE)))) {
      return;
    }
    for (let word = at; word < at + (at === GAP ? 1 : 3); word++) {
      entries[to + word] = entries[from + word]!;
    }
  }

  private escaped(): number {
    const { escape } = this.delta;
    return this.escapeAt < escape.count
      ? escape.data[this.escapeAt++]!
      : bad("an escape is missing");
  }

  private correctEntry(from: number, column: number, code: number): void {
    const { entries } = this.state;
    const { at, scale, isVector } = COLUMNS[column]!;
    if (!isVector) {
      entries[from + at] = entries[from + at]! + code;
      if (at === IMPULSE && (entries[from + at]! < 0 || entries[from + at]! > MAGNITUDE_MAX)) {
        bad("an impulse is out of range");
      }
      return;
    }
    const isEscape = code === 0;
    if (isEscape && scale >= 0) {
      entries[from + scale] = entries[from + scale]! + this.escaped();
      entries.fill(0, from + at, from + at + 3);
    }
    for (let c = 0; c < 3; c++) {
      const residual = isEscape ? this.escaped() : unzigzag(gather((code - 1) >>> c));
      entries[from + at + c] = entries[from + at + c]! + residual;
    }
    if (scale >= 0 && (entries[from + scale]! < SCALE_MIN || entries[from + scale]! > SCALE_MAX)) {
      bad("a scale is out of range");
    }
  }
}

/** Keeps the last contacts. */
export class ContactStates {
  private kept: ContactState[] = [];
  /** The last message could not be decoded: a keyframe is needed. */
  isLacking = false;

  /** Call it at every Joined. */
  clear(): void {
    this.kept = [];
    this.isLacking = false;
  }

  /** Undefined if the baseline is missing or the hash differs; then nothing is kept. */
  decode(delta: ContactDeltaColumns): ContactState | undefined {
    const state = this.decodeState(delta);
    this.isLacking = state === undefined;
    if (state !== undefined) {
      this.kept = [state, ...(delta.back > 0 ? this.kept.slice(0, KEPT - 1) : [])];
    }
    return state;
  }

  private decodeState(delta: ContactDeltaColumns): ContactState | undefined {
    const { number, back } = delta;
    const base = this.kept.find((state) => state.number === number - back);
    if (number === 0 || back >= number || (back > 0 && base === undefined)) {
      return undefined;
    }
    try {
      const state = new Piece(delta, back > 0 ? base : undefined).decode();
      return hashOf(state) === delta.hash ? state : undefined;
    } catch (error) {
      if (error instanceof RangeError) {
        return undefined;
      }
      throw error;
    }
  }
}
