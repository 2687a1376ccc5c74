/**
 * directory.ts: the daemon's lists over HTTP: worlds, scenes, solvers, steppers.
 *
 * JSON by the proto3 mapping; fields that a newer daemon adds are passed over.
 */
import { type DescMessage, type MessageShape, fromJson } from "@bufbuild/protobuf";
import {
  type ItemList_Item,
  ItemListSchema,
  type Scene,
  SceneSchema,
  type SceneSummary,
  SceneListSchema,
  type WorldStatus,
  WorldListSchema,
} from "@cairn/protocol";

export class Directory {
  constructor(private readonly base = "") {}

  async worlds(): Promise<WorldStatus[]> {
    return (await this.get("/v1/worlds", WorldListSchema)).worlds;
  }

  async scenes(): Promise<SceneSummary[]> {
    return (await this.get("/v1/scenes", SceneListSchema)).scenes;
  }

  /** A bundled scene. */
  scene(name: string): Promise<Scene> {
    return this.get(`/v1/scenes/${encodeURIComponent(name)}`, SceneSchema);
  }

  /** The scene that a world is of. */
  worldScene(world: string): Promise<Scene> {
    return this.get(`/v1/worlds/${encodeURIComponent(world)}/scene`, SceneSchema);
  }

  async solvers(): Promise<ItemList_Item[]> {
    return (await this.get("/v1/solvers", ItemListSchema)).items;
  }

  async steppers(): Promise<ItemList_Item[]> {
    return (await this.get("/v1/steppers", ItemListSchema)).items;
  }

  private async get<D extends DescMessage>(path: string, schema: D): Promise<MessageShape<D>> {
    const response = await fetch(this.base + path, { headers: { accept: "application/json" } });
    if (!response.ok) {
      throw new Error(`${path}: ${response.status} ${response.statusText}`);
    }
    return fromJson(schema, await response.json(), { ignoreUnknownFields: true });
  }
}
