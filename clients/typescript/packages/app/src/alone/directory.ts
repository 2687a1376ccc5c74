/**
 * directory.ts: the lists of a page without a daemon.  A static folder has them as files; a link on
 * a daemon's page takes that daemon's.
 */
import { Directory, RefusedError } from "@cairn/client";
import type { WorldStatus } from "@cairn/protocol";
import { type AloneSource, staticPath } from "./source";

export class AloneDirectory extends Directory {
  constructor(private readonly source: AloneSource) {
    super("", () => "", source.isStatic ? staticPath : undefined);
  }

  override worlds(): Promise<WorldStatus[]> {
    return Promise.resolve([]);
  }

  override timeline(): Promise<never> {
    return refuse("has no stored past: this page runs without a daemon");
  }

  override check(...scene: Parameters<Directory["check"]>): ReturnType<Directory["check"]> {
    return this.source.isStatic
      ? refuse("needs a daemon; this page runs without one")
      : super.check(...scene);
  }
}

function refuse(text: string): Promise<never> {
  return Promise.reject(new RefusedError("STATE", "", text));
}
