/**
 * server_clock.ts: the daemon's clock and the round trip, from ping and pong.
 *
 * A pong gives offset = server time - (sent + received) / 2, with an error of at most half the
 * round trip.  Of the last samples, the one with the shortest round trip is used (as in NTP, RFC
 * 5905 section 10).  If the page is busy when a pong arrives, that sample is long and is not used.
 */
import type { LocalMilliseconds, ServerMicroseconds } from "@cairn/protocol";

const SAMPLE_COUNT = 8;

export class ServerClock {
  private readonly roundTrips = new Float64Array(SAMPLE_COUNT);
  private readonly offsets = new Float64Array(SAMPLE_COUNT);
  private count = 0;
  private offset = 0;
  /** Before the first pong the offset is an estimate from a tick's header. */
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

  /** How much longer than the median a slow one of the last round trips takes. */
  get spreadMs(): number {
    const kept = Math.min(this.count, SAMPLE_COUNT);
    const sorted = this.roundTrips.slice(0, kept).sort();
    return kept < 2 ? 0 : sorted[kept - 2]! - sorted[kept >> 1]!;
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

  /** The estimate until the first pong: assumes that the header arrived without delay. */
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
