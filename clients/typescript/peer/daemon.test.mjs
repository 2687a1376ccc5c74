/** daemon.test.mjs: tests the daemon that CAIRND names with a client on another stack. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Daemon } from "../../../tests/e2e/page/daemon.mjs";
import { DeltaStates, ServerFrameDecoder, viewHash } from "../packages/protocol/src/index";
import { Peer, handshake } from "./peer.mjs";

const LEFT = 1;
const SCENE = {
  name: "two",
  world: { tickRate: 60, stepper: "time", solver: "impulse" },
  bodies: [
    {
      name: "floor",
      type: "STATIC",
      position: { y: -0.5 },
      shapes: [{ box: { size: { x: 40, y: 1, z: 1 } } }],
    },
    {
      name: "left",
      mass: 2,
      position: { x: -2, y: 0.5 },
      shapes: [{ box: { size: { x: 1, y: 1, z: 1 } } }],
    },
  ],
};

const daemon = new Daemon(process.env.CAIRND ?? "cairnd", import.meta.dirname); // no page
const peers = [];

beforeAll(async () => {
  await daemon.start();
  await daemon.ask("POST", "/v1/worlds", { scene: SCENE });
});
afterAll(async () => {
  peers.forEach((peer) => peer.finish());
  await daemon.finish();
});

function url(path = "/v1/ws") {
  return `ws://127.0.0.1:${daemon.port}${path}`;
}

async function open(options) {
  const peer = new Peer(url(), options);
  peers.push(peer);
  return peer.open();
}

async function member(options) {
  const peer = await open(options);
  await peer.join("two");
  return peer;
}

/** Decodes a Delta message to columns; undefined if a baseline is unknown. */
function decodeDelta(decoder, states, bytes) {
  let columns;
  const ignore = () => {};
  decoder.decode(bytes, {
    onTick: ignore,
    onSnapshot: ignore,
    onContacts: ignore,
    onEnergy: ignore,
    onMessage: ignore,
    onDelta: (delta) => (columns = states.decode(delta)),
  });
  return columns;
}

test("a drag moves its block; deltas and snapshots of a tick are the same", async () => {
  const delta = await open({});
  const whole = await member({});
  const { welcome, joined } = await delta.join("two");
  expect(welcome.messageSizeMax).toBe(65536);
  expect(joined.scene.bodies.map((body) => body.name)).toEqual(["floor", "left"]);
  delta.say("subscribe", { mode: 1 });
  delta.say("input", {
    seq: 1n,
    action: {
      case: "drag",
      value: { body: LEFT, point: {}, target: { x: 3, y: 0.5 }, stiffness: 100, damping: 10 },
    },
  });
  const states = new DeltaStates();
  states.clear(false);
  const decoder = new ServerFrameDecoder();
  const shown = new Map();
  let applied = 0n;
  let x = -2;
  let last = 0n;
  for (let i = 0; i < 90 || (x <= -1 && i < 600); i++) {
    applied = (await delta.next("tick")).value.appliedSeq;
    const message = await delta.next("delta");
    const columns = decodeDelta(decoder, states, message.bytes);
    expect(columns).toBeDefined();
    expect(viewHash(columns)).toBe(message.value.viewHash);
    const xs = [...columns.x.subarray(0, columns.count)];
    last = message.value.tick;
    shown.set(last, [message.value.viewHash, xs]);
    x = columns.x[columns.body.indexOf(LEFT)] * joined.positionScale;
  }
  expect(applied).toBe(1n);
  expect(x).toBeGreaterThan(-1);
  let compared = 0;
  for (let tick = 0n; tick < last; ) {
    const snapshot = (await whole.next("snapshot")).value;
    tick = snapshot.tick;
    const other = shown.get(snapshot.tick);
    if (other !== undefined) {
      expect([snapshot.viewHash, snapshot.x]).toEqual(other);
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(30);
});

test("JSON comes as text, and says the same hash", async () => {
  const text = await member({});
  text.socket.removeAllListeners("message");
  text.say("subscribe", { mode: 3 });
  const shown = await new Promise((resolve) => {
    text.socket.on("message", (bytes, isBinary) => {
      if (!isBinary) {
        resolve(JSON.parse(String(bytes)));
      }
    });
  });
  expect(shown.snapshot.viewHash).toBeTypeOf("number");
});

test("a message in fragments with a ping between them is one message", async () => {
  const peer = await member({});
  const bytes = Buffer.from(peer.encode("ping", { clientTimeUs: 7n }));
  const pong = new Promise((resolve) => peer.socket.on("pong", (data) => resolve(String(data))));
  peer.socket.send(bytes.subarray(0, 1), { fin: false });
  peer.socket.ping("between");
  peer.socket.send(bytes.subarray(1), { fin: true });
  expect((await peer.next("pong")).value.clientTimeUs).toBe(7n);
  expect(await pong).toBe("between");
});

test("bad frames end a session by the codes that WIRE.md names", async () => {
  const bad = {
    1003: (peer) => peer.socket.send("text"),
    1009: (peer) => peer.socket.send(Buffer.alloc(65537)),
    1008: (peer) => {
      for (let i = 0; i < 65; i++) {
        peer.socket.send(Buffer.alloc(1), { fin: false });
      }
    },
    1007: (peer) => {
      for (let i = 0; i < 4; i++) {
        peer.socket.send(Buffer.from([0xff]));
      }
    },
  };
  for (const [code, spoil] of Object.entries(bad)) {
    const peer = await member({});
    spoil(peer);
    expect(`${(await peer.end()).code}`).toBe(code);
  }
});

test("a Close is answered by the same code", async () => {
  const peer = await member({});
  peer.socket.close(3001, "enough");
  expect((await peer.end()).code).toBe(3001);
});

test("compression is not agreed on", async () => {
  const peer = await open({ perMessageDeflate: true });
  expect(peer.socket.extensions).toBe("");
  expect(peer.socket.protocol).toBe("cairn.v1");
});

test("handshakes that are not for this daemon are refused by status", async () => {
  expect(await handshake(url("/v1/other"), "cairn.v1", {})).toBe(404);
  expect(await handshake(url(), "other.v1", {})).toBe(400);
  expect(await handshake(url(), "cairn.v1", { protocolVersion: 8 })).toBe(426);
  expect(await handshake(url(), "cairn.v1", { origin: "http://elsewhere.test" })).toBe(403);
  expect(await handshake(url(), "cairn.v1", { headers: { host: "elsewhere.test" } })).toBe(403);
  expect(await handshake(url("/v1/ws?token=x"), "cairn.v1", {})).toBe(400);
});
