/**
 * solo.ts: a world without a daemon, which speaks the daemon's protocol with one client
 * (wasm/solo.h).  Only libcairn.wasm has it.
 */
import type { Module } from "./module";

export class Solo {
  /** Engine.createSolo calls this. */
  constructor(
    private readonly module: Module,
    private readonly address: number,
  ) {}

  /** Frees the world's memory; no other method may be called afterwards. */
  destroy(): void {
    this.module.exports.cairn_solo_destroy(this.address);
  }

  /** Takes a ClientMessage; `now` is in milliseconds of a clock that only grows. */
  hear(message: Uint8Array, now: number): void {
    this.module.withBytes(message, (at, size) =>
      this.module.exports.cairn_solo_hear(this.address, at, size, now * 1000),
    );
  }

  /** Does the ticks that are due; returns when the next one is due, in milliseconds. */
  run(now: number): number {
    return this.module.exports.cairn_solo_run(this.address, now * 1000) / 1000;
  }

  /** The last `run` took this long, in milliseconds. */
  spent(duration: number): void {
    this.module.exports.cairn_solo_spent(this.address, duration * 1000);
  }

  /** The ServerMessages that wait, oldest first; each in a buffer of its own. */
  *messages(): Generator<ArrayBuffer> {
    const { exports } = this.module;
    let at = exports.cairn_solo_next(this.address);
    while (at !== 0) {
      const size = exports.cairn_solo_next_size(this.address);
      yield exports.memory.buffer.slice(at, at + size);
      at = exports.cairn_solo_next(this.address);
    }
  }
}
