/**
 * remote.ts: a predictor for a session: its worker, the poses that it sent last, and when not to
 * predict.
 *
 *     const remote = new Remote(session, () =>
 *       new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }));
 *     remote.use(true);
 *
 *     OFF --use--> LOADING --engine--> READY --image--> ON --too slow, failed--> FALLEN BACK
 *
 * The session subscribes to deeds while there is an engine (READY, ON).  When the page falls back,
 * it subscribes to snapshots, as a page does that predicts nothing.
 */
import { type Prediction, type Session, Store } from "@cairn/client";
import { type Deeds, type Joined, SceneSchema, isSpatial } from "@cairn/protocol";
import { moduleFor } from "@cairn/engine";
import type { FromHost, Shown, ToHost } from "@cairn/predict";
import { toBinary } from "@bufbuild/protobuf";

export type PredictionState =
  | { kind: "off" }
  | { kind: "loading" }
  | { kind: "on"; agreed: boolean }
  | { kind: "fallen"; reason: string };

/** Numbers of a body in the predictor's places: x, y, z, angle, w, x, y, z. */
const PLACE = 8;
/** The frames of a tick that the engine makes (World.frames). */
const CONTACTS = 1;
const ENERGY = 2;
const ACTIONS = 4;
/** Frames that may be too slow before the page falls back. */
const SLOW_FRAMES_MAX = 90;
/** Ticks behind the present after which another image is asked for, and how often. */
const BEHIND_MAX = 300;
const PATIENCE_MS = 2000;
/** Corrections and desyncs are counted over this time. */
const METER_MS = 1000;

export class Remote implements Prediction {
  private readonly stateStore = new Store<PredictionState>({ kind: "off" });
  readonly state = this.stateStore;
  private worker: Worker | null = null;
  physics: number | null = null;
  private places: Float64Array | null = null;
  shownTick = 0;
  asleep = new Uint8Array(0);
  private isFlat = true;
  private file = "";
  private isAsked = false;
  private slowFrames = 0;
  private caughtUpAt = 0;
  private readonly sends = new Map<number, (tick: number) => void>();
  /** In the last full second: bodies that others' deeds corrected, and the longest way [mm]. */
  corrected = 0;
  correctedMm = 0;
  /** All bodies corrected since the page predicts, by others, and by own inputs that were late. */
  correctedAll = 0;
  correctedByOwn = 0;
  private counting = { corrected: 0, mm: 0, since: 0 };
  leadTicks = 0;
  agreedCount = 0;

  /** The world for which this device was too slow. */
  private fallenIn = "";

  /** `makeWorker` starts a thread that calls serveEngines (worker.ts). */
  constructor(private readonly session: Session, private readonly makeWorker: () => Worker) {
    session.joined.subscribe((joined) => {
      const isElsewhere = joined !== null && joined.world !== this.fallenIn;
      if (this.stateStore.get().kind === "fallen" && isElsewhere) {
        this.use(true);
      }
    });
  }

  get isOn(): boolean {
    return this.places !== null;
  }

  get shownTime(): number {
    return this.shownTick / (this.session.status.get()?.tickRate || 60);
  }

  /** Begins to predict, or ends it. */
  use(on: boolean): void {
    if (on === (this.worker !== null)) {
      return;
    }
    if (on) {
      this.open();
      this.session.predict(this);
    } else {
      this.close();
      this.stateStore.set({ kind: "off" });
      this.session.predict(null);
    }
  }

  private open(): void {
    this.worker = this.makeWorker();
    this.worker.onmessage = ({ data }: MessageEvent<FromHost>) => this.on(data);
    this.worker.onerror = () => this.fall("the predictor's thread does not start");
    this.slowFrames = 0;
    this.stateStore.set({ kind: "loading" });
  }

  private close(): void {
    this.worker?.terminate();
    this.worker = null;
    this.physics = null;
    this.file = "";
    this.onStopped();
    this.sendAll();
  }

  /** Snapshots from now on, until another world is joined or the user switches it on again. */
  private fall(reason: string): void {
    if (this.worker !== null) {
      this.fallenIn = this.session.joined.get()?.world ?? "";
      this.close();
      this.stateStore.set({ kind: "fallen", reason });
      this.session.predict(null);
    }
  }

  private post(message: ToHost): void {
    this.worker?.postMessage(message);
  }

  /** Inputs that wait for the worker are sent, to act when they arrive. */
  private sendAll(): void {
    const sends = [...this.sends.values()];
    this.sends.clear();
    sends.forEach((send) => send(0));
  }

  onJoined({ scene }: Joined): void {
    this.onStopped();
    const file = scene === undefined ? this.file : moduleFor(scene);
    if (this.worker !== null && file !== this.file) {
      this.file = file;
      this.post({ kind: "load", file });
    }
  }

  onImage(joined: Joined, session: bigint): void {
    const scene = joined.engineScene ?? joined.scene;
    if (this.worker === null || scene === undefined) {
      return;
    }
    this.isFlat = !isSpatial(joined.scene);
    this.post({
      kind: "start", scene: toBinary(SceneSchema, scene), session,
      start: {
        tick: Number(joined.imageTick), generation: joined.generation, image: joined.image,
        hash: joined.imageHash,
        shown: joined.engineScene !== undefined && joined.scene !== undefined
          ? toBinary(SceneSchema, joined.scene) : undefined,
      },
    });
  }

  onDeeds({ tick, generation, deeds, hash }: Deeds): void {
    this.post({ kind: "deeds", deeds: { tick: Number(tick), generation, deeds, hash } });
  }

  onSettled(seq: number): void {
    this.post({ kind: "settle", seq });
  }

  onRefused(seq: number): void {
    this.post({ kind: "refuse", seq });
  }

  onStopped(): void {
    this.places = null;
    this.isAsked = false;
    this.agreedCount = 0;
    if (this.stateStore.get().kind === "on") {
      this.stateStore.set({ kind: "loading" });
    }
  }

  onInput(seq: number, message: Uint8Array, least: number, send: (tick: number) => void): void {
    this.sends.set(seq, send);
    this.post({ kind: "input", seq, message, least });
  }

  sample(present: number, isHeld: boolean, out: Float64Array): void {
    if (!this.isAsked) {
      this.isAsked = true;
      const wants = (this.session.wantsContacts ? CONTACTS : 0) + ENERGY + ACTIONS;
      this.post({ kind: "frame", target: present, isHeld, wants });
    }
    this.catchUp(present);
    const { places } = this;
    if (places !== null) {
      this.write(places, out);
    }
  }

  /** After a time without frames another image is quicker than all the ticks since. */
  private catchUp(present: number): void {
    const now = performance.now();
    if (present > this.shownTick + BEHIND_MAX && now - this.caughtUpAt > PATIENCE_MS) {
      this.caughtUpAt = now;
      this.session.askForImage();
    }
  }

  private write(places: Float64Array, out: Float64Array): void {
    const stride = this.isFlat ? 3 : 7;
    const count = Math.min(Math.floor(places.length / PLACE), Math.floor(out.length / stride));
    for (let body = 0; body < count; body++) {
      const from = body * PLACE;
      const to = body * stride;
      out[to] = places[from]!;
      out[to + 1] = places[from + 1]!;
      if (this.isFlat) {
        out[to + 2] = places[from + 3]!;
      } else {
        out[to + 2] = places[from + 2]!;
        out.set(places.subarray(from + 4, from + 8), to + 3);
      }
    }
  }

  private on(message: FromHost): void {
    switch (message.kind) {
      case "loaded":
        this.physics = message.physics;
        this.session.askForImage();
        break;
      case "failed":
        this.fall(message.reason);
        break;
      case "started":
        this.post({ kind: "frame", target: 0, isHeld: false, wants: 0 });
        break;
      case "desync":
        this.agreedCount = 0;
        this.stateStore.set({ kind: "on", agreed: false });
        this.session.deeds.tellDesync(message.tick, message.hash);
        break;
      case "changed":
        this.session.askForImage();
        break;
      case "input": {
        const send = this.sends.get(message.seq);
        this.sends.delete(message.seq);
        send?.(message.tick);
        break;
      }
      case "shown":
        this.show(message);
        break;
    }
  }

  private show(shown: Shown): void {
    this.isAsked = false;
    this.places = shown.places;
    this.asleep = shown.asleep;
    this.shownTick = shown.tick;
    if (shown.frames !== null) {
      this.session.connection.takeOwn(shown.frames);
    }
    this.leadTicks = shown.tick - shown.firmTick;
    this.agreedCount = shown.agreedCount;
    this.meter(shown);
    const agreed = shown.agreedCount > 0;
    const before = this.stateStore.get();
    if (before.kind !== "on" || before.agreed !== agreed) {
      this.stateStore.set({ kind: "on", agreed });
    }
    this.slowFrames = shown.isFast === false ? this.slowFrames + 1 : 0;
    if (this.slowFrames > SLOW_FRAMES_MAX) {
      this.fall(`a tick takes ${shown.tickMs.toFixed(1)} ms here`);
    }
  }

  private meter({ corrected, correctedMm, correctedByOwn }: Shown): void {
    const { counting } = this;
    const now = performance.now();
    counting.corrected += corrected;
    this.correctedAll += corrected;
    this.correctedByOwn += correctedByOwn;
    counting.mm = Math.max(counting.mm, correctedMm);
    if (now - counting.since >= METER_MS) {
      this.corrected = counting.corrected;
      this.correctedMm = counting.mm;
      this.counting = { corrected: 0, mm: 0, since: now };
    }
  }
}
