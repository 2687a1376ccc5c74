/**
 * scene_marks.ts: the parts of a scene that are drawn as strokes.  Curves, joints, springs and
 * flames are under the bodies; forces, impacts and drags are over them.
 */
import { type ContactColumns, type Scene, bodyName, isDynamic } from "@cairn/protocol";
import { type JointMark, addCurve, addJoint, sceneCurves, sceneJoints } from "./joint_marks";
import type { Lens } from "./lens";
import {
  ARROW_SIZE_PLAIN, ImpactFlashes, type Nozzle, addArrow, addFlame, addForces, addJointForces,
  addMotions, addSpring, arrowSize,
} from "./marks";
import { type Rgb, sceneColors } from "./palette";
import type { Placing, Point } from "./placing";
import type { StrokeLayer } from "./stroke_layer";

/** A drag: from a point of a body to a place in the world. */
export interface HeldDrag {
  body: number;
  pointX: number;
  pointY: number;
  pointZ: number;
  targetX: number;
  targetY: number;
  targetZ: number;
}

/** A person's input on a body, as the daemon reports it. */
export interface ShownAction {
  /** Where it acts, m. */
  x: number;
  y: number;
  z: number;
  /** N. */
  forceX: number;
  forceY: number;
  forceZ: number;
  /** The target of a drag, m; null for a force, and for this page's drags, drawn separately. */
  to: Readonly<Point> | null;
  color: Rgb;
}

export interface StageFrame {
  nowMs: number;
  /** For every body: x, y, angle; in space x, y, z and a quaternion w, x, y, z. */
  poses: Float64Array;
  /** For every body: 1 if it sleeps; read when `sleepVersion` has changed. */
  asleep: Uint8Array;
  sleepVersion: number;
  contacts: ContactColumns;
  showForces: boolean;
  /** A factor on the scene's own scale. */
  forceScale: number;
  drags: readonly HeldDrag[];
  actions: readonly ShownAction[];
  /**
   * For every body how faint it is, 0 to 1; an empty array means 0.  It is read when `veilVersion`
   * has changed.
   */
  veils: Float32Array;
  veilVersion: number;
  /** The level of every thruster, 0 if off. */
  levels: Float64Array;
  /** The first motions of a fall; null: not shown. */
  motions: readonly ShownMotion[] | null;
}

/** Place [m], velocity and rotation; only the ratios between bodies matter. */
export interface ShownMotion {
  x: number;
  y: number;
  z: number;
  vx: number;
  vy: number;
  vz: number;
  turn: number;
}

interface SpringMark {
  bodyA: number;
  bodyB: number;
  anchorA: Point;
  anchorB: Point;
}

/** A body without shapes is a cross of its axes; each axis is shorter than the one before. */
interface BareMark {
  body: number;
  color: Rgb;
}
/** The longest arrow of a motion, as a multiple of the arm of a body without shapes. */
const MOTION_ARMS = 3;
const BARE_SHARES = [1, 0.66, 0.33] as const;

export interface MarkScales {
  /** m: the first arm of the cross for a body without shapes. */
  bareArm: number;
  metersPerNewton: number;
  /** N s: an impact of middle size. */
  impulseUnit: number;
}

export const NO_SCALES: MarkScales = { bareArm: 1, metersPerNewton: 0, impulseUnit: 1 };

export class SceneMarks {
  /** The number of arrows of normal forces in the last frame. */
  forceCount = 0;
  /** True while something moves by itself, such as a flash. */
  restless = false;
  /** If there are many small arrows, they are hidden behind bodies. */
  isCoarse = false;
  private readonly flashes = new ImpactFlashes();
  private springs: SpringMark[] = [];
  private joints: JointMark[] = [];
  private curves: Float64Array[] = [];
  private nozzles: readonly Nozzle[] = [];
  private movable = new Uint8Array(0);
  private scales = NO_SCALES;
  private bare: BareMark[] = [];
  private readonly down: Point = { x: 0, y: -1, z: 0 };
  private readonly a: Point = { x: 0, y: 0, z: 0 };
  private readonly b: Point = { x: 0, y: 0, z: 0 };

  constructor(
    private readonly placing: Placing,
    private readonly under: StrokeLayer,
    private readonly over: StrokeLayer,
  ) {}

  /** `start` are the poses at the scene's start. */
  setScene(
    scene: Scene, start: Float64Array, nozzles: readonly Nozzle[], scales: MarkScales,
  ): void {
    this.nozzles = nozzles;
    this.scales = scales;
    this.movable = Uint8Array.from(scene.bodies, (body) => (isDynamic(body) ? 1 : 0));
    this.springs = sceneSprings(scene);
    const colors = sceneColors(scene);
    this.bare = scene.bodies.flatMap((body, index) =>
      isDynamic(body) && body.shapes.length === 0 ? [{ body: index, color: colors[index]! }] : []);
    this.joints = sceneJoints(scene, this.placing, start);
    this.curves = sceneCurves(scene);
    const { x = 0, y = -1, z = 0 } = scene.world?.gravity ?? {};
    const size = Math.hypot(x, y, z) || Infinity;
    Object.assign(this.down, { x: x / size, y: y / size, z: z / size });
    this.flashes.reset();
  }

  draw(frame: StageFrame, lens: Lens): void {
    const { under, over } = this;
    under.clear();
    over.clear();
    this.restless = false;
    this.drawUnder(frame, lens);
    this.forceCount = 0;
    if (frame.showForces) {
      this.flashes.notice(frame.contacts, this.scales.impulseUnit, frame.nowMs);
      this.restless = this.flashes.draw(over, frame.nowMs) || this.restless;
      const length = this.scales.metersPerNewton * frame.forceScale;
      const size = arrowSize(frame.contacts);
      over.setFaint(this.isCoarse && size <= ARROW_SIZE_PLAIN ? 0 : size);
      addJointForces(over, lens, frame.contacts, length);
      this.forceCount = addForces(over, lens, frame.contacts, this.movable, length);
    }
    this.drawActions(frame, lens);
    for (const drag of frame.drags) {
      this.placing.place(frame.poses, drag.body, drag.pointX, drag.pointY, drag.pointZ, this.a);
      this.b.x = drag.targetX;
      this.b.y = drag.targetY;
      this.b.z = drag.targetZ;
      addSpring(over, lens, this.a, this.b, true);
    }
    if (frame.motions !== null) {
      addMotions(over, lens, frame.motions, MOTION_ARMS * this.scales.bareArm);
    }
    under.flush();
    over.flush();
  }

  /** Draws inputs in the colours of their persons. */
  private drawActions(frame: StageFrame, lens: Lens): void {
    const length = this.scales.metersPerNewton * frame.forceScale;
    for (const { x, y, z, forceX, forceY, forceZ, to, color } of frame.actions) {
      Object.assign(this.a, { x, y, z });
      if (to !== null) {
        addSpring(this.over, lens, this.a, to, true, color);
      }
      if (frame.showForces) {
        addArrow(this.over, lens, x, y, z, forceX * length, forceY * length, forceZ * length,
          color);
      }
    }
  }

  private drawUnder(frame: StageFrame, lens: Lens): void {
    const { under, placing } = this;
    const { poses } = frame;
    for (const curve of this.curves) {
      addCurve(under, curve);
    }
    for (const { bodyA, bodyB, anchorA, anchorB } of this.springs) {
      placing.place(poses, bodyA, anchorA.x, anchorA.y, anchorA.z, this.a);
      placing.place(poses, bodyB, anchorB.x, anchorB.y, anchorB.z, this.b);
      addSpring(under, lens, this.a, this.b, false);
    }
    for (let index = 0; index < this.nozzles.length; index++) {
      const level = frame.levels[index] ?? 0;
      if (level !== 0) {
        const flicker = Math.sin(frame.nowMs * 0.05 + index);
        addFlame(under, lens, placing, this.nozzles[index]!, poses, level, flicker);
        this.restless = true;
      }
    }
    for (const { body, color } of this.bare) {
      this.drawBare(poses, body, color);
    }
    for (const joint of this.joints) {
      addJoint(this.over, lens, placing, poses, joint, this.down);
    }
  }

  private drawBare(poses: Float64Array, body: number, color: Rgb): void {
    const { placing, over, a, b } = this;
    for (let axis = 0; axis < 3; axis++) {
      const arm = this.scales.bareArm * BARE_SHARES[axis]!;
      const x = axis === 0 ? arm : 0;
      const y = axis === 1 ? arm : 0;
      const z = axis === 2 ? arm : 0;
      placing.place(poses, body, x, y, z, a);
      placing.place(poses, body, -x, -y, -z, b);
      over.add(a.x, a.y, a.z, b.x, b.y, b.z, 5, 5, color);
      over.dot(a.x, a.y, a.z, 11, color);
    }
  }
}

function sceneSprings(scene: Scene): SpringMark[] {
  const indices = new Map(scene.bodies.map((body, index) => [bodyName(body, index), index]));
  const indexOf = (name: string) => (name === "" ? -1 : (indices.get(name) ?? -1));
  return scene.forces.flatMap(({ force }) => {
    if (force.case !== "spring") {
      return [];
    }
    const { bodyA, bodyB, anchorA, anchorB } = force.value;
    return [{
      bodyA: indexOf(bodyA),
      bodyB: indexOf(bodyB),
      anchorA: { x: anchorA?.x ?? 0, y: anchorA?.y ?? 0, z: anchorA?.z ?? 0 },
      anchorB: { x: anchorB?.x ?? 0, y: anchorB?.y ?? 0, z: anchorB?.z ?? 0 },
    }];
  });
}
