/**
 * notice.ts: the notice over the picture: not connected yet, connection lost, world removed or
 * failed.
 */
import type { Session } from "@cairn/client";
import { WorldStatus_State } from "@cairn/protocol";
import { button, element, setText } from "../base/dom";

const COUNTDOWN_MS = 250;

export interface NoticeActions {
  openGallery(): void;
  goHome(): void;
  useToken(token: string): void;
}

const REFUSALS: Partial<Record<string, string>> = {
  TOKEN: "A token is needed",
  EXPIRED: "Your token has expired",
  RIGHTS: "Your token does not allow this",
};

const ASK = "The operator of this daemon can give you one.";

function sentence(text: string): string {
  return text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function goneTitle({ world, code }: { world: string; code: string }): string {
  const name = world === "" ? "" : ` “${world}”`;
  return code === "WORLD" ? `No world${name}` : `The world${name} cannot be joined`;
}

/** The field for a token; its characters are hidden. */
function tokenEntry(use: (token: string) => void): HTMLFormElement {
  const field = element("input", {
    type: "password", name: "token", autocomplete: "off", spellcheck: "false",
    placeholder: "Paste a token", "aria-label": "Token", required: true,
  });
  const entry = element("form", { class: "token", hidden: true }, field,
    element("button", { type: "submit", class: "primary" }, "Use token"));
  entry.addEventListener("submit", (event) => {
    event.preventDefault();
    const token = field.value;
    field.value = "";
    use(token);
  });
  return entry;
}

export class Notice {
  readonly root = element("div", { class: "notice", role: "alert", hidden: true });
  private readonly title = element("strong");
  private readonly text = element("span");
  /** Shows a countdown; a screen reader announces it only once. */
  private readonly wait = element("span", { "aria-hidden": "true" });
  private readonly progress = element("progress", { hidden: true, "aria-label": "Scene" });
  private readonly retry: HTMLElement;
  private readonly gallery: HTMLElement;
  private readonly home: HTMLElement;
  private readonly restart: HTMLElement;
  private readonly entry: HTMLFormElement;

  constructor(
    private readonly session: Session,
    actions: NoticeActions,
    reset: () => void,
  ) {
    this.retry = button("Try now", "Connect now", () => session.connection.retryNow());
    this.gallery = button("Worlds and scenes", "See all worlds", () => actions.openGallery());
    this.home = button("Contact world", "Go to the first world", () => actions.goHome());
    this.restart = button("Reset", "Start the scene again", reset);
    this.entry = tokenEntry((token) => actions.useToken(token));
    this.root.append(this.title, element("span", {}, this.text, this.wait), this.progress,
      this.entry,
      element("div", { class: "buttons" }, this.retry, this.home, this.gallery, this.restart));
    session.connection.state.subscribe(() => this.show());
    session.world.subscribe(() => this.show());
    session.status.subscribe(() => this.show());
    session.connection.progress.subscribe(() => this.show());
    setInterval(() => this.show(), COUNTDOWN_MS);
  }

  private show(): void {
    const connection = this.session.connection.state.get();
    const world = this.session.world.get();
    const status = this.session.status.get();
    if (connection.kind === "waiting") {
      const seconds = Math.max(0, Math.ceil((connection.retryAt - performance.now()) / 1000));
      const again = seconds > 1 ? `; trying again in ${seconds} s` : "; trying again";
      this.say("Reconnecting", connection.reason, [this.retry], again);
    } else if (connection.kind === "refused") {
      const title = REFUSALS[connection.code] ?? "Access refused";
      this.say(title, `${sentence(connection.text)} ${ASK}`, [this.entry]);
    } else if (connection.kind === "connecting" && connection.attempt > 0) {
      this.say("Reconnecting", "looking for the daemon …", []);
    } else if (connection.kind !== "open") {
      this.say("Connecting", "looking for the daemon …", []);
    } else if (world.kind === "gone") {
      const words = world.text.startsWith("is ") ? `it ${world.text}` : world.text;
      this.say(goneTitle(world), sentence(words), [this.home, this.gallery]);
    } else if (world.kind !== "joined") {
      this.say("Joining", world.kind === "joining" ? world.world : "choosing a world …", []);
      this.showProgress();
    } else if (status?.state === WorldStatus_State.FAILED) {
      this.say("The world has failed", status.failure, [this.restart, this.gallery]);
    } else {
      this.root.hidden = true;
    }
  }

  /** Shows how much of a large scene has arrived. */
  private showProgress(): void {
    const progress = this.session.connection.progress.get();
    if (progress !== null) {
      this.progress.max = progress.size;
      this.progress.value = progress.taken;
      this.progress.hidden = false;
    }
  }

  private say(title: string, text: string, shown: readonly HTMLElement[], wait = ""): void {
    this.progress.hidden = true;
    setText(this.wait, wait);
    setText(this.title, title);
    setText(this.text, text);
    for (const one of [this.retry, this.gallery, this.home, this.restart, this.entry]) {
      one.hidden = !shown.includes(one);
    }
    this.root.hidden = false;
  }
}
