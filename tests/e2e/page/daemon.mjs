/** daemon.mjs: a real cairnd on a free port, with its data in a temporary folder. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sleep } from "./wait.mjs";

const START_MS = 60_000;
const STOP_MS = 30_000;

/** A port that was free a moment ago. */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class Daemon {
  /** `program` is cairnd's path, `page` the folder of the built page, `more` are options. */
  constructor(program, page, more = []) {
    this.more = more;
    this.program = program;
    this.page = page;
    this.log = "";
    this.process = null;
  }

  get origin() {
    return `http://127.0.0.1:${this.port}`;
  }

  async start() {
    this.port ??= await freePort();
    this.data ??= await mkdtemp(join(tmpdir(), "cairn-e2e-"));
    // On a machine that does much else a worker seems to have no time left for another world.
    const options = ["--listen", `127.0.0.1:${this.port}`, "--data", this.data,
      "--load-max", "100", ...this.more];
    const child = spawn(this.program, [...options, "--page", this.page], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.on("data", (bytes) => (this.log += bytes));
    child.stderr.on("data", (bytes) => (this.log += bytes));
    this.ended = new Promise((resolve) => {
      child.on("exit", (code, signal) => resolve({ code, signal }));
      child.on("error", (error) => resolve({ code: -1, signal: String(error) }));
    });
    this.process = child;
    const deadline = Date.now() + START_MS;
    while (!(await this.isReady())) {
      if (Date.now() > deadline || child.exitCode !== null) {
        throw new Error(`cairnd does not come up:\n${this.log}`);
      }
      await sleep(50);
    }
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

  /** Asks it to stop, and insists when it does not; the exit status. */
  async stop() {
    this.process.kill("SIGTERM");
    const timer = setTimeout(() => this.process.kill("SIGKILL"), STOP_MS);
    const status = await this.ended;
    clearTimeout(timer);
    return status;
  }

  async finish() {
    if (this.process !== null && this.process.exitCode === null) {
      await this.stop();
    }
    if (this.data !== undefined) {
      await rm(this.data, { recursive: true, force: true });
    }
  }
}
