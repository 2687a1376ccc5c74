/** index.ts: draws scenes; knows nothing of networks. */
export * from "./pure";
export { type Grip, type HeldDrag, Stage, type StageFrame } from "./stage";
