/** test_production.mjs: worlds of the solver impulse: its settings, and what sleeps. */
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
  check("nothing was refused", (await hand.page.locator(".toast.error").count()) === 0);
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

export default [
  ["solver and stepper are chosen together where one needs the other", choosesBothHalves],
  ["what sleeps is paler, and its forces stay", sleepersKeepTheirForces],
];
