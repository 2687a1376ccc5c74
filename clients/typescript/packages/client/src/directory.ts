/**
 * directory.ts: the daemon's lists over HTTP: worlds, scenes, solvers, steppers.
 *
 * The lists are JSON by the proto3 mapping; fields that a newer daemon adds are ignored.
 */
import { type DescMessage, type MessageShape, fromJson, toJson } from "@bufbuild/protobuf";
import {
  type ItemList_Item,
  ItemListSchema,
  type Scene,
  SceneSchema,
  type SceneSummary,
  SceneListSchema,
  type Timeline,
  TimelineSchema,
  type WorldStatus,
  WorldListSchema,
  ErrorSchema,
} from "@cairn/protocol";
import { RefusedError } from "./refused_error";
import { type Stability, type StabilityAnswer, readStability } from "./stability";

/** Worlds of a page. */
const PAGE = 200;
const IGNORING = { ignoreUnknownFields: true };

export class Directory {
  constructor(
    private readonly base = "",
    /** The token for a world; for "", that of lists. */
    private readonly token: (world: string) => string = () => "",
    /** The address of what the daemon answers at a path; another one for stored answers. */
    private readonly locate: (path: string) => string = (path) => base + path,
  ) {}

  /** Sends the token, if there is one. */
  private headers(others: Record<string, string>, world = ""): Record<string, string> {
    const token = this.token(world);
    return token === "" ? others : { ...others, authorization: `Bearer ${token}` };
  }

  /** All worlds, fetched in pages. */
  async worlds(): Promise<WorldStatus[]> {
    const worlds: WorldStatus[] = [];
    let after = "";
    do {
      const path = `/v1/worlds?limit=${PAGE}${after === "" ? "" : `&after=${after}`}`;
      const list = await this.get(path, WorldListSchema);
      worlds.push(...list.worlds);
      after = list.next;
    } while (after !== "");
    return worlds;
  }

  async scenes(): Promise<SceneSummary[]> {
    return (await this.get("/v1/scenes", SceneListSchema)).scenes;
  }

  /** A bundled scene. */
  scene(name: string): Promise<Scene> {
    return this.get(`/v1/scenes/${encodeURIComponent(name)}`, SceneSchema);
  }

  worldScene(world: string): Promise<Scene> {
    return this.get(`/v1/worlds/${encodeURIComponent(world)}/scene`, SceneSchema, world);
  }

  /** The stored past of a world. */
  timeline(world: string): Promise<Timeline> {
    return this.get(`/v1/worlds/${encodeURIComponent(world)}/timeline`, TimelineSchema, world);
  }

  async solvers(): Promise<ItemList_Item[]> {
    return (await this.get("/v1/solvers", ItemListSchema)).items;
  }

  async steppers(): Promise<ItemList_Item[]> {
    return (await this.get("/v1/steppers", ItemListSchema)).items;
  }

  /** Whether the scene stands at its start; a RefusedError if the daemon cannot decide. */
  async check(scene: Scene): Promise<Stability> {
    const response = await fetch(`${this.base}/v1/check/start`, {
      method: "POST",
      headers: this.headers({ "content-type": "application/json" }),
      body: JSON.stringify({ scene: toJson(SceneSchema, scene) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) {
      const { code, path, text } = fromJson(ErrorSchema, answer as never, IGNORING);
      throw new RefusedError(code, path, text);
    }
    const places = scene.bodies.map(({ position }) =>
      [position?.x ?? 0, position?.y ?? 0, position?.z ?? 0] as const);
    return readStability(answer as StabilityAnswer, places);
  }

  private async get<D extends DescMessage>(
    path: string, schema: D, world = "",
  ): Promise<MessageShape<D>> {
    const headers = this.headers({ accept: "application/json" }, world);
    const response = await fetch(this.locate(path), { headers });
    if (!response.ok) {
      throw new Error(`${path}: ${response.status} ${response.statusText}`);
    }
    return fromJson(schema, await response.json(), IGNORING);
  }
}
