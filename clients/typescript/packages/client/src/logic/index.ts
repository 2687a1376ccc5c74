/** index.ts: programs that decide about a world; in Node, with the package ws. */
export * from "./logic";
export { EFFECTS_MAX, SAYS_MAX } from "./answer";
export type { AttributeMap, AttributeValue } from "../attributes";
export type { Message } from "../messages";
export { RefusedError } from "../refused_error";
export { Body_Type, Hello_Role } from "@cairn/protocol";
