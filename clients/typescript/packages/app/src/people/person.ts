/** person.ts: the name under which others see this page; kept while the tab is open. */
const KEY = "cairn.name";
const STONES = [
  "Basalt", "Chalk", "Flint", "Gabbro", "Gneiss", "Granite", "Jasper", "Marble", "Obsidian",
  "Onyx", "Pumice", "Quartz", "Sandstone", "Schist", "Slate", "Travertine",
];

export function personName(): string {
  try {
    const kept = sessionStorage.getItem(KEY);
    if (kept !== null) {
      return kept;
    }
  } catch {
    // A page without storage chooses a new name each time.
  }
  const random = crypto.getRandomValues(new Uint16Array(2));
  const name = `${STONES[random[0]! % STONES.length]} ${10 + (random[1]! % 90)}`;
  try {
    sessionStorage.setItem(KEY, name);
  } catch {
    // As above.
  }
  return name;
}
