/**
 * predictor.ts: a world that runs ahead of the daemon's, and is corrected by its deeds.
 *
 * The daemon sends an image of its world, then all deeds, which change the world besides time
 * (proto/WIRE.md, "Deeds").  The same deeds at the same ticks give the same bits.
 *
 *     firm      the tick of the last Deeds: all deeds before it are known, at it more may come
 *     present   the tick of the world here: ahead of firm by about the time that an input takes to
 *               the daemon and its deed takes back
 *
 * From firm on the world is a prediction: the deeds that are known, and the own inputs, which act
 * at once at the present tick.  Forces that others hold stay held until a deed ends them.  An image
 * of every tick from firm on is kept.  If the deeds of a tick are not the predicted ones,
 * the world goes back to that image, and steps to the present again.  If they are the same, which
 * they are for an own input that arrived in time, nothing happens: the correction is exactly 0.
 *
 * Going back may take longer than a frame.  Then it continues in the next frames, and the drawn
 * places stay until the present is reached.  No tick is left out.
 *
 * Hashes: where the daemon's hash of a tick differs from the one here, `desync` is called, and the
 * predictor waits for another image.
 *
 * A correction is the own session's doing if only own inputs acted at other ticks than predicted,
 * because they came late or were refused.  Otherwise it is the doing of others.
 *
 * With `isAhead` false the world follows the deeds and predicts nothing.
 *
 * Threads: one; no DOM.
 */
import { EngineError, type World } from "@cairn/engine";
import { ImageRing } from "./image_ring";
import { OwnInputs, sameBytes } from "./own_inputs";
import { Pace } from "./pace";
import { type Correction, Smoothing } from "./smoothing";

export type Cause = "own" | "others";

export interface PredictorOptions {
  world: World;
  /** The session whose inputs are predicted. */
  session: bigint;
  /** Whether the world runs ahead of the deeds; default: true. */
  isAhead?: boolean;
  /** Bytes of images; default: 64 MiB. */
  imageMemoryMax?: number;
  /** Milliseconds, for budgets and smoothing; default: performance.now. */
  now?: () => number;
  /** The hash of that tick is not the daemon's; `hash` is the one here. */
  desync?: (tick: number, hash: string) => void;
  /** Bodies or joints come or go: the predictor waits for another image, and its scene. */
  changed?: () => void;
  /** Places that were drawn at that tick were wrong. */
  corrected?: (correction: Correction, tick: number, cause: Cause) => void;
}

export interface Deeds {
  tick: number;
  generation: number;
  deeds: Uint8Array;
  hash: string;
}

export interface Start {
  tick: number;
  generation: number;
  image: Uint8Array;
  hash: string;
  /** The scene at the image, if bodies have come or gone since the world's own scene. */
  shown?: Uint8Array | undefined;
}

const IMAGE_MEMORY_MAX = 64 << 20;
/** Ticks that the world may be ahead of the deeds: beyond it waits for the daemon. */
const AHEAD_MAX = 120;
/** The daemon hashes ticks that are multiples of this. */
const HASH_EVERY = 30;

/** The first byte of a deed that changes bodies or joints. */
const CHANGE = 6;

const NO_DEEDS = new Uint8Array(0);

function join(parts: Uint8Array[]): Uint8Array {
  if (parts.length <= 1) {
    return parts[0] ?? NO_DEEDS;
  }
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export class Predictor {
  private readonly world: World;
  private readonly images: ImageRing;
  private readonly own: OwnInputs;
  private readonly smoothing = new Smoothing();
  private readonly pace = new Pace();
  private readonly now: () => number;
  private readonly isAhead: boolean;
  /** Of the image; null: none has come, or its hash differed. */
  private generation: number | null = null;
  private drawnGeneration: number | null = null;
  private firm = 0;
  private tick = 0;
  /** The daemon's deeds of ticks from firm on, and before where the world is behind them. */
  private readonly known = new Map<number, Uint8Array>();
  /** The deeds that acted here, of ticks before the present. */
  private readonly acted = new Map<number, Uint8Array>();
  private readonly hashes = new Map<number, string>();
  /** The daemon's hashes that are still to be compared. */
  private readonly checks = new Map<number, string>();
  /** The ticks from firm on, and before where the world is behind them, with deeds of others. */
  private readonly foreign = new Set<number>();
  /** The first tick whose deeds were other than predicted. */
  private wrongFrom: number | null = null;
  /** The cause of wrong places since the last correction. */
  private cause: Cause = "own";
  /** The places at the tick that is shown, and the ones before that correction. */
  private shown = new Float64Array(0);
  private shownTick = -1;
  private sleeping = new Uint8Array(0);
  private isCorrecting = false;
  private refusal: EngineError | null = null;
  private agreed = 0;
  private rollbacks = 0;

  constructor(private readonly options: PredictorOptions) {
    this.world = options.world;
    this.isAhead = options.isAhead ?? true;
    this.now = options.now ?? (() => performance.now());
    this.images = new ImageRing(options.world, options.imageMemoryMax ?? IMAGE_MEMORY_MAX);
    this.own = new OwnInputs((tick, message) =>
      options.world.deedOf(options.session, BigInt(tick), message),
    );
  }

  /** Frees the images; the world is the caller's. */
  destroy(): void {
    this.images.free();
  }

  /** Whether an image has come, and no hash has differed since. */
  get isRunning(): boolean {
    return this.generation !== null && this.refusal === null;
  }

  /** A deed that this module of the engine can not do: another module must continue. */
  get refused(): EngineError | null {
    return this.refusal;
  }

  get presentTick(): number {
    return this.tick;
  }

  /** All deeds of earlier ticks are known. */
  get firmTick(): number {
    return this.firm;
  }

  /** Hashes that were equal to the daemon's since the start. */
  get agreedCount(): number {
    return this.agreed;
  }

  get rollbackCount(): number {
    return this.rollbacks;
  }

  /** Mean milliseconds for a tick, with its image. */
  get tickMs(): number {
    return this.pace.tickMs;
  }

  /** Whether the device can correct within a frame; null: not yet known. */
  get isFast(): boolean | null {
    return this.pace.isFast(Math.max(this.tick - this.firm, 0));
  }

  /** Begins from the image of a Joined. */
  start({ tick, generation, image, hash, shown }: Start): void {
    this.generation = null;
    this.world.restore(image);
    if (shown !== undefined) {
      this.world.show(shown);
    }
    const here = this.hash();
    if (here !== hash || Number(this.world.tick) !== tick) {
      this.options.desync?.(tick, here);
      return;
    }
    this.begin(tick, generation);
    this.own.postpone(tick);
  }

  /** The world has the state of that tick.  The same bodies move there as after a correction. */
  private begin(tick: number, generation: number): void {
    this.firm = this.tick = tick;
    this.images.keepOnly(0, -1);
    for (const map of [this.known, this.acted, this.hashes, this.checks]) {
      map.clear();
    }
    this.foreign.clear();
    this.wrongFrom = null;
    this.refusal = null;
    this.agreed = 0;
    const places = this.world.places();
    const isSame = this.drawnGeneration === generation && this.shown.length === places.length;
    this.isCorrecting = isSame && this.shownTick >= tick;
    this.cause = this.isCorrecting ? "others" : "own";
    if (!this.isCorrecting) {
      this.smoothing.reset(this.world.bodyCount);
      this.shown = places.slice();
      this.shownTick = tick;
    }
    this.generation = this.drawnGeneration = generation;
  }

  /**
   * Continues where another predictor's module refused a deed: from the image of that tick.  The
   * other one must still have been given all deeds since.
   */
  takeOver(other: Predictor): void {
    const { generation, tick } = other;
    if (generation === null) {
      return;
    }
    this.world.restore(other.images.bytes(tick));
    this.begin(tick, generation);
    for (const [at, deeds] of other.known) {
      this.known.set(at, deeds);
    }
    for (const [at, hash] of other.checks) {
      this.checks.set(at, hash);
    }
    this.firm = other.firm;
    this.own.takeOver(other.own);
  }

  /** Steps the world some ticks unseen, so that the browser has compiled it well. */
  warmUp(ticks: number, budgetMs: number): void {
    const begin = this.now();
    const image = this.world.makeKept();
    this.world.keep(image);
    for (let i = 0; i < ticks && this.now() - begin < budgetMs; i++) {
      this.world.step();
    }
    this.world.recall(image);
    image.free();
  }

  /**
   * An own input acts on the present state, or at the tick `least` if that is later, before which
   * it can not arrive: returns its tick, which the caller puts into the message (`atTick`); null:
   * there is no prediction, the daemon chooses.
   */
  input(seq: number, message: Uint8Array, least = 0): number | null {
    if (!this.isRunning || !this.isAhead) {
      return null;
    }
    const tick = Math.max(this.tick, this.firm, this.shownTick, least, this.own.newestTick);
    this.own.add(seq, tick, message);
    return tick;
  }

  /** The inputs up to that number have acted or were refused (TickHeader.appliedSeq). */
  settle(seq: number): void {
    this.own.settle(seq);
    this.expectAll();
  }

  refuse(seq: number): void {
    this.own.refuse(seq);
    this.expectAll();
  }

  /** A message Deeds. */
  deeds({ tick, generation, deeds, hash }: Deeds): void {
    if (this.generation !== null && generation > this.generation) {
      this.generation = null; // rules of the scene have made or removed bodies
      this.options.changed?.();
    }
    if (this.generation === null || generation !== this.generation) {
      return;
    }
    if (tick < this.firm) {
      this.stop(tick, "");
      return;
    }
    const before = this.firm;
    this.firm = tick;
    this.own.postpone(tick);
    for (const one of deeds.length > 0 ? this.world.splitDeeds(deeds) : []) {
      if (one[0] === CHANGE) {
        this.generation = null;
        this.options.changed?.();
        return;
      }
      if (!this.own.match(tick, one)) {
        this.foreign.add(tick);
      }
    }
    if (deeds.length > 0) {
      this.known.set(tick, join([this.known.get(tick) ?? NO_DEEDS, deeds]));
    }
    for (let t = before; t <= tick && t < this.tick; t++) {
      this.expect(t);
    }
    if (hash !== "") {
      this.checks.set(tick, hash);
    }
    this.forget();
    this.checkKnown();
  }

  /** The deeds that should act at a tick: the daemon's, then own inputs still expected. */
  private planned(tick: number): Uint8Array {
    const known = this.known.get(tick) ?? NO_DEEDS;
    const own = this.own.at(tick).map(({ deed }) => deed);
    return own.length === 0 ? known : join([known, ...own]);
  }

  /** Compares what acted at a past tick with what should have. */
  private expect(tick: number): void {
    if (tick >= this.tick || sameBytes(this.planned(tick), this.acted.get(tick) ?? NO_DEEDS)) {
      return;
    }
    this.wrongFrom = Math.min(this.wrongFrom ?? tick, tick);
    if (this.foreign.has(tick)) {
      this.cause = "others";
    }
  }

  private expectAll(): void {
    if (this.isRunning) {
      for (let t = this.firm; t < this.tick; t++) {
        this.expect(t);
      }
    }
  }

  /** The first tick to which the world may still have to go back. */
  private get oldest(): number {
    return Math.min(this.wrongFrom ?? this.firm, this.firm, this.tick);
  }

  private forget(): void {
    const { oldest } = this;
    this.images.keepOnly(oldest, Number.MAX_SAFE_INTEGER);
    for (const map of [this.known, this.acted, this.hashes]) {
      for (const tick of map.keys()) {
        if (tick < oldest) {
          map.delete(tick);
        }
      }
    }
    this.foreign.forEach((tick) => tick < oldest && this.foreign.delete(tick));
  }

  private hash(): string {
    return this.world.hash().toString(16).padStart(16, "0");
  }

  private stop(tick: number, hash: string): void {
    this.generation = null;
    this.options.desync?.(tick, hash);
  }

  /** Compares hashes of ticks that the world has passed and that are right. */
  private checkKnown(): void {
    for (const [tick, hash] of this.checks) {
      const here = this.hashes.get(tick);
      if (!this.isRunning || (this.wrongFrom !== null && this.wrongFrom < tick)) {
        continue;
      }
      if (here !== undefined) {
        this.compare(tick, hash, here);
      } else if (tick < this.tick && this.images.has(tick)) {
        this.wrongFrom = Math.min(this.wrongFrom ?? tick, tick); // once more, and hash it
      }
    }
  }

  private compare(tick: number, hash: string, here: string): void {
    this.checks.delete(tick);
    if (hash === here) {
      this.agreed++;
    } else {
      this.stop(tick, here);
    }
  }

  /**
   * Steps to the target tick, or as far as the milliseconds of the budget allow.  False: there is
   * more to do, in the next frame.  With `isHeld` the daemon's world stands at the target, and a
   * world that is beyond it goes back.
   */
  advance(target: number, budgetMs = Infinity, isHeld = false): boolean {
    const begin = this.now();
    if (!this.isRunning) {
      return true;
    }
    if (isHeld && this.tick > target && this.images.has(target)) {
      this.wrongFrom = Math.min(this.wrongFrom ?? target, target);
    }
    const end = this.isAhead ? target : Math.min(target, this.firm);
    this.goBack();
    if (isHeld && this.tick === target && this.shownTick > target) {
      this.shownTick = target;
      this.showTick();
    }
    const first = this.tick;
    let isDone = this.tick >= end;
    let spent = 0;
    while (!isDone && this.isRunning && this.mayStep()) {
      this.stepOnce();
      this.showTick();
      spent = this.now() - begin;
      isDone = this.tick >= end;
      if (spent > budgetMs) {
        break;
      }
    }
    if (this.tick > first) {
      this.pace.note(this.tick - first, spent);
    }
    return isDone || !this.isRunning || !this.mayStep();
  }

  private mayStep(): boolean {
    return this.tick < this.firm || (this.tick - this.firm < AHEAD_MAX && !this.images.isFull);
  }

  private goBack(): void {
    const from = this.wrongFrom;
    if (from === null) {
      return;
    }
    this.wrongFrom = null;
    this.isCorrecting = true;
    this.images.recall(from);
    this.rollbacks++;
    this.tick = from;
    for (const map of [this.acted, this.hashes]) {
      for (const tick of map.keys()) {
        if (tick >= from) {
          map.delete(tick);
        }
      }
    }
    this.images.keepOnly(from, from);
  }

  private stepOnce(): void {
    const { tick, world } = this;
    if (tick >= this.firm || this.known.has(tick)) {
      this.images.keep(tick);
    }
    const wanted = this.checks.get(tick);
    if (tick % HASH_EVERY === 0 || wanted !== undefined) {
      const here = this.hash();
      this.hashes.set(tick, here);
      if (wanted !== undefined) {
        this.compare(tick, wanted, here);
        if (!this.isRunning) {
          return;
        }
      }
    }
    if (!this.act(tick)) {
      return;
    }
    world.step();
    this.tick = tick + 1;
  }

  /** Does the deeds of a tick; an own input that the engine refuses, the daemon refuses as well. */
  private act(tick: number): boolean {
    const known = this.known.get(tick);
    try {
      if (known !== undefined) {
        this.world.deeds(known);
      }
    } catch (error) {
      if (error instanceof EngineError) {
        this.refusal = error;
        return false;
      }
      throw error;
    }
    for (const { seq, deed } of this.own.at(tick)) {
      try {
        this.world.deeds(deed);
      } catch (error) {
        if (!(error instanceof EngineError)) {
          throw error;
        }
        this.own.refuse(seq);
      }
    }
    const acted = this.planned(tick);
    if (acted.length > 0) {
      this.acted.set(tick, acted);
    }
    return true;
  }

  /** Notes corrections at the tick that was shown last; a later tick is shown from now on. */
  private showTick(): void {
    if (this.tick < this.shownTick) {
      return;
    }
    const places = this.world.places();
    if (this.tick === this.shownTick && this.isCorrecting) {
      const correction = this.smoothing.correct(this.shown, places, this.now());
      this.isCorrecting = false;
      if (correction.bodies > 0) {
        this.options.corrected?.(correction, this.tick, this.cause);
      }
      this.cause = "own";
    }
    this.shown.set(places);
    this.sleeping = this.world.asleep().slice();
    this.shownTick = this.tick;
  }

  /** The tick of the places that `draw` writes. */
  get drawnTick(): number {
    return this.shownTick;
  }

  /** Whether the world is at the drawn tick, and not on its way there again. */
  get isDrawn(): boolean {
    return this.isRunning && this.tick === this.shownTick;
  }

  /** The numbers that `draw` writes. */
  get drawSize(): number {
    return this.shown.length;
  }

  /** Of each slot of a body 1 if it sleeps at the drawn tick; empty before the first step. */
  get asleep(): Uint8Array<ArrayBuffer> {
    return this.sleeping;
  }

  /** Writes the places to be drawn now, PLACE_NUMBERS for each slot of a body. */
  draw(out: Float64Array): void {
    this.smoothing.draw(this.shown, this.now(), out);
  }
}
