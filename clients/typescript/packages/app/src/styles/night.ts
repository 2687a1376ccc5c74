/** night.ts: whether the system asks for dark mode; the style sheet uses the same query. */
export function followNight(set: (isNight: boolean) => void): void {
  const query = matchMedia("(prefers-color-scheme: dark)");
  query.addEventListener("change", () => set(query.matches));
  set(query.matches);
}
