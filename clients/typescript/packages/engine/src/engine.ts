/** engine.ts: a loaded engine, which makes worlds. */
import { Module, type Source } from "./module";
import { Solo } from "./solo";
import { World } from "./world";

export class Engine {
  private constructor(private readonly module: Module) {}

  /** Compiles a module; a response is compiled while it arrives. */
  static async load(source: Source): Promise<Engine> {
    return new Engine(await Module.load(source));
  }

  /** Worlds of engines with different versions may have different bits after the same inputs. */
  get physicsVersion(): number {
    return this.module.exports.cairn_physics_version();
  }

  /**
   * A world from the bytes of a Scene (proto/cairn/v1/scene.proto), to be destroyed.  Throws an
   * EngineError that names the field if the scene is refused.
   */
  createWorld(scene: Uint8Array): World {
    const { module } = this;
    const address = module.withBytes(scene, (at, size) =>
      module.check(module.exports.cairn_create(at, size)),
    );
    return new World(module, address);
  }

  /** The same as a world that answers a client without a daemon; libcairn.wasm alone has it. */
  createSolo(scene: Uint8Array): Solo {
    const { module } = this;
    const address = module.withBytes(scene, (at, size) =>
      module.check(module.exports.cairn_solo_create(at, size)),
    );
    return new Solo(module, address);
  }
}
