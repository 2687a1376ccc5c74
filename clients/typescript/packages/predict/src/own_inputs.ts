/** own_inputs.ts: the inputs of this session of which the daemon has not yet settled the effect. */

export interface OwnInput {
  seq: number;
  /** The tick on whose state it acts, as far as is known. */
  tick: number;
  message: Uint8Array;
  /** The deed that the daemon makes of it at that tick. */
  deed: Uint8Array;
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

export class OwnInputs {
  private inputs: OwnInput[] = [];

  constructor(private readonly deedOf: (tick: number, message: Uint8Array) => Uint8Array) {}

  add(seq: number, tick: number, message: Uint8Array): void {
    this.inputs.push({ seq, tick, message, deed: this.deedOf(tick, message) });
  }

  get count(): number {
    return this.inputs.length;
  }

  /** The tick of the newest input that is not settled; 0: there are no such inputs. */
  get newestTick(): number {
    return this.inputs.at(-1)?.tick ?? 0;
  }

  /** Those that are expected to act on the state of that tick, in their order. */
  at(tick: number): OwnInput[] {
    return this.inputs.filter((input) => input.tick === tick);
  }

  /** Inputs that did not act before `tick` are late: they will act at `tick` or later. */
  postpone(tick: number): void {
    for (const input of this.inputs) {
      if (input.tick < tick) {
        input.tick = tick;
        input.deed = this.deedOf(tick, input.message);
      }
    }
  }

  /**
   * The daemon's deed of that tick settles the first input that makes the same deed.  False: it is
   * of no own input, or the daemon has changed the input.
   */
  match(tick: number, deed: Uint8Array): boolean {
    const index = this.inputs.findIndex(
      (input) => input.tick === tick && sameBytes(input.deed, deed),
    );
    if (index >= 0) {
      this.inputs.splice(index, 1);
    }
    return index >= 0;
  }

  /** All inputs up to that number have acted, or were refused. */
  settle(seq: number): void {
    this.inputs = this.inputs.filter((input) => input.seq > seq);
  }

  refuse(seq: number): void {
    this.inputs = this.inputs.filter((input) => input.seq !== seq);
  }

  takeOver(other: OwnInputs): void {
    this.inputs = other.inputs;
  }
}
