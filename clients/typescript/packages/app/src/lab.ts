/**
 * lab.ts: the page: a session, a stage, and the parts around them.
 *
 * Data flows in one direction.  The session's stores change, and the parts show them.  Pointer and
 * keys send requests to the session, and the daemon's answer comes back through the stores.  Once a
 * frame the poses for now are taken from the session, and drawn if they changed.
 */
import {
  Directory, RefusedError, Rooms, Session, initialPoses, openWebSocket, openerInWorker, slowOpener,
} from "@cairn/client";
import { Remote } from "@cairn/play";
import { type Joined, type Scene, WorldStatus_State } from "@cairn/protocol";
import { Stage, type StageFrame } from "@cairn/view";
import { AloneDirectory } from "./alone/directory";
import { openerAlone } from "./alone/socket";
import { ALONE_WORLD, aloneSource, linkTo } from "./alone/source";
import { type Moment, readMoment, writeMoment } from "./address/moment";
import { type Part, PartOfWorld, readPart } from "./address/part";
import { firstWorld, showInAddress, showPartInAddress, worldInAddress } from "./address/place";
import { button, element, setText } from "./base/dom";
import { milestone } from "./base/milestones";
import { Toasts } from "./base/toasts";
import { Help } from "./input/help";
import { Keyboard } from "./input/keyboard";
import { Pointer } from "./input/pointer";
import { ThrusterControl } from "./input/thruster_control";
import { TouchPad } from "./input/touch_pad";
import { moveView } from "./input/view_keys";
import { AttributesPanel } from "./panels/attributes_panel";
import { Controls } from "./panels/controls";
import { Display } from "./panels/display";
import { EnergyPlot } from "./panels/energy_plot";
import { Fineness } from "./panels/fineness";
import { Gallery } from "./panels/gallery";
import { Notice } from "./panels/notice";
import { PredictionSwitch } from "./panels/prediction_switch";
import { ModeTable } from "./panels/mode_table";
import { Readings } from "./panels/readings";
import { SlowLink } from "./panels/slow_link";
import { StabilityPanel } from "./panels/stability_panel";
import { shownActions } from "./people/actions";
import { HoldTags } from "./people/hold_tags";
import { People } from "./people/people";
import { personName } from "./people/person";
import { isPast, mayPush, rightsOf } from "./people/rights";
import { tokenFor } from "./people/seats";
import { keepToken, ownToken } from "./people/token";
import { beginAnew, dropLostSeats, joinWithToken, roomsActions, tokenNow } from "./seating";
import { followNight } from "./styles/night";
import { TimeBar } from "./time/time_bar";

const CLIENT_NAME = "cairn-page/0.1.0";
const CHOOSE_INTERVAL_MS = 1_000;

function socketUrl(): string {
  return `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/v1/ws`;
}

/** The scene of a page without a daemon. */
const alone = aloneSource();
const slowLink = new SlowLink();
const directory = alone !== null ? new AloneDirectory(alone) : new Directory("", tokenFor);

const visitor = { url: socketUrl(), name: personName(), token: tokenNow };

function startPredictor(): Worker {
  return new Worker(new URL("./predict/worker.ts", import.meta.url), { type: "module" });
}

/** Opens a session, which connects at once and has joined no world yet. */
export function openSession(): Session {
  const session = new Session({
    ...visitor,
    client: CLIENT_NAME,
    open: alone !== null ? openerAlone(alone)
      : slowOpener(openerInWorker(openWebSocket), slowLink.quality),
    ...(alone !== null && { scenes: (name: string) => directory.scene(name) }),
  });
  session.connection.start();
  return session;
}

export class Lab {
  readonly stage = new Stage();
  readonly fineness = new Fineness(this.stage);
  readonly toasts = new Toasts();
  readonly people: People;
  readonly remote: Remote;
  scene: Scene | null = null;
  poses = new Float64Array(0);
  private readonly directory = directory;
  private readonly controls: Controls;
  private readonly gallery: Gallery;
  private readonly help = new Help();
  private readonly display: Display;
  private readonly energy = new EnergyPlot();
  private readonly readings: Readings;
  private readonly modes: ModeTable;
  private readonly stability: StabilityPanel;
  private readonly thrusters: ThrusterControl;
  private readonly pointer: Pointer;
  private readonly holdTags: HoldTags;
  readonly part: PartOfWorld;
  private readonly touchPad: TouchPad;
  private readonly timeBar: TimeBar;
  private readonly title = element("h1", {}, "Cairn");
  private readonly subtitle = element("p", { class: "subtitle" });
  private readonly frame: StageFrame;
  /** Grows with each new scene or size.  Like all versions it never falls. */
  private version = 0;
  private drawn = -1;
  private drawnTime = -1;
  private drawnTick = -1;
  private drawnContactTick = -1;

  /** Call it when the session has just been opened. */
  constructor(root: HTMLElement, readonly session: Session) {
    const { canvas } = this.stage;
    canvas.className = "stage";
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "The world; drag bodies with the pointer");
    const { toasts } = this;
    this.people = new People(session);
    this.remote = new Remote(session, startPredictor);
    this.readings = new Readings(session, this.remote);
    this.modes = new ModeTable(session, this.remote,
      { ...visitor, open: slowOpener(openWebSocket, slowLink.quality) });
    this.stability = new StabilityPanel(this.directory, toasts);
    this.thrusters = new ThrusterControl(session);
    this.touchPad = new TouchPad(this.thrusters);
    this.holdTags = new HoldTags(session, this.stage);
    this.part = new PartOfWorld(session, this.stage);
    this.pointer = new Pointer(this.stage, session, () => this.poses,
      (body) => this.part.isSeen(body),
      (body) => toasts.show(`${this.holdTags.flash(body)} holds this one`),
      (error) => toasts.show(error.message, "error"));
    this.display = new Display(
      () => this.wantContacts(),
      (shown) => { this.energy.root.hidden = !shown; },
      () => this.stage.control.home(),
      (on) => this.choosePart(on),
      this.stability.ask,
      this.fineness.root,
      new PredictionSwitch(this.remote, alone === null).root,
    );
    this.controls = new Controls(session, toasts, this.display.forceLength.root);
    this.gallery = new Gallery(this.directory, new Rooms({ token: ownToken }), {
      join: (world) => this.join(world),
      ...roomsActions({ url: socketUrl(), name: personName(), client: CLIENT_NAME },
        (world) => this.join(world)),
      load: (scene) => toasts.watch(session.load(scene)),
      open: (scene) => toasts.watch(this.openWorld(scene)),
      share: () => toasts.watch(this.share()),
    }, toasts);
    const notice = new Notice(session, {
      openGallery: () => this.openGallery(),
      goHome: () => toasts.watch(this.chooseWorld(true)),
      useToken: (token) => this.useToken(token),
    }, () => this.controls.reset());
    this.timeBar = new TimeBar(session, this.directory, toasts, {
      join: (world) => this.enter(world),
      show: (moment) => this.showMoment(moment),
    });
    this.frame = this.makeFrame();
    document.body.classList.toggle("alone", alone !== null);
    root.append(this.layOut(canvas, notice));
    followNight((isNight) => this.setNight(isNight));
    this.listen();
  }

  private makeFrame(): StageFrame {
    return {
      nowMs: 0,
      poses: this.poses,
      asleep: this.session.snapshots.asleep,
      sleepVersion: 0,
      contacts: this.session.contacts.latest,
      showForces: true,
      forceScale: 1,
      drags: [],
      actions: [],
      veils: this.part.veils,
      veilVersion: 0,
      levels: this.thrusters.levels,
      motions: null,
    };
  }

  private layOut(canvas: HTMLCanvasElement, notice: Notice): HTMLElement {
    const galleryButton = button("Worlds", "Other worlds and scenes (g)",
      () => this.openGallery(), "gallery-button");
    galleryButton.append(element("span", {}, " and scenes"));
    const helpButton = button("?", "Keys and gestures (h)", () => this.help.open(), "help-button");
    const head = element("header", { class: "head" },
      element("div", { class: "titles" }, this.title, this.subtitle),
      this.people.root, galleryButton, helpButton);
    const view = element("div", { class: "view" }, canvas, this.holdTags.root, this.touchPad.root,
      this.help.line,
      this.stability.answer, notice.root, this.toasts.root);
    const panel = element("aside", { class: "panel" }, this.controls.root, this.display.root,
      slowLink.root, this.modes.root, this.energy.root, new AttributesPanel(this.session).root,
      this.readings.root);
    new ResizeObserver(() => this.resize(view)).observe(view);
    return element("div", { class: "lab" }, head, view, this.timeBar.root, panel,
      this.gallery.root, this.help.root);
  }

  private resize(view: HTMLElement): void {
    this.stage.resize(view.clientWidth, view.clientHeight, devicePixelRatio);
    this.stage.cover(this.touchPad.height);
    this.version++;
  }

  private listen(): void {
    const { session, toasts } = this;
    session.joined.subscribe((joined) => this.onJoined(joined));
    const judge = () => this.showRights();
    session.world.subscribe(judge);
    session.status.subscribe(judge);
    session.role.subscribe(judge);
    session.refusals.subscribe((error) => this.toasts.show(error.message, "error"));
    session.connection.state.subscribe((state) => {
      document.body.classList.toggle("offline", state.kind !== "open");
      if (state.kind === "open") {
        milestone("open");
        this.toasts.watch(this.controls.loadLists(this.directory));
      }
    });
    dropLostSeats(session, (what) => toasts.show(what));
    session.energies.subscribe((energy) => {
      this.energy.add(energy.time, energy.kinetic, energy.potential, energy.total);
    });
    addEventListener("pagehide", (event) => {
      if (!event.persisted) {
        session.leave();
      }
    });
    addEventListener("popstate", () => {
      this.followAddress();
      if (alone === null) {
        this.join(worldInAddress());
      }
    });
    addEventListener("hashchange", () => this.followHash());
    addEventListener("online", () => session.connection.retryNow());
    document.addEventListener("visibilitychange", () => {
      session.connection.retryNow();
      this.wantContacts();
    });
    const isModal = () => this.gallery.root.open || this.help.root.open;
    const inControl = (action: () => void) => () => {
      if (rightsOf(session.role.get()).control) {
        action();
      }
    };
    new Keyboard(this.thrusters, {
      p: () => this.togglePause(),
      " ": () => this.togglePause(),
      ".": inControl(() => this.controls.step()),
      r: inControl(() => this.controls.reset()),
      v: () => this.display.toggleForces(),
      g: () => this.openGallery(),
      h: () => this.help.open(),
      "?": () => this.help.open(),
      home: () => this.stage.control.home(),
    }, isModal, (event) => {
      const { canvas, control } = this.stage;
      return moveView(control, event, canvas.clientWidth, canvas.clientHeight);
    });
    blurAfterPointer();
  }

  /** Another link with a scene loads the page again; other marks name a world. */
  private followHash(): void {
    if (alone !== null || aloneSource() !== null) {
      location.reload();
    } else {
      this.join(worldInAddress());
    }
  }

  /** Shows the controls that the role and the shown world allow. */
  private showRights(): void {
    const { session } = this;
    const { push, control, load } = rightsOf(session.role.get());
    const { classList } = document.body;
    classList.toggle("may-not-push", !mayPush(session));
    classList.toggle("may-not-control", !control);
    classList.toggle("may-not-load", !load);
    this.controls.root.inert = session.world.get().kind !== "joined" || isPast(session);
    this.help.setHands(isPast(session) ? "past" : push ? "push" : "watch");
  }

  /** Subscribes to contacts only while forces are drawn. */
  private wantContacts(): void {
    this.session.wantContacts(this.display.showForces && !document.hidden);
  }

  /** In a replay every role may pause. */
  private togglePause(): void {
    if (!this.timeBar.toggle() && rightsOf(this.session.role.get()).control) {
      this.controls.togglePause();
    }
  }

  /** With another token the page begins a new session. */
  private useToken(token: string): void {
    keepToken(token);
    beginAnew(this.session);
  }

  start(): void {
    this.followAddress();
    const world = alone !== null ? ALONE_WORLD : worldInAddress();
    if (world === "") {
      this.toasts.watch(this.chooseWorld(false));
    } else {
      this.join(world);
    }
    requestAnimationFrame((now) => this.onFrame(now));
  }

  private followAddress(): void {
    this.seePart(readPart(new URLSearchParams(location.search)));
  }

  private seePart(part: Part | null): void {
    if (part !== null || this.part.part !== null) {
      this.part.choose(part);
    }
    this.display.isPart = part !== null;
    if (this.scene !== null) {
      this.part.setScene(this.scene);
    }
  }

  private choosePart(on: boolean): void {
    this.seePart(on ? this.part.inSight(this.poses) : null);
    showPartInAddress(this.part.part, this.stage.placing.stride === 3);
  }

  /** Joins a world, or "world@tick"; if that tick is not stored, the world itself. */
  join(place: string): void {
    const { world, tick } = readMoment(place);
    if (tick === null) {
      this.enter(world);
    } else {
      this.untilOpen().then(() => this.timeBar.openMoment(world, tick)).catch((error: unknown) => {
        const reason = error instanceof RefusedError ? error.text : String(error);
        this.toasts.show(`That moment cannot be shown: it ${reason}`, "error");
        this.enter(world);
      });
    }
  }

  private showMoment(moment: Moment): void {
    showInAddress(writeMoment(moment));
  }

  /** A replay's id is not put into the address; the shown moment of its world is. */
  private enter(world: string): void {
    const { joined, world: state } = this.session;
    const isThere = state.get().kind === "joined" && joined.get()?.world === world;
    if (world !== "" && !isThere) {
      if (alone === null && !isMomentInAddress(world)) {
        showInAddress(world);
      }
      joinWithToken(this.session, world);
    }
  }

  /** Asks again until a daemon answers. */
  private async chooseWorld(again: boolean): Promise<void> {
    while (again || this.session.world.get().kind === "none") {
      await this.untilOpen();
      const worlds = await this.directory.worlds().catch(() => null);
      if (worlds !== null) {
        this.join(firstWorld(worlds) || "contact");
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, CHOOSE_INTERVAL_MS));
    }
  }

  /** A client that is refused does not get the list of worlds either. */
  private untilOpen(): Promise<void> {
    return new Promise((resolve) => {
      let stop = () => {};
      stop = this.session.connection.state.subscribe(({ kind }) => {
        if (kind === "open") {
          resolve();
          queueMicrotask(() => stop());
        }
      });
    });
  }

  private async openWorld(scene: string): Promise<void> {
    if (alone !== null) { // there is one world
      await this.session.load(scene);
    } else {
      this.join(await this.session.createWorld(scene));
    }
  }

  /** Copies a link that runs the shown scene in any browser. */
  private async share(): Promise<void> {
    const link = await linkTo(this.scene!);
    await navigator.clipboard.writeText(link);
    this.toasts.show(`The link is copied: ${link.length} letters. It runs this scene from its ` +
      "start, in any browser that can open this page; no daemon is needed for it.");
  }

  private setNight(isNight: boolean): void {
    this.stage.setNight(isNight);
    this.energy.repaint();
    if (this.scene !== null) {
      this.stage.changeScene(this.scene, initialPoses(this.scene));
    }
    this.version++;
  }

  private openGallery(): void {
    this.gallery.open(this.session.joined.get()?.world ?? "");
  }

  private onJoined(joined: Joined | null): void {
    const scene = joined?.scene;
    if (joined === null || scene === undefined) {
      return;
    }
    milestone("joined");
    if (this.session.isResumed) {
      return; // the picture and held inputs continue
    }
    if (this.session.isChange) {
      this.onChanged(scene);
      return;
    }
    const isNew = JSON.stringify(this.scene, noBigInts) !== JSON.stringify(scene, noBigInts);
    if (!isNew && joined.status?.state === WorldStatus_State.REPLAY) {
      this.version++;
      return; // another tick of the same scene: the old picture stays until the new one arrives
    }
    this.scene = scene;
    this.poses = initialPoses(scene);
    if (isNew) {
      this.stage.setScene(scene, this.poses);
      this.fineness.reset();
    }
    this.pointer.setScene(scene);
    this.part.setScene(scene);
    this.stability.setScene(scene);
    this.thrusters.setThrusters(this.stage.thrusters);
    this.touchPad.refresh();
    this.stage.cover(this.touchPad.height);
    this.help.setThrusters(this.stage.thrusters, this.stage.control.turns);
    this.energy.clear();
    const title = scene.title || scene.name || joined.world;
    setText(this.title, title);
    setText(this.subtitle, scene.description);
    this.subtitle.title = scene.description;
    document.title = `${title} – Cairn`;
    this.version++;
  }

  /** Bodies or joints have changed; the view, the drags and the plot stay. */
  private onChanged(scene: Scene): void {
    const { stage, thrusters } = this;
    this.scene = scene;
    this.poses = initialPoses(scene);
    const before = JSON.stringify(stage.thrusters);
    stage.changeScene(scene, this.poses);
    this.pointer.changeScene(scene);
    this.part.setScene(scene);
    this.stability.setScene(scene);
    if (JSON.stringify(stage.thrusters) !== before) {
      thrusters.setThrusters(stage.thrusters);
      this.touchPad.refresh();
      this.help.setThrusters(stage.thrusters, stage.control.turns);
    }
    this.version++;
  }

  private onFrame(now: number): void {
    requestAnimationFrame((next) => this.onFrame(next));
    if (this.scene !== null) {
      const isLive = this.session.sample(this.poses);
      this.fineness.note(now, this.drawStage(performance.now()));
      if (isLive) {
        milestone("drawn");
      }
    }
    this.energy.draw(now);
    this.readings.draw(now);
    this.modes.draw(now);
    this.timeBar.draw();
  }

  /** Draws if the picture has changed; returns whether it has. */
  private drawStage(now: number): boolean {
    const { frame, stage, session, pointer, display } = this;
    const { snapshots } = session;
    if (!this.notesChange() && !stage.restless) {
      return false;
    }
    frame.nowMs = now;
    frame.poses = this.poses;
    frame.asleep = snapshots.asleep;
    frame.sleepVersion = snapshots.sleepVersion;
    frame.contacts = session.contacts.at(snapshots.shownTick, this.poses, snapshots.stride);
    frame.showForces = display.showForces;
    frame.forceScale = display.forceScale;
    frame.drags = pointer.drags;
    frame.actions = shownActions(session, snapshots.shownTick);
    this.part.update(frame.poses);
    frame.veils = this.part.veils;
    frame.veilVersion = this.part.version;
    frame.levels = this.thrusters.levels;
    frame.motions = null;
    this.showProof(frame);
    stage.draw(frame);
    this.holdTags.draw(frame.poses);
    return true;
  }

  /** Draws the scene's start with the result of a proof, instead of the running world. */
  private showProof(frame: StageFrame): void {
    const { shown } = this.stability;
    if (shown !== null) {
      frame.poses = shown.poses;
      frame.contacts = shown.stability.forces;
      frame.motions = shown.stability.motions;
      frame.drags = [];
      frame.actions = [];
    }
  }

  /** Whether time, view, drags, display or scene have changed since the last call. */
  private notesChange(): boolean {
    const { snapshots } = this.session;
    const versions = this.stage.viewVersion + this.pointer.version + this.display.version +
      this.thrusters.version + this.fineness.version + this.stability.version +
      this.holdTags.version + this.version;
    const { shownTime, shownTick } = snapshots;
    this.version += this.remote.isOn ? 1 : 0; // bodies also move while corrections blend out
    const contactTick = this.session.contacts.latest.tick;
    const isChanged = shownTime !== this.drawnTime || shownTick !== this.drawnTick ||
      contactTick !== this.drawnContactTick || versions !== this.drawn;
    this.drawnContactTick = contactTick;
    this.drawnTime = shownTime;
    this.drawnTick = shownTick;
    this.drawn = versions;
    return isChanged;
  }
}

/** The daemon derives the ids of replays from the world's id. */
function isMomentInAddress(world: string): boolean {
  const moment = readMoment(worldInAddress());
  return moment.tick !== null && world.startsWith(`${moment.world.slice(0, 44)}-replay`);
}

function noBigInts(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

/** A slider or select that a pointer used gives the arrow keys back to the thrusters. */
function blurAfterPointer(): void {
  document.addEventListener("pointerup", (event) => {
    const { target } = event;
    if (target instanceof HTMLInputElement || target instanceof HTMLButtonElement) {
      target.blur();
    }
  });
  document.addEventListener("change", (event) => {
    if (event.target instanceof HTMLSelectElement) {
      event.target.blur();
    }
  });
}
