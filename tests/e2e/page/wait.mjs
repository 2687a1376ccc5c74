/**
 * wait.mjs: waiting for something that is to become true, whatever the machine's speed.
 *
 * A wait is over when its time has passed and it has asked often enough: where processors are
 * scarce an answer takes long, and so may what is waited for.
 */
const WAIT_MS = 30_000;
const ASKS_MIN = 200;
const POLL_MS = 60;

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The first truthy value of `ask`; throws with `what` and the last value when there is none. */
export async function until(what, ask) {
  const began = Date.now();
  let seen;
  for (let asks = 0; asks < ASKS_MIN || Date.now() - began < WAIT_MS; asks++) {
    seen = await ask();
    if (seen) {
      return seen;
    }
    await sleep(POLL_MS);
  }
  const took = Math.round((Date.now() - began) / 1000);
  throw new Error(`in ${took} s it did not come true: ${what} (last: ${seen})`);
}

export function check(what, isTrue, detail = "") {
  if (!isTrue) {
    throw new Error(`not true: ${what}${detail === "" ? "" : ` (${detail})`}`);
  }
}
