/**
 * test_prediction.mjs: the engine on the page runs ahead of the daemon's; its hashes agree.
 *
 * A page that was built without engines (clients/typescript/build) has no switch; then these tests
 * check that, and nothing else.
 */
import { check, until } from "./wait.mjs";

/** Whether the page predicts: its first hashes have agreed. */
async function predicts(visitor) {
  if (await visitor.page.locator(".prediction").isHidden()) {
    check("without engines nothing is predicted", (await visitor.state()).prediction === "off");
    return false;
  }
  await until("the page predicts, and the hashes agree", async () => {
    const { prediction, agreed } = await visitor.state();
    return prediction === "on" && agreed >= 2;
  });
  return true;
}

/** Another page of the same world that shows snapshots. */
async function watcherOf(visit, world) {
  const eye = await visit(world);
  await eye.page.locator("#predict").uncheck();
  await until("it shows snapshots", async () => (await eye.state()).prediction === "off");
  return eye;
}

async function pull(visitor, name, dx, dy) {
  const { x, y } = await visitor.body(name);
  const from = await visitor.screen(x, y);
  const to = await visitor.screen(x + dx, y + dy);
  await visitor.page.mouse.move(from.x, from.y);
  await visitor.page.mouse.down();
  await visitor.page.mouse.move(to.x, to.y, { steps: 6 });
}

async function dragsWithPrediction({ visit, ownWorld }) {
  const world = await ownWorld("contact-1");
  const hand = await visit(world);
  if (!(await predicts(hand))) {
    return;
  }
  const eye = await watcherOf(visit, world);
  const before = await hand.settled("block1");
  await pull(hand, "block1", 0, 1.5);
  await until("the block follows the hand", async () =>
    (await hand.body("block1")).y > before.y + 0.8);
  await until("and for the other page", async () =>
    (await eye.body("block1")).y > before.y + 0.8);
  await hand.page.mouse.up();
  await until("every input was applied", async () => {
    const { appliedSeq, sentSeq } = await hand.state();
    return sentSeq > 0 && appliedSeq === sentSeq;
  });
  const { agreed } = await hand.state();
  await until("the hashes still agree", async () => {
    const state = await hand.state();
    return state.prediction === "on" && state.agreed >= agreed + 2;
  });
  const [here, there] = [await hand.settled("block1"), await eye.settled("block1")];
  const apart = Math.hypot(here.x - there.x, here.y - there.y, here.angle - there.angle);
  check("both pages show the same place", apart < 1e-3, apart);
}

async function staysWherePaused({ visit, ownWorld }) {
  const world = await ownWorld("contact-1");
  const hand = await visit(world);
  if (!(await predicts(hand))) {
    return;
  }
  const eye = await watcherOf(visit, world);
  await hand.page.keyboard.press("p");
  await until("both stand at the same tick", async () => {
    const [a, b] = [await hand.state(), await eye.state()];
    return !a.running && !b.running && a.shownTick === b.shownTick;
  });
  await hand.page.keyboard.press(".");
  await until("one step later, too", async () => {
    const [a, b] = [await hand.state(), await eye.state()];
    return a.shownTick === b.shownTick && a.prediction === "on";
  });
}

/** Settings reach the engine on the page; a solver that its module lacks brings the whole one. */
async function followsOtherSolvers({ visit, ownWorld }) {
  const hand = await visit(await ownWorld("wall-in-space"));
  if (!(await predicts(hand))) {
    return;
  }
  const whole = () => hand.requests.filter((url) => url.endsWith("/libcairn.wasm")).length;
  check("the smaller module is enough", whole() === 0);
  await until("the solvers are listed", async () =>
    (await hand.page.locator("#solver option").count()) > 1);
  await hand.page.locator("#solver").selectOption("sweeps");
  await until("the whole engine is loaded", () => whole() === 1);
  const { agreed } = await hand.state();
  await until("the hashes agree with it", async () => {
    const state = await hand.state();
    return state.prediction === "on" && state.agreed >= Math.min(agreed, 1) + 1;
  });
}

async function comesBackAfterReset({ visit, ownWorld }) {
  const hand = await visit(await ownWorld("contact-1"));
  if (!(await predicts(hand))) {
    return;
  }
  await hand.page.keyboard.press("r");
  await until("the hashes of the new generation agree", async () => {
    const state = await hand.state();
    return state.generation > 1 && state.prediction === "on" && state.agreed >= 1;
  });
}

/** Each mode is measured on a connection of its own, and costs what it should. */
async function comparesTheModes({ visit, ownWorld }) {
  const hand = await visit(await ownWorld("contact-1"));
  if (!(await predicts(hand))) {
    return;
  }
  await hand.page.locator("details:has(#mode-ask)").evaluate((one) => { one.open = true; });
  const ask = hand.page.locator("#mode-ask");
  await ask.evaluate((one) => one.click());
  await until("it measures", async () => (await ask.textContent()) !== "Measure all");
  await until("it has measured", async () => (await ask.textContent()) === "Measure all");
  const rates = await Promise.all(["snapshots", "deltas", "deeds"].map(async (mode) => {
    const text = await hand.page.locator(`#mode-cost-${mode}`).textContent();
    return parseFloat(text) * (/kB/.test(text) ? 1000 : 1);
  }));
  check("every mode was measured", rates.every((rate) => rate > 0), rates.join());
  check("snapshots cost more than deeds", rates[0] > 2 * rates[2], rates.join());
  check("the page's own connection stayed", (await hand.state()).losses === 0);
}

export default [
  ["a drag is predicted, and the daemon agrees", dragsWithPrediction],
  ["a paused world stands at the daemon's tick", staysWherePaused],
  ["another solver brings the whole engine", followsOtherSolvers],
  ["a reset brings another image", comesBackAfterReset],
  ["the modes are compared side by side", comparesTheModes],
];
