/** spatial_view.ts: a spatial scene: lit solids, seen by an eye that moves around them. */
import { type Scene, type ThrusterInfo, isDynamic } from "@cairn/protocol";
import {
  DirectionalLight,
  Group,
  HemisphereLight,
  PCFShadowMap,
  PerspectiveCamera,
  Raycaster,
  Scene as ThreeScene,
  Vector2,
  Vector3,
  type WebGLRenderer,
} from "three";
import { FloorLayer } from "./floor_layer";
import { gridCell } from "./grid_cell";
import { LabelLayer } from "./label_layer";
import type { Nozzle } from "./marks";
import { type Ball, FIELD_OF_VIEW, Orbit } from "./orbit";
import { SPATIAL_PLACING, type Point } from "./placing";
import type { Quality } from "./quality";
import { type MarkScales, NO_SCALES, SceneMarks, type StageFrame } from "./scene_marks";
import { forceScale, impulseUnit, sceneLabels } from "./scene_view";
import { type Hit, SolidLayer } from "./solid_layer";
import { bodyCorners, reachAlong, sceneBall, scenePlanes } from "./space_region";
import { StrokeLayer } from "./stroke_layer";
import { ViewUniforms } from "./view_uniforms";
import type { Grip, WorldView } from "./world_view";

const SHADOW_PIXELS = 1024;
/** The extent of the shadow map, as a multiple of the ball's radius. */
const SHADOW_REACH = 2.2;
/** The direction of the light, relative to the eye's first position. */
const LIGHT = new Vector3(-0.35, 1, 0.55).normalize();
/** Rays around a place on the screen, as shares of the pointer's reach. */
const NEAR_RAYS = [[0, 0], [0.5, 0], [-0.5, 0], [0, 0.5], [0, -0.5],
  [0.8, 0.6], [-0.8, 0.6], [0.8, -0.6], [-0.8, -0.6]] as const;
/** The arm of the cross for a body without shapes, as a share of the ball's radius. */
const BARE_SHARE = 0.25;
/** The number of grid cells in the ball's radius. */
const CELLS = 5;

export class SpatialView implements WorldView {
  readonly control = new Orbit();
  readonly placing = SPATIAL_PLACING;
  readonly marks: SceneMarks;
  private readonly world = new ThreeScene();
  private readonly group = new Group();
  private readonly camera = new PerspectiveCamera((FIELD_OF_VIEW * 180) / Math.PI, 1, 0.1, 100);
  private readonly view = new ViewUniforms();
  private readonly sun = new DirectionalLight(0xffffff, 1.75);
  private readonly solids: SolidLayer;
  private readonly floor: FloorLayer;
  private readonly labels: LabelLayer;
  private movable: readonly boolean[] = [];
  private radius = 1;
  private shownVersion = -1;
  private shownSleep = -1;
  private shownVeils = -1;
  private scales: MarkScales = NO_SCALES;
  private ball: Ball = { center: { x: 0, y: 0, z: 0 }, radius: 1 };
  private readonly ray = new Raycaster();
  private readonly spot = new Vector2();
  private readonly point: Point = { x: 0, y: 0, z: 0 };

  constructor(private readonly renderer: WebGLRenderer) {
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = PCFShadowMap;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(SHADOW_PIXELS, SHADOW_PIXELS);
    this.sun.shadow.radius = 3;
    this.world.add(this.group, this.sun, this.sun.target);
    this.world.add(new HemisphereLight(0xffffff, 0xd0d5df, 1.9));
    this.solids = new SolidLayer(this.group);
    this.floor = new FloorLayer(this.group);
    const under = new StrokeLayer(this.view, this.world, 2, true);
    this.labels = new LabelLayer(this.view, this.world, 5);
    const over = new StrokeLayer(this.view, this.world, 6, true);
    this.marks = new SceneMarks(this.placing, under, over);
  }

  setScene(
    scene: Scene, thrusters: readonly ThrusterInfo[], start: Float64Array, keepsView = false,
  ): void {
    const ball = keepsView ? this.ball : sceneBall(scene);
    this.ball = ball;
    this.movable = scene.bodies.map(isDynamic);
    this.radius = ball.radius;
    this.solids.setScene(scene);
    this.shownSleep = this.shownVeils = -1;
    const center = new Vector3(ball.center.x, ball.center.y, ball.center.z);
    const cell = gridCell(CELLS / ball.radius, 1);
    this.floor.setPlanes(scenePlanes(scene), center, ball.radius, cell);
    this.setLight(ball);
    if (!keepsView) {
      this.scales = {
        bareArm: BARE_SHARE * ball.radius,
        metersPerNewton: forceScale(scene, 2 * ball.radius),
        impulseUnit: impulseUnit(scene),
      };
      this.control.setBall(ball);
    }
    const nozzles = thrusters.map((thruster) => nozzleOf(thruster, scene));
    this.marks.setScene(scene, start, nozzles, this.scales);
    this.labels.setLabels(sceneLabels(scene, thrusters));
  }

  private setLight({ center, radius }: Ball): void {
    const { sun } = this;
    const reach = radius * SHADOW_REACH;
    sun.target.position.set(center.x, center.y, center.z);
    sun.position.copy(LIGHT).multiplyScalar(4 * reach).add(sun.target.position);
    const { camera } = sun.shadow;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = reach;
    camera.far = 7 * reach;
    camera.updateProjectionMatrix();
    sun.shadow.normalBias = (2.5 * reach) / SHADOW_PIXELS;
    sun.shadow.needsUpdate = true;
  }

  setQuality({ shadows, isCoarse }: Quality): void {
    this.sun.castShadow = shadows;
    this.solids.setCoarse(isCoarse);
    this.marks.isCoarse = isCoarse;
  }

  get triangleCount(): number {
    return this.solids.triangleCount;
  }

  resize(width: number, height: number): void {
    this.control.resize(width, height);
  }

  draw(frame: StageFrame): void {
    this.placeCamera();
    if (frame.sleepVersion !== this.shownSleep || frame.veilVersion !== this.shownVeils) {
      this.shownSleep = frame.sleepVersion;
      this.shownVeils = frame.veilVersion;
      this.solids.shade(frame.asleep, frame.veils);
    }
    this.solids.update(frame.poses);
    this.floor.update(frame.poses);
    this.labels.update(frame.poses, this.placing);
    this.marks.draw(frame, this.control);
    this.renderer.clear();
    this.renderer.render(this.world, this.camera);
  }

  private placeCamera(): void {
    const { control, camera } = this;
    const { width, height, eye, target } = control;
    this.view.setSize(width, height, this.renderer.getPixelRatio());
    if (control.version === this.shownVersion) {
      return;
    }
    this.shownVersion = control.version;
    camera.aspect = width / height;
    camera.near = control.distance / 100;
    camera.far = control.distance + 30 * this.radius;
    camera.setViewOffset(width, height, 0, control.covered / 2, width, height);
    camera.position.set(eye.x, eye.y, eye.z);
    camera.lookAt(target.x, target.y, target.z);
    camera.updateMatrixWorld();
    const { value } = this.view.toScreen;
    value.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
  }

  grip(screenX: number, screenY: number, reach: number, poses: Float64Array): Grip | null {
    for (const [x, y] of NEAR_RAYS) {
      const hit = this.hit(screenX + x * reach, screenY + y * reach);
      if (hit !== null) {
        const { body, point } = hit;
        this.placing.local(poses, body, point.x, point.y, point.z, this.point);
        return { body, pointX: this.point.x, pointY: this.point.y, pointZ: this.point.z };
      }
    }
    return null;
  }

  private hit(screenX: number, screenY: number): Hit | null {
    const { width, height } = this.control;
    this.spot.set((2 * screenX) / width - 1, 1 - (2 * screenY) / height);
    this.ray.setFromCamera(this.spot, this.camera);
    return this.solids.hit(this.ray, (body) => this.movable[body]!);
  }
}

function nozzleOf(thruster: ThrusterInfo, scene: Scene): Nozzle {
  const { body, atX, atY, atZ, forceX, forceY, forceZ } = thruster;
  const at = new Vector3(atX, atY, atZ);
  const way = new Vector3(forceX, forceY, forceZ).normalize();
  const corners = scene.bodies[body] === undefined ? [] : bodyCorners(scene.bodies[body], scene);
  const front = reachAlong(corners, at, way);
  const back = reachAlong(corners, at, way.clone().negate());
  const point = ({ x, y, z }: Vector3): Point => ({ x, y, z });
  return {
    body,
    front: point(at.clone().addScaledVector(way, front)),
    back: point(at.clone().addScaledVector(way, -back)),
    force: point(way),
  };
}
