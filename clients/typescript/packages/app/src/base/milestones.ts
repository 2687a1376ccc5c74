/** milestones.ts: marks in the browser's timeline when the page first reaches a stage. */
const reached = new Set<string>();

export function milestone(name: "open" | "joined" | "drawn"): void {
  if (!reached.has(name)) {
    reached.add(name);
    performance.mark(`cairn-${name}`);
  }
}
