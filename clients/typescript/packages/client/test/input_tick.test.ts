/**
 * input_tick.test.ts: inputs for a tick arrive in time, for many kinds of delay and in a session.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WorldStatus_State } from "@cairn/protocol";
import { InputTick, Session } from "../src";
import { FakeDaemon } from "./fake_daemon";

const INTERVAL_US = 1e6 / 60;

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

interface Line {
  /** The delay of one message, one way. */
  delayUs(random: () => number): number;
  /** The error of the clock plus that of the half round trip. */
  errorUs: number;
  /** The expected delay of a message. */
  foreseenUs: number;
}

/**
 * Simulates a daemon that sends tick T at T * INTERVAL_US and counts as the real one does.  Returns
 * the share of late inputs and the mean earliness in ticks, after the first ten seconds.
 */
function play(line: Line, seed: number, seconds: number): { late: number; early: number } {
  const random = randomFrom(seed);
  const inputTick = new InputTick();
  let late = 0, margin = 0, count = 0, lateAfter = 0, early = 0;
  for (let input = 0; input < seconds * 50; input++) {
    const now = 1e6 + input * 20_000 + random() * 5_000;
    const heard = Math.floor((now - line.foreseenUs) / INTERVAL_US);
    inputTick.onHeader(heard, heard * INTERVAL_US);
    const at = inputTick.choose(now + line.foreseenUs + line.errorUs, INTERVAL_US);
    const tick = Math.floor((now + line.delayUs(random)) / INTERVAL_US);
    margin += Math.trunc((16 * (at - tick) - margin) / 8);
    late += at < tick ? 1 : 0;
    if (input >= 500) {
      count++;
      lateAfter += at < tick ? 1 : 0;
      early += at - tick;
    }
    if (input % 50 === 49) {
      inputTick.onPong(late, margin);
    }
  }
  return { late: lateAfter / count, early: early / count };
}

const LINES: Record<string, Line> = {
  near: { foreseenUs: 200, errorUs: 0, delayUs: (random) => 200 + 100 * random() },
  jitter: {
    foreseenUs: 40_000, errorUs: 0,
    delayUs: (random) => 40_000 - 8_000 * Math.log(1 - random()),
  },
  "a clock that is 60 ms behind": {
    foreseenUs: 40_000, errorUs: -60_000,
    delayUs: (random) => 40_000 - 4_000 * Math.log(1 - random()),
  },
  "one in a hundred sent again": {
    foreseenUs: 30_000, errorUs: 0,
    delayUs: (random) => 30_000 + (random() < 0.01 ? 90_000 : 3_000 * random()),
  },
};

describe("InputTick", () => {
  it.each(Object.entries(LINES))("is late seldom enough: %s", (_, line) => {
    const shares: number[] = [];
    for (let seed = 1; seed <= 20; seed++) {
      const { late, early } = play(line, seed, 130);
      shares.push(late);
      expect(early).toBeLessThan(8);
    }
    shares.sort((a, b) => a - b);
    expect(shares[18]).toBeLessThan(0.005);
  });

  it("takes no more lead than it needs", () => {
    expect(play(LINES["near"]!, 1, 130).early).toBeLessThan(1.5);
  });

  it("never goes back, does not reckon on silence, and begins anew with the world", () => {
    const inputTick = new InputTick();
    expect(inputTick.choose(1e6, INTERVAL_US)).toBe(0);
    inputTick.onHeader(60, 1e6);
    const first = inputTick.choose(1e6 + 3.5 * INTERVAL_US, INTERVAL_US);
    expect(first).toBe(64);
    expect(inputTick.choose(1e6, INTERVAL_US)).toBe(first);
    expect(inputTick.choose(1e6 + 600_000, INTERVAL_US)).toBe(0);
    inputTick.onHeader(2, 2e6);
    expect(inputTick.choose(2e6, INTERVAL_US)).toBe(3);
    inputTick.reset();
    expect(inputTick.choose(2e6, INTERVAL_US)).toBe(0);
  });

  it("takes a hiccup for one, and a margin below zero at its word", () => {
    const inputTick = new InputTick();
    inputTick.onHeader(60, 1e6);
    for (let i = 0; i < 50; i++) {
      inputTick.choose(1e6, INTERVAL_US);
    }
    inputTick.onPong(50, 0);
    expect(inputTick.lead).toBe(5);
    for (let i = 0; i < 50; i++) {
      inputTick.choose(1e6, INTERVAL_US);
    }
    inputTick.onPong(100, -10 * 16);
    expect(inputTick.lead).toBe(16);
  });
});

describe("a timed session", () => {
  let daemon: FakeDaemon;
  let session: Session;

  function begin(timed: boolean): void {
    session = new Session({ url: "ws://x", name: "Ada", client: "t", open: daemon.open, timed });
    session.join("contact");
    session.connection.start();
    daemon.admit("contact");
    daemon.socket.say({ case: "status", value: { id: "contact", tickRate: 60 } });
  }

  /** A pong after 40 ms from a daemon whose clock is 5 s ahead; then tick 300, sent 10 ms ago. */
  function settle(lateCount = 0, margin = 0): void {
    const sentUs = BigInt(Math.round(performance.now() * 1000));
    vi.advanceTimersByTime(40);
    const serverTimeUs = sentUs + 20_000n + 5_000_000n;
    daemon.socket.say({
      case: "pong", value: { clientTimeUs: sentUs, serverTimeUs, lateCount, margin },
    });
    const shownUs = sentUs + 30_000n + 5_000_000n;
    daemon.socket.say({ case: "tick", value: { tick: 300n, serverTimeUs: shownUs } });
  }

  function asked(): bigint {
    session.actuate(1, 0, 1);
    const input = daemon.socket.last("input");
    return input.case === "input" ? input.value.atTick : -1n;
  }

  beforeEach(() => {
    vi.useFakeTimers();
    daemon = new FakeDaemon();
  });

  afterEach(() => {
    session.connection.stop();
    vi.useRealTimers();
  });

  it("names the tick at which its input arrives, and one more", () => {
    begin(true);
    expect(asked()).toBe(0n);
    settle();
    expect(asked()).toBe(302n); /* 30 ms after tick 300 was shown: 1.8 ticks, and 1 */
  });

  it("goes further ahead when the daemon says that one was late", () => {
    begin(true);
    settle();
    asked();
    settle(1, -16);
    expect(asked()).toBe(303n);
  });

  it("names none in a world that stands still, or when it is not asked to", () => {
    begin(true);
    settle();
    const state = WorldStatus_State.PAUSED;
    daemon.socket.say({ case: "status", value: { id: "contact", tickRate: 60, state } });
    expect(asked()).toBe(0n);
    session.connection.stop();
    begin(false);
    settle();
    expect(asked()).toBe(0n);
  });
});
