/**
 * scene.ts: facts about a scene that are not in its message: masses, thrusters, extents.
 *
 * Masses follow the engine's rule: the given mass, else densities times areas, else 1 kg.
 */
import type {
  Body, Force_Thruster, Scene, Shape, Shape_Point,
} from "../generated/cairn/v1/scene_pb";
import { Body_Type, World_Dimension } from "../generated/cairn/v1/scene_pb";
import type { ActuatorIndex, BodyIndex, Kilograms, Meters } from "./units";

export interface ThrusterInfo {
  actuator: ActuatorIndex;
  body: BodyIndex;
  bodyName: string;
  name: string;
  /** Body frame [m]. */
  atX: Meters;
  atY: Meters;
  atZ: Meters;
  /** Body frame [N], at level 1. */
  forceX: number;
  forceY: number;
  forceZ: number;
  /** KeyboardEvent.key values, lower case. */
  keys: string[];
}

const MASS_DEFAULT = 1;

export function bodyName(body: Body, index: BodyIndex): string {
  return body.name || `body${index}`;
}

export function isDynamic(body: Body): boolean {
  return body.type === Body_Type.DYNAMIC;
}

export function isSpatial(scene: Scene | undefined): boolean {
  return scene?.world?.dimension === World_Dimension.SPATIAL;
}

export interface Turn {
  w: number;
  x: number;
  y: number;
  z: number;
}

/** A unit quaternion: the given orientation, else no rotation. */
export function spatialTurn({ orientation }: { orientation?: Turn | undefined }): Turn {
  const { w = 1, x = 0, y = 0, z = 0 } = orientation ?? {};
  const size = Math.hypot(w, x, y, z);
  return size > 0 ? { w: w / size, x: x / size, y: y / size, z: z / size } : IDENTITY;
}
const IDENTITY: Turn = { w: 1, x: 0, y: 0, z: 0 };

/** m^2; 0 for a plane. */
export function shapeArea(shape: Shape): number {
  const { case: kind, value } = shape.shape;
  switch (kind) {
    case "circle":
    case "sphere":
      return Math.PI * value.radius ** 2;
    case "capsule":
      return Math.PI * value.radius ** 2 + 2 * value.radius * value.length;
    case "box":
      return (value.size?.x ?? 0) * (value.size?.y ?? 0);
    case "polygon":
      return polygonArea(value.vertices);
    case "outline":
      return polygonArea(value.points) + arcsArea(value.points);
    default:
      return 0;
  }
}

function polygonArea(vertices: readonly { x: number; y: number }[]): number {
  let doubled = 0;
  for (let index = 0; index < vertices.length; index++) {
    const a = vertices[index]!;
    const b = vertices[(index + 1) % vertices.length]!;
    doubled += a.x * b.y - a.y * b.x;
  }
  return doubled / 2;
}

/** Area between chord and arc: r^2 (t - sin t) / 2, t = 4 atan(bulge), r = chord / (2 sin(t/2)). */
function arcsArea(points: readonly Shape_Point[]): number {
  let area = 0;
  points.forEach((a, index) => {
    const b = points[(index + 1) % points.length]!;
    const angle = 4 * Math.atan(a.bulge);
    if (angle !== 0) {
      const radius = Math.hypot(b.x - a.x, b.y - a.y) / (2 * Math.sin(angle / 2));
      area += (radius ** 2 * (angle - Math.sin(angle))) / 2;
    }
  });
  return area;
}

export function bodyMass(body: Body): Kilograms {
  if (body.massSet.case === "mass") {
    return body.massSet.value;
  }
  let mass = 0;
  for (const shape of body.shapes) {
    if (shape.densitySet.case === "density") {
      mass += shape.densitySet.value * shapeArea(shape);
    }
  }
  return mass > 0 ? mass : MASS_DEFAULT;
}

/** A scene names one key, or several separated by spaces: "l ArrowRight". */
function splitKeys(key: string): string[] {
  return key.toLowerCase().split(/[\s,]+/).filter((part) => part !== "");
}

export function sceneThrusters(scene: Scene): ThrusterInfo[] {
  const indices = new Map(scene.bodies.map((body, index) => [bodyName(body, index), index]));
  const found: Force_Thruster[] = [];
  for (const { force } of scene.forces) {
    if (force.case === "thruster") {
      found.push(force.value);
    }
  }
  return found.map((thruster, actuator) => ({
    actuator,
    body: indices.get(thruster.body) ?? -1,
    bodyName: thruster.body,
    name: thruster.name,
    atX: thruster.at?.x ?? 0,
    atY: thruster.at?.y ?? 0,
    atZ: thruster.at?.z ?? 0,
    forceX: thruster.force?.x ?? 0,
    forceY: thruster.force?.y ?? 0,
    forceZ: thruster.force?.z ?? 0,
    keys: splitKeys(thruster.key),
  }));
}
