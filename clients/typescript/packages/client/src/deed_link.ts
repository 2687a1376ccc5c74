/**
 * deed_link.ts: the side of a session that a predictor uses: which mode it subscribes to, which
 * tick is the present one, and how own inputs get their ticks.
 */
import { type MessageInitShape, create, toBinary } from "@bufbuild/protobuf";
import {
  ClientMessageSchema, type InputSchema, type Joined, type Rejected, Subscribe_Mode, type Tick,
  type WorldStatus, WorldStatus_State,
} from "@cairn/protocol";
import type { Connection } from "./connection";
import type { InputTick } from "./input_tick";
import type { Prediction } from "./prediction";
import type { Readable } from "./store";

/** Only a subscription to deeds is refused by these, also if another one has been sent since. */
const OWN_PATHS: ReadonlySet<string> = new Set(["subscribe.mode", "subscribe.physics"]);

/** Contacts a second in mode DELTA: forces move with their bodies in between. */
export const CONTACT_RATE = 20;

/** The weight of a new frame in their mean duration, and its limit. */
const FRAME_SHARE = 0.1;
const FRAME_MAX_MS = 100;
/** The lead follows the spread of round trips up to this. */
const SPREAD_MAX_MS = 150;
/** The weight of a new input in the mean time of the predictor's answers, and in its deviation. */
const HAND_SHARE = 0.2;
/** The time of an answer is at most the mean and so many deviations, nearly always. */
const HAND_DEVIATIONS = 3;

interface Subscription {
  mode: Subscribe_Mode;
  physics?: number;
  contacts?: boolean;
  contactRate?: number;
  energy?: boolean;
  actions?: boolean;
  attributes: boolean;
}

export class DeedLink {
  prediction: Prediction | null = null;
  /** A replay, or a daemon with another engine. */
  private isRefused = false;
  /** The mean time between frames of the screen, and when the last one was. */
  private frameMs = 16;
  private frameAt = 0;
  /** The mean time in which the predictor chooses the tick of an input, and its deviation. */
  private handMs = 0;
  private handDeviationMs = 0;
  /** The last subscription was to deeds. */
  private isAsked = false;

  constructor(
    private readonly connection: Connection,
    private readonly status: Readable<WorldStatus | null>,
    private readonly inputTick: InputTick,
  ) {}

  /** Whether the session is subscribed to deeds, or is to be. */
  get isWanted(): boolean {
    const isPast = this.status.get()?.state === WorldStatus_State.REPLAY;
    return !this.isRefused && !isPast && (this.prediction?.physics ?? null) !== null;
  }

  use(prediction: Prediction | null, joined: Joined | null): void {
    if (this.prediction !== prediction) {
      this.prediction?.onStopped();
    }
    this.prediction = prediction;
    if (joined !== null) {
      prediction?.onJoined(joined);
    }
  }

  onSettled(seq: number, before: number): void {
    if (seq > before) {
      this.prediction?.onSettled(seq);
    }
  }

  /** The predictor that shows the poses now. */
  get shown(): Prediction | null {
    return this.prediction?.isOn === true ? this.prediction : null;
  }

  /** With deeds the page's own engine makes contacts, energy and actions. */
  subscription(isWhole: boolean, contacts: boolean): Subscription {
    this.isAsked = this.isWanted && isWhole;
    return this.isAsked
      ? { mode: Subscribe_Mode.DEEDS, physics: this.prediction?.physics ?? 0, attributes: true }
      : {
        mode: Subscribe_Mode.DELTA, contacts, contactRate: contacts ? CONTACT_RATE : 0,
        energy: true, actions: true, attributes: true,
      };
  }

  /** Whether the subscription is to be sent again: the world before may have been a replay. */
  onJoined(joined: Joined, isResumed: boolean, isWhole: boolean): boolean {
    this.isRefused &&= isResumed;
    const state = this.connection.state.get();
    if (joined.image.length > 0 && state.kind === "open") {
      this.prediction?.onImage(joined, state.session);
    } else {
      this.prediction?.onJoined(joined);
    }
    return this.isWanted && isWhole && !this.isAsked;
  }

  /** Whether the refusal is of the subscription to deeds, so that another one is to be sent. */
  onRejected({ seq, error }: Rejected): boolean {
    if (seq > 0n) {
      this.prediction?.onRefused(Number(seq));
      return false;
    }
    const path = error?.path ?? "";
    const isOwn = OWN_PATHS.has(path) || (this.isAsked && path.startsWith("subscribe"));
    if (isOwn) {
      this.isRefused = true;
      this.prediction?.onStopped();
    }
    return isOwn;
  }

  get isRunning(): boolean {
    const status = this.status.get();
    return status?.state === WorldStatus_State.RUNNING && status.tickRate > 0;
  }

  /**
   * The tick to be shown in this frame: an input acts on its state that is sent before the next
   * frame.
   */
  presentTick(): Tick {
    const { clock } = this.connection;
    const now = performance.now();
    this.frameMs += FRAME_SHARE * (Math.min(now - this.frameAt, FRAME_MAX_MS) - this.frameMs);
    this.frameAt = now;
    if (!this.isRunning) {
      return this.inputTick.headerTick;
    }
    const arrival = clock.serverNow(now + this.wayMs + this.frameMs);
    const intervalUs = 1e6 / (this.status.get()?.tickRate ?? 60);
    return this.inputTick.expect(arrival, intervalUs) || this.inputTick.headerTick;
  }

  /** The time until an input has nearly always arrived that is given to the predictor now. */
  private get wayMs(): number {
    const { roundTripMs, spreadMs } = this.connection.clock;
    const spread = Math.min(spreadMs, SPREAD_MAX_MS);
    return roundTripMs / 2 + spread + this.handMs + HAND_DEVIATIONS * this.handDeviationMs;
  }

  private noteHand(ms: number): void {
    const off = Math.min(ms, FRAME_MAX_MS) - this.handMs;
    this.handMs += HAND_SHARE * off;
    this.handDeviationMs += HAND_SHARE * (Math.abs(off) - this.handDeviationMs);
  }

  /**
   * The tick before which an input can not arrive that is given to the predictor now.  It is later
   * than the shown one only if the page is late with its frame.
   */
  private earliest(now: number): Tick {
    const { clock } = this.connection;
    const status = this.status.get();
    if (status === null || !this.isRunning || clock.roundTripMs === 0) {
      return 0;
    }
    const arrival = clock.serverNow(now + this.wayMs);
    return this.inputTick.expect(arrival, 1e6 / status.tickRate);
  }

  /** 0, which means on arrival, if the world does not run or the clock is not known yet. */
  private chooseTick(): Tick {
    const { clock } = this.connection;
    const status = this.status.get();
    if (status === null || !this.isRunning || clock.roundTripMs === 0) {
      return 0;
    }
    const arrival = clock.serverNow(performance.now() + clock.roundTripMs / 2);
    return this.inputTick.choose(arrival, 1e6 / status.tickRate);
  }

  /** Inputs that came late since the world was joined, by the daemon's last report. */
  get lateInputs(): number {
    return this.inputTick.late;
  }

  /** The engine of the predictor has another hash at that tick; another image follows. */
  tellDesync(tick: Tick, hash: string): void {
    this.connection.send({ case: "desync", value: { tick: BigInt(tick), hash } });
  }

  /** A predictor does the input at once, and chooses its tick.  False: there is no connection. */
  sendInput(value: MessageInitShape<typeof InputSchema>, isTimed: boolean): boolean {
    const { shown } = this;
    if (shown === null) {
      const atTick = BigInt(isTimed ? this.chooseTick() : 0);
      return this.connection.send({ case: "input", value: { ...value, atTick } });
    }
    const message = create(ClientMessageSchema, { message: { case: "input", value } });
    const bytes = toBinary(ClientMessageSchema, message);
    const givenAt = performance.now();
    shown.onInput(Number(value.seq), bytes, this.earliest(givenAt), (tick) => {
      this.noteHand(performance.now() - givenAt);
      this.inputTick.onSent();
      this.connection.send({ case: "input", value: { ...value, atTick: BigInt(tick) } });
    });
    return this.connection.state.get().kind === "open";
  }
}
