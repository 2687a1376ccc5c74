/** choice.ts: a labelled select that the user and the daemon both set. */
import { element } from "./dom";

export interface Choosable {
  value: string;
  label: string;
  title?: string;
}

export class Choice {
  readonly root: HTMLElement;
  private readonly select: HTMLSelectElement;

  constructor(
    id: string,
    label: string,
    title: string,
    private readonly onChange: (value: string) => void,
  ) {
    this.select = element("select", { id, title });
    this.root = element("div", { class: "choice" }, element("label", { for: id }, label),
      this.select);
    this.select.addEventListener("change", () => this.onChange(this.select.value));
  }

  setItems(items: readonly Choosable[]): void {
    const chosen = this.select.value;
    this.select.replaceChildren(
      ...items.map(({ value, label, title = "" }) => element("option", { value, title }, label)),
    );
    this.value = chosen;
  }

  /** A value that is not in the list is added to it. */
  set value(value: string) {
    if (value === "" || this.select.value === value) {
      return;
    }
    if (![...this.select.options].some((option) => option.value === value)) {
      this.select.append(element("option", { value }, value));
    }
    this.select.value = value;
  }
}
