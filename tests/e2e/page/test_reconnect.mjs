/** test_reconnect.mjs: the daemon ends and is started again. */
import { check, until } from "./wait.mjs";

async function comesBack({ visit, daemon }) {
  const visitor = await visit("contact-3");
  const notice = visitor.page.locator(".notice");
  const { code } = await daemon.stop();
  check("the daemon stops in order", code === 0, code);
  await until("the page says that it reconnects", async () =>
    (await notice.isVisible()) && /Reconnecting/.test(await notice.textContent()));
  check("the last picture stays", (await visitor.page.evaluate(() => cairn.bodies())).length > 3);
  await daemon.start();
  await until("it is back in its world", async () => {
    const { connection, worldState, world } = await visitor.state();
    return connection === "open" && worldState === "joined" && world === "contact-3";
  });
  const { tick } = await visitor.state();
  await until("ticks come again", async () => (await visitor.state()).tick > tick + 5);
  await until("the notice is gone", async () => notice.isHidden());
  const before = await visitor.settled("block1");
  const from = await visitor.screen(before.x, before.y);
  const to = await visitor.screen(before.x, before.y + 1.5);
  await visitor.page.mouse.move(from.x, from.y);
  await visitor.page.mouse.down();
  await visitor.page.mouse.move(to.x, to.y, { steps: 5 });
  await until("inputs count again", async () =>
    (await visitor.body("block1")).y > before.y + 0.5);
  await visitor.page.mouse.up();
}

/** The connection is cut while a block is held up: it stays up, and the page holds it again. */
async function goesOn({ visit, ownWorld }) {
  const world = await ownWorld("contact-1");
  const ann = await visit(world);
  const bob = await visit(world);
  const before = await ann.settled("block1");
  const from = await ann.screen(before.x, before.y);
  const to = await ann.screen(before.x, before.y + 1.5);
  await ann.page.mouse.move(from.x, from.y);
  await ann.page.mouse.down();
  await ann.page.mouse.move(to.x, to.y, { steps: 5 });
  await until("it is held up", async () => (await bob.body("block1")).y > before.y + 1);
  const { session } = await ann.state();
  await ann.page.evaluate(() => cairn.cut());
  check("the block stays up", (await bob.body("block1")).y > before.y + 1);
  await until("the page is back", async () => {
    const state = await ann.state();
    return state.connection === "open" && state.worldState === "joined";
  });
  check("as who it was", (await ann.state()).session === session);
  await until("there are two", async () => (await bob.state()).people === 2);
  const aside = await ann.screen(before.x + 1, before.y + 1.5);
  await ann.page.mouse.move(aside.x, aside.y, { steps: 5 });
  await until("the hand moves it again", async () =>
    (await bob.body("block1")).x > before.x + 0.5);
  await ann.page.mouse.up();
  await until("and lets it go", async () => (await bob.body("block1")).y < before.y + 0.4);
  await ann.page.goto("about:blank");
  await until("who closes the page is gone at once", async () => (await bob.state()).people === 1);
}

/** A scene with several kilobytes a tick: bodies that tumble and touch all the time. */
function heap(count) {
  const box = (row) => ({
    name: `box${row}`,
    position: { x: (row % 9) - 4, y: 1 + Math.floor(row / 81), z: (Math.floor(row / 9) % 9) - 4 },
    shapes: [{ box: { size: { x: 0.8, y: 0.8, z: 0.8 } } }],
  });
  return {
    name: "heap",
    world: {
      dimension: "SPATIAL", gravity: { y: -9.81 }, solver: "impulse", stepper: "time",
      sleep: false,
    },
    bodies: [
      { name: "ground", type: "STATIC", shapes: [{ plane: { normal: { y: 1 } } }] },
      ...Array.from({ length: count }, (_, row) => box(row)),
    ],
  };
}

/** More than twice the 5 s after which a daemon closes a socket that is not read. */
const BUSY_MS = 17_000;

/** Drawing may block the page's thread for any time: messages are read in another thread. */
async function staysWhileBusy({ startOwn, visitAt }) {
  const own = await startOwn([]);
  const { id } = await own.ask("POST", "/v1/worlds", { scene: heap(500) });
  const visitor = await (await visitAt(own.origin, `/?world=${id}`)).joined();
  await until("its bodies touch", async () => (await visitor.state()).contacts > 300);
  const before = await visitor.state();
  await visitor.page.evaluate((ms) => {
    const end = performance.now() + ms;
    while (performance.now() < end);
  }, BUSY_MS);
  await until("what came meanwhile is shown", async () =>
    (await visitor.state()).shownTick > before.shownTick + 100);
  await until("and the page is up to date", async () => {
    const { tick, shownTick, delayMs, roundTripMs } = await visitor.state();
    return tick - shownTick < 60 && delayMs < 260 && roundTripMs < 5_000;
  });
  const { losses } = await visitor.state();
  check("the connection was never lost", losses === 0, losses);
}

export default [
  ["a page that is busy for long does not lose its connection", staysWhileBusy],
  ["a cut connection goes on where it was", goesOn],
  ["the page comes back after the daemon restarts", comesBack],
];
