/**
 * mcap.test.mjs: reads files of `cairn export --mcap` with npm's @mcap/core, including its checks.
 * protobuf-es decodes the messages with the schemas in the file, as Foxglove does.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileRegistry, fromBinary, toJson } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Daemon } from "../../../tests/e2e/page/daemon.mjs";
import { Peer } from "./peer.mjs";

const box = (x, y) => [{ box: { size: { x, y } } }];
const SCENE = {
  name: "fall",
  world: { stepper: "event", solver: "baraff94", gravity: { y: -10 } },
  bodies: [
    { name: "floor", type: "STATIC", position: { y: -0.5 }, shapes: box(40, 1) },
    { name: "ball", mass: 2, position: { x: 3, y: 20 }, shapes: [{ circle: { radius: 0.5 } }] },
    { name: "crate", mass: 3, position: { y: 0.5 }, shapes: box(2, 1) },
  ],
};

const cairn = process.env.CAIRN ?? "cairn";
const folder = mkdtempSync(join(tmpdir(), "cairn-mcap-"));
const file = join(folder, "fall.mcap");
let found, reader;

/** Reads all messages of a file by its indexes. */
async function read(bytes) {
  const readable = {
    size: async () => BigInt(bytes.length),
    read: async (offset, length) =>
      new Uint8Array(bytes.subarray(Number(offset), Number(offset + length))),
  };
  reader = await McapIndexedReader.Initialize({ readable });
  const types = new Map();
  for (const channel of reader.channelsById.values()) {
    const schema = reader.schemasById.get(channel.schemaId);
    expect(schema.encoding).toBe("protobuf");
    expect(channel.messageEncoding).toBe("protobuf");
    const files = createFileRegistry(fromBinary(FileDescriptorSetSchema, schema.data));
    types.set(channel.id, { topic: channel.topic, type: files.getMessage(schema.name) });
  }
  const messages = {};
  for await (const message of reader.readMessages()) {
    const { topic, type } = types.get(message.channelId);
    messages[topic] ??= [];
    messages[topic].push({
      name: type.typeName,
      time: Number(message.logTime),
      value: toJson(type, fromBinary(type, message.data)),
    });
  }
  return messages;
}

beforeAll(async () => {
  const scene = join(folder, "fall.json");
  const recording = join(folder, "fall.cairn");
  writeFileSync(scene, JSON.stringify(SCENE));
  const out = ["--out", join(folder, "samples")];
  execFileSync(cairn, ["run", scene, "--ticks", "90", "--record", recording, ...out]);
  execFileSync(cairn, ["export", recording, "--mcap", file]);
  found = await read(readFileSync(file));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("every tick has its messages, the scene one", () => {
  const counts = Object.fromEntries(Object.entries(found).map(([k, v]) => [k, v.length]));
  expect(counts).toEqual({ "/tf": 91, "/scene": 1, "/bodies": 91, "/contacts": 91, "/energy": 91 });
  expect(reader.statistics.messageCount).toBe(365n);
  expect(reader.statistics.channelMessageCounts.get(1)).toBe(91n);
  expect(found["/tf"][90].time).toBe(1.5e9);
  expect(found["/tf"][0].name).toBe("foxglove.FrameTransforms");
  expect(found["/scene"][0].name).toBe("foxglove.SceneUpdate");
});

test("the ball falls as Galilei says, and keeps its energy", () => {
  for (const { value, time } of found["/bodies"]) {
    const t = time / 1e9;
    const ball = value.bodies.find((body) => body.name === "ball");
    expect(ball.position.x).toBe(3);
    expect(ball.position.y).toBeCloseTo(20 - 5 * t * t, 6);
    expect(ball.velocity.y ?? 0).toBeCloseTo(-10 * t, 6);
    expect(ball.kinetic ?? 0).toBeCloseTo(100 * t * t, 4);
  }
  const total = found["/energy"].map(({ value }) => value.total);
  expect(total[90]).toBeCloseTo(2 * 10 * 20 + 3 * 10 * 0.5, 4);
  expect(total[45]).toBeCloseTo(total[90], 4);
});

test("the floor bears the crate", () => {
  const forces = found["/contacts"][60].value.contacts.map((contact) => contact.force);
  expect(forces.reduce((a, b) => a + b)).toBeCloseTo(30, 6);
});

test("the 3D panel sees the bodies in their frames", () => {
  const scene = found["/scene"][0].value;
  expect(scene.deletions[0].type).toBe("ALL");
  const entity = (id) => scene.entities.find((candidate) => candidate.id === id);
  expect(entity("crate").frameId).toBe("crate");
  expect(entity("crate").frameLocked).toBe(true);
  expect(entity("crate").cubes[0].size).toEqual({ x: 2, y: 1, z: 0.1 });
  expect(entity("ball").cylinders[0].size).toEqual({ x: 1, y: 1, z: 0.1 });
  const frames = found["/tf"][0].value.transforms;
  expect(frames.map((frame) => frame.childFrameId)).toEqual(["world", "floor", "ball", "crate"]);
  expect(frames[2].parentFrameId).toBe("world");
  expect(frames[2].translation.y).toBe(20);
});

test("read from front to back every check is good, and one bit is enough to break it", () => {
  const bytes = readFileSync(file);
  const walk = (data) => {
    const stream = new McapStreamReader({ validateCrcs: true });
    stream.append(data);
    let count = 0;
    for (let record; (record = stream.nextRecord()) !== undefined; ) {
      count += record.type === "Message" ? 1 : 0;
    }
    return { count, done: stream.done() };
  };
  expect(walk(new Uint8Array(bytes))).toEqual({ count: 365, done: true });
  const damaged = new Uint8Array(bytes);
  damaged[Math.floor(bytes.length / 2)] ^= 1;
  expect(() => walk(damaged)).toThrow(/crc|CRC/);
});

/** The file of a world that ran while its crate was removed and a disc was made. */
async function exportChanged(daemon) {
  const peer = await new Peer(`ws://127.0.0.1:${daemon.port}/v1/ws`).open();
  await peer.join("fall");
  /** Waits until so many ticks later; earlier snapshots may still be unread. */
  const ticksAfter = async (tick, count) => {
    while ((await peer.next("snapshot")).value.tick < BigInt(tick) + BigInt(count)) {}
  };
  await ticksAfter(0, 5);
  const removed = await daemon.ask("DELETE", "/v1/worlds/fall/bodies/crate");
  await ticksAfter(removed.tick, 5);
  const disc = { position: { x: -3, y: 5 }, shapes: [{ circle: { radius: 0.25 } }] };
  const made = [{ name: "disc", mass: 1, ...disc }, { mass: 1, ...disc, position: { x: 9, y: 5 } }];
  const grown = await daemon.ask("POST", "/v1/worlds/fall/bodies", { bodies: made });
  await ticksAfter(grown.tick, 5);
  // A recording ends with the last order or input.
  await daemon.ask("PATCH", "/v1/worlds/fall/settings", { gravity: SCENE.world.gravity });
  peer.finish();
  const recording = join(folder, "changed.cairn");
  const server = ["--server", `127.0.0.1:${daemon.port}`];
  execFileSync(cairn, ["record", "fall", ...server, "--out", recording]);
  execFileSync(cairn, ["export", recording, "--mcap", join(folder, "changed.mcap")]);
  return read(readFileSync(join(folder, "changed.mcap")));
}

test("what is removed is drawn no more, and what is made while it runs is drawn", async () => {
  const daemon = new Daemon(process.env.CAIRND ?? "cairnd", import.meta.dirname); // no page
  await daemon.start();
  try {
    await daemon.ask("POST", "/v1/worlds", { scene: SCENE });
    const changed = await exportChanged(daemon);
    const drawn = changed["/scene"].map(({ value }) => value.entities.map((entity) => entity.id));
    expect(drawn[0]).toEqual(["floor", "ball", "crate"]);
    expect(drawn).toContainEqual(["floor", "ball"]);
    expect([...drawn.at(-1)].sort()).toEqual(["ball", "body3", "disc", "floor"]);
    const last = changed["/scene"].at(-1).value.entities;
    const size = { x: 0.5, y: 0.5, z: 0.1 };
    expect(last.find((entity) => entity.id === "disc").cylinders[0].size).toEqual(size);
    const bodies = changed["/bodies"].at(-1).value.bodies.map((body) => body.name);
    expect([...bodies].sort()).toEqual(["ball", "body3", "disc", "floor"]);
  } finally {
    await daemon.finish();
  }
});
