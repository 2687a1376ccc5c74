/** peer.mjs: a client of the daemon that uses only the npm modules ws and protobuf-es. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import WebSocket from "ws";
import {
  ClientMessageSchema,
  ServerMessageSchema,
} from "../packages/protocol/generated/cairn/v1/wire_pb";

const PATIENCE_MS = 60_000;

/** Fails after a time with a text that names the awaited event. */
function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no ${what}`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** The HTTP status of a handshake: 101 if it is accepted. */
export function handshake(url, protocols, options) {
  const socket = new WebSocket(url, protocols, options);
  const status = new Promise((resolve) => {
    socket.on("open", () => resolve(101));
    socket.on("unexpected-response", (_, response) => resolve(response.statusCode));
    socket.on("error", () => resolve(0));
  });
  return within(status, "answer to a handshake").finally(() => socket.terminate());
}

export class Peer {
  /** Decoded messages with their bytes that the test has not taken yet. */
  #heard = [];
  #waiting = null;

  constructor(url, options = {}) {
    this.socket = new WebSocket(url, "cairn.v1", options);
    this.socket.binaryType = "nodebuffer";
    this.closed = new Promise((resolve) => {
      this.socket.on("close", (code, reason) => resolve({ code, reason: String(reason) }));
    });
    this.socket.on("error", () => {}); // `closed` reports the end
    this.socket.on("message", (bytes, isBinary) => {
      this.#heard.push({ ...fromBinary(ServerMessageSchema, bytes).message, bytes, isBinary });
      this.#waiting?.();
    });
  }

  async open() {
    await within(
      new Promise((resolve, reject) => {
        this.socket.on("open", resolve);
        this.socket.on("error", reject);
      }),
      "open socket",
    );
    return this;
  }

  end() {
    return within(this.closed, "close");
  }

  finish() {
    this.socket.terminate();
  }

  encode(kind, value) {
    return toBinary(ClientMessageSchema, create(ClientMessageSchema, {
      message: { case: kind, value },
    }));
  }

  say(kind, value) {
    this.socket.send(this.encode(kind, value));
  }

  /** The next message of that kind; those before it are dropped. */
  async next(kind) {
    const found = async () => {
      for (;;) {
        while (this.#heard.length > 0) {
          const message = this.#heard.shift();
          if (message.case === kind) {
            return message;
          }
        }
        await new Promise((resolve) => (this.#waiting = resolve));
      }
    };
    return within(found(), kind);
  }

  async join(world, name = "peer") {
    this.say("hello", { version: 1, name, client: "ws" });
    const welcome = (await this.next("welcome")).value;
    this.say("join", { world });
    return { welcome, joined: (await this.next("joined")).value };
  }
}
