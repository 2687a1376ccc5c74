/**
 * attributes.ts: named values of the world, of bodies and of sessions (WIRE.md, "Attributes").
 *
 * A body is its slot.  Values are as the daemon has sent them last: after a Joined and after every
 * AttributeFrame.  An integer is a bigint, because it has 64 bits.
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  Attribute, AttributeChange, AttributeChangeSchema, AttributeFrame, AttributeSchema,
  SetAttributesSchema,
} from "@cairn/protocol";
import { type Readable, Store } from "./store";

export type AttributeValue = boolean | bigint | number | string | Uint8Array;

/** The values of one owner by name, in the order of names. */
export type AttributeMap = ReadonlyMap<string, AttributeValue>;

export type AttributeOwner =
  | { case: undefined }
  | { case: "body"; value: number }
  | { case: "session"; value: bigint };

export interface AttributeSetting {
  owner: AttributeOwner;
  name: string;
  /** Null removes the attribute. */
  value: AttributeValue | null;
}

export const THE_WORLD: AttributeOwner = { case: undefined };
const NOTHING: AttributeMap = new Map();

export function keyOf(owner: AttributeOwner): string {
  return owner.case === undefined ? "" : `${owner.case} ${owner.value}`;
}

export function ownerOf({ owner }: AttributeChange): AttributeOwner {
  return owner.case === undefined ? THE_WORLD : owner;
}

export function valueOf(attribute: Attribute): AttributeValue | null {
  return attribute.value.case === undefined ? null : attribute.value.value;
}

export function attributeMessage(
  value: AttributeValue,
): MessageInitShape<typeof AttributeSchema>["value"] {
  switch (typeof value) {
    case "boolean":
      return { case: "flag", value };
    case "bigint":
      return { case: "integer", value };
    case "number":
      return { case: "number", value };
    case "string":
      return { case: "text", value };
    default:
      return { case: "bytes", value: value as Uint8Array<ArrayBuffer> };
  }
}

function ordered(map: Map<string, AttributeValue>): AttributeMap {
  return new Map([...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

export class Attributes {
  private owners = new Map<string, { owner: AttributeOwner; values: AttributeMap }>();
  private readonly versionStore = new Store(0);
  /** Grows when something has changed; subscribe to it, and read what is of interest. */
  readonly version: Readable<number> = this.versionStore;

  constructor(
    private readonly send:
      (attributes: MessageInitShape<typeof SetAttributesSchema>) => Promise<string>,
  ) {}

  /** Of the world. */
  get world(): AttributeMap {
    return this.of(THE_WORLD);
  }

  body(slot: number): AttributeMap {
    return this.of({ case: "body", value: slot });
  }

  session(session: bigint): AttributeMap {
    return this.of({ case: "session", value: session });
  }

  of(owner: AttributeOwner): AttributeMap {
    return this.owners.get(keyOf(owner))?.values ?? NOTHING;
  }

  /** Everybody that has some: the world first, then bodies, then sessions. */
  all(): { owner: AttributeOwner; values: AttributeMap }[] {
    const rank = ({ owner }: { owner: AttributeOwner }) =>
      (owner.case === undefined ? 0 : owner.case === "body" ? 1 : 2);
    const number = ({ owner }: { owner: AttributeOwner }) =>
      (owner.case === undefined ? 0 : Number(owner.value));
    return [...this.owners.values()].sort((a, b) => rank(a) - rank(b) || number(a) - number(b));
  }

  /** Sets or removes one; for instructors.  Fulfilled when it has been done. */
  set(owner: AttributeOwner, name: string, value: AttributeValue | null): Promise<string> {
    return this.setAll([{ owner, name, value }]);
  }

  /** Sets and removes at most 64, all or none. */
  setAll(settings: readonly AttributeSetting[]): Promise<string> {
    return this.send({
      changes: settings.map(({ owner, name, value }):
        MessageInitShape<typeof AttributeChangeSchema> => ({
        owner,
        attribute: { name, ...(value !== null && { value: attributeMessage(value) }) },
      })),
    });
  }

  /** Another world, or the same one from its beginning. */
  onJoined(changes: readonly AttributeChange[]): void {
    this.change(changes, true);
  }

  onFrame({ changes, full }: AttributeFrame): void {
    this.change(changes, full);
  }

  private change(changes: readonly AttributeChange[], full: boolean): void {
    const hadSome = this.owners.size > 0;
    if (full) {
      this.owners = new Map();
    }
    const touched = new Map<string, { owner: AttributeOwner; map: Map<string, AttributeValue> }>();
    for (const change of changes) {
      const owner = ownerOf(change);
      const key = keyOf(owner);
      const entry = touched.get(key) ?? { owner, map: new Map(this.of(owner)) };
      touched.set(key, entry);
      const { attribute } = change;
      const value = attribute === undefined ? null : valueOf(attribute);
      if (value === null) {
        entry.map.delete(attribute?.name ?? "");
      } else {
        entry.map.set(attribute!.name, value);
      }
    }
    for (const [key, { owner, map }] of touched) {
      if (map.size === 0) {
        this.owners.delete(key);
      } else {
        this.owners.set(key, { owner, values: ordered(map) });
      }
    }
    if (changes.length > 0 || (full && hadSome)) {
      this.versionStore.set(this.versionStore.get() + 1);
    }
  }
}
