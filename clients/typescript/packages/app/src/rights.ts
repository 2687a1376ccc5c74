/** rights.ts: what a role may do, so that the page offers no more (WIRE.md, "Roles"). */
import type { Session } from "@cairn/client";
import { Hello_Role as Role, WorldStatus_State } from "@cairn/protocol";

/** Each may do what the one before may, and more. */
const ORDER = [Role.OBSERVER, Role.PLAYER, Role.INSTRUCTOR, Role.OPERATOR];

const NAMES: Partial<Record<Role, string>> = {
  [Role.OBSERVER]: "observer",
  [Role.PLAYER]: "player",
  [Role.INSTRUCTOR]: "instructor",
  [Role.OPERATOR]: "operator",
};

export interface Rights {
  /** For people; "" before there is one. */
  role: string;
  push: boolean;
  control: boolean;
  load: boolean;
}

export function rightsOf(role: Role): Rights {
  const rank = ORDER.indexOf(role);
  return {
    role: NAMES[role] ?? "",
    push: rank >= ORDER.indexOf(Role.PLAYER),
    control: rank >= ORDER.indexOf(Role.INSTRUCTOR),
    load: rank >= ORDER.indexOf(Role.OPERATOR),
  };
}

/** What has been can not be changed. */
export function isPast(session: Pick<Session, "status">): boolean {
  return session.status.get()?.state === WorldStatus_State.REPLAY;
}

/** Whether hands and keys move bodies. */
export function mayPush(session: Pick<Session, "role" | "status">): boolean {
  return rightsOf(session.role.get()).push && !isPast(session);
}
