/**
 * stage.ts: a canvas that shows one scene at given poses.
 *
 * The stage keeps nothing of time or network: its owner hands it poses, contacts and what is held,
 * and calls draw().  Between setScene() and draw() nothing is allocated per frame.
 */
import {
  type ContactColumns,
  type Scene,
  type ThrusterInfo,
  bodyName,
  isDynamic,
  sceneThrusters,
} from "@cairn/protocol";
import { Camera, Scene as ThreeScene, WebGLRenderer } from "three";
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
import { ImpactFlashes, type Nozzle, addFlame, addForces, addSpring } from "./marks";
import { rayExit } from "./outline_mesh";
import { forceScale, impulseUnit, sceneLabels, sceneRegion } from "./scene_view";
import { StrokeLayer } from "./stroke_layer";
import { ViewUniforms } from "./view_uniforms";

/** A drag that is held: from a point of a body to a place in the world. */
export interface HeldDrag {
  body: number;
  pointX: number;
  pointY: number;
  targetX: number;
  targetY: number;
}

export interface StageFrame {
  nowMs: number;
  /** x, y, angle of every body. */
  poses: Float64Array;
  contacts: ContactColumns;
  showForces: boolean;
  /** Times the scene's own scale. */
  forceScale: number;
  drags: readonly HeldDrag[];
  /** Of every thruster, 0 when off. */
  levels: Float64Array;
}

/** Where a pointer takes hold of a body. */
export interface Grip {
  body: number;
  /** Body frame [m]. */
  pointX: number;
  pointY: number;
}

interface WorldSpring {
  bodyA: number;
  bodyB: number;
  ax: number;
  ay: number;
  bx: number;
  by: number;
}

const DEVICE_RATIO_MAX = 2.5;

export class Stage {
  readonly framing = new Framing();
  thrusters: ThrusterInfo[] = [];
  /** Arrows in the last frame. */
  forceCount = 0;
  /** True while something moves by itself, such as a flash. */
  restless = false;
  private readonly renderer: WebGLRenderer;
  private readonly world = new ThreeScene();
  private readonly camera = new Camera();
  private readonly view = new ViewUniforms();
  private readonly ground: GroundLayer;
  private readonly bodies: BodyLayer;
  private readonly labels: LabelLayer;
  private readonly under: StrokeLayer;
  private readonly over: StrokeLayer;
  private readonly flashes = new ImpactFlashes();
  private contours: Contour[][] = [];
  private planes: { body: number; plane: PlaneShape }[] = [];
  private springs: WorldSpring[] = [];
  private nozzles: Nozzle[] = [];
  private movable = new Uint8Array(0);
  private metersPerNewton = 0;
  private impulseUnit = 1;
  private readonly nearest: Nearest = { distance: 0, x: 0, y: 0 };

  /** Throws where there is no WebGL 2. */
  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: false, alpha: false });
    this.renderer.autoClear = false;
    this.ground = new GroundLayer(this.view, this.world);
    this.under = new StrokeLayer(this.view, this.world, 2);
    this.bodies = new BodyLayer(this.view, this.world, 3);
    this.labels = new LabelLayer(this.view, this.world, 5);
    this.over = new StrokeLayer(this.view, this.world, 6);
  }

  setScene(scene: Scene): void {
    this.thrusters = sceneThrusters(scene);
    this.contours = scene.bodies.map((body) => (isDynamic(body) ? bodyContours(body) : []));
    this.movable = Uint8Array.from(scene.bodies, (body) => (isDynamic(body) ? 1 : 0));
    this.planes = scene.bodies.flatMap((body, index) =>
      bodyPlanes(body).map((plane) => ({ body: index, plane })),
    );
    this.springs = sceneSprings(scene);
    this.nozzles = this.thrusters.map((thruster) => nozzleOf(thruster, this.contours));
    const region = sceneRegion(scene);
    this.metersPerNewton = forceScale(scene, region);
    this.impulseUnit = impulseUnit(scene);
    this.flashes.reset();
    this.ground.setPlaneCount(this.planes.length);
    this.bodies.setScene(scene);
    this.labels.setLabels(sceneLabels(scene, this.thrusters));
    this.framing.setRegion(region);
  }

  /** CSS pixels. */
  resize(width: number, height: number, deviceRatio: number): void {
    const ratio = Math.min(deviceRatio, DEVICE_RATIO_MAX);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.framing.resize(width, height);
  }

  draw(frame: StageFrame): void {
    const { poses, nowMs } = frame;
    const { scale } = this.framing;
    this.view.update(this.framing, this.renderer.getPixelRatio());
    this.ground.update(this.framing);
    this.placePlanes(poses);
    this.bodies.update(poses);
    this.labels.update(poses);
    this.under.clear();
    this.over.clear();
    this.restless = false;
    for (const spring of this.springs) {
      this.addWorldSpring(spring, poses, scale);
    }
    for (let index = 0; index < this.nozzles.length; index++) {
      const level = frame.levels[index] ?? 0;
      if (level !== 0) {
        const flicker = Math.sin(nowMs * 0.05 + index);
        addFlame(this.under, this.nozzles[index]!, poses, level, scale, flicker);
        this.restless = true;
      }
    }
    this.forceCount = 0;
    if (frame.showForces) {
      this.flashes.notice(frame.contacts, this.impulseUnit, nowMs);
      this.restless = this.flashes.draw(this.over, nowMs) || this.restless;
      const length = this.metersPerNewton * frame.forceScale;
      this.forceCount = addForces(this.over, frame.contacts, this.movable, length, scale);
    }
    for (const drag of frame.drags) {
      this.addDrag(drag, poses, scale);
    }
    this.under.flush();
    this.over.flush();
    this.renderer.render(this.world, this.camera);
  }

  private placePlanes(poses: Float64Array): void {
    for (let index = 0; index < this.planes.length; index++) {
      const { body, plane } = this.planes[index]!;
      const c = Math.cos(poses[body * 3 + 2]!);
      const s = Math.sin(poses[body * 3 + 2]!);
      const x = c * plane.normalX - s * plane.normalY;
      const y = s * plane.normalX + c * plane.normalY;
      const offset = plane.offset + x * poses[body * 3]! + y * poses[body * 3 + 1]!;
      this.ground.setPlane(index, x, y, offset);
    }
  }

  private addDrag(drag: HeldDrag, poses: Float64Array, scale: number): void {
    const x = placedX(poses, drag.body, drag.pointX, drag.pointY);
    const y = placedY(poses, drag.body, drag.pointX, drag.pointY);
    addSpring(this.over, x, y, drag.targetX, drag.targetY, scale, true);
  }

  private addWorldSpring(spring: WorldSpring, poses: Float64Array, scale: number): void {
    const { bodyA, bodyB, ax, ay, bx, by } = spring;
    addSpring(
      this.under,
      placedX(poses, bodyA, ax, ay),
      placedY(poses, bodyA, ax, ay),
      placedX(poses, bodyB, bx, by),
      placedY(poses, bodyB, bx, by),
      scale,
      false,
    );
  }

  /** The movable body at or nearest to a place in the world, no further than `reach`. */
  grip(x: number, y: number, reach: number, poses: Float64Array): Grip | null {
    let best = reach;
    let found: Grip | null = null;
    for (let body = 0; body < this.contours.length; body++) {
      const dx = x - poses[body * 3]!;
      const dy = y - poses[body * 3 + 1]!;
      const c = Math.cos(poses[body * 3 + 2]!);
      const s = Math.sin(poses[body * 3 + 2]!);
      for (const contour of this.contours[body]!) {
        nearestOnContour(contour, c * dx + s * dy, c * dy - s * dx, this.nearest);
        if (this.nearest.distance <= best) {
          best = this.nearest.distance;
          found = { body, pointX: this.nearest.x, pointY: this.nearest.y };
        }
      }
    }
    return found;
  }
}

/** Body -1 is the world. */
function placedX(poses: Float64Array, body: number, x: number, y: number): number {
  const angle = body < 0 ? 0 : poses[body * 3 + 2]!;
  return (body < 0 ? 0 : poses[body * 3]!) + Math.cos(angle) * x - Math.sin(angle) * y;
}

function placedY(poses: Float64Array, body: number, x: number, y: number): number {
  const angle = body < 0 ? 0 : poses[body * 3 + 2]!;
  return (body < 0 ? 0 : poses[body * 3 + 1]!) + Math.sin(angle) * x + Math.cos(angle) * y;
}

function sceneSprings(scene: Scene): WorldSpring[] {
  const indices = new Map(scene.bodies.map((body, index) => [bodyName(body, index), index]));
  const springs: WorldSpring[] = [];
  for (const { force } of scene.forces) {
    if (force.case === "spring") {
      const { bodyA, bodyB, anchorA, anchorB } = force.value;
      springs.push({
        bodyA: bodyA === "" ? -1 : (indices.get(bodyA) ?? -1),
        bodyB: bodyB === "" ? -1 : (indices.get(bodyB) ?? -1),
        ax: anchorA?.x ?? 0,
        ay: anchorA?.y ?? 0,
        bx: anchorB?.x ?? 0,
        by: anchorB?.y ?? 0,
      });
    }
  }
  return springs;
}

function nozzleOf(thruster: ThrusterInfo, contours: readonly Contour[][]): Nozzle {
  const { body, atX, atY } = thruster;
  const size = Math.hypot(thruster.forceX, thruster.forceY) || 1;
  const forceX = thruster.forceX / size;
  const forceY = thruster.forceY / size;
  const own = contours[body] ?? [];
  const back = rayExit(own, atX, atY, -forceX, -forceY);
  const front = rayExit(own, atX, atY, forceX, forceY);
  return {
    body,
    frontX: atX + forceX * front,
    frontY: atY + forceY * front,
    backX: atX - forceX * back,
    backY: atY - forceY * back,
    forceX,
    forceY,
  };
}
