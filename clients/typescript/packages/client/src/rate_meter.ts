/** rate_meter.ts: measures an amount per second, in ten bins. */
import type { LocalMilliseconds } from "@cairn/protocol";

const BIN_COUNT = 10;
const BIN_MS = 100;

export class RateMeter {
  private readonly bins = new Float64Array(BIN_COUNT);
  private bin = 0;

  add(now: LocalMilliseconds, amount: number): void {
    this.advance(now);
    this.bins[this.bin % BIN_COUNT]! += amount;
  }

  /** The amount of the last whole second. */
  perSecond(now: LocalMilliseconds): number {
    this.advance(now);
    let sum = 0;
    for (const amount of this.bins) {
      sum += amount;
    }
    return sum;
  }

  private advance(now: LocalMilliseconds): void {
    const bin = Math.floor(now / BIN_MS);
    const steps = Math.min(bin - this.bin, BIN_COUNT);
    for (let step = 1; step <= steps; step++) {
      this.bins[(bin - steps + step) % BIN_COUNT] = 0;
    }
    this.bin = Math.max(this.bin, bin);
  }
}
