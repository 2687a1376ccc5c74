/** toasts.ts: short messages in a corner; the same text is not shown twice at a time. */
import { element } from "./dom";

const SHOWN_MS = 7_000;
const COUNT_MAX = 4;

export class Toasts {
  readonly root = element("div", { class: "toasts", role: "status", "aria-live": "polite" });

  show(text: string, kind: "error" | "note" = "note"): void {
    for (const child of this.root.children) {
      if (child.firstChild?.textContent === text) {
        return;
      }
    }
    const words = element("span", {}, text);
    const close = element("button", { type: "button", "aria-label": "close" }, "×");
    const toast = element("div", { class: `toast ${kind}` }, words, close);
    close.addEventListener("click", () => toast.remove());
    setTimeout(() => toast.remove(), SHOWN_MS);
    this.root.append(toast);
    while (this.root.children.length > COUNT_MAX) {
      this.root.firstChild?.remove();
    }
  }

  /** Shows the failure of a promise that no other code awaits. */
  watch(promise: Promise<unknown>): void {
    promise.catch((error: unknown) => {
      this.show(error instanceof Error ? error.message : String(error), "error");
    });
  }
}
