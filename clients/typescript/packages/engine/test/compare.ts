/**
 * compare.ts: an engine against the files of tests/wasm/reference, in Node and in a browser.
 *
 *   1. the physics version is the native one
 *   2. a world from the packed scene, with the same inputs, has the native hash at every tick
 *   3. its image in the middle has the bytes of the native image
 *   4. a world that continues from the native image has the native hashes, too, with the inputs as
 *      the daemon's deeds, and where it goes back to an image that it keeps
 *   5. a scene, an image, an input and a deed that are cut short are refused, and change nothing
 *   6. each smaller module has the same hashes, or refuses a scene that is not for it
 */
import { fromBinary } from "@bufbuild/protobuf";
import { SceneSchema } from "@cairn/protocol";
import { Engine, MODULE_FILES, type World, moduleFor, moduleTakes } from "../src/index";

interface Input {
  tick: number;
  session: number;
  message: string; // hexadecimal; empty: the session leaves
}

export interface Reference {
  physics: number;
  stepper: string;
  solver: string;
  imageTick: number;
  inputs: Input[];
  hashes: string[];
  shown: string; // hexadecimal: the scene at the image; empty: it is the first
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function hashOf(world: World): string {
  return world.hash().toString(16).padStart(16, "0");
}

function act(world: World, inputs: Input[], tick: number): void {
  for (const input of inputs) {
    if (input.tick === tick && input.message === "") {
      world.leave(BigInt(input.session));
    } else if (input.tick === tick) {
      world.input(BigInt(input.session), bytesOf(input.message));
    }
  }
}

/** The entry of the daemon's log by which a session leaves. */
function leaveDeed(session: number): Uint8Array {
  const deed = new Uint8Array(9);
  deed[0] = 2;
  new DataView(deed.buffer).setBigUint64(1, BigInt(session), true);
  return deed;
}

function actByDeeds(world: World, inputs: Input[], tick: number): void {
  const deeds = inputs
    .filter((input) => input.tick === tick)
    .map(({ session, message }) =>
      message === ""
        ? leaveDeed(session)
        : world.deedOf(BigInt(session), BigInt(tick), bytesOf(message)),
    );
  const all = Uint8Array.from(deeds.flatMap((deed) => [...deed]));
  if (world.splitDeeds(all).length !== deeds.length) {
    throw new Error(`tick ${tick}: deeds are split at other places than they were joined`);
  }
  world.deeds(all);
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function requireHash(world: World, reference: Reference, tick: number, what: string): void {
  const hash = hashOf(world);
  if (hash !== reference.hashes[tick]) {
    throw new Error(`${what}: tick ${tick} has hash ${hash}, natively ${reference.hashes[tick]}`);
  }
}

function refuses(what: string, call: () => void): void {
  try {
    call();
  } catch (error) {
    if (error instanceof Error && error.name === "EngineError" && error.message !== "") {
      return;
    }
    throw error;
  }
  throw new Error(`${what} was not refused`);
}

function requireRefusals(engine: Engine, world: World, scene: Uint8Array, image: Uint8Array): void {
  const before = world.hash();
  refuses("half a scene", () => engine.createWorld(scene.subarray(0, scene.length - 1)));
  refuses("half an image", () => world.restore(image.subarray(0, image.length >> 1)));
  refuses("half an input", () => world.input(1n, Uint8Array.of(0x22, 0x7f, 0x08)));
  refuses("no input", () => world.input(1n, new Uint8Array(0)));
  refuses("no query", () => world.query(new Uint8Array(0)));
  refuses("half a deed", () => world.deeds(leaveDeed(1).subarray(0, 8)));
  refuses("a log entry that is no deed", () => world.deeds(Uint8Array.of(5)));
  refuses("half a deed", () => world.splitDeeds(leaveDeed(1).subarray(0, 8)));
  if (world.hash() !== before) {
    throw new Error("a refusal changed the world");
  }
}

/** Throws where the engine differs; else returns how many hashes were compared. */
export function compare(
  engine: Engine,
  reference: Reference,
  scene: Uint8Array,
  image: Uint8Array,
): number {
  if (engine.physicsVersion !== reference.physics) {
    throw new Error(`physics ${engine.physicsVersion}, natively ${reference.physics}`);
  }
  const world = engine.createWorld(scene);
  const second = engine.createWorld(scene);
  second.restore(image);
  if (reference.shown !== "") {
    second.show(bytesOf(reference.shown));
  }
  const kept = second.makeKept();
  const last = reference.hashes.length - 1;
  let count = 0;
  for (let tick = 0; tick <= last; tick++) {
    requireHash(world, reference, tick, "from the scene");
    count++;
    if (tick === reference.imageTick && !isSame(world.image(), image)) {
      throw new Error(`the image of tick ${tick} has other bytes than the native one`);
    }
    if (tick >= reference.imageTick) {
      requireHash(second, reference, tick, "from the image");
      count++;
      second.keep(kept);
      actByDeeds(second, reference.inputs, tick);
      second.step();
      if (tick % 7 === 0) {
        second.recall(kept);
        requireHash(second, reference, tick, "from the kept image");
        actByDeeds(second, reference.inputs, tick);
        second.step();
      }
    }
    act(world, reference.inputs, tick);
    world.step();
  }
  requireRefusals(engine, world, scene, image);
  kept.free();
  world.destroy();
  second.destroy();
  return count;
}

/** Compares all modules, by their file names; some refuse a scene that needs another one. */
export function compareAll(
  engines: ReadonlyMap<string, Engine>,
  reference: Reference,
  scene: Uint8Array,
  image: Uint8Array,
): number {
  const needs = fromBinary(SceneSchema, scene);
  if (!moduleTakes(moduleFor(needs), needs)) {
    throw new Error(`${moduleFor(needs)} is chosen, but does not take the scene`);
  }
  let count = 0;
  for (const [file, engine] of engines) {
    try {
      if (moduleTakes(file, needs)) {
        count += compare(engine, reference, scene, image);
      } else {
        refuses("a scene that needs another module", () => engine.createWorld(scene));
      }
    } catch (error) {
      throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return count;
}

export { Engine, MODULE_FILES };
