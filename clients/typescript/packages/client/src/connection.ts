/**
 * connection.ts: a WebSocket to the daemon that reconnects by itself.
 *
 *     CONNECTING --open, Welcome--> OPEN --close--> WAITING --back-off--> CONNECTING
 *     CONNECTING --Rejected, not CAPACITY--> REFUSED;  OPEN --Rejected TOKEN, EXPIRED--> REFUSED
 *     REFUSED --start()--> CONNECTING
 *     any --stop()--> STOPPED
 *
 * The connection sends Hello, passes decoded messages to its owner and measures the clock by pings.
 * It closes the socket if the daemon was silent for SILENCE_BEATS_MAX beats of one second.  It
 * counts beats instead of time, because a page that was busy for long has read nothing either.  It
 * does not depend on worlds.  It asks the daemon to keep the session when the socket is lost, and
 * continues that session on the next socket.
 */
import type { LocalMilliseconds } from "@cairn/protocol";
import { type MessageInitShape, create, toBinary } from "@bufbuild/protobuf";
import {
  ClientMessageSchema,
  type ServerFrameSink,
  ChunkGatherer,
  Hello_Role,
  ServerFrameDecoder,
  type ServerMessage,
  type Welcome,
} from "@cairn/protocol";
import { backoffMs } from "./backoff";
import { RateMeter } from "./rate_meter";
import { ServerClock } from "./server_clock";
import { type Readable, Store } from "./store";

export const PROTOCOL_VERSION = 1;
export const SUBPROTOCOL = "cairn.v1";

/** A client's message, as a plain object. */
export type ClientAction = MessageInitShape<typeof ClientMessageSchema>["message"];

/** The part of a WebSocket that is used here, so that tests can replace it. */
export interface SocketLike {
  binaryType: string;
  readonly bufferedAmount: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(): void;
}
export type SocketOpener = (url: string, subprotocol: string) => SocketLike;

export type ConnectionState =
  | { kind: "connecting"; attempt: number }
  | { kind: "open"; session: bigint }
  | { kind: "waiting"; attempt: number; retryAt: number; reason: string }
  | { kind: "refused"; code: string; text: string }
  | { kind: "stopped" };

export interface ConnectionOptions {
  url: string;
  name: string;
  client: string;
  /** The token, read before each Hello; "" if the daemon requires none. */
  token?: () => string;
  /** The role to ask for; the token's own if absent. */
  role?: Hello_Role;
  /** Whether the daemon keeps the session while its socket is lost; true if absent. */
  keep?: boolean;
  open?: SocketOpener;
}

/** The progress of a message that comes in parts, in bytes. */
export interface Progress {
  taken: number;
  size: number;
}

/** Callbacks to the owner; messages of every tick are borrowed for the call. */
export interface ConnectionOwner extends ServerFrameSink {
  onWelcome(welcome: Welcome): void;
  onLost(reason: string): void;
}

/** Refusals after which another try is useless. */
const REFUSALS: ReadonlySet<string> = new Set(["TOKEN", "EXPIRED"]);

const PING_INTERVAL_MS = 1_000;
const PING_FIRST_MS = [50, 350];
const SILENCE_BEATS_MAX = 8;

export function openWebSocket(url: string, subprotocol: string): SocketLike {
  return new WebSocket(url, subprotocol) as SocketLike;
}

export class Connection {
  private readonly stateStore = new Store<ConnectionState>({ kind: "stopped" });
  readonly state: Readable<ConnectionState> = this.stateStore;
  readonly clock = new ServerClock();
  readonly bytesIn = new RateMeter();
  private readonly decoder = new ServerFrameDecoder();
  private readonly chunks = new ChunkGatherer();
  /** A message whose parts have all arrived. */
  private whole: Uint8Array | undefined;
  private readonly progressStore = new Store<Progress | null>(null);
  /** The progress of a large scene; null if none is being received. */
  readonly progress: Readable<Progress | null> = this.progressStore;
  private readonly sink: ServerFrameSink;
  private socket: SocketLike | null = null;
  private timers: ReturnType<typeof setTimeout>[] = [];
  private heartbeat: ReturnType<typeof setInterval> | undefined;
  private attempt = 0;
  /** Beats since the last message. */
  private silentBeats = 0;
  /** When the present message arrived. */
  arrivedAt: LocalMilliseconds = 0;
  private welcomed = false;
  /** How often a socket was lost. */
  lossCount = 0;
  /** The resume token for the next Hello; empty if there is no session to continue. */
  private resume: Uint8Array = new Uint8Array();

  constructor(
    private readonly options: ConnectionOptions,
    private readonly owner: ConnectionOwner,
  ) {
    this.sink = {
      onTick: (header) => {
        this.clock.onHeader(this.arrivedAt, header.serverTime);
        owner.onTick(header);
      },
      onSnapshot: (snapshot) => owner.onSnapshot(snapshot),
      onDelta: (delta) => owner.onDelta(delta),
      onContacts: (contacts) => owner.onContacts(contacts),
      onContactDelta: (delta) => owner.onContactDelta(delta),
      onEnergy: (energy) => owner.onEnergy(energy),
      onMessage: (message) => this.onMessage(message),
    };
  }

  start(): void {
    const { kind } = this.stateStore.get();
    if (kind === "stopped" || kind === "refused") {
      this.attempt = 0;
      this.connect();
    }
  }

  stop(): void {
    this.resume = new Uint8Array();
    this.drop();
    this.stateStore.set({ kind: "stopped" });
  }

  /** Closes the socket without a Leave, like a network failure. */
  cut(): void {
    if (this.socket !== null) {
      this.lose("the connection was cut");
    }
  }

  /** Ends the back-off; no effect unless waiting. */
  retryNow(): void {
    if (this.stateStore.get().kind === "waiting") {
      this.clearTimers();
      this.connect();
    }
  }

  /** False if there is no open connection. */
  send(message: ClientAction): boolean {
    if (this.socket === null || this.stateStore.get().kind !== "open") {
      return false;
    }
    this.write(message);
    return true;
  }

  private write(message: ClientAction): void {
    const bytes = toBinary(ClientMessageSchema, create(ClientMessageSchema, { message }));
    this.socket?.send(bytes as Uint8Array<ArrayBuffer>);
  }

  private connect(): void {
    this.stateStore.set({ kind: "connecting", attempt: this.attempt });
    this.welcomed = false;
    this.clock.reset();
    const { open = openWebSocket, url } = this.options;
    const socket = open(url, SUBPROTOCOL);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.silentBeats = 0;
    this.heartbeat = setInterval(() => this.beat(), PING_INTERVAL_MS);
    socket.onopen = () => {
      const { name, client } = this.options;
      const token = this.options.token?.() ?? "";
      const { resume } = this;
      const { keep = true, role = Hello_Role.OWN } = this.options;
      const hello = { version: PROTOCOL_VERSION, name, client, token, keep, resume, role };
      this.write({ case: "hello", value: hello });
    };
    socket.onmessage = (event: MessageEvent) => this.onFrame(event.data, event.timeStamp);
    socket.onclose = (event: CloseEvent) => this.lose(closeReason(event));
    socket.onerror = () => {}; // a close follows; the package ws throws without a listener
  }

  private onFrame(data: unknown, came = performance.now()): void {
    if (!(data instanceof ArrayBuffer)) {
      return;
    }
    this.silentBeats = 0;
    this.arrivedAt = came;
    this.bytesIn.add(came, data.byteLength);
    try {
      this.decoder.decode(new Uint8Array(data), this.sink);
      const { whole } = this;
      if (whole !== undefined) {
        this.whole = undefined;
        this.decoder.decode(whole, this.sink);
      }
    } catch (error) {
      this.lose(`the daemon sent what can not be read: ${String(error)}`);
    }
  }

  /** Passes on messages that the page made itself, as if they had come from the daemon. */
  takeOwn(messages: Uint8Array): void {
    this.decoder.decode(messages, this.sink);
  }

  private onMessage(message: ServerMessage["message"]): void {
    if (message.case === "pong") {
      const sent = Number(message.value.clientTimeUs) / 1000;
      this.clock.onPong(sent, this.arrivedAt, Number(message.value.serverTimeUs));
      this.owner.onMessage(message);
    } else if (message.case === "welcome") {
      this.welcomed = true;
      this.attempt = 0;
      this.resume = message.value.resume;
      this.stateStore.set({ kind: "open", session: message.value.session });
      this.timers = PING_FIRST_MS.map((after) => setTimeout(() => this.ping(), after));
      this.owner.onWelcome(message.value);
    } else if (message.case === "chunk") {
      this.whole = this.chunks.take(message.value);
      const { taken, size } = this.chunks;
      this.progressStore.set(size > 0 ? { taken, size } : null);
    } else if (message.case === "rejected" && this.isRefusal(message.value.error?.code ?? "")) {
      const { code = "", text = "" } = message.value.error ?? {};
      this.resume = new Uint8Array();
      this.drop();
      this.stateStore.set({ kind: "refused", code, text });
      this.owner.onLost(text);
    } else {
      this.owner.onMessage(message);
    }
  }

  private isRefusal(code: string): boolean {
    return REFUSALS.has(code) || (!this.welcomed && code !== "CAPACITY");
  }

  private beat(): void {
    if (++this.silentBeats > SILENCE_BEATS_MAX) {
      this.lose("the daemon does not answer");
    } else if (this.welcomed) {
      this.ping();
    }
  }

  private ping(): void {
    const clientTimeUs = BigInt(Math.round(performance.now() * 1000));
    this.send({ case: "ping", value: { clientTimeUs } });
  }

  private lose(reason: string): void {
    if (this.socket === null) {
      return; // the owner has stopped it while it read a message
    }
    this.lossCount++;
    this.drop();
    const wait = backoffMs(this.attempt, Math.random());
    this.attempt++;
    const retryAt = performance.now() + wait;
    this.timers.push(setTimeout(() => this.connect(), wait));
    this.stateStore.set({ kind: "waiting", attempt: this.attempt, retryAt, reason });
    this.owner.onLost(reason);
  }

  private drop(): void {
    this.chunks.clear();
    this.whole = undefined;
    this.progressStore.set(null);
    this.clearTimers();
    clearInterval(this.heartbeat);
    const socket = this.socket;
    this.socket = null;
    if (socket !== null) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    }
  }

  private clearTimers(): void {
    this.timers.forEach(clearTimeout);
    this.timers = [];
  }
}

function closeReason(event: CloseEvent): string {
  if (event.reason !== "") {
    return event.reason;
  }
  return event.code === 1001 ? "the daemon is stopping" : "the daemon cannot be reached";
}
