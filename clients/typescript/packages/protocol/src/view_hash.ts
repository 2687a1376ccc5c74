/**
 * view_hash.ts: the hash of a snapshot's columns, which the daemon sends along.
 *
 * FNV-1a over slot, x, y and angle of every entry, in space over slot, x, y, z and the four columns
 * of its turn; each as four bytes, little end first.  It tells a page that what it decoded is what
 * the daemon encoded.
 */
import type { SnapshotColumns } from "./columns";

const BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

function hashWord(hash: number, word: number): number {
  for (let shift = 0; shift < 32; shift += 8) {
    hash = Math.imul(hash ^ ((word >>> shift) & 0xff), PRIME);
  }
  return hash;
}

export function viewHash(snapshot: SnapshotColumns): number {
  let hash = BASIS;
  for (let row = 0; row < snapshot.count; row++) {
    hash = hashWord(hash, snapshot.everyBody ? row : snapshot.body[row]!);
    hash = hashWord(hash, snapshot.x[row]!);
    hash = hashWord(hash, snapshot.y[row]!);
    if (!snapshot.isSpatial) {
      hash = hashWord(hash, snapshot.angle[row]!);
      continue;
    }
    hash = hashWord(hash, snapshot.z[row]!);
    hash = hashWord(hash, snapshot.turnLargest[row]!);
    hash = hashWord(hash, snapshot.turnA[row]!);
    hash = hashWord(hash, snapshot.turnB[row]!);
    hash = hashWord(hash, snapshot.turnC[row]!);
  }
  return hash >>> 0;
}
