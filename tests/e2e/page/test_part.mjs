/** test_part.mjs: a part of a world, leases and caps in it, and worlds at rest. */
import { check, until } from "./wait.mjs";

const box = { box: { size: { x: 0.8, y: 0.8 } } };
/** No gravity; the mover leaves the watched part at x = 4. */
const YARD = {
  name: "yard",
  world: { gravity: {}, caps: { force: 6 } },
  view: { height: 16 },
  bodies: [
    { name: "near", mass: 1, shapes: [box] },
    { name: "mover", mass: 1, position: { x: 2, y: 3 }, velocity: { x: 1 }, shapes: [box] },
    { name: "far", mass: 1, position: { x: 9 }, shapes: [box] },
    { name: "flag", mass: 1, position: { x: -9 }, alwaysRelevant: true, shapes: [box] },
    { name: "ball", mass: 1, position: { x: 9, y: 4 }, tags: ["ball"], shapes: [box] },
  ],
};

/** How strongly each body is veiled; empty when the whole world is watched. */
async function veils(visitor) {
  const { veils: list } = await visitor.state();
  return { near: list[0], mover: list[1], far: list[2], flag: list[3], ball: list[4] };
}

/** hsl(hue 60% 52%), the page's colour of a session. */
function personColor(session) {
  const hue = Number((BigInt(session) * 137n) % 360n);
  return [0, 8, 4].map((shift) => {
    const k = (shift + hue / 30) % 12;
    return Math.round(255 * (0.52 - 0.288 * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  });
}

/** The world is paused and stepped, so the test sees the mover at the edge at any speed. */
async function aPartByItsAddress({ daemon, makeWorld, visitAt }) {
  const world = await makeWorld({ scene: YARD });
  const order = (what, body) => daemon.ask("POST", `/v1/worlds/${world}/${what}`, body);
  await order("pause");
  await order("step", { ticks: 60 });
  const visitor = await visitAt(daemon.origin, `/?world=${world}&area=0,0,4&tag=ball`);
  await visitor.joined();
  await until("what is far is veiled", async () => (await veils(visitor)).far > 0.8);
  const seen = await veils(visitor);
  check("what is near is not", seen.near === 0);
  check("nor what is always relevant, nor what has the tag", seen.flag === 0 && seen.ball === 0);
  let { mover } = seen;
  check("nor the mover at first", mover === 0);
  for (let steps = 0; mover === 0 && steps < 30; steps++) {
    const { tick } = await visitor.state();
    await order("step", { ticks: 6 });
    await until("a tenth of a second passes", async () =>
      (await visitor.state()).shownTick >= tick + 6);
    ({ mover } = await veils(visitor));
  }
  check("the mover fades at the edge", mover > 0 && mover < 0.7, mover);
  await order("resume");
  await until("and leaves", async () => (await veils(visitor)).mover > 0.8);
  const { x } = await visitor.body("mover");
  check("where it was last seen", x > 4.3 && x < 4.6, x);
  const { damaged } = await visitor.state();
  check("nothing is damaged", damaged === 0);
}

async function aPartOfTheView({ makeWorld, visit }) {
  const world = await makeWorld({ scene: YARD });
  const visitor = await visit(world);
  check("all of the world is seen", (await visitor.state()).veils.length === 0);
  await visitor.page.locator("#show-part").click();
  await until("what is beyond the view is veiled", async () => (await veils(visitor)).far > 0.8);
  check("the address says it", visitor.page.url().includes("area="), visitor.page.url());
  await visitor.page.reload();
  await visitor.joined();
  await until("and holds after a reload", async () => (await veils(visitor)).far > 0.8);
  check("the box is checked", await visitor.page.locator("#show-part").isChecked());
  await visitor.page.locator("#show-part").click();
  await until("all is seen again", async () => (await visitor.state()).veils.length === 0);
  check("the address is as before", !visitor.page.url().includes("area="), visitor.page.url());
}

async function whoActsIsSeen({ makeWorld, visit }) {
  const world = await makeWorld({ scene: YARD });
  const [hand, eye] = [await visit(world), await visit(world)];
  const from = await hand.screenOf("near");
  const to = await hand.screen(-3, -3);
  await hand.page.mouse.move(from.x, from.y);
  await hand.page.mouse.down();
  await hand.page.mouse.move(to.x, to.y, { steps: 4 });
  const { session } = await hand.state();
  await until("the other page knows who drags what", async () => {
    const { actions } = await eye.state();
    return actions.some((one) => one.session === session && one.kind === 2 && one.target === 0);
  });
  const tag = eye.page.locator(".hold-tag");
  await until("the name stands beside it, with the cap", async () =>
    /at most 6 N/.test((await tag.first().textContent({ timeout: 1000 }).catch(() => "")) ?? ""));
  const color = personColor(session);
  await until("spring and arrow are in the colour of who drags", async () =>
    (await eye.countPixels(color, 24)) > 60);
  await hand.page.mouse.up();
  await until("nobody acts any more", async () => (await eye.state()).actions.length === 0);
}

async function worldsRest({ makeWorld, visit }) {
  const lonely = await makeWorld({ scene: { ...YARD, name: "lonely" } });
  const visitor = await visit(await makeWorld({ scene: YARD }));
  const card = (id) => visitor.page.locator(`.card.world[title="Go to ${id}"]`);
  const open = async () => {
    await visitor.page.keyboard.press("g");
    await card(lonely).waitFor();
    return card(lonely).textContent();
  };
  await until("a world without visitors is idle, and says so", async () => {
    const text = await open();
    await visitor.page.keyboard.press("Escape");
    return /idle/.test(text);
  });
  await visit(lonely);
  await until("somebody wakes it", async () => {
    const text = await open();
    await visitor.page.keyboard.press("Escape");
    return !/idle/.test(text) && /1 visitor/.test(text);
  });
}

export default [
  ["shows a part of a world by its address", aPartByItsAddress],
  ["shows the part that the view shows", aPartOfTheView],
  ["shows who acts, and how hard they may", whoActsIsSeen],
  ["says which worlds are idle", worldsRest],
];
