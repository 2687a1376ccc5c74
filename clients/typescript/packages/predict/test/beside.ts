/**
 * beside.ts: two scenes of another engine's benchmarks, as Scenes, to be stepped beside it.
 *
 * tests/wasm/beside.mjs runs it.  `Cubes` and `Balls` are lists of places, for both engines.
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type Engine, moduleFor } from "@cairn/engine";
import { SceneSchema } from "@cairn/protocol";

export { Engine, MODULE_FILES } from "@cairn/engine";

export interface Placed {
  x: number;
  y: number;
  z: number;
  isFixed: boolean;
}

/** Bodies of one shape, of which both engines make a world. */
export interface Pile {
  name: string;
  isFlat: boolean;
  /** Half the edge of a cube or square; else the radius of a ball. */
  half: number;
  isBall: boolean;
  density: number;
  /** The half extents of the ground, with its top at 0; null: no ground. */
  ground: { x: number; y: number; z: number } | null;
  bodies: Placed[];
}

/** Layers of cubes that fall on each other: the scene pyramid3 of Rapier's benchmarks3d. */
export function pyramid(layers: number): Pile {
  const bodies: Placed[] = [];
  const shift = 2.5;
  for (let i = 0; i < layers; i++) {
    for (let j = i; j < layers; j++) {
      for (let k = i; k < layers; k++) {
        bodies.push({
          x: (i * shift) / 2 + (k - i) * shift - layers, y: i * shift + 1,
          z: (i * shift) / 2 + (j - i) * shift - layers, isFixed: false,
        });
      }
    }
  }
  return {
    name: `pyramid3, ${bodies.length} cubes`, isFlat: false, half: 1, isBall: false, density: 1,
    ground: { x: 50, y: 0.1, z: 50 }, bodies,
  };
}

/** A grid of balls that falls on its own lowest layer: the scene balls3 of benchmarks3d. */
export function balls(edge: number): Pile {
  const bodies: Placed[] = [];
  const shift = 3;
  for (let i = 0; i < edge; i++) {
    for (let j = 0; j < edge; j++) {
      for (let k = 0; k < edge; k++) {
        bodies.push({
          x: i * shift - (shift * edge) / 2, y: j * shift + shift / 2,
          z: k * shift - (shift * edge) / 2, isFixed: j === 0,
        });
      }
    }
  }
  return {
    name: `balls3, ${bodies.length} balls`, isFlat: false, half: 1, isBall: true, density: 0.477,
    ground: null, bodies,
  };
}

/** Stacks of squares in the plane, ten high: many contacts. */
export function stacks(count: number): Pile {
  const bodies = Array.from({ length: count }, (_, i) => (
    { x: Math.floor(i / 10) * 1.5, y: 0.5 + (i % 10), z: 0, isFixed: false }));
  return {
    name: `stacks in the plane, ${count} squares`, isFlat: true, half: 0.5, isBall: false,
    density: 1, ground: { x: 500, y: 0.5, z: 0 }, bodies,
  };
}

/** The packed Scene of a pile. */
export function sceneOf(pile: Pile, sleep: boolean): Uint8Array {
  const { half, isFlat } = pile;
  const z = isFlat ? 0 : 2 * half;
  const shape = pile.isBall
    ? { case: "sphere" as const, value: { radius: half } }
    : { case: "box" as const, value: { size: { x: 2 * half, y: 2 * half, z } } };
  const densitySet = { case: "density" as const, value: pile.density };
  const bodies = pile.bodies.map(({ x, y, z, isFixed }) => (
    { position: { x, y, z }, type: isFixed ? 1 : 0, shapes: [{ shape, densitySet }] }));
  const { ground } = pile;
  const floor = ground === null ? [] : [{
    type: 1, position: { y: -ground.y },
    shapes: [{ shape: { case: "box" as const, value: {
      size: { x: 2 * ground.x, y: 2 * ground.y, z: 2 * ground.z } } } }],
  }];
  return toBinary(SceneSchema, create(SceneSchema, {
    world: {
      stepper: "time", solver: "impulse", dimension: isFlat ? 0 : 1,
      sleepSet: { case: "sleep", value: sleep },
    },
    materials: [{ friction: 0.5 }],
    bodies: [...floor, ...bodies],
  }));
}

/** The engine that `moduleFor` names for a scene. */
export function engineFor(engines: ReadonlyMap<string, Engine>, scene: Uint8Array): Engine {
  return engines.get(moduleFor(fromBinary(SceneSchema, scene)))!;
}
