/** world_view.ts: what the stage needs of a view, be its scene planar or spatial. */
import type { Scene, ThrusterInfo } from "@cairn/protocol";
import type { ViewControl } from "./lens";
import type { Placing } from "./placing";
import type { SceneMarks, StageFrame } from "./scene_marks";

/** Where a pointer takes hold of a body. */
export interface Grip {
  body: number;
  /** Body frame [m]. */
  pointX: number;
  pointY: number;
  pointZ: number;
}

export interface WorldView {
  readonly control: ViewControl;
  readonly placing: Placing;
  readonly marks: SceneMarks;
  /** `start` are the poses at the scene's start; `keepsView`: it is looked at as before. */
  setScene(
    scene: Scene, thrusters: readonly ThrusterInfo[], start: Float64Array, keepsView?: boolean,
  ): void;
  /** CSS pixels. */
  resize(width: number, height: number): void;
  draw(frame: StageFrame): void;
  /** The movable body at or nearest to a place on the screen, no further than `reach` pixels. */
  grip(screenX: number, screenY: number, reach: number, poses: Float64Array): Grip | null;
}
