/** people.ts: the list of people in the world. */
import type { Session } from "@cairn/client";
import { element } from "../base/dom";
import { rightsOf } from "./rights";

const SHOWN_MAX = 6;
const ROLE_TITLE = "The role that your token gives you";

/** The colour of a session; it does not change. */
export function hue(session: bigint): number {
  return Number((session * 137n) % 360n);
}

/** This page's own; -1 without a connection. */
export function ownSession(session: Session): bigint {
  const state = session.connection.state.get();
  return state.kind === "open" ? state.session : -1n;
}

export class People {
  readonly root = element("ul", { class: "people", "aria-label": "People in this world" });

  constructor(private readonly session: Session) {
    session.presence.subscribe(() => this.show());
    session.connection.state.subscribe(() => this.show());
  }

  get count(): number {
    return this.session.presence.get()?.people.length ?? 0;
  }

  private show(): void {
    const own = ownSession(this.session);
    const people = this.session.presence.get()?.people ?? [];
    const sorted = [...people].sort((a, b) =>
      Number(b.session === own) - Number(a.session === own));
    const items = sorted.slice(0, SHOWN_MAX).map((person) => {
      const name = person.name || `guest ${person.session}`;
      const self = person.session === own;
      const other = person.away ? `${name}: away; the connection is lost` : name;
      const title = self ? `${name}: this page` : other;
      const item = element("li", { title, class: self ? "self" : person.away && "away" },
        element("span", { class: "dot" }), self ? "you" : name);
      item.style.setProperty("--hue", String(hue(person.session)));
      return item;
    });
    const { role } = rightsOf(this.session.role.get());
    if (role !== "" && role !== "operator") {
      items.unshift(element("li", { class: "role", title: ROLE_TITLE }, role));
    }
    if (people.length > SHOWN_MAX) {
      items.push(element("li", {}, `and ${people.length - SHOWN_MAX} more`));
    }
    this.root.replaceChildren(...items);
  }
}
