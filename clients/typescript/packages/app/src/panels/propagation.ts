/**
 * propagation.ts: the settings of the stepper propagation: numbers of iterations.
 *
 * They are shown while the world uses that stepper.
 */
import type { Settings } from "@cairn/protocol";
import { element } from "../base/dom";
import { Slider } from "../base/slider";
import { throttle } from "../base/throttle";
import type { SettingsChange } from "./method";

const SETTINGS_INTERVAL_MS = 80;
const NAME = "propagation";

type Change = (settings: SettingsChange) => void;
type Part = NonNullable<SettingsChange["propagation"]>;

export class Propagation {
  /** Their place is between the other sliders. */
  readonly sliders: readonly HTMLElement[];
  readonly literalRow: HTMLElement;
  private readonly collisions: Slider;
  private readonly contacts: Slider;
  private readonly sweeps: Slider;
  private readonly shocks: Slider;
  private readonly shuffle: Slider;
  private readonly literal = element("input", { type: "checkbox", id: "literal" });

  constructor(change: Change) {
    const set = (propagation: Part): void => change({ propagation });
    this.collisions = slider("collision-iterations", "Collisions", [0, 20],
      "passes over colliding pairs before gravity acts",
      (value) => set({ collisionIterationsSet: { case: "collisionIterations", value } }));
    this.contacts = slider("contact-iterations", "Contacts", [0, 40],
      "steps in which touching bodies are slowed down, level by level",
      (value) => set({ contactIterationsSet: { case: "contactIterations", value } }));
    this.sweeps = slider("contact-sweeps", "Sweeps", [1, 16],
      "passes over each level in such a step, at most",
      (value) => set({ contactSweepsSet: { case: "contactSweeps", value } }));
    this.shocks = slider("shock-passes", "Shocks", [0, 4],
      "passes in which all bodies below a level have infinite mass",
      (value) => set({ shockPassesSet: { case: "shockPasses", value } }));
    this.shuffle = slider("shuffle", "Order", [0, 100],
      "seed for the order of pairs; change it to see what depends on the order",
      (value) => set({ shuffleSet: { case: "shuffle", value } }));
    this.sliders = [this.collisions, this.contacts, this.sweeps, this.shocks, this.shuffle]
      .map(({ root }) => root);
    this.literal.addEventListener("change", () => {
      set({ literalSet: { case: "literal", value: this.literal.checked } });
      this.literal.blur();
    });
    this.literalRow = element("label", { class: "check", for: this.literal.id,
      title: "exactly the paper's method, without our guards against growing energy" },
    this.literal, "As in the paper");
  }

  hide(isHidden = true): void {
    for (const root of [...this.sliders, this.literalRow]) {
      root.hidden = isHidden;
    }
  }

  show({ propagation, stepper }: Settings): void {
    this.hide(stepper !== NAME);
    this.collisions.value = propagation?.collisionIterationsSet.value ?? 0;
    this.contacts.value = propagation?.contactIterationsSet.value ?? 0;
    this.sweeps.value = propagation?.contactSweepsSet.value ?? 1;
    this.shocks.value = propagation?.shockPassesSet.value ?? 0;
    this.shuffle.value = propagation?.shuffleSet.value ?? 0;
    this.literal.checked = propagation?.literalSet.value ?? false;
  }
}

function slider(
  id: string,
  label: string,
  [min, max]: [number, number],
  title: string,
  onInput: (value: number) => void,
): Slider {
  return new Slider({ id, label, title, min, max, step: 1, unit: "",
    onInput: throttle(SETTINGS_INTERVAL_MS, onInput) });
}
