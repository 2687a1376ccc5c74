/**
 * pointer.ts: mouse, pen and fingers on the canvas.
 *
 *   - A pointer that is pressed on or near a body drags it by a spring.
 *   - Elsewhere one pointer moves a planar view and turns a spatial view.  In a spatial view
 *     another button, or Shift, moves it.
 *   - Two pointers move and zoom the view.
 *
 * Each drag has its own input slot.  In space a drag keeps its first distance from the eye.  A drag
 * takes a lease of its body and releases it at the end.  A body that another session holds cannot
 * be dragged.
 *
 * The spring depends on the body's mass m: stiffness m w^2 and damping 2 m w.  So it is critically
 * damped with the same quickness w for every body.  Under gravity g a body hangs g / w^2 below the
 * pointer.
 */
import { RefusedError, type Session } from "@cairn/client";
import type { Scene } from "@cairn/protocol";
import { type HeldDrag, type Point, type Stage, sceneMass } from "@cairn/view";
import { throttle } from "../base/throttle";
import { ownSession } from "../people/people";
import { mayPush } from "../people/rights";

const QUICKNESS = 6; // 1/s
const REACH_MOUSE = 26; // CSS pixels
const REACH_TOUCH = 44;
const SEND_INTERVAL_MS = 16;
const SLOT_COUNT = 16;
const WHEEL_ZOOM = 0.0015;

interface Drag extends HeldDrag {
  kind: "drag";
  slot: number;
  stiffness: number;
  damping: number;
  send(drag: Drag): void;
}

/** A pointer that moves the view. */
interface Pan {
  kind: "pan";
  turns: boolean;
  x: number;
  y: number;
}

export class Pointer {
  private readonly hands = new Map<number, Drag | Pan>();
  private scene: Scene | null = null;
  private readonly place: Point = { x: 0, y: 0, z: 0 };
  /** The present drags. */
  readonly drags: HeldDrag[] = [];
  /** Grows when the drawn drags change. */
  version = 0;

  constructor(
    private readonly stage: Stage,
    private readonly session: Session,
    private readonly poses: () => Float64Array,
    private readonly isSeen: (body: number) => boolean,
    /** The user tried to drag a body that another session holds. */
    private readonly onHeld: (body: number) => void,
    private readonly onTrouble: (error: Error) => void,
  ) {
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.onDown(event));
    canvas.addEventListener("pointermove", (event) => this.onMove(event));
    canvas.addEventListener("pointerup", (event) => this.onUp(event));
    canvas.addEventListener("pointercancel", (event) => this.onUp(event));
    canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", () => stage.control.home());
    session.leases.holds.subscribe(() => this.yieldToOthers());
  }

  /** A new Join, a reset and a load end all held inputs, so nothing is released here. */
  setScene(scene: Scene): void {
    this.hands.clear();
    this.drags.length = 0;
    this.scene = scene;
    this.version++;
  }

  /** After a change of the scene: ends the drags of removed bodies. */
  changeScene(scene: Scene): void {
    this.scene = scene;
    for (const [pointer, hand] of this.hands) {
      if (hand.kind === "drag" && scene.bodies[hand.body]?.absent !== false) {
        this.hands.delete(pointer);
        this.drags.splice(this.drags.indexOf(hand), 1);
      }
    }
    this.version++;
  }

  private grip(event: PointerEvent) {
    if (!mayPush(this.session)) {
      return null;
    }
    const reach = event.pointerType === "mouse" ? REACH_MOUSE : REACH_TOUCH;
    const grip = this.stage.grip(event.offsetX, event.offsetY, reach, this.poses());
    return grip !== null && this.isSeen(grip.body) ? grip : null;
  }

  private freeSlot(): number {
    const hands = [...this.hands.values()];
    const taken = new Set(hands.map((hand) => hand.kind === "drag" && hand.slot));
    for (let slot = 0; slot < SLOT_COUNT; slot++) {
      if (!taken.has(slot)) {
        return slot;
      }
    }
    return -1;
  }

  private onDown(event: PointerEvent): void {
    const { canvas, control, placing } = this.stage;
    canvas.setPointerCapture(event.pointerId);
    event.preventDefault();
    (document.activeElement as HTMLElement | null)?.blur();
    const grip = event.button === 0 ? this.grip(event) : null;
    if (grip !== null && this.isOthers(grip.body)) {
      this.onHeld(grip.body);
      return;
    }
    const slot = this.freeSlot();
    if (grip === null || slot < 0 || this.scene === null) {
      const turns = control.turns && event.button === 0 && !event.shiftKey;
      const pan: Pan = { kind: "pan", turns, x: event.offsetX, y: event.offsetY };
      this.hands.set(event.pointerId, pan);
      return;
    }
    const mass = sceneMass(this.scene, this.scene.bodies[grip.body]!);
    const { place } = this;
    placing.place(this.poses(), grip.body, grip.pointX, grip.pointY, grip.pointZ, place);
    control.carry(event.offsetX, event.offsetY, place, place);
    const drag: Drag = {
      ...grip,
      kind: "drag",
      slot,
      targetX: place.x,
      targetY: place.y,
      targetZ: place.z,
      stiffness: mass * QUICKNESS ** 2,
      damping: 2 * mass * QUICKNESS,
      send: throttle(SEND_INTERVAL_MS, (latest) => {
        if (this.hands.get(event.pointerId) === latest) {
          this.session.drag(latest.slot, latest);
        }
      }),
    };
    this.take(drag.body);
    this.hands.set(event.pointerId, drag);
    this.drags.push(drag);
    drag.send(drag);
    canvas.style.cursor = "grabbing";
    this.version++;
  }

  // ---- leases ----

  private isOthers(body: number): boolean {
    const hold = this.session.leases.holder({ case: "body", value: body });
    return hold !== null && hold.session !== ownSession(this.session);
  }

  /**
   * Starts the drag at once: the daemon gets the lease request first and grants or refuses both.
   */
  private take(body: number): void {
    if (this.drags.every((drag) => drag.body !== body)) {
      this.session.acquire({ case: "body", value: body }).catch((error: Error) => {
        this.drop((drag) => drag.body === body);
        if (error instanceof RefusedError && error.code === "LEASED") {
          this.onHeld(body);
        } else {
          this.onTrouble(error);
        }
      });
    }
  }

  private letGo(drag: Drag): void {
    this.session.release(drag.slot);
    this.drags.splice(this.drags.indexOf(drag), 1);
    if (this.drags.every((other) => other.body !== drag.body)) {
      this.session.letGo({ case: "body", value: drag.body }).catch(() => {
        // The connection is lost, so the lease has ended too.
      });
    }
    this.version++;
  }

  private drop(isDropped: (drag: Drag) => boolean): void {
    for (const [pointer, hand] of this.hands) {
      if (hand.kind === "drag" && isDropped(hand)) {
        this.hands.delete(pointer);
        this.letGo(hand);
      }
    }
  }

  /** An instructor may have taken the body, or the user released it without a connection. */
  private yieldToOthers(): void {
    this.drop((drag) => this.isOthers(drag.body));
    const own = ownSession(this.session);
    for (const { target, session } of this.session.leases.holds.get().values()) {
      const isDragged = this.drags.some((drag) => drag.body === target.value);
      if (session === own && target.case === "body" && !isDragged) {
        this.session.letGo(target).catch(() => {
          // As above.
        });
      }
    }
  }

  private onMove(event: PointerEvent): void {
    const hand = this.hands.get(event.pointerId);
    const { canvas } = this.stage;
    if (hand === undefined) {
      if (event.pointerType === "mouse") {
        const grip = this.grip(event);
        const free = grip === null ? "default" : "grab";
        canvas.style.cursor = grip !== null && this.isOthers(grip.body) ? "not-allowed" : free;
      }
    } else if (hand.kind === "drag") {
      this.moveDrag(hand, event);
    } else {
      this.movePan(hand, event);
    }
  }

  private moveDrag(drag: Drag, event: PointerEvent): void {
    const { place } = this;
    place.x = drag.targetX;
    place.y = drag.targetY;
    place.z = drag.targetZ;
    this.stage.control.carry(event.offsetX, event.offsetY, place, place);
    drag.targetX = place.x;
    drag.targetY = place.y;
    drag.targetZ = place.z;
    drag.send(drag);
    this.version++;
  }

  /** One pointer pans or turns.  Of two, each pans by half, and their distance zooms. */
  private movePan(hand: Pan, event: PointerEvent): void {
    const { control } = this.stage;
    const other = [...this.hands.values()].find((one) => one !== hand && one.kind === "pan");
    const dx = event.offsetX - hand.x;
    const dy = event.offsetY - hand.y;
    if (other === undefined || other.kind === "drag") {
      if (hand.turns) {
        control.turnBy(dx, dy);
      } else {
        control.panBy(dx, dy);
      }
    } else {
      const before = Math.hypot(hand.x - other.x, hand.y - other.y);
      const after = Math.hypot(event.offsetX - other.x, event.offsetY - other.y);
      control.panBy(dx / 2, dy / 2);
      const middleX = (event.offsetX + other.x) / 2;
      const middleY = (event.offsetY + other.y) / 2;
      control.zoomAt(middleX, middleY, before > 1 && after > 1 ? after / before : 1);
    }
    hand.x = event.offsetX;
    hand.y = event.offsetY;
  }

  private onUp(event: PointerEvent): void {
    const hand = this.hands.get(event.pointerId);
    this.hands.delete(event.pointerId);
    if (hand?.kind === "drag") {
      this.letGo(hand);
      this.stage.canvas.style.cursor = "default";
    }
  }

  private onWheel(event: WheelEvent): void {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const factor = Math.exp(-event.deltaY * lines * WHEEL_ZOOM);
    this.stage.control.zoomAt(event.offsetX, event.offsetY, factor);
  }
}
