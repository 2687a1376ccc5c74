/**
 * worker.ts: the thread of a predictor, so that its steps never delay drawing.  The other side is
 * remote.ts.
 *
 * Threads: this file runs in a worker; its messages carry values and transferred buffers.
 */
import { Engine } from "@cairn/engine";
import { type FromHost, Host, type ToHost } from "@cairn/predict";

interface WorkerScope {
  onmessage: ((event: MessageEvent<ToHost>) => void) | null;
  postMessage(message: FromHost, transfer?: Transferable[]): void;
}

/** Predicts for the page that started this worker; `folder` is the address of the modules. */
export function serveEngines(folder: string): void {
  const scope = self as unknown as WorkerScope;
  const host = new Host(
    (file) => Engine.load(fetch(`${folder}/${file}`)),
    (message, transfer) => scope.postMessage(message, transfer),
  );
  scope.onmessage = ({ data }) => host.on(data);
}
