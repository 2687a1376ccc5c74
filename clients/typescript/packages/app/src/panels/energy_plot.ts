/**
 * energy_plot.ts: kinetic, potential and total energy over the last seconds of simulated time.
 *
 * Samples go into columns that are allocated once.  The plot is drawn a few times a second, at any
 * rate of samples.  If the time goes back (a reset), the plot starts again.
 */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { element } from "../base/dom";

const SAMPLE_COUNT_MAX = 1200;
const SPAN_S = 15;
const DRAW_INTERVAL_MS = 120;
const LEGEND_HEIGHT = 30;
const HEIGHT_MIN = 150;
const PADDING_BOTTOM = 10;

/** Drawn in this order.  The total is wide, so that the other lines stay visible on top of it. */
const SERIES = [
  { label: "total", color: "--ink", width: 3.4 },
  { label: "potential", color: "--potential", width: 1.6 },
  { label: "kinetic", color: "--kinetic", width: 1.6 },
];

function axisNumber(value: number): string {
  const size = Math.abs(value);
  const [unit, letter] = size >= 1e6 ? [1e6, "M"] : size >= 1e3 ? [1e3, "k"] : [1, ""];
  return `${+(value / unit).toPrecision(3)}${letter}`;
}

export class EnergyPlot {
  readonly root = element("section", { class: "energy", "aria-label": "Energy" });
  private readonly columns = Array.from(
    { length: 1 + SERIES.length },
    () => new Float64Array(SAMPLE_COUNT_MAX),
  );
  private count = 0;
  private changed = false;
  private plot: uPlot | null = null;
  private drawnAt = 0;

  constructor() {
    new ResizeObserver(() => this.fit()).observe(this.root);
  }

  private makePlot(width: number, height: number): uPlot {
    const style = getComputedStyle(this.root);
    const line = style.getPropertyValue("--line");
    const axis: uPlot.Axis = {
      stroke: style.getPropertyValue("--soft"),
      font: "11px system-ui, sans-serif",
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1, size: 4 },
      gap: 3,
    };
    const seconds = (_: uPlot, values: number[]) => values.map((value) => `${+value.toFixed(2)} s`);
    const joules = (_: uPlot, values: number[]) => values.map(axisNumber);
    return new uPlot(
      {
        width,
        height,
        padding: [8, 18, 0, 0],
        scales: { x: { time: false }, y: { range: energyRange } },
        axes: [
          { ...axis, size: 22, space: 60, values: seconds },
          { ...axis, size: 44, space: 28, values: joules },
        ],
        series: [
          {},
          ...SERIES.map(({ label, color, width: lineWidth }) => ({
            label,
            stroke: style.getPropertyValue(color),
            width: lineWidth,
            points: { show: false },
          })),
        ],
        cursor: { drag: { x: false, y: false }, points: { show: false } },
        legend: { live: false },
      },
      this.data(),
      this.root,
    );
  }

  private data(): uPlot.AlignedData {
    return this.columns.map((column) => column.subarray(0, this.count)) as never;
  }

  private fit(): void {
    const width = this.root.clientWidth;
    if (width === 0) {
      return;
    }
    const room = this.root.clientHeight - LEGEND_HEIGHT - PADDING_BOTTOM;
    const height = Math.max(room, HEIGHT_MIN);
    this.plot ??= this.makePlot(width, height);
    if (this.plot.width !== width || this.plot.height !== height) {
      this.plot.setSize({ width, height });
    }
  }

  /** Draws with the page's new colours. */
  repaint(): void {
    if (this.plot !== null) {
      this.plot.destroy();
      this.plot = null;
      this.fit();
    }
  }

  clear(): void {
    this.count = 0;
    this.changed = true;
  }

  add(time: number, kinetic: number, potential: number, total: number): void {
    const [times, totals, potentials, kinetics] = this.columns as Float64Array[];
    if (this.count > 0 && time < times![this.count - 1]!) {
      this.count = 0;
    }
    if (this.count > 0 && time === times![this.count - 1]) {
      this.count--;
    }
    if (this.count === SAMPLE_COUNT_MAX || this.isTooOld(time)) {
      this.forget(this.count === SAMPLE_COUNT_MAX ? SAMPLE_COUNT_MAX >> 2 : this.oldCount(time));
    }
    times![this.count] = time;
    kinetics![this.count] = kinetic;
    potentials![this.count] = potential;
    totals![this.count] = total;
    this.count++;
    this.changed = true;
  }

  /** Old samples are removed in groups, not one by one. */
  private isTooOld(time: number): boolean {
    return this.count > 0 && time - this.columns[0]![0]! > SPAN_S * 1.1;
  }

  private oldCount(time: number): number {
    const times = this.columns[0]!;
    let old = 0;
    while (old < this.count && time - times[old]! > SPAN_S) {
      old++;
    }
    return old;
  }

  private forget(samples: number): void {
    for (const column of this.columns) {
      column.copyWithin(0, samples, this.count);
    }
    this.count -= samples;
  }

  draw(now: number): void {
    if (this.plot !== null && this.changed && now - this.drawnAt >= DRAW_INTERVAL_MS) {
      this.drawnAt = now;
      this.changed = false;
      this.plot.setData(this.data());
    }
  }
}

/** A range that includes zero, with space above and below. */
function energyRange(_: uPlot, low: number | null, high: number | null): [number, number] {
  const bottom = Math.min(low ?? 0, 0);
  const top = Math.max(high ?? 1, bottom + 1e-6);
  const air = (top - bottom) * 0.06;
  return [bottom < 0 ? bottom - air : 0, top + air];
}
