/** help.ts: explains pointer and keys, in a dialog and in one line under the picture. */
import type { ThrusterInfo } from "@cairn/protocol";
import { button, element, setText } from "../base/dom";
import { ARROWS, DIRECTIONS, type Direction, keyName, thrusterGroups } from "./thruster_keys";

const GENERAL: readonly [string, string][] = [
  ["drag a block", "pull it with a spring from the point where you grab it"],
  ["drag elsewhere", "move the view (in space: turn it); zoom with the wheel or two fingers"],
  ["Shift and drag, or the right button", "move the view in space"],
  ["Shift and an arrow key", "turn or move the view"],
  ["+ and \u2212", "zoom"],
  ["double click or Home", "show everything again"],
  ["P or space", "pause and resume"],
  [".", "one tick"],
  ["R", "reset to the start"],
  ["V", "show or hide the contact forces"],
  ["G", "worlds and scenes"],
  ["H", "this help"],
];

/** Whether a pointer drags bodies ("push"); it cannot in a replay, or without the right. */
export type Hands = "push" | "past" | "watch";

const LOOKING: Record<Exclude<Hands, "push">, string> = {
  past: "This is a replay: nothing here can be pushed",
  watch: "You are watching",
};

/** In the order of the fingers on the keys: S D F E, J K L I. */
const HINT_ORDER: readonly Direction[] = ["left", "down", "right", "up"];

function keyCaps(keys: readonly string[]): HTMLElement[] {
  return keys.map((key) => element("kbd", {}, keyName(key)));
}

export class Help {
  readonly root = element("dialog", { class: "help", "aria-label": "Help" });
  readonly line = element("p", { class: "hint-line" });
  private thrusterHints: readonly string[] = [];
  private turns = false;
  private hands: Hands = "push";
  private hasScene = false;
  private readonly keys = element("div", { class: "thruster-keys" });

  constructor() {
    const close = button("Close", "Back to the world (Escape)", () => this.root.close());
    const rows = GENERAL.map(([what, does]) =>
      element("div", {}, element("dt", {}, what), element("dd", {}, does)));
    this.root.append(
      element("header", {}, element("h2", {}, "Keys and gestures"), close),
      element("dl", {}, ...rows),
      this.keys,
      element("h3", {}, "What you see"),
      element("p", {},
        "Red arrows are contact forces. They are just large enough to keep bodies apart, and " +
        "they never pull. Violet arrows are friction forces, and green arrows are the forces " +
        "of joints. " +
        "Each pair of equal and opposite forces is drawn once. Damping slows all motion, like " +
        "drag. Everyone here sees and changes the same world."),
    );
    this.root.addEventListener("click", (event) => {
      if (event.target === this.root) {
        this.root.close();
      }
    });
  }

  open(): void {
    this.root.showModal();
  }

  /** `turns`: whether the pointer can turn the view. */
  setThrusters(thrusters: readonly ThrusterInfo[], turns: boolean): void {
    const groups = thrusterGroups(thrusters);
    this.keys.replaceChildren(
      ...groups.map((group) => {
        const ways = DIRECTIONS.flatMap((direction) => {
          const keys = group.ways.get(direction)?.keys ?? [];
          return keys.length === 0
            ? []
            : [element("li", {}, `${ARROWS[direction]} `, ...keyCaps(keys))];
        });
        return element("div", {}, element("h3", {}, `${group.title}: thrusters`),
          element("ul", {}, ...ways));
      }),
    );
    const parts = groups.map(({ title, ways }) => {
      const keys = HINT_ORDER.flatMap((direction) => ways.get(direction)?.keys ?? []);
      const letters = keys.filter((key) => !key.startsWith("arrow")).map(keyName);
      const arrows = letters.length < keys.length ? ["arrow keys"] : [];
      return `${title}: ${[letters.join(" "), ...arrows].filter(Boolean).join(" or ")}`;
    });
    this.thrusterHints = parts;
    this.turns = turns;
    this.hasScene = true;
    this.writeLine();
  }

  /** Sets the line under the picture to the actions that are possible here. */
  setHands(hands: Hands): void {
    this.hands = hands;
    this.writeLine();
  }

  private writeLine(): void {
    if (!this.hasScene) {
      return;
    }
    const way = this.turns ? "turn" : "move";
    const hints = this.hands === "push"
      ? ["Drag a body with the pointer", ...(this.turns ? ["drag elsewhere to turn the view"] : []),
        ...this.thrusterHints]
      : [LOOKING[this.hands], `drag to ${way} the view`, "the wheel zooms"];
    setText(this.line, hints.join(" · "));
  }
}
