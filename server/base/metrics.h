/*
 * metrics.h: the daemon's metrics, two tables.
 *
 * /metrics and the manual iterate the tables.  Counters only grow; gauges go up and down; a
 * histogram counts how many values were at most as large as each of its scale's bounds.  Messages
 * that are refused are counted by code, SV_REJECTED_METRIC{code="..."}: one line for each code,
 * even at 0, so that the first one is an increase.
 * Threads: any thread adds; relaxed atomics, so sums of different metrics need not agree.
 */
#ifndef SERVER_BASE_METRICS_H
#define SERVER_BASE_METRICS_H

#include "proto/wire.h"

#include <stdatomic.h>
#include <stdint.h>

/* Member, Prometheus type, Prometheus name, description. */
#define SV_METRIC_TABLE(X)                                                                         \
    X(clients, "gauge", "cairn_clients", "WebSocket sessions that are open")                       \
    X(clients_away, "gauge", "cairn_clients_away", "sessions whose connection has died, kept")     \
    X(resumed, "counter", "cairn_sessions_resumed_total", "sessions taken up again")               \
    X(connections, "gauge", "cairn_connections", "sockets that are open, HTTP included")           \
    X(connections_refused, "counter", "cairn_connections_refused_total",                           \
        "connections closed at accept, or answered with CAPACITY, for want of room")               \
    X(refused_blocked, "counter", "cairn_connections_refused_blocked_total",                       \
        "connections closed at accept after too many bad tokens of their network")                 \
    X(refused_many, "counter", "cairn_connections_refused_many_total",                             \
        "connections closed at accept for too many of their network at once")                      \
    X(refused_often, "counter", "cairn_connections_refused_often_total",                           \
        "connections closed at accept for too many new ones of their network")                     \
    X(refused_table, "counter", "cairn_connections_refused_table_total",                           \
        "connections closed at accept for want of room to count their network")                    \
    X(networks_blocked, "counter", "cairn_networks_blocked_total",                                 \
        "networks blocked for too many bad tokens")                                                \
    X(strangers_closed, "counter", "cairn_strangers_closed_total",                                 \
        "connections without an accepted Hello that were closed for newer ones")                   \
    X(accept_pauses, "counter", "cairn_accept_pauses_total",                                       \
        "times that new connections were left waiting in the kernel")                              \
    X(heads_refused, "counter", "cairn_requests_malformed_total",                                  \
        "requests whose head is no HTTP/1.1, or could be read in two ways")                        \
    X(frames_refused, "counter", "cairn_frames_refused_total",                                     \
        "sessions closed for a WebSocket frame against the protocol or too large")                 \
    X(proxies_refused, "counter", "cairn_proxy_connections_refused_total",                         \
        "connections of a proxy without a good header of the PROXY protocol")                      \
    X(handshakes_refused, "counter", "cairn_handshakes_refused_total",                             \
        "WebSocket handshakes refused: host, origin, version, protocol")                           \
    X(tokens_refused, "counter", "cairn_tokens_refused_total",                                     \
        "sessions and requests refused for want of a good token")                                  \
    X(quota_refused, "counter", "cairn_quota_refused_total",                                       \
        "orders, messages and requests refused by the quota of a session, token or tenant")        \
    X(quota_ticks, "counter", "cairn_quota_ticks_total",                                           \
        "ticks that a client was not sent because of a quota of bytes")                            \
    X(audit_left_out, "counter", "cairn_audit_left_out_total",                                     \
        "lines of the audit that were not written: too many at once, or no room on the disk")      \
    X(deadlines, "counter", "cairn_deadlines_total", "requests and handshakes that took too long") \
    X(worlds_refused, "counter", "cairn_worlds_refused_total",                                     \
        "worlds that were not made because all workers are busy")                                  \
    X(joins_refused, "counter", "cairn_joins_refused_total",                                       \
        "joins that were refused because their world can not keep up")                             \
    X(ping_floods, "counter", "cairn_ping_floods_total",                                           \
        "sessions closed for too many pings")                                                      \
    X(requests, "counter", "cairn_http_requests_total", "HTTP requests that were answered")        \
    X(messages_in, "counter", "cairn_messages_in_total", "WebSocket messages received")            \
    X(bytes_in, "counter", "cairn_message_bytes_in_total", "bytes of messages received")           \
    X(messages_out, "counter", "cairn_messages_out_total", "WebSocket messages sent")              \
    X(bytes_out, "counter", "cairn_message_bytes_out_total", "bytes of messages sent")             \
    X(closed_by_us, "counter", "cairn_sessions_closed_total", "sessions that the daemon closed")   \
    X(slow_closed, "counter", "cairn_sessions_slow_closed_total",                                  \
        "sessions closed because they took less than two ticks a second")                          \
    X(frames_skipped, "counter", "cairn_frames_skipped_total",                                     \
        "ticks that a slow client did not get because a newer one was there")                      \
    X(frames_left_out, "counter", "cairn_frames_left_out_total",                                   \
        "ticks that a client did not get because of its rate")                                     \
    X(clients_half_rate, "gauge", "cairn_clients_half_rate",                                       \
        "clients that lag behind and are sent every second tick")                                  \
    X(clients_third_rate, "gauge", "cairn_clients_third_rate",                                     \
        "clients that lag further behind and are sent every third tick")                           \
    X(deltas_filled, "counter", "cairn_deltas_filled_total",                                       \
        "messages of snapshots that the network thread had to make itself")                        \
    X(images, "counter", "cairn_images_total", "images sent to clients that run the engine")       \
    X(desyncs, "counter", "cairn_desyncs_total",                                                   \
        "times that a client's engine had another state hash than its world")                      \
    X(inputs, "counter", "cairn_inputs_total", "inputs applied to worlds")                         \
    X(said, "counter", "cairn_said_total", "messages of members and logics")                       \
    X(logics, "gauge", "cairn_logics", "worlds whose logic is connected")                          \
    X(logic_ticks, "counter", "cairn_logic_ticks_total", "LogicTicks sent")                        \
    X(logic_late, "counter", "cairn_logic_late_total",                                             \
        "ticks that did not wait any longer for the answer of their logic")                        \
    X(logic_effects, "counter", "cairn_logic_effects_total", "effects of logics that have acted")  \
    X(logic_refused, "counter", "cairn_logic_refused_total", "effects of logics, refused")         \
    X(ticks, "counter", "cairn_ticks_total", "ticks stepped, all worlds")                          \
    X(ticks_late, "counter", "cairn_ticks_late_total",                                             \
        "ticks that a world's clock lost because they could not be computed in time")              \
    X(ticks_starved, "counter", "cairn_ticks_starved_total",                                       \
        "times that a tick found no memory and was put off")                                       \
    X(explosions, "counter", "cairn_explosions_total",                                             \
        "times that bodies of a world moved faster without a cause, and were frozen")              \
    X(bodies_frozen, "counter", "cairn_bodies_frozen_total", "bodies that were frozen so")         \
    X(scrub_passes, "counter", "cairn_scrub_passes_total",                                         \
        "times that all that is stored has been read and compared with its checks")                \
    X(scrub_bytes, "counter", "cairn_scrub_bytes_total", "bytes that were read so")                \
    X(scrub_finds, "counter", "cairn_scrub_damage_found_total",                                    \
        "checkpoints, commits and scenes that were found to be damaged")                           \
    X(scrub_mended, "counter", "cairn_scrub_damage_mended_total",                                  \
        "damaged checkpoints that fresh ones have replaced")                                       \
    X(scrub_damaged, "gauge", "cairn_scrub_damaged", "what the last pass has found to be damaged") \
    X(rooms, "gauge", "cairn_rooms", "rooms that exist")                                           \
    X(rooms_made, "counter", "cairn_rooms_made_total", "rooms that were made")                     \
    X(seats_given, "counter", "cairn_seats_given_total", "seats in rooms that were given")         \
    X(hooks_waiting, "gauge", "cairn_webhook_events_waiting",                                      \
        "events of rooms that the webhook has not confirmed")                                      \
    X(hooks_delivered, "counter", "cairn_webhook_events_delivered_total",                          \
        "events of rooms that the webhook has confirmed")                                          \
    X(hooks_failed, "counter", "cairn_webhook_attempts_failed_total",                              \
        "times that the webhook did not confirm an event")                                         \
    X(worlds, "gauge", "cairn_worlds", "worlds that exist")

/* Member, scale, Prometheus name, description. */
#define SV_HISTOGRAM_TABLE(X)                                                                      \
    X(tick_ns, DURATION, "cairn_tick_duration_seconds", "time spent stepping one tick of a world") \
    X(tick_delay_ns, DURATION, "cairn_tick_delay_seconds",                                         \
        "time from when a tick of a world is due until it is done")                                \
    X(snapshot_bytes, SIZE, "cairn_snapshot_size_bytes",                                           \
        "size of each message that shows bodies to clients that share it, when made")              \
    X(contact_bytes, SIZE, "cairn_contact_delta_size_bytes",                                       \
        "size of each ContactDelta to clients that share it, when made")                           \
    X(fanout_ns, DURATION, "cairn_fanout_duration_seconds",                                        \
        "time spent handing one tick of a world to the sockets of its clients")                    \
    X(commit_ns, DURATION, "cairn_commit_duration_seconds",                                        \
        "time that a commit of all worlds' records takes, until it is durable")                    \
    X(sent_ns, DURATION, "cairn_publication_to_sent_seconds",                                      \
        "time from the end of a tick of a world to its last send")                                 \
    X(logic_answer_ns, DURATION, "cairn_logic_answer_seconds",                                     \
        "time from a LogicTick, in its worker, to the answer there")                               \
    X(logic_wait_ns, DURATION, "cairn_logic_wait_seconds",                                         \
        "time that a due tick waited for the answer of its logic")                                 \
    X(input_lateness, TICKS, "cairn_input_lateness_ticks",                                         \
        "ticks from the one that a client showed to the one before which its input acts")

#define SV_REJECTED_METRIC "cairn_messages_rejected_total"

/* Scale, the size of an observed unit in printed units, ascending bounds. */
#define SV_SCALE_TABLE(X)                                                                          \
    X(DURATION, 1e-9 /* ns, s */, 10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000,   \
        5000000, 10000000, 16600000, 25000000, 50000000, 100000000, 250000000, 500000000,          \
        1000000000)                                                                                \
    X(SIZE, 1.0 /* B */, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072,   \
        262144, 1048576)                                                                           \
    X(TICKS, 1.0, 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128)

enum sv_scale {
#define X(name, unit, ...) SV_SCALE_##name,
    SV_SCALE_TABLE(X)
#undef X
        SV_SCALE_COUNT
};

#define SV_BOUNDS_MAX 20

struct sv_histogram {
    _Atomic uint64_t counts[SV_BOUNDS_MAX + 1]; /* values up to each bound; the last: above all */
    _Atomic uint64_t sum;
};

struct sv_metrics {
#define X(member, type, name, text) _Atomic uint64_t member;
    SV_METRIC_TABLE(X)
#undef X
#define X(member, scale, name, text) struct sv_histogram member;
    SV_HISTOGRAM_TABLE(X)
#undef X
    _Atomic uint64_t rejected[WIRE_CODES]; /* messages of sessions, by Rejected.error.code */
};

#define SV_COUNT(metrics, member, amount)                                                          \
    ((void)atomic_fetch_add_explicit(                                                              \
        &(metrics)->member, (uint64_t)(amount), memory_order_relaxed))
#define SV_UNCOUNT(metrics, member, amount)                                                        \
    ((void)atomic_fetch_sub_explicit(                                                              \
        &(metrics)->member, (uint64_t)(amount), memory_order_relaxed))

enum {
#define X(member, scale, name, text) SV_SCALE_OF_##member = SV_SCALE_##scale,
    SV_HISTOGRAM_TABLE(X)
#undef X
};
#define SV_OBSERVE(metrics, member, value)                                                         \
    sv_histogram_observe(                                                                          \
        &(metrics)->member, (enum sv_scale)SV_SCALE_OF_##member, (uint64_t)(value))

void sv_histogram_observe(struct sv_histogram *histogram, enum sv_scale scale, uint64_t value);

/*
 * Prints all metrics in Prometheus' text format; the caller frees the text.  NULL without memory.
 */
char *sv_metrics_print(const struct sv_metrics *metrics);

#endif
