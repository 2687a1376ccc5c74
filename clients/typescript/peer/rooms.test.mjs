/** rooms.test.mjs: rooms of the daemon that CAIRND names, with the page's own client. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import WebSocket from "ws";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Daemon, makeFolder } from "../../../tests/e2e/page/daemon.mjs";
import { until } from "../../../tests/e2e/page/wait.mjs";
import { Lobby, Rooms, Session, joinRoom, propertiesOf } from "../packages/client/src/index";

const TEMPLATES = { templates: [{
  name: "arena", title: "An arena", seats: 2, holdS: 60, emptyS: 60,
  properties: [{ name: "map", listed: true }, { name: "rank", type: "INTEGER", listed: true }],
  scene: { name: "one", world: { stepper: "time", solver: "impulse" }, bodies: [
    { name: "block", shapes: [{ box: { size: { x: 1, y: 1 } }, density: 1 }] }] },
}] };
const folder = makeFolder("cairn-peer-");
const file = join(folder.path, "rooms.yaml");
writeFileSync(file, JSON.stringify(TEMPLATES));
const daemon = new Daemon(process.env.CAIRND ?? "cairnd", import.meta.dirname, ["--rooms", file]);
const connections = [];

beforeAll(() => daemon.start());
afterAll(async () => {
  connections.forEach((connection) => connection.stop());
  await daemon.finish();
  folder.remove();
});

function open(url, protocol) {
  const socket = new WebSocket(url, protocol);
  socket.on("error", () => {}); // `close` reports it, too
  return socket;
}

function options(more = {}) {
  return { url: `ws://127.0.0.1:${daemon.port}/v1/ws`, name: "Ada", client: "peer", open, ...more };
}

function sit(seat) {
  const session = new Session(options({ token: () => seat.token }));
  connections.push(session.connection);
  session.join(seat.world);
  session.connection.start();
  return session;
}

function watch(filter) {
  const lobby = new Lobby(options(), filter);
  connections.push(lobby.connection);
  return lobby;
}

const seats = (lobby) => lobby.rooms.get()?.map(({ taken, held }) => [taken, held]);

test("seats, lobbies, and a daemon that is killed", async () => {
  const base = daemon.origin;
  const rooms = new Rooms({ base });
  expect((await rooms.templates()).map(({ name, seats }) => [name, seats])).toEqual([["arena", 2]]);
  const lobby = watch({ template: "arena", openOnly: true });
  await until("an empty lobby", () => lobby.rooms.get()?.length === 0);

  const properties = { map: "ice", rank: 3n };
  const first = await joinRoom({ base, template: "arena", properties });
  expect(first).toMatchObject({ seat: 0, created: true, expiresS: 60 });
  await until("the room", () => lobby.rooms.get()?.length === 1);
  expect(propertiesOf(lobby.rooms.get()[0])).toEqual(properties);
  expect(seats(lobby)).toEqual([[0, 1]]);

  const ada = sit(first);
  await until("Ada's world", () => ada.world.get().kind === "joined");
  await until("a taken seat", () => String(seats(lobby)) === "1,0");
  const other = await joinRoom({ base, template: "arena", properties: { map: "sand" } });
  expect(other.room).not.toBe(first.room);
  expect((await rooms.list({ properties: { rank: 3n } })).rooms.map(({ id }) => id))
    .toEqual([first.room]);
  const second = await joinRoom({ base, template: "arena", properties: { map: "ice" } });
  expect(second).toMatchObject({ room: first.room, seat: 1, created: false });
  await until("a full room leaves", () => lobby.rooms.get()?.[0]?.id === other.room);
  await expect(joinRoom({ base, room: first.room })).rejects.toMatchObject({ code: "STATE" });
  await expect(joinRoom({ base, template: "no" })).rejects.toMatchObject({ code: "ROOM" });

  const session = ada.connection.state.get().session;
  daemon.isUp = false;
  daemon.process.kill("SIGKILL");
  await daemon.ended;
  await daemon.start();
  await until("Ada is back", () => ada.world.get().kind === "joined" &&
    ada.connection.state.get().kind === "open");
  expect(ada.connection.state.get().session).toBe(session);
  const bob = sit(second);
  await until("Bob's world", () => bob.world.get().kind === "joined");
  await until("both", async () => (await rooms.room(first.room)).taken === 2);
  await until("the lobby is back", () => lobby.connection.state.get().kind === "open");
  expect(lobby.rooms.get().map(({ id }) => id)).toEqual([other.room]);

  await rooms.lock(other.room);
  await until("a locked room leaves", () => lobby.rooms.get()?.length === 0);
  await rooms.lock(other.room, false);
  await until("it is back", () => lobby.rooms.get()?.length === 1);
  await rooms.remove(first.room);
  await until("the room has ended", () => ada.world.get().kind === "gone");
  const gone = sit(second);
  await until("the seat is gone", () => gone.connection.state.get().kind === "refused");
  expect(gone.connection.state.get().code).toBe("EXPIRED");
});
