/*
 * metrics.h: what the daemon counts, one table.
 *
 * /metrics and the manual iterate the table.  Counters only grow; gauges go up and down.
 * Threads: any thread adds; relaxed atomics, so sums of different metrics need not agree.
 */
#ifndef SERVER_BASE_METRICS_H
#define SERVER_BASE_METRICS_H

#include <stdatomic.h>
#include <stdint.h>

/* Member, Prometheus type, Prometheus name, what it counts. */
#define SV_METRIC_TABLE(X)                                                                         \
    X(clients, "gauge", "cairn_clients", "WebSocket sessions that are open")                       \
    X(connections, "gauge", "cairn_connections", "sockets that are open, HTTP included")           \
    X(connections_refused, "counter", "cairn_connections_refused_total",                           \
        "connections closed at accept for want of room")                                           \
    X(handshakes_refused, "counter", "cairn_handshakes_refused_total",                             \
        "WebSocket handshakes refused: host, origin, version, protocol")                           \
    X(deadlines, "counter", "cairn_deadlines_total", "requests and handshakes that took too long") \
    X(requests, "counter", "cairn_http_requests_total", "HTTP requests that were answered")        \
    X(messages_in, "counter", "cairn_messages_in_total", "WebSocket messages received")            \
    X(bytes_in, "counter", "cairn_message_bytes_in_total", "bytes of messages received")           \
    X(messages_out, "counter", "cairn_messages_out_total", "WebSocket messages sent")              \
    X(bytes_out, "counter", "cairn_message_bytes_out_total", "bytes of messages sent")             \
    X(rejected, "counter", "cairn_messages_rejected_total", "messages refused by name")            \
    X(closed_by_us, "counter", "cairn_sessions_closed_total", "sessions that the daemon closed")   \
    X(frames_skipped, "counter", "cairn_frames_skipped_total",                                     \
        "ticks that a slow client did not get because a newer one was there")                      \
    X(inputs, "counter", "cairn_inputs_total", "inputs applied to worlds")                         \
    X(ticks, "counter", "cairn_ticks_total", "ticks stepped, all worlds")                          \
    X(ticks_late, "counter", "cairn_ticks_late_total",                                             \
        "ticks that a world's clock lost because they could not be computed in time")              \
    X(step_ns, "counter", "cairn_step_nanoseconds_total", "time spent stepping, all worlds")       \
    X(worlds, "gauge", "cairn_worlds", "worlds that exist")

struct sv_metrics {
#define X(member, type, name, text) _Atomic uint64_t member;
    SV_METRIC_TABLE(X)
#undef X
};

#define SV_COUNT(metrics, member, amount)                                                          \
    ((void)atomic_fetch_add_explicit(                                                              \
        &(metrics)->member, (uint64_t)(amount), memory_order_relaxed))
#define SV_UNCOUNT(metrics, member, amount)                                                        \
    ((void)atomic_fetch_sub_explicit(                                                              \
        &(metrics)->member, (uint64_t)(amount), memory_order_relaxed))

/* In Prometheus' text format; free with free. NULL when there is no memory. */
char *sv_metrics_print(const struct sv_metrics *metrics);

#endif
