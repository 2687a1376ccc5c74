/** moment.test.ts: moments in addresses, and the text for their distance from now. */
import { describe, expect, it } from "vitest";
import { readMoment, textOfPast, writeMoment } from "../src/address/moment";

describe("moments", () => {
  it("are worlds with ticks, or worlds alone", () => {
    expect(readMoment("lab@1200")).toEqual({ world: "lab", tick: 1200 });
    expect(readMoment("lab")).toEqual({ world: "lab", tick: null });
    expect(readMoment("")).toEqual({ world: "", tick: null });
    expect(readMoment("@12")).toEqual({ world: "@12", tick: null });
    expect(readMoment("lab@")).toEqual({ world: "lab@", tick: null });
    expect(readMoment("lab@-3")).toEqual({ world: "lab@-3", tick: null });
    for (const text of ["lab@0", "a-b.c_d@7", "lab"]) {
      expect(writeMoment(readMoment(text))).toBe(text);
    }
  });

  it("are so long ago", () => {
    expect(textOfPast(0, 60)).toBe("now");
    expect(textOfPast(6, 60)).toBe("−0.1 s");
    expect(textOfPast(59 * 60, 60)).toBe("−59.0 s");
    expect(textOfPast(125 * 60, 60)).toBe("−2:05");
    expect(textOfPast(100, 50)).toBe("−2.0 s");
  });
});
