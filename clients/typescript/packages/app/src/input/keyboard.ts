/**
 * keyboard.ts: keys of the page, and keys of thrusters, which the scene chooses.
 *
 * A focused slider or select keeps the arrow keys, which move it; all other keys still work.  A
 * text field keeps every key.  A key is recognised by its character.  If a layout gives another
 * character, it is recognised by its letter in Latin layouts.  When the window loses the focus, all
 * keys are released.
 */
import type { ThrusterControl } from "./thruster_control";

export interface Shortcuts {
  /** By KeyboardEvent.key, lower case. */
  [key: string]: () => void;
}

type Focus = "none" | "arrows" | "everything";

function focusOf(target: EventTarget | null): Focus {
  if (target instanceof HTMLInputElement) {
    return target.type === "range" ? "arrows" : "everything";
  }
  if (target instanceof HTMLSelectElement) {
    return "everything";
  }
  return target instanceof HTMLElement && target.isContentEditable ? "everything" : "none";
}

function latinLetter(code: string): string {
  return /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : "";
}

export class Keyboard {
  private readonly downs = new Map<string, number[]>();

  constructor(
    private readonly thrusters: ThrusterControl,
    private readonly shortcuts: Shortcuts,
    private readonly isModal: () => boolean,
    /** Moves the view; returns whether the key is one of the view's. */
    private readonly moveView: (event: KeyboardEvent) => boolean,
  ) {
    addEventListener("keydown", (event) => this.onDown(event));
    addEventListener("keyup", (event) => this.onUp(event));
    addEventListener("blur", () => this.letGo());
    document.addEventListener("visibilitychange", () => this.letGo());
  }

  private letGo(): void {
    this.downs.clear();
    this.thrusters.releaseAll();
  }

  private actuatorsOf(event: KeyboardEvent): number[] {
    const names = [event.key.toLowerCase(), latinLetter(event.code)];
    for (const name of names) {
      const found = this.thrusters.thrusters.filter(({ keys }) => keys.includes(name));
      if (name !== "" && found.length > 0) {
        return found.map(({ actuator }) => actuator);
      }
    }
    return [];
  }

  private onDown(event: KeyboardEvent): void {
    const focus = focusOf(event.target);
    const isArrow = event.key.startsWith("Arrow") || event.key === "Home";
    if (
      event.ctrlKey || event.metaKey || event.altKey || this.isModal() ||
      focus === "everything" || (focus === "arrows" && isArrow)
    ) {
      return;
    }
    if (this.moveView(event)) {
      event.preventDefault();
      return;
    }
    const actuators = this.actuatorsOf(event);
    if (actuators.length > 0) {
      event.preventDefault();
      this.downs.set(event.code, actuators);
      actuators.forEach((actuator) => this.thrusters.press(actuator, event.code));
      return;
    }
    const shortcut = this.shortcuts[event.key.toLowerCase()];
    const pressesButton = event.key === " " && event.target instanceof HTMLButtonElement;
    if (shortcut !== undefined && !event.repeat && !pressesButton) {
      event.preventDefault();
      shortcut();
    }
  }

  private onUp(event: KeyboardEvent): void {
    const actuators = this.downs.get(event.code) ?? [];
    this.downs.delete(event.code);
    actuators.forEach((actuator) => this.thrusters.release(actuator, event.code));
  }
}
