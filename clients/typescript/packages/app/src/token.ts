/**
 * token.ts: the token that says who this is.
 *
 * It comes behind # in the address, which browsers keep to themselves, or is pasted.  It is taken
 * out of the address at once, and kept for this tab alone.
 */
const STORED = "cairn.token";
const IN_ADDRESS = /^#token=([\w.-]+)$/;

/** Takes a token out of the address; before anybody else looks there for a world. */
export function takeTokenFromAddress(): void {
  const found = IN_ADDRESS.exec(location.hash);
  if (found !== null) {
    history.replaceState(null, "", location.pathname + location.search);
    keepToken(found[1] ?? "");
  }
}

/** "" where there is none. */
export function ownToken(): string {
  return sessionStorage.getItem(STORED) ?? "";
}

export function keepToken(token: string): void {
  const trimmed = token.trim().replace(/^.*#token=/, "");
  if (trimmed === "") {
    sessionStorage.removeItem(STORED);
  } else {
    sessionStorage.setItem(STORED, trimmed);
  }
}
