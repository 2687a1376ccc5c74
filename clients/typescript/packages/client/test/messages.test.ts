/** messages.test.ts: what members say to each other. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Message, Session } from "../src";
import { FakeDaemon } from "./fake_daemon";

let daemon: FakeDaemon;
let session: Session;

beforeEach(() => {
  daemon = new FakeDaemon();
  session = new Session({ url: "ws://x", name: "Ada", client: "test", open: daemon.open });
  session.join("contact");
  session.connection.start();
  daemon.admit("contact");
});
afterEach(() => session.connection.stop());

describe("Messages", () => {
  it("go to all, to the logic or to one member, as text or bytes", () => {
    void session.messages.say("chat", "hello");
    expect(daemon.socket.last("say").value).toMatchObject({
      request: 1, channel: "chat", to: { case: "all" }, content: { case: "text", value: "hello" },
    });
    void session.messages.say("game", new Uint8Array([1, 2]), "logic");
    expect(daemon.socket.last("say").value).toMatchObject({
      request: 2, to: { case: "logic", value: true }, content: { case: "bytes" },
    });
    void session.messages.say("chat", "", 12n);
    expect(daemon.socket.last("say").value).toMatchObject({ to: { case: "session", value: 12n } });
  });

  it("are acknowledged or refused", async () => {
    const sent = session.messages.say("game", "jump", "logic");
    daemon.socket.say({ case: "controlDone", value: { request: 1, world: "contact" } });
    await expect(sent).resolves.toBe("contact");
    const refused = session.messages.say("game", "jump", "logic");
    daemon.socket.say({ case: "rejected", value: { request: 2, error: { code: "STATE" } } });
    await expect(refused).rejects.toMatchObject({ code: "STATE" });
  });

  it("come with their sender and their tick", () => {
    const heard: Message[] = [];
    session.messages.said.subscribe((message) => heard.push(message));
    daemon.socket.say({ case: "said", value: {
      tick: 7n, session: 9n, channel: "chat", content: { case: "text", value: "hi" } } });
    daemon.socket.say({ case: "said", value: {
      tick: 8n, channel: "game", content: { case: "bytes", value: new Uint8Array([3]) },
      direct: true } });
    expect(heard).toEqual([
      { tick: 7, session: 9n, channel: "chat", content: "hi", direct: false },
      { tick: 8, session: 0n, channel: "game", content: new Uint8Array([3]), direct: true },
    ]);
  });
});
