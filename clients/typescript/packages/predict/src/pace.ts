/** pace.ts: whether this device steps fast enough to predict. */

/** Milliseconds that going back and stepping to the present may take in most frames. */
const BUDGET_MS = 8;
/** Ticks until the first verdict. */
const STEPS_LEAST = 60;
/** The weight of a new measurement in the mean. */
const WEIGHT = 0.02;

export class Pace {
  private mean = 0;
  private count = 0;

  /** Notes how long some ticks took together. */
  note(ticks: number, ms: number): void {
    for (let i = 0; i < ticks; i++) {
      this.count++;
      this.mean += (ms / ticks - this.mean) * Math.max(WEIGHT, 1 / this.count);
    }
  }

  /** Mean milliseconds for a tick, with its image. */
  get tickMs(): number {
    return this.mean;
  }

  /** Whether the device can go back `lead` ticks within a frame; null: not yet known. */
  isFast(lead: number): boolean | null {
    return this.count < STEPS_LEAST ? null : this.mean * (lead + 1) <= BUDGET_MS;
  }
}
