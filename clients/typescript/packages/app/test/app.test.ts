/** app.test.ts: parts of the lab that need no page: thrusters, keys, throttling, first world. */
import type { Session } from "@cairn/client";
import {
  Hello_Role as Role, type ThrusterInfo, type WorldStatus, WorldStatus_State,
} from "@cairn/protocol";
import type { ViewControl } from "@cairn/view";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { firstWorld } from "../src/address/place";
import { throttle } from "../src/base/throttle";
import { ThrusterControl } from "../src/input/thruster_control";
import { directionOf, keyName, thrusterGroups } from "../src/input/thruster_keys";
import { moveView } from "../src/input/view_keys";
import { valueText } from "../src/panels/attributes_panel";
import { methodChange } from "../src/panels/method";
import { mayPush, rightsOf } from "../src/people/rights";

function thruster(actuator: number, bodyName: string, force: [number, number], keys: string[]) {
  const [forceX, forceY] = force;
  const body = Number(/\d+/.exec(bodyName)?.[0] ?? 0);
  const at = { atX: 0, atY: 0, atZ: 0 };
  return { actuator, body, bodyName, name: "", ...at, forceX, forceY, forceZ: 0, keys };
}

const THRUSTERS: ThrusterInfo[] = [
  thruster(0, "block1", [-1, 0], ["s"]),
  thruster(1, "block1", [0, 2], ["e"]),
  thruster(2, "block2", [1, 0], ["l"]),
  thruster(3, "block2", [1, 0], ["arrowright"]),
];

describe("rightsOf", () => {
  it("gives each role what the one before has, and more", () => {
    const may = (role: Role) => {
      const { push, control, load } = rightsOf(role);
      return [push, control, load];
    };
    expect(may(Role.OWN)).toEqual([false, false, false]);
    expect(may(Role.OBSERVER)).toEqual([false, false, false]);
    expect(may(Role.PLAYER)).toEqual([true, false, false]);
    expect(may(Role.INSTRUCTOR)).toEqual([true, true, false]);
    expect(may(Role.OPERATOR)).toEqual([true, true, true]);
    expect(rightsOf(Role.OBSERVER).role).toBe("observer");
  });
});

describe("valueText", () => {
  it("shows each kind of value", () => {
    expect([1n << 60n, 0.1 + 0.2, true, "red", new Uint8Array(3)].map(valueText))
      .toEqual(["1152921504606846976", "0.3", "true", "red", "3 bytes"]);
  });
});

describe("mayPush", () => {
  it("is for who may, in what is not past", () => {
    const may = (role: Role, state: WorldStatus_State) => mayPush({
      role: { get: () => role }, status: { get: () => ({ state }) },
    } as unknown as Session);
    expect(may(Role.PLAYER, WorldStatus_State.RUNNING)).toBe(true);
    expect(may(Role.PLAYER, WorldStatus_State.PAUSED)).toBe(true);
    expect(may(Role.OPERATOR, WorldStatus_State.REPLAY)).toBe(false);
    expect(may(Role.OBSERVER, WorldStatus_State.RUNNING)).toBe(false);
  });
});

describe("moveView", () => {
  const said: string[] = [];
  const make = (turns: boolean) => ({
    turns,
    panBy: (x: number, y: number) => said.push(`pan ${x} ${y}`),
    turnBy: (x: number, y: number) => said.push(`turn ${x} ${y}`),
    zoomAt: (x: number, y: number, factor: number) => said.push(`zoom ${x} ${y} ${factor}`),
  }) as unknown as ViewControl;
  const press = (turns: boolean, key: string, shiftKey: boolean) =>
    moveView(make(turns), { key, shiftKey }, 300, 200);

  it("moves or turns by Shift and an arrow, zooms in the middle, and leaves the rest", () => {
    expect(press(false, "ArrowLeft", true)).toBe(true);
    expect(press(true, "ArrowUp", true)).toBe(true);
    expect(press(true, "+", true)).toBe(true);
    expect(press(false, "-", false)).toBe(true);
    expect(press(false, "ArrowLeft", false)).toBe(false);
    expect(press(false, "e", true)).toBe(false);
    expect(said).toEqual(["pan 40 0", "turn 0 40", "zoom 150 100 1.25", "zoom 150 100 0.8"]);
  });
});

describe("ThrusterControl", () => {
  let said: string[];
  let role: Role;
  let control: ThrusterControl;

  beforeEach(() => {
    said = [];
    role = Role.OPERATOR;
    const session = {
      role: { get: () => role },
      status: { get: () => null },
      actuate: (slot: number, actuator: number, level: number) =>
        said.push(`on ${slot} ${actuator} ${level}`) > 0,
      release: (slot: number) => said.push(`off ${slot}`) > 0,
    };
    control = new ThrusterControl(session as unknown as Session);
    control.setThrusters(THRUSTERS);
  });

  it("stays off for who may not push", () => {
    role = Role.OBSERVER;
    control.press(0 as never, "key s");
    expect(said).toEqual([]);
    expect(control.levels[0]).toBe(0);
  });

  it("is on while one hand at least holds it", () => {
    control.press(1, "KeyE");
    control.press(1, "KeyE");
    control.press(1, "pointer 3");
    expect(control.levels[1]).toBe(1);
    control.release(1, "KeyE");
    expect(said).toEqual(["on 17 1 1"]);
    control.release(1, "pointer 3");
    control.release(1, "pointer 3");
    expect(said).toEqual(["on 17 1 1", "off 17"]);
    expect(control.levels[1]).toBe(0);
  });

  it("lets go of everything once, and forgets without a word", () => {
    control.press(0, "KeyS");
    control.press(2, "KeyL");
    control.releaseAll();
    control.releaseAll();
    expect(said.slice(2)).toEqual(["off 16", "off 18"]);
    control.press(0, "KeyS");
    control.setThrusters(THRUSTERS);
    control.release(0, "KeyS");
    expect(said.slice(4)).toEqual(["on 16 0 1"]);
    control.press(99, "KeyX");
    expect(said.length).toBe(5);
  });
});

describe("thruster keys", () => {
  it("groups by body and direction", () => {
    expect(THRUSTERS.map(directionOf)).toEqual(["left", "up", "right", "right"]);
    const [first, second] = thrusterGroups(THRUSTERS);
    expect(first!.title).toBe("Block 1");
    expect([...first!.ways.keys()]).toEqual(["left", "up"]);
    expect(second!.ways.get("right")).toEqual({ actuators: [2, 3], keys: ["l", "arrowright"] });
    expect(["s", "arrowup", " "].map(keyName)).toEqual(["S", "↑", "space"]);
  });
});

describe("throttle", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("calls at once, then at most so often, and ends with the last value", () => {
    const seen: number[] = [];
    const call = throttle<number>(100, (value) => seen.push(value));
    [1, 2, 3].forEach(call);
    expect(seen).toEqual([1]);
    vi.advanceTimersByTime(100);
    expect(seen).toEqual([1, 3]);
    vi.advanceTimersByTime(1000);
    call(4);
    expect(seen).toEqual([1, 3, 4]);
  });
});

it("begins with a contact world where there is one", () => {
  const worlds = (...ids: string[]) => ids.map((id) => ({ id })) as WorldStatus[];
  expect(firstWorld(worlds("pile", "contact-2", "contact-6"))).toBe("contact-6");
  expect(firstWorld(worlds("pile", "contact-6", "contact"))).toBe("contact");
  expect(firstWorld(worlds("pile", "contact-2"))).toBe("contact-2");
  expect(firstWorld(worlds("pile"))).toBe("pile");
  expect(firstWorld([])).toBe("");
});

describe("methodChange", () => {
  const SOLVERS = [
    { name: "baraff94", fits: ["event", "time", "position"] },
    { name: "impulse", fits: ["time"] },
  ];
  const STEPPERS = [
    { name: "event", fits: ["baraff94", "gauss"] },
    { name: "time", fits: ["baraff94", "gauss", "impulse"] },
  ];
  const EXACT = { solver: "baraff94", stepper: "event" };
  const FAST = { solver: "impulse", stepper: "time" };

  it("changes one name where the other fits", () => {
    expect(methodChange("solver", "baraff94", SOLVERS, FAST, EXACT)).toEqual({
      solver: "baraff94",
    });
    expect(methodChange("stepper", "time", STEPPERS, EXACT, EXACT)).toEqual({ stepper: "time" });
    expect(methodChange("solver", "unheard-of", SOLVERS, EXACT, EXACT)).toEqual({
      solver: "unheard-of",
    });
  });

  it("brings along what fits: what was there before, or the usual one, or the first", () => {
    expect(methodChange("solver", "impulse", SOLVERS, EXACT, EXACT)).toEqual(FAST);
    const before = { solver: "gauss", stepper: "event" };
    expect(methodChange("stepper", "event", STEPPERS, FAST, before)).toEqual(before);
    expect(methodChange("stepper", "event", STEPPERS, FAST, FAST)).toEqual(EXACT);
    const few = [{ name: "event", fits: ["newton"] }];
    expect(methodChange("stepper", "event", few, FAST, FAST)).toEqual({
      solver: "newton", stepper: "event",
    });
  });
});
