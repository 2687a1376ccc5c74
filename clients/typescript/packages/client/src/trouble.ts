/** trouble.ts: events that say that something went wrong, or was cut short. */
import type { LocalMilliseconds } from "@cairn/protocol";

/** Events that belong to a world's daily life. */
export const ORDINARY_EVENTS: ReadonlySet<string> = new Set([
  "impact", "expired", "contactBegin", "contactEnd", "contactHit", "sensorBegin", "sensorEnd",
  "bodySleep", "bodyWake", "bodyMade", "bodyRemoved",
]);

export interface Trouble {
  kind: string;
  value: number;
  at: LocalMilliseconds;
}
