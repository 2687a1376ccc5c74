/** module.ts: the functions of libcairn.wasm (wasm/engine.c), and bytes to and from its memory. */

/** The functions of wasm/engine.c.  Addresses and sizes are numbers, ticks and hashes bigints. */
export interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  cairn_solo_create(scene: number, size: number): number;
  cairn_solo_destroy(solo: number): void;
  cairn_solo_hear(solo: number, address: number, size: number, nowUs: number): void;
  cairn_solo_run(solo: number, nowUs: number): number;
  cairn_solo_spent(solo: number, spentUs: number): void;
  cairn_solo_next(solo: number): number;
  cairn_solo_next_size(solo: number): number;
  cairn_error_path(): number;
  cairn_error_text(): number;
  cairn_reserve(size: number): number;
  cairn_release(address: number): void;
  cairn_create(scene: number, size: number): number;
  cairn_destroy(world: number): void;
  cairn_step(world: number): number;
  cairn_show(world: number, scene: number, size: number): number;
  cairn_tick(world: number): bigint;
  cairn_tick_rate(world: number): number;
  cairn_hash(world: number): bigint;
  cairn_physics_version(): number;
  cairn_image_size(world: number): number;
  cairn_image_write(world: number, address: number, size: number): number;
  cairn_image_read(world: number, address: number, size: number): number;
  cairn_body_count(world: number): number;
  cairn_places(world: number): number;
  cairn_asleep(world: number): number;
  cairn_input(world: number, session: bigint, address: number, size: number): number;
  cairn_leave(world: number, session: bigint): number;
  cairn_frames(world: number, wants: number): number;
  cairn_frames_bytes(world: number): number;
  cairn_deeds(world: number, address: number, size: number): number;
  cairn_deed_size(address: number, size: number): number;
  cairn_deed_make(
    world: number,
    session: bigint,
    tick: bigint,
    address: number,
    size: number,
  ): number;
  cairn_deed(world: number): number;
  /** Small modules answer no queries. */
  cairn_query?(world: number, address: number, size: number): number;
  cairn_answer?(world: number): number;
  cairn_answer_size?(world: number): number;
}

/** A refusal of the engine: the field ("bodies[3].mass", or empty) and the reason. */
export class EngineError extends Error {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(path === "" ? reason : `${path}: ${reason}`);
    this.name = "EngineError";
  }
}

/** The source of a module: a response (compiled as it arrives), bytes, or a compiled module. */
export type Source = Response | Promise<Response> | BufferSource | WebAssembly.Module;

const BAD_DESCRIPTOR = 8; // errno of WASI

/** The C library writes failed assertions, and nothing else, to standard error. */
class Console {
  private text = "";
  memory: WebAssembly.Memory | undefined;

  readonly imports = {
    wasi_snapshot_preview1: {
      fd_close: () => BAD_DESCRIPTOR,
      fd_seek: () => BAD_DESCRIPTOR,
      fd_write: (_file: number, parts: number, count: number, written: number) =>
        this.write(parts, count, written),
    },
  };

  private write(parts: number, count: number, written: number): number {
    const { buffer } = this.memory!;
    const view = new DataView(buffer);
    let size = 0;
    for (let i = 0; i < count; i++) {
      const address = view.getUint32(parts + 8 * i, true);
      const length = view.getUint32(parts + 8 * i + 4, true);
      this.text += new TextDecoder().decode(new Uint8Array(buffer, address, length));
      size += length;
    }
    view.setUint32(written, size, true);
    const lines = this.text.split("\n");
    this.text = lines.pop()!;
    for (const line of lines) {
      console.error(line);
    }
    return 0;
  }
}

function isResponse(source: Source): source is Response | Promise<Response> {
  return source instanceof Promise || source instanceof Response;
}

async function instantiate(
  source: Source,
  imports: WebAssembly.Imports,
): Promise<WebAssembly.Instance> {
  if (source instanceof WebAssembly.Module) {
    return WebAssembly.instantiate(source, imports);
  }
  const { instance } = isResponse(source)
    ? await WebAssembly.instantiateStreaming(source, imports)
    : await WebAssembly.instantiate(source, imports);
  return instance;
}

/** A running module. */
export class Module {
  private constructor(readonly exports: Exports) {}

  static async load(source: Source): Promise<Module> {
    const console = new Console();
    const instance = await instantiate(source, console.imports);
    const exports = instance.exports as unknown as Exports;
    console.memory = exports.memory;
    exports._initialize();
    return new Module(exports);
  }

  /** A view of the module's memory, which holds until the next call of a function of it. */
  bytes(address: number, size: number): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, address, size);
  }

  /** Calls with `bytes` copied into the module's memory for the time of the call. */
  withBytes<T>(bytes: Uint8Array, call: (address: number, size: number) => T): T {
    const address = this.reserve(bytes.length);
    try {
      this.bytes(address, bytes.length).set(bytes);
      return call(address, bytes.length);
    } finally {
      this.exports.cairn_release(address);
    }
  }

  /** Reserves memory of the module; `cairn_release` frees it. */
  reserve(size: number): number {
    const address = this.exports.cairn_reserve(size);
    if (address === 0) {
      throw new EngineError("", `${size} bytes are more than there is memory for`);
    }
    return address;
  }

  /** Throws the refusal of the last call, if `result` is not 0. */
  check(result: number): number {
    if (result === 0) {
      const { exports } = this;
      throw new EngineError(
        this.text(exports.cairn_error_path()),
        this.text(exports.cairn_error_text()),
      );
    }
    return result;
  }

  private text(address: number): string {
    const memory = new Uint8Array(this.exports.memory.buffer);
    return new TextDecoder().decode(memory.subarray(address, memory.indexOf(0, address)));
  }
}
