/** hold_tags.ts: shows the holder's name beside each leased body, in the holder's colour. */
import type { Hold, Session } from "@cairn/client";
import type { Point, Stage } from "@cairn/view";
import { element } from "../base/dom";
import { hue, ownSession } from "./people";

const FLASH_MS = 900;

interface Tag {
  body: number;
  name: string;
  root: HTMLElement;
}

export class HoldTags {
  readonly root = element("div",
    { class: "hold-tags", role: "group", "aria-label": "Held bodies and their holders" });
  /** Grows when a tag appears or disappears. */
  version = 0;
  private tags: Tag[] = [];
  private readonly place: Point = { x: 0, y: 0, z: 0 };

  constructor(private readonly session: Session, private readonly stage: Stage) {
    session.leases.holds.subscribe((holds) => this.show([...holds.values()]));
  }

  private show(holds: readonly Hold[]): void {
    const own = ownSession(this.session);
    this.tags = holds.filter(({ target }) => target.case === "body").map((hold) => {
      const name = hold.session === own ? "you" : hold.name || `guest ${hold.session}`;
      const root = element("div", { class: "hold-tag", "data-body": hold.target.value },
        element("span", { class: "dot" }), name + this.remarks(hold));
      root.style.setProperty("--hue", String(hue(hold.session)));
      return { body: hold.target.value, name, root };
    });
    this.root.replaceChildren(...this.tags.map(({ root }) => root));
    this.version++;
  }

  /** Text that says if an instructor took the lease, and the body's caps. */
  private remarks(hold: Hold): string {
    const { leases, joined } = this.session;
    const caps = leases.capsOf(hold.target.value) ?? joined.get()?.scene?.world?.caps;
    const force = caps?.forceSet.case === "force" ? ` · at most ${caps.forceSet.value} N` : "";
    return (hold.taken ? " · taken by the instructor" : "") + force;
  }

  /**
   * Highlights the holder's tag after a try to drag a body that another holds; returns the name.
   */
  flash(body: number): string {
    const tag = this.tags.find((one) => one.body === body);
    tag?.root.classList.add("flash");
    setTimeout(() => tag?.root.classList.remove("flash"), FLASH_MS);
    return tag?.name ?? "somebody else";
  }

  /** Places every tag beside its body. */
  draw(poses: Float64Array): void {
    const { place, stage } = this;
    const { control, placing } = stage;
    for (const { body, root } of this.tags) {
      const isShown = (body + 1) * placing.stride <= poses.length;
      if (isShown) {
        placing.place(poses, body, 0, 0, 0, place);
        control.project(place.x, place.y, place.z, place);
      }
      root.hidden = !isShown || !(place.z > 0);
      root.style.transform = `translate(${place.x.toFixed(1)}px, ${place.y.toFixed(1)}px)`;
    }
  }
}
