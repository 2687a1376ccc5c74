/**
 * stage.ts: a canvas that shows one scene at given poses.
 *
 * The stage keeps nothing of time or network: its owner hands it poses, contacts and what is held,
 * and calls draw().  Between setScene() and draw() nothing is allocated per frame.  A scene is
 * drawn by the view of its dimension; both draw to the same canvas.
 */
import { type Scene, type ThrusterInfo, isSpatial, sceneThrusters } from "@cairn/protocol";
import { Color, SRGBColorSpace, WebGLRenderer } from "three";
import type { ViewControl } from "./lens";
import { PAPER } from "./palette";
import { PlanarView } from "./planar_view";
import type { Placing } from "./placing";
import type { StageFrame } from "./scene_marks";
import { SpatialView } from "./spatial_view";
import type { Grip, WorldView } from "./world_view";

const DEVICE_RATIO_MAX = 2.5;

export class Stage {
  thrusters: ThrusterInfo[] = [];
  private readonly renderer: WebGLRenderer;
  private readonly planar: PlanarView;
  private readonly spatial: SpatialView;
  private current: WorldView;
  /** Of the views that were current before, so that the sum only grows. */
  private pastVersion = 0;

  /** Throws where there is no WebGL 2. */
  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: false });
    this.renderer.autoClear = false;
    const [r, g, b] = PAPER;
    this.renderer.setClearColor(new Color().setRGB(r, g, b, SRGBColorSpace));
    this.planar = new PlanarView(this.renderer);
    this.spatial = new SpatialView(this.renderer);
    this.current = this.planar;
  }

  /** `start` are the poses at the scene's start. */
  setScene(scene: Scene, start: Float64Array): void {
    this.thrusters = sceneThrusters(scene);
    this.pastVersion += this.current.control.version;
    this.current = isSpatial(scene) ? this.spatial : this.planar;
    this.current.setScene(scene, this.thrusters, start);
  }

  /** The scene with other bodies or joints: it goes on to be looked at as it is. */
  changeScene(scene: Scene, start: Float64Array): void {
    this.thrusters = sceneThrusters(scene);
    this.current.setScene(scene, this.thrusters, start, true);
  }

  /** How the world is looked at. */
  get control(): ViewControl {
    return this.current.control;
  }

  get placing(): Placing {
    return this.current.placing;
  }

  /** Grows with every change of how the world is looked at. */
  get viewVersion(): number {
    return this.pastVersion + this.control.version;
  }

  /** Arrows in the last frame. */
  get forceCount(): number {
    return this.current.marks.forceCount;
  }

  /** True while something moves by itself, such as a flash. */
  get restless(): boolean {
    return this.current.marks.restless;
  }

  /** CSS pixels. */
  resize(width: number, height: number, deviceRatio: number): void {
    const ratio = Math.min(deviceRatio, DEVICE_RATIO_MAX);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.planar.resize(width, height);
    this.spatial.resize(width, height);
  }

  /** Covers a strip at the bottom. */
  cover(strip: number): void {
    this.planar.control.cover(strip);
    this.spatial.control.cover(strip);
  }

  draw(frame: StageFrame): void {
    this.current.draw(frame);
  }

  /** The movable body at or nearest to a place on the screen, no further than `reach` pixels. */
  grip(screenX: number, screenY: number, reach: number, poses: Float64Array): Grip | null {
    return this.current.grip(screenX, screenY, reach, poses);
  }
}
