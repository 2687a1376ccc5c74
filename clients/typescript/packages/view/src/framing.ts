/**
 * framing.ts: the part of a planar world that is on the screen.
 *
 * World: metres, y up.  Screen: CSS pixels from the canvas' upper left corner, y down.  A scene
 * gives a centre and a height.  On a narrow canvas the height grows until the scene's bodies fit
 * its width too.  Other elements may cover a strip at the bottom; the scene is fitted above it.
 */
import type { Meters, Pixels } from "@cairn/protocol";
import type { ViewControl } from "./lens";
import type { Point } from "./placing";

export interface Region {
  centerX: Meters;
  centerY: Meters;
  width: Meters;
  height: Meters;
}

const ZOOM_OUT_MAX = 20;
const ZOOM_IN_MAX = 100;

export class Framing implements ViewControl {
  readonly turns = false;
  centerX: Meters = 0;
  centerY: Meters = 0;
  /** Pixels per metre. */
  scale = 50;
  width: Pixels = 1;
  height: Pixels = 1;
  /** Grows with every change. */
  version = 0;
  /** Height of the covered strip. */
  private covered: Pixels = 0;
  private region: Region = { centerX: 0, centerY: 0, width: 10, height: 10 };
  private touched = false;

  setRegion(region: Region): void {
    this.region = region;
    this.home();
  }

  /** Shows the whole region. */
  home(): void {
    this.touched = false;
    this.centerX = this.region.centerX;
    this.scale = this.scaleToFit();
    this.centerY = this.region.centerY - this.covered / 2 / this.scale;
    this.version++;
  }

  /** Keeps the middle of the view; a view that the user never moved is fitted again. */
  resize(width: Pixels, height: Pixels): void {
    if (width === this.width && height === this.height) {
      return;
    }
    const before = this.scaleToFit();
    this.width = Math.max(width, 1);
    this.height = Math.max(height, 1);
    if (this.touched) {
      this.scale *= this.scaleToFit() / before;
      this.version++;
    } else {
      this.home();
    }
  }

  /** Sets the covered strip at the bottom, at most half of the height. */
  cover(strip: Pixels): void {
    const covered = Math.min(strip, this.height / 2);
    if (covered !== this.covered) {
      this.covered = covered;
      if (!this.touched) {
        this.home();
      }
    }
  }

  private scaleToFit(): number {
    const height = this.height - this.covered;
    return Math.min(this.width / this.region.width, height / this.region.height);
  }

  panBy(dx: Pixels, dy: Pixels): void {
    this.touched = true;
    this.centerX -= dx / this.scale;
    this.centerY += dy / this.scale;
    this.version++;
  }

  /** The point of the world under (x, y) stays there. */
  zoomAt(x: Pixels, y: Pixels, factor: number): void {
    const fit = this.scaleToFit();
    const wanted = Math.min(Math.max(this.scale * factor, fit / ZOOM_OUT_MAX), fit * ZOOM_IN_MAX);
    const worldX = this.worldX(x);
    const worldY = this.worldY(y);
    this.touched = true;
    this.scale = wanted;
    this.centerX += worldX - this.worldX(x);
    this.centerY += worldY - this.worldY(y);
    this.version++;
  }

  turnBy(): void {
    // The eye looks at the plane from the front.
  }

  pixelsPerMeter(): number {
    return this.scale;
  }

  toward(_x: Meters, _y: Meters, _z: Meters, out: Point): void {
    out.x = out.y = 0;
    out.z = 1;
  }

  project(x: Meters, y: Meters, _z: Meters, out: Point): void {
    out.x = this.screenX(x);
    out.y = this.screenY(y);
    out.z = 1;
  }

  carry(x: Pixels, y: Pixels, _anchor: Readonly<Point>, out: Point): void {
    out.x = this.worldX(x);
    out.y = this.worldY(y);
    out.z = 0;
  }

  worldX(x: Pixels): Meters {
    return this.centerX + (x - this.width / 2) / this.scale;
  }

  worldY(y: Pixels): Meters {
    return this.centerY - (y - this.height / 2) / this.scale;
  }

  screenX(x: Meters): Pixels {
    return (x - this.centerX) * this.scale + this.width / 2;
  }

  screenY(y: Meters): Pixels {
    return (this.centerY - y) * this.scale + this.height / 2;
  }
}
