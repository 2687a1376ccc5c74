/** rights.ts: the actions that a role allows; the page offers only these (WIRE.md, "Roles"). */
import type { Session } from "@cairn/client";
import { Hello_Role as Role, WorldStatus_State } from "@cairn/protocol";

/** Each role may do what the role before it may, and more. */
const ORDER = [Role.OBSERVER, Role.PLAYER, Role.INSTRUCTOR, Role.OPERATOR];

const NAMES: Partial<Record<Role, string>> = {
  [Role.OBSERVER]: "observer",
  [Role.PLAYER]: "player",
  [Role.INSTRUCTOR]: "instructor",
  [Role.OPERATOR]: "operator",
};

export interface Rights {
  /** The role's name for users; "" before the Welcome. */
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

/** Nobody can change a replay. */
export function isPast(session: Pick<Session, "status">): boolean {
  return session.status.get()?.state === WorldStatus_State.REPLAY;
}

/** Whether pointer and keys may move bodies. */
export function mayPush(session: Pick<Session, "role" | "status">): boolean {
  return rightsOf(session.role.get()).push && !isPast(session);
}
