/** tick_of.ts: a tick in the form of the messages; null means the newest tick, or no tick. */
export function tickOf(tick: number | null) {
  return tick === null
    ? { case: undefined }
    : { case: "tick" as const, value: BigInt(Math.max(0, Math.round(tick))) };
}
