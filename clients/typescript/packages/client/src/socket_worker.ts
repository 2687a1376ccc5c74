/**
 * socket_worker.ts: the thread of a page's sockets, so that they are read while the page draws.  It
 * does not decode messages.  The page's side is worker_socket.ts.
 *
 * Threads: this file runs in a worker; its messages carry values and transferred buffers.
 */
import { FrameQueue } from "./frame_queue";
import type { FromWorker, ToWorker } from "./worker_socket";

interface Held {
  socket: WebSocket;
  queue: FrameQueue;
}

interface WorkerScope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
}

const scope = self as unknown as WorkerScope;
const sockets = new Map<number, Held>();

/** Times since 1970, because the page and this thread share that origin. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

function open(id: number, url: string, subprotocol: string): void {
  const socket = new WebSocket(url, subprotocol);
  socket.binaryType = "arraybuffer";
  const queue = new FrameQueue(
    (batch) => scope.postMessage({ kind: "batch", id, ...batch }, batch.frames),
    (ending) => {
      sockets.delete(id);
      scope.postMessage({ kind: "closed", id, ...ending });
    },
  );
  socket.onopen = () => scope.postMessage({ kind: "open", id });
  socket.onmessage = ({ data }) => queue.add(data as ArrayBuffer, now());
  socket.onclose = ({ code, reason }) => queue.close({ code, reason });
  sockets.set(id, { socket, queue });
}

scope.onmessage = ({ data: message }) => {
  const held = sockets.get(message.id);
  switch (message.kind) {
    case "open":
      open(message.id, message.url, message.subprotocol);
      break;
    case "send":
      if (held?.socket.readyState === WebSocket.OPEN) {
        held.socket.send(message.data);
      }
      break;
    case "more":
      held?.queue.more();
      break;
    case "close":
      sockets.delete(message.id);
      if (held !== undefined) {
        held.socket.onopen = held.socket.onmessage = held.socket.onclose = null;
        held.socket.close();
      }
      break;
  }
};
