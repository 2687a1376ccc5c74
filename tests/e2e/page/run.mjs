/**
 * run.mjs: every test of the page, each in browser windows of its own, against a real cairnd.
 *
 *     node run.mjs CAIRND PAGE [PATTERN]
 *
 * A test that leaves an error in a page's console has failed, unless it stops the daemon.  Failures
 * leave a picture beside the log when CAIRN_E2E_PICTURES names a folder.
 *
 * A test that fails is run once more, in windows and a world of its own as before: on a busy
 * machine a browser is sometimes too slow for a quick action.  A test that passes only then is
 * reported as FLAKY, with its first error.  A browser that has ended, for example because the
 * system had no memory, is started again; if the daemon has ended, the run ends.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Daemon, makeFolder } from "./daemon.mjs";
import testsAccess from "./test_access.mjs";
import testsAlone from "./test_alone.mjs";
import testsGame from "./test_game.mjs";
import testsHands from "./test_hands.mjs";
import testsPart from "./test_part.mjs";
import testsPrediction from "./test_prediction.mjs";
import testsProduction from "./test_production.mjs";
import testsReconnect from "./test_reconnect.mjs";
import testsRooms from "./test_rooms.mjs";
import testsSpace from "./test_space.mjs";
import testsTime from "./test_time.mjs";
import testsView from "./test_view.mjs";
import testsWorld from "./test_world.mjs";
import { Visitor } from "./visitor.mjs";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const CHROMIUM_FLAGS = [
  "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];
const LAUNCH_MS = 180_000;
const TEST_MS = 300_000;
/** After this time no test begins, and the remaining ones have failed. */
const RUN_MS = 2_400_000;
/** Settings of a test's own world: blocks come to rest in a second or two. */
const CALM = { restitution: 0, linearDamping: 0.5, angularDamping: 0.5 };

const [cairnd, page, pattern = ""] = process.argv.slice(2);
// The page's modules are in the page's folder.
const require = createRequire(join(page, "..", "package.json"));
const { chromium } = require("playwright-core");

function timeout(ms) {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`it took more than ${ms / 1000} s`)), ms).unref();
  });
}

/** The arguments of a test; after it `visitors` are closed, `daemons` end, `worlds` are removed. */
function makeContext(browser, daemon, visitors, daemons, worlds) {
  const visit = async (world, options = undefined, joins = true, quality = undefined) => {
    const visitor = await Visitor.open(browser, daemon.origin, world, options, quality);
    visitors.push(visitor);
    return joins ? visitor.joined() : visitor;
  };
  const makeWorld = async (source) => {
    const { id } = await daemon.ask("POST", "/v1/worlds", source);
    worlds.push(id);
    return id;
  };
  const ownWorld = async (sceneName) => {
    const id = await makeWorld({ sceneName });
    await daemon.ask("PATCH", `/v1/worlds/${id}/settings`, CALM);
    return id;
  };
  /** Another daemon, with these options, and with another page if one is named. */
  const startOwn = async (options, page = daemon.page) => {
    const own = new Daemon(daemon.program, page, options);
    daemons.push(own);
    await own.start();
    return own;
  };
  /** A window with a page of another daemon, whatever it shows. */
  const visitAt = async (origin, path, options = undefined) => {
    const visitor = await Visitor.openAt(browser, origin, path, options);
    visitors.push(visitor);
    return visitor;
  };
  return { daemon, startOwn, visit, visitAt, makeWorld, ownWorld };
}

async function takePictures(name, visitors) {
  const folder = process.env.CAIRN_E2E_PICTURES;
  if (folder !== undefined) {
    const base = name.replace(/[^a-z0-9]+/gi, "-");
    await Promise.all(visitors.map((visitor, index) =>
      visitor.page.screenshot({ path: join(folder, `${base}-${index}.png`) }).catch(() => null)));
  }
}

/** The error, or null. */
async function tryTest(browser, daemon, name, test, toleratesErrors) {
  const visitors = [];
  const daemons = [];
  const worlds = [];
  try {
    const context = makeContext(browser, daemon, visitors, daemons, worlds);
    await Promise.race([test(context), timeout(TEST_MS)]);
    const crashed = daemons.find((own) => own.hasCrashed);
    if (crashed !== undefined) {
      throw new Error(`a daemon has ended:\n${crashed.log}`);
    }
    const problems = visitors.flatMap((visitor) => visitor.problems);
    if (problems.length > 0 && !toleratesErrors) {
      throw new Error(`the page's console has errors: ${problems.join("; ")}`);
    }
    return null;
  } catch (error) {
    await takePictures(name, visitors);
    const told = await Promise.all(visitors.map((one) => one.tells().catch(() => [])));
    const more = [...told.flat(), ...visitors.flatMap(({ problems }) => problems)];
    const [message] = error.message.split("\nBrowser logs:"); // of a browser that has ended
    return [message, ...new Set(more)].join("; ");
  } finally {
    await Promise.all(visitors.map((visitor) => visitor.close().catch(() => null)));
    await Promise.all(daemons.map((own) => own.finish()));
    await Promise.all(worlds.map((id) => daemon.remove(id)));
  }
}

/** A socket's name has 108 bytes, and the browser makes one some levels below its folder. */
const FOLDER_LENGTH_MAX = 50;

/**
 * The one browser.  It has a home of its own, because some users have none, and keeps its files
 * there.
 */
class Browsers {
  constructor() {
    this.home = makeFolder("cairn-e2e-home-");
    this.browser = null;
  }

  async get() {
    if (this.browser?.isConnected() !== true) {
      const { path } = this.home;
      const env = { ...process.env, HOME: path };
      if (path.length <= FOLDER_LENGTH_MAX) {
        env.TMPDIR = path;
      }
      delete env.XDG_CONFIG_HOME;
      delete env.XDG_CACHE_HOME;
      this.browser = await chromium.launch(
        { executablePath: CHROMIUM, args: CHROMIUM_FLAGS, timeout: LAUNCH_MS, env });
    }
    return this.browser;
  }

  async finish() {
    await this.browser?.close();
    this.home.remove();
  }
}

async function runTest(browsers, daemon, name, test, toleratesErrors) {
  const began = Date.now();
  const attempt = async () => {
    const browser = await browsers.get();
    if (!daemon.isRunning()) {
      await daemon.start(); // a test has stopped it, and failed before starting it again
    }
    return tryTest(browser, daemon, name, test, toleratesErrors);
  };
  const first = await attempt();
  const second = first === null || daemon.hasCrashed ? first : await attempt();
  const took = `${((Date.now() - began) / 1000).toFixed(1)} s`;
  if (first === null) {
    console.log(`ok   ${name} (${took})`);
  } else if (second === null) {
    console.log(`FLAKY ${name} (${took}), at first: ${first}`);
  } else {
    console.log(`FAIL ${name}: ${second} (at first: ${first})`);
  }
  if (daemon.hasCrashed) {
    throw new Error(`the daemon has ended:\n${daemon.log}`);
  }
  return second === null;
}

async function main() {
  const suites = [
    [testsAccess, false], [testsAlone, false], [testsView, false], [testsHands, false],
    [testsWorld, false],
    [testsSpace, false],
    [testsPart, false],
    [testsPrediction, false],
    [testsProduction, false],
    [testsTime, false],
    [testsRooms, false],
    [testsGame, true],
    [testsReconnect, true],
  ];
  const began = Date.now();
  const daemon = new Daemon(cairnd, page);
  const browsers = new Browsers();
  let passed = 0;
  let failed = 0;
  try {
    await daemon.start();
    for (const [tests, toleratesErrors] of suites) {
      for (const [name, test] of tests.filter(([title]) => title.includes(pattern))) {
        const isLate = Date.now() - began > RUN_MS;
        if (isLate) {
          console.log(`FAIL ${name}: the tests before it took more than ${RUN_MS / 60_000} min`);
        }
        const isGood = !isLate && await runTest(browsers, daemon, name, test, toleratesErrors);
        passed += isGood ? 1 : 0;
        failed += isGood ? 0 : 1;
      }
    }
  } finally {
    await browsers.finish();
    await daemon.finish();
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

if (!existsSync(CHROMIUM)) {
  console.log(`${CHROMIUM} is not here: the page is not tested`);
  process.exit(77);
}
process.exit(await main());
