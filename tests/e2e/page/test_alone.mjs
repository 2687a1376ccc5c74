/**
 * test_alone.mjs: a link that has a scene runs it on the page, without the daemon.
 *
 * A page that was built without engines (clients/typescript/build) cannot run it; then the test
 * checks that the page says so.
 */
import { check, until } from "./wait.mjs";

/** The link that the gallery copies; a test has no clipboard. */
async function copyLink(visitor) {
  await visitor.page.evaluate(() => {
    navigator.clipboard.writeText = (text) => {
      window.copied = text;
      return Promise.resolve();
    };
  });
  await visitor.page.getByRole("button", { name: /Worlds/ }).click();
  await visitor.page.getByRole("button", { name: "Copy scene link" }).click();
  await until("the link is copied", () => visitor.page.evaluate(() => window.copied));
  return new URL(await visitor.page.evaluate(() => window.copied));
}

async function runsALink({ daemon, visit, visitAt, ownWorld }) {
  const hand = await visit(await ownWorld("contact-1"));
  const hasEngines = await hand.page.locator(".prediction").isVisible();
  const link = await copyLink(hand);
  check("the link has the scene", link.hash.startsWith("#scene="));
  const alone = await visitAt(daemon.origin, link.pathname + link.hash);
  if (!hasEngines) {
    return;
  }
  await until("the scene runs", async () => (await alone.state()).tick > 60);
  const before = await alone.settled("block1");
  const from = await alone.screen(before.x, before.y);
  const to = await alone.screen(before.x, before.y + 1.5);
  await alone.page.mouse.move(from.x, from.y);
  await alone.page.mouse.down();
  await alone.page.mouse.move(to.x, to.y, { steps: 6 });
  await until("the block follows the hand", async () =>
    (await alone.body("block1")).y > before.y + 0.8);
  await alone.page.mouse.up();
  check("nobody else sees it", Math.abs((await hand.body("block1")).y - before.y) < 0.1);
  await alone.page.getByRole("button", { name: "Reset" }).click();
  await until("it begins again", async () => (await alone.state()).tick < 60);
}

export default [["a link runs its scene without the daemon", runsALink]];
