/**
 * predict.mjs: the prediction of @cairn/predict against a simulated daemon, in Node.
 *
 * usage: node predict.mjs FUZZ WASM FOLDER ROLLBACKS [SEED]
 *
 * FUZZ is the bundle of packages/predict/test/fuzz.ts, WASM the folder of the modules, FOLDER that
 * of packed scenes.  Without ROLLBACKS it measures instead.
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [bundle, wasm, folder, rollbacks, seed] = process.argv.slice(2);
const { Engine, MODULE_FILES, fuzz, measure } = await import(pathToFileURL(bundle).href);
const engines = new Map();
for (const module of MODULE_FILES) {
  engines.set(module, await Engine.load(readFileSync(`${wasm}/${module}`)));
}
const bench = {
  engine: (module) => engines.get(module),
  scene: (name) => readFileSync(`${folder}/${name}.scene`),
  clock: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  say: (line) => console.log(line),
};
if (rollbacks === undefined) {
  measure(bench);
} else {
  fuzz(bench, Number(rollbacks), Number(seed ?? 1));
}
