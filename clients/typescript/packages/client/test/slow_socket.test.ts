/** slow_socket.test.ts: delay, order and stalls of a slow socket. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type LinkQuality, slowOpener } from "../src/slow_socket";
import type { SocketLike } from "../src/connection";

function makeInner(): SocketLike & { sent: (number | "close")[] } {
  const sent: (number | "close")[] = [];
  return {
    binaryType: "arraybuffer", bufferedAmount: 0,
    onopen: null, onmessage: null, onclose: null, onerror: null,
    sent,
    send: (data) => { sent.push(data[0]!); },
    close: () => { sent.push("close"); },
  };
}

describe("slowOpener", () => {
  beforeEach(() => { vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }); });
  afterEach(() => { vi.useRealTimers(); });

  function open(quality: LinkQuality, random = () => 0.5) {
    const inner = makeInner();
    const socket = slowOpener(() => inner, quality, random)("", "");
    const heard: unknown[] = [];
    socket.onmessage = (({ data }: { data: unknown }) => heard.push(data)) as never;
    const come = (data: unknown) => inner.onmessage?.({ data, timeStamp: 0 } as never);
    return { inner, socket, heard, come };
  }

  it("passes on at once without a delay", () => {
    const { inner, socket, heard, come } = open({ delayMs: 0, lossPercent: 0 });
    socket.send(Uint8Array.of(7));
    come("a");
    expect(inner.sent).toEqual([7]);
    expect(heard).toEqual(["a"]);
  });

  it("takes half of the round trip each way", () => {
    const { inner, socket, heard, come } = open({ delayMs: 200, lossPercent: 0 });
    socket.send(Uint8Array.of(7));
    come("a");
    vi.advanceTimersByTime(99);
    expect([inner.sent, heard]).toEqual([[], []]);
    vi.advanceTimersByTime(1);
    expect([inner.sent, heard]).toEqual([[7], ["a"]]);
  });

  it("holds what follows a lost message, and keeps the order", () => {
    let isLost = true;
    const { heard, come } = open({ delayMs: 200, lossPercent: 10 }, () => (isLost ? 0.05 : 0.9));
    come("lost");
    isLost = false;
    come("next");
    vi.advanceTimersByTime(329);
    expect(heard).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(heard).toEqual(["lost", "next"]);
  });

  it("sends what is under way before it closes, and hears nothing more", () => {
    const { inner, socket, heard, come } = open({ delayMs: 200, lossPercent: 0 });
    socket.send(Uint8Array.of(7));
    socket.close();
    come("late");
    vi.advanceTimersByTime(99);
    expect(inner.sent).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(inner.sent).toEqual([7, "close"]);
    expect(heard).toEqual([]);
  });

  it("keeps the order when the delay falls", () => {
    const quality = { delayMs: 200, lossPercent: 0 };
    const { heard, come } = open(quality);
    come("slow");
    quality.delayMs = 0;
    come("quick");
    expect(heard).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(heard).toEqual(["slow", "quick"]);
  });
});
