/** @cairn/play: a session whose own inputs act at once, because the page predicts. */
export { type PredictionState, Remote } from "./remote";
