/** milestones.ts: when this page first came so far: marks in the browser's own timeline. */
const reached = new Set<string>();

export function milestone(name: "open" | "joined" | "drawn"): void {
  if (!reached.has(name)) {
    reached.add(name);
    performance.mark(`cairn-${name}`);
  }
}
