/**
 * action_buffer.ts: who pushed what at each of the last ticks, so that it is drawn with the poses
 * that it belongs to.
 *
 * A tick without a frame is one in which nobody acts.
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

  /** Of exactly this tick; a paused world may show one again, and then the newest counts. */
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
