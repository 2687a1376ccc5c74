/*
 * gateway.h: brings connections, sessions and worlds together, on the network thread.
 *
 * For every connection a seat: its session, the world that it is in, what waits to be sent.
 * Answers and other messages that must arrive are queued, within SV_QUEUE_SIZE_MAX; the frames of
 * a tick are not: a client that is behind gets the newest when it can take something again.
 */
#ifndef SERVER_NET_GATEWAY_H
#define SERVER_NET_GATEWAY_H

#include "server/host/host.h"
#include "server/base/random.h"
#include "server/net/pace.h"
#include "server/net/transport.h"
#include "server/session/session.h"
#include "server/snapshot/view.h"

struct sv_gateway;

#define SV_DURABLE_NEXT_MAX 8

/*
 * First what every tick looks at, up to the session's number: a tick for thousands waits for
 * memory more than for anything else that is ours.
 */
struct sv_seat {
    struct sv_gateway *gateway;
    struct sv_connection *connection; /* NULL: nobody sits here */
    struct sv_host_world *world; /* joined or joining, else NULL: set by sv_seat_enter */
    uint32_t index;
    uint32_t generation;         /* of the last Joined that was sent */
    bool is_joined;              /* the Joined has been sent, all of it */
    bool is_closing;
    bool is_busy;                /* the transport has refused; `writable` will come */
    bool is_behind;              /* the newest publication has not been sent */
    bool is_told;                /* within sv_fanout_publish: its tick had what is said to all */
    bool is_slow;                /* and that is why it is closing */
    uint8_t slow_count;          /* windows in a row in which it got too little */
    bool is_new;                 /* no Hello yet */
    bool is_away;                /* its connection has died; see away.h */
    int queue_count, queue_capacity;
    uint32_t due_count, sent_count; /* ticks in this window: for it, and sent */
    uint32_t told_rate_hz;       /* in its last TickHeader that had one */
    uint32_t epoch;              /* grows when it asks to be shown everything anew */
    uint32_t events_series;      /* whose events it has been sent so far; 0: none's */
    uint64_t events_seen;        /* how many of them have been, or were said to be lost */
    uint64_t window_ns;          /* when it began */
    struct sv_buffer *contacts;  /* the last that were sent; the same ones are not sent again */
    struct wire_state *baselines[2]; /* the last that were sent as deltas, the newest first */
    struct sv_pace pace;
    struct sv_session session;
    struct sv_seat *world_previous, *world_next; /* in the world's list */
    struct sv_seat *new_previous, *new_next; /* in the gateway's of the new, or of the away */
    uint64_t away_ns;            /* since when */
    unsigned given;              /* the serial of a world that it got while it was away; 0: none */
    struct sv_durable {
        uint64_t seq; /* the last input that no crash can lose */
        uint64_t told; /* what its last TickHeader said */
        struct {
            uint64_t ticket, seq;
        } next[SV_DURABLE_NEXT_MAX]; /* those that follow, once the lane has come so far */
        int next_count;
    } durable;
    struct sv_transfer *transfer; /* of a Joined that is on its way; see transfer.h */
    uint32_t transfer_count;      /* that have begun on this connection */
    struct sv_buffer **queue; /* framed, oldest first */
    size_t queue_size;
};

/* A LEAVE for which the worker's ring had no room; tried again. */
struct sv_owed_leave {
    struct sv_host_world *world;
    uint64_t session;
    uint32_t seat;
};

struct sv_gateway {
    struct sv_host *host;
    struct sv_transport transport;
    struct sv_clock clock;
    struct sv_log *log;
    struct sv_metrics *metrics;
    const char *server_name; /* program and version */
    struct sv_access access; /* whose tokens are good; open unless its keys are set */
    uint64_t expires_ns;     /* the first session ends then, at the earliest; 0: none does */
    struct sv_view_tools tools;
    struct sv_seat **seats;
    int seat_count, seats_max; /* indices that have been used, and all */
    uint32_t *free_seats;      /* of those that have been used, the last that was left on top */
    int free_count;
    struct sv_seat *new_first, *new_last; /* no Hello yet, in the order of their opening */
    struct sv_seat *away_first, *away_last; /* in the order of their going */
    struct sv_random random;              /* of tokens; the system's unless a test sets it */
    struct sv_transfer *transfers; /* that are on their way, newest first */
    uint64_t session_count;
    struct sv_owed_leave *owed;
    int owed_count, owed_capacity;
    bool is_stopping;

    /* Reports that HTTP asked for, and none of ours. */
    void (*http_reported)(
        void *context, struct sv_host_world *world, const struct sv_report *report);
    void *http_context;
};

/* Hooks itself into the host's events. False when there is no memory. */
bool sv_gateway_init(struct sv_gateway *gateway, struct sv_host *host, struct sv_clock clock,
    struct sv_log *log, struct sv_metrics *metrics, const char *server_name, int clients_max);
void sv_gateway_finish(struct sv_gateway *gateway);

/* What the transport shall call. */
struct sv_transport_events sv_gateway_events(struct sv_gateway *gateway);

/* Fetches what the workers have made and sends it on; call after a worker's wake. */
void sv_gateway_poll(struct sv_gateway *gateway);

/* Closes sessions that are overdue, and tries owed letters again; call a few times a second. */
void sv_gateway_tend(struct sv_gateway *gateway);

/* Other keys are in force: ends the sessions whose tokens were signed by none of them. */
void sv_gateway_rekey(struct sv_gateway *gateway, const struct ac_keys *keys);

/* Closes every session with 1001 and refuses new ones. */
void sv_gateway_stop(struct sv_gateway *gateway);

/* ---- for gateway_messages.c, away.c and fanout.c ---- */

/* Frees the seat; of its world it is out before, and the worker has been told. */
void sv_seat_destroy(struct sv_seat *seat);

/* Frees what waits to be sent. */
void sv_seat_drop_queue(struct sv_seat *seat);

/* Into a world, out of the one before it; NULL: into none. The worker is not told. */
void sv_seat_enter(struct sv_seat *seat, struct sv_host_world *world);

/* Off the list of those without a Hello; nothing when it is not on it. */
void sv_seat_greeted(struct sv_seat *seat);

/* Sends or queues one framed message; takes it, NULL is nothing. */
void sv_seat_send(struct sv_seat *seat, struct sv_buffer *message_take);
void sv_seat_close(struct sv_seat *seat, uint16_t code, const char *reason);
void sv_seat_reject(
    struct sv_seat *seat, uint32_t request, uint64_t seq, const struct wire_error *error);
/* A ControlDone. */
void sv_seat_done(struct sv_seat *seat, uint32_t request, const char *world, uint32_t waiting);
void sv_seat_leave(struct sv_seat *seat);
void sv_seat_receive(struct sv_seat *seat, const uint8_t *bytes, size_t size);

/* Tells the seat's world what it has subscribed to; whether that is anything but the usual. */
void sv_seat_subscribe(struct sv_seat *seat);
bool sv_seat_has_subscribed(const struct sv_seat *seat);
struct sv_asker sv_seat_asker(const struct sv_seat *seat, uint32_t request);

/* Tells who is back of the world that was made for it meanwhile. */
void sv_seat_tell_given(struct sv_seat *seat);

/*
 * Those who are in the world, or on their way into it, and do not instruct.  Of more than
 * SV_FORK_EACH_MAX all are counted, and the first ones are named.
 */
struct sv_crowd;
void sv_gateway_gather(const struct sv_host_world *world, struct sv_crowd *crowd);

/* A worker's report: to the session that asked, to everybody in the world, or to HTTP. */
void sv_gateway_reported(
    void *context, struct sv_host_world *world, const struct sv_report *report);

#endif
