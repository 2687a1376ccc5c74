/**
 * prediction.ts: what a session needs of a predictor (@cairn/predict), which runs in a Worker.
 *
 * While a session has one that is ready, it subscribes to the deeds of its world instead of
 * snapshots (proto/WIRE.md, "Deeds"), and shows the predicted poses.
 */
import type { Deeds, Joined, Tick, WorldSeconds } from "@cairn/protocol";

export interface Prediction {
  /** The version of its engine; null: not yet loaded, or not to be used. */
  readonly physics: number | null;
  /** Whether it has poses to show. */
  readonly isOn: boolean;
  readonly shownTick: Tick;
  readonly shownTime: WorldSeconds;
  /** Of each body 1 if it sleeps. */
  readonly asleep: Uint8Array;
  /** The session has joined a world, or joined it again; nothing is predicted until the image. */
  onJoined(joined: Joined): void;
  /** A Joined with an image. */
  onImage(joined: Joined, session: bigint): void;
  onDeeds(deeds: Deeds): void;
  /** All inputs up to that number have acted or were refused. */
  onSettled(seq: number): void;
  onRefused(seq: number): void;
  /** The daemon refused the subscription, or the connection is lost. */
  onStopped(): void;
  /**
   * An own input, a ClientMessage, that can not arrive before the tick `least`; `send` is called in
   * order, with its tick or 0.
   */
  onInput(seq: number, message: Uint8Array, least: Tick, send: (tick: Tick) => void): void;
  /** Writes the poses to be drawn in this frame, which is to show the present tick. */
  sample(present: Tick, isHeld: boolean, out: Float64Array): void;
}
