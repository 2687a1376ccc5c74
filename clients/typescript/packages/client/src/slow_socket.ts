/**
 * slow_socket.ts: a socket that is as slow as a bad network, to see what people far away see.
 *
 * Each message comes half of the delay later.  A lost packet does not lose a message, because
 * TCP sends it again: the message and all that follow it come a round trip and RESEND_MS later.
 */
import type { SocketLike, SocketOpener } from "./connection";

export interface LinkQuality {
  /** Added to the round trip [ms]. */
  delayMs: number;
  /** Share of messages that are lost and sent again [%]. */
  lossPercent: number;
}

/** The time after which a lost packet is noticed, besides the round trip. */
const RESEND_MS = 30;

/** One direction: messages in their order, each at its time. */
class Line {
  private dueAt = 0;
  private waiting = 0;

  constructor(
    private readonly quality: LinkQuality,
    private readonly random: () => number,
  ) {}

  pass(deliver: () => void): void {
    const { delayMs, lossPercent } = this.quality;
    const isLost = this.random() * 100 < lossPercent;
    const wait = delayMs / 2 + (isLost ? delayMs + RESEND_MS : 0);
    const now = performance.now();
    if (wait === 0 && this.waiting === 0) {
      deliver();
      return;
    }
    this.dueAt = Math.max(this.dueAt, now + wait);
    this.waiting++;
    setTimeout(() => {
      this.waiting--;
      deliver();
    }, this.dueAt - now);
  }
}

class SlowSocket implements SocketLike {
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  private readonly out: Line;

  constructor(private readonly inner: SocketLike, quality: LinkQuality, random: () => number) {
    this.out = new Line(quality, random);
    const come = new Line(quality, random);
    inner.onopen = (event) => come.pass(() => this.onopen?.(event));
    inner.onmessage = ({ data }: { data: unknown }) =>
      come.pass(() => this.onmessage?.({ data, timeStamp: performance.now() } as never));
    inner.onclose = (event) => this.onclose?.(event);
    inner.onerror = (event) => this.onerror?.(event);
  }

  get binaryType(): string {
    return this.inner.binaryType;
  }

  set binaryType(type: string) {
    this.inner.binaryType = type;
  }

  get bufferedAmount(): number {
    return this.inner.bufferedAmount;
  }

  send(data: Uint8Array<ArrayBuffer>): void {
    this.out.pass(() => this.inner.send(data));
  }

  /** Messages that are under way arrive before. */
  close(): void {
    this.inner.onopen = this.inner.onmessage = this.inner.onclose = this.inner.onerror = null;
    this.out.pass(() => this.inner.close());
  }
}

/** Sockets of this quality, which may change while they are open. */
export function slowOpener(
  open: SocketOpener,
  quality: LinkQuality,
  random: () => number = Math.random,
): SocketOpener {
  return (url, subprotocol) => new SlowSocket(open(url, subprotocol), quality, random);
}
