/**
 * backoff.ts: how long to wait before the next try.
 *
 * Doubles from a quarter of a second to five, less a random part, so that a class of pages does not
 * come back to a restarted daemon all at the same instant.
 */
const FIRST_MS = 250;
const LONGEST_MS = 5_000;
const RANDOM_SHARE = 0.3;

export function backoffMs(attempt: number, random: number): number {
  const full = Math.min(FIRST_MS * 2 ** Math.min(attempt, 10), LONGEST_MS);
  return full * (1 - RANDOM_SHARE * random);
}
