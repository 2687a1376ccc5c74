/** wait.mjs: waiting for something that is to become true, whatever the machine's speed. */
const WAIT_MS = 30_000;
const POLL_MS = 60;

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The first truthy value of `ask`; throws with `what` and the last value when there is none. */
export async function until(what, ask, waitMs = WAIT_MS) {
  const deadline = Date.now() + waitMs;
  let seen;
  do {
    seen = await ask();
    if (seen) {
      return seen;
    }
    await sleep(POLL_MS);
  } while (Date.now() < deadline);
  throw new Error(`in ${waitMs / 1000} s it did not come true: ${what} (last: ${seen})`);
}

export function check(what, isTrue, detail = "") {
  if (!isTrue) {
    throw new Error(`not true: ${what}${detail === "" ? "" : ` (${detail})`}`);
  }
}
