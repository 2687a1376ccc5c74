/**
 * contact_buffer.ts: the contacts of the last few ticks, so that forces are drawn with those of the
 * tick that is shown, at the poses that are shown.
 */
import {
  type ContactColumns, type ContactDeltaColumns, ContactStates, PlacedContacts, type Tick,
} from "@cairn/protocol";

const FRAME_COUNT = 32;
const NO_CONTACTS = new PlacedContacts();
const NO_POSES = new Float64Array(0);

export class ContactBuffer {
  private readonly frames = Array.from({ length: FRAME_COUNT }, () => new PlacedContacts());
  private readonly states = new ContactStates();
  private newest = -1;
  private count = 0;

  reset(): void {
    this.newest = -1;
    this.count = 0;
  }

  private next(): PlacedContacts {
    this.newest = (this.newest + 1) % FRAME_COUNT;
    this.count = Math.min(this.count + 1, FRAME_COUNT);
    return this.frames[this.newest]!;
  }

  /** Contacts of a ContactFrame. */
  push(contacts: ContactColumns): void {
    this.next().setFrame(contacts);
  }

  /**
   * Contacts of a ContactDelta; the scale is that of positions.  False if it cannot be decoded: a
   * keyframe is needed then.
   */
  pushDelta(delta: ContactDeltaColumns, positionScale: number): boolean {
    const state = this.states.decode(delta);
    if (state !== undefined) {
      this.next().setState(state, positionScale);
    }
    return state !== undefined;
  }

  /** The last ContactDelta could not be decoded. */
  get isLacking(): boolean {
    return this.states.isLacking;
  }

  /** Call it at every Joined: the next ContactDelta is a keyframe. */
  onJoined(): void {
    this.states.clear();
  }

  /** The newest; its points may be relative to their bodies. */
  get latest(): ContactColumns {
    return (this.count === 0 ? NO_CONTACTS : this.frames[this.newest]!).columns;
  }

  /**
   * The newest that are not after `tick`, at these poses with `stride` numbers for each body;
   * borrowed until the next call.
   */
  at(tick: Tick, poses: Float64Array = NO_POSES, stride = 3): ContactColumns {
    for (let back = 0; back < this.count; back++) {
      const frame = this.frames[(this.newest + FRAME_COUNT - back) % FRAME_COUNT]!;
      if (frame.tick <= tick) {
        return frame.place(poses, stride);
      }
    }
    return NO_CONTACTS.columns;
  }
}
