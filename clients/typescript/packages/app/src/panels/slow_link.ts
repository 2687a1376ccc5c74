/**
 * slow_link.ts: makes the own connection slow, to try what prediction is worth; nobody else is
 * affected.
 */
import type { LinkQuality } from "@cairn/client";
import { element } from "../base/dom";
import { Slider } from "../base/slider";

const DELAY_MAX_MS = 400;
const LOSS_MAX_PERCENT = 10;

export class SlowLink {
  readonly quality: LinkQuality = { delayMs: 0, lossPercent: 0 };
  readonly root: HTMLElement;

  constructor() {
    const delay = new Slider({
      id: "link-delay", label: "Delay", unit: "ms", min: 0, max: DELAY_MAX_MS, step: 10,
      title: "is added to the round trip of this page alone",
      onInput: (value) => { this.quality.delayMs = value; },
    });
    const loss = new Slider({
      id: "link-loss", label: "Loss", unit: "%", min: 0, max: LOSS_MAX_PERCENT, step: 0.5,
      title: "this share of the messages comes a round trip late, as after a lost packet",
      onInput: (value) => { this.quality.lossPercent = value; },
    });
    delay.value = loss.value = 0;
    this.root = element("details", { class: "slow-link of-daemon" },
      element("summary", {}, "Try a slow connection"),
      element("div", { class: "sliders" }, delay.root, loss.root));
  }
}
