/** moment.ts: a tick of a world in the form of an address: "lab@1200". */
export interface Moment {
  world: string;
  /** null: now. */
  tick: number | null;
}

/** Ids of worlds have no "@". */
export function readMoment(text: string): Moment {
  const at = text.lastIndexOf("@");
  const digits = text.slice(at + 1);
  return at > 0 && /^\d{1,15}$/.test(digits)
    ? { world: text.slice(0, at), tick: Number(digits) }
    : { world: text, tick: null };
}

export function writeMoment({ world, tick }: Moment): string {
  return tick === null ? world : `${world}@${tick}`;
}

/** Seconds before the newest tick: "now", "-4.2 s", "-2:05". */
export function textOfPast(ticks: number, tickRate: number): string {
  const seconds = ticks / tickRate;
  if (ticks <= 0) {
    return "now";
  }
  if (seconds < 60) {
    return `−${seconds.toFixed(1)} s`;
  }
  const whole = Math.round(seconds);
  return `−${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
