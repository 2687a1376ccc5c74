/** pure.ts: the parts of the view that need no screen. */
export { Framing, type Region } from "./framing";
export { gridCell } from "./grid_cell";
export { type Contour, bodyContours, bodyPlanes, nearestOnContour, shapeContour } from "./contour";
export { contourLoop, meshContours, rayExit } from "./outline_mesh";
export { sceneColors } from "./palette";
export { type Thumbnail, sceneThumbnail } from "./thumbnail";
export { forceScale, sceneLabels, sceneRegion } from "./scene_view";
