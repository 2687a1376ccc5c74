/**
 * rooms_list.ts: the part of the gallery with rooms: the templates, and the rooms as they change.
 *
 * A template gives a seat in any room that fits, or makes a room.  While the gallery is open, the
 * lobby keeps the list of rooms up to date.  A daemon without rooms shows nothing.
 */
import { type Lobby, type Rooms, type SeatRequest, propertiesOf } from "@cairn/client";
import type { Room, RoomSeat, RoomTemplateList_Item } from "@cairn/protocol";
import { button, element, setText } from "../base/dom";

export interface RoomsActions {
  /** Opens the lobby's connection. */
  openLobby(): Lobby;
  /** The user has this seat now. */
  sit(seat: RoomSeat): void;
  /** Whether the user has a seat there already. */
  hasSeat(world: string): boolean;
  goTo(world: string): void;
}

/** Such as "map ice · rank 3". */
function facts(room: Room): string {
  const values = Object.entries(propertiesOf(room)).map(([name, value]) => `${name} ${value}`);
  const seats = `${room.taken} of ${room.seats} seats taken`;
  const held = room.held > 0 ? `${room.held} held` : "";
  return [seats, held, ...values, room.locked ? "locked" : ""].filter((text) => text !== "")
    .join(" · ");
}

export class RoomsList {
  readonly root = element("section", { class: "rooms of-daemon", hidden: true });
  private readonly templates = element("div", { class: "cards" });
  private readonly list = element("div", { class: "cards" });
  private readonly empty = element("p", { class: "hint" }, "Nobody has opened a room yet.");
  private readonly refusal = element("p", { class: "refusal", role: "alert", hidden: true });
  private readonly titles = new Map<string, string>();
  private readonly passwords = new Map<string, string>();
  private lobby: Lobby | null = null;
  private isOpen = false;

  constructor(
    private readonly rooms: Rooms,
    private readonly actions: RoomsActions,
    /** Closes the gallery. */
    private readonly done: () => void,
  ) {
    this.root.append(element("h3", {}, "Rooms"), this.refusal, this.templates,
      element("h3", {}, "Open now"), this.empty, this.list);
  }

  /** Shows the rooms until `close`. */
  async open(): Promise<void> {
    this.isOpen = true;
    const templates = await this.rooms.templates().catch(() => []);
    this.refusal.hidden = true;
    this.root.hidden = templates.length === 0;
    if (templates.length === 0 || this.lobby !== null || !this.isOpen) {
      return;
    }
    templates.forEach(({ name, title }) => this.titles.set(name, title || name));
    this.templates.replaceChildren(...templates.map((template) => this.templateCard(template)));
    this.lobby = this.actions.openLobby();
    this.lobby.rooms.subscribe((rooms) => this.show(rooms ?? []));
  }

  close(): void {
    this.isOpen = false;
    this.lobby?.close();
    this.lobby = null;
  }

  private show(rooms: readonly Room[]): void {
    this.empty.hidden = rooms.length > 0;
    const focused = document.activeElement?.getAttribute("data-room");
    this.list.replaceChildren(...rooms.map((room) => this.roomCard(room)));
    if (focused !== null && focused !== undefined) {
      this.list.querySelector<HTMLElement>(`[data-room="${CSS.escape(focused)}"]`)?.focus();
    }
  }

  private templateCard({ name, title, seats, private: isPrivate }: RoomTemplateList_Item):
  HTMLElement {
    const ask = (create?: "only") => () => this.ask({ template: name, ...(create && { create }) });
    return element("article", { class: "card template" },
      element("strong", {}, title || name),
      element("span", { class: "facts" },
        `${seats} ${seats === 1 ? "seat" : "seats"}${isPrivate ? " · private" : ""}`),
      element("div", { class: "buttons" },
        button("Play", `Take a seat in any open room of ${name}`, ask(), "primary"),
        button("New room", `Open another room of ${name}`, ask("only"))));
  }

  private roomCard(room: Room): HTMLElement {
    const isMine = this.actions.hasSeat(room.world);
    const isFull = room.taken + room.held >= room.seats;
    const card = element("form", { class: "card room" },
      element("strong", {}, room.name || room.id),
      element("span", { class: "facts" }, this.titles.get(room.template) ?? room.template),
      element("span", { class: "facts" }, facts(room)));
    if (room.password && !isMine) {
      const field = element("input", {
        type: "password", placeholder: "Password", "aria-label": `Password of ${room.id}`,
        autocomplete: "off", required: true, "data-room": `${room.id} password`,
      });
      field.value = this.passwords.get(room.id) ?? ""; // a change of the room keeps what was typed
      field.addEventListener("input", () => this.passwords.set(room.id, field.value));
      card.append(field);
    }
    const label = isMine ? "Back to my seat" : isFull ? "Full" : room.locked ? "Locked" : "Join";
    card.append(element("button", {
      type: "submit", title: `${label}: ${room.id}`, "data-room": room.id,
      disabled: !isMine && (isFull || room.locked),
    }, label));
    card.addEventListener("submit", (event) => {
      event.preventDefault();
      if (isMine) {
        this.done();
        this.actions.goTo(room.world);
      } else {
        this.ask({ room: room.id, password: this.passwords.get(room.id) ?? "" });
      }
    });
    return card;
  }

  /** A refusal is shown here, because the gallery covers other messages. */
  private ask(request: SeatRequest): void {
    this.refusal.hidden = true;
    this.rooms.join(request).then((seat) => {
      this.done();
      this.actions.sit(seat);
    }, (error: unknown) => {
      setText(this.refusal, error instanceof Error ? error.message : String(error));
      this.refusal.hidden = false;
    });
  }
}
