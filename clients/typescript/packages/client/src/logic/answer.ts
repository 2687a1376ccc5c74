/** answer.ts: what a logic does in one answer: its effects and its messages, in their order. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { EffectSchema, LogicDoneSchema } from "@cairn/protocol";
import type { Say } from "../messages";

export type Effect = NonNullable<MessageInitShape<typeof EffectSchema>["effect"]>;

/** The daemon accepts no more in one LogicDone. */
export const EFFECTS_MAX = 128;
export const SAYS_MAX = 64;

export class Answer {
  private effects: Effect[] = [];
  private says: Say[] = [];

  add(effect: Effect): void {
    if (this.effects.length === EFFECTS_MAX) {
      throw new Error(`more than ${EFFECTS_MAX} effects in one answer`);
    }
    this.effects.push(effect);
  }

  say(say: Say): void {
    if (this.says.length === SAYS_MAX) {
      throw new Error(`more than ${SAYS_MAX} messages in one answer`);
    }
    this.says.push(say);
  }

  /** The message; the next answer is empty. */
  take(number: bigint, atTick: bigint, generation: number):
  MessageInitShape<typeof LogicDoneSchema> {
    const effects = this.effects.map((effect) => ({ effect }));
    const messages = this.says;
    this.clear();
    return { number, atTick, generation, effects, messages };
  }

  clear(): void {
    this.effects = [];
    this.says = [];
  }
}
