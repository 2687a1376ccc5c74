/**
 * method.ts: the controls for solver, stepper, and their settings.
 *
 * Not every stepper works with every solver.  If the user's choice does not work with the present
 * partner, the same request changes the partner too.  The new partner is the one that was used
 * before, else the default of scenes, else the first that works.  Settings without a meaning for
 * the present pair are hidden.
 */
import type { Directory, Session } from "@cairn/client";
import { type ItemList_Item, type Settings, World_Collision } from "@cairn/protocol";
import { Choice } from "../base/choice";
import { element } from "../base/dom";
import { Slider } from "../base/slider";
import { throttle } from "../base/throttle";
import { Propagation } from "./propagation";

const SETTINGS_INTERVAL_MS = 80;
const SUBSTEPS_MAX = 16;
/** The solver that has substeps and sleep. */
const PRODUCTION = "impulse";
/** The stepper that resolves impacts one after the other. */
const EXACT = "event";
const OF_SCENES_THAT_NAME_NONE = { solver: "baraff94", stepper: EXACT };

const COLLISIONS: readonly { value: string; label: string; title: string }[] = [
  {
    value: String(World_Collision.SIMULTANEOUS),
    label: "at once",
    title: "all contacts of an impact at once",
  },
  {
    value: String(World_Collision.SERIAL),
    label: "serial",
    title: "one contact after the other, the fastest first",
  },
  {
    value: String(World_Collision.HYBRID),
    label: "hybrid",
    title: "both points of a pair at once, pairs in turn",
  },
];

type Kind = "solver" | "stepper";
export type SettingsChange = Parameters<Session["change"]>[0];

/** The settings that choose `name` as solver or stepper, and a new partner if needed. */
export function methodChange(
  kind: Kind,
  name: string,
  items: readonly Pick<ItemList_Item, "name" | "fits">[],
  present: Record<Kind, string>,
  before: Record<Kind, string>,
): { solver?: string; stepper?: string } {
  const other: Kind = kind === "solver" ? "stepper" : "solver";
  const fits = items.find((item) => item.name === name)?.fits ?? [];
  if (fits.length === 0 || fits.includes(present[other])) {
    return { [kind]: name };
  }
  const wishes = [before[other], OF_SCENES_THAT_NAME_NONE[other]];
  return { [kind]: name, [other]: wishes.find((wish) => fits.includes(wish)) ?? fits[0] };
}

export class Method {
  readonly root: HTMLElement;
  /** Its place is between the other sliders. */
  readonly substeps: Slider;
  readonly propagation: Propagation;
  private readonly collision: Choice;
  private readonly choices: Record<Kind, Choice>;
  private readonly least = element("input", { type: "checkbox", id: "least-forces" });
  private readonly sleep = element("input", { type: "checkbox", id: "sleep" });
  private readonly leastRow: HTMLElement;
  private readonly sleepRow: HTMLElement;
  private items: Record<Kind, ItemList_Item[]> = { solver: [], stepper: [] };
  private present = { ...OF_SCENES_THAT_NAME_NONE };
  private before = { ...OF_SCENES_THAT_NAME_NONE };

  constructor(private readonly change: (settings: SettingsChange) => void) {
    this.collision = new Choice("collision", "Collisions", "how an impact at many points is solved",
      (value) => change({ collisionSet: { case: "collision", value: Number(value) } }));
    this.collision.setItems(COLLISIONS);
    this.choices = {
      solver: new Choice("solver", "Solver", "finds the contact forces",
        (name) => this.choose("solver", name)),
      stepper: new Choice("stepper", "Stepper", "moves the world through time",
        (name) => this.choose("stepper", name)),
    };
    const send = throttle(SETTINGS_INTERVAL_MS, (value: number) =>
      change({ substepsSet: { case: "substeps", value } }));
    this.substeps = new Slider({ id: "substeps", label: "Substeps", unit: "", min: 1,
      max: SUBSTEPS_MAX, step: 1, onInput: send,
      title: "substeps of a tick: more make contacts stiffer, and cost more" });
    this.propagation = new Propagation(change);
    this.leastRow = this.checkRow(this.least, "Share forces evenly",
      "of several possible forces, show those with the least sum of squares",
      (value) => ({ minimumNormSet: { case: "minimumNorm", value } }));
    this.sleepRow = this.checkRow(this.sleep, "Resting bodies may sleep",
      "bodies at rest are not computed until something wakes them",
      (value) => ({ sleepSet: { case: "sleep", value } }));
    const choices = element("div", { class: "method" }, this.collision.root,
      this.choices.solver.root, this.choices.stepper.root);
    this.propagation.hide();
    this.substeps.root.hidden = this.sleepRow.hidden = true; // as for worlds that name no method
    this.root = element("div", { class: "methods", role: "group", "aria-label": "Method" },
      choices, this.leastRow, this.sleepRow, this.propagation.literalRow);
  }

  private checkRow(
    input: HTMLInputElement,
    text: string,
    title: string,
    change: (value: boolean) => SettingsChange,
  ): HTMLElement {
    input.addEventListener("change", () => {
      this.change(change(input.checked));
      input.blur();
    });
    return element("label", { class: "check", for: input.id, title }, input, text);
  }

  private choose(kind: Kind, name: string): void {
    this.change(methodChange(kind, name, this.items[kind], this.present, this.before));
  }

  async loadLists(directory: Directory): Promise<void> {
    const [solver, stepper] = await Promise.all([directory.solvers(), directory.steppers()]);
    this.items = { solver, stepper };
    this.list("solver", stepper.length);
    this.list("stepper", solver.length);
  }

  private list(kind: Kind, otherCount: number): void {
    this.choices[kind].setItems(this.items[kind].map(({ name, text, fits }) => ({
      value: name,
      label: name,
      title: fits.length < otherCount ? `${text}; with ${fits.join(", ")}` : text,
    })));
  }

  /** The world's settings, including hidden ones. */
  follow({ solver, stepper }: Settings): void {
    if (solver !== this.present.solver || stepper !== this.present.stepper) {
      this.before = this.present;
      this.present = { solver, stepper };
    }
  }

  show(settings: Settings): void {
    const { solver, stepper } = settings;
    this.choices.solver.value = solver;
    this.choices.stepper.value = stepper;
    this.collision.value = String(settings.collisionSet.value ?? 0);
    this.substeps.value = settings.substepsSet.value ?? 1;
    this.sleep.checked = settings.sleepSet.value ?? false;
    this.least.checked = settings.minimumNormSet.value ?? false;
    const isProduction = solver === PRODUCTION;
    this.substeps.root.hidden = this.sleepRow.hidden = !isProduction;
    this.leastRow.hidden = isProduction;
    this.propagation.show(settings);
    this.collision.root.hidden = stepper !== EXACT;
  }
}
