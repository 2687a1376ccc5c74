/** thruster_keys.ts: groups a scene's thrusters by body and direction, for users. */
import type { ThrusterInfo } from "@cairn/protocol";

export type Direction = "up" | "left" | "down" | "right";
export const DIRECTIONS: readonly Direction[] = ["up", "left", "down", "right"];
export const ARROWS: Record<Direction, string> = {
  up: "↑", left: "←", down: "↓", right: "→",
};

export interface ThrusterGroup {
  body: number;
  title: string;
  /** Actuators and keys of each direction that has some. */
  ways: Map<Direction, { actuators: number[]; keys: string[] }>;
}

const KEY_NAMES: Record<string, string> = {
  arrowup: "↑", arrowleft: "←", arrowdown: "↓", arrowright: "→", " ": "space",
};

export function keyName(key: string): string {
  return KEY_NAMES[key] ?? key.toUpperCase();
}

/** The direction in which a thruster pushes, in the body's frame. */
export function directionOf({ forceX, forceY }: ThrusterInfo): Direction {
  if (Math.abs(forceX) > Math.abs(forceY)) {
    return forceX > 0 ? "right" : "left";
  }
  return forceY >= 0 ? "up" : "down";
}

function bodyTitle(name: string): string {
  const number = /(\d+)$/.exec(name)?.[1];
  return number === undefined ? name : `Block ${number}`;
}

export function thrusterGroups(thrusters: readonly ThrusterInfo[]): ThrusterGroup[] {
  const groups = new Map<number, ThrusterGroup>();
  for (const thruster of thrusters) {
    const title = bodyTitle(thruster.bodyName);
    const group = groups.get(thruster.body) ?? { body: thruster.body, title, ways: new Map() };
    groups.set(thruster.body, group);
    const direction = directionOf(thruster);
    const way = group.ways.get(direction) ?? { actuators: [], keys: [] };
    group.ways.set(direction, way);
    way.actuators.push(thruster.actuator);
    way.keys.push(...thruster.keys.filter((key) => !way.keys.includes(key)));
  }
  return [...groups.values()];
}
