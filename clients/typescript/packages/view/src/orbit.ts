/**
 * orbit.ts: an eye that moves around a place in space and looks at it.
 *
 *     eye = target + distance * back        back  = (cos p sin a, sin p, cos p cos a)
 *                                           right = (cos a, 0, -sin a)
 *                                           up    = (-sin p sin a, cos p, -sin p cos a)
 *
 * with yaw a about the vertical and pitch p above the horizon.  At depth d (metres along the line
 * of sight) a metre has focal / d pixels.  Other elements may cover a strip at the bottom; the
 * middle of the picture is then the middle of the part above it.
 */
import type { Meters, Pixels, Radians } from "@cairn/protocol";
import type { ViewControl } from "./lens";
import type { Point } from "./placing";

export interface Ball {
  center: Point;
  radius: Meters;
}

/** The angle of view of the whole height. */
export const FIELD_OF_VIEW: Radians = (34 * Math.PI) / 180;
const YAW_HOME: Radians = 0.55;
const PITCH_HOME: Radians = 0.38;
const PITCH_MIN: Radians = -0.35;
const PITCH_MAX: Radians = 1.5;
const TURN_PER_PIXEL = 0.0075;
const ZOOM_OUT_MAX = 8;
const ZOOM_IN_MAX = 40;
/** How much larger than the picture the ball is, because bodies rarely fill its sides. */
const FILL = 1.15;
const DEPTH_MIN: Meters = 1e-3;

export class Orbit implements ViewControl {
  readonly turns = true;
  readonly target: Point = { x: 0, y: 0, z: 0 };
  readonly eye: Point = { x: 0, y: 0, z: 0 };
  /** Unit vectors of the camera's frame. */
  readonly right: Point = { x: 1, y: 0, z: 0 };
  readonly up: Point = { x: 0, y: 1, z: 0 };
  readonly back: Point = { x: 0, y: 0, z: 1 };
  yaw = YAW_HOME;
  pitch = PITCH_HOME;
  distance: Meters = 10;
  width: Pixels = 1;
  height: Pixels = 1;
  version = 0;
  covered: Pixels = 0;
  private ball: Ball = { center: { x: 0, y: 0, z: 0 }, radius: 1 };
  private touched = false;

  /** The ball that home() shows. */
  setBall(ball: Ball): void {
    this.ball = ball;
    this.home();
  }

  home(): void {
    this.touched = false;
    this.yaw = YAW_HOME;
    this.pitch = PITCH_HOME;
    Object.assign(this.target, this.ball.center);
    this.distance = this.distanceToFit();
    this.settle();
  }

  resize(width: Pixels, height: Pixels): void {
    if (width === this.width && height === this.height) {
      return;
    }
    const before = this.distanceToFit();
    this.width = Math.max(width, 1);
    this.height = Math.max(height, 1);
    this.distance = this.touched
      ? (this.distance * this.distanceToFit()) / before
      : this.distanceToFit();
    this.settle();
  }

  cover(strip: Pixels): void {
    const covered = Math.min(strip, this.height / 2);
    if (covered !== this.covered) {
      this.covered = covered;
      if (!this.touched) {
        this.distance = this.distanceToFit();
      }
      this.settle();
    }
  }

  /** Pixels per metre at a distance of one metre. */
  get focal(): Pixels {
    return this.height / (2 * Math.tan(FIELD_OF_VIEW / 2));
  }

  private distanceToFit(): Meters {
    const half = Math.min(this.width, this.height - this.covered) / 2;
    const angle = Math.atan(half / this.focal);
    return this.ball.radius / (FILL * Math.sin(angle));
  }

  private settle(): void {
    const { yaw, pitch, distance, target } = this;
    const [ca, sa, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
    Object.assign(this.back, { x: cp * sa, y: sp, z: cp * ca });
    Object.assign(this.right, { x: ca, y: 0, z: -sa });
    Object.assign(this.up, { x: -sp * sa, y: cp, z: -sp * ca });
    this.eye.x = target.x + distance * this.back.x;
    this.eye.y = target.y + distance * this.back.y;
    this.eye.z = target.z + distance * this.back.z;
    this.version++;
  }

  turnBy(dx: Pixels, dy: Pixels): void {
    this.touched = true;
    this.yaw -= dx * TURN_PER_PIXEL;
    this.pitch = Math.min(Math.max(this.pitch + dy * TURN_PER_PIXEL, PITCH_MIN), PITCH_MAX);
    this.settle();
  }

  panBy(dx: Pixels, dy: Pixels): void {
    this.touched = true;
    const size = this.distance / this.focal;
    this.shift(-dx * size, dy * size);
    this.settle();
  }

  private shift(right: Meters, up: Meters): void {
    this.target.x += this.right.x * right + this.up.x * up;
    this.target.y += this.right.y * right + this.up.y * up;
    this.target.z += this.right.z * right + this.up.z * up;
  }

  /** The point under (x, y) at the target's depth stays there. */
  zoomAt(x: Pixels, y: Pixels, factor: number): void {
    const fit = this.distanceToFit();
    const wanted = Math.min(
      Math.max(this.distance / factor, fit / ZOOM_IN_MAX),
      fit * ZOOM_OUT_MAX,
    );
    const change = (this.distance - wanted) / this.focal;
    this.touched = true;
    this.shift((x - this.middleX) * change, (this.middleY - y) * change);
    this.distance = wanted;
    this.settle();
  }

  private get middleX(): Pixels {
    return this.width / 2;
  }

  private get middleY(): Pixels {
    return (this.height - this.covered) / 2;
  }

  /** Metres along the line of sight. */
  private depth(x: Meters, y: Meters, z: Meters): Meters {
    const { eye, back } = this;
    return (eye.x - x) * back.x + (eye.y - y) * back.y + (eye.z - z) * back.z;
  }

  pixelsPerMeter(x: Meters, y: Meters, z: Meters): number {
    const depth = this.depth(x, y, z);
    return depth > DEPTH_MIN ? this.focal / depth : 0;
  }

  toward(x: Meters, y: Meters, z: Meters, out: Point): void {
    const { eye } = this;
    const length = Math.hypot(eye.x - x, eye.y - y, eye.z - z) || 1;
    out.x = (eye.x - x) / length;
    out.y = (eye.y - y) / length;
    out.z = (eye.z - z) / length;
  }

  project(x: Meters, y: Meters, z: Meters, out: Point): void {
    const { eye, right, up } = this;
    const depth = this.depth(x, y, z);
    const scale = this.focal / Math.max(depth, DEPTH_MIN);
    const across = (x - eye.x) * right.x + (y - eye.y) * right.y + (z - eye.z) * right.z;
    const above = (x - eye.x) * up.x + (y - eye.y) * up.y + (z - eye.z) * up.z;
    out.x = this.middleX + across * scale;
    out.y = this.middleY - above * scale;
    out.z = depth;
  }

  carry(x: Pixels, y: Pixels, anchor: Readonly<Point>, out: Point): void {
    const { eye, right, up, back } = this;
    const depth = Math.max(this.depth(anchor.x, anchor.y, anchor.z), DEPTH_MIN);
    const across = ((x - this.middleX) * depth) / this.focal;
    const above = ((this.middleY - y) * depth) / this.focal;
    out.x = eye.x + across * right.x + above * up.x - depth * back.x;
    out.y = eye.y + across * right.y + above * up.y - depth * back.y;
    out.z = eye.z + across * right.z + above * up.z - depth * back.z;
  }
}
