/**
 * in_node.mjs: compares every reference of a folder with the engine in Node.
 *
 * usage: node in_node.mjs COMPARE WASM FOLDER
 *
 * WASM is the folder of the modules.
 */
import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [bundle, wasm, folder] = process.argv.slice(2);
const { compareAll, Engine, MODULE_FILES } = await import(pathToFileURL(bundle).href);
const engines = new Map();
for (const file of MODULE_FILES) {
  engines.set(file, await Engine.load(readFileSync(`${wasm}/${file}`)));
}
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.slice(0, -".json".length));
let failed = names.length === 0 ? 1 : 0;
let hashes = 0;
for (const name of names) {
  const read = (ending) => readFileSync(`${folder}/${name}.${ending}`);
  try {
    const reference = JSON.parse(read("json"));
    hashes += compareAll(engines, reference, read("scene"), read("image"));
  } catch (error) {
    console.log(`not ok - ${name}: ${error.message}`);
    failed++;
  }
}
console.log(`Node: ${names.length} scenes, ${hashes} hashes compared, ${failed} scenes failed`);
process.exit(failed === 0 ? 0 : 1);
