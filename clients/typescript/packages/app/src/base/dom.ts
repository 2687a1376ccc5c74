/** dom.ts: makes elements in one expression. */
type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | null>;

/** Attributes that are null or false are left out; true is the empty string. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Writes only a changed text, so that a screen reader does not repeat it. */
export function setText(node: Element, text: string): void {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

export function button(
  label: string,
  title: string,
  onClick: () => void,
  className = "",
): HTMLButtonElement {
  const made = element("button", { type: "button", title, class: className }, label);
  made.addEventListener("click", onClick);
  return made;
}
