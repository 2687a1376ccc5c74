/** test_reconnect.mjs: the daemon goes and comes back. */
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

export default [["the page comes back after the daemon restarts", comesBack]];
