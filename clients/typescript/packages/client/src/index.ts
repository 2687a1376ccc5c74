/** index.ts: a page's side of a session with the daemon. */
export * from "./store";
export * from "./backoff";
export * from "./rate_meter";
export * from "./server_clock";
export * from "./input_tick";
export * from "./turn";
export * from "./snapshot_buffer";
export * from "./initial_poses";
export * from "./contact_buffer";
export * from "./action_buffer";
export * from "./leases";
export * from "./connection";
export * from "./drag_action";
export * from "./session";
export * from "./directory";
export * from "./stability";
export { FrameQueue, QUEUE_SIZE_MAX } from "./frame_queue";
export { openerInWorker, type WorkerLike, type ToWorker, type FromWorker } from "./worker_socket";
