/** index.ts: programs that decide about a world; in Node, with the package ws. */
export * from "./logic";
export { EFFECTS_MAX, SAYS_MAX } from "./answer";
export type { AttributeMap, AttributeValue } from "../attributes";
export type { Message } from "../messages";
export { Lobby } from "../lobby";
export { RefusedError } from "../refused_error";
export { Rooms, joinRoom, propertiesOf } from "../rooms";
export { Body_Type, Hello_Role } from "@cairn/protocol";
