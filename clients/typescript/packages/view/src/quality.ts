/**
 * quality.ts: the levels of drawing quality, and the choice of a level from the drawing time.
 *
 * The interval between two consecutive drawn frames measures the cost of drawing, with or without a
 * graphics processor.  The lower median over a window decides, so a single slow frame has no
 * effect.
 *
 *     above SLOW_MS in two windows running: one step down; above CRAWL_MS: at once
 *     below QUICK_MS for the patience: one step up; if that was too early, twice the patience
 */
import type { LocalMilliseconds } from "@cairn/protocol";

export interface Quality {
  name: "high" | "medium" | "low";
  /** Pixels of the picture along each axis: for one of the screen; limit for one CSS pixel. */
  sharpness: number;
  ratioMax: number;
  shadows: boolean;
  /** Meshes and round bodies have fewer triangles; many small arrows are hidden behind bodies. */
  isCoarse: boolean;
}

const HIGH: Quality = {
  name: "high", sharpness: 1, ratioMax: 2.5, shadows: true, isCoarse: false,
};

/** From the finest to the coarsest. */
export const QUALITIES: readonly Quality[] = [
  HIGH,
  { name: "medium", sharpness: 1, ratioMax: 1, shadows: false, isCoarse: false },
  { name: "low", sharpness: 0.7, ratioMax: 0.7, shadows: false, isCoarse: true },
];

const LOWEST = QUALITIES.length - 1;
/** 20 and 45 frames a second. */
const SLOW_MS = 50;
const QUICK_MS = 22;
/** Four frames a second. */
const CRAWL_MS = 250;
const WINDOW_MS = 1_000;
const WINDOW_COUNT = 16;
const PATIENCE_MS = 4_000;
const PATIENCE_MAX_MS = 300_000;
/** The first frames of a scene do not count, because shaders are compiled in them. */
const FIRST_COUNT = 2;

export class AutoQuality {
  /** An index of QUALITIES. */
  level = 0;
  private readonly intervals: number[] = [];
  private sum = 0;
  private skipped = 0;
  private slowWindows = 0;
  private quickMs = 0;
  private patienceMs = PATIENCE_MS;
  private wasRaised = false;
  private drawnAt: LocalMilliseconds | null = null;

  /** Begins another scene, whose cost is not known yet. */
  reset(level = 0): void {
    this.level = level;
    this.patienceMs = PATIENCE_MS;
    this.wasRaised = false;
    this.changed();
  }

  /** Call it once a frame; `isDrawn`: the picture was drawn in it. */
  note(now: LocalMilliseconds, isDrawn: boolean): void {
    const { drawnAt } = this;
    this.drawnAt = isDrawn ? now : null;
    if (drawnAt === null || !isDrawn) {
      return;
    }
    if (this.skipped < FIRST_COUNT) {
      this.skipped++;
      return;
    }
    this.intervals.push(now - drawnAt);
    this.sum += now - drawnAt;
    const { length } = this.intervals;
    if (length === WINDOW_COUNT || (length > 1 && this.sum > WINDOW_MS)) {
      this.judge();
    }
  }

  private judge(): void {
    const { intervals, sum } = this;
    intervals.sort((a, b) => a - b);
    const median = intervals[(intervals.length - 1) >> 1]!;
    intervals.length = 0;
    this.sum = 0;
    this.slowWindows = median > SLOW_MS ? this.slowWindows + 1 : 0;
    this.quickMs = median < QUICK_MS ? this.quickMs + sum : 0;
    if (this.level < LOWEST && (median > CRAWL_MS || this.slowWindows === 2)) {
      this.patienceMs = this.wasRaised
        ? Math.min(2 * this.patienceMs, PATIENCE_MAX_MS) : this.patienceMs;
      this.wasRaised = false;
      this.level++;
      this.changed();
    } else if (this.level > 0 && this.quickMs >= this.patienceMs) {
      this.wasRaised = true;
      this.level--;
      this.changed();
    }
  }

  private changed(): void {
    this.intervals.length = 0;
    this.sum = 0;
    this.skipped = 0;
    this.slowWindows = 0;
    this.quickMs = 0;
  }
}
