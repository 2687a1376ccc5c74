/**
 * thumbnail_space.ts: a small picture of a spatial scene's start in perspective, as SVG paths.
 *
 * Shapes are drawn from far to near.  Within a shape the faces towards the eye are drawn from far
 * to near.  Balls and capsules are the outlines of their projections, with a light spot.  If there
 * are very many triangles, a mesh is drawn as the convex outline of its vertices.
 */
import { type Body, type Scene, type Shape, spatialTurn } from "@cairn/protocol";
import { Body_Type } from "@cairn/protocol";
import { Matrix4, Quaternion, Vector3 } from "three";
import { gridCell } from "./grid_cell";
import { Orbit } from "./orbit";
import {
  GRID, type Rgb, SOLID_BODY, SOLID_SHEET, css, mixed, outlineColor, sceneColors,
} from "./palette";
import type { Point } from "./placing";
import { type Solid, shapeSolid, solidCorners } from "./solid";
import { sceneBall, scenePlanes } from "./space_region";
import type { ThumbnailPath } from "./thumbnail";

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [1, 1, 1];
const LIGHT = new Vector3(-0.35, 1, 0.55).normalize();
/** Half the size of a plane's sheet, as a multiple of the ball's radius. */
const SHEET = 1.7;
const CELLS = 5;
/** Limit of the triangles of all meshes of a scene whose faces are drawn. */
const TRIANGLES_MAX = 10000;
/** Faces of one slice of depth and one tone are one path; slices go from far to near. */
const SLICES = 8;
const TONES = 10;

type Flat = readonly [number, number];

export class SpaceThumbnail {
  private readonly orbit = new Orbit();
  private readonly spot: Point = { x: 0, y: 0, z: 0 };

  private readonly isDense: boolean;

  constructor(private readonly scene: Scene, width: number, height: number) {
    const counts = new Map(scene.meshes.map(({ name, triangles }) => [name, triangles.length / 3]));
    const shapes = scene.bodies.flatMap((body) => body.shapes);
    this.isDense = TRIANGLES_MAX < shapes.reduce((sum, { shape: { case: kind, value } }) =>
      sum + (kind === "mesh" ? counts.get(value.name) ?? 0 : 0), 0);
    this.orbit.resize(width, height);
    this.orbit.setBall(sceneBall(scene));
  }

  paths(): ThumbnailPath[] {
    const colors = sceneColors(this.scene);
    const shapes = this.scene.bodies.flatMap((body, index) => {
      const color = body.type === Body_Type.STATIC ? SOLID_BODY : colors[index]!;
      return body.shapes.map((shape) => ({ matrix: matrixOf(body, shape), shape, color }));
    });
    const depth = (matrix: Matrix4) => {
      const { x, y, z } = new Vector3().setFromMatrixPosition(matrix);
      this.orbit.project(x, y, z, this.spot);
      return this.spot.z;
    };
    shapes.sort((a, b) => depth(b.matrix) - depth(a.matrix));
    return [
      ...this.sheets(),
      ...shapes.flatMap(({ matrix, shape, color }) => this.shapePaths(shape, matrix, color)),
    ];
  }

  private at(place: Vector3): Flat {
    this.orbit.project(place.x, place.y, place.z, this.spot);
    return [this.spot.x, this.spot.y];
  }

  private sheets(): ThumbnailPath[] {
    const { center, radius } = sceneBall(this.scene);
    const middle = new Vector3(center.x, center.y, center.z);
    const cell = gridCell(CELLS / radius, 1);
    const count = Math.ceil((SHEET * radius) / cell);
    return scenePlanes(this.scene).flatMap(({ normal, offset, body }) => {
      const of = this.scene.bodies[body]!;
      const turned = normal.clone().applyQuaternion(turnOf(of));
      const shift = turned.dot(placeOf(of)) + offset - turned.dot(middle);
      const origin = middle.clone().addScaledVector(turned, shift);
      const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), turned);
      const place = (u: number, v: number) =>
        new Vector3(u * cell, v * cell, 0).applyQuaternion(turn).add(origin);
      const line = (a: Vector3, b: Vector3) => polygon([this.at(a), this.at(b)]);
      const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]] as const;
      const sheet = corners.map(([u, v]) => this.at(place(u * count, v * count)));
      const lines: string[] = [];
      for (let k = -count; k <= count; k++) {
        lines.push(line(place(k, -count), place(k, count)));
        lines.push(line(place(-count, k), place(count, k)));
      }
      const ink = css(mixed(SOLID_SHEET, GRID, 0.25));
      return [
        { path: polygon(sheet), fill: css(SOLID_SHEET), stroke: "none" },
        { path: lines.join(""), fill: "none", stroke: ink },
      ];
    });
  }

  private shapePaths(shape: Shape, matrix: Matrix4, color: Rgb): ThumbnailPath[] {
    const { case: kind, value } = shape.shape;
    if (kind === "sphere" || kind === "circle") {
      return this.roundPaths(matrix, value.radius, 0, color);
    }
    if (kind === "capsule") {
      return this.roundPaths(matrix, value.radius, value.length, color);
    }
    if (kind === "mesh" && this.isDense) {
      return this.outlinePaths(solidCorners(shape, this.scene), matrix, color);
    }
    const solid = shapeSolid(shape, this.scene);
    return solid === null ? [] : this.facePaths(solid, matrix, color);
  }

  private facePaths(solid: Solid, matrix: Matrix4, color: Rgb): ThumbnailPath[] {
    const fills: { path: string; fill: string; depth: number }[] = [];
    const lines: string[] = [];
    const normal = new Vector3();
    for (let corner = 0; corner < solid.positions.length / 3; corner += 3) {
      let depth = 0;
      const places = [0, 1, 2].map((index) => {
        const place = this.at(new Vector3().fromArray(solid.positions, (corner + index) * 3)
          .applyMatrix4(matrix));
        depth += this.spot.z;
        return place;
      });
      const [a, b, c] = places as [Flat, Flat, Flat];
      if ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) >= 0) {
        continue; // turned away: y is down on the screen
      }
      normal.fromArray(solid.normals, corner * 3).transformDirection(matrix);
      const light = Math.round(normal.dot(LIGHT) * TONES) / TONES;
      const tone = css(light > 0 ? mixed(color, WHITE, 0.22 * light)
        : mixed(color, BLACK, 0.3 - 0.2 * light));
      const shade = css(mixed(color, BLACK, 0.34 - 0.34 * Math.max(0, light)));
      const fill = light > 0.35 ? tone : shade;
      fills.push({ path: polygon(places), fill, depth });
      for (let side = 0; side < 3; side++) {
        const shares = [0, 1, 2].map((index) => solid.rims[(corner + index) * 3 + side]);
        const ends = places.filter((_, index) => shares[index] === 0);
        if (ends.length === 2) {
          lines.push(polygon(ends));
        }
      }
    }
    const ink = css(mixed(color, BLACK, 0.6));
    fills.sort((a, b) => b.depth - a.depth);
    const paths: ThumbnailPath[] = [];
    for (let slice = 0; slice < SLICES; slice++) {
      const tones = new Map<string, string>();
      const [first, end] = [slice, slice + 1].map((k) => Math.round((k * fills.length) / SLICES));
      for (const { path, fill } of fills.slice(first, end)) {
        tones.set(fill, (tones.get(fill) ?? "") + path);
      }
      tones.forEach((path, fill) => paths.push({ path, fill, stroke: fill }));
    }
    return [...paths, { path: lines.join(""), fill: "none", stroke: ink }];
  }

  private outlinePaths(corners: readonly number[], matrix: Matrix4, color: Rgb): ThumbnailPath[] {
    const places: Flat[] = [];
    for (let at = 0; at < corners.length; at += 3) {
      places.push(this.at(new Vector3().fromArray(corners, at).applyMatrix4(matrix)));
    }
    const stroke = css(outlineColor(color));
    return [{ path: polygon(convexOutline(places)), fill: css(color), stroke }];
  }

  /** Two circles and the area between them. */
  private roundPaths(matrix: Matrix4, radius: number, length: number, color: Rgb) {
    const ends = [-length / 2, length / 2].map((y) => new Vector3(0, y, 0).applyMatrix4(matrix));
    const [a, b] = ends.map((end) => this.at(end)) as [Flat, Flat];
    const [ra, rb] = ends.map(({ x, y, z }) => radius * this.orbit.pixelsPerMeter(x, y, z)) as [
      number, number,
    ];
    const dx = b[0] - a[0];
    const dy = b[1] - a[1];
    const size = Math.hypot(dx, dy);
    const [sx, sy] = size > 0 ? [-dy / size, dx / size] : [0, 1];
    const n = (value: number) => value.toFixed(2);
    const body = `M${n(a[0] + sx * ra)} ${n(a[1] + sy * ra)}` +
      `A${n(ra)} ${n(ra)} 0 0 1 ${n(a[0] - sx * ra)} ${n(a[1] - sy * ra)}` +
      `L${n(b[0] - sx * rb)} ${n(b[1] - sy * rb)}` +
      `A${n(rb)} ${n(rb)} 0 0 1 ${n(b[0] + sx * rb)} ${n(b[1] + sy * rb)}Z`;
    const [hx, hy] = [(a[0] + b[0]) / 2 - ra * 0.3, (a[1] + b[1]) / 2 - ra * 0.4];
    const spot = `M${n(hx - ra * 0.3)} ${n(hy)}a${n(ra * 0.3)} ${n(ra * 0.3)} 0 1 0 ` +
      `${n(ra * 0.6)} 0a${n(ra * 0.3)} ${n(ra * 0.3)} 0 1 0 ${n(-ra * 0.6)} 0Z`;
    const rim = css(outlineColor(color));
    return [
      { path: body, fill: css(mixed(color, BLACK, 0.1)), stroke: rim },
      { path: spot, fill: css(mixed(color, WHITE, 0.4)), stroke: "none" },
    ];
  }
}

function turnOf(of: Body | Shape): Quaternion {
  const { w, x, y, z } = spatialTurn(of);
  return new Quaternion(x, y, z, w);
}

function placeOf({ position }: Body | Shape): Vector3 {
  return new Vector3(position?.x ?? 0, position?.y ?? 0, position?.z ?? 0);
}

function matrixOf(body: Body, shape: Shape): Matrix4 {
  const one = new Vector3(1, 1, 1);
  const own = new Matrix4().compose(placeOf(body), turnOf(body), one);
  return own.multiply(new Matrix4().compose(placeOf(shape), turnOf(shape), one));
}

/** Andrew's monotone chain. */
function convexOutline(places: Flat[]): Flat[] {
  const sorted = places.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (points: Flat[]) => {
    const chain: Flat[] = [];
    for (const point of points) {
      for (let last = chain.length - 1; last > 0; last--) {
        const [a, b] = [chain[last - 1]!, chain[last]!];
        if ((b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) > 0) {
          break;
        }
        chain.pop();
      }
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  const lower = half(sorted);
  return [...lower, ...half(sorted.reverse())];
}

function polygon(places: readonly Flat[]): string {
  const points = places.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`);
  return `M${points.join("L")}${places.length > 2 ? "Z" : ""}`;
}
