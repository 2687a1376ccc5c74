/**
 * gallery.ts: the list of rooms, of running worlds and of bundled scenes.
 *
 * The user can join a world.  A scene can be loaded into this world for all its members, or opened
 * as a new world.
 */
import type { Directory, Rooms } from "@cairn/client";
import type { Scene, SceneSummary, WorldStatus } from "@cairn/protocol";
import { sceneThumbnail } from "@cairn/view";
import { button, element } from "../base/dom";
import type { Toasts } from "../base/toasts";
import { type RoomsActions, RoomsList } from "./rooms_list";

export interface GalleryActions extends RoomsActions {
  join(world: string): void;
  load(scene: string): void;
  open(scene: string): void;
  /** Copies a link to the shown scene. */
  share(): void;
}

function plural(count: number, word: string): string {
  const many = word.endsWith("y") ? `${word.slice(0, -1)}ies` : `${word}s`;
  return `${count} ${count === 1 ? word : many}`;
}

const SVG = "http://www.w3.org/2000/svg";

/** An empty picture that is filled when the scene arrives. */
function picture(scene: Promise<Scene>): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "thumbnail");
  svg.setAttribute("aria-hidden", "true");
  scene.then((loaded) => {
    const { viewBox, strokeWidth, paths } = sceneThumbnail(loaded);
    svg.setAttribute("viewBox", viewBox);
    svg.setAttribute("stroke-width", String(strokeWidth));
    svg.append(...paths.map(({ path, fill, stroke }) => {
      const node = document.createElementNS(SVG, "path");
      node.setAttribute("d", path);
      node.setAttribute("fill", fill);
      node.setAttribute("stroke", stroke);
      return node;
    }));
  }, () => undefined);
  return svg;
}

export class Gallery {
  readonly root = element("dialog", { class: "gallery", "aria-label": "Worlds and scenes" });
  private readonly worlds = element("div", { class: "cards" });
  private readonly scenes = element("div", { class: "cards" });
  private readonly rooms: RoomsList;

  constructor(
    private readonly directory: Directory,
    rooms: Rooms,
    private readonly actions: GalleryActions,
    private readonly toasts: Toasts,
  ) {
    const close = button("Close", "Back to the world (Escape)", () => this.root.close());
    const title = "A link that runs the shown scene without a daemon";
    const share = button("Copy scene link", title, () => {
      this.root.close();
      actions.share();
    });
    const head = element("header", {}, element("h2", {}, "Worlds and scenes"), share, close);
    this.rooms = new RoomsList(rooms, actions, () => this.root.close());
    this.root.append(
      head,
      this.rooms.root,
      element("h3", { class: "of-daemon" }, "Worlds of this daemon"),
      this.worlds,
      element("h3", {}, "Scenes"),
      element("p", { class: "hint of-daemon" },
        "“Load here” puts a scene into this world for everyone in it; " +
        "“new world” opens it beside the others."),
      this.scenes,
    );
    this.root.addEventListener("close", () => this.rooms.close());
    this.root.addEventListener("click", (event) => {
      if (event.target === this.root) {
        this.root.close();
      }
    });
  }

  open(current: string): void {
    this.root.showModal();
    this.toasts.watch(this.refresh(current));
    this.toasts.watch(this.rooms.open());
  }

  private async refresh(current: string): Promise<void> {
    const [worlds, scenes] = await Promise.all([this.directory.worlds(), this.directory.scenes()]);
    this.worlds.replaceChildren(...worlds.map((world) => this.worldCard(world, current)));
    this.scenes.replaceChildren(...scenes.map((scene) => this.sceneCard(scene)));
  }

  private worldCard(world: WorldStatus, current: string): HTMLElement {
    const here = world.id === current;
    const facts = [
      plural(world.bodyCount, "body"),
      world.clientCount > 0 ? `${plural(world.clientCount, "visitor")}` : "",
      here ? "you are here" : "",
      world.idle ? "idle until a visitor comes" : "",
    ];
    const card = button("", here ? "" : `Go to ${world.id}`, () => {
      this.root.close();
      this.actions.join(world.id);
    }, "card world");
    card.append(
      picture(this.directory.worldScene(world.id)),
      element("strong", {}, world.title || world.name || world.id),
      element("span", { class: "facts" }, facts.filter((fact) => fact !== "").join(" · ")),
    );
    card.setAttribute("aria-current", String(here));
    return card;
  }

  private sceneCard(scene: SceneSummary): HTMLElement {
    const run = (action: (name: string) => void) => () => {
      this.root.close();
      action(scene.name);
    };
    const card = element("article", { class: "card scene" },
      element("strong", {}, scene.title || scene.name),
      element("span", { class: "facts" }, plural(scene.bodyCount, "body")),
      element("p", {}, scene.description),
      element("div", { class: "buttons" },
        button("Load here", `Put ${scene.name} into this world`, run(this.actions.load)),
        button("New world", `Open ${scene.name} as a world of its own`, run(this.actions.open),
          "of-daemon")));
    card.prepend(picture(this.directory.scene(scene.name)));
    return card;
  }
}
