/** test_hands.mjs: dragging by mouse and finger, thrusting by key and finger. */
import { PHONE } from "./visitor.mjs";
import { check, until } from "./wait.mjs";

/** Grabs a body and pulls it by (dx, dy) metres; the mouse button stays down. */
async function pull(visitor, name, dx, dy) {
  const { x, y } = await visitor.body(name);
  const from = await visitor.screen(x, y);
  const to = await visitor.screen(x + dx, y + dy);
  await visitor.page.mouse.move(from.x, from.y);
  await visitor.page.mouse.down();
  await visitor.page.mouse.move(to.x, to.y, { steps: 6 });
  return { x, y };
}

async function dragMovesABlock({ visit, ownWorld }) {
  const visitor = await visit(await ownWorld("contact-1"));
  await visitor.settled("block1");
  const before = await pull(visitor, "block1", 0, 1.5);
  await until("the block follows the hand", async () => {
    const now = await visitor.body("block1");
    return now.y > before.y + 0.8;
  });
  const { sentSeq } = await visitor.state();
  check("inputs were sent", sentSeq > 0, sentSeq);
  await visitor.page.mouse.up();
  await until("let go, it falls back", async () => {
    const now = await visitor.body("block1");
    return now.y < before.y + 0.4;
  });
  await until("every input was applied", async () => {
    const state = await visitor.state();
    return state.appliedSeq === state.sentSeq;
  });
}

async function emptySpaceMovesTheView({ visit, ownWorld }) {
  const visitor = await visit(await ownWorld("contact-1"));
  const block = await visitor.settled("block1");
  const before = await visitor.screen(block.x, block.y);
  const canvas = await visitor.page.locator("canvas.stage").boundingBox();
  const start = { x: canvas.x + canvas.width / 2, y: canvas.y + 30 };
  await visitor.page.mouse.move(start.x, start.y);
  await visitor.page.mouse.down();
  await visitor.page.mouse.move(start.x + 60, start.y + 20, { steps: 3 });
  await visitor.page.mouse.up();
  const after = await visitor.screen(block.x, block.y);
  check("the view moved with the hand", Math.abs(after.x - before.x - 60) < 1, after.x - before.x);
  check("nothing was sent", (await visitor.state()).sentSeq === 0);
  const meter = async () => (await visitor.screen(1, 0)).x - (await visitor.screen(0, 0)).x;
  const size = await meter();
  await visitor.page.mouse.wheel(0, -300);
  await until("the wheel makes a metre larger", async () => (await meter()) > size * 1.2);
}

/** Keys move, turn and zoom the view for users without a pointer. */
async function keysMoveTheView({ visit, ownWorld }) {
  const flat = await visit(await ownWorld("contact-1"));
  const before = await flat.screen(0, 0);
  await flat.page.keyboard.press("Shift+ArrowRight");
  const moved = await flat.screen(0, 0);
  check("an arrow looks further its way", Math.abs(moved.x - before.x + 40) < 1, moved.x);
  const meter = async () => (await flat.screen(1, 0)).x - (await flat.screen(0, 0)).x;
  const size = await meter();
  await flat.page.keyboard.press("+");
  check("plus makes a metre larger", (await meter()) > size * 1.2);
  await flat.page.keyboard.press("-");
  check("minus smaller", Math.abs((await meter()) - size) < 0.01 * size);
  await flat.page.keyboard.press("Home");
  const home = await flat.screen(0, 0);
  check("Home shows everything again", Math.abs(home.x - before.x) < 1, home.x);
  check("nothing was sent", (await flat.state()).sentSeq === 0);
  const space = await visit(await ownWorld("blocks-in-space"));
  const front = await space.screen(1, 0, 0);
  await space.page.keyboard.press("Shift+ArrowLeft");
  const turned = await space.screen(1, 0, 0);
  check("in space it turns", Math.hypot(turned.x - front.x, turned.y - front.y) > 5);
}

/** The effect of each key on its block; a block that rises does so from its place at rest. */
const KEYS = [
  ["block1", "e", (now, before) => now.y > before.y + 0.3, true],
  ["block1", "f", (now, before) => now.x > before.x + 0.3],
  ["block1", "s", (now, before) => now.x < before.x - 0.1],
  ["block2", "i", (now, before) => now.y > before.y + 0.3, true],
  ["block2", "ArrowUp", (now, before) => now.y > before.y + 0.3, true],
  ["block2", "j", (now, before) => now.x < before.x - 0.3],
  ["block2", "ArrowRight", (now, before) => now.x > before.x + 0.1],
];

async function keysThrust({ visit, ownWorld }) {
  const visitor = await visit(await ownWorld("contact-2"));
  for (const [name, key, isMoved, rises] of KEYS) {
    const before = rises ? await visitor.settled(name) : await visitor.body(name);
    await visitor.page.keyboard.down(key);
    await until(`${key} moves ${name}`, async () => isMoved(await visitor.body(name), before));
    await visitor.page.keyboard.up(key);
  }
}

async function blurLetsGo({ visit, ownWorld }) {
  const visitor = await visit(await ownWorld("contact-2"));
  await visitor.page.keyboard.down("f");
  const held = await until("the thruster is on", async () => (await visitor.state()).sentSeq);
  check("one input switches it on", held === 1, held);
  await visitor.page.evaluate(() => dispatchEvent(new Event("blur")));
  await until("the release was sent", async () => (await visitor.state()).sentSeq === 2);
  await until("and applied", async () => (await visitor.state()).appliedSeq === 2);
  await visitor.page.keyboard.up("f");
  check("and only once", (await visitor.state()).sentSeq === 2);
}

async function slidersDoNotSwallowKeys({ visit, ownWorld }) {
  const visitor = await visit(await ownWorld("contact-2"));
  await visitor.page.locator("#elasticity").focus();
  await visitor.page.keyboard.down("f");
  await until("a letter thrusts", async () => (await visitor.state()).sentSeq === 1);
  await visitor.page.keyboard.up("f");
  await until("and lets go", async () => (await visitor.state()).sentSeq === 2);
  const value = () => visitor.page.locator("#elasticity").inputValue();
  const before = Number(await value());
  await visitor.page.keyboard.press(before > 0.5 ? "ArrowLeft" : "ArrowRight");
  check("an arrow moves the slider", Number(await value()) !== before, before);
  check("and does not thrust", (await visitor.state()).sentSeq === 2);
}

/** A dragged body shows the name of the person who drags it, and nobody else can move it. */
async function holdersAreShown({ visit, ownWorld }) {
  const world = await ownWorld("contact-2");
  const ann = await visit(world);
  const bob = await visit(world);
  await ann.settled("block1");
  const before = await pull(ann, "block1", 0, 1.2);
  const tagOf = (visitor) => visitor.page.locator(".hold-tag");
  await until("it is held up", async () => (await bob.body("block1")).y > before.y + 0.8);
  await until("both see a name", async () =>
    (await tagOf(ann).count()) === 1 && (await tagOf(bob).count()) === 1);
  check("to who holds it, it is theirs", (await tagOf(ann).textContent()) === "you");
  const name = await tagOf(bob).textContent();
  const people = await bob.page.locator(".people").textContent();
  check("to the other it is that person's", name.length > 3 && people.includes(name), name);
  if (process.env.CAIRN_E2E_PICTURES) {
    await bob.page.screenshot({ path: `${process.env.CAIRN_E2E_PICTURES}/held.png` });
  }
  const { x, y } = await bob.settled("block1");
  await pull(bob, "block1", 3, 0);
  await until("the hand is answered", async () =>
    (await bob.toasts()).includes(`${name} holds this one`));
  check("nothing was sent", (await bob.state()).sentSeq === 0);
  await bob.page.mouse.up();
  const now = await bob.body("block1");
  check("and it did not move", Math.hypot(now.x - x, now.y - y) < 0.3);
  await ann.page.mouse.up();
  await until("let go, it is nobody's", async () => (await tagOf(bob).count()) === 0);
  await bob.settled("block1");
  await pull(bob, "block1", 0, 1.2);
  await until("and the other lifts it", async () => (await ann.body("block1")).y > before.y + 0.8);
  await bob.page.mouse.up();
}

/** Touches through the browser's own input pipeline. */
async function touchDrags({ visit, ownWorld }) {
  const visitor = await visit(await ownWorld("contact-1"), PHONE);
  const before = await visitor.settled("block1");
  const from = await visitor.screen(before.x, before.y);
  const to = await visitor.screen(before.x, before.y + 1.5);
  const input = await visitor.context.newCDPSession(visitor.page);
  const touch = (type, points) =>
    input.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  await touch("touchStart", [from]);
  for (let step = 1; step <= 6; step++) {
    const y = from.y + ((to.y - from.y) * step) / 6;
    await touch("touchMove", [{ x: from.x, y }]);
  }
  await until("the block follows the finger", async () => {
    const now = await visitor.body("block1");
    return now.y > before.y + 0.8;
  });
  await touch("touchEnd", []);
  await until("lifted, it falls back", async () => {
    const now = await visitor.body("block1");
    return now.y < before.y + 0.4;
  });
}

/** A phone with a keyboard or a switch presses the same buttons. */
async function keysPressThrusterButtons({ visit, ownWorld }) {
  const visitor = await visit(await ownWorld("contact-2"), PHONE);
  const before = await visitor.settled("block1");
  await visitor.page.getByRole("button", { name: "Block 1: right" }).focus();
  await visitor.page.keyboard.down("Enter");
  await until("the block goes right", async () =>
    (await visitor.body("block1")).x > before.x + 0.3);
  await visitor.page.keyboard.up("Enter");
  await until("it is let go", async () => {
    const { appliedSeq, sentSeq } = await visitor.state();
    return sentSeq === 2 && appliedSeq === 2;
  });
}

async function twoFingersZoom({ visit, ownWorld }) {
  const visitor = await visit(await ownWorld("contact-1"), PHONE);
  const canvas = await visitor.page.locator("canvas.stage").boundingBox();
  const [x, y] = [canvas.x + canvas.width / 2, canvas.y + 60];
  const input = await visitor.context.newCDPSession(visitor.page);
  const touch = (type, half) => input.send("Input.dispatchTouchEvent", {
    type,
    touchPoints: half === 0 ? [] : [{ x: x - half, y, id: 0 }, { x: x + half, y, id: 1 }],
  });
  const meter = async () => (await visitor.screen(1, 0)).x - (await visitor.screen(0, 0)).x;
  const before = await meter();
  await touch("touchStart", 30);
  for (const half of [36, 42, 48, 54, 60]) {
    await touch("touchMove", half);
  }
  await until("twice as far apart, twice as large", async () =>
    Math.abs((await meter()) / before - 2) < 0.1);
  await touch("touchEnd", 0);
  check("nothing was sent", (await visitor.state()).sentSeq === 0);
}

async function touchThrusts({ visit, ownWorld }) {
  const visitor = await visit(await ownWorld("contact-2"), PHONE);
  const before = await visitor.settled("block1");
  const pad = visitor.page.locator(".cross").first().locator("button.up");
  check("thruster buttons are shown", await pad.isVisible());
  const box = await pad.boundingBox();
  const input = await visitor.context.newCDPSession(visitor.page);
  const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await input.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
  await until("the block rises", async () =>
    (await visitor.body("block1")).y > before.y + 0.3);
  check("by one input", (await visitor.state()).sentSeq === 1);
  await input.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await until("it is let go", async () => (await visitor.state()).sentSeq === 2);
}

export default [
  ["a drag moves a block, and letting go drops it", dragMovesABlock],
  ["empty space moves and zooms the view, and sends nothing", emptySpaceMovesTheView],
  ["who holds a body is shown, and nobody else drags it", holdersAreShown],
  ["keys move the view", keysMoveTheView],
  ["keys thrust", keysThrust],
  ["leaving the window lets go of thrusters", blurLetsGo],
  ["a focused slider leaves letters to thrusters", slidersDoNotSwallowKeys],
  ["a finger drags a block", touchDrags],
  ["a finger thrusts", touchThrusts],
  ["a key presses a thruster's button", keysPressThrusterButtons],
  ["two fingers zoom", twoFingersZoom],
];
