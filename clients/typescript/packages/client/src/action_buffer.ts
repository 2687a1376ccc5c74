/**
 * action_buffer.ts: the acting inputs of the last ticks, so that they are drawn with the poses of
 * the same tick.
 *
 * A tick without a frame has no acting inputs.
 */
import type { ActionFrame, ActionFrame_Action, Tick } from "@cairn/protocol";

const FRAME_COUNT = 32;
const NOBODY: readonly ActionFrame_Action[] = [];

export class ActionBuffer {
  private readonly frames: (ActionFrame | undefined)[] = new Array<undefined>(FRAME_COUNT);
  private next = 0;

  reset(): void {
    this.frames.fill(undefined);
  }

  push(frame: ActionFrame): void {
    this.frames[this.next] = frame;
    this.next = (this.next + 1) % FRAME_COUNT;
  }

  /** The frame of exactly this tick.  A paused world may send a tick twice; the newest counts. */
  at(tick: Tick): readonly ActionFrame_Action[] {
    for (let back = 1; back <= FRAME_COUNT; back++) {
      const frame = this.frames[(this.next + FRAME_COUNT - back) % FRAME_COUNT];
      if (frame !== undefined && Number(frame.tick) === tick) {
        return frame.actions;
      }
    }
    return NOBODY;
  }
}
