/** readings.ts: numbers about the world and the connection, a few times a second. */
import type { Session } from "@cairn/client";
import {
  type Body, Body_Type, type ContactColumns, ContactFrame_Outcome, WorldStatus_State,
} from "@cairn/protocol";
import { element, setText } from "../base/dom";
import type { Remote } from "@cairn/play";

const INTERVAL_MS = 250;

type Name = "tick" | "time" | "bodies" | "contacts" | "speed" | "solver" | "cost" | "method"
  | "trip" | "bytes" | "lead" | "corrected" | "hash";

const READINGS: readonly [Name, string, string][] = [
  ["tick", "Tick", "the world's step number"],
  ["time", "Time", "simulated seconds"],
  ["bodies", "Bodies", "bodies that can move, and how many of them sleep"],
  ["contacts", "Contacts", "points that touch now"],
  ["speed", "Speed", "real-time factor: 1 when the daemon keeps up"],
  ["cost", "Tick cost", "the daemon's work for a tick, median"],
  ["method", "Solved by", "the solver, the rows of its problem, and the iterations it took"],
  ["solver", "Forces", "error of the forces, depth of soft contacts, or a limit reached"],
  ["trip", "Round trip", "from this page to the daemon and back"],
  ["bytes", "Received", "received by this page over its WebSocket"],
  ["lead", "Ahead", "ticks that this page is ahead of the inputs that it knows from the daemon"],
  ["corrected", "Corrections", "bodies that others' deeds moved in a second, and the longest way"],
  ["hash", "State", "hash of the world's state; equal worlds have equal hashes"],
];

export function byteRate(perSecond: number): string {
  return perSecond < 1000
    ? `${Math.round(perSecond)} B/s`
    : `${(perSecond / 1000).toFixed(perSecond < 10_000 ? 2 : 1)} kB/s`;
}

/** The deepest overlap [m]. */
export function depthOf({ count, gap }: ContactColumns): number {
  let depth = 0;
  for (let row = 0; row < count; row++) {
    depth = Math.max(depth, -gap[row]!);
  }
  return depth;
}

/**
 * "exact" if the residual is as small as a double allows; else the residual or the failure.  If the
 * solve has no residual, contacts are soft, and the deepest overlap is shown instead.
 */
export function solveText(contacts: ContactColumns): string {
  const { outcome, residual } = contacts;
  if (Number.isNaN(residual)) {
    return contacts.count === 0 ? "–" : `${(1e3 * depthOf(contacts)).toFixed(1)} mm deep`;
  }
  if (outcome !== ContactFrame_Outcome.CONVERGED) {
    return ContactFrame_Outcome[outcome]?.toLowerCase().replace("_", " ") ?? "unknown";
  }
  return residual < 1e-12 ? "exact" : `to ${residual.toExponential(0)}`;
}

/** Without contacts there is nothing to solve. */
export function methodText(contacts: ContactColumns): string {
  const { solver, rowCount, iterationCount, residual } = contacts;
  if (Number.isNaN(residual) && solver !== "") {
    return `${solver}, ${iterationCount} substeps`;
  }
  return rowCount === 0 ? solver || "–" : `${solver}, ${rowCount} rows, ${iterationCount} it.`;
}

export class Readings {
  readonly root: HTMLElement;
  private readonly values = new Map<Name, HTMLElement>();
  private writtenAt = 0;
  private counted: readonly Body[] = [];
  private movableCount = 0;

  constructor(private readonly session: Session, private readonly remote: Remote) {
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
    this.write("bodies", this.bodies());
    const isTold = this.session.wantsContacts;
    const told = contacts.latest.count + contacts.latest.leftOut;
    this.write("contacts", String(isTold ? told : (world?.contactCount ?? 0)));
    this.write("trip", trip > 0 ? `${trip.toFixed(trip < 10 ? 1 : 0)} ms` : "–");
    this.write("bytes", byteRate(connection.bytesIn.perSecond(now)));
    this.writePrediction();
    this.write("solver", this.outcome(now));
    this.write("method", isTold ? methodText(contacts.latest) : (world?.settings?.solver || "–"));
    if (world !== null) {
      const running = world.state === WorldStatus_State.RUNNING;
      this.write("speed", running ? `${world.realTimeFactor.toFixed(2)} ×` : "paused");
      this.write("cost", `${(world.tickDurationUs / 1000).toFixed(2)} ms`);
      this.write("hash", world.hash.slice(0, 8) || "–");
    }
  }

  private writePrediction(): void {
    const { isOn, leadTicks, corrected, correctedMm } = this.remote;
    this.write("lead", isOn ? `${leadTicks} ticks` : "–");
    const moved = corrected > 0 ? `${corrected}, ${correctedMm.toFixed(1)} mm` : "0";
    this.write("corrected", isOn ? moved : "–");
  }

  private bodies(): string {
    const { joined, snapshots } = this.session;
    const all = joined.get()?.scene?.bodies ?? [];
    if (all !== this.counted) {
      this.counted = all;
      this.movableCount = all.filter((body) => body.type !== Body_Type.STATIC).length;
    }
    const { asleepCount } = snapshots;
    const frozenCount = this.session.status.get()?.frozenCount ?? 0;
    const frozen = frozenCount > 0 ? `, ${frozenCount} frozen` : "";
    return this.movableCount + (asleepCount > 0 ? `, ${asleepCount} asleep` : "") + frozen;
  }

  /** For a moment the last event that is not an impact; else the result of the last solve. */
  private outcome(now: number): string {
    const { lastTrouble, contacts, status } = this.session;
    if (lastTrouble !== null && now - lastTrouble.at < 3000) {
      return lastTrouble.kind;
    }
    if (status.get() === null) {
      return "–";
    }
    return this.session.wantsContacts ? solveText(contacts.latest) : "not shown";
  }

  private write(name: Name, text: string): void {
    setText(this.values.get(name)!, text);
  }
}
