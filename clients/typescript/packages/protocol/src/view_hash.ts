/**
 * view_hash.ts: the hash of a snapshot's columns, which the daemon sends with them.
 *
 * It is the sum of the hashes of all entries.  An entry's hash covers slot, x, y and angle; in
 * space slot, x, y, z and the four columns of the rotation.  The page uses it to check that it
 * decoded the columns that the daemon encoded.
 */
import type { SnapshotColumns } from "./columns";

const BASIS = 2166136261;
const FACTOR = 2654435761;

function hashWord(hash: number, word: number): number {
  hash = Math.imul(hash ^ word, FACTOR);
  return hash ^ (hash >>> 15);
}

export function viewHash(snapshot: SnapshotColumns): number {
  let sum = 0;
  for (let row = 0; row < snapshot.count; row++) {
    let hash = hashWord(BASIS, snapshot.everyBody ? row : snapshot.body[row]!);
    hash = hashWord(hash, snapshot.x[row]!);
    hash = hashWord(hash, snapshot.y[row]!);
    if (snapshot.isSpatial) {
      hash = hashWord(hash, snapshot.z[row]!);
      hash = hashWord(hash, snapshot.turnLargest[row]!);
      hash = hashWord(hash, snapshot.turnA[row]!);
      hash = hashWord(hash, snapshot.turnB[row]!);
      hash = hashWord(hash, snapshot.turnC[row]!);
    } else {
      hash = hashWord(hash, snapshot.angle[row]!);
    }
    sum = (sum + hash) | 0;
  }
  return sum >>> 0;
}
