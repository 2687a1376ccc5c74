/** page.ts: the page of the game: first the lobby, then a room. */
import { type Lobby as LobbyOf, Lobby, RefusedError, joinRoom } from "@cairn/client";
import type { RoomSeat } from "@cairn/protocol";
import { Game } from "./game";

const url = `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/v1/ws`;
const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const nameField = byId<HTMLInputElement>("name");
nameField.value = sessionStorage.getItem("name") ?? "";

const lobby: LobbyOf = new Lobby({ url, name: "lobby", client: "sumo" }, { template: "sumo" });
lobby.rooms.subscribe((rooms) => {
  byId("rooms").replaceChildren(...(rooms ?? []).map(({ id, taken, held, seats, locked }) => {
    const row = document.createElement("li");
    const button = document.createElement("button");
    button.textContent = "Join";
    button.disabled = locked || taken + held >= seats;
    button.onclick = () => enter(id);
    row.append(`${taken} of ${seats} play`, button);
    return row;
  }));
});

async function enter(room?: string): Promise<void> {
  const name = nameField.value.trim();
  if (name === "") {
    nameField.reportValidity();
    return;
  }
  sessionStorage.setItem("name", name);
  try {
    begin(await joinRoom(room === undefined ? { template: "sumo" } : { room }), name);
  } catch (error) {
    byId("trouble").textContent = error instanceof RefusedError ? error.message : String(error);
  }
}

function begin(seat: RoomSeat, name: string): void {
  lobby.close();
  byId("lobby").hidden = true;
  byId("game").hidden = false;
  const game = new Game(url, seat, name);
  Object.assign(window, { game });
}

byId<HTMLFormElement>("enter").onsubmit = (event) => {
  event.preventDefault();
  void enter();
};
