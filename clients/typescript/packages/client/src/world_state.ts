/** world_state.ts: the world of a session, from its Join to its end. */
export type WorldState =
  | { kind: "none" }
  | { kind: "joining"; world: string }
  | { kind: "joined"; world: string }
  | { kind: "gone"; world: string; code: string; text: string };
