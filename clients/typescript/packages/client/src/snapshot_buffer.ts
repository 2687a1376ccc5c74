/**
 * snapshot_buffer.ts: the last few states of a world, and the state to show now.
 *
 * Snapshots arrive at uneven times.  The page shows the world a little late, at
 *     shown time = server now - delay,
 * by linear interpolation of position and angle between the two snapshots around that time.  Angles
 * are not wrapped, so that a fast wheel turns the right way.  In space a rotation takes the shorter
 * way from one snapshot to the next.
 *
 * The delay follows the network.  It is a tick's interval plus the mean lateness of snapshots plus
 * three times its mean deviation, within limits.  It changes slowly, so that motion looks even.
 *
 * Nothing is extrapolated: without new snapshots the last one stays on the screen.
 *
 * Ownership: frames are allocated once per scene and reused; sample() writes into the caller's
 * array.
 */
import type {
  ServerMicroseconds,
  SnapshotColumns,
  Tick,
  WorldSeconds,
} from "@cairn/protocol";
import { blendTurns, unpackTurn } from "./turn";

/** Numbers of one body in a planar world's pose array: x [m], y [m], angle [rad]. */
export const POSE_STRIDE = 3;
/** Numbers of one body in a spatial world's: x, y, z [m], and the unit quaternion w, x, y, z. */
export const SPATIAL_POSE_STRIDE = 7;
const TURN_AT = 3;

const FRAME_COUNT = 32;
const DELAY_MIN_US = 10_000;
const DELAY_MAX_US = 250_000;
/** The weight of a new lateness in the running mean, and of a new target in the delay. */
const LATENESS_SHARE = 0.05;
const DELAY_SHARE = 0.02;

interface Frame {
  tick: Tick;
  time: WorldSeconds;
  serverTime: ServerMicroseconds;
  poses: Float64Array;
}

export interface SceneScales {
  bodyCount: number;
  /** Poses before the first snapshot, and of bodies that no snapshot names. */
  initial: Float64Array;
  isSpatial: boolean;
  /** The quanta of positions [m], angles [rad] and components of quaternions. */
  position: number;
  angle: number;
  turn: number;
  generation: number;
}

export class SnapshotBuffer {
  private frames: Frame[] = [];
  private newest = -1;
  private count = 0;
  private scales: SceneScales = {
    bodyCount: 0,
    initial: new Float64Array(0),
    isSpatial: false,
    position: 1,
    angle: 1,
    turn: 1,
    generation: -1,
  };
  private latenessUs = 0;
  private deviationUs = 0;
  private intervalUs = 1e6 / 60;
  private delayUs = 50_000;
  /** Tick and time of the last sample(). */
  shownTick: Tick = 0;
  shownTime: WorldSeconds = 0;
  /** For every body: 1 if it sleeps in the newest snapshot. */
  asleep = new Uint8Array(0);
  asleepCount = 0;
  /** Grows when a body falls asleep or wakes. */
  sleepVersion = 0;
  /** For every body, in a view of a part of the world: 1 if the newest snapshot names it. */
  inView = new Uint8Array(0);
  /** Grows when a body enters or leaves. */
  partVersion = 0;
  private isPart = false;
  private staysAsItIs = false;

  /** Whether there has been a snapshot since reset(). */
  get hasFrames(): boolean {
    return this.count > 0;
  }

  /** Whether bodies that a snapshot does not name are out of view; otherwise they cannot move. */
  setPart(isPart: boolean): void {
    this.isPart = isPart;
    this.inView.fill(1);
    this.partVersion++;
  }

  /**
   * Drops every frame and from now on accepts snapshots of `scales.generation`.  Until the first of
   * them the picture is the initial one, or stays as it is.
   */
  reset(scales: SceneScales, staysAsItIs = false): void {
    this.scales = scales;
    this.staysAsItIs = staysAsItIs;
    this.count = 0;
    this.newest = -1;
    this.shownTick = 0;
    this.shownTime = 0;
    this.asleep = new Uint8Array(scales.bodyCount);
    this.asleepCount = 0;
    this.sleepVersion++;
    this.inView = new Uint8Array(scales.bodyCount).fill(1);
    this.partVersion++;
    this.frames = Array.from({ length: FRAME_COUNT }, () => ({
      tick: 0,
      time: 0,
      serverTime: 0,
      poses: new Float64Array(scales.bodyCount * this.stride),
    }));
  }

  /**
   * After a change of the scene: the bodies in the slots `made` begin at their initial poses, and
   * the others continue.
   */
  restructure(
    bodyCount: number, initial: Float64Array, made: readonly number[], generation: number,
  ): void {
    const { stride } = this;
    this.scales = { ...this.scales, bodyCount, initial, generation };
    for (const frame of this.frames) {
      const poses = initial.slice();
      poses.set(frame.poses.subarray(0, Math.min(poses.length, frame.poses.length)));
      for (const slot of made) {
        poses.set(initial.subarray(slot * stride, (slot + 1) * stride), slot * stride);
      }
      frame.poses = poses;
    }
    const asleep = new Uint8Array(bodyCount);
    asleep.set(this.asleep.subarray(0, bodyCount));
    for (const slot of made) {
      asleep[slot] = 0;
    }
    this.inView = new Uint8Array(bodyCount).fill(1);
    this.partVersion++;
    this.asleep = asleep;
    this.asleepCount = asleep.reduce((sum, one) => sum + one, 0);
    this.sleepVersion++;
  }

  /** Numbers of one body in a pose array. */
  get stride(): number {
    return this.scales.isSpatial ? SPATIAL_POSE_STRIDE : POSE_STRIDE;
  }

  get bodyCount(): number {
    return this.scales.bodyCount;
  }

  get newestTick(): Tick {
    return this.count === 0 ? this.shownTick : this.frames[this.newest]!.tick;
  }

  /** The poses come from elsewhere, and these are their tick and time; frames are forgotten. */
  show(tick: Tick, time: WorldSeconds, asleep: Uint8Array): void {
    for (let body = 0; body < Math.min(asleep.length, this.asleep.length); body++) {
      if (this.asleep[body] !== asleep[body]) {
        this.asleep[body] = asleep[body]!;
        this.asleepCount += asleep[body] === 1 ? 1 : -1;
        this.sleepVersion++;
      }
    }
    this.shownTick = tick;
    this.shownTime = time;
    this.count = 0;
    this.staysAsItIs = true;
  }

  get delayMs(): number {
    return this.delayUs / 1000;
  }

  /** A tick's duration in real time, for the delay. */
  setInterval(intervalUs: number): void {
    this.intervalUs = intervalUs;
  }

  /** Takes a snapshot; false if it is of another scene, older, or names an unknown body. */
  push(
    snapshot: SnapshotColumns,
    serverTime: ServerMicroseconds,
    arrival: ServerMicroseconds,
  ): boolean {
    const { scales, count } = this;
    const previous = count > 0 ? this.frames[this.newest]! : null;
    const isOfOtherKind = snapshot.count > 0 && snapshot.isSpatial !== scales.isSpatial;
    const isOfOtherScene = snapshot.generation !== scales.generation || isOfOtherKind;
    if (isOfOtherScene || !this.namesKnownBodies(snapshot)) {
      return false;
    }
    if (previous !== null && snapshot.tick < previous.tick) {
      return false;
    }
    this.newest = (this.newest + 1) % FRAME_COUNT;
    this.count = Math.min(count + 1, FRAME_COUNT);
    const frame = this.frames[this.newest]!;
    frame.tick = snapshot.tick;
    frame.time = snapshot.time;
    frame.serverTime = Math.max(serverTime, previous?.serverTime ?? serverTime);
    frame.poses.set(previous === null ? scales.initial : previous.poses);
    for (let row = 0; row < snapshot.count; row++) {
      const body = snapshot.everyBody ? row : snapshot.body[row]!;
      this.unpack(snapshot, row, frame.poses, body * this.stride);
    }
    this.noteSleep(snapshot);
    if (this.isPart) {
      this.notePart(snapshot);
    }
    this.learnLateness(arrival - serverTime);
    return true;
  }

  private noteSleep(snapshot: SnapshotColumns): void {
    let changes = 0;
    for (let row = 0; row < snapshot.count; row++) {
      const body = snapshot.everyBody ? row : snapshot.body[row]!;
      const sleeps = snapshot.sleeps(row) ? 1 : 0;
      if (this.asleep[body] !== sleeps) {
        this.asleep[body] = sleeps;
        this.asleepCount += sleeps === 1 ? 1 : -1;
        changes++;
      }
    }
    this.sleepVersion += changes;
  }

  private notePart(snapshot: SnapshotColumns): void {
    const { inView } = this;
    let named = 0;
    let changes = 0;
    for (let body = 0; body < inView.length; body++) {
      // Rows ascend by body.
      const next = snapshot.everyBody ? named : snapshot.body[named]!;
      const isNamed = named < snapshot.count && next === body ? 1 : 0;
      changes += inView[body] === isNamed ? 0 : 1;
      inView[body] = isNamed;
      named += isNamed;
    }
    this.partVersion += changes;
  }

  private unpack(snapshot: SnapshotColumns, row: number, poses: Float64Array, at: number): void {
    const { isSpatial, position, angle, turn } = this.scales;
    poses[at] = snapshot.x[row]! * position;
    poses[at + 1] = snapshot.y[row]! * position;
    if (!isSpatial) {
      poses[at + 2] = snapshot.angle[row]! * angle;
      return;
    }
    poses[at + 2] = snapshot.z[row]! * position;
    const a = snapshot.turnA[row]! * turn;
    const b = snapshot.turnB[row]! * turn;
    const c = snapshot.turnC[row]! * turn;
    unpackTurn(snapshot.turnLargest[row]!, a, b, c, poses, at + TURN_AT);
  }

  private namesKnownBodies(snapshot: SnapshotColumns): boolean {
    if (snapshot.everyBody) {
      return snapshot.count <= this.scales.bodyCount;
    }
    for (let row = 0; row < snapshot.count; row++) {
      if (snapshot.body[row]! >= this.scales.bodyCount) {
        return false;
      }
    }
    return true;
  }

  private learnLateness(latenessUs: number): void {
    const error = latenessUs - this.latenessUs;
    this.latenessUs += error * LATENESS_SHARE;
    this.deviationUs += (Math.abs(error) - this.deviationUs) * LATENESS_SHARE;
    const wanted = this.intervalUs + Math.max(this.latenessUs, 0) + 3 * this.deviationUs;
    const target = Math.min(Math.max(wanted, DELAY_MIN_US), DELAY_MAX_US);
    this.delayUs += (target - this.delayUs) * DELAY_SHARE;
  }

  /** Writes the poses for the daemon's time `now`; false before the first snapshot. */
  sample(now: ServerMicroseconds, out: Float64Array): boolean {
    if (this.count === 0) {
      if (!this.staysAsItIs) {
        out.set(this.scales.initial);
      }
      return false;
    }
    const shown = now - this.delayUs;
    let after = this.newest;
    let before = after;
    for (let back = 1; back < this.count; back++) {
      if (this.frames[before]!.serverTime <= shown) {
        break;
      }
      after = before;
      before = (before + FRAME_COUNT - 1) % FRAME_COUNT;
    }
    this.blend(this.frames[before]!, this.frames[after]!, shown, out);
    return true;
  }

  private blend(a: Frame, b: Frame, shown: ServerMicroseconds, out: Float64Array): void {
    const span = b.serverTime - a.serverTime;
    const share = span > 0 ? Math.min(Math.max((shown - a.serverTime) / span, 0), 1) : 1;
    const reached = share >= 1 ? b : a;
    this.shownTick = reached.tick;
    this.shownTime = a.time + (b.time - a.time) * share;
    const { stride } = this;
    for (let at = 0; at < out.length; at += stride) {
      for (let k = at; k < at + 3; k++) {
        const from = a.poses[k]!;
        out[k] = from + (b.poses[k]! - from) * share;
      }
      if (stride === SPATIAL_POSE_STRIDE) {
        blendTurns(a.poses, b.poses, at + TURN_AT, share, out);
      }
    }
  }
}
