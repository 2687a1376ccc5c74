/**
 * stage.ts: a canvas that shows one scene at given poses.
 *
 * The stage does not depend on time or network.  Its owner gives it poses, contacts and drags, and
 * calls draw().  After setScene() no frame allocates memory.  The view for the scene's dimension
 * draws it; both views draw to the same canvas.
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

/** Renderers without a graphics processor, for which smooth edges cost as much as all the rest. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
/** If drawing is fast enough, this many pixels along each axis replace smooth edges. */
const SMOOTH_RATIO = 1.5;
/** Above this number of triangles software rendering uses fewer. */
const SOFTWARE_TRIANGLES_MAX = 50_000;

/** A context on a separate canvas, because a context cannot be changed later. */
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
  /** The sum of the versions of earlier views, so that `version` only grows. */
  private pastVersion = 0;

  /** Throws if there is no WebGL 2. */
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

  /** Sets dark or light mode; call setScene() again afterwards. */
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

  /** Bodies or joints of the scene have changed; the view stays. */
  changeScene(scene: Scene, start: Float64Array): void {
    this.thrusters = sceneThrusters(scene);
    this.current.setScene(scene, this.thrusters, start, true);
  }

  /** The present view of the world. */
  get control(): ViewControl {
    return this.current.control;
  }

  get placing(): Placing {
    return this.current.placing;
  }

  /** Grows with every change of the view. */
  get viewVersion(): number {
    return this.pastVersion + this.control.version;
  }

  /** The number of arrows in the last frame. */
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

  /** Sets the quality from now on. */
  setQuality(quality: Quality): void {
    this.quality = quality;
    this.spatial.setQuality(quality);
    this.fit();
  }

  /**
   * The first quality of a scene, an index of QUALITIES.  Without a graphics processor, shadows can
   * delay the first frame for seconds, so they are added later if there is time.
   */
  get firstQuality(): number {
    if (!this.isSoftware || this.current !== this.spatial) {
      return 0;
    }
    return this.spatial.triangleCount > SOFTWARE_TRIANGLES_MAX ? QUALITIES.length - 1 : 1;
  }

  /** Sets the covered strip at the bottom. */
  cover(strip: number): void {
    this.planar.control.cover(strip);
    this.spatial.control.cover(strip);
  }

  draw(frame: StageFrame): void {
    this.current.draw(frame);
  }

  /** The movable body at or nearest to a place on the screen, at most `reach` pixels away. */
  grip(screenX: number, screenY: number, reach: number, poses: Float64Array): Grip | null {
    return this.current.grip(screenX, screenY, reach, poses);
  }
}
