/**
 * controls.ts: the panel that changes the world: its clock, its physics, its blocks.
 *
 * Every control shows the world's settings from the daemon, even if another client set them.  While
 * this page waits for the answer to its own change, the controls keep the user's values.
 */
import type { Directory, Session } from "@cairn/client";
import { type WorldStatus, WorldStatus_State } from "@cairn/protocol";
import { button, element } from "../base/dom";
import { Slider } from "../base/slider";
import { throttle } from "../base/throttle";
import type { Toasts } from "../base/toasts";
import { Method, type SettingsChange } from "./method";

const SETTINGS_INTERVAL_MS = 80;
/** A status may still have the old settings for this time after the daemon's answer. */
const SETTLE_MS = 250;
const BLOCK_COUNT_MAX = 6;

export class Controls {
  readonly root: HTMLElement;
  private readonly playing = button("", "", () => this.togglePause(), "primary play");
  private readonly stepButton = button("Step", "One tick (.)", () => this.step());
  private readonly blocks: HTMLButtonElement[];
  private readonly blocksRow = element("div", { class: "blocks", role: "group",
    "aria-label": "Blocks" });
  private readonly gravity: Slider;
  private readonly elasticity: Slider;
  private readonly damping: Slider;
  private readonly restingVelocity: Slider;
  private readonly turnDamping: Slider;
  private readonly rate: Slider;
  private readonly method = new Method((settings) => this.change(settings));
  private status: WorldStatus | null = null;
  /** The number of changes that the daemon has not answered, or that a status may not have yet. */
  private unansweredCount = 0;

  constructor(
    private readonly session: Session,
    private readonly toasts: Toasts,
    forceLength: HTMLElement,
  ) {
    this.gravity = this.slider("gravity", "Gravity", "m/s²", [0, 20, 0.1],
      "acceleration towards the floor", (value) => ({ gravity: this.gravityOf(value) }));
    this.elasticity = this.slider("elasticity", "Elasticity", "", [0, 1, 0.01],
      "rebound speed divided by approach speed; 1 is a perfect bounce",
      (value) => ({ restitutionSet: { case: "restitution", value } }));
    this.restingVelocity = this.slider("resting-velocity", "Rests below", "m/s", [0, 3, 0.01],
      "slower contacts do not bounce",
      (value) => ({ restingVelocitySet: { case: "restingVelocity", value } }));
    this.damping = this.slider("damping", "Damping", "N·s/m", [0, 5, 0.01],
      "drag against motion, as in a syrup",
      (value) => ({ linearDampingSet: { case: "linearDamping", value } }));
    this.turnDamping = this.slider("turn-damping", "Turn drag", "N·m·s", [0, 2, 0.01],
      "drag against turning",
      (value) => ({ angularDampingSet: { case: "angularDamping", value } }));
    this.rate = this.slider("rate", "Time rate", "×", [-1.3, 0.7, 0.02],
      "simulated seconds per second",
      (value) => ({ timeRateSet: { case: "timeRate", value } }), true);
    this.blocks = Array.from({ length: BLOCK_COUNT_MAX }, (_, index) =>
      button(String(index + 1), `contact-${index + 1}: for everyone here`, () =>
        this.toasts.watch(this.session.load(`contact-${index + 1}`))));
    this.root = this.layOut(forceLength);
    this.root.classList.add("unknown");
    session.status.subscribe((status) => this.show(status));
    session.joined.subscribe((joined) => this.showBlocks(joined?.scene?.name ?? ""));
  }

  private layOut(forceLength: HTMLElement): HTMLElement {
    const reset = button("Reset", "Back to the start, for everyone here (r)", () => this.reset());
    const clock = element("div", { class: "buttons" }, this.playing, this.stepButton, reset);
    this.blocksRow.append(element("span", { class: "label" }, "Blocks"), ...this.blocks);
    const sliders = element("div", { class: "sliders" }, this.gravity.root, this.elasticity.root,
      this.restingVelocity.root, this.damping.root, this.turnDamping.root, this.rate.root,
      this.method.substeps.root,
      ...this.method.propagation.sliders, forceLength);
    return element("section", { class: "controls", "aria-label": "World" }, clock,
      this.blocksRow, sliders, this.method.root);
  }

  private slider(
    id: string,
    label: string,
    unit: string,
    [min, max, step]: [number, number, number],
    title: string,
    change: (value: number) => SettingsChange,
    logarithmic = false,
  ): Slider {
    const send = throttle(SETTINGS_INTERVAL_MS, (value: number) => this.change(change(value)));
    return new Slider({ id, label, title, min, max, step, unit, logarithmic, onInput: send });
  }

  /** Keeps the horizontal part of the scene's gravity. */
  private gravityOf(down: number): SettingsChange["gravity"] {
    const { x = 0, z = 0 } = this.status?.settings?.gravity ?? {};
    return { x, y: -down, z };
  }

  /** After a refusal the controls show the world's settings again. */
  private change(settings: SettingsChange): void {
    const answer = this.session.change(settings);
    this.toasts.watch(answer);
    this.unansweredCount++;
    const settle = () => {
      this.unansweredCount--;
      this.show(this.status);
    };
    answer.then(() => setTimeout(settle, SETTLE_MS), settle);
  }

  async loadLists(directory: Directory): Promise<void> {
    await this.method.loadLists(directory);
    this.show(this.status);
  }

  get paused(): boolean {
    return this.status?.state === WorldStatus_State.PAUSED;
  }

  togglePause(): void {
    this.toasts.watch(this.paused ? this.session.resume() : this.session.pause());
  }

  /** A running world is paused first. */
  step(): void {
    if (!this.paused) {
      this.toasts.watch(this.session.pause());
    }
    this.toasts.watch(this.session.step());
  }

  reset(): void {
    this.toasts.watch(this.session.reset());
  }

  /** Offers other labs of blocks only if the scene is one. */
  private showBlocks(scene: string): void {
    this.blocksRow.hidden = !/^contact-\d$/.test(scene);
    this.blocks.forEach((block, index) => {
      block.setAttribute("aria-pressed", String(scene === `contact-${index + 1}`));
    });
  }

  private show(status: WorldStatus | null): void {
    this.status = status;
    const text = this.paused ? "Resume" : "Pause";
    this.playing.textContent = text;
    this.playing.title = `${text} the world for everyone here (p)`;
    const settings = status?.settings;
    if (settings === undefined) {
      return;
    }
    this.root.classList.remove("unknown");
    this.method.follow(settings);
    if (this.unansweredCount > 0) {
      return; // an older status must not undo the user's new choice
    }
    this.gravity.value = -(settings.gravity?.y ?? 0);
    this.elasticity.value = settings.restitutionSet.value ?? 0;
    this.restingVelocity.value = settings.restingVelocitySet.value ?? 0;
    this.damping.value = settings.linearDampingSet.value ?? 0;
    this.turnDamping.value = settings.angularDampingSet.value ?? 0;
    this.rate.value = settings.timeRateSet.value ?? 1;
    this.method.show(settings);
  }
}
