/**
 * picture_two.mjs: takes the picture of two browsers that push bodies of one world, each with its
 * own prediction, 100 ms from a real daemon.
 *
 *     node docs/picture_two.mjs build/cairnd docs/two-hands.png
 *
 * Needs the page, built with engines, and Chromium, as tests/e2e/run does.
 */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Daemon } from "../tests/e2e/page/daemon.mjs";
import { Visitor } from "../tests/e2e/page/visitor.mjs";
import { until } from "../tests/e2e/page/wait.mjs";

const [cairnd, out] = process.argv.slice(2);
const app = join(dirname(fileURLToPath(import.meta.url)), "../clients/typescript/packages/app");
const { chromium } = createRequire(join(app, "package.json"))("playwright-core");
const SIZE = { width: 900, height: 860 };
/** The delay of each page's round trip [ms]. */
const DELAY_MS = 100;
/** Where the hands take a box of the pyramid, and where they pull it to [m]. */
const PULLS = [{ from: [-7, 6.5], to: [-11, 9] }, { from: [6, 6.5], to: [10, 9] }];

const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run"],
});

/** A page in a browser of its own, which predicts. */
async function open(origin) {
  const browser = await launch();
  const visitor = await Visitor.open(browser, origin, "pyramid", { viewport: SIZE });
  await visitor.joined();
  await visitor.page.locator("details:has(#link-delay)").evaluate((one) => { one.open = true; });
  await visitor.page.locator("details:has(#mode-ask)").evaluate((one) => { one.open = true; });
  await visitor.page.locator("#show-forces").uncheck();
  await visitor.slide("link-delay", DELAY_MS);
  await until("the page predicts, and hashes agree", async () => {
    const { prediction, agreed } = await visitor.state();
    return prediction === "on" && agreed >= 2;
  });
  return { browser, visitor };
}

async function pull(visitor, { from, to }) {
  const [a, b] = [await visitor.screen(...from), await visitor.screen(...to)];
  const { page } = visitor;
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move(b.x, b.y, { steps: 30 });
}

const daemon = new Daemon(cairnd, join(app, "dist"));
await daemon.start();
const hands = [await open(daemon.origin), await open(daemon.origin)];
// The bodies come to rest; then each hand pulls one of them.
await hands[0].visitor.page.waitForTimeout(6_000);
const { page } = hands[0].visitor;
await page.locator("#mode-ask").evaluate((one) => one.click());
await page.waitForTimeout(1_000);
await Promise.all(PULLS.map((one, i) => pull(hands[i].visitor, one)));
await until("the modes are compared", async () =>
  /Measure all/.test(await page.locator("#mode-ask").textContent()));

const states = await Promise.all(hands.map(({ visitor }) => visitor.state()));
if (states.some(({ prediction }) => prediction !== "on")) {
  console.error("picture_two: this machine is too busy to predict; try again");
  process.exit(1);
}
const pictures = await Promise.all(hands.map(async ({ visitor }) =>
  (await visitor.page.screenshot()).toString("base64")));
const sheet = await (await hands[0].browser.newContext({
  viewport: { width: 2 * SIZE.width + 12, height: SIZE.height },
})).newPage();
await sheet.setContent(`<body style="margin:0;display:flex;gap:12px;background:#888">${
  pictures.map((one) => `<img src="data:image/png;base64,${one}">`).join("")}</body>`);
await sheet.screenshot({ path: out });
for (const { browser } of hands) {
  await browser.close();
}
await daemon.stop();
