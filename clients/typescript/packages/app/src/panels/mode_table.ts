/**
 * mode_table.ts: the bandwidth of the modes side by side, with round trip and corrections.
 *
 * The mode in use is counted all the time.  The others are measured on request, for some seconds,
 * on connections of their own.
 */
import type { ConnectionOptions, Session } from "@cairn/client";
import { button, element, setText } from "../base/dom";
import { MEASURED_SECONDS, MODES, type ModeResult, measureModes } from "../predict/mode_meter";
import type { Remote } from "@cairn/play";
import { byteRate } from "./readings";

const INTERVAL_MS = 250;
const UNKNOWN = "–";

function costText(result: ModeResult): string {
  return "refused" in result ? UNKNOWN : byteRate(result.bytesPerSecond);
}

function detailOf(result: ModeResult): string {
  if ("refused" in result) {
    return result.refused;
  }
  const image = result.imageBytes > 0
    ? `; an image of ${(result.imageBytes / 1000).toFixed(1)} kB came first` : "";
  return `mean of ${MEASURED_SECONDS} seconds${image}`;
}

export class ModeTable {
  readonly root: HTMLDetailsElement;
  private readonly rows: { row: HTMLElement; now: HTMLElement; cost: HTMLElement }[];
  private readonly facts = element("p", { class: "mode-facts", id: "mode-facts" });
  private readonly ask: HTMLButtonElement;
  private writtenAt = 0;

  constructor(
    private readonly session: Session,
    private readonly remote: Remote,
    private readonly connection: Omit<ConnectionOptions, "client">,
  ) {
    this.rows = MODES.map(({ label }) => {
      const id = label.toLowerCase();
      const now = element("td", { id: `mode-now-${id}` }, UNKNOWN);
      const cost = element("td", { id: `mode-cost-${id}` }, UNKNOWN);
      return { row: element("tr", {}, element("th", { scope: "row" }, label), now, cost),
        now, cost };
    });
    this.ask = button("Measure all", `Subscribes to each mode for ${MEASURED_SECONDS + 2} seconds`,
      () => void this.measure(), "mode-ask");
    this.ask.id = "mode-ask";
    const head = element("tr", {}, element("th", { scope: "col" }, "Mode"),
      element("th", { scope: "col", title: "received now in the mode in use" }, "Now"),
      element("th", { scope: "col", title: "measured side by side" }, "Measured"));
    this.root = element("details", { class: "modes of-daemon" },
      element("summary", {}, "Compare the modes"),
      element("table", {}, element("thead", {}, head),
        element("tbody", {}, ...this.rows.map(({ row }) => row))),
      this.facts, this.ask);
  }

  private async measure(): Promise<void> {
    const world = this.session.joined.get()?.world;
    if (world === undefined) {
      return;
    }
    this.ask.disabled = true;
    setText(this.ask, "Measuring …");
    this.rows.forEach(({ cost }) => setText(cost, "…"));
    const results = await measureModes({
      connection: this.connection, world, physics: this.remote.physics,
      contacts: this.session.wantsContacts,
    });
    results.forEach((result, index) => {
      const { row, cost } = this.rows[index]!;
      setText(cost, costText(result));
      row.title = detailOf(result);
    });
    setText(this.ask, "Measure all");
    this.ask.disabled = false;
  }

  draw(now: number): void {
    if (!this.root.open || now - this.writtenAt < INTERVAL_MS) {
      return;
    }
    this.writtenAt = now;
    const { connection } = this.session;
    const used = this.remote.isOn ? "Deeds" : "Deltas";
    const rate = byteRate(connection.bytesIn.perSecond(now));
    MODES.forEach(({ label }, index) => {
      const { row, now: cell } = this.rows[index]!;
      row.classList.toggle("used", label === used);
      setText(cell, label === used ? rate : UNKNOWN);
    });
    setText(this.facts, this.factsText(connection.clock.roundTripMs));
  }

  private factsText(roundTripMs: number): string {
    const { isOn, leadTicks, corrected, correctedMm } = this.remote;
    const trip = roundTripMs > 0 ? `${roundTripMs.toFixed(roundTripMs < 10 ? 1 : 0)} ms` : UNKNOWN;
    if (!isOn) {
      return `Round trip ${trip}; nothing is predicted.`;
    }
    const moved = corrected > 0 ? `${corrected} bodies, ${correctedMm.toFixed(1)} mm` : "none";
    const { lateInputs } = this.session.deeds;
    const late = lateInputs > 0 ? ` Own inputs that came late: ${lateInputs}.` : "";
    const ahead = Math.max(leadTicks, 0);
    return `Round trip ${trip}; ${ahead} ticks ahead; corrections by others: ${moved}.${late}`;
  }
}
