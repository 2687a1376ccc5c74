/** messages.test.ts: every message of the schema, by the generated code and the page's reader. */
import {
  type DescMessage,
  type JsonValue,
  createRegistry,
  fromBinary,
  fromJson,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  ServerFrameDecoder,
  file_cairn_v1_scene,
  file_cairn_v1_wire,
  file_cairn_v1_world,
} from "../src";

interface Vector {
  about?: string;
  bytes: string;
  [member: string]: JsonValue | undefined;
}

const files = import.meta.glob<{ messages: Vector[] }>(
  "../../../../../proto/vectors/messages/*.json",
  { eager: true, import: "default" },
);
const registry = createRegistry(file_cairn_v1_scene, file_cairn_v1_wire, file_cairn_v1_world);

interface Case {
  name: string;
  schema: DescMessage;
  bytes: Uint8Array;
  json: JsonValue;
}

const cases = Object.entries(files).flatMap(([path, { messages }]) =>
  messages.map((vector, number): Case => {
    const member = Object.keys(vector).find((key) => key !== "about" && key !== "bytes")!;
    const type = member[0]!.toUpperCase() + member.slice(1);
    return {
      name: `${path.replace(/.*\//, "")} ${number}: ${vector.about || member}`,
      schema: registry.getMessage(`cairn.v1.${type}`)!,
      bytes: Uint8Array.from(vector.bytes.match(/../g) ?? [], (pair) => parseInt(pair, 16)),
      json: vector[member]!,
    };
  }),
);

/** The messages that the reader passes on, by the names of the oneof. */
function heard(bytes: Uint8Array): string[] {
  const kinds: string[] = [];
  new ServerFrameDecoder().decode(bytes, {
    onTick: () => kinds.push("tick"),
    onSnapshot: () => kinds.push("snapshot"),
    onDelta: () => kinds.push("delta"),
    onContacts: () => kinds.push("contacts"),
    onContactDelta: () => kinds.push("contactDelta"),
    onEnergy: () => kinds.push("energy"),
    onMessage: ({ case: kind }) => kinds.push(kind ?? "nothing"),
  });
  return kinds;
}

describe("the messages", () => {
  it("are there", () => expect(cases.length).toBeGreaterThan(100));
  it.each(cases)("are what they say: $name", ({ schema, bytes, json }) => {
    expect(toBinary(schema, fromJson(schema, json))).toEqual(bytes);
    expect(toJson(schema, fromBinary(schema, bytes))).toEqual(json);
  });
  const fromDaemon = cases.filter(({ schema }) => schema.name === "ServerMessage");
  it.each(fromDaemon)("are heard: $name", ({ bytes, json }) => {
    expect(heard(bytes)).toEqual(Object.keys(json as object));
  });
  it.each(["ClientMessage", "ServerMessage"])("are of every kind of %s", (type) => {
    const kinds = registry.getMessage(`cairn.v1.${type}`)!.fields.map(({ jsonName }) => jsonName);
    const said = cases.filter(({ schema }) => schema.name === type);
    expect(new Set(said.flatMap(({ json }) => Object.keys(json as object)))).toEqual(
      new Set(kinds),
    );
  });
});
