/**
 * logic_attributes.ts: the attributes of a world as its logic reads them.
 *
 * These are the values of the last LogicTick, and above them those that the logic has set itself
 * and whose answer has not acted yet.  So a value that a handler sets is read by the next handler.
 * If the daemon refuses one, the value of the LogicTick is read again.
 */
import type { AttributeChange } from "@cairn/protocol";
import {
  type AttributeMap, type AttributeOwner, type AttributeValue, valueOf, ownerOf, keyOf,
} from "../attributes";

interface Pending {
  key: string;
  name: string;
  value: AttributeValue | null;
  /** The LogicTick in whose answer it is. */
  number: bigint;
}

export class LogicAttributes {
  private readonly told = new Map<string, Map<string, AttributeValue>>();
  private pending: Pending[] = [];

  /** Undefined: there is no such attribute. */
  get(owner: AttributeOwner, name: string): AttributeValue | undefined {
    const key = keyOf(owner);
    const own = this.pending.findLast((one) => one.key === key && one.name === name);
    return own === undefined ? this.told.get(key)?.get(name) : own.value ?? undefined;
  }

  of(owner: AttributeOwner): AttributeMap {
    const key = keyOf(owner);
    const values = new Map(this.told.get(key));
    for (const { name, value } of this.pending.filter((one) => one.key === key)) {
      if (value === null) {
        values.delete(name);
      } else {
        values.set(name, value);
      }
    }
    return values;
  }

  /** The logic sets it in the answer to that LogicTick. */
  set(owner: AttributeOwner, name: string, value: AttributeValue | null, number: bigint): void {
    this.pending.push({ key: keyOf(owner), name, value, number });
  }

  /** A LogicTick whose state has the answers up to `answered`; the first one has all attributes. */
  onTick(changes: readonly AttributeChange[], isFirst: boolean, answered: bigint): void {
    if (isFirst) {
      this.told.clear();
    }
    this.pending = isFirst ? [] : this.pending.filter(({ number }) => number > answered);
    for (const change of changes) {
      const { attribute } = change;
      const key = keyOf(ownerOf(change));
      const values = this.told.get(key) ?? new Map<string, AttributeValue>();
      this.told.set(key, values);
      const value = attribute === undefined ? null : valueOf(attribute);
      if (value === null) {
        values.delete(attribute?.name ?? "");
      } else {
        values.set(attribute!.name, value);
      }
    }
  }
}
