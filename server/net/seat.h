/*
 * seat.h: a connection's seat: its session, its world, and messages that wait to be sent.
 *
 * Answers and other messages that must arrive are queued, within SV_QUEUE_SIZE_MAX; the frames of a
 * tick are not: a client that is behind gets the newest when it can take something again.
 *
 * The gateway's data stands here too, because every seat belongs to it.  The functions of this file
 * act on one seat; ticks, transfers and messages of clients are in the modules above it.
 *
 * Threads: the network thread only.
 */
#ifndef SERVER_NET_SEAT_H
#define SERVER_NET_SEAT_H

#include "server/base/random.h"
#include "server/host/host.h"
#include "server/net/pace.h"
#include "server/net/quota.h"
#include "server/net/transport.h"
#include "server/session/audit.h"
#include "server/session/session.h"
#include "server/snapshot/view.h"

struct sv_gateway;
struct sv_lobby;

#define SV_DURABLE_NEXT_MAX 8

/*
 * The members that every tick reads come first, up to the session's number: a tick for thousands of
 * clients spends most of its time waiting for memory.
 */
struct sv_seat {
    struct sv_gateway *gateway;
    struct sv_connection *connection; /* NULL: the seat is free, or its session is away */
    struct sv_host_world *world; /* joined or joining, else NULL; set by sv_seat_enter */
    uint32_t index;
    uint32_t generation;         /* of the last Joined that was sent */
    bool is_joined;              /* all of the Joined has been sent */
    bool is_closing;
    bool is_busy;                /* the transport has refused; `writable` will be called */
    bool is_behind;              /* the newest publication has not been sent */
    bool is_told; /* within sv_fanout_publish: its tick contained the messages to all */
    bool is_slow;                /* it is being closed because it is too slow */
    uint8_t slow_count;          /* successive windows in which it got too little */
    bool is_new;                 /* no Hello yet */
    bool is_sent_bound;          /* a quota counts bytes sent to it, */
    bool is_received_bound;      /* and bytes received from it */
    bool has_image;              /* its last Joined had an image: it is sent deeds */
    uint64_t told_applied;       /* mode DEEDS: the last input that a TickHeader has confirmed */
    bool is_away;                /* its connection has died; see away.h */
    int queue_count, queue_capacity;
    uint32_t due_count, sent_count; /* ticks in this window: due for it, and sent */
    uint32_t told_rate_hz;       /* the rate in the last TickHeader that had one */
    uint32_t epoch;              /* grows when the client asks for everything again */
    uint32_t events_series;      /* the series whose events it has been sent so far; 0: none */
    uint64_t events_seen;        /* how many of them were sent, or reported as lost */
    uint64_t window_ns;          /* when the window began */
    struct sv_attributes *attributes; /* the last ones sent; NULL: none */
    struct sv_buffer *contacts;  /* the last ones sent; the same contacts are not sent again */
    struct wire_contacts *contact_base; /* sent last as a ContactDelta; NULL: none */
    uint64_t contact_tick;       /* the last tick for which it was asked whether to send one */
    struct wire_state *baselines[2]; /* sent last as deltas, newest first; not yet acknowledged */
    struct sv_pace pace;
    struct sv_session session;
    struct sv_owner owner;       /* by its token, or else by its network */
    struct sv_seat *world_previous, *world_next; /* links of the world's list */
    /* links of the gateway's list of new ones, or of those away */
    struct sv_seat *new_previous, *new_next;
    uint64_t away_ns;            /* since when */
    struct sv_lobby *lobby;      /* the rooms that it is shown (lobby.h); NULL: it did not ask */
    unsigned given;              /* the serial of a world made for it while it was away; 0: none */
    struct sv_durable {
        uint64_t seq; /* the last input that no crash can undo */
        uint64_t told; /* the number in its last TickHeader */
        uint64_t tick, told_tick; /* the same for ticks */
        /*
         * Later ones, with the ticket of the lane that makes them durable: SV_DURABLE_NEXT_MAX of
         * them, from the first input on; else NULL.
         */
        struct sv_durable_next {
            uint64_t ticket, seq;
        } *next;
        int next_count;
    } durable;
    struct sv_transfer *transfer; /* of a Joined that is being sent in parts; see transfer.h */
    uint32_t transfer_count;      /* transfers begun on this connection */
    struct sv_buffer **queue; /* framed, oldest first */
    size_t queue_size;
};

/* A LEAVE for which the worker's ring had no room; it is tried again. */
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
    struct sv_access access; /* verifies tokens; everything is allowed unless its keys are set */
    unsigned message_rate;   /* of each session [1/s] */
    unsigned say_rate;       /* messages of it to others [1/s] */
    struct sv_role_rates role_rates;
    bool may_observers_say;
    uint64_t expires_ns;     /* no session's token ends before this; 0: none ends */
    struct sv_quotas *quotas; /* NULL: no limits */
    struct sv_rooms *rooms;   /* NULL: there are no rooms */
    uint64_t lobbies_ns;      /* when the lobbies were looked at last */
    struct sv_audit *audit;  /* NULL: orders are not logged */
    uint32_t order;          /* the order being carried out, or 0 */
    struct sv_view_tools tools;
    struct sv_seat **seats;
    int seat_count, seats_max; /* indices that have been used, and all */
    uint32_t *free_seats;      /* indices that are free again, as a stack */
    int free_count;
    /* seats without a Hello yet, in the order of their opening */
    struct sv_seat *new_first, *new_last;
    struct sv_seat *away_first, *away_last; /* seats that are away, the longest first */
    struct sv_random random;              /* for tokens; the system's unless a test sets it */
    struct sv_transfer *transfers; /* in progress, newest first */
    struct sv_owed_leave *owed;
    int owed_count, owed_capacity;
    bool is_stopping;

    /* Reports for requests of HTTP. */
    void (*http_reported)(
        void *context, struct sv_host_world *world, const struct sv_report *report);
    void *http_context;
};

struct sv_asker sv_seat_asker(const struct sv_seat *seat, uint32_t request);
const char *sv_seat_from(const struct sv_seat *seat); /* NULL: not known */

/* ---- sending ---- */

/* Sends or queues one framed message, and takes it; does nothing for NULL. */
void sv_seat_send(struct sv_seat *seat, struct sv_buffer *message_take);

/* Sends the queued messages, the oldest first.  False: the transport accepts no more now. */
bool sv_seat_flush(struct sv_seat *seat);

void sv_seat_close(struct sv_seat *seat, uint16_t code, const char *reason);
void sv_seat_reject(
    struct sv_seat *seat, uint32_t request, uint64_t seq, const struct wire_error *error);
/* A ControlDone. */
void sv_seat_done(struct sv_seat *seat, uint32_t request, const char *world, uint32_t waiting);

/* Whether its quota allows more to be sent; and counts what has been sent. */
bool sv_seat_may_send(const struct sv_seat *seat);
void sv_seat_charge_sent(const struct sv_seat *seat, size_t size);

/* ---- lists ---- */

/* Adds the seat to the list of seats without a Hello, and removes it, if it is on it. */
void sv_seat_await_hello(struct sv_seat *seat);
void sv_seat_greeted(struct sv_seat *seat);

/* The same for the list of sessions that are away, the longest first. */
void sv_seat_await_return(struct sv_seat *seat);
void sv_seat_returned(struct sv_seat *seat);

/* ---- the states that a client has, and its rate ---- */

/* The client has joined, left or subscribed: forgets all that it was sent. */
void sv_seat_forget_shown(struct sv_seat *seat);

/* Forgets the states that the next delta could begin from. */
void sv_seat_forget_baselines(struct sv_seat *seat);

/* Stores the contacts that the client has, from which the next ContactDelta begins; or NULL. */
void sv_seat_set_contacts(struct sv_seat *seat, struct wire_contacts *contacts);

/* Sets the rate that the client wishes for, 0 for all ticks, and forgets its measured lag. */
void sv_seat_set_rate(struct sv_seat *seat, uint32_t wish_hz);

/* The client has acknowledged this tick. */
void sv_seat_acked(struct sv_seat *seat, uint64_t tick);

#endif
