/**
 * leases.ts: who holds which body or actuator, as the daemon last said.
 */
import type { LeaseState } from "@cairn/protocol";
import { type Readable, Store } from "./store";

export type LeaseTarget = { case: "body" | "actuator"; value: number };

export interface Hold {
  target: LeaseTarget;
  session: bigint;
  /** Empty: it has said none. */
  name: string;
  /** The first tick without it; 0: until it is let go. */
  untilTick: number;
  /** Sessions, the next one first. */
  waiting: readonly bigint[];
}

export type Holds = ReadonlyMap<string, Hold>;

const NOTHING: Holds = new Map();

function keyOf(target: LeaseTarget): string {
  return `${target.case} ${target.value}`;
}

export class Leases {
  private readonly store = new Store<Holds>(NOTHING);
  readonly holds: Readable<Holds> = this.store;

  /** Null: nobody. */
  holder(target: LeaseTarget): Hold | null {
    return this.store.get().get(keyOf(target)) ?? null;
  }

  onState(state: LeaseState): void {
    const holds = new Map<string, Hold>();
    for (const { target, session, name, untilTick, waiting } of state.held) {
      if (target.case !== undefined) {
        holds.set(keyOf(target), { target, session, name, untilTick: Number(untilTick), waiting });
      }
    }
    this.store.set(holds);
  }

  /** A Joined: nothing is held until the daemon says so. */
  clear(): void {
    this.store.set(NOTHING);
  }
}
