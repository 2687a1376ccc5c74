/**
 * seating.ts: seats in rooms: the token that the session says in Hello, and what the gallery does.
 *
 * A seat has a token of its own, so a page that enters or leaves a room begins a new session.
 */
import { Lobby, type Session } from "@cairn/client";
import type { RoomSeat } from "@cairn/protocol";
import { readMoment } from "./address/moment";
import { worldInAddress } from "./address/place";
import type { RoomsActions } from "./panels/rooms_list";
import { forgetSeat, hasSeat, keepSeat, tokenFor } from "./people/seats";
import { ownToken } from "./people/token";

/** The token of the last Hello; null before it. */
let saidToken: string | null = null;

function shownWorld(): string {
  return readMoment(worldInAddress()).world;
}

/** The token for a Hello now: that for the world in the address. */
export function tokenNow(): string {
  saidToken = tokenFor(shownWorld());
  return saidToken;
}

export function beginAnew({ connection }: Session): void {
  saidToken = null;
  connection.stop();
  connection.start();
}

/** Joins the world in the address, with the token for it. */
export function joinWithToken(session: Session, world: string): void {
  const isOther = saidToken !== null && saidToken !== tokenFor(world);
  if (isOther) {
    session.connection.stop();
  }
  session.join(world);
  if (isOther) {
    beginAnew(session);
  }
}

/** A seat is of no use when another client has it, or its room has ended; says `what` then. */
export function dropLostSeats(session: Session, say: (what: string) => void): void {
  session.connection.state.subscribe((state) => {
    if (state.kind === "refused" && state.code === "EXPIRED" && hasSeat(shownWorld())) {
      forgetSeat(shownWorld());
      say("Your seat in this room is gone");
      queueMicrotask(() => beginAnew(session));
    }
  });
  session.world.subscribe((state) => {
    if (state.kind === "gone" && state.code === "WORLD") {
      forgetSeat(state.world);
    }
  });
}

export function roomsActions(
  lobby: { url: string; name: string; client: string },
  goTo: (world: string) => void,
): RoomsActions {
  return {
    openLobby: () => new Lobby({ ...lobby, token: ownToken }),
    sit: ({ world, token }: RoomSeat) => {
      keepSeat(world, token);
      goTo(world);
    },
    hasSeat,
    goTo,
  };
}
