/**
 * token.ts: the token that identifies the user.
 *
 * It comes after # in the address, a part that browsers do not send, or the user pastes it.  It is
 * removed from the address at once, and stored only for this tab.
 */
const STORED = "cairn.token";
const IN_ADDRESS = /^#token=([\w.-]+)$/;

/** Takes a token out of the address; call it before the address is searched for a world. */
export function takeTokenFromAddress(): void {
  const found = IN_ADDRESS.exec(location.hash);
  if (found !== null) {
    history.replaceState(null, "", location.pathname + location.search);
    keepToken(found[1] ?? "");
  }
}

/** "" if the tab has no token. */
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
