/**
 * slider.ts: a labelled range with its value and unit, which the user and the daemon both move.
 *
 * While the user moves it, and for a moment after, values from the daemon are kept for later.
 * These values may be older than the user's, and would move the thumb back.
 */
import { element, setText } from "./dom";

export interface SliderOptions {
  id: string;
  label: string;
  title: string;
  min: number;
  max: number;
  step: number;
  unit: string;
  /** Steps are equal factors: the range's own value is the logarithm to base 10. */
  logarithmic?: boolean;
  onInput(value: number): void;
}

const HELD_MS = 600;

export class Slider {
  readonly root: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly output = element("output", {});
  private heldUntil = 0;
  private later: number | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: SliderOptions) {
    const { id, label, title, min, max, step } = options;
    this.input = element("input", { type: "range", id, min, max, step, title });
    this.output.htmlFor.add(id);
    const name = element("label", { for: id, title }, label);
    this.root = element("div", { class: "slider" }, name, this.output, this.input);
    this.input.addEventListener("input", () => this.onHand());
  }

  private onHand(): void {
    this.heldUntil = performance.now() + HELD_MS;
    this.later = null;
    const value = this.value;
    this.print(value);
    this.options.onInput(value);
  }

  get value(): number {
    const raw = Number(this.input.value);
    return this.options.logarithmic ? 10 ** raw : raw;
  }

  /** Sets the value from the daemon or the program. */
  set value(value: number) {
    const wait = this.heldUntil - performance.now();
    if (wait > 0) {
      this.later = value;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.showLater(), wait);
      return;
    }
    const raw = this.options.logarithmic ? Math.log10(Math.max(value, 1e-9)) : value;
    if (raw > Number(this.input.max)) {
      this.input.max = String(raw);
    }
    if (raw < Number(this.input.min)) {
      this.input.min = String(raw);
    }
    this.input.value = String(raw);
    this.print(value);
  }

  private showLater(): void {
    if (this.later !== null) {
      const value = this.later;
      this.later = null;
      this.value = value;
    }
  }

  private print(value: number): void {
    const { unit, step, logarithmic = false } = this.options;
    const isWhole = Number.isInteger(step) && !logarithmic;
    const digits = isWhole ? 0 : Math.abs(value) >= 10 ? 1 : 2;
    const text = `${value.toFixed(digits)}${unit === "" ? "" : ` ${unit}`}`;
    setText(this.output, text);
    this.input.setAttribute("aria-valuetext", text);
  }
}
