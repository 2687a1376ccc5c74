/** test_space.mjs: spatial worlds: drawn, turned, dragged; solvers and steppers switched live. */
import { PHONE } from "./visitor.mjs";
import { check, until } from "./wait.mjs";

/** Two blocks and a ball that float; nothing touches. */
const SCENE = {
  name: "afloat",
  title: "Afloat",
  world: { dimension: "SPATIAL", gravity: {} },
  bodies: [
    { name: "green", mass: 1, color: "#00a000", angularVelocity: { x: 0.4, y: 0.3 },
      shapes: [{ box: { size: { x: 1, y: 1, z: 1 } } }] },
    { name: "blue", mass: 1, color: "#2040ff", position: { x: 3 },
      shapes: [{ box: { size: { x: 1, y: 2, z: 0.5 } } }] },
    { name: "ball", mass: 1, color: "#ffa000", position: { x: -3, z: 1 },
      shapes: [{ sphere: { radius: 0.7 } }] },
  ],
  forces: [{ damping: { linear: 1, angular: 0 } }],
};

/** The centre of the box around the bodies. */
const MIDDLE = [-0.1, 0, 0.6];

const SOURCE = { scene: SCENE };

async function drawsSolids({ visit, makeWorld }) {
  const visitor = await visit(await makeWorld(SOURCE));
  for (const [name, color] of [["green", [0, 140, 0]], ["blue", [26, 52, 210]],
    ["ball", [215, 135, 0]]]) {
    await until(`${name} is on the picture`, async () =>
      (await visitor.countPixels(color, 60)) > 400);
    const { x, y } = await visitor.screenOf(name);
    const box = { x: x - 5, y: y - 5, width: 10, height: 10 };
    const there = await visitor.countPixels(color, 75, box);
    check(`${name} is where the page says`, there > 60, `${there} of 100 pixels`);
  }
  const before = await visitor.body("green");
  await until("it turns", async () => {
    const now = await visitor.body("green");
    return now.turn.some((part, index) => Math.abs(part - before.turn[index]) > 0.1);
  });
  const { turn } = await visitor.body("green");
  check("by a quaternion of unit length", Math.abs(Math.hypot(...turn) - 1) < 1e-6);
  check("every snapshot had the right hash", (await visitor.state()).damaged === 0);
  await visitor.page.keyboard.press("g");
  const card = visitor.page.locator(".card.world", { hasText: "Afloat" }).first();
  await until("its picture in the gallery has faces", async () =>
    (await card.locator("svg path").count()) > 10);
}

async function turnsTheView({ visit, makeWorld }) {
  const visitor = await visit(await makeWorld(SOURCE));
  const canvas = await visitor.page.locator("canvas.stage").boundingBox();
  const { mouse, keyboard } = visitor.page;
  const start = { x: canvas.x + canvas.width / 2, y: canvas.y + 24 };
  const pull = async (dx, dy) => {
    await mouse.move(start.x, start.y);
    await mouse.down();
    await mouse.move(start.x + dx, start.y + dy, { steps: 4 });
    await mouse.up();
  };
  const places = () => Promise.all([visitor.screen(...MIDDLE), visitor.screen(3, 0, 0)]);
  const [middle, side] = await places();
  await pull(150, 0);
  const [middleTurned, sideTurned] = await places();
  const span = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
  check("what is looked at stays", span(middle, middleTurned) < 1, span(middle, middleTurned));
  check("what stands aside goes around", span(side, sideTurned) > 20, span(side, sideTurned));
  await keyboard.down("Shift");
  await pull(60, 30);
  await keyboard.up("Shift");
  const [middleMoved] = await places();
  check("with Shift the view moves with the hand",
    Math.abs(middleMoved.x - middleTurned.x - 60) < 3 &&
    Math.abs(middleMoved.y - middleTurned.y - 30) < 3);
  const before = span(...(await places()));
  await mouse.move(start.x, start.y);
  await mouse.wheel(0, -300);
  await until("the wheel brings it nearer", async () => span(...(await places())) > before * 1.2);
  await keyboard.press("Home");
  const [home] = await places();
  check("Home shows all again", span(home, middle) < 1, span(home, middle));
  check("nothing was sent", (await visitor.state()).sentSeq === 0);
}

async function dragsAcrossTheView({ visit, makeWorld }) {
  const visitor = await visit(await makeWorld(SOURCE));
  const { mouse } = visitor.page;
  const before = await visitor.body("blue");
  const from = await visitor.screenOf("blue");
  await mouse.move(from.x, from.y);
  await mouse.down();
  await mouse.move(from.x - 60, from.y - 110, { steps: 6 });
  await until("the block comes to the hand", async () => {
    const now = await visitor.body("blue");
    const { x, y } = await visitor.screen(now.x, now.y, now.z);
    return Math.hypot(x - (from.x - 60), y - (from.y - 110)) < 45;
  });
  const now = await visitor.body("blue");
  check("it is lifted", now.y > before.y + 0.3, now.y);
  check("in depth as well as across", Math.abs(now.z - before.z) > 0.02, now.z);
  await mouse.up();
  await until("every input was applied", async () => {
    const state = await visitor.state();
    return state.sentSeq > 1 && state.appliedSeq === state.sentSeq;
  });
}

async function fingersTurnAndZoom({ visit, makeWorld }) {
  const visitor = await visit(await makeWorld(SOURCE), PHONE);
  const canvas = await visitor.page.locator("canvas.stage").boundingBox();
  const [x, y] = [canvas.x + canvas.width / 2, canvas.y + 40];
  const input = await visitor.context.newCDPSession(visitor.page);
  const touch = (type, ...touchPoints) =>
    input.send("Input.dispatchTouchEvent", { type, touchPoints });
  const place = () => visitor.screen(3, 0, 0);
  const start = await place();
  await touch("touchStart", { x, y });
  await touch("touchMove", { x: x + 50, y });
  await touch("touchMove", { x: x + 100, y });
  await touch("touchEnd");
  await until("one finger turns", async () => {
    const turned = await place();
    return Math.hypot(turned.x - start.x, turned.y - start.y) > 5;
  });
  const meter = async () => {
    const [a, b] = [await visitor.screen(0, 0, 0), await visitor.screen(0, 1, 0)];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  const before = await meter();
  const two = (half) => [{ x: x - half, y, id: 0 }, { x: x + half, y, id: 1 }];
  await touch("touchStart", ...two(30));
  for (const half of [40, 50, 60]) {
    await touch("touchMove", ...two(half));
  }
  await until("two fingers zoom", async () => (await meter()) > before * 1.5);
  await touch("touchEnd");
}

async function switchesSolvers({ visit, ownWorld, daemon }) {
  const world = await ownWorld("contact-2");
  const [hand, eye] = [await visit(world), await visit(world)];
  const { items } = await (await fetch(`${daemon.origin}/v1/solvers`)).json();
  const options = hand.page.locator("#solver option");
  await until("the solvers are listed", async () => (await options.count()) === items.length);
  check("baraff94 is one", items.some(({ name }) => name === "baraff94"));
  for (const { name } of items) {
    const refused = (await hand.toasts("error")).length;
    await hand.page.locator("#solver").selectOption(name);
    await until(`${name} is chosen, or refused with a reason`, async () => {
      const { settings } = await eye.state();
      return settings.solver === name || (await hand.toasts("error")).length > refused;
    });
  }
  await hand.page.locator("#solver").selectOption("baraff94");
  await until("and back", async () => (await eye.state()).settings.solver === "baraff94");
  await until("the readings name the solver", async () =>
    /baraff94, \d+ rows, \d+ it/.test(await hand.page.locator("#reading-method").textContent()));
}

async function refusedChoicesGoBack({ visit, makeWorld, daemon }) {
  const { items } = await (await fetch(`${daemon.origin}/v1/steppers`)).json();
  const visitor = await visit(await makeWorld(SOURCE));
  const { settings } = await visitor.state();
  await visitor.page.evaluate(() => {
    const select = document.querySelector("#stepper");
    select.add(new Option("nonsense", "nonsense"));
    select.value = "nonsense";
    select.dispatchEvent(new Event("change"));
  });
  await visitor.told(/nonsense/, "error");
  await until("the list shows what is", async () =>
    (await visitor.page.locator("#stepper").inputValue()) === settings.stepper);
  check("steppers are listed", items.length >= 1);
}

export default [
  ["draws spatial worlds, and their pictures", drawsSolids],
  ["empty space turns the view, Shift moves it, the wheel zooms", turnsTheView],
  ["a drag in space follows the pointer at its distance", dragsAcrossTheView],
  ["one finger turns, two zoom", fingersTurnAndZoom],
  ["solvers are switched while it runs", switchesSolvers],
  ["a refused choice goes back to what is", refusedChoicesGoBack],
];
