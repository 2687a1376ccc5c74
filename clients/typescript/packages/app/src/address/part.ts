/**
 * part.ts: the part of a world that this page subscribes to.  It comes from `?area=X,Y[,Z],REACH`
 * and `?tag=A,B` in the address, or from the view when the user chose it.
 *
 * Bodies enter and leave at the edge.  The daemon keeps a body in view until it is a tenth of the
 * reach outside.  Within that tenth the body fades.  A body that has left stays as a shadow where
 * it was last seen.
 */
import type { Session } from "@cairn/client";
import { type Scene, isDynamic } from "@cairn/protocol";
import type { Point, Stage } from "@cairn/view";

const MARGIN = 0.1;
/** How faint a body is at the outer edge, and out of view; 1 is invisible. */
const VEIL_EDGE = 0.6;
const VEIL_GONE = 0.88;
const SHORTEST = 0.01;

export interface Part {
  /** Null: only by tags.  A reach of 0 means no limit. */
  area: { point: Point; reach: Point } | null;
  tags: readonly string[];
}

function numbersOf(text: string): number[] {
  return text.split(",").map((one) => (one.trim() === "" ? NaN : Number(one)));
}

/** Null: the whole world; also if the address cannot be parsed. */
export function readPart(query: URLSearchParams): Part | null {
  const tags = (query.get("tag") ?? "").split(",").filter((tag) => tag !== "");
  const numbers = numbersOf(query.get("area") ?? "");
  const [x = NaN, y = NaN] = numbers;
  const reach = numbers.at(-1) ?? NaN;
  const isArea = (numbers.length === 3 || numbers.length === 4) &&
    numbers.every(Number.isFinite) && reach > 0;
  const z = numbers.length === 4 ? numbers[2]! : 0;
  const point = { x, y, z };
  const area = isArea ? { point, reach: { x: reach, y: reach, z: reach } } : null;
  return area === null && tags.length === 0 ? null : { area, tags };
}

function round(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** Adds the part to the query, or removes it. */
export function writePart(query: URLSearchParams, part: Part | null, isFlat: boolean): void {
  query.delete("area");
  query.delete("tag");
  if (part !== null && part.area !== null) {
    const { x, y, z } = part.area.point;
    const numbers = [x, y, ...(isFlat ? [] : [z]), Math.max(part.area.reach.x, SHORTEST)];
    query.set("area", numbers.map(round).join(","));
  }
  if (part !== null && part.tags.length > 0) {
    query.set("tag", part.tags.join(","));
  }
}

/** How faint a body in view is at a place: 0 inside, more towards the outer edge. */
export function veilAt(part: Part, x: number, y: number, z: number): number {
  if (part.area === null) {
    return 0;
  }
  const { point, reach } = part.area;
  const beyond = (offset: number, half: number) =>
    half > 0 ? (Math.abs(offset) - half) / (MARGIN * half) : 0;
  const far = Math.max(beyond(x - point.x, reach.x), beyond(y - point.y, reach.y),
    beyond(z - point.z, reach.z));
  return VEIL_EDGE * Math.min(Math.max(far, 0), 1);
}

export class PartOfWorld {
  part: Part | null = null;
  /** For every body; empty while the whole world is in view. */
  veils = new Float32Array(0);
  /** Grows when a value of `veil` changes. */
  version = 0;
  private movable: readonly boolean[] = [];
  private fixed: readonly boolean[] = [];

  constructor(private readonly session: Session, private readonly stage: Stage) {}

  /** Subscribes to the part, from the next tick on. */
  choose(part: Part | null): void {
    this.part = part;
    this.veils = new Float32Array(part === null ? 0 : this.movable.length);
    this.version++;
    const { area = null, tags = [] } = part ?? {};
    const around = area === null ? undefined
      : { around: { case: "point" as const, value: area.point }, reach: area.reach };
    const interest = { tags: [...tags], ...(around === undefined ? {} : { area: around }) };
    this.session.see(part === null ? undefined : interest);
  }

  /** Bodies with a chosen tag, and those that are always relevant, never fade. */
  setScene(scene: Scene): void {
    const tags = new Set(this.part?.tags ?? []);
    this.movable = scene.bodies.map(isDynamic);
    this.fixed = scene.bodies.map((body) =>
      body.alwaysRelevant || body.tags.some((tag) => tags.has(tag)));
    this.veils = new Float32Array(this.part === null ? 0 : scene.bodies.length);
    this.version++;
  }

  /** Call it before a frame is drawn at these poses. */
  update(poses: Float64Array): void {
    const { part, veils } = this;
    if (part === null) {
      return;
    }
    const { inView } = this.session.snapshots;
    const { stride } = this.stage.placing;
    const isFlat = stride === 3;
    let changes = 0;
    for (let body = 0; body < veils.length; body++) {
      const at = body * stride;
      let veil = 0;
      if (inView[body] !== 1) {
        veil = this.movable[body] === true ? VEIL_GONE : 0;
      } else if (this.fixed[body] !== true && this.movable[body] === true) {
        veil = veilAt(part, poses[at]!, poses[at + 1]!, isFlat ? 0 : poses[at + 2]!);
      }
      veil = Math.fround(veil);
      changes += veils[body] === veil ? 0 : 1;
      veils[body] = veil;
    }
    this.version += changes > 0 ? 1 : 0;
  }

  /** Whether the body's shown pose is current. */
  isSeen(body: number): boolean {
    return this.part === null || this.session.snapshots.inView[body] === 1 ||
      this.movable[body] !== true;
  }

  /** The part in the view now: around its middle, up to its shorter side. */
  inSight(poses: Float64Array): Part {
    const { canvas, control, placing } = this.stage;
    const { stride } = placing;
    const anchor = { x: 0, y: 0, z: 0 };
    let count = 0;
    for (let body = 0; stride > 3 && body < this.movable.length; body++) {
      if (this.movable[body] === true) {
        count++;
        anchor.x += (poses[body * stride]! - anchor.x) / count;
        anchor.y += (poses[body * stride + 1]! - anchor.y) / count;
        anchor.z += (poses[body * stride + 2]! - anchor.z) / count;
      }
    }
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    const point = { ...anchor };
    const edge = { ...anchor };
    control.carry(width / 2, height / 2, anchor, point);
    control.carry(width / 2 + Math.min(width, height) / 2, height / 2, anchor, edge);
    const half = Math.hypot(edge.x - point.x, edge.y - point.y, edge.z - point.z);
    const reach = Math.max(half, SHORTEST);
    return { area: { point, reach: { x: reach, y: reach, z: reach } }, tags: [] };
  }
}
