/** scene_view.ts: chooses a scene's frame, labels of its bodies, and the scale of its forces. */
import type { Body, Scene, ThrusterInfo } from "@cairn/protocol";
import { bodyName, isDynamic } from "@cairn/protocol";
import { bodyContours, widenBox } from "./contour";
import type { Region } from "./framing";
import { sceneMass } from "./mass";

const MARGIN = 1.12;
const SIDE_MARGIN = 1.04;
const HEIGHT_DEFAULT = 8;
/** The weight of the median mass is drawn with this share of the view's height. */
const WEIGHT_SHARE = 0.1;
const GRAVITY_DEFAULT = 9.81;
/** With more movable bodies, forces add up in stacks, so a weight is drawn shorter. */
const BODY_COUNT_FULL = 12;

type Box = [number, number, number, number];

function boxAround(bodies: readonly Body[]): Box {
  const box: Box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const body of bodies) {
    for (const contour of bodyContours(body)) {
      widenBox(box, contour, body.position?.x ?? 0, body.position?.y ?? 0, body.angle);
    }
  }
  return box;
}

/** The distance from the centre to the farther side; 0 without bodies. */
function reachOf(box: Box, centerX: number): number {
  return Math.max(box[2] - centerX, centerX - box[0], 0);
}

/**
 * The scene's own view, widened to show all bodies that can move.  It also shows the other bodies,
 * if it is then no wider than twice the height.
 */
export function sceneRegion(scene: Scene): Region {
  const box = boxAround(scene.bodies);
  const empty = !(box[0] < box[2]);
  const view = scene.view;
  const height =
    view !== undefined && view.height > 0
      ? view.height
      : empty
        ? HEIGHT_DEFAULT
        : (box[3] - box[1]) * MARGIN;
  const centerX = view?.center?.x ?? (empty ? 0 : (box[0] + box[2]) / 2);
  const centerY = view?.center?.y ?? (empty ? height / 2 : (box[1] + box[3]) / 2);
  const movable = reachOf(boxAround(scene.bodies.filter(isDynamic)), centerX);
  const all = Math.min(reachOf(box, centerX), height / SIDE_MARGIN);
  const width = Math.max(2 * SIDE_MARGIN * Math.max(movable, all), height / 2);
  return { centerX, centerY, width, height };
}

/** Half of the scene's mass is in bodies lighter than this mass, and half in heavier ones. */
function middleMass(scene: Scene): number {
  const masses = scene.bodies
    .filter(isDynamic)
    .map((body) => sceneMass(scene, body))
    .sort((a, b) => a - b);
  const half = masses.reduce((sum, mass) => sum + mass, 0) / 2;
  let sum = 0;
  return masses.find((mass) => (sum += mass) > half) ?? 1;
}

/** m/N at the middle setting of the force scale; `height` is the view's [m]. */
export function forceScale(scene: Scene, height: number): number {
  const gravity = scene.world?.gravity;
  const { x = 0, y = GRAVITY_DEFAULT, z = 0 } = gravity ?? {};
  const size = Math.hypot(x, y, z);
  const count = Math.max(scene.bodies.filter(isDynamic).length, BODY_COUNT_FULL);
  const share = WEIGHT_SHARE * Math.sqrt(BODY_COUNT_FULL / count);
  return (share * height) / (middleMass(scene) * (size || GRAVITY_DEFAULT));
}

/** N s of an impact of middle size: the median mass at 1 m/s. */
export function impulseUnit(scene: Scene): number {
  return middleMass(scene);
}

/** The label of a body with thrusters: the number in its name, or the name if it is short. */
export function sceneLabels(scene: Scene, thrusters: readonly ThrusterInfo[]): Map<number, string> {
  const labels = new Map<number, string>();
  for (const { body } of thrusters) {
    const name = scene.bodies[body] === undefined ? "" : bodyName(scene.bodies[body], body);
    const number = /\d+$/.exec(name)?.[0];
    const text = number ?? (name.length <= 8 ? name : "");
    if (text !== "") {
      labels.set(body, text);
    }
  }
  return labels;
}
