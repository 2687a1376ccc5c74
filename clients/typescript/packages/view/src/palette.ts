/** palette.ts: the colours of a world; only forces are red. */
import type { Body, Scene } from "@cairn/protocol";
import { Body_Type } from "@cairn/protocol";

/** Red, green, blue from 0 to 1, as sent to the screen. */
export type Rgb = readonly [number, number, number];

export function rgb(hex: string): Rgb {
  const value = parseInt(hex.slice(1), 16);
  return [((value >> 16) & 255) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

/** Colours that differ in dark mode: the one in use, and those for light and dark mode. */
const BOTH: { used: readonly number[]; day: readonly number[]; night: readonly number[] }[] = [];

/** Colours that useNight() changes in place. */
function both<T extends readonly number[]>(day: T, night: T): T {
  const used = [...day] as unknown as T;
  BOTH.push({ used, day, night });
  return used;
}

function scheme(day: string, night: string): Rgb {
  return both(rgb(day), rgb(night));
}

/** Sets the colours for dark or light mode; code that copied colours must copy them again. */
export function useNight(isNight: boolean): void {
  for (const { used, day, night } of BOTH) {
    Object.assign(used, isNight ? night : day);
  }
}

export const PAPER = scheme("#fbfbf9", "#14171d");
export const GRID = scheme("#8a93a5", "#7d879a");
export const SOLID = scheme("#dfe2e8", "#363c48");
export const SOLID_HATCH = scheme("#c3c8d2", "#4a5160");
/** In space: bodies that cannot move, and the sheet of a plane. */
export const SOLID_BODY = scheme("#c9cdd6", "#6b7382");
export const SOLID_SHEET = scheme("#eceef2", "#2a2f39");
export const SOLID_INK = scheme("#5b6475", "#9aa4b6");
export const FORCE = scheme("#e0202b", "#ff5d62");
/** The part of a contact's force that is friction. */
export const FRICTION = scheme("#7b2cbf", "#c58bff");
/** Forces of joints. */
export const JOINT_FORCE = scheme("#0f766e", "#2fd0bd");
/** The first motion of a body that falls. */
export const MOTION = scheme("#1d4ed8", "#7fa8ff");
/** The halo around forces, which makes them visible on any body. */
export const HALO = scheme("#ffffff", "#0d0f13");
/** A body's outline: the last number times the body's colour, plus the others. */
export const OUTLINE = both<readonly [number, number, number, number]>(
  [0, 0, 0, 0.45], [0.3, 0.3, 0.3, 0.7]);
export const IMPACT = rgb("#ff9d1c");
export const DRAG = scheme("#2b3040", "#e3e7ef");
export const SPRING = scheme("#7c6f64", "#b8aa9c");
export const JOINT = scheme("#3d4557", "#c3cad8");
export const JOINT_FILL = scheme("#f4f5f8", "#252a34");
export const TRACK = rgb("#8a8f9c");
export const FLAME_OUTER = rgb("#ff8a1f");
export const FLAME_INNER = rgb("#ffe27a");

/** The share of the colour of immovable bodies in that of a sleeping body. */
export const ASLEEP_SHARE = 0.55;

/** Used in turn for bodies without a colour in the scene. */
const BODY_COLORS = ["#5b8fd0", "#f2b33d", "#63b17a", "#a983cf", "#4fb3bf", "#c9956b"].map(rgb);

const HEX_COLOR = /^#[0-9a-f]{6}$/i;

function bodyColor(color: string, index: number): Rgb {
  return HEX_COLOR.test(color) ? rgb(color) : BODY_COLORS[index % BODY_COLORS.length]!;
}

export function mixed(a: Rgb, b: Rgb, share: number): Rgb {
  return [
    a[0] + (b[0] - a[0]) * share,
    a[1] + (b[1] - a[1]) * share,
    a[2] + (b[2] - a[2]) * share,
  ];
}

/** The colour of a sleeping body: its own, but paler. */
export function asleepColor(color: Rgb): Rgb {
  return mixed(color, SOLID, ASLEEP_SHARE);
}

/** The colour of a person: hsl(hue 60% 52%) of a style sheet; `hue` in degrees. */
export function personColor(hue: number): Rgb {
  const spread = 0.6 * Math.min(0.52, 1 - 0.52);
  const channel = (shift: number) => {
    const k = (shift + hue / 30) % 12;
    return 0.52 - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return [channel(0), channel(8), channel(4)];
}

export function outlineColor([r, g, b]: Rgb): Rgb {
  const [addR, addG, addB, share] = OUTLINE;
  return [r * share + addR, g * share + addG, b * share + addB];
}

/** In the form of a style sheet. */
export function css(color: Rgb): string {
  return `rgb(${color.map((channel) => Math.round(channel * 255)).join(" ")})`;
}

/** The colour of every body of the scene; static bodies share one colour. */
export function sceneColors(scene: Scene): Rgb[] {
  let dynamicCount = 0;
  return scene.bodies.map((body: Body) => {
    if (body.type === Body_Type.STATIC) {
      return SOLID;
    }
    const color = bodyColor(body.color, dynamicCount++);
    return body.type === Body_Type.KINEMATIC ? mixed(color, SOLID, 0.5) : color;
  });
}
