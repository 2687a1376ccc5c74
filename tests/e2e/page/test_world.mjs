/** test_world.mjs: the world's clock, settings and scenes, for everyone in it. */
import { check, until } from "./wait.mjs";

async function everyoneSeesTheSame({ visit, ownWorld }) {
  const world = await ownWorld("contact-3");
  const [hand, eye] = [await visit(world), await visit(world)];
  await until("both count two people", async () =>
    (await hand.state()).people === 2 && (await eye.state()).people === 2);
  const before = await eye.settled("block1");
  const { x, y } = await hand.screenOf("block1");
  const above = await hand.screen(before.x, before.y + 1.5);
  await hand.page.mouse.move(x, y);
  await hand.page.mouse.down();
  await hand.page.mouse.move(above.x, above.y, { steps: 5 });
  await until("the other page sees the block rise", async () =>
    (await eye.body("block1")).y > before.y + 0.8);
  await hand.page.locator("button.play").evaluate((button) => button.click());
  await until("both stand at the same tick", async () => {
    const [a, b] = [await hand.state(), await eye.state()];
    return !a.running && !b.running && a.shownTick === b.shownTick;
  });
  for (const name of ["block1", "block2", "block3"]) {
    const [a, b] = [await hand.body(name), await eye.body(name)];
    check(`${name} is at the same place`, a.x === b.x && a.y === b.y && a.angle === b.angle);
  }
  const late = await visit(world);
  const [there, seen] = [await hand.body("block1"), await late.body("block1")];
  check("who comes while it stands sees it as it stands", there.y === seen.y && there.x === seen.x);
  await until("with its forces", async () =>
    (await late.state()).forces === (await hand.state()).forces);
  await hand.page.mouse.up();
}

async function slidersAct({ visit, ownWorld }) {
  const world = await ownWorld("contact-2");
  const [hand, eye] = [await visit(world), await visit(world)];
  const cases = [
    ["gravity", 3.5, (settings) => settings.gravity?.y === -3.5],
    ["elasticity", 0.25, (settings) => settings.restitutionSet.value === 0.25],
    ["damping", 0.75, (settings) => settings.linearDampingSet.value === 0.75],
    ["turn-damping", 0.5, (settings) => settings.angularDampingSet.value === 0.5],
    ["rate", -0.3, (settings) => Math.abs(settings.timeRateSet.value - 10 ** -0.3) < 1e-9],
  ];
  for (const [id, value, holds] of cases) {
    await hand.slide(id, value);
    await until(`${id} reaches the other page`, async () => holds((await eye.state()).settings));
    await until(`${id} shows there`, async () =>
      Math.abs(Number(await eye.page.locator(`#${id}`).inputValue()) - value) < 0.011);
  }
  await hand.page.locator("#collision").selectOption({ label: "serial" });
  await until("the way of collisions reaches the other page", async () =>
    (await eye.page.locator("#collision").inputValue()) === "1");
  const { people, settings } = await hand.state();
  check("both are still there", people === 2);
  check("a solver is named", settings.solver !== "" && settings.stepper !== "");
}

async function gravityIsFelt({ visit, ownWorld }) {
  const visitor = await visit(await ownWorld("contact-1"));
  const before = await visitor.settled("block1");
  await visitor.page.keyboard.press("p");
  await until("paused", async () => !(await visitor.state()).running);
  await visitor.page.keyboard.press("p");
  await visitor.slide("gravity", 0);
  await until("no force holds a block that has no weight", async () =>
    (await visitor.state()).forces === 0);
  const now = await visitor.body("block1");
  check("it has not moved for that", Math.hypot(now.x - before.x, now.y - before.y) < 0.05);
}

async function pauseStepReset({ visit, ownWorld }) {
  const visitor = await visit(await ownWorld("contact-4"));
  const button = (name) => visitor.page.getByRole("button", { name, exact: true });
  await until("ticks pass", async () => (await visitor.state()).tick > 20);
  await button("Pause").click();
  await until("it is paused", async () => !(await visitor.state()).running);
  const { tick } = await until("the clock stands", async () => {
    const before = await visitor.state();
    await new Promise((resolve) => setTimeout(resolve, 300));
    return before.tick === (await visitor.state()).tick && before;
  });
  await button("Step").click();
  await until("one tick passes", async () => (await visitor.state()).tick === tick + 1);
  await visitor.page.keyboard.press(".");
  await until("and one more", async () => (await visitor.state()).tick === tick + 2);
  const { generation } = await visitor.state();
  await button("Reset").click();
  await until("the world starts again", async () => {
    const state = await visitor.state();
    return state.generation > generation && state.tick < tick;
  });
  if (!(await visitor.state()).running) {
    await button("Resume").click();
  }
  await until("it runs", async () => (await visitor.state()).tick > 5);
}

async function resetEndsDrags({ visit, ownWorld }) {
  const visitor = await visit(await ownWorld("contact-1"));
  const before = await visitor.settled("block1");
  const from = await visitor.screen(before.x, before.y);
  const to = await visitor.screen(before.x, before.y + 3);
  await visitor.page.mouse.move(from.x, from.y);
  await visitor.page.mouse.down();
  await visitor.page.mouse.move(to.x, to.y, { steps: 3 });
  await until("it rises", async () => (await visitor.body("block1")).y > before.y + 1);
  const { generation } = await visitor.state();
  await visitor.page.keyboard.press("r");
  await until("it is reset", async () => (await visitor.state()).generation > generation);
  await visitor.settled("block1");
  check("no hand holds it any more", Math.abs((await visitor.body("block1")).y - before.y) < 0.3);
  await visitor.page.mouse.up();
  const refusals = await visitor.toasts("error");
  check("nothing was refused", refusals.length === 0, refusals.join());
}

async function blocksLoadScenes({ visit, ownWorld }) {
  const world = await ownWorld("contact-2");
  const [hand, eye] = [await visit(world), await visit(world)];
  await hand.page.getByRole("button", { name: "5", exact: true }).click();
  for (const visitor of [hand, eye]) {
    await until("five blocks are there, in the same world", async () => {
      const state = await visitor.state();
      return state.scene === "contact-5" && state.world === world && state.shownTick > 0;
    });
    await visitor.body("block5");
  }
}

async function galleryOpensWorlds({ visit }) {
  const visitor = await visit("contact-6");
  await visitor.page.keyboard.press("g");
  const scenes = visitor.page.locator(".card.scene");
  await until("at least ten scenes are there", async () => (await scenes.count()) >= 10);
  const titles = await scenes.locator("strong").allTextContents();
  const texts = await scenes.locator("p").allTextContents();
  check("every scene has a title", titles.every((title) => title !== ""), titles.join());
  check("every scene says what to look for", texts.every((text) => text.length > 10));
  const stack = scenes.filter({ hasText: /stack/i }).first();
  await stack.getByRole("button", { name: "New world" }).click();
  await until("the page goes to the new world", async () => {
    const { world } = await visitor.state();
    return world !== "contact-6" && visitor.page.url().endsWith(encodeURIComponent(world));
  });
  await visitor.page.goBack();
  await until("and back", async () => (await visitor.state()).world === "contact-6");
}

async function saysWhenAWorldIsGone({ visit }) {
  const visitor = await visit("no-such-world", undefined, false);
  const notice = visitor.page.locator(".notice");
  await until("it says so", async () => /no-such-world/.test(await notice.textContent()));
  await notice.getByRole("button", { name: "Contact world" }).click();
  await visitor.joined();
  check("the notice is gone", await notice.isHidden());
}

async function showsTheDaemonsWords({ visit }) {
  const visitor = await visit("contact-6");
  await visitor.page.evaluate(() => window.cairn.change({ solver: "no-such-solver" }));
  await visitor.told(/no-such-solver/, "error");
}

async function provesStability({ visit, ownWorld }) {
  const ask = (visitor) => visitor.page.getByRole("button", { name: "Stable?" }).click();
  const falls = await visit(await ownWorld("overbalanced-stack"));
  await until("it runs", async () => (await falls.state()).tick > 20);
  await ask(falls);
  const verdict = falls.page.locator(".verdict");
  await until("it is unstable", async () => /Unstable.*falls/.test(await verdict.textContent()));
  const MOTION_BLUE = [29, 78, 216];
  await until("the picture shows how it falls", async () =>
    (await falls.countPixels(MOTION_BLUE, 14)) > 80);
  await falls.page.getByRole("button", { name: "Back to the world" }).click();
  await until("the world is back", async () => (await falls.countPixels(MOTION_BLUE, 14)) === 0);
  const stands = await visit(await ownWorld("stack"));
  await ask(stands);
  const words = stands.page.locator(".verdict");
  await until("it stands", async () => /Stable.*at the start, stands; margin [\d.]+ N/.test(
    await words.textContent()));
  await until("its forces are shown", async () => (await stands.state()).forces > 4);
  check("no motion is", (await stands.countPixels(MOTION_BLUE, 14)) === 0);
}

export default [
  ["two pages see one world, to the bit", everyoneSeesTheSame],
  ["sliders act, for everyone", slidersAct],
  ["without gravity nothing presses", gravityIsFelt],
  ["pause, step and reset", pauseStepReset],
  ["a reset ends what is held", resetEndsDrags],
  ["one to six blocks are loaded for everyone", blocksLoadScenes],
  ["the gallery opens scenes as worlds", galleryOpensWorlds],
  ["a world that is not there is said to be", saysWhenAWorldIsGone],
  ["stability is proved and drawn", provesStability],
  ["a refusal is shown in the daemon's words", showsTheDaemonsWords],
];
