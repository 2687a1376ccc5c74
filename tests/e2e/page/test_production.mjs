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
  check("a whole number is shown", (await eye.page.locator("output[for=substeps]").textContent()) ===
    "8");
  await select("stepper", "event");
  await until("back, with the solver from before", async () => (await pair()) === "gauss event");
  check("nothing was refused", (await hand.page.locator(".toast.error").count()) === 0);
}

export default [
  ["solver and stepper are chosen together where one needs the other", choosesBothHalves],
];
