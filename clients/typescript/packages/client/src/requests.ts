/** requests.ts: numbered requests, whose answers fulfil or reject promises. */
import type { ControlDone } from "@cairn/protocol";
import type { ClientAction } from "./connection";
import type { RefusedError } from "./refused_error";

interface Pending {
  resolve(world: string): void;
  reject(error: Error): void;
}

export class Requests {
  private readonly pending = new Map<number, Pending>();
  private count = 0;

  constructor(private readonly send: (action: ClientAction) => boolean) {}

  /** A number for a request without a promise. */
  next(): number {
    return ++this.count;
  }

  make(action: (request: number) => ClientAction): Promise<string> {
    const request = this.next();
    return new Promise((resolve, reject) => {
      if (this.send(action(request))) {
        this.pending.set(request, { resolve, reject });
      } else {
        reject(new Error("there is no connection to the daemon"));
      }
    });
  }

  onDone(done: Pick<ControlDone, "request" | "world">): void {
    this.pending.get(done.request)?.resolve(done.world);
    this.pending.delete(done.request);
  }

  /** False if no promise has that number. */
  onRejected(request: number, error: RefusedError): boolean {
    const pending = this.pending.get(request);
    this.pending.delete(request);
    pending?.reject(error);
    return pending !== undefined;
  }

  onLost(reason: string): void {
    for (const { reject } of this.pending.values()) {
      reject(new Error(reason));
    }
    this.pending.clear();
  }
}
