/** choice.ts: which module a scene needs. */

type Bodies = readonly { shapes: readonly { sensor: boolean; oneWay?: unknown }[] }[];

/** The fields of a Scene (proto/cairn/v1/scene.proto) that decide; a decoded Scene has them. */
export interface SceneNeeds {
  /** The dimension SPATIAL is 1; an empty method is the default one. */
  world?: { dimension: number; stepper: string; solver: string } | undefined;
  bodies: Bodies;
  joints: readonly unknown[];
  prefabs: readonly { bodies: Bodies; joints: readonly unknown[] }[];
  curves: readonly unknown[];
  meshes: readonly unknown[];
  spawns: readonly unknown[];
  rules: readonly unknown[];
}

const SPATIAL = 1;

function isSpatial({ world }: SceneNeeds): boolean {
  return world?.dimension === SPATIAL;
}

function isImpulse({ world }: SceneNeeds): boolean {
  return world?.stepper === "time" && world.solver === "impulse";
}

/** Whether a shape needs the exact narrowphase, which small modules lack. */
function hasExact(bodies: Bodies): boolean {
  return bodies.some(({ shapes }) =>
    shapes.some(({ sensor, oneWay }) => sensor || oneWay !== undefined));
}

function isPlain({ bodies, meshes, prefabs, rules, spawns }: SceneNeeds): boolean {
  return meshes.length + rules.length + spawns.length === 0 &&
    ![{ bodies }, ...prefabs].some((one) => hasExact(one.bodies));
}

function hasJoints({ joints, curves, prefabs }: SceneNeeds): boolean {
  return joints.length + curves.length > 0 || prefabs.some((prefab) => prefab.joints.length > 0);
}

interface ModuleRow {
  file: string;
  queries: boolean;
  takes(scene: SceneNeeds): boolean;
}

/** The modules that `make wasm` builds, the smallest first, each with the scenes that it takes. */
const MODULES: readonly ModuleRow[] = [
  {
    file: "libcairn-planar.wasm", queries: false,
    takes: (scene) => isImpulse(scene) && isPlain(scene) && !isSpatial(scene),
  },
  {
    file: "libcairn-spatial.wasm", queries: false,
    takes: (scene) =>
      isImpulse(scene) && isPlain(scene) && isSpatial(scene) && !hasJoints(scene),
  },
  { file: "libcairn-impulse.wasm", queries: true, takes: isImpulse },
  { file: "libcairn.wasm", queries: true, takes: () => true },
];

/** The files of all modules, the smallest first. */
export const MODULE_FILES: readonly string[] = MODULES.map(({ file }) => file);

/** The module with every stepper and solver. */
export const WHOLE_MODULE = "libcairn.wasm";

/** Whether that module can make a world of the scene; another one refuses it. */
export function moduleTakes(file: string, scene: SceneNeeds): boolean {
  return MODULES.some((module) => module.file === file && module.takes(scene));
}

/**
 * The file name of the smallest module for the scene; with `queries` of those that answer them.  A
 * later deed may need another module: a world refuses a method that its module lacks.
 */
export function moduleFor(scene: SceneNeeds, queries = false): string {
  const found = MODULES.find((module) => module.takes(scene) && (module.queries || !queries));
  return found?.file ?? WHOLE_MODULE;
}
