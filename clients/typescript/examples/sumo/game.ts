/** game.ts: one player in one room: the picture, the scores, and the keys. */
import { type Message, Session, initialPoses } from "@cairn/client";
import { Remote } from "@cairn/play";
import { type Scene, bodyName } from "@cairn/protocol";
import {
  AutoQuality, type Point, QUALITIES, Stage, type StageFrame, sceneColors,
} from "@cairn/view";

const FORCE = 9; // N; a ball has 1.05 kg
const SLOT = 1;
const FEED_MS = 4_000;
const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
  a: [-1, 0], d: [1, 0], w: [0, -1], s: [0, 1],
};
const byId = (id: string) => document.getElementById(id)!;

export interface Seat {
  world: string;
  token: string;
}

export class Game {
  readonly session: Session;
  readonly stage = new Stage();
  readonly remote: Remote;
  private scene: Scene | null = null;
  private poses = new Float64Array(0);
  private readonly frame: StageFrame;
  private readonly pressed = new Set<string>();
  private finger: { x: number; y: number } | null = null;
  private heading = "";
  /** The slot of the ball that this player has leased: nobody else can push it. */
  private owned = -1;
  private readonly quality = new AutoQuality();
  private readonly at: Point = { x: 0, y: 0, z: 0 };

  /** `onLost` is called when the seat or the room is no more. */
  constructor(url: string, seat: Seat, name: string, onLost: (text: string) => void) {
    const session = new Session({ url, name, client: "sumo", token: () => seat.token });
    this.session = session;
    this.frame = {
      nowMs: 0, poses: this.poses, asleep: session.snapshots.asleep, sleepVersion: 0,
      contacts: session.contacts.latest, showForces: false, forceScale: 1, drags: [], actions: [],
      veils: new Float32Array(0), veilVersion: 0, levels: new Float64Array(0), motions: null,
    };
    this.remote = new Remote(session, () =>
      new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }));
    this.remote.use(true);
    session.wantContacts(false);
    session.joined.subscribe((joined) => joined?.scene && this.show(joined.scene));
    session.attributes.version.subscribe(() => this.showBoard());
    session.presence.subscribe(() => this.showBoard());
    session.messages.said.subscribe((message) => this.tell(message));
    session.connection.state.subscribe((state) => state.kind === "refused" && onLost(state.text));
    session.world.subscribe((world) => world.kind === "gone" && onLost(world.text));
    session.refusals.subscribe(({ message }) => this.tellFeed(message));
    session.join(seat.world);
    session.connection.start();
    this.listen();
    requestAnimationFrame(() => this.draw());
  }

  /** A new scene, or one in which balls came and went. */
  private show(scene: Scene): void {
    const isNew = this.scene === null;
    this.scene = scene;
    this.poses = initialPoses(scene);
    if (isNew) {
      this.stage.setScene(scene, this.poses);
      this.quality.reset(this.stage.firstQuality);
      this.stage.setQuality(QUALITIES[this.quality.level]!);
      this.resize();
    } else {
      this.stage.changeScene(scene, this.poses);
    }
    this.heading = ""; // a new body may have the slot
    this.owned = -1;
    this.showBoard();
  }

  private slotOf(ball: string): number {
    return this.scene?.bodies.findIndex((body, slot) =>
      !body.absent && bodyName(body, slot) === ball) ?? -1;
  }

  private ballOf(session: bigint): number {
    const ball = this.session.attributes.session(session).get("ball");
    return typeof ball === "string" ? this.slotOf(ball) : -1;
  }

  private get ownSession(): bigint {
    const state = this.session.connection.state.get();
    return state.kind === "open" ? state.session : -1n;
  }

  // ---- hands ----

  private listen(): void {
    const view = byId("view");
    const { canvas } = this.stage;
    canvas.tabIndex = 0;
    canvas.setAttribute("aria-label", "The disc");
    view.append(canvas);
    new ResizeObserver(() => this.resize()).observe(view);
    addEventListener("keydown", (event) => {
      if (event.key in KEYS) {
        this.pressed.add(event.key);
      } else if (event.key === " " && !event.repeat) {
        this.jump();
      } else {
        return;
      }
      event.preventDefault();
    });
    addEventListener("keyup", (event) => this.pressed.delete(event.key));
    addEventListener("blur", () => this.pressed.clear());
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.finger = { x: event.offsetX, y: event.offsetY };
    };
    canvas.onpointermove = (event) => {
      this.finger = this.finger && { x: event.offsetX, y: event.offsetY };
    };
    canvas.onpointerup = canvas.onpointercancel = () => { this.finger = null; };
    byId("jump").onclick = () => this.jump();
  }

  private jump(): void {
    this.session.messages.say("jump", "", "logic").catch(() => {}); // too often: no jump
  }

  /** Where the player wants to move on the screen: the keys, or from the ball to the finger. */
  private wish(slot: number): readonly [number, number] {
    if (this.finger !== null) {
      this.project(slot, 0, 0, this.at);
      return [this.finger.x - this.at.x, this.finger.y - this.at.y];
    }
    return [...this.pressed].map((key) => KEYS[key]!)
      .reduce<readonly [number, number]>(([x, y], [dx, dy]) => [x + dx, y + dy], [0, 0]);
  }

  /** The screen position of the ball, moved by (x, 0, z). */
  private project(slot: number, x: number, z: number, out: Point): void {
    const { poses } = this;
    const i = slot * this.session.snapshots.stride;
    this.stage.control.project(poses[i]! + x, poses[i + 1]!, poses[i + 2]! + z, out);
  }

  /** Pushes the own ball where the player wants; sends only what has changed. */
  private steer(): void {
    const slot = this.ballOf(this.ownSession);
    if (slot < 0) {
      return;
    }
    if (slot !== this.owned) {
      this.owned = slot;
      this.session.acquire({ case: "body", value: slot }).catch(() => { this.owned = -1; });
    }
    const [right, down] = this.wish(slot);
    const [o, x, z] = [{ ...this.at }, { ...this.at }, { ...this.at }];
    this.project(slot, 0, 0, o);
    this.project(slot, 0.1, 0, x);
    this.project(slot, 0, 0.1, z);
    const [ax, ay, bx, by] = [x.x - o.x, x.y - o.y, z.x - o.x, z.y - o.y];
    const area = ax * by - ay * bx;
    const [wx, wz] = [(right * by - down * bx) / area, (down * ax - right * ay) / area];
    const length = Math.hypot(wx, wz);
    const turn = length > 0 ? Math.round(Math.atan2(wz, wx) * 32 / Math.PI) * Math.PI / 32 : null;
    const heading = turn === null ? "" : `${slot} ${turn.toFixed(3)}`;
    if (heading === this.heading) {
      return;
    }
    this.heading = heading;
    if (turn === null) {
      this.session.release(SLOT);
    } else {
      this.session.push(SLOT, slot, { x: FORCE * Math.cos(turn), y: 0, z: FORCE * Math.sin(turn) });
    }
  }

  // ---- the picture ----

  private resize(): void {
    const view = byId("view");
    this.stage.resize(view.clientWidth, view.clientHeight, devicePixelRatio);
  }

  private draw(): void {
    requestAnimationFrame(() => this.draw());
    if (this.scene !== null && this.session.sample(this.poses)) {
      this.frame.nowMs = performance.now();
      this.frame.poses = this.poses;
      this.steer();
      this.stage.draw(this.frame);
      this.showClock();
      const { level } = this.quality;
      this.quality.note(this.frame.nowMs, true);
      if (this.quality.level !== level) {
        this.stage.setQuality(QUALITIES[this.quality.level]!);
      }
    }
  }

  private players() {
    const { attributes, presence } = this.session;
    return (presence.get()?.people ?? []).flatMap(({ session, name }) => {
      const score = attributes.session(session).get("score");
      return typeof score === "bigint" ? [{ session, name, score }] : [];
    }).sort((a, b) => Number(b.score - a.score));
  }

  private showBoard(): void {
    const colors = this.scene === null ? [] : sceneColors(this.scene);
    byId("scores").replaceChildren(...this.players().map(({ session, name, score }) => {
      const row = document.createElement("li");
      const [label, dot] = [document.createElement("span"), document.createElement("i")];
      const color = colors[this.ballOf(session)] ?? [0.5, 0.5, 0.5];
      dot.style.background = `rgb(${color.map((part) => Math.round(part * 255)).join(" ")})`;
      row.classList.toggle("own", session === this.ownSession);
      label.append(dot, name);
      row.append(label, String(score));
      return row;
    }));
  }

  private showClock(): void {
    const { world } = this.session.attributes;
    const rate = this.session.status.get()?.tickRate || 60;
    const left = (Number(world.get("ends") ?? 0) - this.session.snapshots.shownTick) / rate;
    const isOver = world.get("isOver") === true;
    const round = String(world.get("round") ?? "");
    byId("clock").textContent = round === "" ? "Waiting for the rules" :
      isOver ? `Round ${round} is over` : `Round ${round}: ${Math.max(0, Math.ceil(left))} s`;
    byId("banner").textContent = isOver ? `${String(world.get("result"))} wins` : "";
  }

  private tell({ channel, content }: Message): void {
    if (channel === "feed" && typeof content === "string") {
      this.tellFeed(content);
    }
  }

  private tellFeed(text: string): void {
    const row = document.createElement("li");
    row.textContent = text;
    byId("feed").prepend(row);
    setTimeout(() => row.remove(), FEED_MS);
  }
}
