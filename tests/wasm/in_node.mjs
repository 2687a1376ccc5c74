/**
 * in_node.mjs: compares every reference of a folder with the engine in Node.
 *
 * usage: node in_node.mjs COMPARE WASM FOLDER
 */
import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [bundle, wasm, folder] = process.argv.slice(2);
const { compare, Engine } = await import(pathToFileURL(bundle).href);
const engine = await Engine.load(readFileSync(wasm));
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.slice(0, -".json".length));
let failed = names.length === 0 ? 1 : 0;
let hashes = 0;
for (const name of names) {
  const read = (ending) => readFileSync(`${folder}/${name}.${ending}`);
  try {
    hashes += compare(engine, JSON.parse(read("json")), read("scene"), read("image"));
  } catch (error) {
    console.log(`not ok - ${name}: ${error.message}`);
    failed++;
  }
}
console.log(`Node: ${names.length} scenes, ${hashes} hashes compared, ${failed} scenes failed`);
process.exit(failed === 0 ? 0 : 1);
