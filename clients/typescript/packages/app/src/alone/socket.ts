/**
 * socket.ts: a "socket" to a world that runs in a worker of this page (worker.ts): the session and
 * everything above it work as with a daemon.
 */
import { type SocketOpener, openerInWorker } from "@cairn/client";
import type { AloneSource } from "./source";
import type { Begin, Refuse } from "./worker";

function start(source: AloneSource): Worker {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  const engines = new URL("engine/", document.baseURI).href;
  source.scene().then(
    (scene) => worker.postMessage({ kind: "begin", engines, scene } satisfies Begin),
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      worker.postMessage({ kind: "refuse", reason } satisfies Refuse);
    },
  );
  return worker;
}

export function openerAlone(source: AloneSource): SocketOpener {
  const refuse: SocketOpener = () => {
    throw new Error("this browser cannot start a thread for the engine");
  };
  return openerInWorker(refuse, () => start(source));
}
