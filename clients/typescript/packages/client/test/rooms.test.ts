/** rooms.test.ts: requests for seats and their answers, lists, and the lobby's changes. */
import { type MessageInitShape, create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RoomSchema } from "@cairn/protocol";
import { Lobby, RefusedError, Rooms, joinRoom, propertiesOf } from "../src";
import { FakeDaemon } from "./fake_daemon";

interface Asked {
  url: string;
  init: RequestInit;
}

let asked: Asked[];

/** The daemon answers each request so. */
function answer(status: number, body: unknown): void {
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    asked.push({ url, init });
    const text = body === null ? null : JSON.stringify(body);
    return Promise.resolve(new Response(text,
      { status, headers: { "content-type": "application/json" } }));
  });
}

beforeEach(() => {
  asked = [];
});
afterEach(() => vi.unstubAllGlobals());

describe("joinRoom", () => {
  it("sends the request by its types, with the token, and returns the seat", async () => {
    answer(201, { room: "arena-1", world: "arena-1", seat: 2, token: "seat1.x", expiresS: 30,
      created: true, aNewField: 1 });
    const seat = await joinRoom({
      template: "arena", name: "duel", password: "sesame", isPrivate: true, create: "only",
      properties: { map: "ice", rank: 3n, pace: 1.5, ranked: false },
      base: "http://host:1", token: () => "a.b.c",
    });
    expect(seat).toMatchObject({ room: "arena-1", world: "arena-1", seat: 2, token: "seat1.x",
      expiresS: 30, created: true });
    expect(asked[0]?.url).toBe("http://host:1/v1/rooms");
    expect(asked[0]?.init).toMatchObject({ method: "POST",
      headers: { authorization: "Bearer a.b.c", "content-type": "application/json" } });
    expect(JSON.parse(String(asked[0]?.init.body))).toEqual({
      template: "arena", name: "duel", password: "sesame", private: true, create: "CREATE",
      properties: [{ name: "map", text: "ice" }, { name: "rank", integer: "3" },
        { name: "pace", number: 1.5 }, { name: "ranked", flag: false }],
    });
  });

  it("asks for a room by its id, without a token", async () => {
    answer(200, { room: "arena-1", world: "arena-1", token: "t" });
    await joinRoom({ room: "arena-1", create: "never" });
    expect(asked[0]?.url).toBe("/v1/rooms");
    expect(asked[0]?.init.headers).not.toHaveProperty("authorization");
    expect(JSON.parse(String(asked[0]?.init.body))).toEqual({ room: "arena-1", create: "JOIN" });
  });

  it("is refused with the daemon's code, path and text", async () => {
    answer(409, { code: "STATE", path: "room", text: "arena-1 is full" });
    const error: unknown = await joinRoom({ room: "arena-1" }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ code: "STATE", path: "room", message: "room: arena-1 is full" });
  });
});

describe("Rooms", () => {
  it("lists pages with a filter", async () => {
    answer(200, { rooms: [{ id: "arena-1", seats: 4, taken: 1,
      properties: [{ name: "map", text: "ice" }, { name: "rank", integer: "3" }] }], next: "n" });
    const rooms = new Rooms();
    const page = await rooms.list({ template: "arena", openOnly: true, limit: 2, after: "m",
      properties: { map: "ice & snow" } });
    expect(asked[0]?.url).toBe(
      "/v1/rooms?template=arena&open=true&limit=2&after=m&property.map=ice+%26+snow");
    expect(page.next).toBe("n");
    expect(propertiesOf(page.rooms[0]!)).toEqual({ map: "ice", rank: 3n });
    await rooms.list();
    expect(asked[1]?.url).toBe("/v1/rooms");
  });

  it("shows, locks and ends a room, and lists templates", async () => {
    answer(200, { templates: [{ name: "arena", title: "An arena", seats: 4 }] });
    const rooms = new Rooms();
    expect((await rooms.templates())[0]).toMatchObject({ name: "arena", seats: 4 });
    answer(200, { id: "a", locked: true });
    expect((await rooms.room("a")).locked).toBe(true);
    await rooms.lock("a");
    await rooms.lock("a", false);
    answer(204, null);
    await rooms.remove("a");
    expect(asked.map(({ url, init }) => `${init.method} ${url} ${String(init.body)}`)).toEqual([
      "GET /v1/rooms/templates undefined", "GET /v1/rooms/a undefined",
      "POST /v1/rooms/a/lock {}", 'POST /v1/rooms/a/lock {"unlock":true}',
      "DELETE /v1/rooms/a undefined",
    ]);
    expect(asked.map(({ init }) => "content-type" in (init.headers ?? {}))) // the daemon wants it
      .toEqual([false, false, true, true, true]);
  });

  it("says which answer it cannot read", async () => {
    vi.stubGlobal("fetch", () => Promise.resolve(new Response("no", { status: 502 })));
    await expect(new Rooms().list()).rejects.toThrow("/v1/rooms: 502");
  });
});

describe("Lobby", () => {
  let daemon: FakeDaemon;
  let lobby: Lobby;
  const room = (id: string, createdS: number, more: MessageInitShape<typeof RoomSchema> = {}) =>
    create(RoomSchema, { id, createdS: BigInt(createdS), ...more });
  const ids = () => lobby.rooms.get()?.map(({ id }) => id);
  const welcome = () => {
    daemon.socket.accept();
    daemon.socket.say({ case: "welcome", value: { version: 1, session: 5n } });
  };

  beforeEach(() => {
    vi.useFakeTimers();
    daemon = new FakeDaemon();
    lobby = new Lobby({ url: "ws://x", name: "Ada", client: "test", open: daemon.open },
      { template: "arena", openOnly: true, properties: { map: "ice" } });
    welcome();
  });
  afterEach(() => {
    lobby.close();
    vi.useRealTimers();
  });

  it("asks for rooms, and follows their changes, oldest first", () => {
    expect(daemon.socket.last("lobby").value).toMatchObject({ template: "arena", openOnly: true,
      properties: [{ name: "map", value: { case: "text", value: "ice" } }] });
    expect(daemon.socket.kinds()).not.toContain("join");
    expect(lobby.rooms.get()).toBeNull();
    daemon.socket.say({ case: "rooms", value: { full: true,
      rooms: [room("b", 20), room("c", 30, { taken: 1 })] } });
    expect(ids()).toEqual(["b", "c"]);
    daemon.socket.say({ case: "rooms", value: {
      rooms: [room("c", 30, { taken: 2 }), room("a", 10), room("aa", 20)], removed: ["b"] } });
    expect(ids()).toEqual(["a", "aa", "c"]);
    expect(lobby.rooms.get()?.[2]?.taken).toBe(2);
    daemon.socket.say({ case: "rooms", value: { full: true } });
    expect(ids()).toEqual([]);
  });

  it("asks again after a lost connection, and keeps the list until the answer", () => {
    daemon.socket.say({ case: "rooms", value: { full: true, rooms: [room("a", 1)] } });
    const first = daemon.socket;
    first.hangUp(1006);
    vi.advanceTimersByTime(60_000);
    expect(daemon.socket).not.toBe(first);
    expect(ids()).toEqual(["a"]);
    welcome();
    expect(daemon.socket.last("lobby").value).toMatchObject({ template: "arena" });
    daemon.socket.say({ case: "rooms", value: { full: true, rooms: [room("b", 1)] } });
    expect(ids()).toEqual(["b"]);
  });

  it("drops changes of an earlier filter, and says refusals", () => {
    daemon.socket.say({ case: "rooms", value: { full: true, rooms: [room("a", 1)] } });
    const refused: string[] = [];
    lobby.refusals.subscribe(({ code }) => refused.push(code));
    lobby.show({ template: "duel" });
    expect(daemon.socket.last("lobby").value).toMatchObject({ template: "duel", openOnly: false });
    daemon.socket.say({ case: "rooms", value: { rooms: [room("b", 2)] } });
    expect(ids()).toEqual(["a"]);
    daemon.socket.say({ case: "rejected", value: { error: { code: "STATE" } } });
    expect(refused).toEqual(["STATE"]);
  });
});
