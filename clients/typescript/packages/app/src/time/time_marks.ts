/**
 * time_marks.ts: the events in a world's past, as a thin band over the time bar.
 *
 * Spans of inputs are the background of the band.  Joins are marked in its upper half and leaves in
 * its lower half.  Orders and upgrades have the full height.  The picture's x is the tick, so a
 * longer bar only scales the picture and does not draw it again.
 */
import type { Timeline } from "@cairn/protocol";
import { element } from "../base/dom";

const SVG = "http://www.w3.org/2000/svg";

/** Kinds of marks, their text for users, and their part of the band's height; 0 is its top. */
const KINDS = [
  { kind: "join", text: "joined", from: 0, to: 5 },
  { kind: "leave", text: "left", from: 5, to: 10 },
  { kind: "order", text: "orders", from: 0, to: 10 },
  { kind: "upgrade", text: "upgrades", from: 0, to: 10 },
] as const;

/** The orders of instructors are one kind: pauses, settings, changes, forks. */
function kindOf(kind: string): (typeof KINDS)[number]["kind"] {
  return kind === "join" || kind === "leave" || kind === "upgrade" ? kind : "order";
}

/** The strokes of a kind, one for each tick: "M tick from V to". */
export function strokesOf(timeline: Pick<Timeline, "marks">, kind: string): string {
  const form = KINDS.find((entry) => entry.kind === kind);
  const ticks = new Set(timeline.marks.filter((mark) => kindOf(mark.kind) === kind)
    .map((mark) => Number(mark.tick)));
  return form === undefined ? ""
    : [...ticks].map((tick) => `M${tick} ${form.from}V${form.to}`).join("");
}

/**
 * The background for spans of inputs; at least `least` ticks wide, so that one input is visible.
 */
export function groundOf(timeline: Pick<Timeline, "inputs">, least: number): string {
  return timeline.inputs.map(({ firstTick, lastTick }) =>
    `M${firstTick} 2H${Math.max(Number(lastTick), Number(firstTick) + least)}V8H${firstTick}Z`)
    .join("");
}

/** The text for screen readers, also used as the title. */
export function textOf(timeline: Pick<Timeline, "marks" | "inputs">): string {
  const parts = KINDS.map(({ kind, text }) => {
    const count = timeline.marks.filter((mark) => kindOf(mark.kind) === kind).length;
    return count > 0 ? `${count} ${text}` : "";
  });
  const inputs = timeline.inputs.reduce((sum, span) => sum + span.count, 0);
  parts.push(inputs > 0 ? `${inputs} inputs` : "");
  return parts.filter((part) => part !== "").join(", ");
}

export class TimeMarks {
  readonly root: HTMLElement;
  private readonly picture = document.createElementNS(SVG, "svg");
  private readonly ground = document.createElementNS(SVG, "path");
  private readonly strokes = KINDS.map(({ kind }) => {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", kind);
    return { kind, path };
  });
  private shown = "";

  constructor() {
    this.ground.setAttribute("class", "inputs");
    this.picture.setAttribute("preserveAspectRatio", "none");
    this.picture.append(this.ground, ...this.strokes.map(({ path }) => path));
    this.root = element("div", { class: "time-marks", role: "img", hidden: true });
    this.root.append(this.picture);
  }

  show(timeline: Timeline): void {
    const text = textOf(timeline);
    const length = Number(timeline.tick) - Number(timeline.firstTick);
    this.ground.setAttribute("d", groundOf(timeline, length / 300));
    for (const { kind, path } of this.strokes) {
      path.setAttribute("d", strokesOf(timeline, kind));
    }
    this.root.hidden = text === "";
    this.root.title = text;
    this.root.setAttribute("aria-label", `Events in the past: ${text}`);
  }

  /** Sets the first and last tick of the bar; call it once a frame. */
  span(first: number, last: number): void {
    const box = `${first} 0 ${Math.max(1, last - first)} 10`;
    if (box !== this.shown) {
      this.shown = box;
      this.picture.setAttribute("viewBox", box);
    }
  }
}
