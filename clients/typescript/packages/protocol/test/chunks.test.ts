/** chunks.test.ts: correct parts give the message; other parts are refused. */
import { create, fromBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  type Chunk, ChunkGatherer, ChunkSchema, ServerMessageSchema, WireError, chunkHash,
} from "../src";

const BASIS = 2166136261;
const WHOLE = new TextEncoder().encode("foobar");

function part(offset: number, end: number, more: Partial<Chunk> = {}): Chunk {
  const hash = end === WHOLE.length ? chunkHash(BASIS, WHOLE) : 0;
  const bytes = WHOLE.slice(offset, end);
  return create(ChunkSchema, { id: 7, size: 6, offset, part: bytes, hash, ...more });
}

describe("chunks", () => {
  it("hash as FNV-1a does", () => {
    expect(chunkHash(BASIS, new Uint8Array())).toBe(0x811c9dc5);
    expect(chunkHash(BASIS, WHOLE)).toBe(0xbf9cf968);
  });

  it("are the bytes that WIRE.md shows", () => {
    const hex = "a2010f0807100618042568f99cbf2a026172";
    const bytes = Uint8Array.from(hex.match(/../g)!, (pair) => parseInt(pair, 16));
    const message = fromBinary(ServerMessageSchema, bytes).message;
    expect(message).toEqual({ case: "chunk", value: part(4, 6) });
  });

  it("become the message, with how far it is", () => {
    const gatherer = new ChunkGatherer();
    expect(gatherer.take(part(0, 2))).toBeUndefined();
    expect([gatherer.taken, gatherer.size]).toEqual([2, 6]);
    expect(gatherer.take(part(2, 5))).toBeUndefined();
    expect(gatherer.take(part(5, 6))).toEqual(WHOLE);
    expect([gatherer.taken, gatherer.size]).toEqual([0, 0]);
  });

  it("of another message take its place", () => {
    const gatherer = new ChunkGatherer();
    gatherer.take(part(0, 5));
    expect(gatherer.take(part(0, 3, { id: 8 }))).toBeUndefined();
    expect(gatherer.take(part(3, 6, { id: 8 }))).toEqual(WHOLE);
  });

  it("are refused with a gap, out of place, beyond the end or of another hash", () => {
    const bad = [part(3, 6), part(2, 6, { id: 8 }), part(2, 6, { size: 7 }),
      part(2, 6, { hash: 1 }), part(2, 6, { part: new Uint8Array(5) }), part(1, 6)];
    for (const chunk of bad) {
      const gatherer = new ChunkGatherer();
      gatherer.take(part(0, 2));
      expect(() => gatherer.take(chunk)).toThrow(WireError);
    }
    expect(() => new ChunkGatherer().take(part(0, 1, { size: 2 ** 31 }))).toThrow(WireError);
  });
});
