/** place.ts: the world in the page's address, and the default if the address names none. */
import type { WorldStatus } from "@cairn/protocol";
import { type Part, writePart } from "./part";

const FIRST_CHOICES = ["contact", "contact-6"];

/** "" if the address names no world. */
export function worldInAddress(): string {
  const query = new URLSearchParams(location.search).get("world");
  return query ?? decodeURIComponent(location.hash.slice(1));
}

export function showInAddress(world: string): void {
  if (worldInAddress() !== world) {
    const query = new URLSearchParams(location.search);
    query.set("world", world);
    history.pushState(null, "", `${location.pathname}?${query}`);
  }
}

/** Keeps the part of the world that the address names. */
export function showPartInAddress(part: Part | null, isFlat: boolean): void {
  const query = new URLSearchParams(location.search);
  writePart(query, part, isFlat);
  const text = query.toString().replaceAll("%2C", ",");
  const mark = text === "" ? "" : "?";
  history.replaceState(null, "", `${location.pathname}${mark}${text}${location.hash}`);
}

export function firstWorld(worlds: readonly WorldStatus[]): string {
  const ids = worlds.map(({ id }) => id);
  return (
    FIRST_CHOICES.find((id) => ids.includes(id)) ??
    ids.find((id) => id.startsWith("contact")) ??
    ids[0] ??
    ""
  );
}
