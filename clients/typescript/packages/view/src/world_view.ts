/** world_view.ts: the interface of planar and spatial views to the stage. */
import type { Scene, ThrusterInfo } from "@cairn/protocol";
import type { ViewControl } from "./lens";
import type { Placing } from "./placing";
import type { SceneMarks, StageFrame } from "./scene_marks";

/** The point of a body that a pointer drags. */
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
  /** `start` are the poses at the scene's start; `keepsView`: the view does not change. */
  setScene(
    scene: Scene, thrusters: readonly ThrusterInfo[], start: Float64Array, keepsView?: boolean,
  ): void;
  /** CSS pixels. */
  resize(width: number, height: number): void;
  draw(frame: StageFrame): void;
  /** The movable body at or nearest to a place on the screen, at most `reach` pixels away. */
  grip(screenX: number, screenY: number, reach: number, poses: Float64Array): Grip | null;
}
