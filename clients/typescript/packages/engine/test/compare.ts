/**
 * compare.ts: an engine against the files of tests/wasm/reference, in Node and in a browser.
 *
 *   1. the physics version is the native one
 *   2. a world from the packed scene, with the same inputs, has the native hash at every tick
 *   3. its image in the middle has the bytes of the native image
 *   4. a world that continues from the native image has the native hashes, too
 *   5. a scene, an image and an input that are cut short are refused, and change nothing
 */
import { Engine, type World } from "../src/index";

interface Input {
  tick: number;
  session: number;
  message: string; // hexadecimal; empty: the session leaves
}

export interface Reference {
  physics: number;
  imageTick: number;
  inputs: Input[];
  hashes: string[];
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
      act(second, reference.inputs, tick);
      second.step();
    }
    act(world, reference.inputs, tick);
    world.step();
  }
  requireRefusals(engine, world, scene, image);
  world.destroy();
  second.destroy();
  return count;
}

export { Engine };
