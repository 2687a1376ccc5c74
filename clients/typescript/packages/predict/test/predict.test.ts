/** predict.test.ts: smoothing, own inputs; with a module, plays against a simulated daemon. */
import { type Engine, Engine as Loader, PLACE_NUMBERS } from "@cairn/engine";
import { create, toBinary } from "@bufbuild/protobuf";
import { SceneSchema, ServerFrameDecoder } from "@cairn/protocol";
import { describe, expect, it, vi } from "vitest";
import {
  BLEND_MS, type Cause, type FromHost, Host, Predictor, Smoothing, blendWeight,
} from "../src/index";
import { ImageRing } from "../src/image_ring";
import { OwnInputs } from "../src/own_inputs";
import { Pace } from "../src/pace";
import { SimulatedDaemon, type Sent, encodeInput, play, randomOf } from "./simulated_daemon";

function place(x: number, angle: number, turn: number): Float64Array {
  return Float64Array.of(x, 2, 3, angle, Math.cos(turn / 2), 0, 0, Math.sin(turn / 2));
}

describe("blendWeight", () => {
  it("is 1 at first, half in the middle and 0 in the end", () => {
    expect(blendWeight(0)).toBe(1);
    expect(blendWeight(BLEND_MS / 2)).toBe(0.5);
    expect(blendWeight(BLEND_MS)).toBe(0);
    expect(blendWeight(Infinity)).toBe(0);
  });
});

describe("Smoothing", () => {
  const out = new Float64Array(PLACE_NUMBERS);

  it("draws the old place at first, and the right one after 100 ms", () => {
    const smoothing = new Smoothing();
    smoothing.reset(1);
    const correction = smoothing.correct(place(1, 0.5, 1), place(1.002, 0.7, 1.4), 1000);
    expect(correction.bodies).toBe(1);
    expect(correction.mm).toBeCloseTo(2);
    smoothing.draw(place(1.002, 0.7, 1.4), 1000, out);
    place(1, 0.5, 1).forEach((value, i) => expect(out[i]).toBeCloseTo(value, 12));
    smoothing.draw(place(1.002, 0.7, 1.4), 1050, out);
    place(1.001, 0.6, 1.2).forEach((value, i) => expect(out[i]).toBeCloseTo(value, 5));
    smoothing.draw(place(1.002, 0.7, 1.4), 1100, out);
    expect(out).toEqual(place(1.002, 0.7, 1.4));
  });

  it("adds a second correction to what is left of the first", () => {
    const smoothing = new Smoothing();
    smoothing.reset(1);
    smoothing.correct(place(0, 0, 0), place(1, 0, 1), 0);
    smoothing.correct(place(1, 0, 1), place(3, 0, 1.5), 50);
    smoothing.draw(place(3, 0, 1.5), 50, out);
    place(0.5, 0, 0.5).forEach((value, i) => expect(out[i]).toBeCloseTo(value, 2));
  });

  it("counts no body whose place is the same", () => {
    const smoothing = new Smoothing();
    smoothing.reset(1);
    const correction = smoothing.correct(place(1, 2, 3), place(1, 2, 3), 0);
    expect(correction).toMatchObject({ bodies: 0, mm: 0 });
  });
});

describe("OwnInputs", () => {
  const make = () => new OwnInputs((tick, message) => Uint8Array.of(tick, ...message));

  it("postpones late inputs, and settles them by their deeds", () => {
    const own = make();
    own.add(1, 5, Uint8Array.of(7));
    own.add(2, 9, Uint8Array.of(8));
    own.postpone(6);
    expect(own.at(6).map(({ deed }) => [...deed])).toEqual([[6, 7]]);
    own.match(6, Uint8Array.of(5, 7)); // the deed of another tick
    expect(own.count).toBe(2);
    own.match(6, Uint8Array.of(6, 7));
    expect(own.at(6)).toEqual([]);
    expect(own.at(9).map(({ seq }) => seq)).toEqual([2]);
  });

  it("forgets what the daemon has settled or refused", () => {
    const own = make();
    [1, 2, 3].forEach((seq) => own.add(seq, 4, Uint8Array.of(seq)));
    own.settle(1);
    own.refuse(3);
    expect(own.at(4).map(({ seq }) => seq)).toEqual([2]);
  });
});

describe("Pace", () => {
  it("decides after sixty ticks whether the lead fits a frame", () => {
    const pace = new Pace();
    pace.note(59, 59);
    expect(pace.isFast(0)).toBe(null);
    pace.note(1, 1);
    expect(pace.tickMs).toBeCloseTo(1);
    expect(pace.isFast(7)).toBe(true);
    expect(pace.isFast(8)).toBe(false);
  });
});

/** The folder that `make wasm` fills; unset where there is no clang for WebAssembly. */
const wasm = import.meta.env.VITE_CAIRN_WASM as string | undefined;

const BOX = { shape: { case: "box" as const, value: { size: { x: 1, y: 1 } } } };

function sceneBytes(solver = "impulse", stepper = "time"): Uint8Array {
  const boxes = Array.from({ length: 15 }, (_, i) => ({
    position: { x: (i % 5) * 1.1, y: 0.5 + Math.floor(i / 5) },
    shapes: [BOX],
  }));
  const floor = { type: 1, position: { y: -0.5 },
    shapes: [{ shape: { case: "box" as const, value: { size: { x: 40, y: 1 } } } }] };
  const scene = create(SceneSchema, { world: { stepper, solver }, bodies: [floor, ...boxes] });
  return toBinary(SceneSchema, scene);
}

const BODIES = Array.from({ length: 15 }, (_, i) => ({ slot: i + 1, mass: 1 }));

async function load(file: string): Promise<Engine> {
  const path = `${wasm}/${file}`;
  const fs = "node:fs";
  const { readFileSync } = (await import(/* @vite-ignore */ fs)) as {
    readFileSync(path: string): Uint8Array<ArrayBuffer>;
  };
  return Loader.load(readFileSync(path));
}

function pushOf(slot: number, body: number, x: number): Uint8Array {
  const value = { body, force: { x, y: 0, z: 0 } };
  return encodeInput({ slot, action: { case: "force", value } });
}

describe.skipIf(wasm === undefined)("Predictor", { timeout: 120_000 }, () => {
  const base = { seed: 1, frames: 400, bodies: BODIES, oneWayMs: 100, jitterMs: 0, stallShare: 0,
    others: 0, pushes: 0, ownPushes: 4, lead: 3 };

  it("corrects exactly nothing while the own session is alone", async () => {
    const engine = await load("libcairn-planar.wasm");
    const { corrections, rollbacks, agreed } = play({ ...base, engine, scene: sceneBytes() });
    expect(corrections).toEqual([]);
    expect(rollbacks).toBe(0);
    expect(agreed).toBeGreaterThan(8);
  });

  it("has the daemon's bits at last, whatever others do and the network delays", async () => {
    const engine = await load("libcairn-planar.wasm");
    for (let seed = 1; seed <= 4; seed++) {
      const { rollbacks } = play({ ...base, engine, scene: sceneBytes(), seed, others: 4,
        pushes: 5, jitterMs: 60, stallShare: 0.02, lead: seed % 4, isAhead: seed !== 4 });
      expect(rollbacks > 0).toBe(seed !== 4);
    }
  });

  it("goes on in the next frame where a correction takes longer than its budget", async () => {
    const engine = await load("libcairn-planar.wasm");
    const { agreed } = play({ ...base, engine, scene: sceneBytes(), others: 4, pushes: 5,
      budgetMs: 0 });
    expect(agreed).toBeGreaterThan(4);
  });

  it("shows the own push at once, at a round trip of 200 ms", async () => {
    const engine = await load("libcairn-planar.wasm");
    const world = engine.createWorld(sceneBytes());
    const predictor = new Predictor({ world, session: 5n });
    const hash = world.hash().toString(16).padStart(16, "0");
    predictor.start({ tick: 0, generation: 1, image: world.image(), hash });
    predictor.advance(14);
    const before = world.places()[PLACE_NUMBERS]!;
    expect(predictor.input(1, pushOf(0, 1, 100))).toBe(14);
    predictor.advance(15);
    const drawn = new Float64Array(predictor.drawSize);
    predictor.draw(drawn);
    expect(drawn[PLACE_NUMBERS]).toBeGreaterThan(before);
    expect(predictor.drawnTick).toBe(15);
  });

  it("lets an input act later that can not arrive in time, and the next ones too", async () => {
    const engine = await load("libcairn-planar.wasm");
    const worlds = [engine.createWorld(sceneBytes()), engine.createWorld(sceneBytes())] as const;
    const sent: Sent[] = [];
    const daemon = new SimulatedDaemon(worlds[0], randomOf(1), (one) => sent.push(one));
    const predictor = new Predictor({ world: worlds[1], session: 5n,
      corrected: () => { throw new Error("a correction"); } });
    predictor.start(daemon.start());
    predictor.advance(10); // the last frame before the page stalls
    const push = (seq: number, least: number) => {
      const message = pushOf(seq, seq, 100);
      const atTick = predictor.input(seq, message, least)!;
      daemon.receive({ session: 5n, seq, atTick, message });
      return atTick;
    };
    expect([push(1, 25), push(2, 12), push(3, 26)]).toEqual([25, 25, 26]);
    for (let tick = 0; tick < 40; tick++) {
      daemon.step();
    }
    predictor.advance(35);
    sent.forEach(({ deeds }) => deeds !== undefined && predictor.deeds(deeds));
    predictor.advance(40);
    expect([predictor.rollbackCount, predictor.agreedCount]).toEqual([0, 2]);
  });

  it("tells whether others or own late inputs caused a correction", async () => {
    const engine = await load("libcairn-planar.wasm");
    const worlds = [engine.createWorld(sceneBytes()), engine.createWorld(sceneBytes())] as const;
    const sent: Sent[] = [];
    const daemon = new SimulatedDaemon(worlds[0], randomOf(1), (one) => sent.push(one));
    const causes: Cause[] = [];
    const predictor = new Predictor({ world: worlds[1], session: 5n,
      corrected: (_correction, _tick, cause) => causes.push(cause) });
    predictor.start(daemon.start());
    const tell = (until: number) => {
      while (daemon.tick < until) {
        daemon.step();
      }
      sent.splice(0).forEach(({ deeds, settled }) => {
        deeds !== undefined && predictor.deeds(deeds);
        settled !== undefined && predictor.settle(settled);
      });
      predictor.advance(until + 10);
    };
    predictor.advance(10);
    const message = pushOf(1, 1, 100);
    expect(predictor.input(1, message)).toBe(10);
    predictor.advance(20);
    tell(14); // without the input
    daemon.receive({ session: 5n, seq: 1, atTick: 10, message });
    tell(16);
    expect(new Set(causes)).toEqual(new Set(["own"]));
    daemon.receive({ session: 6n, seq: 1, atTick: 0, message: pushOf(1, 2, 100) });
    tell(24);
    expect(causes.at(-1)).toBe("others");
    predictor.input(2, pushOf(1, 1, 5));
    predictor.advance(40);
    predictor.refuse(2);
    predictor.advance(40);
    expect(causes.slice(-2)).toEqual(["others", "own"]);
    expect(predictor.agreedCount).toBeGreaterThan(0);
  });

  it("reports another hash, and starts again from the next image", async () => {
    const engine = await load("libcairn-planar.wasm");
    const said: [number, string][] = [];
    const world = engine.createWorld(sceneBytes());
    const desync = (tick: number, hash: string) => said.push([tick, hash]);
    const predictor = new Predictor({ world, session: 5n, desync });
    const start = { tick: 0, generation: 1, image: world.image(), hash: "0".repeat(16) };
    predictor.start(start);
    const own = world.hash().toString(16).padStart(16, "0");
    expect(said).toEqual([[0, own]]);
    expect(predictor.isRunning).toBe(false);
    predictor.start({ ...start, hash: own });
    predictor.advance(40);
    predictor.deeds({ tick: 30, generation: 1, deeds: new Uint8Array(0), hash: "1".repeat(16) });
    expect(said[1]![0]).toBe(30);
    expect(predictor.isRunning).toBe(false);
  });

  it("ignores deeds of another generation", async () => {
    const engine = await load("libcairn-planar.wasm");
    const world = engine.createWorld(sceneBytes());
    const predictor = new Predictor({ world, session: 5n });
    const hash = world.hash().toString(16).padStart(16, "0");
    predictor.start({ tick: 0, generation: 2, image: world.image(), hash });
    predictor.deeds({ tick: 30, generation: 1, deeds: new Uint8Array(0), hash: "bad" });
    expect(predictor.isRunning).toBe(true);
    expect(predictor.firmTick).toBe(0);
  });

  it("waits for another image when bodies come or go", async () => {
    const engine = await load("libcairn-planar.wasm");
    const world = engine.createWorld(sceneBytes());
    let changes = 0;
    const predictor = new Predictor({ world, session: 5n, changed: () => changes++ });
    const hash = world.hash().toString(16).padStart(16, "0");
    predictor.start({ tick: 0, generation: 1, image: world.image(), hash });
    const change = Uint8Array.of(6, 1, 0, 0, 0, 0);
    predictor.deeds({ tick: 4, generation: 1, deeds: change, hash: "" });
    expect([changes, predictor.isRunning]).toEqual([1, false]);
    expect(() => world.deeds(change)).toThrow(/change bodies/);
  });

  it("goes back to the tick at which the daemon's world is held", async () => {
    const engine = await load("libcairn-planar.wasm");
    const world = engine.createWorld(sceneBytes());
    const predictor = new Predictor({ world, session: 5n });
    const hash = world.hash().toString(16).padStart(16, "0");
    predictor.start({ tick: 0, generation: 1, image: world.image(), hash });
    predictor.advance(9);
    predictor.advance(5);
    expect(predictor.presentTick).toBe(9);
    predictor.advance(5, Infinity, true);
    expect([predictor.presentTick, predictor.drawnTick]).toEqual([5, 5]);
  });

  it("continues in the larger module after a change of the solver", async () => {
    const small = await load("libcairn-planar.wasm");
    const whole = await load("libcairn.wasm");
    const daemonWorld = whole.createWorld(sceneBytes());
    const sent: Sent[] = [];
    const daemon = new SimulatedDaemon(daemonWorld, randomOf(1), (one) => sent.push(one));
    const predictor = new Predictor({ world: small.createWorld(sceneBytes()), session: 5n });
    predictor.start(daemon.start());
    predictor.advance(12);
    // settings: flags of thirteen numbers and of the propagation's, then the numbers, then names
    const settings = settingsDeed(whole, "sweeps");
    for (let tick = 0; tick < 30; tick++) {
      if (tick === 6) {
        daemonWorld.deeds(settings);
        sent.push({ deeds: { tick: 6, generation: 1, deeds: settings, hash: "" } });
      }
      daemon.step();
    }
    sent.forEach(({ deeds }) => deeds !== undefined && predictor.deeds(deeds));
    predictor.advance(30);
    expect(predictor.refused?.path).toMatch(/solver/);
    const next = new Predictor({ world: whole.createWorld(sceneBytes()), session: 5n });
    next.takeOver(predictor);
    next.advance(30);
    daemon.step();
    next.deeds({ tick: 30, generation: 1, deeds: new Uint8Array(0), hash: "" });
    next.deeds(sent.at(-1)!.deeds!);
    next.advance(31);
    expect(next.agreedCount).toBe(1);
  });
});

/** A change of the solver, as the daemon's log has it (deed/fields.c). */
function settingsDeed(engine: Engine, solver: string): Uint8Array {
  const world = engine.createWorld(sceneBytes());
  const name = 32;
  for (let size = 100; size < 400; size++) { // the settings have no length in JavaScript
    const deed = new Uint8Array(size);
    deed[0] = 4;
    deed.set(new TextEncoder().encode(solver), size - 2 * name);
    try {
      world.splitDeeds(deed);
      return deed;
    } catch {
      // another size
    }
  }
  throw new Error("no size of settings is read");
}

describe.skipIf(wasm === undefined)("Host", { timeout: 120_000 }, () => {
  async function begin(solver: string, stepper: string) {
    const loaded: string[] = [];
    const said: FromHost[] = [];
    const host = new Host((file) => {
      loaded.push(file);
      return load(file);
    }, (message) => said.push(message));
    const heard = (kind: FromHost["kind"]) =>
      vi.waitFor(() => expect(said.map((one) => one.kind)).toContain(kind), { timeout: 60_000 });
    const scene = sceneBytes(solver, stepper);
    const world = (await load("libcairn.wasm")).createWorld(scene);
    const hash = world.hash().toString(16).padStart(16, "0");
    const start = { tick: 0, generation: 1, image: world.image(), hash };
    return { host, loaded, said, heard, scene, start };
  }

  /** Frames until that tick is shown: on a busy machine one frame does not do all its ticks. */
  const reach = (host: Host, said: FromHost[], target: number) =>
    vi.waitFor(() => {
      host.on({ kind: "frame", target, isHeld: false, wants: 0 });
      expect(said.at(-1)).toMatchObject({ kind: "shown", tick: target });
    });

  it("loads the module that the scene needs, and shows frames", async () => {
    const { host, loaded, said, heard, scene, start } = await begin("impulse", "time");
    host.on({ kind: "load", file: "libcairn-planar.wasm" });
    await heard("loaded");
    expect(loaded).toEqual(["libcairn-planar.wasm"]);
    host.on({ kind: "start", scene, session: 5n, start });
    const deeds = { tick: 8, generation: 1, deeds: new Uint8Array(0), hash: "" };
    host.on({ kind: "deeds", deeds }); // before the engine has begun
    await heard("started");
    await reach(host, said, 11);
    host.on({ kind: "input", seq: 1, message: pushOf(0, 1, 1), least: 0 });
    expect(said.slice(-2)).toMatchObject([
      { kind: "shown", tick: 11, firmTick: 8, corrected: 0 }, { kind: "input", seq: 1, tick: 11 },
    ]);
  });

  it("makes the frames of the drawn tick that the page wants", async () => {
    const { host, said, heard, scene, start } = await begin("impulse", "time");
    host.on({ kind: "load", file: "libcairn-planar.wasm" });
    host.on({ kind: "start", scene, session: 5n, start });
    await heard("started");
    const frame = (target: number, wants: number) => {
      host.on({ kind: "frame", target, isHeld: false, wants });
      const last = said.at(-1);
      return last?.kind === "shown" ? last.frames : undefined;
    };
    const kinds = (bytes: Uint8Array) => {
      const found: string[] = [];
      new ServerFrameDecoder().decode(bytes, {
        onTick: () => undefined, onSnapshot: () => undefined, onDelta: () => undefined,
        onContacts: ({ tick }) => found.push(`contacts ${tick}`),
        onContactDelta: () => {},
        onEnergy: ({ tick }) => found.push(`energy ${tick}`),
        onMessage: (message) => found.push(message.case ?? ""),
      });
      return found;
    };
    await reach(host, said, 19);
    expect(kinds(frame(20, 7)!)).toEqual(["contacts 20", "events", "energy 20", "actions"]);
    expect(kinds(frame(21, 2)!)).toEqual(["energy 21"]);
    expect(frame(21, 2)).toBeNull(); // the same tick again
    expect(frame(22, 0)).toBeNull();
  });

  it("takes the whole module where the smaller one refuses the scene", async () => {
    const { host, loaded, heard, scene, start } = await begin("sweeps", "time");
    host.on({ kind: "load", file: "libcairn-planar.wasm" }); // not the scene's
    host.on({ kind: "start", scene, session: 5n, start });
    await heard("started");
    expect(loaded).toEqual(["libcairn-planar.wasm", "libcairn.wasm"]);
  });

  it("says that there is no engine", async () => {
    const said: FromHost[] = [];
    const none = () => Promise.reject(new Error("not found"));
    const host = new Host(none, (message) => said.push(message));
    host.on({ kind: "load", file: "libcairn-planar.wasm" });
    await vi.waitFor(() => expect(said).toEqual([{ kind: "failed", reason: "not found" }]));
  });
});

describe.skipIf(wasm === undefined)("ImageRing", () => {
  it("uses memory again, and is full at its limit", async () => {
    const world = (await load("libcairn-planar.wasm")).createWorld(sceneBytes());
    const ring = new ImageRing(world, 3.5 * world.image().length * 1.25);
    ring.keep(0);
    ring.keep(1);
    expect(ring.isFull).toBe(false);
    ring.keep(2);
    expect(ring.isFull).toBe(true);
    ring.keepOnly(1, 2);
    expect([ring.count, ring.isFull]).toEqual([2, false]);
    ring.keep(3);
    expect(ring.isFull).toBe(true);
    ring.free();
    expect(ring.count).toBe(0);
  });
});
