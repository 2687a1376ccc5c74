/** prediction.test.ts: a session with a predictor, against sockets in the process. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Deeds, type Joined, Subscribe_Mode, WorldStatus_State } from "@cairn/protocol";
import { type Prediction, Session } from "../src";
import { FakeDaemon } from "./fake_daemon";

class FakePrediction implements Prediction {
  physics: number | null = null;
  isOn = false;
  shownTick = 77;
  shownTime = 1.5;
  asleep = Uint8Array.of(0, 1);
  readonly said: string[] = [];
  /** The tick of the next input, and the earliest one of the last input. */
  tick = 90;
  least = 0;

  onJoined(joined: Joined): void {
    this.said.push(`joined ${joined.world}`);
  }

  onImage(joined: Joined, session: bigint): void {
    this.said.push(`image ${joined.imageTick} for ${session}`);
    this.isOn = true;
  }

  onDeeds(deeds: Deeds): void {
    this.said.push(`deeds ${deeds.tick}`);
  }

  onSettled(seq: number): void {
    this.said.push(`settled ${seq}`);
  }

  onRefused(seq: number): void {
    this.said.push(`refused ${seq}`);
  }

  onStopped(): void {
    this.said.push("stopped");
    this.isOn = false;
  }

  onInput(seq: number, message: Uint8Array, least: number, send: (tick: number) => void): void {
    this.least = least;
    this.said.push(`input ${seq} of ${message.length > 4 ? "some" : "no"} bytes`);
    send(this.tick);
  }

  sample(_present: number, _isHeld: boolean, out: Float64Array): void {
    out.fill(9);
  }
}

let daemon: FakeDaemon;
let session: Session;
let prediction: FakePrediction;

beforeEach(() => {
  vi.useFakeTimers();
  daemon = new FakeDaemon();
  prediction = new FakePrediction();
  session = new Session({ url: "ws://x", name: "Ada", client: "test", open: daemon.open });
  session.predict(prediction);
  session.join("contact");
  session.connection.start();
  daemon.admit("contact");
});

afterEach(() => {
  session.connection.stop();
  vi.useRealTimers();
});

function giveImage(): void {
  prediction.physics = 12;
  session.askForImage();
  daemon.socket.say({ case: "joined", value: {
    world: "contact", generation: 1, scene: { bodies: [{ name: "floor" }, { name: "block1" }] },
    image: Uint8Array.of(1), imageTick: 60n, imageHash: "0".repeat(16), physics: 12,
  } });
}

describe("Session with a predictor", () => {
  it("subscribes to snapshots until the engine is there, then to deeds", () => {
    const snapshots = { mode: Subscribe_Mode.DELTA, physics: 0 };
    expect(daemon.socket.last("subscribe").value).toMatchObject(snapshots);
    const pictures: boolean[] = [];
    session.joined.subscribe(() => pictures.push(session.isResumed));
    giveImage();
    const deeds = { mode: Subscribe_Mode.DEEDS, physics: 12 };
    expect(daemon.socket.last("subscribe").value).toMatchObject(deeds);
    expect(prediction.said).toEqual(["joined contact", "image 60 for 5"]);
    expect(pictures.at(-1)).toBe(true); // the same scene: the picture continues
    daemon.socket.say({ case: "deeds", value: { tick: 64n, generation: 1 } });
    expect(prediction.said.at(-1)).toBe("deeds 64");
  });

  it("shows the predicted poses and their tick", () => {
    giveImage();
    const poses = new Float64Array(6);
    expect(session.sample(poses)).toBe(true);
    expect(poses[0]).toBe(9);
    expect([session.snapshots.shownTick, session.snapshots.shownTime]).toEqual([77, 1.5]);
    expect([session.snapshots.asleepCount, session.snapshots.asleep[1]]).toEqual([1, 1]);
  });

  it("sends an input for the tick that the predictor chose, and tells when it is settled", () => {
    giveImage();
    session.actuate(16, 0, 1);
    const sent = { seq: 1n, slot: 16, atTick: 90n, action: { case: "actuator" } };
    expect(daemon.socket.last("input").value).toMatchObject(sent);
    expect(prediction.said.at(-1)).toBe("input 1 of some bytes");
    daemon.socket.say({ case: "tick", value: { tick: 91n, serverTimeUs: 1000n, appliedSeq: 1n } });
    expect(prediction.said.at(-1)).toBe("settled 1");
    daemon.socket.say({ case: "tick", value: { tick: 92n, serverTimeUs: 1000n, appliedSeq: 1n } });
    expect(prediction.said.filter((one) => one.startsWith("settled"))).toHaveLength(1);
    daemon.socket.say({ case: "rejected", value: { seq: 2n, error: { code: "LEASE" } } });
    expect(prediction.said.at(-1)).toBe("refused 2");
  });

  it("tells the tick before which an input can not arrive, also after a long frame", () => {
    giveImage();
    session.actuate(16, 0, 1);
    expect(prediction.least).toBe(0); // the round trip is not known
    const nowUs = () => BigInt(Math.round(performance.now() * 1000));
    const clientTimeUs = nowUs();
    vi.advanceTimersByTime(100);
    const value = { clientTimeUs, serverTimeUs: clientTimeUs + 50_000n };
    daemon.socket.say({ case: "pong", value });
    daemon.socket.say({ case: "tick", value: { tick: 600n, serverTimeUs: nowUs() } });
    session.actuate(16, 0, 1);
    expect(session.connection.clock.roundTripMs).toBe(100);
    const atOnce = prediction.least;
    expect(atOnce).toBeGreaterThanOrEqual(603); // half the round trip
    vi.advanceTimersByTime(250); // without a frame
    session.actuate(16, 0, 1);
    expect(prediction.least).toBe(atOnce + 15);
  });

  it("falls back to snapshots where the daemon refuses deeds", () => {
    giveImage();
    const error = { code: "VERSION", path: "subscribe.physics", text: "is 12" };
    daemon.socket.say({ case: "rejected", value: { error } });
    expect(prediction.isOn).toBe(false);
    expect(daemon.socket.last("subscribe").value).toMatchObject({ mode: Subscribe_Mode.DELTA });
    expect(session.world.get().kind).toBe("joined");
  });

  it("falls back where a world turns out to be a replay, and asks for deeds elsewhere", () => {
    giveImage();
    session.join("past");
    expect(daemon.socket.last("subscribe").value).toMatchObject({ mode: Subscribe_Mode.DEEDS });
    const status = { id: "past", state: WorldStatus_State.REPLAY };
    daemon.socket.say({ case: "joined", value: { world: "past", scene: {}, status } });
    const error = { code: "STATE", path: "subscribe.mode", text: "is DEEDS" };
    daemon.socket.say({ case: "rejected", value: { error } });
    expect(daemon.socket.last("subscribe").value).toMatchObject({ mode: Subscribe_Mode.DELTA });
    const count = daemon.socket.kinds().filter((kind) => kind === "subscribe").length;
    session.join("contact");
    expect(daemon.socket.last("subscribe").value).toMatchObject({ mode: Subscribe_Mode.DELTA });
    daemon.joined("contact", 1);
    expect(daemon.socket.kinds().filter((kind) => kind === "subscribe").length).toBe(count + 2);
    expect(daemon.socket.last("subscribe").value).toMatchObject({ mode: Subscribe_Mode.DEEDS });
  });

  it("subscribes to snapshots for a part of a world, and where it is switched off", () => {
    giveImage();
    session.see({ area: { reach: { x: 1, y: 1 } } });
    expect(daemon.socket.last("subscribe").value).toMatchObject({ mode: Subscribe_Mode.DELTA });
    expect(prediction.isOn).toBe(false);
    session.see(undefined);
    expect(daemon.socket.last("subscribe").value).toMatchObject({ mode: Subscribe_Mode.DEEDS });
    session.predict(null);
    expect(daemon.socket.last("subscribe").value).toMatchObject({ mode: Subscribe_Mode.DELTA });
  });

  it("tells the daemon of another hash", () => {
    giveImage();
    session.deeds.tellDesync(30, "1".repeat(16));
    const value = { tick: 30n, hash: "1".repeat(16) };
    expect(daemon.socket.last("desync").value).toMatchObject(value);
  });

  it("predicts nothing without a connection", () => {
    giveImage();
    daemon.socket.hangUp(1006);
    expect(prediction.isOn).toBe(false);
  });
});
