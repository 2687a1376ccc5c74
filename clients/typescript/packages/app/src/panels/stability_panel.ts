/**
 * stability_panel.ts: the button "Stable?": asks the daemon for a proof about the scene's start.
 * It shows the verdict and the margin.  The picture shows the scene's start, with the forces that
 * hold it or with the first motion of its fall.
 */
import { type Directory, RefusedError, type Stability, initialPoses } from "@cairn/client";
import type { Scene } from "@cairn/protocol";
import { button, element, setText } from "../base/dom";
import type { Toasts } from "../base/toasts";

const WORDS: Record<Stability["verdict"], string> = {
  stable: "Stable", critical: "On the edge", unstable: "Unstable", undecided: "Undecided",
};

function marginText({ margin, verdict }: Stability): string {
  if (verdict === "undecided") {
    return "the margin is too close to 0 to decide";
  }
  if (margin === null) {
    return verdict === "unstable" ? "no forces balance the weights" : "the margin has no bound";
  }
  return `margin ${Number(margin.toPrecision(4))} N`.replace("-", "\u2212");
}

export class StabilityPanel {
  /** Over the picture, while a proof is shown. */
  readonly answer: HTMLElement;
  /** The proof that is shown instead of the running world; null: none. */
  shown: { stability: Stability; poses: Float64Array } | null = null;
  /** Grows when the shown proof changes. */
  version = 0;
  readonly ask = button("Stable?",
    "Prove whether the scene stands at its start, or how it starts to fall", () => this.check(),
    "stable-button");
  private readonly verdict = element("strong", {});
  private readonly facts = element("span", {});
  private scene: Scene | null = null;

  constructor(private readonly directory: Directory, private readonly toasts: Toasts) {
    const back = button("Back to the world", "Show the running world again", () => this.close());
    const words = [this.verdict, this.facts, back];
    this.answer = element("p", { class: "verdict", role: "status" }, ...words);
    this.close();
  }

  setScene(scene: Scene): void {
    this.scene = scene;
    this.close();
  }

  private close(): void {
    this.shown = null;
    this.answer.hidden = true;
    this.version++;
  }

  private check(): void {
    const { scene } = this;
    if (scene === null || this.ask.disabled) {
      return;
    }
    this.ask.disabled = true;
    this.directory.check(scene).then(
      (stability) => scene === this.scene && this.show(scene, stability),
      (error: unknown) => this.toasts.show(
        error instanceof RefusedError ? `the check failed: ${error.message}` : String(error),
        "error"),
    ).finally(() => { this.ask.disabled = false; });
  }

  private show(scene: Scene, stability: Stability): void {
    this.shown = { stability, poses: initialPoses(scene) };
    this.answer.hidden = false;
    this.answer.dataset["verdict"] = stability.verdict;
    setText(this.verdict, WORDS[stability.verdict]);
    setText(this.facts, `at the start, ${stability.claim}; ${marginText(stability)}`);
    this.version++;
  }
}
