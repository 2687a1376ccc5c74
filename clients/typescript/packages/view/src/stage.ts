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
import { PAPER, useNight } from "./palette";
import { PlanarView } from "./planar_view";
import type { Placing } from "./placing";
import { QUALITIES, type Quality } from "./quality";
import type { StageFrame } from "./scene_marks";
import { SpatialView } from "./spatial_view";
import type { Grip, WorldView } from "./world_view";

/** Where no graphics processor draws; there smooth edges cost as much as all the rest. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
/** So many pixels along each axis stand in for smooth edges, where that is quick enough. */
const SMOOTH_RATIO = 1.5;
/** Triangles that are too many to be drawn finely by software. */
const SOFTWARE_TRIANGLES_MAX = 50_000;

/** A context on a canvas of its own, since one that is made can not be changed. */
function makeCanvas(): { canvas: HTMLCanvasElement; isSoftware: boolean } {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("webgl2", { antialias: true, alpha: false });
  const names = context?.getExtension("WEBGL_debug_renderer_info") ?? null;
  const name = names === null ? "" : context!.getParameter(names.UNMASKED_RENDERER_WEBGL);
  if (!SOFTWARE.test(String(name))) {
    return { canvas, isSoftware: false };
  }
  context!.getExtension("WEBGL_lose_context")?.loseContext();
  return { canvas: document.createElement("canvas"), isSoftware: true };
}

export class Stage {
  thrusters: ThrusterInfo[] = [];
  readonly canvas: HTMLCanvasElement;
  private readonly isSoftware: boolean;
  private quality = QUALITIES[0]!;
  private width = 1;
  private height = 1;
  private deviceRatio = 1;
  private readonly renderer: WebGLRenderer;
  private readonly planar: PlanarView;
  private readonly spatial: SpatialView;
  private current: WorldView;
  /** Of the views that were current before, so that the sum only grows. */
  private pastVersion = 0;

  /** Throws where there is no WebGL 2. */
  constructor() {
    const { canvas, isSoftware } = makeCanvas();
    this.canvas = canvas;
    this.isSoftware = isSoftware;
    this.renderer = new WebGLRenderer({ canvas, antialias: !isSoftware, alpha: false });
    this.renderer.autoClear = false;
    this.layPaper();
    this.planar = new PlanarView(this.renderer);
    this.spatial = new SpatialView(this.renderer);
    this.current = this.planar;
  }

  private layPaper(): void {
    const [r, g, b] = PAPER;
    this.renderer.setClearColor(new Color().setRGB(r, g, b, SRGBColorSpace));
  }

  /** Dark paper, or light; the scene is to be given again. */
  setNight(isNight: boolean): void {
    useNight(isNight);
    this.layPaper();
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
    Object.assign(this, { width, height, deviceRatio });
    this.fit();
    this.planar.resize(width, height);
    this.spatial.resize(width, height);
  }

  private fit(): void {
    const { sharpness, ratioMax, name } = this.quality;
    const most = name === "high" && this.isSoftware
      ? Math.max(this.deviceRatio, SMOOTH_RATIO) : this.deviceRatio * sharpness;
    this.renderer.setPixelRatio(Math.min(most, ratioMax));
    this.renderer.setSize(this.width, this.height, false);
  }

  /** How finely is drawn from now on. */
  setQuality(quality: Quality): void {
    this.quality = quality;
    this.spatial.setQuality(quality);
    this.fit();
  }

  /**
   * Where to begin with a scene: an index of QUALITIES.  Without a graphics processor shadows alone
   * can hold a first frame for seconds; they come where time allows.
   */
  get firstQuality(): number {
    if (!this.isSoftware || this.current !== this.spatial) {
      return 0;
    }
    return this.spatial.triangleCount > SOFTWARE_TRIANGLES_MAX ? QUALITIES.length - 1 : 1;
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
