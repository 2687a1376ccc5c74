/** tick_of.ts: a tick of the past as messages have it; null is the newest, or none. */
export function tickOf(tick: number | null) {
  return tick === null
    ? { case: undefined }
    : { case: "tick" as const, value: BigInt(Math.max(0, Math.round(tick))) };
}
