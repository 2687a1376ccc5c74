/** session.test.ts: joining, inputs, controls and reconnecting, against sockets in the process. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Hello_Role, SnapshotColumns, viewHash } from "@cairn/protocol";
import { RefusedError, Session } from "../src";
import { FakeDaemon } from "./fake_daemon";

let daemon: FakeDaemon;
let session: Session;

beforeEach(() => {
  vi.useFakeTimers();
  daemon = new FakeDaemon();
  session = new Session({ url: "ws://x", name: "Ada", client: "test", open: daemon.open });
  session.join("contact");
  session.connection.start();
});

afterEach(() => {
  session.connection.stop();
  vi.useRealTimers();
});

describe("Session", () => {
  it("says Hello, joins after Welcome, and subscribes", () => {
    daemon.socket.accept();
    expect(daemon.socket.kinds()).toEqual(["hello"]);
    expect(session.world.get().kind).toBe("joining");
    daemon.admit("contact");
    expect(daemon.socket.kinds()).toContain("join");
    expect(daemon.socket.last("subscribe").value).toMatchObject({ contacts: true, energy: true });
    expect(session.world.get()).toEqual({ kind: "joined", world: "contact" });
  });

  it("subscribes again to a daemon that was started again", () => {
    const subscriptions = (): number =>
      daemon.socket.kinds().filter((kind) => kind === "subscribe").length;
    daemon.admit("contact");
    for (const restarted of [false, true]) {
      daemon.socket.hangUp(1006);
      vi.advanceTimersByTime(1_000);
      daemon.socket.accept();
      daemon.socket.say({ case: "welcome",
        value: { version: 1, session: 5n, resumed: true, restarted, nextSeq: 1n } });
      daemon.joined("contact", 1);
      expect(subscriptions()).toBe(restarted ? 1 : 0);
    }
  });

  it("shows its token, learns its role, and does not come back when it is refused", () => {
    session.connection.stop();
    const connected = new Session({
      url: "ws://x", name: "Ada", client: "test", open: daemon.open, token: () => "a.b.c",
    });
    connected.join("contact");
    connected.connection.start();
    daemon.socket.accept();
    expect(daemon.socket.last("hello").value).toMatchObject({ token: "a.b.c" });
    daemon.socket.say({ case: "welcome", value: { session: 5n, role: Hello_Role.PLAYER } });
    expect(connected.role.get()).toBe(Hello_Role.PLAYER);
    const error = { code: "EXPIRED", text: "the token has expired" };
    daemon.socket.say({ case: "rejected", value: { error } });
    expect(connected.connection.state.get()).toEqual({ kind: "refused", ...error });
    vi.advanceTimersByTime(60_000);
    expect(connected.connection.state.get().kind).toBe("refused");
    connected.connection.start();
    expect(connected.connection.state.get().kind).toBe("connecting");
    connected.connection.stop();
  });

  it("asks for pasts, and learns of a world that was made for it", async () => {
    daemon.admit("contact");
    const replay = session.replay("contact", 12.4);
    const asked = daemon.socket.last("fork").value as { request: number };
    expect(asked).toMatchObject({ world: "contact", replay: true });
    expect(asked).toMatchObject({ tickSet: { case: "tick", value: 12n } });
    daemon.socket.say({ case: "forked", value: {
      request: asked.request, world: "contact-replay", origin: "contact", tick: 12n, replay: true,
    } });
    expect(await replay).toBe("contact-replay");
    session.seek({ tick: 7, speed: 0 });
    expect(daemon.socket.last("seek").value).toMatchObject({
      tickSet: { case: "tick", value: 7n }, speedSet: { case: "speed", value: 0 },
    });
    const fork = session.fork("contact", null);
    expect(daemon.socket.last("fork").value).toMatchObject({ tickSet: { case: undefined } });
    const { request } = daemon.socket.last("fork").value as { request: number };
    const error = { code: "FULL", text: "no" };
    daemon.socket.say({ case: "rejected", value: { request, error } });
    await expect(fork).rejects.toThrow("no");
    const own: string[] = [];
    session.forked.subscribe(({ world }) => own.push(world));
    daemon.socket.say({ case: "forked", value: { world: "contact-1", origin: "contact" } });
    expect(own).toEqual(["contact-1"]);
  });

  it("numbers inputs from 1, and from 1 again in another world", () => {
    daemon.admit("contact");
    const drag = {
      body: 1, pointX: 0, pointY: 0, pointZ: 0, targetX: 1, targetY: 2, targetZ: 3,
      stiffness: 50, damping: 5,
    };
    expect(session.drag(3, drag)).toBe(true);
    expect(session.release(3)).toBe(true);
    const seqs = () => daemon.socket.heard.flatMap((message) =>
      message.case === "input" ? [Number(message.value.seq)] : []);
    expect(seqs()).toEqual([1, 2]);
    const released = { slot: 3, action: { case: "release" } };
    expect(daemon.socket.last("input").value).toMatchObject(released);
    session.join("pile");
    expect(session.release(3)).toBe(false);
    daemon.joined("pile", 1);
    session.actuate(16, 0, 1);
    expect(seqs()).toEqual([1, 2, 1]);
  });

  it("shows snapshots of the world's generation only, scaled", () => {
    daemon.admit("contact", 2);
    const poses = new Float64Array(6);
    expect(session.sample(poses)).toBe(false);
    expect(poses[1]).toBe(-1);
    const columns = new SnapshotColumns();
    Object.assign(columns, { everyBody: false, count: 1, body: [1], x: [3], y: [-4], angle: [2] });
    const rows = { body: [1], x: [3], y: [-4], angle: [2], viewHash: viewHash(columns) };
    daemon.socket.say({ case: "tick", value: { tick: 1n, serverTimeUs: 1000n } });
    daemon.socket.say({ case: "snapshot", value: { tick: 1n, generation: 1, ...rows } });
    expect(session.sample(poses)).toBe(false);
    const damaged = { ...rows, tick: 1n, generation: 2, viewHash: 1 };
    daemon.socket.say({ case: "snapshot", value: damaged });
    expect(session.damagedCount).toBe(1);
    expect(session.sample(poses)).toBe(false);
    daemon.socket.say({ case: "snapshot", value: { tick: 1n, generation: 2, ...rows } });
    expect(session.sample(poses)).toBe(true);
    expect([...poses]).toEqual([0, -1, 0, 1.5, -2, 0.5]);
  });

  it("asks for a lease, and knows who holds what until the next Joined", async () => {
    daemon.admit("contact");
    const target = { case: "body", value: 1 } as const;
    const first = session.acquire(target);
    const asked = daemon.socket.last("lease");
    expect(asked.value).toMatchObject({ request: 1, target, action: { case: "acquire" } });
    daemon.socket.say({ case: "controlDone", value: { request: 1, world: "contact" } });
    await first;
    const held = [{ target, session: 9n, name: "Bob", untilTick: 40n, waiting: [5n] }];
    daemon.socket.say({ case: "leases", value: { generation: 1, tick: 3n, held } });
    expect(session.leases.holder(target)).toMatchObject({ name: "Bob", untilTick: 40 });
    expect(session.leases.holder({ case: "actuator", value: 1 })).toBeNull();
    const second = session.acquire(target);
    const error = { code: "LEASED", path: "lease", text: "body 1 is held by Bob" };
    daemon.socket.say({ case: "rejected", value: { request: 2, error } });
    await expect(second).rejects.toMatchObject({ code: "LEASED" });
    daemon.joined("contact", 2);
    expect(session.leases.holder(target)).toBeNull();
  });

  it("shows deltas, acknowledges some, and asks for a keyframe where one does not fit", () => {
    daemon.admit("contact", 2);
    const poses = new Float64Array(6);
    const rowOf = (x: number) => {
      const columns = new SnapshotColumns();
      Object.assign(columns, { everyBody: false, count: 1, body: [1] });
      Object.assign(columns, { x: [x], y: [-4], angle: [2] });
      return viewHash(columns);
    };
    const subscribe = () => daemon.socket.kinds().filter((kind) => kind === "subscribe").length;
    expect(daemon.socket.last("subscribe").value).toMatchObject({ mode: 1 });
    const keyframe = { tick: 1n, generation: 2, entered: [1, 1], place: [3, -4, 2] };
    daemon.socket.say({ case: "tick", value: { tick: 1n, serverTimeUs: 1000n } });
    daemon.socket.say({ case: "delta", value: { ...keyframe, viewHash: rowOf(3) } });
    expect(session.sample(poses)).toBe(true);
    expect([...poses]).toEqual([0, -1, 0, 1.5, -2, 0.5]);
    expect(daemon.socket.last("ack").value).toMatchObject({ tick: 1n });
    const next = { generation: 2, first: 1, changed: [0, 1], position: [9] };
    daemon.socket.say({ case: "delta", value: { ...next, tick: 2n, viewHash: rowOf(4) } });
    expect(session.damagedCount).toBe(0);
    vi.advanceTimersByTime(600);
    const asked = subscribe();
    daemon.socket.say({ case: "delta", value: { ...next, tick: 3n, viewHash: rowOf(4) } });
    daemon.socket.say({ case: "delta", value: { ...next, tick: 5n, viewHash: rowOf(6) } });
    expect(session.damagedCount).toBe(2);
    expect(subscribe()).toBe(asked + 1);
    vi.advanceTimersByTime(600);
    daemon.socket.say({ case: "pong", value: {} });
    expect(subscribe(), "a world that stands still says nothing more").toBe(asked + 2);
    daemon.socket.say({ case: "delta", value: { ...keyframe, tick: 6n, viewHash: rowOf(3) } });
    expect(session.damagedCount).toBe(2);
    vi.advanceTimersByTime(600);
    daemon.socket.say({ case: "pong", value: {} });
    expect(subscribe()).toBe(asked + 2);
  });

  it("fulfils a control by its number and rejects it with the daemon's words", async () => {
    daemon.admit("contact");
    const paused = session.pause();
    const loaded = session.load("nothing");
    const requests = daemon.socket.heard.flatMap((message) =>
      message.case === "control" ? [message.value.request] : []);
    expect(new Set(requests).size).toBe(2);
    const error = { code: "NOT_FOUND", path: "load.sceneName", text: "no such scene" };
    daemon.socket.say({ case: "rejected", value: { request: requests[1]!, error } });
    daemon.socket.say({ case: "controlDone", value: { request: requests[0]!, world: "contact" } });
    await expect(paused).resolves.toBe("contact");
    await expect(loaded).rejects.toThrow("load.sceneName: no such scene");
    await expect(loaded).rejects.toBeInstanceOf(RefusedError);
  });

  it("comes back to a daemon that has too much to do", () => {
    daemon.socket.accept();
    const error = { code: "CAPACITY", text: "too many tokens come at once; try again" };
    daemon.socket.say({ case: "rejected", value: { error } });
    expect(session.connection.state.get().kind).not.toBe("refused");
    daemon.socket.hangUp(1013);
    expect(session.connection.state.get().kind).toBe("waiting");
  });

  it("comes back to its world after the daemon went away, and forgets what waited", async () => {
    daemon.admit("contact");
    session.actuate(16, 0, 1);
    const paused = session.pause();
    daemon.socket.hangUp(1001);
    await expect(paused).rejects.toThrow("stopping");
    expect(session.connection.state.get().kind).toBe("waiting");
    expect(session.world.get()).toEqual({ kind: "joining", world: "contact" });
    expect(session.actuate(16, 0, 1)).toBe(false);
    vi.advanceTimersByTime(260);
    expect(daemon.sockets.length).toBe(2);
    daemon.socket.hangUp(1006);
    vi.advanceTimersByTime(260);
    expect(daemon.sockets.length, "the second wait is longer").toBe(2);
    vi.advanceTimersByTime(260);
    expect(daemon.sockets.length).toBe(3);
    daemon.admit("contact");
    expect(session.world.get().kind).toBe("joined");
    session.actuate(16, 0, 1);
    expect(daemon.socket.last("input").value).toMatchObject({ seq: 1n });
  });

  it("goes on where it was cut off, and lets go of what was let go meanwhile", () => {
    daemon.socket.accept();
    const token = new Uint8Array([1, 2, 3]);
    daemon.socket.say({ case: "welcome", value: { session: 5n, resume: token } });
    daemon.joined("contact", 1);
    session.actuate(16, 0, 1);
    session.actuate(17, 1, 1);
    daemon.socket.hangUp(1006);
    expect(session.release(17)).toBe(false);
    vi.advanceTimersByTime(260);
    daemon.socket.accept();
    expect(daemon.socket.last("hello").value).toMatchObject({ keep: true, resume: token });
    const welcome = { session: 5n, resumed: true, nextSeq: 3n, resume: new Uint8Array([4]) };
    daemon.socket.say({ case: "welcome", value: welcome });
    expect(daemon.socket.kinds()).not.toContain("join");
    const seen: boolean[] = [];
    session.joined.subscribe(() => seen.push(session.isResumed));
    daemon.joined("contact", 1);
    expect(seen).toEqual([false, true]);
    expect(session.world.get().kind).toBe("joined");
    const released = { seq: 3n, slot: 17, action: { case: "release" } };
    expect(daemon.socket.last("input").value).toMatchObject(released);
    session.release(16);
    expect(daemon.socket.last("input").value).toMatchObject({ seq: 4n, slot: 16 });
    session.leave();
    expect(daemon.socket.kinds().at(-1)).toBe("leave");
  });

  it("asks for contacts only while they are wanted", () => {
    daemon.admit("contact");
    const contacts = { tick: 3n };
    const wishes = () => daemon.socket.heard.flatMap((message) =>
      message.case === "subscribe" ? [message.value.contacts] : []);
    session.wantContacts(false);
    session.wantContacts(false);
    expect(wishes()).toEqual([true, false]);
    expect(daemon.socket.last("subscribe").value).toMatchObject({ energy: true, actions: true });
    daemon.socket.say({ case: "contacts", value: contacts });
    expect(session.contacts.latest.tick).not.toBe(3); // it was sent before
    session.join("other");
    expect(wishes()).toEqual([true, false, false]);
    session.wantContacts(true);
    expect(wishes()).toEqual([true, false, false, true]);
    daemon.socket.say({ case: "contacts", value: contacts });
    expect(session.contacts.latest.tick).toBe(3);
  });

  it("shows contacts that are sent as differences, and asks again when it lacks some", () => {
    daemon.admit("contact");
    const generation = session.joined.get()!.generation;
    const count = () => daemon.socket.kinds().filter((kind) => kind === "subscribe").length;
    expect(daemon.socket.last("subscribe").value).toMatchObject({ contactRate: 20 });
    const say = (value: { tick: bigint; number: number; back?: number; generation: number }) =>
      daemon.socket.say({ case: "contactDelta", value });
    say({ tick: 4n, number: 1, generation });
    expect(session.contacts.latest.tick).toBe(4);
    say({ tick: 9n, number: 3, back: 1, generation });
    expect(session.contacts.latest.tick).toBe(4);
    vi.advanceTimersByTime(600);
    daemon.socket.say({ case: "pong", value: {} });
    expect(count()).toBe(2);
    say({ tick: 9n, number: 3, generation });
    expect(session.contacts.latest.tick).toBe(9);
    say({ tick: 12n, number: 4, generation: generation + 1 });
    expect(session.contacts.latest.tick).toBe(9); // of a scene that it does not have
  });

  it("asks again where a world that was joined shows nothing", () => {
    daemon.admit("contact");
    const count = () => daemon.socket.kinds().filter((kind) => kind === "subscribe").length;
    daemon.socket.say({ case: "pong", value: {} });
    expect(count()).toBe(1); // it may already have been sent
    vi.advanceTimersByTime(600);
    daemon.socket.say({ case: "pong", value: {} });
    expect(count()).toBe(2);
    daemon.socket.say({ case: "pong", value: {} });
    expect(count()).toBe(2); // not repeated at once
    session.leave();
    vi.advanceTimersByTime(600);
    daemon.socket.say({ case: "pong", value: {} });
    expect(count()).toBe(2);
  });

  it("says on the next socket what was wanted without one", () => {
    daemon.socket.accept();
    const resume = new Uint8Array([1, 2, 3]);
    daemon.socket.say({ case: "welcome", value: { session: 5n, resume } });
    daemon.joined("contact", 1);
    daemon.socket.hangUp(1006);
    session.wantContacts(false);
    session.see({ tags: ["red"] });
    vi.advanceTimersByTime(260);
    daemon.socket.accept();
    const welcome = { session: 5n, resumed: true, nextSeq: 1n, resume };
    daemon.socket.say({ case: "welcome", value: welcome });
    expect(daemon.socket.kinds()).not.toContain("join");
    const said = { contacts: false, interest: { tags: ["red"] } };
    expect(daemon.socket.last("subscribe").value).toMatchObject(said);
  });

  it("joins anew, holding nothing, where it can not go on", () => {
    daemon.socket.accept();
    const resume = new Uint8Array([1, 2, 3]);
    daemon.socket.say({ case: "welcome", value: { session: 5n, resume } });
    daemon.joined("contact", 1);
    session.actuate(16, 0, 1);
    daemon.socket.hangUp(1006);
    vi.advanceTimersByTime(260);
    daemon.socket.accept();
    daemon.socket.say({ case: "welcome", value: { session: 6n } });
    expect(daemon.socket.kinds()).toContain("join");
    daemon.joined("contact", 1);
    expect(session.isResumed).toBe(false);
    expect(daemon.socket.kinds()).not.toContain("input");
    session.release(3);
    expect(daemon.socket.last("input").value).toMatchObject({ seq: 1n });
  });

  it("tells that a world is gone, and joins it when asked again", () => {
    daemon.socket.accept();
    daemon.socket.say({ case: "welcome", value: { session: 5n } });
    const error = { code: "NOT_FOUND", text: "there is no world contact" };
    daemon.socket.say({ case: "rejected", value: { error } });
    expect(session.world.get()).toMatchObject({ kind: "gone", text: error.text });
    session.join("contact");
    daemon.joined("contact", 1);
    expect(session.world.get().kind).toBe("joined");
    const removed = { code: "WORLD", text: "the world was removed" };
    daemon.socket.say({ case: "rejected", value: { error: removed } });
    expect(session.world.get()).toMatchObject({ kind: "gone", text: removed.text });
  });

  it("reports a refused input without leaving the world", () => {
    const texts: string[] = [];
    session.refusals.subscribe((error) => texts.push(error.message));
    daemon.admit("contact");
    const error = { code: "RANGE", path: "drag.stiffness", text: "at most 1e6" };
    daemon.socket.say({ case: "rejected", value: { seq: 1n, error } });
    expect(texts).toEqual(["drag.stiffness: at most 1e6"]);
    expect(session.world.get().kind).toBe("joined");
  });

  it("follows bodies that are made and removed, and shows the others as they were", () => {
    daemon.admit("contact");
    const scenes: string[] = [];
    session.joined.subscribe((joined) => scenes.push(`${session.isChange} ` +
      joined!.scene!.bodies.map((body) => (body.absent ? "-" : body.name)).join(" ")));
    const made = { name: "new", position: { x: 5, y: 7 } };
    const changed = {
      generation: 2, bodyCount: 3, removedBodies: [1], bodySlots: [2], bodies: [made],
    };
    daemon.socket.say({ case: "changed", value: { ...changed, generation: 7 } });
    expect(scenes, "one that does not follow is passed over").toHaveLength(1);
    daemon.socket.say({ case: "changed", value: changed });
    expect(scenes.at(-1)).toBe("true floor - new");
    expect(session.joined.get()!.generation).toBe(2);
    const poses = new Float64Array(9);
    session.sample(poses);
    expect([...poses]).toEqual([0, -1, 0, 0, 0, 0, 5, 7, 0]);
    daemon.joined("contact", 3);
    expect(scenes.at(-1)).toBe("false floor block1");
  });

  it("gives up a daemon that is silent, and not one that talks", () => {
    daemon.admit("contact");
    for (let second = 0; second < 20; second++) {
      vi.advanceTimersByTime(1000);
      daemon.socket.say({ case: "pong", value: {} });
    }
    expect(daemon.sockets.length).toBe(1);
    expect(daemon.socket.kinds().filter((kind) => kind === "ping").length).toBeGreaterThan(15);
    vi.advanceTimersByTime(9_500);
    expect(daemon.sockets[0]!.closed).toBe(true);
    expect(daemon.sockets.length).toBeGreaterThan(1);
  });

  it("does not blame the daemon for the time in which the page itself was busy", () => {
    daemon.admit("contact");
    const late = performance.now() + 30_000;
    vi.spyOn(performance, "now").mockImplementation(() => late);
    vi.advanceTimersByTime(1000);
    vi.restoreAllMocks();
    expect(daemon.sockets[0]!.closed).toBe(false);
  });

  it("starts anew on bytes that can not be read", () => {
    daemon.admit("contact");
    const first = daemon.socket;
    first.onmessage?.({ data: Uint8Array.from([0x22, 9, 1]).buffer } as never);
    expect(first.closed).toBe(true);
    expect(session.connection.state.get()).toMatchObject({ kind: "waiting" });
  });
});
