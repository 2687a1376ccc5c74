/**
 * server_clock.ts: the daemon's clock and the round trip, from ping and pong.
 *
 * A pong tells offset = server time - (sent + received) / 2, wrong by at most half its round trip.
 * The sample with the shortest round trip of the last few is the best one (as in NTP, RFC 5905
 * section 10); a page that was busy when a pong came in only makes a long sample, which loses.
 */
import type { LocalMilliseconds, ServerMicroseconds } from "@cairn/protocol";

const SAMPLE_COUNT = 8;

export class ServerClock {
  private readonly roundTrips = new Float64Array(SAMPLE_COUNT);
  private readonly offsets = new Float64Array(SAMPLE_COUNT);
  private count = 0;
  private offset = 0;
  /** No pong yet: the offset is a guess from a tick's header. */
  private guessed = false;

  reset(): void {
    this.count = 0;
    this.offset = 0;
    this.guessed = false;
  }

  get known(): boolean {
    return this.count > 0 || this.guessed;
  }

  /** Median of the last round trips; 0 before the first pong. */
  get roundTripMs(): number {
    const kept = Math.min(this.count, SAMPLE_COUNT);
    const sorted = this.roundTrips.slice(0, kept).sort();
    return kept === 0 ? 0 : sorted[kept >> 1]!;
  }

  onPong(sent: LocalMilliseconds, received: LocalMilliseconds, server: ServerMicroseconds): void {
    const slot = this.count % SAMPLE_COUNT;
    this.roundTrips[slot] = received - sent;
    this.offsets[slot] = server - ((sent + received) / 2) * 1000;
    this.count++;
    let best = 0;
    for (let index = 1; index < Math.min(this.count, SAMPLE_COUNT); index++) {
      if (this.roundTrips[index]! < this.roundTrips[best]!) {
        best = index;
      }
    }
    this.offset = this.offsets[best]!;
  }

  /** Serves until the first pong: the header is taken to have arrived at once. */
  onHeader(received: LocalMilliseconds, server: ServerMicroseconds): void {
    if (!this.known) {
      this.offset = server - received * 1000;
      this.guessed = true;
    }
  }

  serverNow(local: LocalMilliseconds): ServerMicroseconds {
    return local * 1000 + this.offset;
  }
}
