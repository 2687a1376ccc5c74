/**
 * chunks.ts: joins the Chunks of a large message.
 *
 * The parts come in order and without gaps; the last one carries a hash of the whole.
 */
import type { Chunk } from "../generated/cairn/v1/wire_pb";
import { WireError } from "./wire_reader";

const SIZE_MAX = 64 * 1024 * 1024;
const BASIS = 2166136261;
const FACTOR = 16777619;

/** FNV-1a of 32 bits, continued from `hash`. */
export function chunkHash(hash: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) {
    hash = Math.imul(hash ^ bytes[i]!, FACTOR);
  }
  return hash >>> 0;
}

export class ChunkGatherer {
  private whole = new Uint8Array();
  private id = 0;
  private hash = BASIS;
  /** Received bytes, of `size`; both are 0 if no message is being received. */
  taken = 0;
  size = 0;

  clear(): void {
    this.whole = new Uint8Array();
    this.taken = 0;
    this.size = 0;
  }

  /** Returns the whole message after its last part.  Throws WireError on a wrong part. */
  take(chunk: Chunk): Uint8Array | undefined {
    if (chunk.offset === 0) {
      if (chunk.size > SIZE_MAX) {
        throw new WireError(`a message of ${chunk.size} bytes is announced`);
      }
      this.whole = new Uint8Array(chunk.size);
      this.id = chunk.id;
      this.hash = BASIS;
      this.taken = 0;
      this.size = chunk.size;
    }
    const end = chunk.offset + chunk.part.length;
    const isNext = chunk.id === this.id && chunk.size === this.size &&
      chunk.offset === this.taken && chunk.part.length > 0 && end <= this.size;
    if (!isNext) {
      throw new WireError("parts of a message do not follow each other");
    }
    this.whole.set(chunk.part, chunk.offset);
    this.hash = chunkHash(this.hash, chunk.part);
    this.taken = end;
    if (this.taken < this.size) {
      return undefined;
    }
    const { whole } = this;
    this.clear();
    if (chunk.hash !== this.hash) {
      throw new WireError("a message in parts has another hash than announced");
    }
    return whole;
  }
}
