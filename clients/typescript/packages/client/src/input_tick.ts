/**
 * input_tick.ts: chooses the tick of an input, so that the input arrives in time.
 *
 * An input for tick T must arrive before the daemon steps from T.  Its tick is the one that the
 * world will have reached when the input arrives, plus a lead.  The arrival is predicted from the
 * last header, the clock and half a round trip.  The lead follows a quantile (Robbins and Monro
 * 1951): each late input adds one tick, and each other input subtracts LATE_SHARE of a tick.  So
 * over n inputs, as long as the lead reaches no bound,
 *
 *     late = n * LATE_SHARE + (lead at the end - lead at the beginning)
 *
 * and the share of late inputs approaches LATE_SHARE for any distribution of delays.  Many late
 * inputs at once are one disturbance and add at most RISE_MAX.  They add more only if the daemon's
 * margin, the mean time by which inputs arrive early, shows that more is missing.
 */
import type { ServerMicroseconds, Tick } from "@cairn/protocol";

const LEAD_FIRST = 1;
const LEAD_MAX = 30;
const LATE_SHARE = 0.002;
const RISE_MAX = 4;
/** The daemon refuses inputs that are further ahead. */
const AHEAD_MAX = 120;
/** The tick is not predicted if the world has sent no message for this time. */
const SILENCE_MAX_US = 500_000;

export class InputTick {
  private tick: Tick = 0;
  private shownAt: ServerMicroseconds = 0;
  private known = false;
  private newest: Tick = 0;
  private sentCount = 0;
  private lateCount = 0;
  private leadTicks = LEAD_FIRST;

  /** The lead in ticks, added to the prediction. */
  get lead(): number {
    return this.leadTicks;
  }

  /** Begins another world: its ticks and counts differ, and the lead stays. */
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

  /** The tick for an input that is sent now; never below that of an earlier input; 0: unknown. */
  choose(arrival: ServerMicroseconds, intervalUs: number): Tick {
    const wanted = this.expect(arrival, intervalUs);
    if (wanted === 0) {
      return 0;
    }
    this.newest = Math.max(this.newest, wanted);
    this.sentCount++;
    return this.newest;
  }

  /** The tick on whose state an input should act that arrives then; 0: unknown. */
  expect(arrival: ServerMicroseconds, intervalUs: number): Tick {
    const sinceUs = Math.max(arrival - this.shownAt, 0);
    if (!this.known || sinceUs > SILENCE_MAX_US) {
      return 0;
    }
    const wanted = Math.floor(this.tick + sinceUs / intervalUs + this.leadTicks);
    return Math.min(wanted, this.tick + AHEAD_MAX);
  }

  /** Late inputs since the world was joined, by the daemon's last report. */
  get late(): number {
    return this.lateCount;
  }

  /** An input was sent whose tick was chosen elsewhere, by `expect`. */
  onSent(): void {
    this.sentCount++;
  }

  /** The tick of the last header. */
  get headerTick(): Tick {
    return this.tick;
  }

  /** The daemon's report: the total of late inputs, and the margin in sixteenths of a tick. */
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
