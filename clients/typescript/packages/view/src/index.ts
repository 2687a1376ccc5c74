/** index.ts: draws scenes; does not depend on a network. */
export * from "./pure";
export type { HeldDrag, ShownAction, ShownMotion, StageFrame } from "./scene_marks";
export { Stage } from "./stage";
export type { Grip } from "./world_view";
