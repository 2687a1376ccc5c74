/** space_region.ts: the region of a spatial scene, its planes, and the extents of its bodies. */
import { type Body, type Scene, type Shape, isDynamic, spatialTurn } from "@cairn/protocol";
import { Quaternion, Vector3 } from "three";
import type { Ball } from "./orbit";
import type { SpacePlane } from "./floor_layer";
import { solidCorners } from "./solid";

const MARGIN = 1.06;
const RADIUS_DEFAULT = 4;
/** How much wider than the moving bodies the view may get to show the others. */
const STILL_SHARE = 1.5;
/**
 * The scene's own height may grow up to this factor, to show this share of the moving bodies and
 * those other bodies that fit.
 */
const WIDER_MAX = 1.6;
const SHOWN_SHARE = 0.9;

function turnOf(of: Body | Shape): Quaternion {
  const { w, x, y, z } = spatialTurn(of);
  return new Quaternion(x, y, z, w);
}

function placeOf({ position }: Body | Shape): Vector3 {
  return new Vector3(position?.x ?? 0, position?.y ?? 0, position?.z ?? 0);
}

/** The corners of a body's shapes in its frame. */
export function bodyCorners(body: Body, scene: Scene): Vector3[] {
  return body.shapes.flatMap((shape) => {
    const corners: Vector3[] = [];
    const positions = solidCorners(shape, scene);
    const turn = turnOf(shape);
    const place = placeOf(shape);
    for (let at = 0; at < positions.length; at += 3) {
      corners.push(new Vector3().fromArray(positions, at).applyQuaternion(turn).add(place));
    }
    return corners;
  });
}

/** A body without shapes has one corner, at its position. */
function worldCorners(bodies: readonly Body[], scene: Scene): Vector3[] {
  return bodies.flatMap((body) => {
    const turn = turnOf(body);
    const place = placeOf(body);
    if (body.shapes.length === 0) {
      return [place];
    }
    return bodyCorners(body, scene).map((corner) => corner.applyQuaternion(turn).add(place));
  });
}

function reachFrom(center: Vector3, corners: readonly Vector3[]): number {
  return corners.reduce((reach, corner) => Math.max(reach, corner.distanceTo(center)), 0);
}

/** The radius that includes most bodies; bodies far outside do not count. */
function sharedReach(bodies: readonly Body[], scene: Scene, center: Vector3): number {
  const reaches = bodies.map((body) => reachFrom(center, worldCorners([body], scene)));
  reaches.sort((a, b) => a - b);
  return reaches[Math.floor(SHOWN_SHARE * (reaches.length - 1))] ?? 0;
}

/** The scene's own view, or the moving bodies and the nearby ones that do not move. */
export function sceneBall(scene: Scene): Ball {
  const moving = worldCorners(scene.bodies.filter(isDynamic), scene);
  const still = worldCorners(scene.bodies.filter((body) => !isDynamic(body)), scene);
  const of = moving.length > 0 ? moving : still;
  const low = new Vector3(Infinity, Infinity, Infinity);
  const high = low.clone().negate();
  for (const corner of of) {
    low.min(corner);
    high.max(corner);
  }
  const center = of.length > 0 ? low.add(high).multiplyScalar(0.5) : new Vector3();
  const { view } = scene;
  if (view?.center !== undefined) {
    center.set(view.center.x, view.center.y, view.center.z);
  }
  const reach = reachFrom(center, moving);
  const wider = Math.min(reachFrom(center, still), reach > 0 ? STILL_SHARE * reach : Infinity);
  const found = Math.max(reach, wider) * MARGIN || RADIUS_DEFAULT;
  const given = (view?.height ?? 0) / 2;
  const wanted = Math.max(sharedReach(scene.bodies.filter(isDynamic), scene, center),
    ...scene.bodies.filter((body) => !isDynamic(body))
      .map((body) => reachFrom(center, worldCorners([body], scene)))
      .filter((far) => far <= WIDER_MAX * given));
  const radius = given > 0 ? Math.min(Math.max(given, wanted), WIDER_MAX * given) : found;
  return { center: { x: center.x, y: center.y, z: center.z }, radius };
}

export function scenePlanes(scene: Scene): SpacePlane[] {
  return scene.bodies.flatMap((body, index) => body.shapes.flatMap((shape) => {
    if (shape.shape.case !== "plane") {
      return [];
    }
    const { normal, offset } = shape.shape.value;
    const given = new Vector3(normal?.x ?? 0, normal?.y ?? 0, normal?.z ?? 0);
    const length = given.length() || 1;
    const turned = given.divideScalar(length).applyQuaternion(turnOf(shape));
    const shift = turned.dot(placeOf(shape));
    return [{ body: index, normal: turned, offset: offset / length + shift }];
  }));
}

/** The extent of a body from a point of its frame in a direction. */
export function reachAlong(corners: readonly Vector3[], from: Vector3, way: Vector3): number {
  const start = from.dot(way);
  return corners.reduce((reach, corner) => Math.max(reach, corner.dot(way) - start), 0);
}
