/**
 * input_tick.ts: for which tick of the world an input is meant, so that it comes in time.
 *
 * An input for tick T has to arrive before the daemon steps from T.  It is given the tick that the
 * world will have reached when it arrives, by the last header, the clock and half a round trip, and
 * some lead.  The lead follows a quantile (Robbins and Monro 1951): each late input adds one tick
 * and each other one takes LATE_SHARE of a tick, so that over n inputs, as long as no bound is met,
 *
 *     late = n * LATE_SHARE + (lead at the end - lead at the beginning)
 *
 * and the share of late ones goes to LATE_SHARE whatever the delays are like.  Many late ones at
 * once are one hiccup: they add RISE_MAX at most, unless the daemon's margin, the mean by which
 * inputs come early, says that more is missing.
 */
import type { ServerMicroseconds, Tick } from "@cairn/protocol";

const LEAD_FIRST = 1;
const LEAD_MAX = 30;
const LATE_SHARE = 0.002;
const RISE_MAX = 4;
/** The daemon refuses what is further away. */
const AHEAD_MAX = 120;
/** A world that has shown nothing for so long is not reckoned on. */
const SILENCE_MAX_US = 500_000;

export class InputTick {
  private tick: Tick = 0;
  private shownAt: ServerMicroseconds = 0;
  private known = false;
  private newest: Tick = 0;
  private sentCount = 0;
  private lateCount = 0;
  private leadTicks = LEAD_FIRST;

  /** In ticks, beyond what the clock foretells. */
  get lead(): number {
    return this.leadTicks;
  }

  /** Of another world: its ticks and counts are others, the line is the same. */
  reset(): void {
    this.known = false;
    this.newest = this.sentCount = this.lateCount = 0;
  }

  onHeader(tick: Tick, shownAt: ServerMicroseconds): void {
    if (tick < this.tick) {
      this.newest = 0;
    }
    this.tick = tick;
    this.shownAt = shownAt;
    this.known = true;
  }

  /** The tick for an input that arrives then; never before an earlier one's; 0: none is known. */
  choose(arrival: ServerMicroseconds, intervalUs: number): Tick {
    const sinceUs = Math.max(arrival - this.shownAt, 0);
    if (!this.known || sinceUs > SILENCE_MAX_US) {
      return 0;
    }
    const wanted = Math.floor(this.tick + sinceUs / intervalUs + this.leadTicks);
    this.newest = Math.max(this.newest, Math.min(wanted, this.tick + AHEAD_MAX));
    this.sentCount++;
    return this.newest;
  }

  /** What the daemon says: how many came late, all told, and the margin in sixteenths of a tick. */
  onPong(lateCount: number, margin: number): void {
    const late = Math.max(lateCount - this.lateCount, 0);
    const inTime = Math.max(this.sentCount - late, 0);
    const risen = Math.min(late * (1 - LATE_SHARE), Math.max(RISE_MAX, 1 - margin / 16));
    const lead = this.leadTicks + risen - inTime * LATE_SHARE;
    this.leadTicks = Math.min(Math.max(lead, 0), LEAD_MAX);
    this.lateCount = lateCount;
    this.sentCount = 0;
  }
}
