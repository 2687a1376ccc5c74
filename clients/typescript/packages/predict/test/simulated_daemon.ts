/**
 * simulated_daemon.ts: a daemon in mode DEEDS on a second world of the engine, and a connection to
 * it with delays, jitter and stalls, all from one seed.
 *
 * Messages of a direction arrive in order.  A loss is a stall: everything after it comes late.
 */
import { type MessageInitShape, create, toBinary } from "@bufbuild/protobuf";
import { ClientMessageSchema, type InputSchema } from "@cairn/protocol";
import type { Engine, World } from "@cairn/engine";
import { type Correction, type Deeds, Predictor, type Start } from "../src/index";

/** Numbers from 0 to 1, the same from the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export type Input = MessageInitShape<typeof InputSchema>;

export function encodeInput(input: Input): Uint8Array {
  const message = create(ClientMessageSchema, { message: { case: "input", value: input } });
  return toBinary(ClientMessageSchema, message);
}

interface Arriving {
  session: bigint;
  seq: number;
  atTick: number;
  message: Uint8Array;
}

export interface Sent {
  deeds?: Deeds;
  settled?: number;
  start?: Start;
}

const OWN_SESSION = 5n;

function hashOf(world: World): string {
  return world.hash().toString(16).padStart(16, "0");
}

/** Takes inputs and makes Deeds, as proto/WIRE.md says. */
export class SimulatedDaemon {
  private waiting: Arriving[] = [];
  private generation = 1;

  constructor(
    readonly world: World,
    private readonly random: () => number,
    private readonly send: (sent: Sent) => void,
  ) {}

  get tick(): number {
    return Number(this.world.tick);
  }

  start(): Start {
    const { world, generation } = this;
    return { tick: this.tick, generation, image: world.image(), hash: hashOf(world) };
  }

  receive(input: Arriving): void {
    this.waiting.push(input);
  }

  leave(session: bigint): void {
    this.waiting.push({ session, seq: Infinity, atTick: 0, message: new Uint8Array(0) });
  }

  /** Applies what is due, sends the deeds, and steps. */
  step(): void {
    const { tick } = this;
    const due = this.waiting.filter(({ atTick }) => atTick <= tick);
    this.waiting = this.waiting.filter(({ atTick }) => atTick > tick);
    due.sort((a, b) => Number(a.session - b.session) || a.seq - b.seq);
    const hash = tick % 30 === 0 ? hashOf(this.world) : "";
    const parts: Uint8Array[] = [];
    let settled = 0;
    for (const { session, seq, message } of due) {
      const deed = this.deedOf(session, message);
      try {
        this.world.deeds(deed);
        parts.push(deed);
      } catch {
        // refused: the input is settled, and no deed
      }
      settled = session === OWN_SESSION && seq !== Infinity ? seq : settled;
    }
    this.sendDeeds(tick, parts, hash);
    this.world.step();
    if (settled > 0) {
      this.send({ settled });
    }
  }

  private deedOf(session: bigint, message: Uint8Array): Uint8Array {
    if (message.length > 0) {
      return this.world.deedOf(session, BigInt(this.tick), message);
    }
    const deed = new Uint8Array(9).fill(2, 0, 1);
    new DataView(deed.buffer).setBigUint64(1, session, true);
    return deed;
  }

  /** One message, or several of one tick. */
  private sendDeeds(tick: number, parts: Uint8Array[], hash: string): void {
    const { generation } = this;
    if (parts.length === 0) {
      if (hash !== "" || tick % 8 === 0) {
        this.send({ deeds: { tick, generation, deeds: new Uint8Array(0), hash } });
      }
      return;
    }
    let left = hash;
    for (let first = 0; first < parts.length; ) {
      const count = 1 + Math.floor(this.random() * (parts.length - first));
      const some = parts.slice(first, first + count);
      const deeds = Uint8Array.from(some.flatMap((part) => [...part]));
      this.send({ deeds: { tick, generation, deeds, hash: left } });
      left = "";
      first += count;
    }
  }
}

/** One direction of a connection. */
class Line<T> {
  private readonly queue: { at: number; what: T }[] = [];
  private last = 0;

  constructor(
    private readonly delay: () => number,
    private readonly stall: () => number,
  ) {}

  send(what: T, now: number): void {
    this.last = Math.max(this.last, now + this.delay() + this.stall());
    this.queue.push({ at: this.last, what });
  }

  *arrived(now: number): Generator<T> {
    while (this.queue[0] !== undefined && this.queue[0].at <= now) {
      yield this.queue.shift()!.what;
    }
  }
}

export interface Play {
  engine: Engine;
  scene: Uint8Array;
  seed: number;
  frames: number;
  /** Bodies that others and the own session push, by their slots and masses. */
  bodies: { slot: number; mass: number }[];
  oneWayMs: number;
  jitterMs: number;
  /** The chance of a stall per message, of up to 300 ms. */
  stallShare: number;
  /** Others, and the pushes of each a second. */
  others: number;
  pushes: number;
  ownPushes: number;
  /** Whether it also pushes before the first frame, when its tick is already over. */
  ownSooner?: boolean;
  /** Ticks that inputs are sent ahead of their arrival. */
  lead: number;
  budgetMs?: number;
  isAhead?: boolean;
  /** Milliseconds of the processor, for frameMs; default: those of the clock. */
  clock?: () => number;
  /** Rollbacks after which it ends. */
  rollbackMax?: number;
}

export interface Outcome {
  frames: number;
  rollbacks: number;
  agreed: number;
  corrections: Correction[];
  /** Milliseconds of each frame. */
  frameMs: number[];
  /** Bytes of deeds. */
  bytes: number;
}

const TICK_MS = 1000 / 60;

function push(random: () => number, play: Play, seq: number, slot: number): Input {
  const body = play.bodies[Math.floor(random() * play.bodies.length)]!;
  const force = () => (random() - 0.5) * 20 * body.mass;
  if (random() < 0.2) {
    return { seq: BigInt(seq), slot, action: { case: "release", value: {} } };
  }
  const value = { body: body.slot, force: { x: force(), y: force(), z: 0 } };
  const holdTicks = random() < 0.5 ? 1 + Math.floor(random() * 20) : 0;
  return { seq: BigInt(seq), slot, holdTicks, action: { case: "force", value } };
}

/** Plays a while; throws where the client's world ever differs from the daemon's. */
export function play(options: Play): Outcome {
  const { engine, scene, frames, lead } = options;
  const clock = options.clock ?? (() => performance.now());
  const random = randomOf(options.seed);
  const stall = () => (random() < options.stallShare ? random() * 300 : 0);
  const delay = () => options.oneWayMs + random() * options.jitterMs;
  const down = new Line<Sent>(delay, stall);
  const up = new Line<Arriving>(delay, stall);
  let now = 0;
  const worlds = [engine.createWorld(scene), engine.createWorld(scene)] as const;
  const daemon = new SimulatedDaemon(worlds[0], random, (sent) => down.send(sent, now));
  const outcome: Outcome =
    { frames: 0, rollbacks: 0, agreed: 0, corrections: [], frameMs: [], bytes: 0 };
  const copy = ({ bodies, mm, ways }: Correction): Correction => ({ bodies, mm, ways: [...ways] });
  const predictor = new Predictor({
    world: worlds[1],
    session: OWN_SESSION,
    isAhead: options.isAhead ?? true,
    desync: (tick, hash) => {
      throw new Error(`seed ${options.seed}: tick ${tick} has hash ${hash}`);
    },
    corrected: (correction) => outcome.corrections.push(copy(correction)),
  });
  daemon.world.step(Math.floor(random() * 40));
  const base = daemon.tick;
  down.send({ start: daemon.start() }, 0);
  let seq = 0;
  const drawn = new Float64Array(worlds[1].bodyCount * 8);
  const hear = (): void => {
    for (const { start, deeds, settled } of down.arrived(now)) {
      if (start !== undefined) {
        predictor.start(start);
      } else if (deeds !== undefined) {
        outcome.bytes += deeds.deeds.length + 12;
        predictor.deeds(deeds);
      } else if (settled !== undefined) {
        predictor.settle(settled);
      }
    }
  };
  for (let frame = 0; frame < frames; frame++) {
    now = frame * TICK_MS;
    for (const input of up.arrived(now)) {
      daemon.receive(input);
    }
    for (let other = 0; other < options.others; other++) {
      if (random() < options.pushes / 60) {
        const message = encodeInput(push(random, options, 1, Math.floor(random() * 2)));
        daemon.receive({ session: BigInt(2 + other * 2), seq: frame, atTick: 0, message });
      } else if (random() < 0.001) {
        daemon.leave(BigInt(2 + other * 2));
      }
    }
    daemon.step();
    const before = clock();
    hear();
    if (random() < options.ownPushes / 60 && (options.ownSooner || predictor.presentTick > base)) {
      const input = push(random, options, ++seq, Math.floor(random() * 2));
      const message = encodeInput(input);
      const atTick = predictor.input(seq, message) ?? 0;
      up.send({ session: OWN_SESSION, seq, atTick, message }, now);
    }
    const target = base + Math.floor((now + options.oneWayMs) / TICK_MS) + lead;
    predictor.advance(target, options.budgetMs);
    predictor.draw(drawn);
    outcome.frameMs.push(clock() - before);
    outcome.frames++;
    if (predictor.rollbackCount >= (options.rollbackMax ?? Infinity)) {
      break;
    }
  }
  outcome.rollbacks = predictor.rollbackCount;
  const corrections = [...outcome.corrections];
  now += 10_000;
  hear();
  compareAtEnd(daemon, predictor, worlds[1], options.seed);
  outcome.corrections = corrections; // those of the end are of inputs that were cut off
  outcome.agreed = predictor.agreedCount;
  predictor.destroy();
  worlds.forEach((world) => world.destroy());
  return outcome;
}

/** The daemon's world, stepped to the present of the client, has its hash. */
function compareAtEnd(daemon: SimulatedDaemon, predictor: Predictor, world: World, seed: number) {
  const end = Math.max(daemon.tick, predictor.presentTick);
  const { tick } = daemon;
  // No input acts any more; the deeds before the daemon's tick have all arrived.
  predictor.deeds({ tick, generation: 1, deeds: new Uint8Array(0), hash: "" });
  predictor.settle(Infinity);
  daemon.world.step(end - daemon.tick);
  predictor.advance(end);
  predictor.deeds({ tick: end, generation: 1, deeds: new Uint8Array(0), hash: "" });
  predictor.advance(end);
  if (hashOf(world) !== hashOf(daemon.world) || world.tick !== daemon.world.tick) {
    throw new Error(`seed ${seed}: at tick ${end} the client's world is another`);
  }
}
