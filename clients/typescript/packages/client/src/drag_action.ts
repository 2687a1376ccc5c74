/** drag_action.ts: a spring from a point of a body to a place in the world. */
export interface DragAction {
  body: number;
  /** Body frame [m]. */
  pointX: number;
  pointY: number;
  pointZ: number;
  /** World [m]. */
  targetX: number;
  targetY: number;
  targetZ: number;
  /** N/m and N s/m. */
  stiffness: number;
  damping: number;
}

export function dragMessage(drag: DragAction) {
  return {
    body: drag.body,
    point: { x: drag.pointX, y: drag.pointY, z: drag.pointZ },
    target: { x: drag.targetX, y: drag.targetY, z: drag.targetZ },
    stiffness: drag.stiffness,
    damping: drag.damping,
  };
}
