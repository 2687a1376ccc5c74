/** page.ts: the page of the game: first the lobby, then a room. */
import { Lobby, RefusedError, joinRoom } from "@cairn/client";
import { Game, type Seat } from "./game";

const url = `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/v1/ws`;
const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const nameField = byId<HTMLInputElement>("name");
nameField.value = sessionStorage.getItem("name") ?? "";

const lobby = new Lobby({ url, name: "lobby", client: "sumo" }, { template: "sumo" });
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
    const { world, token } = await joinRoom(room === undefined ? { template: "sumo" } : { room });
    begin({ world, token }, name);
  } catch (error) {
    byId("trouble").textContent = error instanceof RefusedError ? error.message : String(error);
  }
}

/** A reload takes the seat again, while the room holds it. */
function begin(seat: Seat, name: string): void {
  sessionStorage.setItem("seat", JSON.stringify(seat));
  lobby.close();
  byId("lobby").hidden = true;
  byId("game").hidden = false;
  const game = new Game(url, seat, name, (text) => {
    sessionStorage.removeItem("seat");
    sessionStorage.setItem("trouble", text);
    location.reload();
  });
  Object.assign(window, { game });
}

byId<HTMLFormElement>("enter").onsubmit = (event) => {
  event.preventDefault();
  void enter();
};

byId("trouble").textContent = sessionStorage.getItem("trouble");
sessionStorage.removeItem("trouble");
const kept = sessionStorage.getItem("seat");
if (kept !== null) {
  begin(JSON.parse(kept) as Seat, nameField.value);
}
