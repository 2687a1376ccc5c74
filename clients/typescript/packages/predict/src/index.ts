/**
 * @cairn/predict: a world in a browser that runs ahead of the daemon's, and is corrected by it.
 *
 *     const predictor = new Predictor({ world, session });
 *     predictor.start(joined);           // a Joined with an image
 *     predictor.deeds(message);          // each Deeds
 *     predictor.input(seq, message);     // an own input: acts at once
 *     predictor.advance(tick, 8);        // each frame: to that tick, within 8 ms
 *     predictor.draw(places);
 */
export { type FromHost, Host, type Shown, type ToHost } from "./host";
export { type Cause, type Deeds, Predictor, type PredictorOptions, type Start } from "./predictor";
export { BLEND_MS, type Correction, Smoothing, blendWeight } from "./smoothing";
