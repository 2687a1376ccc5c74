/** pure.ts: the parts of the view that work without a screen. */
export { Framing, type Region } from "./framing";
export { type ViewControl } from "./lens";
export { type Ball, Orbit } from "./orbit";
export { PLANAR_PLACING, SPATIAL_PLACING, type Placing, type Point } from "./placing";
export { curvePoints } from "./curve";
export { sceneJoints } from "./joint_marks";
export { shapeSolid, solidVolume } from "./solid";
export { sceneBall, scenePlanes } from "./space_region";
export { sceneMass } from "./mass";
export { gridCell } from "./grid_cell";
export { type Contour, bodyContours, bodyPlanes, nearestOnContour, shapeContour } from "./contour";
export { contourLoop, meshContours, rayExit } from "./outline_mesh";
export { personColor, sceneColors } from "./palette";
export { type Thumbnail, sceneThumbnail } from "./thumbnail";
export { forceScale, sceneLabels, sceneRegion } from "./scene_view";
export { AutoQuality, QUALITIES, type Quality } from "./quality";
export { type IndexedSolid, indexSolid } from "./solid_index";
export { coarseSolid } from "./coarse_solid";
