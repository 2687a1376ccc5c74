/** world.ts: one world of the engine. */
import { KeptImage } from "./kept_image";
import { EngineError, type Module } from "./module";

/**
 * Numbers of each slot in `World.places`: x, y, z [m], planar angle [rad], orientation w, x, y, z.
 */
export const PLACE_NUMBERS = 8;

/** A world.  Methods that are refused throw an EngineError and change nothing. */
export class World {
  /** Engine.createWorld calls this. */
  constructor(
    private readonly module: Module,
    private readonly address: number,
  ) {}

  /** Frees the world's memory; no other method may be called afterwards. */
  destroy(): void {
    this.module.exports.cairn_destroy(this.address);
  }

  /** Ticks since the world was made. */
  get tick(): bigint {
    return this.module.exports.cairn_tick(this.address);
  }

  /** Ticks in a second of simulated time. */
  get tickRate(): number {
    return this.module.exports.cairn_tick_rate(this.address);
  }

  /** Simulates `ticks` ticks. */
  step(ticks = 1): void {
    for (let i = 0; i < ticks; i++) {
      this.module.check(this.module.exports.cairn_step(this.address));
    }
  }

  /** 64 bits over the whole state; equal to the daemon's at the same tick after the same inputs. */
  hash(): bigint {
    return BigInt.asUintN(64, this.module.exports.cairn_hash(this.address));
  }

  /** The whole state as bytes, for `restore` in a world of the same scene. */
  image(): Uint8Array {
    const { module, address } = this;
    const room = module.exports.cairn_image_size(address);
    const at = module.reserve(room);
    try {
      const size = module.check(module.exports.cairn_image_write(address, at, room));
      return module.bytes(at, size).slice();
    } finally {
      module.exports.cairn_release(at);
    }
  }

  /** Continues from an image, also of a native engine with the same physics version. */
  restore(image: Uint8Array): void {
    const { module, address } = this;
    module.withBytes(image, (at, size) =>
      module.check(module.exports.cairn_image_read(address, at, size)),
    );
  }

  /**
   * The scene as it is at the image that was restored last, if bodies have come or gone since the
   * world's own scene: the rules of the scene name bodies.
   */
  show(scene: Uint8Array): void {
    const { module, address } = this;
    module.withBytes(scene, (at, size) =>
      module.check(module.exports.cairn_show(address, at, size)),
    );
  }

  /** Writes the state into memory of the engine, without a copy for JavaScript. */
  keep(image: KeptImage): void {
    const { exports } = this.module;
    image.write(
      () => exports.cairn_image_size(this.address),
      (at, room) => exports.cairn_image_write(this.address, at, room),
    );
  }

  /** Memory for images of this world, to be freed. */
  makeKept(): KeptImage {
    return new KeptImage(this.module);
  }

  /** Continues from an image that `keep` has written. */
  recall(image: KeptImage): void {
    const { module, address } = this;
    module.check(module.exports.cairn_image_read(address, image.address, image.size));
  }

  /** Slots of bodies, absent ones included. */
  get bodyCount(): number {
    return this.module.exports.cairn_body_count(this.address);
  }

  /**
   * The places of all slots, PLACE_NUMBERS each: a view into the engine's memory, which holds until
   * the next call of a method of any world of the engine.
   */
  places(): Float64Array {
    const { module, address } = this;
    const at = module.check(module.exports.cairn_places(address));
    return new Float64Array(module.exports.memory.buffer, at, this.bodyCount * PLACE_NUMBERS);
  }

  /** Of all slots 1 if the body slept at the last call of `places`; a view, like that. */
  asleep(): Uint8Array {
    const { module, address } = this;
    return module.bytes(module.exports.cairn_asleep(address), this.bodyCount);
  }

  /**
   * Applies an input of a session before the next tick.  `message` is the ClientMessage that the
   * daemon would be sent.
   */
  input(session: bigint, message: Uint8Array): void {
    const { module, address } = this;
    module.withBytes(message, (at, size) =>
      module.check(module.exports.cairn_input(address, session, at, size)),
    );
  }

  /** The session leaves: its held inputs end before the next tick. */
  leave(session: bigint): void {
    this.module.check(this.module.exports.cairn_leave(this.address, session));
  }

  /**
   * Applies deeds of the daemon (proto/WIRE.md, "Deeds") before the next tick.  Where one is
   * refused, those before it have acted.
   */
  deeds(deeds: Uint8Array): void {
    const { module, address } = this;
    module.withBytes(deeds, (at, size) =>
      module.check(module.exports.cairn_deeds(address, at, size)),
    );
  }

  /** The bytes of each of some deeds. */
  splitDeeds(deeds: Uint8Array): Uint8Array[] {
    const { module } = this;
    const parts: Uint8Array[] = [];
    module.withBytes(deeds, (at, size) => {
      let start = 0;
      while (start < size) {
        const one = module.check(module.exports.cairn_deed_size(at + start, size - start));
        parts.push(deeds.subarray(start, start + one));
        start += one;
      }
    });
    return parts;
  }

  /**
   * The deed that the daemon makes of a session's input (a ClientMessage) that acts on the state at
   * that tick, unless caps or leases change it.
   */
  deedOf(session: bigint, tick: bigint, message: Uint8Array): Uint8Array {
    const { module, address } = this;
    const { exports } = module;
    const length = module.withBytes(message, (at, size) =>
      module.check(exports.cairn_deed_make(address, session, tick, at, size)),
    );
    return module.bytes(exports.cairn_deed(address), length).slice();
  }

  /** Answers a query (a ClientMessage) with the daemon's answer (a ServerMessage). */
  query(message: Uint8Array): Uint8Array {
    const { module, address } = this;
    const { cairn_query: ask, cairn_answer: answer, cairn_answer_size: answerSize } =
      module.exports;
    if (ask === undefined || answer === undefined || answerSize === undefined) {
      throw new EngineError("", "this module answers no queries; libcairn-impulse.wasm does");
    }
    module.withBytes(message, (at, size) => module.check(ask(address, at, size)));
    return module.bytes(answer(address), answerSize(address)).slice();
  }

  /**
   * The frames of the present tick as the daemon sends them (ServerMessages that read as one): the
   * sum of 1 for contacts and events, 2 for energy, 4 for actions.
   */
  frames(wants: number): Uint8Array<ArrayBuffer> {
    const { module, address } = this;
    const size = module.exports.cairn_frames(address, wants);
    return module.bytes(module.exports.cairn_frames_bytes(address), size).slice();
  }
}
