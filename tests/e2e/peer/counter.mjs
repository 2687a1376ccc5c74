/**
 * counter.mjs: a logic that counts messages, for a test that kills it.
 *
 * usage: counter.mjs LOGIC_MODULE WS_MODULE URL WORLD
 *
 * A message is a number.  For each the logic adds 1 to the attribute `score`, sets a bit in one of
 * the attributes `seen0`, `seen1`, ..., and puts the body `mark` at x = score / 64.  A number that
 * comes again is counted in `doubles`.
 */
const [logicModule, wsModule, url, world] = process.argv.slice(2);
const { Logic } = await import(logicModule);
const { default: WebSocket } = await import(wsModule);

const BITS = 2048; // an attribute has at most 256 bytes
const logic = new Logic({
  url,
  world,
  webSocket: WebSocket,
  onMessage({ content, session }) {
    const id = Number(content);
    const name = `seen${Math.floor(id / BITS)}`;
    const seen = Uint8Array.from(logic.attribute("world", name) ?? new Uint8Array(BITS / 8));
    const [byte, bit] = [Math.floor((id % BITS) / 8), 1 << (id % 8)];
    if (seen[byte] & bit) {
      logic.setAttribute("world", "doubles", (logic.attribute("world", "doubles") ?? 0n) + 1n);
    }
    seen[byte] |= bit;
    const score = (logic.attribute("world", "score") ?? 0n) + 1n;
    logic.setAttribute("world", name, seen);
    logic.setAttribute("world", "score", score);
    logic.place("mark", { position: { x: Number(score) / 64 } });
    logic.say("score", content, session);
  },
  onRefused: (error) => console.error(`refused: ${error.code} ${error.message}`),
  onStop: (error) => { throw error ?? new Error("stopped"); },
});
logic.start();
