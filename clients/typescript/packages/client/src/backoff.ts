/**
 * backoff.ts: how long to wait before the next try.
 *
 * The wait doubles from a quarter of a second to five seconds.  A random part is subtracted, so
 * that many pages do not reconnect to a restarted daemon at the same instant.
 */
const FIRST_MS = 250;
const LONGEST_MS = 5_000;
const RANDOM_SHARE = 0.3;

export function backoffMs(attempt: number, random: number): number {
  const full = Math.min(FIRST_MS * 2 ** Math.min(attempt, 10), LONGEST_MS);
  return full * (1 - RANDOM_SHARE * random);
}
