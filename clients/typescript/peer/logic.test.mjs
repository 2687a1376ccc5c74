/**
 * logic.test.mjs: a logic and a player with the package ws, against the daemon that CAIRND names.
 *
 * The daemon is killed with SIGKILL, and the logic's connection is cut: every acknowledged message
 * counts once.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import WebSocket from "ws";
import { Daemon } from "../../../tests/e2e/page/daemon.mjs";
import { until } from "../../../tests/e2e/page/wait.mjs";
import { Session } from "../packages/client/src/index";
import { Logic } from "../packages/client/src/logic/index";

const SCENE = {
  name: "score",
  world: { tickRate: 60, stepper: "time", solver: "impulse", durability: "TICK" },
  bodies: [
    { name: "floor", type: "STATIC", position: { y: -0.5 },
      shapes: [{ box: { size: { x: 40, y: 1, z: 1 } } }] },
    { name: "ball", position: { y: 2 }, shapes: [{ circle: { radius: 0.25 } }] },
  ],
  prefabs: [{ name: "crate",
    bodies: [{ name: "crate", mass: 1, shapes: [{ box: { size: { x: 1, y: 1, z: 1 } } }] }] }],
};

const daemon = new Daemon(process.env.CAIRND ?? "cairnd", import.meta.dirname); // no page
const open = (url, subprotocol) => new WebSocket(url, subprotocol);
const url = () => `ws://127.0.0.1:${daemon.port}/v1/ws`;
let logic;
let ann;
const heard = [];
const counts = { starts: 0, joins: 0, leaves: 0, refused: [] };

beforeAll(async () => {
  await daemon.start();
  await daemon.ask("POST", "/v1/worlds", { id: "score", scene: SCENE });
  logic = new Logic({
    url: url(),
    world: "score",
    webSocket: WebSocket,
    onStart: () => { counts.starts++; },
    onJoin: ({ session }) => {
      counts.joins++;
      logic.setAttribute({ session }, "team", "red");
    },
    onLeave: () => { counts.leaves++; },
    onMessage({ content, session }) {
      if (content === "crate") {
        logic.spawn("crate", { name: "the crate", position: { x: 5, y: 1 } });
      } else if (content === "kick") {
        logic.push("ball", { y: 30 });
      } else {
        const score = logic.attribute("world", "score") ?? 0n;
        logic.setAttribute("world", "score", score + 1n);
        logic.say("score", `${score + 1n}`, session);
      }
    },
    onRefused: (error) => counts.refused.push(error.message),
  });
  ann = new Session({ url: url(), name: "Ann", client: "test", open });
  ann.messages.said.subscribe(({ content }) => heard.push(content));
});
afterAll(async () => {
  ann?.connection.stop();
  logic?.stop();
  await daemon.finish();
});

test("a logic gets members and messages, and its effects act", async () => {
  logic.start();
  await until("the logic has started", () => counts.starts === 1);
  ann.join("score");
  ann.connection.start();
  await until("she has joined", () => counts.joins === 1);
  await ann.messages.say("game", "point", "logic");
  await until("she has the answer", () => heard.includes("1"));
  expect(logic.attribute("world", "score")).toBe(1n);
  const { session } = [...logic.members.values()][0];
  expect(logic.attribute({ session }, "team")).toBe("red");
  await ann.messages.say("game", "crate", "logic");
  await until("the crate is there", () => logic.bodies.slot("the crate") !== undefined);
  await ann.messages.say("game", "kick", "logic");
  await ann.messages.say("game", "point", "logic");
  await until("the kick has acted", () => heard.includes("2"));
  await ann.reset();
  await until("the crate is gone", () => logic.bodies.slot("the crate") === undefined);
  await ann.messages.say("game", "kick", "logic");
  await ann.messages.say("game", "crate", "logic");
  await until("there is another crate", () => logic.bodies.slot("the crate") !== undefined);
  expect(counts.refused).toEqual([]);
});

test("each acknowledged message counts once, whatever is killed", async () => {
  let acknowledged = Number(ann.attributes.world.get("score") ?? 0n);
  let unknown = 0;
  for (let round = 0; round < 4; round++) {
    const sent = Promise.allSettled(Array.from({ length: 8 }, () =>
      ann.messages.say("game", "point", "logic")));
    if (round % 2 === 0) {
      logic.connection.cut();
    } else {
      await daemon.kill();
      await daemon.start();
    }
    for (const { status } of await sent) {
      acknowledged += status === "fulfilled" ? 1 : 0;
      unknown += status === "fulfilled" ? 0 : 1;
    }
    await until("she is back", () => ann.world.get().kind === "joined" &&
      ann.connection.state.get().kind === "open");
  }
  await ann.messages.say("game", "point", "logic");
  acknowledged++;
  let score = 0;
  await until("all are counted", () => {
    score = Number(ann.attributes.world.get("score") ?? 0n);
    return score >= acknowledged;
  });
  expect(score).toBeLessThanOrEqual(acknowledged + unknown);
  expect(counts.starts).toBeGreaterThanOrEqual(3);
  expect(logic.attribute("world", "score")).toBe(BigInt(score));
});
