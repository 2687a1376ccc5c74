/**
 * touch_pad.ts: thruster buttons for touch screens, one cross for each body.  They are shown if
 * there is no fine pointer.  Keys that press buttons work on them too.
 *
 * If several thrusters of a body push the same way (a letter and an arrow key), the button controls
 * the first of them.
 */
import { element } from "../base/dom";
import type { ThrusterControl } from "./thruster_control";
import { ARROWS, DIRECTIONS, thrusterGroups } from "./thruster_keys";

const CROSS_COUNT_MAX = 2;
/** CSS pixels above and below, as in style.css. */
const MARGIN = 8;

export class TouchPad {
  readonly root = element("div",
    { class: "touch-pad", role: "group", "aria-label": "Thrusters" });

  constructor(private readonly control: ThrusterControl) {}

  /** The height in CSS pixels that it covers; 0 if it is not shown. */
  get height(): number {
    return this.root.childElementCount === 0 ? 0 : this.root.clientHeight + 2 * MARGIN;
  }

  refresh(): void {
    const groups = thrusterGroups(this.control.thrusters).slice(0, CROSS_COUNT_MAX);
    this.root.replaceChildren(
      ...groups.map((group) => {
        const buttons = DIRECTIONS.flatMap((direction) => {
          const actuator = group.ways.get(direction)?.actuators[0];
          return actuator === undefined
            ? []
            : [this.makeButton(actuator, direction, `${group.title}: ${direction}`)];
        });
        const name = element("span", {}, group.title.replace("Block ", ""));
        return element("div", { class: "cross", role: "group" }, name, ...buttons);
      }),
    );
  }

  private makeButton(
    actuator: number,
    direction: keyof typeof ARROWS,
    label: string,
  ): HTMLButtonElement {
    const attributes = { type: "button", class: direction, "aria-label": label };
    const made = element("button", attributes, ARROWS[direction]);
    made.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      made.setPointerCapture(event.pointerId);
      this.control.press(actuator, `pointer ${event.pointerId}`);
    });
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      made.addEventListener(kind, (event) => {
        this.control.release(actuator, `pointer ${event.pointerId}`);
      });
    }
    made.addEventListener("keydown", ({ key }) => {
      if (key === "Enter" || key === " ") {
        this.control.press(actuator, "button");
      }
    });
    for (const kind of ["keyup", "blur"] as const) {
      made.addEventListener(kind, () => this.control.release(actuator, "button"));
    }
    made.addEventListener("contextmenu", (event) => event.preventDefault());
    return made;
  }
}
