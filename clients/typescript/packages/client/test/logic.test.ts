/** logic.test.ts: a logic against sockets in the process: news, effects, refusals, reconnecting. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type LogicDone, type LogicTick, Hello_Role, LogicStart_Mode } from "@cairn/protocol";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { LogicTickSchema } from "@cairn/protocol";
import { Logic, type LogicOptions, type RefusedError } from "../src/logic";
import { FakeDaemon } from "./fake_daemon";

let daemon: FakeDaemon;
let logic: Logic;
let log: string[];

function make(more: Partial<LogicOptions> = {}): void {
  logic = new Logic({ url: "ws://x", world: "game", open: daemon.open, ...more });
  logic.start();
}

/** Sends a LogicTick; returns the answer to it. */
function ask(news: MessageInitShape<typeof LogicTickSchema>): LogicDone {
  daemon.socket.say({ case: "logicTick", value: news as LogicTick });
  return daemon.socket.last("logicDone").value as LogicDone;
}

function enter(more: Partial<LogicOptions> = {}): LogicDone {
  make(more);
  daemon.admit("game", 4);
  return ask({ number: 1n, tick: 60n, first: true, people: [{ session: 9n, name: "Ann" }] });
}

beforeEach(() => {
  vi.useFakeTimers();
  daemon = new FakeDaemon();
  log = [];
});

afterEach(() => {
  logic.stop();
  vi.useRealTimers();
});

describe("Logic", () => {
  it("joins as LOGIC, starts, and answers each LogicTick", () => {
    make({ every: 2, deadlineUs: 3000, onTick: ({ tick }) => log.push(`tick ${tick}`) });
    daemon.admit("game");
    expect(daemon.socket.last("hello").value)
      .toMatchObject({ role: Hello_Role.LOGIC, keep: false });
    expect(daemon.socket.last("logic").value).toMatchObject({
      mode: LogicStart_Mode.BARRIER, every: 2, deadlineUs: 3000, events: false, take: true,
    });
    expect(ask({ number: 1n, tick: 60n, first: true })).toMatchObject({ number: 1n, atTick: 0n });
    expect(ask({ number: 2n, tick: 62n })).toMatchObject({ number: 2n, effects: [] });
    expect(log).toEqual(["tick 60", "tick 62"]);
  });

  it("calls its handlers in order", () => {
    enter({
      onStart: () => log.push(`start ${[...logic.members.values()].map(({ name }) => name)}`),
      onJoin: ({ name }) => log.push(`join ${name}`),
      onLeave: ({ name }) => log.push(`leave ${name}`),
      onEvent: ({ kind, a, b, tick }) => log.push(`${kind} ${a} ${b} ${tick}`),
      onMessage: ({ session, channel, content }) => log.push(`${session} ${channel} ${content}`),
      onTick: () => log.push("tick"),
    });
    ask({
      number: 2n, tick: 61n,
      members: [{ session: 10n, name: "Bob" }, { session: 9n, left: true }],
      events: [{ tick: 61n, events: [{ kind: "sensorBegin", bodyA: 1, bodyB: -1 }] }],
      messages: [{ session: 9n, channel: "game", content: { case: "text", value: "jump" } }],
    });
    expect(log).toEqual(["start Ann", "tick", "join Bob", "leave Ann",
      "sensorBegin block1  61", "9 game jump", "tick"]);
    expect([...logic.members.keys()]).toEqual([10n]);
  });

  it("sends effects and messages of handlers in one answer, with slots of its generation", () => {
    const done = enter({
      onStart: () => {
        logic.spawn("ball", { name: "b9", position: { y: 3 } });
        logic.remove("block1", "b2");
        expect(logic.place("block1", { position: { x: 1 } })).toBe(true);
        expect(logic.push("nothing", { x: 1 })).toBe(false);
        logic.push(1, { y: 5 });
        logic.setAttribute("world", "score", 3n);
        logic.setAttribute({ body: "block1" }, "owner", null);
        logic.settings({ gravity: { y: -1 } });
        logic.reset();
        logic.say("chat", "go", 9n);
      },
    });
    expect(done.generation).toBe(4);
    expect(done.effects.map(({ effect }) => effect.case)).toEqual(
      ["change", "change", "body", "push", "attribute", "attribute", "settings", "reset"]);
    expect(done.effects[2]!.effect.value).toMatchObject({ body: 1 });
    expect(done.effects[5]!.effect.value).toMatchObject({
      owner: { case: "body", value: 1 }, attribute: { name: "owner", value: { case: undefined } },
    });
    expect(done.messages[0]).toMatchObject({
      channel: "chat", to: { case: "session", value: 9n }, content: { case: "text", value: "go" },
    });
    expect(ask({ number: 2n, tick: 61n }).effects).toEqual([]);
  });

  it("follows the bodies of the world", () => {
    enter();
    daemon.socket.say({ case: "changed", value: {
      generation: 5, bodyCount: 3, removedBodies: [1], bodySlots: [2],
      bodies: [{ name: "ball" }] } });
    expect(logic.bodies.slot("ball")).toBe(2);
    expect(logic.place("block1", {})).toBe(false);
    expect(logic.place("ball", {})).toBe(true);
    expect(ask({ number: 2n, tick: 61n }).generation).toBe(5);
    daemon.joined("game", 6); // a reset
    expect(logic.bodies.slot("block1")).toBe(1);
    expect(daemon.socket.kinds().filter((kind) => kind === "logic").length).toBe(1);
  });

  it("reads attributes with what it has set, until its answer has acted", () => {
    enter({ onRefused: ({ code }) => log.push(code) });
    const score = (value: bigint) =>
      [{ attribute: { name: "score", value: { case: "integer" as const, value } } }];
    ask({ number: 2n, tick: 61n, answered: 1n, attributes: score(1n) });
    logic.setAttribute("world", "score", 2n); // in the answer to 3
    expect(logic.attribute("world", "score")).toBe(2n);
    ask({ number: 3n, tick: 62n, answered: 2n });
    expect(logic.attribute("world", "score")).toBe(2n);
    ask({ number: 4n, tick: 63n, answered: 3n, attributes: score(2n) });
    logic.setAttribute("world", "score", 7n);
    ask({ number: 5n, tick: 64n, answered: 4n });
    ask({ number: 6n, tick: 65n, answered: 5n,
      refused: [{ number: 5n, error: { code: "LIMIT" } }] });
    expect(logic.attribute("world", "score")).toBe(2n); // it was refused
    expect(log).toEqual(["LIMIT"]);
    logic.setAttribute("world", "score", null);
    expect(logic.attributesOf("world").size).toBe(0);
  });

  it("comes back by itself and begins anew with what the daemon tells", () => {
    enter({ onStart: () => log.push("start"), onJoin: () => logic.spawn("ball") });
    logic.setAttribute("world", "lost", 1n);
    daemon.socket.hangUp(1006);
    vi.advanceTimersByTime(1_000);
    expect(daemon.sockets.length).toBe(2);
    daemon.admit("game");
    const done = ask({
      number: 2n, tick: 70n, first: true, answered: 1n, members: [{ session: 11n, name: "Eve" }],
    });
    expect(done.effects.length).toBe(1); // the spawn, and nothing from before
    expect(logic.attribute("world", "lost")).toBe(undefined);
    expect(log).toEqual(["start", "start"]);
  });

  it("starts again after a refused answer, and drops LogicTicks of before", () => {
    enter();
    daemon.socket.say({ case: "rejected", value: { error: { code: "BUSY", retryMs: 200 } } });
    const { length } = daemon.socket.heard;
    daemon.socket.say({ case: "logicTick", value: { number: 2n, tick: 61n } });
    expect(daemon.socket.heard.length).toBe(length);
    vi.advanceTimersByTime(250);
    expect(daemon.socket.kinds().at(-1)).toBe("logic");
    expect(ask({ number: 3n, tick: 75n, first: true }).number).toBe(3n);
  });

  it("waits for a world that does not exist yet", () => {
    make();
    daemon.socket.accept();
    daemon.socket.say({ case: "welcome", value: { version: 1, session: 5n } });
    daemon.socket.say({ case: "rejected", value: { error: { code: "WORLD" } } });
    vi.advanceTimersByTime(1_100);
    expect(daemon.socket.kinds().filter((kind) => kind === "join").length).toBe(2);
  });

  it("ends when another logic takes its place", async () => {
    const ends: (Error | null)[] = [];
    enter({ onStop: (error) => ends.push(error) });
    daemon.socket.say({ case: "rejected", value: { error: { code: "CONFLICT" } } });
    vi.advanceTimersByTime(60_000);
    expect(daemon.sockets.length).toBe(1);
    await Promise.resolve();
    expect((ends[0] as RefusedError).code).toBe("CONFLICT");
  });

  it("does not answer when a handler throws", async () => {
    const ends: (Error | null)[] = [];
    make({ onStop: (error) => ends.push(error), onTick: () => { throw new Error("a mistake"); } });
    daemon.admit("game");
    daemon.socket.say({ case: "logicTick", value: { number: 1n, first: true } });
    expect(daemon.socket.kinds()).not.toContain("logicDone");
    vi.advanceTimersByTime(60_000); // it does not come back
    expect(daemon.sockets.length).toBe(1);
    await Promise.resolve();
    expect(ends.map((error) => error?.message)).toEqual(["a mistake"]);
    expect(daemon.socket.closed).toBe(true);
  });

  it("works ahead", () => {
    const done = enter({ mode: "ahead", lead: 3 });
    expect(daemon.socket.last("logic").value).toMatchObject({ mode: LogicStart_Mode.AHEAD });
    expect(done.atTick).toBe(63n);
  });

  it("sends only the last value of an attribute, unless bodies were changed since", () => {
    const done = enter({ onStart: () => {
      logic.setAttribute("world", "a", 1n);
      logic.setAttribute({ body: 1 }, "a", 5n);
      logic.setAttribute("world", "a", 2n);
      logic.remove("block1");
      logic.setAttribute("world", "a", 3n);
      logic.setAttribute("world", "a", 4n);
    } });
    expect(done.effects.map(({ effect }) => (effect.case === "attribute"
      ? effect.value.attribute?.value.value : effect.case))).toEqual([2n, 5n, "change", 4n]);
    expect(logic.attribute("world", "a")).toBe(4n);
  });

  it("refuses more effects than an answer may have", () => {
    enter();
    expect(() => {
      for (let i = 0; i < 129; i++) {
        logic.reset();
      }
    }).toThrow("more than 128 effects");
  });
});
