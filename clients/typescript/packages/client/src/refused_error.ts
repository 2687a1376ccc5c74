/** refused_error.ts: a refusal, with the daemon's text. */
import type { Error as WireProblem } from "@cairn/protocol";

export class RefusedError extends Error {
  constructor(
    readonly code: string,
    readonly path: string,
    /** Without the path. */
    readonly text: string,
  ) {
    super(path === "" ? text : `${path}: ${text}`);
  }
}

export function refusal(problem: WireProblem | undefined): RefusedError {
  const { code = "", path = "", text = "" } = problem ?? {};
  return new RefusedError(code, path, text || code || "the daemon refused it");
}
