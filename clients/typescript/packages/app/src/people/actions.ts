/** actions.ts: draws the inputs of people on bodies, each in its person's colour. */
import type { Session } from "@cairn/client";
import { ActionFrame_Kind, type Tick } from "@cairn/protocol";
import { type ShownAction, personColor } from "@cairn/view";
import { hue, ownSession } from "./people";

const SHOWN_KINDS: ReadonlySet<ActionFrame_Kind> =
  new Set([ActionFrame_Kind.FORCE, ActionFrame_Kind.DRAG]);

/** This page's own drags are drawn separately, with a spring that follows the pointer. */
export function shownActions(session: Session, tick: Tick): ShownAction[] {
  const own = ownSession(session);
  return session.actions.at(tick).flatMap((action) => {
    const { point, vector, to } = action;
    if (!SHOWN_KINDS.has(action.kind) || point === undefined || vector === undefined) {
      return [];
    }
    return [{
      x: point.x, y: point.y, z: point.z,
      forceX: vector.x, forceY: vector.y, forceZ: vector.z,
      to: to === undefined || action.session === own ? null : to,
      color: personColor(hue(action.session)),
    }];
  });
}
