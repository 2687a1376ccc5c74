/**
 * daemon.mjs: a real cairnd on a port of its own choice, with its data in a temporary folder.
 *
 * Started again it uses the same port, after any other process has released it.  Daemons and
 * folders end with this process, whatever ends it.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sleep } from "./wait.mjs";

const START_MS = 120_000;
const STOP_MS = 60_000;
const POLL_MS = 50;
/** Clean-up functions for the end of this process, which need no event loop. */
const endings = new Set();

process.once("exit", () => endings.forEach((end) => end()));
for (const [signal, number] of [["SIGHUP", 1], ["SIGINT", 2], ["SIGTERM", 15]]) {
  process.once(signal, () => process.exit(128 + number));
}

/** A folder that is removed with this process, or before it by the returned function. */
export function makeFolder(prefix) {
  const path = mkdtempSync(join(tmpdir(), prefix));
  const remove = () => {
    rmSync(path, { recursive: true, force: true });
    endings.delete(remove);
  };
  endings.add(remove);
  return { path, remove };
}

export class Daemon {
  /** `program` is cairnd's path, `page` the folder of the built page, `more` are options. */
  constructor(program, page, more = []) {
    this.more = more;
    this.program = program;
    this.page = page;
    this.log = "";
    this.process = null;
    this.port = 0;
    this.portBefore = 0;
    this.folder = null;
    this.isUp = false;
    /** Whether it has ever ended without having been asked to. */
    this.hasCrashed = false;
  }

  get origin() {
    return `http://127.0.0.1:${this.port}`;
  }

  async start() {
    this.folder ??= makeFolder("cairn-e2e-");
    const deadline = Date.now() + START_MS;
    do {
      this.launch();
      while (this.isRunning() && Date.now() < deadline) {
        this.port = Number(/listening at http:\/\/127\.0\.0\.1:(\d+)\//.exec(this.log)?.[1] ?? 0);
        if (this.port !== 0 && await this.isReady()) {
          this.portBefore = this.port;
          this.isUp = true;
          return;
        }
        await sleep(POLL_MS);
      }
      await sleep(POLL_MS);
    } while (/ is in use by /.test(this.log) && Date.now() < deadline);
    throw new Error(`cairnd does not come up:\n${this.log}`);
  }

  launch() {
    // On a busy machine a worker's load may seem too high for another world.
    const options = ["--listen", `127.0.0.1:${this.portBefore}`, "--data", this.folder.path,
      "--load-max", "100", ...this.more];
    const child = spawn(this.program, [...options, "--page", this.page], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const kill = () => child.kill("SIGKILL");
    endings.add(kill);
    this.log = "";
    child.stdout.on("data", (bytes) => (this.log += bytes));
    child.stderr.on("data", (bytes) => (this.log += bytes));
    this.ended = new Promise((resolve) => {
      child.on("close", (code, signal) => resolve({ code, signal }));
      child.on("error", (error) => resolve({ code: -1, signal: String(error) }));
    });
    this.ended.then(() => {
      endings.delete(kill);
      this.hasCrashed ||= this.process === child && this.isUp;
    });
    this.process = child;
  }

  isRunning() {
    return this.process !== null && this.process.pid !== undefined &&
      this.process.exitCode === null && this.process.signalCode === null;
  }

  async isReady() {
    const response = await fetch(`${this.origin}/readyz`).catch(() => null);
    await response?.text();
    return response?.ok === true;
  }

  /** A request with a JSON body; its answer. */
  async ask(method, path, body) {
    const response = await fetch(this.origin + path, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) {
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    }
    return answer;
  }

  /** Removes a world, if it is there. */
  async remove(world) {
    const headers = { "content-type": "application/json" };
    const path = `/v1/worlds/${world}`;
    await fetch(this.origin + path, { method: "DELETE", headers }).catch(() => null);
  }

  /** Asks it to stop, and kills it if it does not; returns the exit status. */
  async stop() {
    this.isUp = false;
    this.process.kill("SIGTERM");
    const timer = setTimeout(() => this.process.kill("SIGKILL"), STOP_MS);
    const status = await this.ended;
    clearTimeout(timer);
    return status;
  }

  /** Kills it, as a power failure would. */
  async kill() {
    this.isUp = false;
    this.process.kill("SIGKILL");
    return this.ended;
  }

  async finish() {
    if (this.isRunning()) {
      await this.stop();
    }
    this.folder?.remove();
  }
}
