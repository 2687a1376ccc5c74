import { describe, expect, it } from "vitest";
import { groundOf, strokesOf, textOf } from "../src/time/time_marks";

const mark = (kind: string, tick: number) => ({ kind, tick: BigInt(tick), session: 1n });
const span = (from: number, to: number, count: number) =>
  ({ firstTick: BigInt(from), lastTick: BigInt(to), count });

/** Makes messages with only the members that these tests need. */
const timeline = {
  marks: [
    mark("join", 3), mark("join", 3), mark("settings", 7), mark("leave", 9), mark("reset", 0),
    mark("upgrade", 2),
  ],
  inputs: [span(4, 40, 12), span(80, 80, 1)],
} as unknown as Parameters<typeof textOf>[0];

describe("marks of a past", () => {
  it("draws who came above, who left below, and orders through all of it", () => {
    expect(strokesOf(timeline, "join")).toBe("M3 0V5"); // one stroke a tick
    expect(strokesOf(timeline, "leave")).toBe("M9 5V10");
    expect(strokesOf(timeline, "order")).toBe("M7 0V10M0 0V10");
    expect(strokesOf(timeline, "upgrade")).toBe("M2 0V10");
  });

  it("draws spans of inputs, none too thin to be seen", () => {
    expect(groundOf(timeline, 5)).toBe("M4 2H40V8H4ZM80 2H85V8H80Z");
  });

  it("tells how many there are, and of what there is none not", () => {
    expect(textOf(timeline)).toBe("2 joined, 1 left, 2 orders, 1 upgrades, 13 inputs");
    expect(textOf({ marks: [], inputs: [] })).toBe("");
  });
});
