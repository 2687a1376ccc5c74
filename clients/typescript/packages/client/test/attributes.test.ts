/** attributes.test.ts: attributes from messages, and as Controls. */
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { AttributeChangeSchema, AttributeFrameSchema } from "@cairn/protocol";
import { Attributes, THE_WORLD } from "../src";

const score = (value: bigint) => create(AttributeChangeSchema,
  { attribute: { name: "score", value: { case: "integer", value } } });
const ofBody = (body: number, name: string, value: number) => create(AttributeChangeSchema,
  { owner: { case: "body", value: body }, attribute: { name, value: { case: "number", value } } });
const gone = (body: number, name: string) => create(AttributeChangeSchema,
  { owner: { case: "body", value: body }, attribute: { name } });

describe("Attributes", () => {
  it("are those of the Joined, changed by frames", () => {
    const attributes = new Attributes(() => Promise.resolve(""));
    const versions: number[] = [];
    attributes.version.subscribe((version) => versions.push(version));
    attributes.onJoined([score(2n), ofBody(3, "hp", 0.5), ofBody(3, "fuel", 1)]);
    expect(attributes.world.get("score")).toBe(2n);
    expect([...attributes.body(3)]).toEqual([["fuel", 1], ["hp", 0.5]]);
    expect(attributes.body(4).size).toBe(0);
    const seen = attributes.body(3);
    attributes.onFrame(create(AttributeFrameSchema, { changes: [ofBody(3, "hp", 0.25)] }));
    expect(attributes.body(3).get("hp")).toBe(0.25);
    expect(seen.get("hp")).toBe(0.5); // a map that was read does not change
    attributes.onFrame(create(AttributeFrameSchema, { changes: [gone(3, "hp"), gone(3, "fuel")] }));
    expect(attributes.all().map(({ owner }) => owner.case)).toEqual([undefined]);
    attributes.onFrame(create(AttributeFrameSchema, { full: true }));
    expect(attributes.all()).toEqual([]);
    expect(versions).toEqual([0, 1, 2, 3, 4]);
    attributes.onFrame(create(AttributeFrameSchema, { full: true }));
    expect(versions.length).toBe(5); // nothing has changed
  });

  it("has the world first, then bodies, then sessions, by number", () => {
    const attributes = new Attributes(() => Promise.resolve(""));
    attributes.onJoined([
      create(AttributeChangeSchema, { owner: { case: "session", value: 9n },
        attribute: { name: "team", value: { case: "text", value: "red" } } }),
      ofBody(12, "hp", 1), ofBody(3, "hp", 1), score(1n),
    ]);
    expect(attributes.all().map(({ owner }) =>
      (owner.case === undefined ? "world" : `${owner.case} ${owner.value}`)))
      .toEqual(["world", "body 3", "body 12", "session 9"]);
    expect(attributes.session(9n).get("team")).toBe("red");
  });

  it("are set by their types", async () => {
    const sent: unknown[] = [];
    const attributes = new Attributes((value) => {
      sent.push(value);
      return Promise.resolve("w");
    });
    await attributes.setAll([
      { owner: THE_WORLD, name: "a", value: 1n },
      { owner: { case: "body", value: 3 }, name: "b", value: 1 },
      { owner: { case: "session", value: 9n }, name: "c", value: false },
      { owner: THE_WORLD, name: "d", value: "text" },
      { owner: THE_WORLD, name: "e", value: new Uint8Array([1]) },
      { owner: THE_WORLD, name: "f", value: null },
    ]);
    expect(sent).toMatchObject([{ changes: [
      { attribute: { name: "a", value: { case: "integer", value: 1n } } },
      { owner: { case: "body", value: 3 }, attribute: { value: { case: "number", value: 1 } } },
      { owner: { case: "session", value: 9n }, attribute: { value: { case: "flag" } } },
      { attribute: { value: { case: "text", value: "text" } } },
      { attribute: { value: { case: "bytes" } } },
      { attribute: { name: "f" } },
    ] }]);
  });
});
