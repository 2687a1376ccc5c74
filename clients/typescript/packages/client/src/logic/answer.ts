/** answer.ts: what a logic does in one answer: its effects and its messages, in their order. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AttributeChangeSchema, EffectSchema, LogicDoneSchema } from "@cairn/protocol";
import type { Say } from "../messages";

export type Effect = NonNullable<MessageInitShape<typeof EffectSchema>["effect"]>;

/** The daemon accepts no more in one LogicDone. */
export const EFFECTS_MAX = 128;
export const SAYS_MAX = 64;

function keyOf(effect: Effect): string {
  const { owner, attribute } = effect.value as MessageInitShape<typeof AttributeChangeSchema>;
  return `${owner?.case} ${owner?.value} ${attribute?.name}`;
}

export class Answer {
  private effects: Effect[] = [];
  /** Where in `effects` an attribute is set. */
  private readonly attributes = new Map<string, number>();
  private says: Say[] = [];

  add(effect: Effect): void {
    if (effect.case === "attribute" && this.replace(effect)) {
      return;
    }
    if (effect.case === "change" || effect.case === "reset") {
      this.attributes.clear(); // those before it may be of a body that it removes
    }
    if (this.effects.length === EFFECTS_MAX) {
      throw new Error(`more than ${EFFECTS_MAX} effects in one answer`);
    }
    if (effect.case === "attribute") {
      this.attributes.set(keyOf(effect), this.effects.length);
    }
    this.effects.push(effect);
  }

  /** Whether the same attribute is set already: only its last value counts. */
  private replace(effect: Effect): boolean {
    const index = this.attributes.get(keyOf(effect));
    if (index !== undefined) {
      this.effects[index] = effect;
    }
    return index !== undefined;
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
    this.attributes.clear();
  }
}
