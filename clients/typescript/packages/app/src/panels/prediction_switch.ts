/**
 * prediction_switch.ts: the switch *Prediction* with a lamp: green while the hashes of the engine
 * on this page agree with the daemon's.
 */
import { element } from "../base/dom";
import type { PredictionState, Remote } from "@cairn/play";

const KEY = "cairn-prediction";

/** Built without engines, the page has nothing to predict with. */
const HAS_ENGINE = import.meta.env.VITE_CAIRN_ENGINE === "1";

const TITLES: Record<PredictionState["kind"], string> = {
  off: "snapshots of the daemon are shown",
  loading: "waiting for the engine or its first image",
  on: "this page runs the same engine, ahead of the daemon, which corrects it",
  fallen: "snapshots of the daemon are shown",
};

function lampOf(state: PredictionState): string {
  return state.kind === "on" ? (state.agreed ? "agrees" : "waits") : state.kind;
}

export class PredictionSwitch {
  readonly root: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly lamp = element("span", { class: "lamp", role: "img" });

  /** Without a daemon there is nothing to predict. */
  constructor(remote: Remote, hasDaemon: boolean) {
    const isUseful = HAS_ENGINE && hasDaemon;
    const isWanted = isUseful && localStorage.getItem(KEY) !== "off";
    this.input = element("input", { type: "checkbox", id: "predict", checked: isWanted });
    this.root = element("label", { class: "check prediction", for: "predict" },
      this.input, "Prediction", this.lamp);
    this.root.hidden = !isUseful;
    this.input.addEventListener("change", () => {
      localStorage.setItem(KEY, this.input.checked ? "on" : "off");
      remote.use(this.input.checked);
      this.input.blur();
    });
    remote.state.subscribe((state) => this.show(state));
    remote.use(isWanted);
  }

  private show(state: PredictionState): void {
    this.input.checked = state.kind !== "off" && state.kind !== "fallen";
    this.lamp.dataset["state"] = lampOf(state);
    const reason = state.kind === "fallen" ? `: ${state.reason}` : "";
    this.root.title = TITLES[state.kind] + reason;
    this.lamp.ariaLabel = lampOf(state) === "agrees" ? "the hashes agree" : "no hash agrees yet";
  }
}
