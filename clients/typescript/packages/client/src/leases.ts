/**
 * leases.ts: who holds which body or actuator, and what bodies are capped at, as the daemon last
 * said.
 */
import type { Caps, LeaseState } from "@cairn/protocol";
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
  /** By an instructor, from somebody. */
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

  /** Null: nobody. */
  holder(target: LeaseTarget): Hold | null {
    return this.store.get().get(keyOf(target)) ?? null;
  }

  /** What an instructor caps a body at; null: what the scene says. */
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

  /** A Joined: nothing is held until the daemon says so. */
  clear(): void {
    this.capped = new Map();
    this.store.set(NOTHING);
  }
}
