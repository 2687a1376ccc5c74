/**
 * time_bar.ts: a range over the past of the world, to play, fork and link its ticks.
 *
 * The live world is shown until the user moves the range back.  Then the page requests a replay and
 * joins it.  Every further move is a Seek.  Moves are throttled, and the last one counts.
 */
import type { Directory, Session } from "@cairn/client";
import { type WorldStatus, WorldStatus_State } from "@cairn/protocol";
import { type Moment, textOfPast, writeMoment } from "../address/moment";
import { button, element, setText } from "../base/dom";
import { throttle } from "../base/throttle";
import type { Toasts } from "../base/toasts";
import { TimeMarks } from "./time_marks";

const SEEK_INTERVAL_MS = 120;
/** The timeline is requested again when the pointer comes near, at most once in this time. */
const LOOK_INTERVAL_MS = 2000;
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];

export interface TimeBarActions {
  join(world: string): void;
  /** Called when the address should name this moment. */
  show(moment: Moment): void;
}

export class TimeBar {
  readonly root: HTMLElement;
  private readonly range = element("input", { type: "range", id: "time", min: 0, max: 1, step: 1,
    title: "Time in the world's past: drag, or use the arrow keys", "aria-label": "Time" });
  private readonly marks = new TimeMarks();
  private readonly output = element("output", { for: "time" }, "now");
  private readonly playing = button("Play", "Play or pause",
    () => this.toggle(), "of-past");
  private readonly speed = element("select", { class: "of-past", title: "Speed of the replay",
    "aria-label": "Speed" });
  private status: WorldStatus | null = null;
  /** The live world, "" before one is joined, and the known facts about its ticks. */
  private origin = "";
  private first = 0;
  private newest = 0;
  private isOpening = false;
  private wanted: number | null = null;
  private isHeld = false;
  private lookedMs = -LOOK_INTERVAL_MS;
  private readonly seekSoon = throttle(SEEK_INTERVAL_MS, (tick: number) => this.seek(tick));

  constructor(
    private readonly session: Session,
    private readonly directory: Directory,
    private readonly toasts: Toasts,
    private readonly actions: TimeBarActions,
  ) {
    for (const speed of SPEEDS) {
      const text = speed < 1 ? `1/${1 / speed} ×` : `${speed} ×`;
      this.speed.append(element("option", { value: speed, selected: speed === 1 }, text));
    }
    this.range.addEventListener("input", () => this.onHand());
    this.range.addEventListener("change", () => { this.isHeld = false; });
    this.range.addEventListener("focus", () => this.lookAgain());
    this.range.addEventListener("pointerenter", () => this.lookAgain());
    this.speed.addEventListener("change", () => {
      if (this.isPlaying) {
        session.seek({ speed: Number(this.speed.value) });
      }
    });
    this.root = this.layOut();
    session.status.subscribe((status) => this.onStatus(status));
    session.forked.subscribe(({ world, origin }) => {
      toasts.show(`You have a world of your own now: ${world}, a copy of ${origin}`);
      actions.join(world);
    });
  }

  private layOut(): HTMLElement {
    const live = button("Live", "Back to the world as it is now", () => this.goLive(), "of-past");
    const fork = button("Fork here", "Make a new world that continues from this moment",
      () => this.fork(), "forks");
    const each = button("A fork for each",
      "Make a new world from this moment for each person here, except for instructors",
      () => this.forkEach(), "forks each");
    const link = button("Copy link", "A link to this moment", () => this.copyLink(), "link");
    return element("footer",
      { class: "time-bar", "aria-label": "Time", role: "group", inert: true },
      this.playing, element("div", { class: "time-range" }, this.marks.root, this.range),
      this.output, this.speed, live, fork, each, link);
  }

  get isPast(): boolean {
    return this.status?.state === WorldStatus_State.REPLAY;
  }

  private get isPlaying(): boolean {
    return this.isPast && (this.status?.speed ?? 0) > 0;
  }

  /** The shown tick, counted as in the live world. */
  private get tick(): number {
    return this.isPast ? this.session.snapshots.shownTick : this.newest;
  }

  private onStatus(status: WorldStatus | null): void {
    this.status = status;
    if (status === null) {
      return;
    }
    const isPast = this.isPast;
    const origin = isPast ? status.origin : status.id;
    if (origin !== this.origin) {
      this.origin = origin;
      this.first = this.newest = 0;
      this.look();
    }
    const newest = Number(isPast ? status.endTick : status.tick);
    if (!isPast && newest < this.newest) {
      this.look(); // it was reset
    }
    this.newest = isPast ? Math.max(this.newest, newest) : newest;
    this.root.classList.toggle("past", isPast);
    setText(this.playing, this.isPlaying ? "Hold" : "Play");
    if (this.isPlaying) {
      this.speed.value = String(status.speed);
    }
    this.draw();
  }

  private lookAgain(): void {
    if (performance.now() - this.lookedMs >= LOOK_INTERVAL_MS) {
      this.look();
    }
  }

  /** Requests the timeline; without a stored past the bar has no function. */
  private look(): void {
    const world = this.origin;
    this.lookedMs = performance.now();
    this.directory.timeline(world).then((timeline) => {
      if (world === this.origin) {
        this.first = Number(timeline.firstTick);
        this.newest = Math.max(this.newest, Number(timeline.tick));
        this.root.inert = false;
        this.marks.show(timeline);
        this.draw();
      }
    }).catch(() => {
      if (world === this.origin) {
        this.root.inert = true;
      }
    });
  }

  /** Call it once a frame: moves the thumb to the shown tick. */
  draw(): void {
    const { range } = this;
    const rate = this.status?.tickRate || 60;
    range.min = String(Math.min(this.first, this.newest));
    range.max = String(this.newest);
    this.marks.span(Number(range.min), this.newest);
    const tick = this.isHeld ? Number(range.value) : this.tick;
    if (!this.isHeld) {
      range.value = String(tick);
    }
    const text = this.isPast || this.isHeld ? textOfPast(this.newest - tick, rate) : "now";
    setText(this.output, text);
    if (range.getAttribute("aria-valuetext") !== text) {
      range.setAttribute("aria-valuetext", text);
    }
  }

  private onHand(): void {
    this.isHeld = true;
    this.seekSoon(Number(this.range.value));
    this.draw();
  }

  private seek(tick: number): void {
    if (this.isPast) {
      this.session.seek({ tick, ...(this.isPlaying ? { speed: 0 } : {}) });
    } else {
      this.wanted = tick;
      this.toasts.watch(this.open(this.origin));
    }
  }

  /** Requests a replay of the world; it will show the tick that the user chose last. */
  private async open(world: string): Promise<void> {
    if (this.isOpening || this.wanted === null) {
      return;
    }
    this.isOpening = true;
    try {
      const tick = this.wanted;
      const replay = await this.session.replay(world, tick);
      this.actions.show({ world, tick });
      this.actions.join(replay);
      if (this.wanted !== tick) {
        this.session.seek({ tick: this.wanted });
      }
    } finally {
      this.isOpening = false;
      this.wanted = null;
    }
  }

  /** Shows a moment from the address; the session must be open. */
  openMoment(world: string, tick: number): Promise<void> {
    this.wanted = tick;
    return this.open(world);
  }

  /** Plays or pauses a replay; false if the world is not a replay. */
  toggle(): boolean {
    if (this.isPast) {
      this.session.seek({ speed: this.isPlaying ? 0 : Number(this.speed.value) });
    }
    return this.isPast;
  }

  private goLive(): void {
    this.actions.show({ world: this.origin, tick: null });
    this.actions.join(this.origin);
  }

  /** null: now, including all inputs so far. */
  private get moment(): Moment {
    return { world: this.origin, tick: this.isPast ? this.tick : null };
  }

  private fork(): void {
    const { world, tick } = this.moment;
    this.toasts.watch(this.session.fork(world, tick).then((made) => {
      this.toasts.show(`This is a world of your own now: ${made}`);
      this.actions.join(made);
    }));
  }

  private forkEach(): void {
    const { world, tick } = this.moment;
    this.toasts.watch(this.session.forkEach(world, tick).then(() =>
      this.toasts.show("Everyone here has a world of their own now")));
  }

  private copyLink(): void {
    const moment = { world: this.origin, tick: this.tick };
    const link = `${location.origin}${location.pathname}#${writeMoment(moment)}`;
    this.toasts.watch(navigator.clipboard.writeText(link).then(
      () => this.toasts.show("The link is copied"),
      () => this.toasts.show(link)));
  }
}
