/**
 * delta.ts: decodes Deltas to snapshots and keeps the decoded states (WIRE.md, "Deltas").
 *
 * All numbers are integers of 32 bits that wrap, so that the result has the daemon's bits.  The
 * view hash checks this.
 */
import { SnapshotColumns } from "./columns";
import type { DeltaColumns } from "./delta_columns";
import { Runs, gather, total, unzigzag } from "./runs";
import { viewHash } from "./view_hash";

/** Size of the ring of states, in ticks: every baseline is newer than that. */
const RING_SIZE = 64;
const ENTRIES_MAX = 1 << 17;
const TURN_ESCAPE = 0;
const TURN_OTHER = 1;
const TURN_BASE = 2;

class State extends SnapshotColumns {
  timeUs = 0;
}

type Column = "x" | "y" | "z" | "angle" | "turnA" | "turnB" | "turnC";
const PLANAR: readonly Column[] = ["x", "y", "angle"];
const SPATIAL: readonly Column[] = ["x", "y", "z", "turnA", "turnB", "turnC"];

function makeRoom(state: State, count: number): void {
  if (state.x.length < count) {
    const capacity = 1 << (32 - Math.clz32(count - 1));
    state.body = new Uint32Array(capacity);
    state.turnLargest = new Uint32Array(capacity);
    state.asleep = new Uint8Array(capacity);
    for (const name of ["angle", ...SPATIAL] as const) {
      state[name] = new Int32Array(capacity);
    }
  }
}

function haveSameSlots(a: State, b: State): boolean {
  let isSame = a.count === b.count;
  for (let row = 0; isSame && row < a.count; row++) {
    isSame = a.body[row] === b.body[row];
  }
  return isSame;
}

/** Keeps decoded states.  A returned state is borrowed for 64 ticks. */
export class DeltaStates {
  private readonly ring: (State | undefined)[] = new Array<State | undefined>(RING_SIZE);
  private spare = new State();
  private known = new Uint8Array(RING_SIZE);
  private readonly three = new Int32Array(3);
  private escapeAt = 0;
  private isSpatial = false;

  /** Call it at every Joined. */
  clear(isSpatial: boolean): void {
    this.ring.fill(undefined);
    this.isSpatial = isSpatial;
  }

  /** Undefined if a baseline is missing or the hash differs; then nothing is kept. */
  decode(delta: DeltaColumns): SnapshotColumns | undefined {
    const first = this.find(delta.tick, delta.first);
    const second = this.find(delta.tick, delta.second);
    const isKnown = (delta.first === 0 || first !== undefined) &&
      (delta.second === 0 || (second !== undefined && delta.second > delta.first));
    try {
      return isKnown && this.fill(delta, first, second) ? this.keep() : undefined;
    } catch (error) {
      if (error instanceof RangeError) {
        return undefined;
      }
      throw error;
    }
  }

  private find(tick: number, distance: number): State | undefined {
    const state = distance > 0 && distance < RING_SIZE && distance <= tick
      ? this.ring[(tick - distance) % RING_SIZE]
      : undefined;
    return state?.tick === tick - distance ? state : undefined;
  }

  private keep(): SnapshotColumns {
    const state = this.spare;
    const place = state.tick % RING_SIZE;
    this.spare = this.ring[place] ?? new State();
    this.ring[place] = state;
    return state;
  }

  private fill(delta: DeltaColumns, first: State | undefined, second: State | undefined): boolean {
    const state = this.spare;
    const before = first?.count ?? 0;
    const come = total(delta.entered, 2 ** 31);
    const count = before - total(delta.left, before) + come;
    const changed = total(delta.changed, count);
    const each = this.isSpatial ? 1 : 0;
    if (count > ENTRIES_MAX || delta.position.count !== changed ||
        delta.turn.count !== each * changed || delta.place.count !== 3 * come ||
        delta.facing.count !== each * come) {
      return false;
    }
    makeRoom(state, count);
    state.tick = delta.tick;
    state.generation = delta.generation;
    state.count = count;
    state.isSpatial = this.isSpatial;
    state.everyBody = false;
    state.asleepSize = (count + 7) >> 3;
    state.asleep.fill(0, 0, state.asleepSize);
    this.escapeAt = 0;
    this.layOut(delta, first);
    this.predict(delta, first, second);
    this.correct(delta);
    this.enter(delta);
    this.wake(delta);
    state.viewHash = viewHash(state);
    return this.escapeAt === delta.escape.count && state.viewHash === delta.viewHash;
  }

  /** The slots: those of the first baseline without `left`, merged with `entered`. */
  private layOut(delta: DeltaColumns, first: State | undefined): void {
    const { body, count } = this.spare;
    const left = new Runs(delta.left);
    const entered = new Runs(delta.entered);
    let isLeaving = left.next(first?.count ?? 0);
    let isEntering = entered.next(2 ** 31);
    const old = first?.count ?? 0;
    let entry = 0;
    let slot = entered.from;
    for (let row = 0; row < count; row++) {
      while (isLeaving && entry === left.from) {
        entry = left.to;
        isLeaving = left.next(old);
      }
      const isNew = isEntering && (entry >= old || slot < first!.body[entry]!);
      if (!isNew && entry >= old) {
        throw new RangeError("fewer entries than announced");
      }
      body[row] = isNew ? slot++ : first!.body[entry++]!;
      if (isNew && slot === entered.to) {
        isEntering = entered.next(2 ** 31);
        slot = entered.from;
      }
    }
  }

  private predict(delta: DeltaColumns, first: State | undefined, second: State | undefined): void {
    const state = this.spare;
    if (this.known.length < state.count) {
      this.known = new Uint8Array(state.x.length);
    }
    this.known.fill(0, 0, state.count);
    const columns = this.isSpatial ? SPATIAL : PLANAR;
    for (const name of columns) {
      state[name].fill(0, 0, state.count);
    }
    state.timeUs = delta.timeUs + (first?.timeUs ?? 0);
    if (first !== undefined) {
      const ahead = delta.first;
      const between = second !== undefined ? delta.second - delta.first : 1;
      if (second !== undefined) {
        state.timeUs += Math.trunc((first.timeUs - second.timeUs) / between) * ahead;
      }
      const isSame = haveSameSlots(state, first) &&
        (second === undefined || haveSameSlots(state, second));
      if (isSame && ahead === between) {
        this.predictAll(columns, first, second ?? first);
      } else {
        this.predictEach(columns, first, second, ahead, between);
      }
    }
    state.time = state.timeUs * 1e-6;
  }

  /** For the same bodies in all three states, with baselines at equal distances. */
  private predictAll(columns: readonly Column[], first: State, second: State): void {
    const state = this.spare;
    const { count } = state;
    this.known.fill(1, 0, count);
    for (const name of columns) {
      const to = state[name];
      const p1 = first[name];
      const p2 = second[name];
      for (let row = 0; row < count; row++) {
        to[row] = 2 * p1[row]! - p2[row]!;
      }
    }
    for (let row = 0; this.isSpatial && row < count; row++) {
      const largest = first.turnLargest[row]!;
      state.turnLargest[row] = largest;
      if (largest !== second.turnLargest[row]) {
        state.turnA[row] = first.turnA[row]!;
        state.turnB[row] = first.turnB[row]!;
        state.turnC[row] = first.turnC[row]!;
      }
    }
    state.asleep.set(first.asleep.subarray(0, state.asleepSize));
  }

  private predictEach(
    columns: readonly Column[],
    first: State,
    second: State | undefined,
    ahead: number,
    between: number,
  ): void {
    const state = this.spare;
    let at1 = 0;
    let at2 = 0;
    for (let row = 0; row < state.count; row++) {
      const slot = state.body[row]!;
      while (at1 < first.count && first.body[at1]! < slot) {
        at1++;
      }
      while (second !== undefined && at2 < second.count && second.body[at2]! < slot) {
        at2++;
      }
      if (at1 >= first.count || first.body[at1] !== slot) {
        continue;
      }
      this.known[row] = 1;
      const isSecond = second !== undefined && at2 < second.count && second.body[at2] === slot;
      const isTurning = isSecond && first.turnLargest[at1] === second.turnLargest[at2];
      for (let index = 0; index < columns.length; index++) {
        const name = columns[index]!;
        const p1 = first[name][at1]!;
        const way = (index < 3 ? isSecond : isTurning) ? p1 - second![name][at2]! : 0;
        state[name][row] = p1 + Math.floor((way * ahead) / between);
      }
      state.turnLargest[row] = first.turnLargest[at1]!;
      if (first.sleeps(at1)) {
        state.asleep[row >> 3]! |= 1 << (row & 7);
      }
    }
  }

  private takeEscape(delta: DeltaColumns): number {
    if (this.escapeAt >= delta.escape.count) {
      throw new RangeError("an escape is missing");
    }
    return delta.escape.data[this.escapeAt++]!;
  }

  /** Three residuals, from a code above `base` or from the escapes. */
  private takeThree(delta: DeltaColumns, isEscape: boolean, code: number): void {
    for (let index = 0; index < 3; index++) {
      this.three[index] = isEscape ? this.takeEscape(delta) : unzigzag(gather(code >>> index));
    }
  }

  private takeTurn(delta: DeltaColumns, row: number): void {
    const state = this.spare;
    state.turnLargest[row] = this.takeEscape(delta) & 3;
    this.takeThree(delta, true, 0);
    state.turnA[row] = this.three[0]!;
    state.turnB[row] = this.three[1]!;
    state.turnC[row] = this.three[2]!;
  }

  private correct(delta: DeltaColumns): void {
    const state = this.spare;
    const { three } = this;
    const third = this.isSpatial ? state.z : state.angle;
    const runs = new Runs(delta.changed);
    let index = 0;
    while (runs.next(state.count)) {
      for (let row = runs.from; row < runs.to; row++, index++) {
        if (this.known[row] === 0) {
          throw new RangeError("a new body is among the changed ones");
        }
        const code = delta.position.data[index]! >>> 0;
        this.takeThree(delta, code === 0, code - 1);
        state.x[row]! += three[0]!;
        state.y[row]! += three[1]!;
        third[row]! += three[2]!;
        if (!this.isSpatial) {
          continue;
        }
        const turn = delta.turn.data[index]! >>> 0;
        if (turn === TURN_OTHER) {
          this.takeTurn(delta, row);
          continue;
        }
        this.takeThree(delta, turn === TURN_ESCAPE, turn - TURN_BASE);
        state.turnA[row]! += three[0]!;
        state.turnB[row]! += three[1]!;
        state.turnC[row]! += three[2]!;
      }
    }
  }

  private enter(delta: DeltaColumns): void {
    const state = this.spare;
    const third = this.isSpatial ? state.z : state.angle;
    const { data } = delta.place;
    let x = 0;
    let y = 0;
    let z = 0;
    let index = 0;
    for (let row = 0; 3 * index < delta.place.count && row < state.count; row++) {
      if (this.known[row] !== 0) {
        continue;
      }
      state.x[row] = x = (x + data[3 * index]!) | 0;
      state.y[row] = y = (y + data[3 * index + 1]!) | 0;
      third[row] = z = (z + data[3 * index + 2]!) | 0;
      if (this.isSpatial) {
        this.face(delta, row, delta.facing.data[index]! >>> 0);
      }
      index++;
    }
  }

  private face(delta: DeltaColumns, row: number, code: number): void {
    const state = this.spare;
    if (code === 0) {
      this.takeTurn(delta, row);
      return;
    }
    if (code < 4) {
      throw new RangeError("a rotation component is invalid");
    }
    this.takeThree(delta, false, (code >>> 2) - 1);
    state.turnLargest[row] = code & 3;
    state.turnA[row] = this.three[0]!;
    state.turnB[row] = this.three[1]!;
    state.turnC[row] = this.three[2]!;
  }

  private wake(delta: DeltaColumns): void {
    const { asleep, count } = this.spare;
    const runs = new Runs(delta.sleep);
    while (runs.next(count)) {
      for (let row = runs.from; row < runs.to; row++) {
        asleep[row >> 3]! ^= 1 << (row & 7);
      }
    }
  }
}
