/**
 * in_node.mjs: compares every reference of a folder with the engine in Node.
 *
 * usage: node in_node.mjs COMPARE WASM SMALL FOLDER
 */
import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [bundle, wasm, small, folder] = process.argv.slice(2);
const { compareBoth, Engine } = await import(pathToFileURL(bundle).href);
const engines = [await Engine.load(readFileSync(wasm)), await Engine.load(readFileSync(small))];
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.slice(0, -".json".length));
let failed = names.length === 0 ? 1 : 0;
let hashes = 0;
for (const name of names) {
  const read = (ending) => readFileSync(`${folder}/${name}.${ending}`);
  try {
    const reference = JSON.parse(read("json"));
    hashes += compareBoth(...engines, reference, read("scene"), read("image"));
  } catch (error) {
    console.log(`not ok - ${name}: ${error.message}`);
    failed++;
  }
}
console.log(`Node: ${names.length} scenes, ${hashes} hashes compared, ${failed} scenes failed`);
process.exit(failed === 0 ? 0 : 1);
