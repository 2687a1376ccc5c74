/**
 * worker.ts: the thread that runs a world without a daemon, behind the messages of a socket
 * (@cairn/client, worker_socket.ts).  The page's side is socket.ts.
 *
 * Threads: this file runs in a worker; its messages carry values and transferred buffers.
 */
import { type FromWorker, FrameQueue, type ToWorker } from "@cairn/client";
import { Engine, type Solo, WHOLE_MODULE } from "@cairn/engine";

/** The first message to the worker. */
export interface Begin {
  kind: "begin";
  /** The address of the folder of engines. */
  engines: string;
  scene: Uint8Array<ArrayBuffer>;
}

interface WorkerScope {
  onmessage: ((event: MessageEvent<ToWorker | Begin | Refuse>) => void) | null;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
}

/** Instead of Begin: why there is no scene. */
export interface Refuse {
  kind: "refuse";
  reason: string;
}

/** Timers of a page come this late; a tick that is due sooner is done at once. */
const TIMER_MS = 1;
const CLOSE_REFUSED = 1008;

const scope = self as unknown as WorkerScope;

/** The world, once it has begun; its only client is the newest socket. */
class Line {
  private solo: Solo | null = null;
  private refusal = "";
  private id = 0;
  private queue: FrameQueue | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  async begin({ engines, scene }: Begin): Promise<void> {
    try {
      const engine = await Engine.load(fetch(new URL(WHOLE_MODULE, engines)));
      this.solo = engine.createSolo(scene);
      this.open(this.id);
    } catch (error) {
      this.refuse(error instanceof Error ? error.message : String(error));
    }
  }

  refuse(reason: string): void {
    this.refusal = reason;
    this.open(this.id);
  }

  /** Opens the socket now, or when the world begins. */
  open(id: number): void {
    this.id = id;
    if (id !== 0 && this.refusal !== "") {
      scope.postMessage({ kind: "closed", id, code: CLOSE_REFUSED, reason: this.refusal });
    } else if (id !== 0 && this.solo !== null) {
      this.queue = new FrameQueue(
        (batch) => scope.postMessage({ kind: "batch", id, ...batch }, batch.frames),
        () => undefined,
      );
      scope.postMessage({ kind: "open", id });
      this.run();
    }
  }

  hear(message: Uint8Array): void {
    this.solo?.hear(message, performance.now());
    this.run();
  }

  more(): void {
    this.queue?.more();
  }

  private run(): void {
    const { solo, queue } = this;
    if (solo === null || queue === null) {
      return;
    }
    const now = performance.now();
    const due = solo.run(now);
    solo.spent(performance.now() - now);
    for (const message of solo.messages()) {
      queue.add(message, performance.timeOrigin + now);
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.run(), Math.max(due - performance.now() - TIMER_MS, 0));
  }
}

const line = new Line();
scope.onmessage = ({ data: message }) => {
  switch (message.kind) {
    case "begin":
      void line.begin(message);
      break;
    case "refuse":
      line.refuse(message.reason);
      break;
    case "open":
      line.open(message.id);
      break;
    case "send":
      line.hear(message.data);
      break;
    case "more":
      line.more();
      break;
    case "close":
      break;
  }
};
