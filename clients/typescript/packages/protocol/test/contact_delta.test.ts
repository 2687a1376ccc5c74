/** contact_delta.test.ts: the vectors of ContactDeltas; invalid ones; points placed at poses. */
import { describe, expect, it } from "vitest";
import {
  CONTACT_STRIDE, ContactDeltaColumns, ContactState, ContactStates, LOADS_FROM, PlacedContacts,
  ServerFrameDecoder, type ServerFrameSink, magnitude,
} from "@cairn/protocol";

interface Vector {
  dimension: string;
  messages: {
    bytes: string;
    tick: number;
    number: number;
    hash: number;
    report: {
      residual: number; outcome: number; solver: string; iterations: number; rows: number;
    };
    entries: number[][];
  }[];
}

const files = import.meta.glob<Vector>("../../../../../proto/vectors/contacts/*.json", {
  eager: true,
  import: "default",
});
const vectors = Object.entries(files).map(([path, vector]) => ({
  name: path.slice(path.lastIndexOf("/") + 1), ...vector,
}));

const nobody = () => {};
const silent: ServerFrameSink = {
  onTick: nobody, onSnapshot: nobody, onDelta: nobody, onContacts: nobody, onEnergy: nobody,
  onMessage: nobody, onContactDelta: nobody,
};

/** Decodes a message and calls back with its ContactDelta. */
function read(hex: string, onContactDelta: (delta: ContactDeltaColumns) => void): void {
  const bytes = Uint8Array.from(hex.match(/../g)!, (byte) => parseInt(byte, 16));
  new ServerFrameDecoder().decode(bytes, { ...silent, onContactDelta });
}

describe("the vectors of contacts", () => {
  it("are there", () => expect(vectors.length).toBe(5));
  it.each(vectors)("are what they say: $name", ({ messages }) => {
    const states = new ContactStates();
    for (const { bytes, tick, number, report, entries } of messages) {
      let state: ContactState | undefined;
      read(bytes, (delta) => (state = states.decode(delta)));
      expect(state).toMatchObject({ tick, number, count: entries.length, generation: 1 });
      expect([...state!.entries]).toEqual(entries.flat().map((word) => word | 0));
      const { residual, outcome, solver, iterations, rows } = report;
      expect(state!.report).toMatchObject(
        { residual, outcome, solver, iterationCount: iterations, rowCount: rows, leftOut: 0 });
    }
  });
});

describe("ContactStates", () => {
  const { messages } = vectors.find(({ name }) => name === "spatial.json")!;

  it("needs the baseline, and a keyframe replaces all of them", () => {
    const states = new ContactStates();
    const decoded = (index: number) => {
      let result: ContactState | undefined;
      read(messages[index]!.bytes, (delta) => (result = states.decode(delta)));
      return result !== undefined;
    };
    expect(decoded(1)).toBe(false);
    expect(decoded(0)).toBe(true);
    expect(decoded(1)).toBe(true);
    expect(decoded(2)).toBe(true);
    expect(decoded(0)).toBe(true);
    expect(decoded(2)).toBe(false);
    states.clear();
    expect(decoded(1)).toBe(false);
  });

  it("refuses every message with a wrong number", () => {
    const bytes = messages[0]!.bytes;
    let wrong = 0;
    for (let at = 6; at < bytes.length; at += 2) {
      const byte = parseInt(bytes.slice(at, at + 2), 16) ^ 1;
      const changed = bytes.slice(0, at) + byte.toString(16).padStart(2, "0") + bytes.slice(at + 2);
      try {
        read(changed, (delta) => {
          const state = new ContactStates().decode(delta);
          wrong += state !== undefined && state.count !== messages[0]!.entries.length ? 1 : 0;
        });
      } catch {
        // it cannot be read
      }
    }
    expect(wrong).toBe(0);
  });
});

describe("PlacedContacts", () => {
  /** A state of these entries. */
  function stateOf(rows: readonly Record<number, number>[]): ContactState {
    const state = new ContactState();
    state.count = rows.length;
    state.entries = new Int32Array(rows.length * CONTACT_STRIDE);
    rows.forEach((row, index) => {
      for (const [word, value] of Object.entries(row)) {
        state.entries[index * CONTACT_STRIDE + Number(word)] = value;
      }
    });
    return state;
  }

  it("turns points with their body in the plane, or only moves them", () => {
    const contacts = new PlacedContacts();
    // the point (2, 1) of body 1; the force (3, 4) * 2 N, whose normal is along y
    const row = { 1: 1, 3: 1, 4: 256, 5: 128, 8: 250, 10: -64, 11: 3, 12: 4, 14: 1, 19: 512 };
    contacts.setState(stateOf([row, { ...row, 3: 3 }]), 1 / 512);
    const { x, y, normalY, force, frictionX, frictionY, gap, impulse } =
      contacts.place(Float64Array.from([0, 0, 0, 10, 20, Math.PI / 2]), 3);
    expect([x[0], y[0], x[1], y[1]]).toEqual([9, 22, 12, 21]);
    expect([normalY[0], force[0], frictionX[0], frictionY[0]]).toEqual([1, 8, 6, 0]);
    expect([gap[0], impulse[0]]).toEqual([-0.5, 1]);
  });

  it("turns points in space, also those of loads", () => {
    const contacts = new PlacedContacts();
    const half = Math.SQRT1_2; // a quarter turn about z: x to y
    contacts.setState(stateOf([
      { 0: LOADS_FROM + 7, 1: 1, 3: 1, 4: 128, 6: 256, 11: 5, 14: 1, 17: 3, 18: -1 },
    ]), 1 / 512);
    const poses = Float64Array.from([...new Array<number>(7).fill(0), 1, 2, 3, half, 0, 0, half]);
    const { count, joints } = contacts.place(poses, 7);
    expect(count).toBe(0);
    expect([joints.count, joints.joint[0]]).toEqual([1, 7]);
    expect(joints.x[0]).toBeCloseTo(1);
    expect(joints.y[0]).toBeCloseTo(3);
    expect(joints.z[0]).toBeCloseTo(5);
    expect([joints.forceX[0], joints.torqueZ[0]]).toEqual([10, 1.5]);
  });

  it("knows the codes of magnitudes", () => {
    expect([0, 31, 32, 65, 512].map((code) => magnitude(code) * 2 ** 20))
      .toEqual([0, 31, 32, 66, 2 ** 20]);
  });
});
