/**
 * kills.test.mjs: a logic and a daemon that are killed with SIGKILL at random instants.
 *
 * A player sends numbered messages to the logic (tests/e2e/peer/counter.mjs) all the time.  At the
 * end, each acknowledged message and each that was answered has been counted, none twice; the score
 * and the place of a body agree with that; and the daemon finds no fault in its past without the
 * logic.  CAIRN_KILLS is the number of instants (20), CAIRN_SEED chooses them, CAIRN_MINUTES ends
 * a long run.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import WebSocket from "ws";
import { Daemon, makeFolder } from "../../../tests/e2e/page/daemon.mjs";
import { sleep, until } from "../../../tests/e2e/page/wait.mjs";
import { Session } from "../packages/client/src/index";

const KILLS = Number(process.env.CAIRN_KILLS ?? 20);
const BITS = 2048;
const here = import.meta.dirname;
const LOGIC = join(here, "../packages/client/dist/logic.js");
const WS = join(here, "../node_modules/ws/wrapper.mjs");
const SCENE = {
  name: "count",
  world: { tickRate: 60, stepper: "time", solver: "impulse", durability: "TICK", gravity: {} },
  bodies: [
    { name: "ball", position: { y: 2 }, shapes: [{ circle: { radius: 0.25 } }] },
    { name: "mark", type: "KINEMATIC", shapes: [{ circle: { radius: 0.25 } }] },
  ],
};

const scenes = makeFolder("cairn-kills-");
const scene = join(scenes.path, "count.json");
writeFileSync(scene, JSON.stringify(SCENE));
const daemon = new Daemon(process.env.CAIRND ?? "cairnd", here,
  ["--say-rate", "2000", "--scene", scene]);
let logic = null;
let player;
let seed = BigInt(process.env.CAIRN_SEED ?? 1);

/** The next number below `end`: splitmix64. */
function draw(end) {
  const mask = (1n << 64n) - 1n;
  seed = (seed + 0x9e3779b97f4a7c15n) & mask;
  let z = ((seed ^ (seed >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
  return Number((z ^ (z >> 31n)) % BigInt(end));
}

function startLogic() {
  const url = `ws://127.0.0.1:${daemon.port}/v1/ws`;
  const program = join(here, "../../../tests/e2e/peer/counter.mjs");
  logic = spawn(process.execPath,
    [program, pathToFileURL(LOGIC).href, pathToFileURL(WS).href, url, "count"],
    { stdio: ["ignore", "ignore", "inherit"] });
}

async function killLogic() {
  const ended = new Promise((resolve) => logic.on("close", resolve));
  logic.kill("SIGKILL");
  await ended;
}

afterAll(async () => {
  player?.connection.stop();
  logic?.kill("SIGKILL");
  await daemon.finish();
  scenes.remove();
});

/** The messages of the player, by their numbers. */
const acknowledged = new Set();
const answered = new Set();
let sentCount = 0;

function send() {
  const id = sentCount++;
  player.messages.say("count", `${id}`, "logic")
    .then(() => acknowledged.add(id), () => {}); // a lost connection: it may have arrived
}

function hasSeen(id) {
  const seen = player.attributes.world.get(`seen${Math.floor(id / BITS)}`);
  return seen !== undefined && (seen[Math.floor((id % BITS) / 8)] & (1 << (id % 8))) !== 0;
}

test.skipIf(!existsSync(LOGIC))(`${KILLS} kills lose nothing and double nothing`, async () => {
  await daemon.start();
  startLogic();
  const url = `ws://127.0.0.1:${daemon.port}/v1/ws`;
  player = new Session({ url, name: "Ann", client: "test",
    open: (address, subprotocol) => new WebSocket(address, subprotocol) });
  player.messages.said.subscribe(({ content }) => {
    expect(answered.has(content)).toBe(false);
    answered.add(content);
  });
  player.join("count");
  player.connection.start();
  const isIn = () => player.world.get().kind === "joined" &&
    player.connection.state.get().kind === "open";
  await until("the player is in", isIn);
  const sender = setInterval(() => isIn() && send(), 25);
  await until("a message is answered", () => answered.size > 0);
  const kills = { daemon: 0, logic: 0, both: 0 };
  const end = Date.now() + 60_000 * Number(process.env.CAIRN_MINUTES ?? 60 * 24);
  for (let i = 0; i < KILLS && Date.now() < end; i++) {
    await sleep(draw(3) === 0 ? draw(2_000) : draw(300));
    const kind = ["daemon", "logic", "both"][draw(3)];
    kills[kind]++;
    await Promise.all([
      kind !== "logic" ? daemon.kill() : null, kind !== "daemon" ? killLogic() : null]);
    if (kind !== "logic") {
      await daemon.start();
      player.connection.retryNow();
    }
    if (kind !== "daemon") {
      startLogic();
    }
    if (i % 10 === 9) { // now and then they run for a while
      await until("the player is in", isIn);
      const { size } = answered;
      await until("a message is answered", () => answered.size > size);
      console.log(`${i + 1} kills: ${sentCount} sent, ${acknowledged.size} acknowledged,`,
        `${answered.size} answered`);
    }
  }
  clearInterval(sender);
  await until("all acknowledged messages have been counted", () =>
    isIn() && [...acknowledged].every(hasSeen));
  await sleep(1_000); // what would come twice comes now
  const counted = Array.from({ length: sentCount }, (_, id) => id).filter(hasSeen);
  const score = Number(player.attributes.world.get("score"));
  console.log(kills, `${sentCount} sent, ${acknowledged.size} acknowledged, ${score} counted,`,
    `${answered.size} answered`);
  expect(player.attributes.world.get("doubles")).toBe(undefined);
  expect(score).toBe(counted.length);
  expect([...answered].every((content) => hasSeen(Number(content)))).toBe(true);
  expect(acknowledged.size).toBeGreaterThan(KILLS);
  const poses = new Float64Array(2 * 3);
  await until("the mark is at its place", () => player.sample(poses) && poses[3] === score / 64);
  await killLogic();
  await daemon.stop();
  const verify = spawnSync(process.env.CAIRN ?? "cairn", ["verify", daemon.folder.path, "count"],
    { encoding: "utf8" });
  console.log(verify.stdout.trim());
  expect(verify.status, verify.stdout + verify.stderr).toBe(0);
}, 60_000 + KILLS * 20_000);
