/** buffers.test.ts: interpolation, contacts by tick, clock, rate, back-off and stores. */
import { create } from "@bufbuild/protobuf";
import {
  ActionFrameSchema, ContactColumns, LeaseStateSchema, SnapshotColumns,
} from "@cairn/protocol";
import { describe, expect, it } from "vitest";
import {
  ActionBuffer, ContactBuffer, Leases, RateMeter, ServerClock, Signal, SnapshotBuffer, Store,
  backoffMs, unpackTurn,
} from "../src";

const TICK_US = 1e6 / 60;

function snapshot(tick: number, x: number, angle = 0): SnapshotColumns {
  const columns = new SnapshotColumns();
  columns.tick = tick;
  columns.time = tick / 60;
  columns.count = 1;
  columns.x[0] = x;
  columns.angle[0] = angle;
  return columns;
}

function buffer(): SnapshotBuffer {
  const made = new SnapshotBuffer();
  const initial = new Float64Array(3);
  made.reset({
    bodyCount: 1, initial, isSpatial: false, position: 1, angle: Math.PI / 1000, turn: 1,
    generation: 0,
  });
  return made;
}

describe("SnapshotBuffer", () => {
  it("moves at an even pace when snapshots come evenly", () => {
    const frames = buffer();
    const out = new Float64Array(3);
    const shown: number[] = [];
    for (let tick = 0; tick < 600; tick++) {
      const now = tick * TICK_US;
      frames.push(snapshot(tick, tick * 10), now, now);
      frames.sample(now + TICK_US / 2, out);
      shown.push(out[0]!);
    }
    for (let tick = 500; tick < 600; tick++) {
      expect(shown[tick]! - shown[tick - 1]!).toBeCloseTo(10, 1);
    }
    expect(599 * 10 - shown[599]!, "late by about one tick").toBeLessThan(20);
  });

  it("turns as far as the wheel did and stops at the newest state", () => {
    const frames = buffer();
    const out = new Float64Array(3);
    frames.push(snapshot(0, 0, 990), 0, 0);
    frames.push(snapshot(1, 8, 990 + 3000), TICK_US, TICK_US);
    frames.sample(TICK_US / 2 + frames.delayMs * 1000, out);
    expect(out[0]).toBeCloseTo(4, 6);
    expect(out[2]).toBeCloseTo((990 + 1500) * (Math.PI / 1000), 6);
    frames.sample(1e9, out);
    expect(out[0]).toBe(8);
    expect(frames.shownTick).toBe(1);
  });

  it("knows who sleeps, and goes on when bodies come and go", () => {
    const frames = buffer();
    const sleeping = snapshot(1, 4);
    sleeping.asleep[0] = 1;
    sleeping.asleepSize = 1;
    frames.push(snapshot(0, 0), 0, 0);
    const { sleepVersion } = frames;
    frames.push(sleeping, TICK_US, TICK_US);
    expect([...frames.asleep]).toEqual([1]);
    expect(frames.sleepVersion).toBeGreaterThan(sleepVersion);
    frames.restructure(2, Float64Array.from([9, 9, 9, 7, 8, 0]), [1], 1);
    expect([frames.asleepCount, frames.asleep.length]).toEqual([1, 2]);
    const out = new Float64Array(6);
    frames.sample(TICK_US / 2 + frames.delayMs * 1000, out);
    expect([...out].map((value) => Math.round(value)), "between two frames of before").toEqual(
      [2, 0, 0, 7, 8, 0]);
    expect(frames.push(snapshot(2, 5), 2 * TICK_US, 2 * TICK_US), "of before").toBe(false);
    const awake = snapshot(2, 6);
    awake.generation = 1;
    expect(frames.push(awake, 2 * TICK_US, 2 * TICK_US)).toBe(true);
    expect(frames.asleepCount).toBe(0);
  });

  it("refuses other generations, older ticks and unknown bodies", () => {
    const frames = buffer();
    expect(frames.push(snapshot(5, 1), 0, 0)).toBe(true);
    expect(frames.push(snapshot(4, 1), 1, 1)).toBe(false);
    const foreign = snapshot(6, 1);
    foreign.generation = 3;
    expect(frames.push(foreign, 2, 2)).toBe(false);
    const unknown = snapshot(6, 1);
    unknown.everyBody = false;
    unknown.body[0] = 1;
    expect(frames.push(unknown, 2, 2)).toBe(false);
  });

  it("waits longer when snapshots come unevenly, and never longer than its limit", () => {
    const even = buffer();
    const uneven = buffer();
    const hopeless = buffer();
    for (let tick = 0; tick < 2000; tick++) {
      const at = tick * TICK_US;
      even.push(snapshot(tick, 0), at, at + 2_000);
      uneven.push(snapshot(tick, 0), at, at + 2_000 + (tick % 3) * 15_000);
      hopeless.push(snapshot(tick, 0), at, at + (tick % 2) * 2e6);
    }
    expect(even.delayMs).toBeGreaterThan(17);
    expect(even.delayMs).toBeLessThan(22);
    expect(uneven.delayMs).toBeGreaterThan(even.delayMs + 20);
    expect(hopeless.delayMs).toBeLessThanOrEqual(250);
  });

  it("keeps the last 32 states however many came", () => {
    const frames = buffer();
    const out = new Float64Array(3);
    for (let tick = 0; tick < 100; tick++) {
      frames.push(snapshot(tick, tick), tick * TICK_US, tick * TICK_US);
    }
    frames.sample(0, out);
    expect(out[0]).toBe(100 - 32);
  });
});

describe("ContactBuffer", () => {
  it("gives the newest frame that is not after the tick", () => {
    const contacts = new ContactBuffer();
    expect(contacts.at(10).count).toBe(0);
    for (const tick of [2, 4, 6]) {
      const frame = new ContactColumns();
      frame.tick = tick;
      frame.count = 1;
      frame.force[0] = tick * 10;
      contacts.push(frame);
    }
    expect(contacts.at(1).count).toBe(0);
    expect(contacts.at(5).force[0]).toBe(40);
    expect(contacts.at(99).force[0]).toBe(60);
    contacts.reset();
    expect(contacts.at(99).count).toBe(0);
  });

  it("holds more rows than it started with", () => {
    const contacts = new ContactBuffer();
    const frame = new ContactColumns();
    frame.force = new Float32Array(500).fill(3);
    frame.bodyA = frame.bodyB = new Uint32Array(500);
    frame.x = frame.y = frame.normalX = frame.normalY = frame.force;
    frame.impulse = frame.gap = frame.force;
    frame.count = 500;
    contacts.push(frame);
    expect(contacts.latest.count).toBe(500);
    expect(contacts.latest.force[499]).toBe(3);
  });
});

describe("ServerClock", () => {
  it("believes the shortest round trip", () => {
    const clock = new ServerClock();
    clock.onHeader(0, 7_000_000);
    expect(clock.serverNow(10)).toBe(7_010_000);
    clock.onPong(100, 110, 5_105_000);
    expect(clock.serverNow(200)).toBe(5_200_000);
    clock.onPong(200, 500, 5_900_000);
    expect(clock.serverNow(600)).toBe(5_600_000);
    expect(clock.roundTripMs).toBe(300);
    clock.onPong(300, 302, 5_303_000);
    expect(clock.serverNow(300)).toBe(5_302_000);
    expect(clock.roundTripMs).toBe(10);
  });
});

describe("RateMeter", () => {
  it("counts the last second and forgets what is older", () => {
    const meter = new RateMeter();
    for (let at = 0; at < 3000; at += 50) {
      meter.add(at, 2);
    }
    expect(meter.perSecond(2999)).toBe(40);
    expect(meter.perSecond(3550)).toBeLessThan(20);
    expect(meter.perSecond(9000)).toBe(0);
  });
});

describe("backoffMs", () => {
  it("doubles from 250 ms to 5 s, less up to three tenths", () => {
    expect([0, 1, 2, 3, 4, 5, 50].map((attempt) => backoffMs(attempt, 0))).toEqual(
      [250, 500, 1000, 2000, 4000, 5000, 5000],
    );
    expect(backoffMs(2, 1)).toBeCloseTo(700, 9);
  });
});

describe("Store and Signal", () => {
  it("calls at once and on change, until unsubscribed", () => {
    const store = new Store(1);
    const seen: number[] = [];
    const stop = store.subscribe((value) => seen.push(value));
    store.set(1);
    store.set(2);
    stop();
    store.set(3);
    expect(seen).toEqual([1, 2]);
    const signal = new Signal<number>();
    const heard: number[] = [];
    const quiet = signal.subscribe((value) => heard.push(value));
    signal.emit(1);
    signal.emit(1);
    quiet();
    signal.emit(2);
    expect(heard).toEqual([1, 1]);
  });
});

/** A rotation about z by an angle, in the format of a snapshot. */
function spatialSnapshot(tick: number, z: number, angle: number): SnapshotColumns {
  const columns = snapshot(tick, 0);
  const [w, qz] = [Math.cos(angle / 2), Math.sin(angle / 2)];
  const largest = Math.abs(w) >= Math.abs(qz) ? 0 : 3;
  const sign = Math.sign(largest === 0 ? w : qz);
  columns.isSpatial = true;
  columns.z[0] = z;
  columns.turnLargest[0] = largest;
  columns.turnA[0] = largest === 0 ? 0 : Math.round(w * sign * 65536);
  columns.turnC[0] = largest === 0 ? Math.round(qz * sign * 65536) : 0;
  return columns;
}

describe("SnapshotBuffer in space", () => {
  const spatial = () => {
    const made = new SnapshotBuffer();
    made.reset({
      bodyCount: 1, initial: Float64Array.from([0, 0, 0, 1, 0, 0, 0]), isSpatial: true,
      position: 1, angle: 1, turn: 1 / 65536, generation: 0,
    });
    return made;
  };

  it("turns evenly and the shorter way, though signs of quaternions flip", () => {
    // 0.9 and 1.1 of a half turn: the largest component is w in one and z in the other.
    for (const [from, to] of [[0.4, 0.6], [0.9, 1.1], [1.9, 2.1]] as const) {
      const frames = spatial();
      const out = new Float64Array(7);
      frames.push(spatialSnapshot(0, 10, from * Math.PI), 0, 0);
      frames.push(spatialSnapshot(1, 20, to * Math.PI), TICK_US, TICK_US);
      frames.sample(TICK_US / 4 + frames.delayMs * 1000, out);
      const shown = 2 * Math.atan2(out[6]!, out[3]!);
      const wanted = (from + (to - from) / 4) * Math.PI;
      expect(Math.cos(shown - wanted)).toBeCloseTo(1, 9);
      expect(Math.hypot(out[3]!, out[4]!, out[5]!, out[6]!)).toBeCloseTo(1, 12);
      expect(out[2]).toBeCloseTo(12.5, 9);
    }
  });

  it("refuses planar snapshots", () => {
    expect(spatial().push(snapshot(0, 0), 0, 0)).toBe(false);
  });
});

it("unpackTurn puts what is left out in its place", () => {
  const out = new Float64Array(4);
  const expected = [[0.5, 0.1, 0.2, 0.3], [0.1, 0.5, 0.2, 0.3], [0.1, 0.2, 0.5, 0.3],
    [0.1, 0.2, 0.3, 0.5]];
  expected.forEach((order, largest) => {
    unpackTurn(largest, 0.1, 0.2, 0.3, out, 0);
    const rest = Math.sqrt(1 - 0.01 - 0.04 - 0.09);
    order.forEach((value, index) => {
      expect(out[index]).toBeCloseTo(value === 0.5 ? rest : value, 12);
    });
  });
});

describe("ActionBuffer", () => {
  it("knows who acts at exactly a tick, the newest of what it was told twice", () => {
    const actions = new ActionBuffer();
    const frame = (tick: number, session: number) => create(ActionFrameSchema,
      { tick: BigInt(tick), actions: [{ session: BigInt(session) }] });
    expect(actions.at(5)).toEqual([]);
    actions.push(frame(5, 1));
    actions.push(frame(7, 2));
    actions.push(frame(7, 3));
    expect(actions.at(5).map(({ session }) => session)).toEqual([1n]);
    expect(actions.at(6)).toEqual([]);
    expect(actions.at(7).map(({ session }) => session)).toEqual([3n]);
    for (let tick = 8; tick < 60; tick++) {
      actions.push(frame(tick, 4));
    }
    expect(actions.at(7)).toEqual([]);
    actions.reset();
    expect(actions.at(59)).toEqual([]);
  });
});

describe("Leases", () => {
  it("tells what was taken and what a body is capped at", () => {
    const leases = new Leases();
    const caps = { forceSet: { case: "force" as const, value: 4 } };
    const target = { case: "body" as const, value: 3 };
    leases.onState(create(LeaseStateSchema,
      { held: [{ target, session: 2n, taken: true }], capped: [{ body: 3, caps }] }));
    expect(leases.holder(target)?.taken).toBe(true);
    expect(leases.capsOf(3)?.forceSet.value).toBe(4);
    expect(leases.capsOf(2)).toBeNull();
    leases.clear();
    expect(leases.capsOf(3)).toBeNull();
  });
});

describe("a part of a world", () => {
  it("knows which bodies the newest snapshot names", () => {
    const frames = new SnapshotBuffer();
    frames.reset({
      bodyCount: 4, initial: new Float64Array(12), isSpatial: false, position: 1, angle: 1, turn: 1,
      generation: 0,
    });
    const push = (tick: number, bodies: readonly number[]) => {
      const columns = new SnapshotColumns();
      columns.tick = tick;
      columns.count = bodies.length;
      columns.everyBody = false;
      bodies.forEach((body, row) => { columns.body[row] = body; });
      frames.push(columns, tick, tick);
    };
    push(1, [1]);
    expect([...frames.inView]).toEqual([1, 1, 1, 1]); // the whole world is subscribed
    frames.setPart(true);
    push(2, [1, 3]);
    expect([...frames.inView]).toEqual([0, 1, 0, 1]);
    const version = frames.partVersion;
    push(3, [1, 3]);
    expect(frames.partVersion).toBe(version);
    push(4, []);
    expect([...frames.inView]).toEqual([0, 0, 0, 0]);
    expect(frames.partVersion).toBe(version + 2);
    frames.setPart(false);
    expect([...frames.inView]).toEqual([1, 1, 1, 1]);
  });
});
