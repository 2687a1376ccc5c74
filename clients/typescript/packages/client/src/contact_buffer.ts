/**
 * contact_buffer.ts: the contact frames of the last few ticks, so that forces are drawn with the
 * poses of the same tick.
 */
import { ContactColumns, type Tick, copyContacts } from "@cairn/protocol";

const FRAME_COUNT = 32;
const NO_CONTACTS = new ContactColumns();

export class ContactBuffer {
  private readonly frames = Array.from({ length: FRAME_COUNT }, () => new ContactColumns());
  private newest = -1;
  private count = 0;

  reset(): void {
    this.newest = -1;
    this.count = 0;
  }

  push(contacts: ContactColumns): void {
    this.newest = (this.newest + 1) % FRAME_COUNT;
    this.count = Math.min(this.count + 1, FRAME_COUNT);
    copyContacts(contacts, this.frames[this.newest]!);
  }

  get latest(): ContactColumns {
    return this.count === 0 ? NO_CONTACTS : this.frames[this.newest]!;
  }

  /** The newest frame that is not after `tick`; borrowed until the next push. */
  at(tick: Tick): ContactColumns {
    for (let back = 0; back < this.count; back++) {
      const frame = this.frames[(this.newest + FRAME_COUNT - back) % FRAME_COUNT]!;
      if (frame.tick <= tick) {
        return frame;
      }
    }
    return NO_CONTACTS;
  }
}
