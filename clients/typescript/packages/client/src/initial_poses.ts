/** initial_poses.ts: the poses of a scene's bodies before the first snapshot. */
import { type Scene, isSpatial, spatialTurn } from "@cairn/protocol";
import { POSE_STRIDE, SPATIAL_POSE_STRIDE } from "./snapshot_buffer";

/** In the snapshot buffer's format: POSE_STRIDE or SPATIAL_POSE_STRIDE numbers for each body. */
export function initialPoses(scene: Scene | undefined): Float64Array<ArrayBuffer> {
  const bodies = scene?.bodies ?? [];
  const stride = isSpatial(scene) ? SPATIAL_POSE_STRIDE : POSE_STRIDE;
  const poses = new Float64Array(bodies.length * stride);
  bodies.forEach((body, index) => {
    const { x = 0, y = 0, z = 0 } = body.position ?? {};
    const { w, x: qx, y: qy, z: qz } = spatialTurn(body);
    const pose = stride === POSE_STRIDE ? [x, y, body.angle] : [x, y, z, w, qx, qy, qz];
    poses.set(pose, index * stride);
  });
  return poses;
}
