/** night.ts: whether this page is to be dark, as the system says; its style sheet asks the same. */
export function followNight(set: (isNight: boolean) => void): void {
  const query = matchMedia("(prefers-color-scheme: dark)");
  query.addEventListener("change", () => set(query.matches));
  set(query.matches);
}
