/**
 * picture.mjs: takes the README's picture of the page, from a real daemon.
 *
 *     node docs/picture.mjs build/cairnd docs/contact-lab.png
 *
 * Needs the built page and Chromium, as tests/e2e/run does.
 */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Daemon } from "../tests/e2e/page/daemon.mjs";
import { Visitor } from "../tests/e2e/page/visitor.mjs";

const [cairnd, out, world = "contact-6", name = "block1"] = process.argv.slice(2);
const app = join(dirname(fileURLToPath(import.meta.url)), "../clients/typescript/packages/app");
const { chromium } = createRequire(join(app, "package.json"))("playwright-core");

const daemon = new Daemon(cairnd, join(app, "dist"));
await daemon.start();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run"],
});
const visitor = await Visitor.open(browser, daemon.origin, world);
await visitor.joined();
// The blocks fall and come to rest; a hand then lifts one of them over another.
await visitor.page.waitForTimeout(8_000);
const { mouse } = visitor.page;
const from = await visitor.screenOf(name);
await mouse.move(from.x - 15, from.y - 15);
await mouse.down();
await mouse.move(from.x + 110, from.y - 160, { steps: 30 });
await visitor.page.waitForTimeout(2_500);
await visitor.page.screenshot({ path: out });
await browser.close();
await daemon.stop();
