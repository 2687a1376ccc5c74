/**
 * in_chromium.mjs: compares every reference of a folder with the engine in a Worker of Chromium.
 *
 * usage: node in_chromium.mjs COMPARE WASM FOLDER
 *
 * WASM is the folder of the modules.  Run in clients/typescript, whose playwright-core drives Debian's Chromium.
 */
import { createReadStream, existsSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";

const { chromium } = createRequire(`${process.cwd()}/`)("playwright-core");
const [bundle, wasm, folder] = process.argv.slice(2);
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.slice(0, -".json".length));

const worker = `
import { compareAll, Engine, MODULE_FILES } from "/compare.js";
const engines = new Map();
for (const file of MODULE_FILES) {
  engines.set(file, await Engine.load(fetch("/" + file)));
}
const bytes = async (file) => new Uint8Array(await (await fetch(file)).arrayBuffer());
for (const name of ${JSON.stringify(names)}) {
  try {
    const reference = await (await fetch("/" + name + ".json")).json();
    const scene = await bytes("/" + name + ".scene");
    const image = await bytes("/" + name + ".image");
    const count = compareAll(engines, reference, scene, image);
    postMessage({ name, count });
  } catch (error) {
    postMessage({ name, error: error.message });
  }
}
postMessage({ done: true });
`;
const page = `<!doctype html><title>compare</title><script type="module">
window.results = [];
const worker = new Worker("/worker.js", { type: "module" });
worker.onmessage = ({ data }) => {
  if (data.done) window.done = true;
  else window.results.push(data);
};
worker.onerror = (event) => {
  window.results.push({ name: "worker", error: event.message });
  window.done = true;
};
</script>`;
const texts = { "/": ["text/html", page], "/worker.js": ["text/javascript", worker] };
const fileOf = (path) =>
  path === "/compare.js"
    ? ["text/javascript", bundle]
    : path.endsWith(".wasm")
      ? ["application/wasm", `${wasm}${path}`]
      : ["application/octet-stream", `${folder}${path}`];

const server = createServer((request, response) => {
  const path = request.url ?? "/";
  const [type, text] = texts[path] ?? [];
  if (type !== undefined) {
    response.setHeader("Content-Type", type).end(text);
    return;
  }
  const [kind, file] = fileOf(path);
  if (path.includes("..") || !existsSync(file)) {
    response.writeHead(404).end();
    return;
  }
  response.setHeader("Content-Type", kind);
  createReadStream(file).pipe(response);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
let failed = names.length === 0 ? 1 : 0;
try {
  const tab = await browser.newPage();
  await tab.goto(`http://127.0.0.1:${server.address().port}/`);
  await tab.waitForFunction(() => window.done === true, undefined, { timeout: 500_000 });
  const results = await tab.evaluate(() => window.results);
  for (const { name, error } of results.filter((result) => result.error !== undefined)) {
    console.log(`not ok - ${name}: ${error}`);
  }
  failed = names.length - results.filter((result) => result.error === undefined).length;
  const hashes = results.reduce((sum, { count }) => sum + (count ?? 0), 0);
  console.log(`Chromium: ${names.length} scenes, ${hashes} hashes compared, ${failed} scenes failed`);
} finally {
  await browser.close();
  server.close();
}
process.exit(failed === 0 ? 0 : 1);
