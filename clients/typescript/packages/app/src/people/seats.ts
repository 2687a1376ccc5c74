/**
 * seats.ts: this user's seats in rooms, and the token for each world.
 *
 * A seat has a token of its own, which is stored for this tab only.  A reload of the page takes the
 * seat again with it.
 */
import { ownToken } from "./token";

const STORED = "cairn.seats";
/** The daemon derives the ids of replays from the first letters of the world's id. */
const ORIGIN_SIZE = 44;

type Seats = Record<string, string>;

function readSeats(): Seats {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "{}") as Seats;
  } catch {
    return {};
  }
}

export function keepSeat(world: string, token: string): void {
  sessionStorage.setItem(STORED, JSON.stringify({ ...readSeats(), [world]: token }));
}

export function forgetSeat(world: string): void {
  const { [world]: _, ...others } = readSeats();
  sessionStorage.setItem(STORED, JSON.stringify(others));
}

export function hasSeat(world: string): boolean {
  return Object.hasOwn(readSeats(), world);
}

/** The token of the seat in that world, or in the world of that replay; else the user's own. */
export function tokenFor(world: string): string {
  const seats = readSeats();
  const room = Object.keys(seats).find((id) =>
    id === world || world.startsWith(`${id.slice(0, ORIGIN_SIZE)}-replay`));
  return (room === undefined ? undefined : seats[room]) ?? ownToken();
}
