/** index.ts: draws scenes; knows nothing of networks. */
export * from "./pure";
export { sceneColors } from "./body_layer";
export { type Grip, type HeldDrag, Stage, type StageFrame } from "./stage";
