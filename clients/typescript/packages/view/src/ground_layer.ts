/**
 * ground_layer.ts: layers over the whole screen: the background with its metre grid, half planes.
 *
 * Each layer is two triangles over the screen.  Its fragment shader works in metres, so that a half
 * plane is infinite and a grid's lines are always a pixel wide.
 */
import {
  BufferAttribute,
  BufferGeometry,
  Mesh,
  type RawShaderMaterial,
  type Scene as ThreeScene,
  Vector3,
} from "three";
import type { Framing } from "./framing";
import { gridCell } from "./grid_cell";
import { GRID, PAPER, SOLID, SOLID_HATCH, SOLID_INK } from "./palette";
import { type ViewUniforms, everywhere, flatMaterial } from "./view_uniforms";

const VERTEX = `
in vec2 position;
out vec2 world;
void main() {
  world = center + position / toClip;
  gl_Position = vec4(position, 0.0, 1.0);
}`;

const GRID_FRAGMENT = `
in vec2 world;
out vec4 color;
uniform vec3 paper, line;
uniform float cell;
float lines(float size) {
  vec2 off = abs(fract(world / size + 0.5) - 0.5) * size * scale;
  return clamp(0.5 * ratio + 0.5 - min(off.x, off.y), 0.0, 1.0);
}
void main() {
  float ink = max(lines(cell) * 0.16, lines(cell * 5.0) * 0.22);
  color = vec4(mix(paper, line, ink), 1.0);
}`;

const PLANE_FRAGMENT = `
in vec2 world;
out vec4 color;
uniform vec3 plane, solid, hatch, solidInk;
void main() {
  float depth = (plane.z - dot(plane.xy, world)) * scale;
  float cover = clamp(depth + 0.5, 0.0, 1.0);
  if (cover <= 0.0) discard;
  vec2 place = world * scale;
  float period = 9.0 * ratio;
  float band = abs(mod(place.x + place.y, period) - 0.5 * period);
  vec3 fill = mix(solid, hatch, clamp(ratio * 0.9 - band + 0.5, 0.0, 1.0));
  float edge = clamp(2.0 * ratio + 0.5 - depth, 0.0, 1.0);
  color = vec4(mix(fill, solidInk, edge), cover);
}`;

function screenGeometry(): BufferGeometry {
  const geometry = new BufferGeometry();
  const corners = new Float32Array([-1, -1, 1, -1, 1, 1, -1, 1]);
  geometry.setAttribute("position", new BufferAttribute(corners, 2));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  geometry.boundingSphere = everywhere();
  return geometry;
}

const CELL_PIXELS = 36;

export class GroundLayer {
  private readonly geometry = screenGeometry();
  private readonly grid: RawShaderMaterial;
  private planes: Mesh<BufferGeometry, RawShaderMaterial>[] = [];

  constructor(
    private readonly view: ViewUniforms,
    private readonly parent: ThreeScene,
  ) {
    this.grid = flatMaterial(view, {
      vertexShader: VERTEX,
      fragmentShader: GRID_FRAGMENT,
      uniforms: { paper: { value: PAPER }, line: { value: GRID }, cell: { value: 1 } },
    });
    this.add(this.grid, 0);
  }

  private add(material: RawShaderMaterial, order: number): Mesh<BufferGeometry, RawShaderMaterial> {
    const mesh = new Mesh(this.geometry, material);
    mesh.frustumCulled = false;
    mesh.renderOrder = order;
    this.parent.add(mesh);
    return mesh;
  }

  setPlaneCount(count: number): void {
    for (const mesh of this.planes) {
      this.parent.remove(mesh);
      mesh.material.dispose();
    }
    this.planes = Array.from({ length: count }, () => {
      const material = flatMaterial(this.view, {
        vertexShader: VERTEX,
        fragmentShader: PLANE_FRAGMENT,
        uniforms: {
          plane: { value: new Vector3() },
          solid: { value: SOLID },
          hatch: { value: SOLID_HATCH },
          solidInk: { value: SOLID_INK },
        },
      });
      return this.add(material, 1);
    });
  }

  /** In the world: solid where normal . x <= offset. */
  setPlane(index: number, normalX: number, normalY: number, offset: number): void {
    const { value } = this.planes[index]!.material.uniforms["plane"]! as { value: Vector3 };
    value.set(normalX, normalY, offset);
  }

  update(framing: Framing): void {
    this.grid.uniforms["cell"]!.value = gridCell(framing.scale, CELL_PIXELS);
  }
}
