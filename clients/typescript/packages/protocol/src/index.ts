/** index.ts: the wire format for the page; this package does not need a browser. */
export * from "../generated/cairn/v1/scene_pb";
export * from "../generated/cairn/v1/world_pb";
export * from "../generated/cairn/v1/room_pb";
export * from "../generated/cairn/v1/wire_pb";
export * from "./units";
export * from "./wire_reader";
export * from "./columns";
export * from "./delta_columns";
export * from "./delta";
export * from "./contact_delta_columns";
export * from "./contact_delta";
export * from "./placed_contacts";
export * from "./server_frame";
export * from "./scene";
export * from "./changed";
export * from "./chunks";
export * from "./view_hash";
