/** body_commands.test.ts: commands to bodies as Controls. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Body_Type } from "@cairn/protocol";
import { Session } from "../src";
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

describe("BodyCommands", () => {
  it("does things to bodies, all of them in one Control", async () => {
    daemon.admit("contact");
    const last = () => daemon.socket.last("control").value as { request: number };
    const placed = session.bodies.place(3, { position: { x: 1.5 }, angle: 0.25 });
    expect(last()).toMatchObject({ action: { case: "bodies", value: { generation: 0, commands: [
      { body: 3, action: { case: "place", value: { position: { x: 1.5 }, angle: 0.25 } } },
    ] } } });
    daemon.socket.say({ case: "controlDone", value: { request: last().request } });
    await placed;
    void session.bodies.setFilter(1, { maskSet: { case: "mask", value: 0n } }, 2);
    expect(last()).toMatchObject({ action: { value: { commands: [
      { body: 1, action: { case: "filter", value: { shapeSet: { case: "shape", value: 2 } } } },
    ] } } });
    void session.bodies.wake(4);
    expect(last()).toMatchObject({ action: { value: { commands: [
      { body: 4, action: { case: "asleep", value: false } },
    ] } } });
    void session.bodies.spawn("car", { position: { y: 2 } });
    expect(last()).toMatchObject({ action: { case: "change", value: {
      spawns: [{ prefab: "car", position: { y: 2 } }],
    } } });
    const both = session.bodies.all([
      { body: 1, action: { case: "velocity", value: { velocity: { y: 2 } } } },
      { body: 1, action: { case: "type", value: Body_Type.KINEMATIC } },
    ], 7);
    expect(last()).toMatchObject({ action: { value: { generation: 7 } } });
    const error = { code: "STALE", path: "bodies.generation", text: "is 7" };
    daemon.socket.say({ case: "rejected", value: { request: last().request, error } });
    await expect(both).rejects.toThrow("is 7");
  });
});
