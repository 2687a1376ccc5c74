/**
 * fuzz.ts: plays scenes with random delays until there were so many rollbacks, and measures.
 *
 * tests/wasm/predict.mjs runs it.  It throws where a hash ever differs from the daemon's.
 */
import { fromBinary } from "@bufbuild/protobuf";
import { type Engine, moduleFor } from "@cairn/engine";
import { type Body, SceneSchema, type Shape, World_Dimension } from "@cairn/protocol";
import { type Outcome, type Play, play, randomOf } from "./simulated_daemon";

export { Engine, MODULE_FILES } from "@cairn/engine";

export interface Bench {
  /** The engine of a module, by its file name. */
  engine(module: string): Engine;
  /** The packed scene of that name. */
  scene(name: string): Uint8Array;
  /** Milliseconds of the processor. */
  clock(): number;
  say(line: string): void;
}

const SCENES = ["pyramid", "wall-in-space", "bridge", "chain", "dominoes", "heap-in-space"];

function quantile(values: number[], part: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(2);
}

function kilobits(outcomes: Outcome[]): string {
  const bytes = outcomes.reduce((sum, outcome) => sum + outcome.bytes, 0);
  const frames = outcomes.reduce((sum, outcome) => sum + outcome.frames, 0);
  return ((bytes * 8 * 60) / 1000 / frames).toFixed(1);
}

/** About the area or volume of a shape. */
function sizeOf({ shape }: Shape, isFlat: boolean): number {
  if (shape.case === "box" && shape.value.size !== undefined) {
    const { x, y, z } = shape.value.size;
    return x * y * (isFlat ? 1 : z);
  }
  if (shape.case === "sphere" || shape.case === "circle") {
    const { radius } = shape.value;
    return isFlat ? 3 * radius ** 2 : 4 * radius ** 3;
  }
  if (shape.case === "capsule") {
    const { radius, length } = shape.value;
    return isFlat ? radius * (2 * length + 3 * radius) : 3 * radius ** 2 * (length + radius);
  }
  return 0.05; // of a hull of the bundled scenes
}

/** The mass of a body, near enough to push with about its weight. */
function massOf({ massSet, shapes }: Body, isFlat: boolean): number {
  const masses = shapes.map((shape) =>
    sizeOf(shape, isFlat) * (shape.densitySet.case === undefined ? 1 : shape.densitySet.value));
  return massSet.case === undefined ? masses.reduce((a, b) => a + b, 0) : massSet.value;
}

/** The dynamic bodies of a scene. */
function bodiesOf(scene: Uint8Array): { slot: number; mass: number }[] {
  const { bodies, world } = fromBinary(SceneSchema, scene);
  const isFlat = world?.dimension !== World_Dimension.SPATIAL;
  return bodies.flatMap((body, slot) =>
    body.type === 0 ? [{ slot, mass: massOf(body, isFlat) }] : [],
  );
}

function report(bench: Bench, name: string, outcomes: Outcome[]): void {
  const worst = outcomes.flatMap(({ corrections }) => corrections.map(({ mm }) => mm));
  const all = outcomes.flatMap(({ corrections }) => corrections.flatMap(({ ways }) => ways));
  const frames = outcomes.flatMap(({ frameMs }) => frameMs);
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((n, o) => n + of(o), 0);
  bench.say(
    `${name}: ${outcomes.length} plays, ${sum((o) => o.rollbacks)} rollbacks, ` +
      `${sum((o) => o.agreed)} hashes agreed; ${worst.length} corrections, ` +
      `p50 ${quantile(all, 0.5)}, ` +
      `p95 ${quantile(all, 0.95)} mm, of the worst body p50 ${quantile(worst, 0.5)}, ` +
      `p95 ${quantile(worst, 0.95)} mm; frame p50 ${quantile(frames, 0.5)}, ` +
      `p95 ${quantile(frames, 0.95)} ms; ${kilobits(outcomes)} kbit/s`,
  );
}

function engineOf(bench: Bench, scene: Uint8Array): Engine {
  return bench.engine(moduleFor(fromBinary(SceneSchema, scene)));
}

/** Random plays, about as many rollbacks of each scene. */
export function fuzz(bench: Bench, rollbacks: number, first: number): void {
  const share = Math.ceil(rollbacks / SCENES.length);
  let done = 0;
  for (const name of SCENES) {
    const scene = bench.scene(name);
    const outcomes: Outcome[] = [];
    for (let seed = first, count = 0; count < share; seed++) {
      const random = randomOf(seed ^ 0x5eed);
      const outcome = play({
        engine: engineOf(bench, scene), scene, seed, bodies: bodiesOf(scene), frames: 600,
        oneWayMs: random() * 120, jitterMs: random() * 60, stallShare: random() * 0.02,
        others: 1 + Math.floor(random() * 8), pushes: random() * 8, ownPushes: random() * 6,
        lead: Math.floor(random() * 6), rollbackMax: share - count,
        isAhead: random() < 0.9, ownSooner: true, clock: bench.clock,
        ...(random() < 0.3 ? { budgetMs: random() * 2 } : {}),
      });
      outcomes.push(outcome);
      count += outcome.rollbacks + 1;
      done += outcome.rollbacks;
    }
    report(bench, name, outcomes);
  }
  bench.say(`${done} rollbacks, no hash differed`);
}

/** The figures of docs/bench: a calm connection, and players who push at random. */
export function measure(bench: Bench): void {
  const cases: [string, string, Partial<Play>][] = [
    ["alone", "pyramid", { others: 0 }],
    ["eight players", "pyramid", { others: 8, pushes: 6 }],
    ["one other", "wall-in-space", { others: 1, pushes: 6 }],
    ["eight players", "wall-in-space", { others: 8, pushes: 6 }],
    ["eight players", "heap-in-space", { others: 8, pushes: 6 }],
  ];
  for (const [what, name, part] of cases) {
    const scene = bench.scene(name);
    const outcome = play({
      engine: engineOf(bench, scene), scene, seed: 1, bodies: bodiesOf(scene), frames: 1800,
      oneWayMs: 75, jitterMs: 10, stallShare: 0, others: 0, pushes: 0, ownPushes: 2, lead: 3,
      clock: bench.clock, ...part,
    });
    report(bench, `${name}, ${what}, 75 ms one way`, [outcome]);
  }
}
