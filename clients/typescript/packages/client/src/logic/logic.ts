/**
 * logic.ts: the logic of a world: a program that decides about it (docs/logic.md).
 *
 * It joins the world with the role LOGIC, gets a LogicTick for each tick and answers it with what
 * its handlers have done.  Handlers run one after another and are not asynchronous: their effects
 * are collected, and act together before the next tick.  Effects of other functions, such as
 * timers, act with the next answer.
 *
 * A logic that lost its connection, or that was killed, comes back and gets everything that it has
 * not answered.  So each message, member and event has its effect once.  State that has to survive
 * belongs into attributes.
 *
 *     STOPPED --start()--> CONNECTING --Joined, LogicStart--> RUNNING --loss--> CONNECTING
 *     any --stop(), a handler that throws, another logic--> STOPPED
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type BodyCommandSchema, type BodyCommand_PlaceSchema, type BodyCommand_VelocitySchema,
  type Body_Type, type ChangeSchema, type FilterSchema, type Joined, type LogicTick,
  type Rejected, type ServerMessage, type SettingsSchema, type SpawnSchema, type Vec3Schema,
  Hello_Role, LogicStart_Mode,
} from "@cairn/protocol";
import {
  type AttributeMap, type AttributeOwner, type AttributeValue, THE_WORLD, attributeMessage,
} from "../attributes";
import { Connection, type SocketLike, type SocketOpener } from "../connection";
import { type Message, type SayTo, makeSay, readSaid } from "../messages";
import { RefusedError, refusal } from "../refused_error";
import { Answer } from "./answer";
import { Bodies } from "./bodies";
import { LogicAttributes } from "./logic_attributes";

/** A class like the browser's WebSocket: the default export of the package `ws`, for example. */
export type WebSocketClass = new (url: string, subprotocol: string) => unknown;

export interface Member {
  session: bigint;
  /** Empty if it has left since. */
  name: string;
  role: Hello_Role;
}

export interface LogicEvent {
  tick: number;
  /** sensorBegin, contactHit, jointBreak, ... (docs/simulation.md) */
  kind: string;
  /** Slots; -1: none. */
  bodyA: number;
  bodyB: number;
  /** The names of the bodies; "": none, or it was removed. */
  a: string;
  b: string;
  value: number;
}

export interface TickNews {
  tick: number;
  number: bigint;
  /** Of the state, 16 hex digits; "": not computed at this tick. */
  hash: string;
  /** Answers that came late since the start. */
  lateCount: number;
  /** Events and members for which the daemon had no room since the LogicTick before. */
  dropped: number;
}

/** Whose attribute it is; a body by its name or its slot. */
export type Owner = "world" | { body: string | number } | { session: bigint };

export interface LogicHandlers {
  /** The first LogicTick after each start and each reconnect: `members` and attributes are all. */
  onStart?(news: TickNews): void;
  onJoin?(member: Member): void;
  onLeave?(member: Member): void;
  onEvent?(event: LogicEvent): void;
  /** A message to the logic; session 0n does not occur. */
  onMessage?(message: Message): void;
  /** After all of the above. */
  onTick?(news: TickNews): void;
  /** An effect of an earlier answer did nothing.  Without a handler it is a warning. */
  onRefused?(error: RefusedError): void;
  /** The logic has ended: stop() has no error. */
  onStop?(error: Error | null): void;
}

export interface LogicOptions extends LogicHandlers {
  /** "ws://127.0.0.1:7878/v1/ws"; the package ws also has "ws+unix:/run/cairn.sock:/v1/ws". */
  url: string;
  world: string;
  /** Read before each connection; "" if the daemon requires none. */
  token?: () => string;
  /** The program's name, for logs. */
  client?: string;
  webSocket?: WebSocketClass;
  open?: SocketOpener;
  /** Ticks wait for the answer, or effects act `lead` ticks later; barrier if absent. */
  mode?: "barrier" | "ahead";
  /** AHEAD: 1 to 120 ticks; 2 if absent. */
  lead?: number;
  /** BARRIER: how long a tick waits, 1 to 4,000 us; 4,000 if absent. */
  deadlineUs?: number;
  /** A LogicTick every so many ticks; 1 if absent. */
  every?: number;
}

/** Rejected answers after which everything that is not answered is asked for again. */
const PASSING: ReadonlySet<string> = new Set(["BUSY", "RATE", "READONLY", "SEQ", "MEMORY"]);
const RETRY_MS = 1_000;
const START_REQUEST = 1;

function openerOf({ open, webSocket }: LogicOptions): SocketOpener {
  const Socket = webSocket ?? (globalThis.WebSocket as WebSocketClass | undefined);
  if (open === undefined && Socket === undefined) {
    throw new Error("this program has no WebSocket: pass that of the package ws as `webSocket`");
  }
  return open ?? ((url, subprotocol) => new Socket!(url, subprotocol) as SocketLike);
}

export class Logic {
  readonly connection: Connection;
  /** All members but the logic, by session. */
  readonly members = new Map<bigint, Member>();
  readonly bodies = new Bodies();
  private readonly attributes = new LogicAttributes();
  private readonly answer = new Answer();
  /** Of the last LogicTick. */
  tick = 0;
  /** Ticks a second. */
  tickRate = 60;
  private number = 0n;
  /** The LogicTick that the collected effects will answer. */
  private answers = 0n;
  private isStopped = true;
  private isStarting = false;
  private retry: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: LogicOptions) {
    const nothing = () => {};
    const { url, token, client = "cairn-logic" } = options;
    this.connection = new Connection({
      url, name: "logic", client, token, open: openerOf(options),
      role: Hello_Role.LOGIC, keep: false,
    }, {
      onWelcome: () => this.join(),
      onLost: () => this.onLost(),
      onTick: nothing, onSnapshot: nothing, onDelta: nothing, onContacts: nothing,
      onContactDelta: nothing, onEnergy: nothing,
      onMessage: (message) => this.onMessage(message),
    });
  }

  start(): void {
    this.isStopped = false;
    this.connection.start();
  }

  /** The world keeps what happens for the next start. */
  stop(): void {
    this.end(null);
  }

  // ---- effects ----

  /** Copies a prefab of the scene; without a name it gets the prefab's and a number. */
  spawn(prefab: string, at: MessageInitShape<typeof SpawnSchema> = {}): void {
    this.change({ spawns: [{ ...at, prefab }] });
  }

  /** Removes bodies by their names. */
  remove(...names: string[]): void {
    this.change({ remove: names });
  }

  /** Makes and removes bodies and joints: all of them, or none. */
  change(value: MessageInitShape<typeof ChangeSchema>): void {
    this.answer.add({ case: "change", value });
  }

  /** Puts a body at a pose.  False: there is no such body. */
  place(body: string | number, value: MessageInitShape<typeof BodyCommand_PlaceSchema>): boolean {
    return this.command(body, { case: "place", value });
  }

  setVelocity(
    body: string | number, value: MessageInitShape<typeof BodyCommand_VelocitySchema>,
  ): boolean {
    return this.command(body, { case: "velocity", value });
  }

  /** The velocity of a DYNAMIC body changes by impulse / mass [N s]. */
  push(body: string | number, impulse: MessageInitShape<typeof Vec3Schema>): boolean {
    const slot = this.slotOf(body);
    if (slot !== undefined) {
      this.answer.add({ case: "push", value: { body: slot, impulse } });
    }
    return slot !== undefined;
  }

  setType(body: string | number, value: Body_Type): boolean {
    return this.command(body, { case: "type", value });
  }

  /** The filter of all shapes of the body. */
  setFilter(body: string | number, filter: MessageInitShape<typeof FilterSchema>): boolean {
    return this.command(body, { case: "filter", value: { filter } });
  }

  sleep(body: string | number, asleep = true): boolean {
    return this.command(body, { case: "asleep", value: asleep });
  }

  /** Any command to a body.  False: there is no such body. */
  command(
    body: string | number, action: MessageInitShape<typeof BodyCommandSchema>["action"],
  ): boolean {
    const slot = this.slotOf(body);
    if (slot !== undefined) {
      this.answer.add({ case: "body", value: { body: slot, action } });
    }
    return slot !== undefined;
  }

  /** Null removes the attribute.  False: there is no such body. */
  setAttribute(owner: Owner, name: string, value: AttributeValue | null): boolean {
    const of = this.ownerOf(owner);
    if (of === undefined) {
      return false;
    }
    const attribute = { name, ...(value !== null && { value: attributeMessage(value) }) };
    this.answer.add({ case: "attribute", value: { owner: of, attribute } });
    this.attributes.set(of, name, value, this.answers);
    return true;
  }

  settings(value: MessageInitShape<typeof SettingsSchema>): void {
    this.answer.add({ case: "settings", value });
  }

  /** Takes the world back to its scene. */
  reset(): void {
    this.answer.add({ case: "reset", value: {} });
  }

  /** Sends a message to all members, or to one. */
  say(channel: string, content: string | Uint8Array, to: Exclude<SayTo, "logic"> = "all"): void {
    this.answer.say(makeSay(channel, content, to));
  }

  // ---- reading ----

  /** With what the logic itself has set; undefined: there is no such attribute. */
  attribute(owner: Owner, name: string): AttributeValue | undefined {
    const of = this.ownerOf(owner);
    return of === undefined ? undefined : this.attributes.get(of, name);
  }

  attributesOf(owner: Owner): AttributeMap {
    const of = this.ownerOf(owner);
    return of === undefined ? new Map() : this.attributes.of(of);
  }

  private slotOf(body: string | number): number | undefined {
    return typeof body === "number" ? body : this.bodies.slot(body);
  }

  private ownerOf(owner: Owner): AttributeOwner | undefined {
    if (owner === "world") {
      return THE_WORLD;
    }
    if ("session" in owner) {
      return { case: "session", value: owner.session };
    }
    const value = this.slotOf(owner.body);
    return value === undefined ? undefined : { case: "body", value };
  }

  // ---- the exchange ----

  private join(): void {
    this.connection.send({ case: "join", value: { world: this.options.world } });
  }

  private sendStart(): void {
    const { mode = "barrier", every = 1, deadlineUs = 0 } = this.options;
    this.isStarting = true;
    this.answer.clear();
    this.connection.send({
      case: "logic",
      value: {
        request: START_REQUEST, every, deadlineUs, take: true,
        mode: mode === "barrier" ? LogicStart_Mode.BARRIER : LogicStart_Mode.AHEAD,
        events: this.options.onEvent !== undefined,
      },
    });
  }

  private onMessage(message: ServerMessage["message"]): void {
    switch (message.case) {
      case "joined":
        this.onJoined(message.value);
        break;
      case "changed":
        this.bodies.onChanged(message.value);
        break;
      case "logicTick":
        this.onLogicTick(message.value);
        break;
      case "rejected":
        this.onRejected(message.value);
        break;
      default:
        break;
    }
  }

  /** Also after a reset or a load, when the logic is running already. */
  private onJoined({ scene, generation, status, world }: Joined): void {
    const isFirst = this.number === 0n && !this.isStarting;
    if (world !== this.options.world) {
      return;
    }
    this.bodies.onJoined(scene, generation);
    this.tickRate = status?.tickRate || 60;
    if (isFirst) {
      this.sendStart();
    }
  }

  private onLogicTick(news: LogicTick): void {
    if (this.isStarting && !news.first) {
      return; // one from before the LogicStart
    }
    this.isStarting = false;
    this.number = this.answers = news.number;
    this.tick = Number(news.tick);
    this.attributes.onTick(news.attributes, news.first, news.answered);
    try {
      this.handle(news);
    } catch (error) {
      this.end(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    const { mode, lead = 2 } = this.options;
    const atTick = mode === "ahead" ? news.tick + BigInt(lead) : 0n;
    this.connection.send({
      case: "logicDone", value: this.answer.take(news.number, atTick, this.bodies.generation),
    });
    this.answers++;
  }

  private handle(news: LogicTick): void {
    const { options } = this;
    const { number, hash, lateCount, dropped } = news;
    const tickNews: TickNews = { tick: this.tick, number, hash, lateCount, dropped };
    for (const { error } of news.refused) {
      const refused = refusal(error);
      (options.onRefused ?? ((one) => console.warn(`cairn: ${one.code}: ${one.message}`)))(refused);
    }
    if (news.first) {
      this.members.clear();
      news.people.forEach(({ session, name, role }) =>
        this.members.set(session, { session, name, role }));
      options.onStart?.(tickNews);
    }
    for (const { session, name, role, left } of news.members) {
      const member = this.members.get(session) ?? { session, name, role };
      if (left) {
        this.members.delete(session);
        options.onLeave?.(member);
      } else {
        this.members.set(session, member);
        options.onJoin?.(member);
      }
    }
    for (const frame of news.events) {
      for (const { kind, bodyA, bodyB, value } of frame.events) {
        const [a, b] = [this.bodies.name(bodyA), this.bodies.name(bodyB)];
        options.onEvent?.({ tick: Number(frame.tick), kind, bodyA, bodyB, a, b, value });
      }
    }
    news.messages.forEach((said) => options.onMessage?.(readSaid(said)));
    options.onTick?.(tickNews);
  }

  private onRejected({ request, error }: Rejected): void {
    const refused = refusal(error);
    const { code } = refused;
    if (code === "CONFLICT" || code === "RIGHTS") {
      this.end(refused); // CONFLICT: another logic has taken the place
    } else if (this.number === 0n && request !== START_REQUEST) {
      this.retryLater(() => this.join(), RETRY_MS); // the world may come later
    } else if (PASSING.has(code)) {
      this.retryLater(() => this.sendStart(), error?.retryMs || RETRY_MS);
    } else {
      this.end(refused);
    }
  }

  private retryLater(action: () => void, waitMs: number): void {
    this.isStarting = this.number !== 0n; // LogicTicks until then are not answered
    clearTimeout(this.retry);
    this.retry = setTimeout(action, waitMs);
  }

  private onLost(): void {
    clearTimeout(this.retry);
    this.number = 0n;
    this.isStarting = false;
    this.answer.clear();
    const state = this.connection.state.get();
    if (state.kind === "refused") {
      this.end(new RefusedError(state.code, "", state.text));
    }
  }

  private end(error: Error | null): void {
    if (this.isStopped) {
      return;
    }
    this.isStopped = true;
    clearTimeout(this.retry);
    this.answer.clear();
    this.connection.stop();
    this.number = 0n;
    this.isStarting = false;
    queueMicrotask(() => { // an error that is thrown here ends the program
      if (this.options.onStop !== undefined) {
        this.options.onStop(error);
      } else if (error !== null) {
        throw error;
      }
    });
  }
}
