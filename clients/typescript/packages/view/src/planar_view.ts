/** planar_view.ts: a planar scene: flat shapes on paper, seen from the front. */
import { type Scene, type ThrusterInfo, isDynamic } from "@cairn/protocol";
import { Camera, Scene as ThreeScene, type WebGLRenderer } from "three";
import { BodyLayer } from "./body_layer";
import {
  type Contour,
  type Nearest,
  type PlaneShape,
  bodyContours,
  bodyPlanes,
  nearestOnContour,
} from "./contour";
import { Framing } from "./framing";
import { GroundLayer } from "./ground_layer";
import { LabelLayer } from "./label_layer";
import type { Nozzle } from "./marks";
import { rayExit } from "./outline_mesh";
import { PLANAR_PLACING, type Point } from "./placing";
import { type MarkScales, NO_SCALES, SceneMarks, type StageFrame } from "./scene_marks";
import { forceScale, impulseUnit, sceneLabels, sceneRegion } from "./scene_view";
import { StrokeLayer } from "./stroke_layer";
import { ViewUniforms } from "./view_uniforms";
import type { Grip, WorldView } from "./world_view";

/** The arm of the cross for a body without shapes, as a share of the view's height. */
const BARE_SHARE = 0.06;

export class PlanarView implements WorldView {
  readonly control = new Framing();
  readonly placing = PLANAR_PLACING;
  readonly marks: SceneMarks;
  private readonly world = new ThreeScene();
  private readonly camera = new Camera();
  private readonly view = new ViewUniforms();
  private readonly ground: GroundLayer;
  private readonly bodies: BodyLayer;
  private readonly labels: LabelLayer;
  private shownSleep = -1;
  private shownVeils = -1;
  private scales: MarkScales = NO_SCALES;
  private contours: Contour[][] = [];
  private planes: { body: number; plane: PlaneShape }[] = [];
  private readonly nearest: Nearest = { distance: 0, x: 0, y: 0 };
  private readonly point: Point = { x: 0, y: 0, z: 0 };
  private readonly inBody: Point = { x: 0, y: 0, z: 0 };

  constructor(private readonly renderer: WebGLRenderer) {
    this.ground = new GroundLayer(this.view, this.world);
    const under = new StrokeLayer(this.view, this.world, 2);
    this.bodies = new BodyLayer(this.view, this.world, 3);
    this.labels = new LabelLayer(this.view, this.world, 5);
    const over = new StrokeLayer(this.view, this.world, 6);
    this.marks = new SceneMarks(this.placing, under, over);
  }

  setScene(
    scene: Scene, thrusters: readonly ThrusterInfo[], start: Float64Array, keepsView = false,
  ): void {
    const outlines = scene.bodies.map(bodyContours);
    this.contours = outlines.map((own, index) => (isDynamic(scene.bodies[index]!) ? own : []));
    this.planes = scene.bodies.flatMap((body, index) =>
      bodyPlanes(body).map((plane) => ({ body: index, plane })),
    );
    const region = sceneRegion(scene);
    const nozzles = thrusters.map((thruster) => nozzleOf(thruster, outlines));
    if (!keepsView) {
      this.scales = {
        bareArm: BARE_SHARE * region.height,
        metersPerNewton: forceScale(scene, region.height),
        impulseUnit: impulseUnit(scene),
      };
      this.control.setRegion(region);
    }
    this.marks.setScene(scene, start, nozzles, this.scales);
    this.ground.setPlaneCount(this.planes.length);
    this.bodies.setScene(scene);
    this.shownSleep = this.shownVeils = -1;
    this.labels.setLabels(sceneLabels(scene, thrusters));
  }

  resize(width: number, height: number): void {
    this.control.resize(width, height);
  }

  draw(frame: StageFrame): void {
    const { poses } = frame;
    this.view.update(this.control, this.renderer.getPixelRatio());
    this.ground.update(this.control);
    this.placePlanes(poses);
    if (frame.sleepVersion !== this.shownSleep) {
      this.shownSleep = frame.sleepVersion;
      this.bodies.setAsleep(frame.asleep);
    }
    if (frame.veilVersion !== this.shownVeils) {
      this.shownVeils = frame.veilVersion;
      this.bodies.setVeils(frame.veils);
    }
    this.bodies.update(poses);
    this.labels.update(poses, this.placing);
    this.marks.draw(frame, this.control);
    this.renderer.render(this.world, this.camera);
  }

  private placePlanes(poses: Float64Array): void {
    const { point } = this;
    for (let index = 0; index < this.planes.length; index++) {
      const { body, plane } = this.planes[index]!;
      this.placing.turn(poses, body, plane.normalX, plane.normalY, 0, point);
      const shift = point.x * poses[body * 3]! + point.y * poses[body * 3 + 1]!;
      this.ground.setPlane(index, point.x, point.y, plane.offset + shift);
    }
  }

  /** The movable body at or nearest to a place on the screen, at most `reach` pixels away. */
  grip(screenX: number, screenY: number, reach: number, poses: Float64Array): Grip | null {
    const x = this.control.worldX(screenX);
    const y = this.control.worldY(screenY);
    let best = reach / this.control.scale;
    let found: Grip | null = null;
    for (let body = 0; body < this.contours.length; body++) {
      this.placing.local(poses, body, x, y, 0, this.inBody);
      for (const contour of this.contours[body]!) {
        nearestOnContour(contour, this.inBody.x, this.inBody.y, this.nearest);
        if (this.nearest.distance <= best) {
          best = this.nearest.distance;
          found = { body, pointX: this.nearest.x, pointY: this.nearest.y, pointZ: 0 };
        }
      }
    }
    return found;
  }
}

function nozzleOf(thruster: ThrusterInfo, contours: readonly Contour[][]): Nozzle {
  const { body, atX, atY } = thruster;
  const size = Math.hypot(thruster.forceX, thruster.forceY) || 1;
  const x = thruster.forceX / size;
  const y = thruster.forceY / size;
  const own = contours[body] ?? [];
  const back = rayExit(own, atX, atY, -x, -y);
  const front = rayExit(own, atX, atY, x, y);
  return {
    body,
    front: { x: atX + x * front, y: atY + y * front, z: 0 },
    back: { x: atX - x * back, y: atY - y * back, z: 0 },
    force: { x, y, z: 0 },
  };
}
