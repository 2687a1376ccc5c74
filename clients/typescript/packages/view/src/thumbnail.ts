/**
 * thumbnail.ts: a small picture of a scene's start, as SVG paths.
 *
 * y is up in a scene and down in an SVG, so every y is negated here.  Spatial scenes are drawn in
 * perspective (thumbnail_space.ts).
 */
import type { Body, Scene } from "@cairn/protocol";
import { Body_Type, isSpatial } from "@cairn/protocol";
import { bodyContours, bodyPlanes } from "./contour";
import { contourLoop } from "./outline_mesh";
import { SOLID, SOLID_INK, css, outlineColor, sceneColors } from "./palette";
import { sceneRegion } from "./scene_view";
import { SpaceThumbnail } from "./thumbnail_space";

export interface ThumbnailPath {
  /** An SVG path's `d`. */
  path: string;
  fill: string;
  stroke: string;
}

export interface Thumbnail {
  /** An SVG's viewBox, in metres; in pixels for a spatial scene. */
  viewBox: string;
  /** The width of a stroke; 1.5 pixels in a picture of 230 pixels. */
  strokeWidth: number;
  paths: ThumbnailPath[];
}

const ASPECT = 16 / 9;
const WIDTH_PX = 230;

function pathOf(flat: readonly number[], body: Body, closed = true): string {
  const c = Math.cos(body.angle);
  const s = Math.sin(body.angle);
  const { x = 0, y = 0 } = body.position ?? {};
  const points: string[] = [];
  for (let at = 0; at < flat.length; at += 2) {
    const px = x + c * flat[at]! - s * flat[at + 1]!;
    const py = y + s * flat[at]! + c * flat[at + 1]!;
    points.push(`${px.toFixed(3)} ${(-py).toFixed(3)}`);
  }
  return `M${points.join("L")}${closed ? "Z" : ""}`;
}

export function sceneThumbnail(scene: Scene): Thumbnail {
  if (isSpatial(scene)) {
    const height = WIDTH_PX / ASPECT;
    const paths = new SpaceThumbnail(scene, WIDTH_PX, height).paths();
    return { viewBox: `0 0 ${WIDTH_PX} ${height.toFixed(2)}`, strokeWidth: 1, paths };
  }
  const { centerX, centerY, width: wantedWidth, height: wantedHeight } = sceneRegion(scene);
  const width = Math.max(wantedWidth, wantedHeight * ASPECT);
  const height = width / ASPECT;
  const far = 4 * (width + Math.abs(centerX) + Math.abs(centerY));
  const colors = sceneColors(scene);
  const paths: ThumbnailPath[] = [];
  scene.bodies.forEach((body, index) => {
    const isStatic = body.type === Body_Type.STATIC;
    const fill = css(colors[index]!);
    const stroke = css(isStatic ? SOLID_INK : outlineColor(colors[index]!));
    for (const { normalX, normalY, offset } of bodyPlanes(body)) {
      const x = normalX * offset;
      const y = normalY * offset;
      const corners = [[1, 0], [1, 1], [-1, 1], [-1, 0]] as const;
      const flat = corners.flatMap(([along, into]) => [
        x + far * (normalY * along - normalX * into),
        y + far * (-normalX * along - normalY * into),
      ]);
      paths.push({ path: pathOf(flat, body), fill: css(SOLID), stroke: css(SOLID_INK) });
    }
    for (const contour of bodyContours(body)) {
      const isWall = contour.kind === "wall" || contour.kind === "closed wall";
      const path = pathOf(contourLoop(contour), body, contour.kind !== "wall");
      paths.push({ path, fill: isWall ? "none" : fill, stroke });
    }
  });
  return {
    viewBox: `${centerX - width / 2} ${-centerY - height / 2} ${width} ${height}`,
    strokeWidth: (1.5 * width) / WIDTH_PX,
    paths,
  };
}
