/**
 * worker_socket.ts: the page's side of a WebSocket on its own thread.
 *
 * Drawing can block a page's thread for seconds.  A socket on the same thread is not read
 * meanwhile, and the daemon closes a client that takes less than two ticks a second.  A socket on
 * its own thread is always read.  Each message is passed on with the time at which it arrived.
 *
 * If the thread cannot be started, the socket is an ordinary one.
 */
import type { LocalMilliseconds } from "@cairn/protocol";
import type { Batch, Ending } from "./frame_queue";
import type { SocketLike, SocketOpener } from "./connection";

export type ToWorker =
  | { kind: "open"; id: number; url: string; subprotocol: string }
  | { kind: "send"; id: number; data: Uint8Array<ArrayBuffer> }
  | { kind: "more"; id: number }
  | { kind: "close"; id: number };

export type FromWorker =
  | { kind: "open"; id: number }
  | ({ kind: "batch"; id: number } & Batch)
  | ({ kind: "closed"; id: number } & Ending);

/** The part of a Worker that is used here, so that tests can replace it. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: never) => void) | null;
  postMessage(message: ToWorker): void;
}

/** The argument of a socket's message handler. */
export interface Arrival {
  data: ArrayBuffer;
  /** When it arrived, by performance.now(). */
  timeStamp: LocalMilliseconds;
}

class WorkerSocket implements SocketLike {
  binaryType = "arraybuffer";
  readonly bufferedAmount = 0;
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;

  constructor(private readonly worker: WorkerLike, private readonly id: number) {}

  send(data: Uint8Array<ArrayBuffer>): void {
    this.worker.postMessage({ kind: "send", id: this.id, data });
  }

  close(): void {
    this.worker.postMessage({ kind: "close", id: this.id });
  }

  take(message: FromWorker): void {
    if (message.kind === "open") {
      this.onopen?.({} as never);
    } else if (message.kind === "closed") {
      this.onclose?.({ code: message.code, reason: message.reason } as never);
    } else {
      message.frames.forEach((data, index) => {
        const timeStamp = message.times[index]! - performance.timeOrigin;
        this.onmessage?.({ data, timeStamp } as Arrival as never);
      });
      this.worker.postMessage({ kind: "more", id: this.id });
    }
  }
}

function startWorker(): WorkerLike {
  return new Worker(new URL("./socket_worker.ts", import.meta.url), { type: "module" });
}

/** Opens sockets on one thread, or with `openOrdinary` if the thread does not start. */
export function openerInWorker(
  openOrdinary: SocketOpener,
  start: () => WorkerLike = startWorker,
): SocketOpener {
  const sockets = new Map<number, WorkerSocket>();
  let count = 0;
  let worker: WorkerLike | null = null;
  let isLost = false;
  const begin = (): WorkerLike => {
    const made = start();
    made.onmessage = ({ data }) => sockets.get(data.id)?.take(data);
    made.onerror = () => {
      isLost = true;
      const ended = [...sockets.values()];
      sockets.clear();
      ended.forEach((socket) => socket.onclose?.({ code: 1006, reason: "" } as never));
    };
    return made;
  };
  return (url, subprotocol) => {
    if (isLost) {
      return openOrdinary(url, subprotocol);
    }
    try {
      worker ??= begin();
    } catch {
      isLost = true;
      return openOrdinary(url, subprotocol);
    }
    const id = ++count;
    const socket = new WorkerSocket(worker, id);
    sockets.clear(); // a connection has one socket at a time
    sockets.set(id, socket);
    worker.postMessage({ kind: "open", id, url, subprotocol });
    return socket;
  };
}
