/** kept_image.ts: an image of a world in the engine's memory. */
import type { Module } from "./module";

/** Room beyond the present need, so that images of a growing world rarely need new memory. */
const SPARE = 1.25;

export class KeptImage {
  /** World.recall reads these. */
  address = 0;
  size = 0;
  private room = 0;

  constructor(private readonly module: Module) {}

  /** Bytes of memory that it holds. */
  get memory(): number {
    return this.room;
  }

  /** World.keep calls this; `write` returns the bytes written, 0 if there is too little room. */
  write(need: () => number, write: (address: number, room: number) => number): void {
    this.size = this.room > 0 ? write(this.address, this.room) : 0;
    if (this.size === 0) {
      this.free();
      const room = Math.ceil(need() * SPARE);
      this.address = this.module.reserve(room);
      this.room = room;
      this.size = this.module.check(write(this.address, room));
    }
  }

  /** A copy of the image, for a world of another engine. */
  bytes(): Uint8Array {
    return this.module.bytes(this.address, this.size).slice();
  }

  free(): void {
    if (this.room > 0) {
      this.module.exports.cairn_release(this.address);
    }
    this.address = this.size = this.room = 0;
  }
}
