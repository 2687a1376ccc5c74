/** view_keys.ts: keys that move the view: Shift and an arrow turns or moves it, + and - zoom. */
import type { ViewControl } from "@cairn/view";

/** CSS pixels. */
const STEP = 40;
const ZOOM = 1.25;

/** The direction to drag the picture, so that an arrow shows more on its side. */
const WAYS: Record<string, readonly [number, number]> = {
  ArrowLeft: [STEP, 0],
  ArrowRight: [-STEP, 0],
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
};

const ZOOMS: Record<string, number> = { "+": ZOOM, "=": ZOOM, "-": 1 / ZOOM };

/** Whether the key is one of the view's; `width` and `height` are the picture's, in CSS pixels. */
export function moveView(
  control: ViewControl, { key, shiftKey }: Pick<KeyboardEvent, "key" | "shiftKey">,
  width: number, height: number,
): boolean {
  const way = shiftKey ? WAYS[key] : undefined;
  const zoom = ZOOMS[key];
  if (way !== undefined) {
    if (control.turns) {
      control.turnBy(...way);
    } else {
      control.panBy(...way);
    }
  } else if (zoom !== undefined) {
    control.zoomAt(width / 2, height / 2, zoom);
  }
  return way !== undefined || zoom !== undefined;
}
