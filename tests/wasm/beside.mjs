/**
 * beside.mjs: steps and snapshots beside Rapier's, in one run of Node.
 *
 * usage: node beside.mjs BUNDLE WASM RAPIER
 *
 * BUNDLE is that of packages/predict/test/beside.ts, WASM the folder of the modules, RAPIER a
 * folder in which npm has installed @dimforge/rapier3d-simd-compat and
 * @dimforge/rapier2d-simd-compat.  Both engines step the same bodies at 60 Hz with their usual
 * settings, tick by tick in turns, each with SIMD on one thread; the table has medians.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [bundle, wasm, folder] = process.argv.slice(2);
const { Engine, MODULE_FILES, balls, engineFor, pyramid, sceneOf, stacks } = await import(
  pathToFileURL(bundle).href
);
const require = createRequire(`${folder}/`);
const rapiers = {
  2: require("@dimforge/rapier2d-simd-compat"),
  3: require("@dimforge/rapier3d-simd-compat"),
};
for (const rapier of Object.values(rapiers)) {
  await rapier.init();
}
const engines = new Map();
for (const file of MODULE_FILES) {
  engines.set(file, await Engine.load(readFileSync(`${wasm}/${file}`)));
}

function rapierWorld(pile, sleep) {
  const R = rapiers[pile.isFlat ? 2 : 3];
  const place = ({ x, y, z }) => (pile.isFlat ? [x, y] : [x, y, z]);
  const world = new R.World(pile.isFlat ? { x: 0, y: -9.81 } : { x: 0, y: -9.81, z: 0 });
  world.timestep = 1 / 60;
  const { half, ground } = pile;
  const shape = () => {
    const desc = pile.isBall
      ? R.ColliderDesc.ball(half)
      : R.ColliderDesc.cuboid(half, half, ...(pile.isFlat ? [] : [half]));
    return desc.setDensity(pile.density);
  };
  if (ground !== null) {
    const at = place({ x: 0, y: -ground.y, z: 0 });
    const body = world.createRigidBody(R.RigidBodyDesc.fixed().setTranslation(...at));
    const halves = place(ground);
    world.createCollider(R.ColliderDesc.cuboid(...halves), body);
  }
  for (const one of pile.bodies) {
    const desc = one.isFixed ? R.RigidBodyDesc.fixed() : R.RigidBodyDesc.dynamic();
    desc.setTranslation(...place(one)).setCanSleep(sleep);
    world.createCollider(shape(), world.createRigidBody(desc));
  }
  return world;
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

function timed(call) {
  const begin = performance.now();
  call();
  return performance.now() - begin;
}

const versions = Object.values(rapiers).map((rapier) => rapier.version());
console.log(`Node ${process.version}, Rapier ${versions.join(" and ")}; medians in ms`);

/** Falling and resting, without sleep, so that every tick has all bodies. */
function step(pile, ticks) {
  const theirs = rapierWorld(pile, false);
  const scene = sceneOf(pile, false);
  const ours = engineFor(engines, scene).createWorld(scene);
  const times = { ours: [], theirs: [] };
  for (let tick = 0; tick < ticks; tick++) {
    times.theirs.push(timed(() => theirs.step()));
    times.ours.push(timed(() => ours.step()));
  }
  const of = (list) => {
    const last = list.slice(-Math.min(60, ticks >> 1));
    return `${median(list).toFixed(3)}, last second ${median(last).toFixed(3)}`;
  };
  console.log(`step: ${pile.name}: cairn ${of(times.ours)}; rapier ${of(times.theirs)}`);
  theirs.free();
  ours.destroy();
}

/** Whole snapshots of a world with all contacts. */
function snapshot(pile) {
  const R = rapiers[pile.isFlat ? 2 : 3];
  const theirs = rapierWorld(pile, false);
  const scene = sceneOf(pile, false);
  const ours = engineFor(engines, scene).createWorld(scene);
  for (let tick = 0; tick < 30; tick++) {
    theirs.step();
    ours.step();
  }
  const kept = ours.makeKept();
  const times = { take: [], restore: [], keep: [], recall: [] };
  let bytes;
  for (let i = 0; i < 200; i++) {
    times.take.push(timed(() => { bytes = theirs.takeSnapshot(); }));
    times.keep.push(timed(() => ours.keep(kept)));
    times.recall.push(timed(() => ours.recall(kept)));
    if (i % 10 === 0) {
      let world;
      times.restore.push(timed(() => { world = R.World.restoreSnapshot(bytes); }));
      world.free();
    }
  }
  const ms = (list) => median(list).toFixed(3);
  const kb = (size) => (size / 1000).toFixed(1);
  console.log(
    `snapshot: ${pile.name}: cairn ${kb(ours.image().length)} kB, write ${ms(times.keep)}, ` +
      `read ${ms(times.recall)}; rapier ${kb(bytes.length)} kB, take ${ms(times.take)}, ` +
      `restore ${ms(times.restore)}`,
  );
  kept.free();
  theirs.free();
  ours.destroy();
}

for (const pile of [pyramid(10), pyramid(24), balls(8), balls(20)]) {
  step(pile, pile.bodies.length > 2000 ? 120 : 300);
}
for (const pile of [stacks(50), stacks(200), stacks(800), pyramid(10), pyramid(24)]) {
  snapshot(pile);
}
