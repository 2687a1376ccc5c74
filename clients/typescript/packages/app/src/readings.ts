/** readings.ts: numbers about the world and the connection, a few times a second. */
import type { Session } from "@cairn/client";
import { type ContactColumns, ContactFrame_Outcome, WorldStatus_State } from "@cairn/protocol";
import { element, setText } from "./dom";

const INTERVAL_MS = 250;

type Name = "tick" | "time" | "contacts" | "speed" | "solver" | "cost" | "method" | "trip"
  | "bytes" | "hash";

const READINGS: readonly [Name, string, string][] = [
  ["tick", "Tick", "the world's step number"],
  ["time", "Time", "simulated seconds"],
  ["contacts", "Contacts", "points that touch now"],
  ["speed", "Speed", "real-time factor: 1 when the daemon keeps up"],
  ["solver", "Forces", "how far they are from exact, or what the last tick ran into"],
  ["cost", "Tick cost", "the daemon's work for a tick, median"],
  ["method", "Solved by", "the solver, the rows of its problem, and the iterations it took"],
  ["trip", "Round trip", "from this page to the daemon and back"],
  ["bytes", "Received", "by this page, over its WebSocket"],
  ["hash", "State", "hash of the world's state; equal worlds have equal hashes"],
];

export function byteRate(perSecond: number): string {
  return perSecond < 1000
    ? `${Math.round(perSecond)} B/s`
    : `${(perSecond / 1000).toFixed(perSecond < 10_000 ? 2 : 1)} kB/s`;
}

/** "exact" to the residual that a double can show, else the residual or what went wrong. */
export function solveText(outcome: ContactFrame_Outcome, residual: number): string {
  if (outcome !== ContactFrame_Outcome.CONVERGED) {
    return ContactFrame_Outcome[outcome]?.toLowerCase().replace("_", " ") ?? "unknown";
  }
  return residual < 1e-12 ? "exact" : `to ${residual.toExponential(0)}`;
}

/** Nothing is solved where nothing touches. */
export function methodText({ solver, rowCount, iterationCount }: ContactColumns): string {
  return rowCount === 0 ? solver || "–" : `${solver}, ${rowCount} rows, ${iterationCount} it.`;
}

export class Readings {
  readonly root: HTMLElement;
  private readonly values = new Map<Name, HTMLElement>();
  private writtenAt = 0;

  constructor(private readonly session: Session) {
    const rows = READINGS.map(([name, label, title]) => {
      const value = element("dd", { id: `reading-${name}` }, "–");
      this.values.set(name, value);
      const wide = name === "method" ? "wide" : null;
      return element("div", { title, class: wide }, element("dt", {}, label), value);
    });
    this.root = element("dl", { class: "readings", "aria-label": "Readings" }, ...rows);
  }

  draw(now: number): void {
    if (now - this.writtenAt < INTERVAL_MS) {
      return;
    }
    this.writtenAt = now;
    const { connection, snapshots, contacts, status } = this.session;
    const world = status.get();
    const trip = connection.clock.roundTripMs;
    this.write("tick", String(snapshots.newestTick));
    this.write("time", `${snapshots.shownTime.toFixed(2)} s`);
    this.write("contacts", String(contacts.latest.count));
    this.write("trip", trip > 0 ? `${trip.toFixed(trip < 10 ? 1 : 0)} ms` : "–");
    this.write("bytes", byteRate(connection.bytesIn.perSecond(now)));
    this.write("solver", this.outcome(now));
    this.write("method", methodText(contacts.latest));
    if (world !== null) {
      const running = world.state === WorldStatus_State.RUNNING;
      this.write("speed", running ? `${world.realTimeFactor.toFixed(2)} ×` : "paused");
      this.write("cost", `${(world.tickDurationUs / 1000).toFixed(2)} ms`);
      this.write("hash", world.hash.slice(0, 8) || "–");
    }
  }

  /** The last event other than an impact, for a moment; else how the last solve went. */
  private outcome(now: number): string {
    const { lastTrouble, contacts } = this.session;
    if (lastTrouble !== null && now - lastTrouble.at < 3000) {
      return lastTrouble.kind;
    }
    return solveText(contacts.latest.outcome, contacts.latest.residual);
  }

  private write(name: Name, text: string): void {
    setText(this.values.get(name)!, text);
  }
}
