/** server_frame.test.ts: the reader in place agrees with the generated code. */
import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  ContactColumns,
  DELTA_LISTS,
  type DeltaColumns,
  type ServerMessage,
  ServerFrameDecoder,
  type ServerFrameSink,
  ServerMessageSchema,
  type SnapshotColumns,
  WireError,
  copyContacts,
} from "../src";

class Recorder implements ServerFrameSink {
  readonly seen: unknown[] = [];
  onTick(header: object) {
    this.seen.push(["tick", { ...header }]);
  }
  onSnapshot(snapshot: SnapshotColumns) {
    const { count } = snapshot;
    this.seen.push(["snapshot", {
      tick: snapshot.tick,
      generation: snapshot.generation,
      time: snapshot.time,
      body: snapshot.everyBody ? [] : [...snapshot.body.subarray(0, count)],
      x: [...snapshot.x.subarray(0, count)],
      y: [...snapshot.y.subarray(0, count)],
      angle: [...snapshot.angle.subarray(0, count)],
      viewHash: snapshot.viewHash,
    }]);
  }
  onDelta(delta: DeltaColumns) {
    const { tick, timeUs } = delta;
    const lists = DELTA_LISTS.map((name) =>
      [name, [...delta[name].data.subarray(0, delta[name].count)]]);
    this.seen.push(["delta", { tick, timeUs, ...Object.fromEntries(lists) }]);
  }
  onContactDelta() {}

  onContacts(contacts: ContactColumns) {
    const { count } = contacts;
    this.seen.push(["contacts", {
      tick: contacts.tick,
      bodyA: [...contacts.bodyA.subarray(0, count)],
      bodyB: [...contacts.bodyB.subarray(0, count)],
      force: [...contacts.force.subarray(0, count)],
      gap: [...contacts.gap.subarray(0, count)],
    }]);
  }
  onEnergy(energy: object) {
    this.seen.push(["energy", { ...energy }]);
  }
  onMessage(message: ServerMessage["message"]) {
    this.seen.push(["message", message.case]);
  }
}

type MessageInit = Parameters<typeof create<typeof ServerMessageSchema>>[1];

function encode(init: MessageInit): Uint8Array {
  return toBinary(ServerMessageSchema, create(ServerMessageSchema, init));
}

function decode(...parts: Uint8Array[]): unknown[] {
  const recorder = new Recorder();
  const whole = Uint8Array.from(parts.flatMap((part) => [...part]));
  new ServerFrameDecoder().decode(whole, recorder);
  return recorder.seen;
}

/** A pseudo-random sequence that is the same in every run. */
function lcg(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
}

describe("ServerFrameDecoder", () => {
  it("reads a tick's header with numbers beyond 32 bits", () => {
    const value = {
      tick: 5_000_000_000n, appliedSeq: 7n, durableSeq: 6n, serverTimeUs: 1n << 52n,
      durableTick: 4_999_999_999n,
    };
    expect(decode(encode({ message: { case: "tick", value } }))).toEqual([
      ["tick", {
        tick: 5e9, appliedSeq: 7, durableSeq: 6, serverTime: 2 ** 52, durableTick: 4_999_999_999,
      }],
    ]);
  });

  it("reads snapshots of any size as the generated code wrote them", () => {
    const next = lcg(1);
    const signed = () => next() | 0;
    for (const count of [0, 1, 2, 63, 64, 65, 1000]) {
      const rows = Array.from({ length: count }, (_, row) => row);
      const value = {
        tick: BigInt(next()),
        generation: next() >>> 8,
        time: next() / 7,
        body: count % 2 === 0 ? rows.map((row) => row * 3) : [],
        x: rows.map(signed),
        y: rows.map((row) => (row % 5 === 0 ? -(2 ** 31) : signed() >> 20)),
        angle: rows.map(() => 2 ** 31 - 1),
        viewHash: next(),
        stateHash: "0123456789abcdef",
      };
      const { stateHash: _, ...kept } = value;
      expect(decode(encode({ message: { case: "snapshot", value } }))).toEqual([
        ["snapshot", { ...kept, tick: Number(value.tick) }],
      ]);
    }
  });

  it("reads spatial snapshots, and refuses those that are half of each kind", () => {
    const whole = {
      tick: 3n, x: [1, 2], y: [3, 4], z: [-5, 6], turnLargest: [0, 3], turnA: [7, -8],
      turnB: [9, 10], turnC: [11, 12],
    };
    const seen: SnapshotColumns[] = [];
    const recorder = new Recorder();
    recorder.onSnapshot = (snapshot) => seen.push(snapshot);
    const read = (value: object) => {
      const bytes = encode({ message: { case: "snapshot", value } });
      new ServerFrameDecoder().decode(bytes, recorder);
    };
    read(whole);
    expect(seen[0]).toMatchObject({ tick: 3, count: 2, isSpatial: true });
    expect([...seen[0]!.z.subarray(0, 2)]).toEqual([-5, 6]);
    expect([...seen[0]!.turnLargest.subarray(0, 2)]).toEqual([0, 3]);
    expect([...seen[0]!.turnA.subarray(0, 2), ...seen[0]!.turnC.subarray(0, 2)]).toEqual(
      [7, -8, 11, 12],
    );
    expect(() => read({ ...whole, angle: [1, 2] })).toThrow(WireError);
    expect(() => read({ ...whole, turnB: [1] })).toThrow(WireError);
    expect(() => read({ ...whole, z: [] })).toThrow(WireError);
  });

  it("reads friction and the solve, and zeros where a column is left out", () => {
    const value = {
      bodyA: [0], bodyB: [1], x: [1], y: [2], normalX: [0], normalY: [1], force: [3],
      impulse: [0], gap: [0], z: [4], frictionX: [0.5], solver: "newton", iterationCount: 7,
      rowCount: 12, residual: 1e-9, leftOut: 2,
      joints: {
        joint: [0, 1], x: [1, 2], y: [0, 0], z: [0, 0], forceX: [0, 0], forceY: [10, -20],
        forceZ: [0, 0], torqueX: [0, 0], torqueY: [0, 0], torqueZ: [0, 4],
      },
    };
    const columns: ContactColumns[] = [];
    const recorder = new Recorder();
    recorder.onContacts = (contacts) => columns.push(contacts);
    const decoder = new ServerFrameDecoder();
    decoder.decode(encode({ message: { case: "contacts", value } }), recorder);
    const [first] = columns;
    expect(first).toMatchObject({ solver: "newton", iterationCount: 7, rowCount: 12, leftOut: 2 });
    expect([first!.z[0], first!.frictionX[0], first!.normalZ[0]]).toEqual([4, 0.5, 0]);
    expect(first!.joints.count).toBe(2);
    expect([first!.joints.forceY[1], first!.joints.torqueZ[1]]).toEqual([-20, 4]);
    const kept = new ContactColumns();
    copyContacts(first!, kept);
    expect([kept.solver, kept.joints.count, kept.joints.forceY[1]]).toEqual(["newton", 2, -20]);
    const { z: _, frictionX: __, joints: ___, ...flat } = value;
    decoder.decode(encode({ message: { case: "contacts", value: flat } }), recorder);
    expect(first!.joints.count).toBe(0);
    expect([first!.z[0], first!.frictionX[0]], "nothing of the last frame stays").toEqual([0, 0]);
  });

  it("reads a column that comes in pieces, packed and not", () => {
    // Snapshot {x: 1; x: [-2, 3]; y: [0, 0, 0]; angle: [0, 0, 0]}, field by field.
    const body = [0x28, 2, 0x2a, 2, 3, 6, 0x32, 3, 0, 0, 0, 0x3a, 3, 0, 0, 0];
    const [[, snapshot]] = decode(Uint8Array.from([0x22, body.length, ...body])) as [[string, {
      x: number[];
    }]];
    expect(snapshot.x).toEqual([1, -2, 3]);
  });

  it("reads contacts and energy, and hands the rest to the generated code, in order", () => {
    const contacts = {
      tick: 9n, bodyA: [0, 300], bodyB: [1, 2], x: [1, 2], y: [0, 0], normalX: [0, 0],
      normalY: [1, 1], force: [9.5, 0.25], impulse: [0, 0], gap: [-0.5, 0.5],
    };
    const energy = { tick: 9n, time: 0.15, kinetic: 1.5, potential: 2.5, total: 4 };
    const seen = decode(
      encode({ message: { case: "contacts", value: contacts } }),
      encode({ message: { case: "energy", value: energy } }),
      encode({ message: { case: "presence", value: { world: "w" } } }),
    );
    expect(seen).toEqual([
      ["contacts", {
        tick: 9, bodyA: [0, 300], bodyB: [1, 2], force: [9.5, 0.25], gap: [-0.5, 0.5],
      }],
      ["energy", { tick: 9, time: 0.15, kinetic: 1.5, potential: 2.5, total: 4 }],
      ["message", "presence"],
    ]);
  });

  it("refuses columns that differ in length", () => {
    const value = { x: [1, 2], y: [1], angle: [0, 0] };
    expect(() => decode(encode({ message: { case: "snapshot", value } }))).toThrow(WireError);
    const contacts = { bodyA: [1], bodyB: [1], x: [1], y: [1], normalX: [], normalY: [1] };
    expect(() => decode(encode({ message: { case: "contacts", value: contacts } }))).toThrow(
      WireError,
    );
  });

  it("refuses every cut of a message and never reads beyond its end", () => {
    const value = { tick: 300n, time: 0.5, x: [1, 200, -3], y: [4, 5, 6], angle: [7, 8, 9] };
    const whole = encode({ message: { case: "snapshot", value } });
    for (let size = 1; size < whole.length; size++) {
      expect(() => decode(whole.subarray(0, size)), `cut at ${size}`).toThrow();
    }
  });

  it("ends on any bytes, with an answer or an error", () => {
    const next = lcg(7);
    const fields = [0x1a, 0x22, 0x2a, 0x32];
    let refused = 0;
    for (let round = 0; round < 3000; round++) {
      const size = next() % 40;
      const bytes = Uint8Array.from({ length: size + 2 }, () => next() >>> 24);
      bytes[0] = fields[round % fields.length]!;
      bytes[1] = size;
      try {
        decode(bytes);
      } catch {
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThan(3000);
  });

  it("passes over fields it does not know", () => {
    const known = encode({ message: { case: "tick", value: { tick: 4n } } });
    const body = [...known.subarray(2), 0xf8, 0x01, 0x05, 0xfa, 0x01, 0x02, 0x01, 0x01];
    const seen = decode(Uint8Array.from([0x1a, body.length, ...body]));
    expect(seen).toEqual([[
      "tick", { tick: 4, appliedSeq: 0, durableSeq: 0, serverTime: 0, durableTick: 0 },
    ]]);
  });
});
