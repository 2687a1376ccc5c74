/**
 * fineness.ts: the quality of the picture: chosen from the time that drawing takes, or by the user.
 * The user's choice is stored for the next visit.
 */
import { AutoQuality, QUALITIES, type Stage } from "@cairn/view";
import { element } from "../base/dom";

const KEPT = "cairn-quality";
const TITLE = "Quality of the drawing: automatic, or your choice";

export class Fineness {
  readonly root: HTMLElement;
  /** Grows when the quality changes. */
  version = 0;
  private readonly auto = new AutoQuality();
  private readonly automatic = element("option", { value: "auto" }, "auto");
  private readonly select: HTMLSelectElement;
  private shown = 0;

  constructor(private readonly stage: Stage) {
    this.select = element("select", { id: "quality", title: TITLE }, this.automatic,
      ...QUALITIES.map(({ name }) => element("option", { value: name }, name)));
    this.root = element("div", { class: "choice" },
      element("label", { for: "quality", title: TITLE }, "Quality"), this.select);
    this.select.value = keptQuality();
    this.select.addEventListener("change", () => {
      keepQuality(this.select.value);
      this.auto.reset(stage.firstQuality);
      this.apply();
    });
    this.apply();
  }

  /** The quality that is used now. */
  get name(): string {
    return QUALITIES[this.shown]!.name;
  }

  /** Call it before another scene is drawn. */
  reset(): void {
    this.auto.reset(this.stage.firstQuality);
    this.apply();
  }

  /** Call it once a frame; `isDrawn`: the picture was drawn in it. */
  note(now: number, isDrawn: boolean): void {
    const { level } = this.auto;
    this.auto.note(now, isDrawn);
    if (this.auto.level !== level) {
      this.apply();
    }
  }

  private apply(): void {
    const chosen = QUALITIES.findIndex(({ name }) => name === this.select.value);
    const isAuto = chosen < 0;
    const level = isAuto ? this.auto.level : chosen;
    this.automatic.textContent = isAuto ? `auto: ${QUALITIES[level]!.name}` : "auto";
    if (level !== this.shown) {
      this.shown = level;
      this.stage.setQuality(QUALITIES[level]!);
      this.version++;
    }
  }
}

function keptQuality(): string {
  try {
    const kept = localStorage.getItem(KEPT) ?? "";
    return QUALITIES.some(({ name }) => name === kept) ? kept : "auto";
  } catch {
    return "auto"; // a browser without storage
  }
}

function keepQuality(name: string): void {
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    // Without storage the choice holds until the page is closed.
  }
}
