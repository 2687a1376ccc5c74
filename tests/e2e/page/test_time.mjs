/** test_time.mjs: the timeline: back, forward, live again; links to a moment; own worlds. */
import { check, until } from "./wait.mjs";

/** Throws a block about for two seconds, so that moments differ. */
async function stirred({ visit, ownWorld }) {
  const world = await ownWorld("contact-1");
  const visitor = await visit(world);
  const before = await visitor.settled("block1");
  const from = await visitor.screen(before.x, before.y);
  const to = await visitor.screen(before.x, before.y + 1.5);
  await visitor.page.mouse.move(from.x, from.y);
  await visitor.page.mouse.down();
  await visitor.page.mouse.move(to.x, to.y, { steps: 5 });
  await until("it is held up", async () => (await visitor.body("block1")).y > before.y + 1);
  const up = await visitor.settled("block1");
  const { shownTick } = await visitor.state();
  await visitor.page.mouse.up();
  await until("let go, it falls", async () =>
    (await visitor.body("block1")).y < before.y + 0.4);
  await visitor.settled("block1");
  await until("there is a past", () =>
    visitor.page.locator(".time-bar").evaluate((bar) => !bar.inert));
  await visitor.page.locator("#time").focus();
  return { world, visitor, shownTick, up, down: before };
}

async function goTo(visitor, tick) {
  await until("the bar reaches so far", async () =>
    Number(await visitor.page.locator("#time").getAttribute("max")) >= tick);
  await visitor.slide("time", tick);
  await until("the page shows the past", async () => {
    const { replay, shownTick } = await visitor.state();
    return replay && shownTick === tick;
  });
}

async function backAndLive(context) {
  const { world, visitor, shownTick, up } = await stirred(context);
  await goTo(visitor, shownTick);
  const then = await visitor.body("block1");
  check("the block is where it was", Math.abs(then.y - up.y) < 0.1, `${then.y} ${up.y}`);
  const { origin, running } = await visitor.state();
  check("it says whose past it is", origin === world);
  check("and is none that runs", !running);
  await goTo(visitor, shownTick - 10);
  await visitor.page.getByRole("button", { name: "Play" }).click();
  await until("time goes on", async () => (await visitor.state()).shownTick > shownTick + 5);
  await visitor.page.keyboard.press("p");
  await until("time stands still", async () => (await visitor.state()).speed === 0);
  await visitor.page.getByRole("button", { name: "Live" }).click();
  await until("the world is the living one", async () => {
    const state = await visitor.state();
    return state.world === world && state.running && state.shownTick > shownTick;
  });
}

/** Controls move the view in the past, and change nothing there. */
async function pastIsOnlyLookedAt(context) {
  const { visitor, shownTick, up } = await stirred(context);
  const hint = () => visitor.page.locator(".hint-line").textContent();
  check("the living world can be pushed", /^Drag a body/.test(await hint()), await hint());
  await goTo(visitor, shownTick);
  check("the past says that it can not", /nothing here can be pushed/.test(await hint()),
    await hint());
  const { sentSeq } = await visitor.state();
  const at = await visitor.screen(up.x, up.y);
  await visitor.page.mouse.move(at.x, at.y);
  const cursor = await visitor.page.locator("canvas.stage").evaluate((one) => one.style.cursor);
  check("nothing is to be grabbed", cursor === "default", cursor);
  await visitor.page.mouse.down();
  await visitor.page.mouse.move(at.x + 50, at.y, { steps: 3 });
  await visitor.page.mouse.up();
  const then = await visitor.screen(up.x, up.y);
  check("the hand has moved the view", Math.abs(then.x - at.x - 50) < 1, then.x - at.x);
  await visitor.page.keyboard.press("e");
  check("nothing was sent", (await visitor.state()).sentSeq === sentSeq);
  check("and nothing refused", (await visitor.toasts("error")).length === 0);
}

async function marksOfThePast(context) {
  const { world, visitor } = await stirred(context);
  const other = await context.visit(world); // the first one may have joined before there was a past
  await other.close();
  const marks = visitor.page.locator(".time-marks");
  await until("the band shows joins, leaves and inputs", async () => {
    await visitor.page.locator("#time").blur();
    await visitor.page.locator("#time").focus();
    return /^\d+ joined, \d+ left, .*\d+ inputs$/.test(await marks.getAttribute("title"));
  });
  check("it is there to be seen", await marks.isVisible());
  const [band, bar] = await Promise.all([marks.boundingBox(),
    visitor.page.locator("#time").boundingBox()]);
  check("within its bar", band.x >= bar.x && band.x + band.width <= bar.x + bar.width + 1);
  const drawn = await marks.locator(".inputs").boundingBox();
  check("inputs are drawn in it", drawn.width > 0 && drawn.x >= band.x - 2 &&
    drawn.x + drawn.width <= band.x + band.width + 2, JSON.stringify({ drawn, band }));
}

async function linkToAMoment(context) {
  const { world, visitor, shownTick, up } = await stirred(context);
  const { origin } = context.daemon;
  const other = await context.visitAt(origin, `/#${world}@${shownTick}`);
  await until("the link shows that moment", async () => {
    const state = await other.state();
    return state.replay && state.origin === world && state.shownTick === shownTick;
  });
  const then = await other.body("block1");
  check("the block is where it was", Math.abs(then.y - up.y) < 0.1, `${then.y} ${up.y}`);
  check("nobody has moved", (await visitor.state()).world === world);
}

/** A link is still valid when its moment is no longer stored. */
async function linkOutlivesItsMoment(context) {
  const world = await context.ownWorld("contact-1");
  const { origin } = context.daemon;
  const late = await context.visitAt(origin, `/#${world}@999999999`);
  await late.joined();
  await until("it is the world as it is now", async () => {
    const state = await late.state();
    return state.world === world && state.running;
  });
  await late.told(/^That moment cannot be shown: it is .* not kept/, "error");
  const lost = await context.visitAt(origin, "/#no-such-world@12");
  await until("without the world it says so", async () =>
    /No world “no-such-world”/.test(await lost.page.locator(".notice").textContent()));
}

async function forksHere(context) {
  const { world, visitor, shownTick, up, down } = await stirred(context);
  await goTo(visitor, shownTick);
  await visitor.page.getByRole("button", { name: "Fork here" }).click();
  await until("it is in the fork", async () => {
    const state = await visitor.state();
    return state.world === `${world}-fork` && state.running;
  });
  await visitor.told(/of your own/);
  await until("the block falls there", async () =>
    (await visitor.body("block1")).y < down.y + 0.3);
  check("from where it was held", up.y > down.y + 1);
  await context.daemon.remove(`${world}-fork`);
}

export default [
  ["a hand goes back in time, plays on, and is live again", backAndLive],
  ["the past is looked at and not pushed", pastIsOnlyLookedAt],
  ["marks tell what was done in the past", marksOfThePast],
  ["a link opens a moment of a world", linkToAMoment],
  ["a link to what is not kept opens the world", linkOutlivesItsMoment],
  ["a fork goes on from a moment", forksHere],
];
