/** trouble.ts: selects the events that report an error or a reached limit. */
import type { LocalMilliseconds } from "@cairn/protocol";

/** Events that are normal in a world. */
export const ORDINARY_EVENTS: ReadonlySet<string> = new Set([
  "impact", "expired", "contactBegin", "contactEnd", "contactHit",
  "contactStay", "contactForce", "sensorBegin", "sensorEnd",
  "bodySleep", "bodyWake", "bodyMade", "bodyRemoved",
  "ruleMessage",
]);

export interface Trouble {
  kind: string;
  value: number;
  at: LocalMilliseconds;
}
