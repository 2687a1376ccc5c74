/**
 * lens.ts: the projection of the world to the screen, for drawing marks and for pointers.
 *
 * World: metres.  Screen: CSS pixels from the canvas' upper left corner, y down.
 */
import type { Meters, Pixels } from "@cairn/protocol";
import type { Point } from "./placing";

/** The functions that marks of a constant size on the screen need. */
export interface Lens {
  /** CSS pixels per metre at a place, across the line of sight; 0 behind the eye. */
  pixelsPerMeter(x: Meters, y: Meters, z: Meters): number;
  /** The unit vector from a place towards the eye. */
  toward(x: Meters, y: Meters, z: Meters, out: Point): void;
}

/** The ways in which the user moves a view. */
export interface ViewControl extends Lens {
  /** Grows with every change. */
  readonly version: number;
  /** Whether the user can turn the view as well as move it. */
  readonly turns: boolean;
  /** Shows the whole scene. */
  home(): void;
  /** Covers a strip at the bottom; the scene is fitted above it. */
  cover(strip: Pixels): void;
  panBy(dx: Pixels, dy: Pixels): void;
  turnBy(dx: Pixels, dy: Pixels): void;
  zoomAt(x: Pixels, y: Pixels, factor: number): void;
  /** The screen position of a place; `out.z` is above 0 in front of the eye. */
  project(x: Meters, y: Meters, z: Meters, out: Point): void;
  /** The place under (x, y) at the same depth as `anchor`. */
  carry(x: Pixels, y: Pixels, anchor: Readonly<Point>, out: Point): void;
}
