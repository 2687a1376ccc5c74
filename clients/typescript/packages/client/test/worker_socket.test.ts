/** worker_socket.test.ts: a socket on its own thread, and the queue for a busy reader. */
import { create, toBinary } from "@bufbuild/protobuf";
import { ServerMessageSchema, withoutTicks } from "@cairn/protocol";
import { describe, expect, it } from "vitest";
import { type Batch, type Ending, FrameQueue, QUEUE_SIZE_MAX } from "../src/frame_queue";
import { type FromWorker, type ToWorker, type WorkerLike, openerInWorker } from "../src";

function frame(...letters: number[]): ArrayBuffer {
  return Uint8Array.from(letters).buffer;
}

function makeQueue() {
  const batches: Batch[] = [];
  const endings: Ending[] = [];
  const queue = new FrameQueue((batch) => batches.push(batch), (end) => endings.push(end));
  const counts = () => batches.map(({ frames }) => frames.length);
  return { queue, batches, endings, counts };
}

describe("FrameQueue", () => {
  it("gives one batch at a time, and what came meanwhile as the next", () => {
    const { queue, batches, counts } = makeQueue();
    queue.add(frame(1), 10);
    queue.add(frame(2), 11);
    queue.add(frame(3), 12);
    expect(counts()).toEqual([1]);
    queue.more();
    expect(counts()).toEqual([1, 2]);
    expect(batches[1]!.times).toEqual([11, 12]);
    queue.more();
    expect(counts(), "nothing came").toEqual([1, 2]);
    queue.add(frame(4), 13);
    expect(counts()).toEqual([1, 2, 1]);
  });

  it("ends after all that came before", () => {
    const { queue, endings, counts } = makeQueue();
    queue.add(frame(1), 10);
    queue.add(frame(2), 11);
    queue.close({ code: 1013, reason: "too slow" });
    expect(endings).toEqual([]);
    queue.more();
    expect(counts()).toEqual([1, 1]);
    expect(endings).toEqual([]);
    queue.more();
    expect(endings).toEqual([{ code: 1013, reason: "too slow" }]);
  });

  it("leaves out ticks, and nothing else, where too much waits", () => {
    const { queue, batches } = makeQueue();
    const said = toBinary(ServerMessageSchema, create(ServerMessageSchema, {
      message: { case: "pong", value: { clientTimeUs: 7n } },
    }));
    const tick = new Uint8Array(64 * 1024);
    tick.set([3 << 3 | 2, 0xfd, 0xff, 0x03]); // the header's field, with zeros to the end
    tick.set(said, tick.length - said.length);
    tick.set([0x80 | ((tick.length - 4 - said.length) & 127),
      0x80 | (((tick.length - 4 - said.length) >> 7) & 127), (tick.length - 4 - said.length) >> 14],
    1);
    expect([...withoutTicks(tick)]).toEqual([...said]);
    queue.add(frame(1), 0);
    const count = QUEUE_SIZE_MAX / tick.length + 1;
    for (let index = 0; index < count; index++) {
      queue.add(tick.slice().buffer, index);
    }
    queue.more();
    const { frames, times } = batches[1]!;
    expect(frames.length).toBe(count);
    expect(new Set(frames.map(({ byteLength }) => byteLength))).toEqual(new Set([said.length]));
    expect(times.at(-1)).toBe(count - 1);
  });
});

class FakeWorker implements WorkerLike {
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  readonly heard: ToWorker[] = [];

  postMessage(message: ToWorker): void {
    this.heard.push(message);
  }

  say(message: FromWorker): void {
    this.onmessage?.({ data: message } as MessageEvent<FromWorker>);
  }
}

describe("openerInWorker", () => {
  const refuse = () => {
    throw new Error("no ordinary socket is wanted");
  };

  it("opens sockets on one thread, and forgets those before", () => {
    const worker = new FakeWorker();
    const open = openerInWorker(refuse, () => worker);
    const first = open("ws://x", "p");
    const second = open("ws://x", "p");
    const told: string[] = [];
    first.onopen = () => told.push("first");
    second.onopen = () => told.push("second");
    worker.say({ kind: "open", id: 1 });
    worker.say({ kind: "open", id: 2 });
    expect(told).toEqual(["second"]);
    second.send(Uint8Array.of(5));
    second.close();
    expect(worker.heard.map(({ kind }) => kind)).toEqual(["open", "open", "send", "close"]);
  });

  it("tells every message with the time at which it came, then asks for more", () => {
    const worker = new FakeWorker();
    const socket = openerInWorker(refuse, () => worker)("ws://x", "p");
    const seen: [number, number][] = [];
    socket.onmessage = ({ data, timeStamp }: { data: ArrayBuffer; timeStamp: number }) =>
      seen.push([new Uint8Array(data)[0]!, timeStamp]);
    const { timeOrigin } = performance;
    worker.say({
      kind: "batch", id: 1, frames: [frame(8), frame(9)], times: [timeOrigin + 50, timeOrigin + 60],
    });
    expect(seen.map(([letter, at]) => [letter, Math.round(at)])).toEqual([[8, 50], [9, 60]]);
    expect(worker.heard.at(-1)).toEqual({ kind: "more", id: 1 });
  });

  it("falls back to an ordinary socket where the thread does not start", () => {
    const worker = new FakeWorker();
    const ordinary: string[] = [];
    const open = openerInWorker((url) => {
      ordinary.push(url);
      return {} as never;
    }, () => worker);
    const socket = open("ws://x", "p");
    let lost = 0;
    socket.onclose = () => lost++;
    worker.onerror?.({} as never);
    expect(lost).toBe(1);
    open("ws://x", "p");
    expect(ordinary).toEqual(["ws://x"]);
  });
});
