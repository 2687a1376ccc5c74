/** actions.ts: what people do to bodies, as it is drawn: in the colours of those who do it. */
import type { Session } from "@cairn/client";
import { ActionFrame_Kind, type Tick } from "@cairn/protocol";
import { type ShownAction, personColor } from "@cairn/view";
import { hue, ownSession } from "./people";

const SHOWN_KINDS: ReadonlySet<ActionFrame_Kind> =
  new Set([ActionFrame_Kind.FORCE, ActionFrame_Kind.DRAG]);

/** This page's own drags have a spring of their own, which follows the hand at once. */
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
