/**
 * @cairn/engine: the daemon's engine in a browser or in Node, to the last bit.
 *
 *     const engine = await Engine.load(fetch("libcairn.wasm"));
 *     const world = engine.createWorld(sceneBytes); // a packed Scene, as the daemon sends it
 *     world.step();
 *     world.hash(); // equals the daemon's hash at that tick, if the inputs were the same
 *     world.destroy();
 *
 * `moduleFor` names the smallest module that suffices for a scene.
 *
 * A step takes its time on the calling thread; call it in a Worker.
 */
export {
  MODULE_FILES, type SceneNeeds, WHOLE_MODULE, moduleFor, moduleTakes,
} from "./choice";
export { Engine } from "./engine";
export { KeptImage } from "./kept_image";
export { EngineError } from "./module";
export { Solo } from "./solo";
export { PLACE_NUMBERS, World } from "./world";
