/**
 * session.ts: one page in one world: joins it, rejoins after a reconnect, and sends inputs.
 *
 * Inputs are numbered 1, 2, 3, ... from each Join.  After a lost connection the session continues
 * if it can.  Its held inputs have acted meanwhile; slots that the user released meanwhile are then
 * released.  If the session cannot continue, it joins again and holds no inputs.
 *
 * Leases end with the stay in a world, as inputs do.  A drag first asks for a lease of its body.
 *
 * A Control or Lease has a request number.  ControlDone fulfils its promise; Rejected or the loss
 * of the connection rejects it.
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  Changed, ContactColumns, ContactDeltaColumns, ControlSchema, DeltaColumns, EnergyFields,
  EventFrame, ForkSchema, Forked, InputSchema, InterestSchema, Joined, LeaseSchema, Presence,
  Rejected, Scene, ServerMessage, SettingsSchema, SnapshotColumns, Tick, TickHeaderFields,
  Welcome, WorldStatus,
} from "@cairn/protocol";
import {
  DeltaStates, Hello_Role, Input_Frame, WorldStatus_State, followScene, isSpatial, viewHash,
} from "@cairn/protocol";
import { Connection, type ConnectionOptions } from "./connection";
import { ActionBuffer } from "./action_buffer";
import { Attributes } from "./attributes";
import { BodyCommands } from "./body_commands";
import { ContactBuffer } from "./contact_buffer";
import { DeedLink } from "./deed_link";
import { type DragAction, dragMessage } from "./drag_action";
import { initialPoses } from "./initial_poses";
import { InputTick } from "./input_tick";
import { type LeaseTarget, Leases } from "./leases";
import { Messages } from "./messages";
import type { Prediction } from "./prediction";
import { type RefusedError, refusal } from "./refused_error";
import { Requests } from "./requests";
import { SnapshotBuffer } from "./snapshot_buffer";
import { type Readable, Signal, Store } from "./store";
import { tickOf } from "./tick_of";
import { ORDINARY_EVENTS, type Trouble } from "./trouble";
import type { WorldState } from "./world_state";

/** How many milliseconds to wait for a requested keyframe. */
const KEYFRAME_PATIENCE = 500;
/** Every sixth Delta is acknowledged, because the daemon measures the lag ten times a second. */
const ACK_EVERY = 6;
/** The stable name of refusals that concern a world as a whole. */
const WORLD_CODE = "WORLD";

export interface SessionOptions extends ConnectionOptions {
  /** Where named scenes are, if the other side has none. */
  scenes?: (name: string) => Promise<Scene>;
  /** Inputs name the tick on which they act: their effect does not depend on the network. */
  timed?: boolean;
}

export class Session {
  readonly connection: Connection;
  readonly snapshots = new SnapshotBuffer();
  readonly contacts = new ContactBuffer();
  readonly actions = new ActionBuffer();
  readonly leases = new Leases();
  readonly bodies = new BodyCommands((action) => this.control(action));
  readonly attributes = new Attributes((value) => this.control({ case: "attributes", value }));
  readonly messages = new Messages((value) =>
    this.requests.make((request) => ({ case: "say", value: { ...value, request } })));
  private readonly worldStore = new Store<WorldState>({ kind: "none" });
  private readonly joinedStore = new Store<Joined | null>(null);
  private readonly roleStore = new Store<Hello_Role>(Hello_Role.OWN);
  /** The role of this session; OWN before the Welcome. */
  readonly role: Readable<Hello_Role> = this.roleStore;
  private readonly statusStore = new Store<WorldStatus | null>(null);
  private readonly presenceStore = new Store<Presence | null>(null);
  readonly world: Readable<WorldState> = this.worldStore;
  readonly joined: Readable<Joined | null> = this.joinedStore;
  readonly status: Readable<WorldStatus | null> = this.statusStore;
  readonly presence: Readable<Presence | null> = this.presenceStore;
  /** Refusals that belong to no promise. */
  readonly refusals = new Signal<RefusedError>();
  /** Another session made a world for this one, from the past of a world. */
  readonly forked = new Signal<Forked>();
  /** Borrowed for the call. */
  readonly energies = new Signal<EnergyFields>();
  /** The last event about an error or a limit, and when it came. */
  lastTrouble: Trouble | null = null;
  private readonly requests = new Requests((action) => this.connection.send(action));
  private wanted = "";
  private seq = 0;
  private serverTime = 0;
  private readonly deltas = new DeltaStates();
  private readonly inputTick = new InputTick();
  readonly deeds: DeedLink;
  private interest: MessageInitShape<typeof InterestSchema> | undefined;
  private contactsWanted = true;
  private subscribedAt = 0;
  /** The daemon does not have the present subscription yet. */
  private isUnsaid = false;
  private ackWait = 0;
  /** The last Delta could not be decoded. */
  private isBlind = false;
  isChange = false;
  /** True while they are called for a continued session whose scene is the same. */
  isResumed = false;
  private resumes = false;
  /** The slots that the daemon holds for this session, and those that should be held. */
  private readonly heldSlots = new Set<number>();
  private readonly wantedSlots = new Set<number>();
  appliedSeq = 0;
  durableSeq = 0;
  /** The last tick that no crash of the daemon can undo. */
  durableTick = 0;
  /** Snapshots and Deltas with a wrong hash or without their baseline. */
  damagedCount = 0;

  constructor(private readonly options: SessionOptions) {
    this.connection = new Connection(options, {
      onWelcome: (welcome) => this.onWelcome(welcome),
      onLost: (reason) => this.onLost(reason),
      onTick: (header) => this.onTick(header),
      onSnapshot: (snapshot) => this.onSnapshot(snapshot),
      onDelta: (delta) => this.onDelta(delta),
      onContacts: (contacts) => this.onContacts(contacts),
      onContactDelta: (delta) => this.onContactDelta(delta),
      onEnergy: (energy) => this.energies.emit(energy),
      onMessage: (message) => this.onMessage(message),
    });
    this.deeds = new DeedLink(this.connection, this.statusStore, this.inputTick);
  }

  get sentSeq(): number {
    return this.seq;
  }

  /** Joins a world, now or as soon as there is a connection. */
  join(world: string): void {
    this.wanted = world;
    this.presenceStore.set(null);
    this.worldStore.set({ kind: "joining", world });
    this.sendJoin();
  }

  /** Leaves the world: inputs and leases end at once. */
  leave(): void {
    this.wanted = "";
    this.connection.send({ case: "leave", value: {} });
    this.worldStore.set({ kind: "none" });
  }

  private onWelcome(welcome: Welcome): void {
    this.roleStore.set(welcome.role);
    this.resumes = welcome.resumed && this.joinedStore.get()?.world === this.wanted;
    if (this.resumes) {
      this.seq = Number(welcome.nextSeq) - 1;
      if (this.isUnsaid || welcome.restarted) {
        this.subscribe();
      }
    } else {
      this.sendJoin();
    }
  }

  private sendJoin(): void {
    const world = this.wanted;
    if (world === "" || !this.connection.send({ case: "join", value: { world } })) {
      return;
    }
    this.seq = this.appliedSeq = this.durableSeq = this.durableTick = 0;
    this.inputTick.reset();
    this.resumes = false;
    this.heldSlots.clear();
    this.wantedSlots.clear();
    this.worldStore.set({ kind: "joining", world });
    this.subscribe();
  }

  /** Sends the subscription; a repeated one also asks for a keyframe. */
  private subscribe(): void {
    this.subscribedAt = performance.now();
    const { interest, contactsWanted: contacts } = this;
    const part = interest === undefined ? {} : { interest };
    const value = { ...this.deeds.subscription(interest === undefined, contacts), ...part };
    this.isUnsaid = !this.connection.send({ case: "subscribe", value });
  }

  /** Shows predicted poses once the predictor has them; null: snapshots only. */
  predict(prediction: Prediction | null): void {
    const isJoined = this.worldStore.get().kind === "joined";
    this.deeds.use(prediction, isJoined ? this.joinedStore.get() : null);
    this.subscribeAnew();
  }

  /** The predictor has its engine, or needs another image. */
  askForImage(): void {
    if (this.deeds.isWanted && this.worldStore.get().kind === "joined") {
      this.subscribe();
    }
  }

  /** Asks for a part of each joined world, or for the whole. */
  see(interest: MessageInitShape<typeof InterestSchema> | undefined): void {
    this.interest = interest;
    this.snapshots.setPart(interest !== undefined);
    this.deeds.prediction?.onStopped();
    this.subscribeAnew();
  }

  /** In large worlds contacts are most of the data, so ask for them only while they are shown. */
  wantContacts(wanted: boolean): void {
    if (wanted !== this.contactsWanted) {
      this.contactsWanted = wanted;
      this.contacts.reset();
      if (this.deeds.shown === null) { // else the page's own engine makes them
        this.subscribeAnew();
      }
    }
  }

  get wantsContacts(): boolean {
    return this.contactsWanted;
  }

  /** Before the Join nothing is sent; the Join sends the subscription. */
  private subscribeAnew(): void {
    if (this.worldStore.get().kind !== "none") {
      this.subscribe();
    }
  }

  /** Writes the poses for now, POSE_STRIDE numbers each; false before the first snapshot. */
  sample(out: Float64Array): boolean {
    const prediction = this.deeds.shown;
    if (prediction === null) {
      return this.snapshots.sample(this.connection.clock.serverNow(performance.now()), out);
    }
    prediction.sample(this.deeds.presentTick(), !this.deeds.isRunning, out);
    this.snapshots.show(prediction.shownTick, prediction.shownTime, prediction.asleep);
    return true;
  }

  drag(slot: number, drag: DragAction): boolean {
    return this.sendInput(slot, { case: "drag", value: dragMessage(drag) });
  }

  actuate(slot: number, actuator: number, level: number): boolean {
    return this.sendInput(slot, { case: "actuator", value: { actuator, level } });
  }

  /** A force at the body's origin, in the world's axes [N], until it is replaced or released. */
  push(slot: number, body: number, force: { x: number; y: number; z: number }): boolean {
    return this.sendInput(slot, {
      case: "force", value: { body, force, frame: Input_Frame.WORLD },
    });
  }

  release(slot: number): boolean {
    return this.sendInput(slot, { case: "release", value: {} });
  }

  private sendInput(slot: number, action: MessageInitShape<typeof InputSchema>["action"]): boolean {
    const isRelease = action?.case === "release";
    if (isRelease) {
      this.wantedSlots.delete(slot);
    }
    if (this.worldStore.get().kind !== "joined") {
      return false;
    }
    if (isRelease) {
      this.heldSlots.delete(slot);
    } else {
      this.heldSlots.add(slot);
      this.wantedSlots.add(slot);
    }
    this.seq++;
    const clientTick: Tick = this.snapshots.shownTick;
    const value = { seq: BigInt(this.seq), clientTick: BigInt(clientTick), slot, action };
    return this.deeds.sendInput(value, this.options.timed === true);
  }

  /** Fulfilled when this session has the lease; rejected if another session has it. */
  acquire(target: LeaseTarget): Promise<string> {
    return this.lease(target, { case: "acquire", value: {} });
  }

  letGo(target: LeaseTarget): Promise<string> {
    return this.lease(target, { case: "release", value: {} });
  }

  /** Takes the lease from its holder; for instructors. */
  override(target: LeaseTarget): Promise<string> {
    return this.lease(target, { case: "override", value: {} });
  }

  private lease(
    target: LeaseTarget,
    action: MessageInitShape<typeof LeaseSchema>["action"],
  ): Promise<string> {
    return this.requests.make((request) => ({ case: "lease", value: { request, target, action } }));
  }

  change(settings: MessageInitShape<typeof SettingsSchema>): Promise<string> {
    return this.control({ case: "settings", value: settings });
  }

  pause(): Promise<string> {
    return this.control({ case: "pause", value: {} });
  }

  resume(): Promise<string> {
    return this.control({ case: "resume", value: {} });
  }

  step(ticks = 1): Promise<string> {
    return this.control({ case: "step", value: { ticks } });
  }

  reset(): Promise<string> {
    return this.control({ case: "reset", value: {} });
  }

  /** Loads a bundled scene into this world, for all its members. */
  load(name: string): Promise<string> {
    return this.options.scenes?.(name).then((value) =>
      this.control({ case: "load", value: { source: { case: "scene", value } } })) ??
      this.control({ case: "load", value: { source: { case: "sceneName", value: name } } });
  }

  /** Makes a world from a bundled scene; fulfilled with its id. */
  createWorld(sceneName: string, id = ""): Promise<string> {
    const source = { case: "sceneName" as const, value: sceneName };
    return this.control({ case: "create", value: { id, source } });
  }

  /** Makes a replay of the world, paused at that tick; fulfilled with its id. */
  replay(world: string, tick: number): Promise<string> {
    const speedSet = { case: "speed" as const, value: 0 };
    return this.past({ world, tickSet: tickOf(tick), replay: true, speedSet });
  }

  /** Makes a world that continues from that tick, null: from now; fulfilled with its id. */
  fork(world: string, tick: number | null): Promise<string> {
    return this.past({ world, tickSet: tickOf(tick) });
  }

  /** Makes one world for each member that is not an instructor; for instructors. */
  forkEach(world: string, tick: number | null): Promise<string> {
    return this.past({ world, tickSet: tickOf(tick), each: true });
  }

  private past(fork: MessageInitShape<typeof ForkSchema>): Promise<string> {
    return this.requests.make((request) => ({ case: "fork", value: { ...fork, request } }));
  }

  /** Moves the joined replay or changes its speed; `refusals` reports a refusal. */
  seek({ tick = null, speed = null }: { tick?: number | null; speed?: number | null }): void {
    const request = this.requests.next();
    const speedSet = speed === null ? {} : { speedSet: { case: "speed" as const, value: speed } };
    this.connection.send({ case: "seek", value: { request, tickSet: tickOf(tick), ...speedSet } });
  }

  private control(action: MessageInitShape<typeof ControlSchema>["action"]): Promise<string> {
    return this.requests.make((request) => ({ case: "control", value: { request, action } }));
  }

  private onTick(header: TickHeaderFields): void {
    this.serverTime = header.serverTime;
    this.inputTick.onHeader(header.tick, header.serverTime);
    this.deeds.onSettled(header.appliedSeq, this.appliedSeq);
    this.appliedSeq = header.appliedSeq;
    this.durableSeq = header.durableSeq;
    this.durableTick = header.durableTick;
  }

  private onSnapshot(snapshot: SnapshotColumns): void {
    if (viewHash(snapshot) !== snapshot.viewHash) {
      this.damagedCount++;
      return;
    }
    this.show(snapshot);
  }

  private onDelta(delta: DeltaColumns): void {
    const snapshot = this.deltas.decode(delta);
    if (snapshot === undefined) {
      this.damagedCount++;
      this.isBlind = true;
      this.askForKeyframe();
      return;
    }
    this.isBlind = false;
    this.show(snapshot);
    if (this.ackWait-- <= 0) {
      this.ackWait = ACK_EVERY - 1;
      this.connection.send({ case: "ack", value: { tick: BigInt(delta.tick) } });
    }
  }

  /** Repeated with the next pong, not at once: a world that does not run sends no more ticks. */
  private askForKeyframe(): void {
    const isUnshown = this.worldStore.get().kind === "joined" && !this.snapshots.hasFrames &&
      !this.deeds.isWanted;
    const isLacking = this.isBlind || this.contacts.isLacking || isUnshown;
    if (isLacking && performance.now() - this.subscribedAt > KEYFRAME_PATIENCE) {
      this.subscribe();
    }
  }

  private show(snapshot: SnapshotColumns): void {
    const { clock, arrivedAt } = this.connection;
    const arrival = clock.serverNow(arrivedAt);
    this.snapshots.push(snapshot, this.serverTime || arrival, arrival);
  }

  private onContacts(contacts: ContactColumns): void {
    if (this.contactsWanted) {
      this.contacts.push(contacts);
    }
  }

  private onContactDelta(delta: ContactDeltaColumns): void {
    const joined = this.joinedStore.get();
    const isWanted = this.contactsWanted && delta.generation === joined?.generation;
    if (isWanted && !this.contacts.pushDelta(delta, joined.positionScale)) {
      this.damagedCount++;
      this.askForKeyframe();
    }
  }

  private onMessage(message: ServerMessage["message"]): void {
    switch (message.case) {
      case "joined":
        this.onJoined(message.value);
        break;
      case "deeds":
        this.deeds.prediction?.onDeeds(message.value);
        break;
      case "changed":
        this.onChanged(message.value);
        break;
      case "status":
        this.onStatus(message.value);
        break;
      case "pong":
        this.inputTick.onPong(message.value.lateCount, message.value.margin);
        this.askForKeyframe();
        break;
      case "events":
        this.onEvents(message.value);
        break;
      case "presence":
        if (message.value.world === this.wanted) {
          this.presenceStore.set(message.value);
        }
        break;
      case "actions":
        this.actions.push(message.value);
        break;
      case "leases":
        this.leases.onState(message.value);
        break;
      case "attributes":
        this.attributes.onFrame(message.value);
        break;
      case "said":
        this.messages.onSaid(message.value);
        break;
      case "controlDone":
        this.requests.onDone(message.value);
        break;
      case "forked": // request 0: another session asked
        if (message.value.request === 0) {
          this.forked.emit(message.value);
        } else {
          this.requests.onDone(message.value);
        }
        break;
      case "rejected":
        this.onRejected(message.value);
        break;
      default:
        break;
    }
  }

  private onJoined(joined: Joined): void {
    if (joined.world !== this.wanted) {
      return;
    }
    const hasImage = joined.image.length > 0;
    const isResumed = (this.resumes || (hasImage && this.worldStore.get().kind === "joined")) &&
      joined.generation === this.joinedStore.get()?.generation;
    this.resumes = false;
    this.deltas.clear(isSpatial(joined.scene));
    this.contacts.onJoined();
    this.isBlind = false;
    this.ackWait = 0;
    if (!isResumed) {
      this.begin(joined);
    }
    this.leases.clear();
    this.attributes.onJoined(joined.attributes);
    this.isResumed = isResumed;
    this.joinedStore.set(joined);
    this.worldStore.set({ kind: "joined", world: joined.world });
    this.isResumed = false;
    for (const slot of [...this.heldSlots]) {
      if (!this.wantedSlots.has(slot)) {
        this.release(slot);
      }
    }
    if (joined.status !== undefined) {
      this.onStatus(joined.status);
    }
    if (this.deeds.onJoined(joined, isResumed, this.interest === undefined)) {
      this.subscribe();
    }
  }

  private begin(joined: Joined): void {
    this.heldSlots.clear();
    this.wantedSlots.clear();
    const before = this.joinedStore.get(); // after a seek a replay keeps the old picture for now
    const isJump = before?.world === joined.world &&
      joined.status?.state === WorldStatus_State.REPLAY &&
      before.scene?.bodies.length === joined.scene?.bodies.length;
    this.snapshots.reset({
      bodyCount: joined.scene?.bodies.length ?? 0,
      initial: initialPoses(joined.scene),
      isSpatial: isSpatial(joined.scene),
      position: joined.positionScale,
      angle: joined.angleScale,
      turn: joined.turnScale,
      generation: joined.generation,
    }, isJump);
    this.contacts.reset();
    this.actions.reset();
  }

  /** Only the changes came over the wire; poses and views continue. */
  private onChanged(changed: Changed): void {
    const joined = this.joinedStore.get();
    if (joined?.scene === undefined || changed.generation !== joined.generation + 1) {
      return;
    }
    const scene = followScene(joined.scene, changed);
    const { generation } = changed;
    this.snapshots.restructure(scene.bodies.length, initialPoses(scene), changed.bodySlots,
      generation);
    this.isChange = true;
    this.joinedStore.set({ ...joined, scene, generation });
    this.isChange = false;
  }

  private onStatus(status: WorldStatus): void {
    if (status.id === "" || status.id === this.wanted) {
      const isSlow = status.state === WorldStatus_State.REPLAY && status.speed > 0;
      const rate = (status.tickRate || 60) * (isSlow ? Math.min(1, status.speed) : 1);
      this.snapshots.setInterval(1e6 / rate);
      this.statusStore.set(status);
    }
  }

  private onEvents(frame: EventFrame): void {
    for (const { kind, value } of frame.events) {
      if (!ORDINARY_EVENTS.has(kind)) {
        this.lastTrouble = { kind, value, at: performance.now() };
      }
    }
  }

  private onRejected(rejected: Rejected): void {
    const error = refusal(rejected.error);
    if (this.deeds.onRejected(rejected)) {
      this.subscribe();
    } else if (this.requests.onRejected(rejected.request, error)) {
      return;
    } else if (rejected.seq === 0n && this.isAboutTheWorld(error)) {
      const { code, text } = error;
      this.worldStore.set({ kind: "gone", world: this.wanted, code, text });
    } else {
      this.refusals.emit(error);
    }
  }

  /** A Join was refused, or the joined world was removed. */
  private isAboutTheWorld(error: RefusedError): boolean {
    return this.worldStore.get().kind === "joining" || error.code === WORLD_CODE;
  }

  private onLost(reason: string): void {
    this.requests.onLost(reason);
    this.deeds.prediction?.onStopped();
    this.presenceStore.set(null);
    this.leases.clear();
    if (this.wanted !== "") {
      this.worldStore.set({ kind: "joining", world: this.wanted });
    }
  }
}
