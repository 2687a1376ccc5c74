/** world.ts: one world of the engine. */
import type { Module } from "./module";

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

  /** Answers a query (a ClientMessage) with the daemon's answer (a ServerMessage). */
  query(message: Uint8Array): Uint8Array {
    const { module, address } = this;
    module.withBytes(message, (at, size) =>
      module.check(module.exports.cairn_query(address, at, size)),
    );
    const { exports } = module;
    return module.bytes(exports.cairn_answer(address), exports.cairn_answer_size(address)).slice();
  }
}
