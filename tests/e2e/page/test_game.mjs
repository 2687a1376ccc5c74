/**
 * test_game.mjs: the example game, sumo: four browsers play, while its logic and its daemon are
 * killed.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { check, sleep, until } from "./wait.mjs";

const GAME = fileURLToPath(new URL("../../../clients/typescript/examples/sumo", import.meta.url));
const NAMES = ["Ada", "Ben", "Cleo", "Dan"];
const KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
const ROUND_S = 3600;
/** Four pictures are drawn by one processor here. */
const SMALL = { viewport: { width: 480, height: 320 } };

/** The logic as a process of its own, which is killed like one. */
class Rules {
  constructor(origin) {
    this.url = `${origin.replace("http", "ws")}/v1/ws`;
    this.log = "";
    process.once("exit", () => this.kill());
  }

  start() {
    this.process = spawn(process.execPath, ["logic.mjs", this.url, String(ROUND_S)],
      { cwd: GAME, stdio: ["ignore", "pipe", "pipe"] });
    this.process.stdout.on("data", (bytes) => (this.log += bytes));
    this.process.stderr.on("data", (bytes) => (this.log += bytes));
  }

  kill() {
    this.process?.kill("SIGKILL");
  }
}

/** What a page knows: the scores by name, and how it predicts. */
function gameOf(visitor) {
  return visitor.page.evaluate(() => {
    const { session, remote } = window.game;
    const { attributes, presence } = session;
    const people = presence.get()?.people ?? [];
    const scores = people.flatMap(({ session: id, name }) => {
      const score = attributes.session(id).get("score");
      return score === undefined ? [] : [[name, Number(score)]];
    });
    return {
      scores: Object.fromEntries(scores.sort()),
      round: Number(attributes.world.get("round") ?? 0),
      tick: session.snapshots.shownTick,
      world: session.world.get(),
      connection: session.connection.state.get().kind,
      prediction: remote.state.get(),
      own: String(session.connection.state.get().session),
    };
  });
}

const total = ({ scores }) => Object.values(scores).reduce((sum, score) => sum + score, 0);

/** All roll to the middle and touch, then each to another side. */
async function play(visitors) {
  await Promise.all(visitors.map(async ({ page }, index) => {
    const { x, y, width, height } = await page.locator("#view canvas").boundingBox();
    await page.mouse.move(x + width / 2, y + height * 0.45);
    await page.mouse.down();
    await sleep(1500);
    await page.mouse.up();
    await page.keyboard.down(KEYS[index]);
    await sleep(2500);
    await page.keyboard.up(KEYS[index]);
  }));
}

function moreThan(points, visitors) {
  return until(`more than ${points} points`, async () => {
    const game = await gameOf(visitors[0]);
    if (total(game) > points) {
      return game;
    }
    await play(visitors);
    return null;
  });
}

async function agree(visitors) {
  return until("all pages show the same scores", async () => {
    const games = await Promise.all(visitors.map(gameOf));
    const [first] = games.map(({ scores }) => JSON.stringify(scores));
    return games.every(({ scores }) => JSON.stringify(scores) === first) &&
      Object.keys(games[0].scores).length === NAMES.length && games[0];
  });
}

function checkKept(what, before, after) {
  for (const [name, score] of Object.entries(before.scores)) {
    check(`${what}: ${name} keeps ${score} points`, after.scores[name] >= score,
      JSON.stringify(after.scores));
  }
  check(`${what}: the round goes on`, after.round === before.round, `${after.round}`);
}

async function fourPlay({ startOwn, visitAt, daemon }) {
  const page = join(GAME, "dist");
  check("clients/typescript/build has built the game", existsSync(join(page, "index.html")));
  const own = await startOwn(["--rooms", join(GAME, "rooms.yaml")], page);
  const rules = new Rules(own.origin);
  try {
    rules.start();
    const visitors = [];
    for (const name of NAMES) {
      const visitor = await visitAt(own.origin, "/", SMALL);
      visitors.push(visitor);
      await visitor.page.fill("#name", name);
      await visitor.page.click("#enter button");
      await until(`${name} has a ball`, async () =>
        name in (await gameOf(visitor).catch(() => ({ scores: {} }))).scores);
    }
    note("all have a ball");
    const first = await agree(visitors);
    check("all are in one room", Object.keys(first.scores).sort().join() === NAMES.join());
    check("the board shows them", (await visitors[0].page.locator("#scores li").count()) === 4);
    if (existsSync(join(page, "engine"))) {
      // A page whose device is too slow says so, and shows snapshots.
      const states = await until("all pages predict, or are too slow", async () => {
        const games = await Promise.all(visitors.map(gameOf));
        const kinds = games.map(({ prediction: { kind, agreed, reason } }) =>
          (kind === "on" && agreed ? "on" : kind === "fallen" ? reason : ""));
        return !kinds.includes("") && kinds;
      });
      note(`prediction: ${states.join(", ")}`);
    }
    const scored = await moreThan(0, visitors);
    note("a point");
    await takePicture(visitors[0]);

    rules.kill();
    await play(visitors); // nobody decides; the world goes on, and keeps what happens
    rules.start();
    await play(visitors);
    const again = await moreThan(total(scored), visitors);
    checkKept("a killed logic", scored, again);
    note("the logic was killed");
    const before = await agree(visitors);

    const sessions = (await Promise.all(visitors.map(gameOf))).map((game) => game.own);
    await own.kill();
    await sleep(500);
    await own.start();
    await until("all are back", async () => (await Promise.all(visitors.map(gameOf)))
      .every(({ connection, world }) => connection === "open" && world.kind === "joined"));
    note("the daemon was killed");
    const back = await agree(visitors);
    checkKept("a killed daemon", before, back);
    const now = (await Promise.all(visitors.map(gameOf))).map((game) => game.own);
    check("they are the same sessions", now.join() === sessions.join(), `${sessions} ${now}`);
    const last = await moreThan(total(back), visitors);
    checkKept("the game goes on", back, last);
    check("the logic has complained of nothing", rules.log === "", rules.log);
    await own.stop();
    const cairn = resolve(dirname(daemon.program), "cairn");
    const told = execFileSync(cairn, ["verify", own.folder.path], { encoding: "utf8" });
    check("the stored game is verified without the logic", /sumo/.test(told), told);
  } finally {
    rules.kill();
  }
}

/** What happens when, for whoever reads the log. */
function note(text) {
  console.log(`     ${new Date().toISOString().slice(14, 19)} ${text}`);
}

async function takePicture(visitor) {
  const folder = process.env.CAIRN_E2E_PICTURES;
  if (folder !== undefined) {
    await visitor.page.screenshot({ path: join(folder, "game.png") });
  }
}

export default [["four play sumo while its logic and its daemon are killed", fourPlay]];
