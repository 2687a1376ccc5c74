/**
 * leases.ts: the leases of bodies and actuators and the caps of bodies, from the daemon's last
 * message.
 */
import type { Caps, LeaseState } from "@cairn/protocol";
import { type Readable, Store } from "./store";

export type LeaseTarget = { case: "body" | "actuator"; value: number };

export interface Hold {
  target: LeaseTarget;
  session: bigint;
  name: string;
  /** The first tick without the lease; 0: until it is released. */
  untilTick: number;
  /** Sessions, the next one first. */
  waiting: readonly bigint[];
  /** An instructor took it from another session. */
  taken: boolean;
}

export type Holds = ReadonlyMap<string, Hold>;

const NOTHING: Holds = new Map();

function keyOf(target: LeaseTarget): string {
  return `${target.case} ${target.value}`;
}

export class Leases {
  private readonly store = new Store<Holds>(NOTHING);
  readonly holds: Readable<Holds> = this.store;
  private capped: ReadonlyMap<number, Caps> = new Map();

  /** Null if nobody holds it. */
  holder(target: LeaseTarget): Hold | null {
    return this.store.get().get(keyOf(target)) ?? null;
  }

  /** The caps of a body that an instructor set; null: those of the scene. */
  capsOf(body: number): Caps | null {
    return this.capped.get(body) ?? null;
  }

  onState(state: LeaseState): void {
    this.capped = new Map(state.capped.flatMap(({ body, caps }) =>
      caps === undefined ? [] : [[body, caps] as const]));
    const holds = new Map<string, Hold>();
    for (const { target, session, name, untilTick, waiting, taken } of state.held) {
      if (target.case !== undefined) {
        const until = Number(untilTick);
        holds.set(keyOf(target), { target, session, name, untilTick: until, waiting, taken });
      }
    }
    this.store.set(holds);
  }

  /** After a Joined: there are no leases until the daemon sends them. */
  clear(): void {
    this.capped = new Map();
    this.store.set(NOTHING);
  }
}
