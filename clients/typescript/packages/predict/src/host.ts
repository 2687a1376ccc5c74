/**
 * host.ts: a predictor in a Worker, as messages: it loads the engine, makes the worlds and answers.
 *
 * The owner names the smallest module for its scene.  Where that refuses an image or a deed, the
 * whole one is loaded and continues.
 *
 * Threads: one; no DOM.  The owner passes messages in order.
 */
import { Engine, EngineError, WHOLE_MODULE, type World } from "@cairn/engine";
import { type Deeds, Predictor, type Start } from "./predictor";

export type ToHost =
  /** Loads a module, by its file name. */
  | { kind: "load"; file: string }
  | { kind: "start"; scene: Uint8Array; session: bigint; start: Start }
  | { kind: "deeds"; deeds: Deeds }
  | { kind: "settle"; seq: number }
  | { kind: "refuse"; seq: number }
  /** It can not arrive before the tick `least`. */
  | { kind: "input"; seq: number; message: Uint8Array; least: number }
  /** A frame of the screen: to that tick; `isHeld`: and not beyond it; `wants`: World.frames. */
  | { kind: "frame"; target: number; isHeld: boolean; wants: number };

export interface Shown {
  kind: "shown";
  /** PLACE_NUMBERS for each body. */
  places: Float64Array<ArrayBuffer>;
  /** Of each body 1 if it sleeps. */
  asleep: Uint8Array<ArrayBuffer>;
  /** Frames of the drawn tick, if it is another one (World.frames). */
  frames: Uint8Array<ArrayBuffer> | null;
  tick: number;
  firmTick: number;
  /** Hashes that were equal to the daemon's since the last image. */
  agreedCount: number;
  /** Since the last frame: the bodies that others' deeds corrected, and the longest way [mm]. */
  corrected: number;
  correctedMm: number;
  /** Since the last frame: the bodies that moved because own inputs came late or were refused. */
  correctedByOwn: number;
  tickMs: number;
  isFast: boolean | null;
}

export type FromHost =
  | { kind: "loaded"; physics: number }
  /** There is no engine, or it can not do this world. */
  | { kind: "failed"; reason: string }
  | { kind: "started" }
  | { kind: "desync"; tick: number; hash: string }
  /** Another image is needed. */
  | { kind: "changed" }
  /** The tick on whose state the input acts; 0: the daemon chooses. */
  | { kind: "input"; seq: number; tick: number }
  | Shown;

/** Milliseconds of a frame for steps. */
const BUDGET_MS = 10;
const WARM_UP_TICKS = 60;
const WARM_UP_MS = 150;

export class Host {
  private readonly engines = new Map<string, Promise<Engine>>();
  private file = WHOLE_MODULE;
  private begun: { scene: Uint8Array; session: bigint; start: Start } | null = null;
  private world: World | null = null;
  private predictor: Predictor | null = null;
  private isReplacing = false;
  /** Deeds since an image from which nothing could begin yet, because an engine is loading. */
  private waiting: Deeds[] | null = null;
  private corrected = 0;
  private correctedMm = 0;
  private correctedByOwn = 0;
  /** The tick of the last frames. */
  private framedTick = -1;

  constructor(
    private readonly load: (file: string) => Promise<Engine>,
    private readonly post: (message: FromHost, transfer?: ArrayBuffer[]) => void,
  ) {}

  on(message: ToHost): void {
    switch (message.kind) {
      case "load":
        this.file = message.file;
        this.engine(this.file).then(
          ({ physicsVersion: physics }) => this.post({ kind: "loaded", physics }),
          (error: unknown) => this.fail(error),
        );
        break;
      case "start":
        this.begun = message;
        this.waiting = [];
        this.start(message.scene, message.session, message.start, this.file);
        break;
      case "deeds":
        if (this.waiting !== null) {
          this.waiting.push(message.deeds);
        } else {
          this.predictor?.deeds(message.deeds);
        }
        break;
      case "settle":
        this.predictor?.settle(message.seq);
        break;
      case "refuse":
        this.predictor?.refuse(message.seq);
        break;
      case "input": {
        const tick = this.predictor?.input(message.seq, message.message, message.least) ?? 0;
        this.post({ kind: "input", seq: message.seq, tick });
        break;
      }
      case "frame":
        this.frame(message.target, message.isHeld, message.wants);
        break;
    }
  }

  private engine(file: string): Promise<Engine> {
    const loading = this.engines.get(file) ?? this.load(file);
    this.engines.set(file, loading);
    return loading;
  }

  private fail(error: unknown): void {
    this.post({ kind: "failed", reason: error instanceof Error ? error.message : String(error) });
  }

  private drop(): void {
    this.predictor?.destroy();
    this.world?.destroy();
    this.predictor = this.world = null;
  }

  private start(scene: Uint8Array, session: bigint, start: Start, file: string): void {
    this.engine(file).then((engine) => {
      if (this.begun?.start !== start) {
        return; // a later image has come
      }
      this.drop();
      try {
        const world = engine.createWorld(scene);
        this.world = world;
        const predictor = this.makePredictor(world, session);
        predictor.start(start);
        predictor.warmUp(WARM_UP_TICKS, WARM_UP_MS);
        this.predictor = predictor;
        this.post({ kind: "started" });
        this.waiting?.forEach((deeds) => predictor.deeds(deeds));
        this.waiting = null;
      } catch (error) {
        this.drop();
        if (error instanceof EngineError && file !== WHOLE_MODULE) {
          this.start(scene, session, start, WHOLE_MODULE);
        } else {
          this.fail(error);
        }
      }
    }, (error: unknown) => this.fail(error));
  }

  private makePredictor(world: World, session: bigint): Predictor {
    return new Predictor({
      world,
      session,
      desync: (tick, hash) => this.post({ kind: "desync", tick, hash }),
      changed: () => this.post({ kind: "changed" }),
      corrected: ({ bodies, mm }, _tick, cause) => {
        if (cause === "own") {
          this.correctedByOwn += bodies;
          return;
        }
        this.corrected += bodies;
        this.correctedMm = Math.max(this.correctedMm, mm);
      },
    });
  }

  private frame(target: number, isHeld: boolean, wants: number): void {
    const { predictor, world } = this;
    if (predictor === null || world === null) {
      return;
    }
    if (predictor.refused !== null) {
      this.replace(predictor);
    }
    predictor.advance(target, BUDGET_MS, isHeld);
    const places = new Float64Array(predictor.drawSize);
    predictor.draw(places);
    const { corrected, correctedMm, correctedByOwn } = this;
    this.corrected = this.correctedMm = this.correctedByOwn = 0;
    const isNew = wants > 0 && predictor.isDrawn && predictor.drawnTick !== this.framedTick;
    const frames = isNew ? world.frames(wants) : null;
    this.framedTick = isNew ? predictor.drawnTick : this.framedTick;
    this.post({
      kind: "shown", places, frames, asleep: predictor.asleep, corrected, correctedMm,
      correctedByOwn, tick: predictor.drawnTick, firmTick: predictor.firmTick,
      agreedCount: predictor.agreedCount, tickMs: predictor.tickMs, isFast: predictor.isFast,
    }, frames === null ? [places.buffer] : [places.buffer, frames.buffer]);
  }

  /** The whole engine continues where the smaller one refused a deed. */
  private replace(old: Predictor): void {
    const { begun } = this;
    if (this.isReplacing || begun === null) {
      return;
    }
    this.isReplacing = true;
    this.engine(WHOLE_MODULE).then((engine) => {
      if (this.predictor === old && old.refused !== null) {
        const world = engine.createWorld(begun.scene);
        const next = this.makePredictor(world, begun.session);
        next.takeOver(old);
        this.drop();
        this.world = world;
        this.predictor = next;
      }
    }).catch((error: unknown) => this.fail(error)).finally(() => { this.isReplacing = false; });
  }
}
