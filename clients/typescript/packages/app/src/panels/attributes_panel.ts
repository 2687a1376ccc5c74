/** attributes_panel.ts: the attributes of the world, of bodies and of people. */
import {
  type AttributeOwner, type AttributeValue, type Session,
} from "@cairn/client";
import { element } from "../base/dom";

/** More rows would push the readings out of sight. */
const ROWS_MAX = 24;

export function valueText(value: AttributeValue): string {
  if (value instanceof Uint8Array) {
    return `${value.length} bytes`;
  }
  return typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value);
}

export class AttributesPanel {
  readonly root = element("section", { class: "attributes", "aria-label": "Attributes" });

  constructor(private readonly session: Session) {
    session.attributes.version.subscribe(() => this.draw());
    session.joined.subscribe(() => this.draw());
    session.presence.subscribe(() => this.draw());
  }

  private draw(): void {
    const rows = this.session.attributes.all().flatMap(({ owner, values }) =>
      [...values].map(([name, value]) => [this.label(owner, name), valueText(value)] as const));
    this.root.hidden = rows.length === 0;
    const shown = rows.slice(0, ROWS_MAX).map(([label, text]) =>
      element("div", {}, element("dt", {}, label), element("dd", {}, text)));
    const more = rows.length - shown.length;
    this.root.replaceChildren(
      element("h2", {}, "Attributes"),
      element("dl", { class: "readings" }, ...shown),
      ...(more > 0 ? [element("p", {}, `and ${more} more`)] : []),
    );
  }

  private label(owner: AttributeOwner, name: string): string {
    if (owner.case === "body") {
      const body = this.session.joined.get()?.scene?.bodies[owner.value];
      return `${body?.name || `body${owner.value}`}: ${name}`;
    }
    if (owner.case === "session") {
      const people = this.session.presence.get()?.people ?? [];
      const person = people.find(({ session }) => session === owner.value);
      return `${person?.name || "a guest"}: ${name}`;
    }
    return name;
  }
}
