/** test_production.mjs: worlds of the solver impulse: its settings, and sleep. */
import { check, until } from "./wait.mjs";

async function choosesBothHalves({ visit, ownWorld }) {
  const world = await ownWorld("contact-2");
  const [hand, eye] = [await visit(world), await visit(world)];
  const select = (id, name) => hand.page.locator(`#${id}`).selectOption(name);
  const isShown = (id) => hand.page.locator(`#${id}`).isVisible();
  const pair = async () => {
    const { solver, stepper } = (await eye.state()).settings;
    return `${solver} ${stepper}`;
  };
  await until("the solvers are listed", async () =>
    (await hand.page.locator("#solver option").count()) > 1);
  await until("the exact pair is there", async () => (await pair()) === "baraff94 event");
  check("it has no substeps", !(await isShown("substeps")) && !(await isShown("sleep")));
  check("but impacts in turn", await isShown("collision"));
  await select("solver", "gauss");
  await until("a solver that fits changes alone", async () => (await pair()) === "gauss event");
  await select("solver", "impulse");
  await until("one that does not brings its stepper", async () =>
    (await pair()) === "impulse time");
  await until("its settings are shown", async () =>
    (await isShown("substeps")) && (await isShown("sleep")));
  check("others are not", !(await isShown("collision")) && !(await isShown("least-forces")));
  await hand.slide("substeps", 8);
  await hand.page.locator("#sleep").uncheck();
  await until("everyone has them", async () => {
    const { substepsSet, sleepSet } = (await eye.state()).settings;
    return substepsSet.value === 8 && sleepSet.value === false;
  });
  const shown = await eye.page.locator("output[for=substeps]").textContent();
  check("a whole number is shown", shown === "8", shown);
  await select("stepper", "event");
  await until("back, with the solver from before", async () => (await pair()) === "gauss event");
  check("nothing was refused", (await hand.toasts("error")).length === 0);
}

/** The numbers of the paper's stepper are shown with it, and a new value is shown to everyone. */
async function propagationHasItsNumbers({ visit, ownWorld }) {
  const world = await ownWorld("contact-2");
  const [hand, eye] = [await visit(world), await visit(world)];
  const isShown = (id) => hand.page.locator(`#${id}`).isVisible();
  await until("the steppers are listed", async () =>
    (await hand.page.locator("#stepper option").count()) > 1);
  check("its numbers are not shown",
    !(await isShown("shock-passes")) && !(await isShown("literal")));
  await hand.page.locator("#stepper").selectOption("propagation");
  await until("they come with the stepper", async () =>
    (await isShown("shock-passes")) && (await isShown("literal")));
  await hand.slide("contact-iterations", 12);
  await hand.slide("shock-passes", 2);
  await hand.page.locator("#literal").check();
  await until("everyone has them, and the others as they were", async () => {
    const { propagation } = (await eye.state()).settings;
    return propagation.contactIterationsSet.value === 12 && propagation.shockPassesSet.value === 2
      && propagation.literalSet.value === true && propagation.collisionIterationsSet.value === 5
      && propagation.contactSweepsSet.value === 4;
  });
  check("nothing was refused", (await hand.toasts("error")).length === 0);
}

/** A stack of three heavy boxes that comes to rest at once. */
const STACK = {
  scene: {
    name: "three",
    world: { stepper: "time", solver: "impulse", sleep: false },
    materials: [{ name: "stone", friction: 0.6 }],
    bodies: [
      { name: "floor", type: "STATIC", shapes: [{ plane: { normal: { y: 1 } } }] },
      ...[0, 1, 2].map((row) => ({
        name: `box${row}`, mass: 2, color: "#00a000", position: { y: 0.5 + row },
        shapes: [{ box: { size: { x: 1, y: 1, z: 1 } } }],
      })),
    ],
  },
};
const AWAKE_GREEN = [0, 160, 0];

async function sleepersKeepTheirForces({ visit, makeWorld }) {
  const world = await makeWorld(STACK);
  const visitor = await visit(world);
  const reading = (name) => visitor.page.locator(`#reading-${name}`).textContent();
  await until("it is awake, in its own colour", async () =>
    (await visitor.countPixels(AWAKE_GREEN, 12)) > 500);
  await visitor.page.locator("#sleep").check();
  await until("all sleep", async () => (await visitor.state()).asleep === 3);
  await until("and are told", async () => (await reading("bodies")) === "3, 3 asleep");
  const { forces, tick } = await visitor.state();
  check("each of the three pairs presses in two points", forces === 6, forces);
  await until("they are paler", async () => (await visitor.countPixels(AWAKE_GREEN, 12)) === 0);
  await until("ticks pass", async () => (await visitor.state()).tick > tick + 60);
  check("the forces stay", (await visitor.state()).forces === 6);
  check("and are said to be soft", /^[\d.]+ mm deep$/.test(await reading("solver")),
    await reading("solver"));
  check("by whom", /^impulse, 4 substeps$/.test(await reading("method")));
  const late = await visit(world);
  await until("who comes later sees them too", async () =>
    (await late.state()).forces === 6 && (await late.state()).asleep === 3);
  await visitor.page.locator("#sleep").uncheck();
  await until("without sleep they wake, for everyone", async () =>
    (await late.state()).asleep === 0 && (await visitor.state()).forces === 6);
}

/** Bodies are made and removed in a watched world: only these are sent, and no view jumps. */
async function changesLeaveTheViewAlone({ visit, makeWorld, daemon }) {
  const world = await makeWorld(STACK);
  const visitor = await visit(world);
  const names = () => visitor.page.evaluate(() => window.cairn.bodies().map(({ name }) => name));
  const canvas = await visitor.page.locator("canvas.stage").boundingBox();
  await visitor.page.mouse.move(canvas.x + 200, canvas.y + 200);
  const metre = async () => (await visitor.screen(0, 1)).y - (await visitor.screen(0, 0)).y;
  const size = await metre();
  await visitor.page.mouse.wheel(0, 200);
  await until("the wheel is done", async () => (await metre()) !== size);
  const before = await visitor.screen(0, 0);
  const home = await visitor.screen(1, 1);
  const [at, to] = [await visitor.screenOf("box2"), await visitor.screen(0, 3.5)];
  await visitor.page.mouse.move(at.x, at.y);
  await visitor.page.mouse.down();
  await visitor.page.mouse.move(to.x, to.y, { steps: 4 });
  await until("a hand holds the upper box up", async () => (await visitor.body("box2")).y > 2.8);
  const { generation } = await visitor.state();
  const shapes = [{ circle: { radius: 0.5 } }];
  await daemon.ask("POST", `/v1/worlds/${world}/bodies`, {
    bodies: [{ name: "ball", mass: 1, color: "#d000d0", position: { x: 2, y: 3 }, shapes }],
    remove: ["box1"],
  });
  await until("the ball is drawn", async () =>
    (await names()).includes("ball") && (await visitor.countPixels([208, 0, 208], 12)) > 200);
  check("the box between is gone", !(await names()).includes("box1"));
  check("the generation is the next", (await visitor.state()).generation === generation + 1);
  const [after, then] = [await visitor.screen(0, 0), await visitor.screen(1, 1)];
  check("the view is where it was", Math.hypot(after.x - before.x, after.y - before.y) < 1e-6 &&
    Math.hypot(then.x - home.x, then.y - home.y) < 1e-6);
  check("the hand still holds", (await visitor.body("box2")).y > 2.5);
  await visitor.page.mouse.up();
  await until("it lets go, and the box falls onto the lowest one", async () =>
    Math.abs((await visitor.body("box2")).y - 1.5) < 0.1);
  await daemon.ask("POST", `/v1/worlds/${world}/bodies`, { remove: ["ball"] });
  await until("the ball is gone", async () =>
    (await visitor.countPixels([208, 0, 208], 12)) === 0);
}

export default [
  ["solver and stepper are chosen together where one needs the other", choosesBothHalves],
  ["the stepper propagation has its numbers", propagationHasItsNumbers],
  ["bodies come and go, and the view and the hands stay", changesLeaveTheViewAlone],
  ["what sleeps is paler, and its forces stay", sleepersKeepTheirForces],
];
