/**
 * frame_queue.ts: received messages, for a reader that is sometimes busy.
 *
 * The reader has one batch at a time.  Messages that arrive meanwhile wait, and become one batch
 * when the reader asks for more.  So even a very slow reader never blocks the socket.
 *
 * The waiting messages are limited.  Beyond QUEUE_SIZE_MAX the ticks among them are left out, and
 * all other messages stay.  The next delta then names a state that the reader does not have, and
 * the reader asks for a keyframe.
 */
import type { LocalMilliseconds } from "@cairn/protocol";
import { withoutTicks } from "@cairn/protocol";

/** Bytes: about ten seconds of a thousand bodies that all move. */
export const QUEUE_SIZE_MAX = 8 * 1024 * 1024;

export interface Batch {
  frames: ArrayBuffer[];
  /** When each message arrived. */
  times: LocalMilliseconds[];
}

export interface Ending {
  code: number;
  reason: string;
}

export class FrameQueue {
  private frames: ArrayBuffer[] = [];
  private times: LocalMilliseconds[] = [];
  private size = 0;
  private isOut = false;
  private ending: Ending | null = null;

  constructor(
    private readonly give: (batch: Batch) => void,
    private readonly end: (ending: Ending) => void,
  ) {}

  add(frame: ArrayBuffer, now: LocalMilliseconds): void {
    this.frames.push(frame);
    this.times.push(now);
    this.size += frame.byteLength;
    if (this.size > QUEUE_SIZE_MAX) {
      this.leaveOutTicks();
    }
    this.flush();
  }

  /** Reports the close to the reader, after all earlier messages. */
  close(ending: Ending): void {
    this.ending = ending;
    this.flush();
  }

  /** The reader has read its batch. */
  more(): void {
    this.isOut = false;
    this.flush();
  }

  private flush(): void {
    if (this.isOut) {
      return;
    }
    if (this.frames.length > 0) {
      const batch = { frames: this.frames, times: this.times };
      this.frames = [];
      this.times = [];
      this.size = 0;
      this.isOut = true;
      this.give(batch);
    } else if (this.ending !== null) {
      const { ending } = this;
      this.ending = null;
      this.end(ending);
    }
  }

  private leaveOutTicks(): void {
    const { frames, times } = this;
    this.frames = [];
    this.times = [];
    this.size = 0;
    frames.forEach((frame, index) => {
      const rest = withoutTicks(new Uint8Array(frame));
      if (rest.byteLength > 0) {
        this.frames.push(rest.buffer);
        this.times.push(times[index]!);
        this.size += rest.byteLength;
      }
    });
  }
}
