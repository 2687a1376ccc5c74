/** display.ts: the display settings: forces and their length, the energy plot, the quality. */
import { button, element } from "../base/dom";
import { Slider } from "../base/slider";

export class Display {
  readonly root: HTMLElement;
  readonly forceLength: Slider;
  showForces = true;
  forceScale = 1;
  /** Grows when a setting changes the picture. */
  version = 0;
  private readonly forces: HTMLInputElement;
  private readonly part: HTMLInputElement;

  constructor(
    onForces: () => void, onEnergy: (shown: boolean) => void, onHome: () => void,
    onPart: (on: boolean) => void,
    check: HTMLElement, fineness: HTMLElement, prediction: HTMLElement,
  ) {
    this.part = this.checkbox("show-part", false, onPart);
    this.forces = this.checkbox("show-forces", true, (on) => {
      this.showForces = on;
      this.version++;
      onForces();
    });
    const energy = this.checkbox("show-energy", true, onEnergy);
    this.forceLength = new Slider({
      id: "force-scale",
      label: "Force length",
      title: "length of the arrow for one newton",
      min: -1,
      max: 1,
      step: 0.05,
      unit: "×",
      logarithmic: true,
      onInput: (value) => {
        this.forceScale = value;
        this.version++;
      },
    });
    this.forceLength.value = 1;
    const label = (input: HTMLInputElement, text: string) =>
      element("label", { class: "check", for: input.id }, input, text);
    this.root = element("section", { class: "display", "aria-label": "Display" },
      element("div", { class: "checks" }, label(this.forces, "Forces"),
        label(energy, "Energy"), label(this.part, "Only this part"), prediction, fineness, check,
        button("Fit view", "Show everything (double click)", onHome)));
  }

  /** Whether the page subscribes to only a part of the world. */
  set isPart(on: boolean) {
    this.part.checked = on;
  }

  private checkbox(id: string, on: boolean, change: (on: boolean) => void): HTMLInputElement {
    const input = element("input", { type: "checkbox", id, checked: on });
    input.addEventListener("change", () => {
      change(input.checked);
      input.blur();
    });
    return input;
  }

  toggleForces(): void {
    this.forces.click();
  }
}
