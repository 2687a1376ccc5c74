/*
 * message.h: everything that the network thread and a worker say to each other.
 *
 * The network thread sends messages to workers; workers send reports back.  Both are values in a
 * bounded ring.  A large or rare part hangs on a pointer, which the receiver takes over.  The
 * frames of a tick do not go through the rings: a world puts its newest publication into its
 * mailbox, where it replaces an older one that was not fetched yet (latest wins, no queue grows).
 *
 * A message of the wire protocol (wire.proto) is another thing: here it is `struct wire_*`, or, as
 * encoded bytes, a `struct sv_buffer`.
 *
 * Ownership: a mailbox belongs to the network thread, which frees it after the worker's REMOVED.
 */
#ifndef SERVER_MAIL_MESSAGE_H
#define SERVER_MAIL_MESSAGE_H

#include "proto/codec.h"
#include "proto/scene_live.h"
#include "server/base/buffer.h"
#include "deed/kept.h"
#include "server/mail/scene.h"
#include "server/mail/seed.h"

#include <stdatomic.h>

struct sv_publication;

/* The place from which the network thread fetches a world's newest publication. */
struct sv_mailbox {
    char id[WIRE_NAME_SIZE];
    _Atomic(struct sv_publication *) newest; /* the thread that exchanges it out owns it */
    void *world;                             /* only the worker uses it */
    uint64_t number;                         /* the world's number in the store; 0: not stored */
};

/* The token and the tenant that a request is charged to; 0: none (server/net/quota.h). */
struct sv_owner {
    uint64_t token, tenant;
};

/* The origin of a request, which gets the answer: a session, or an HTTP request if session is 0. */
struct sv_asker {
    uint64_t session;
    uint32_t seat;    /* index by which the network thread finds the session */
    uint32_t request; /* the client's number of the request */
    uint32_t order;   /* the request's number in the audit (server/session/audit.h); 0: none */
    struct sv_owner owner;
};

/* The principals for which the daemon counts usage. */
enum sv_principal {
    SV_PRINCIPAL_SESSION,
    SV_PRINCIPAL_TOKEN,
    SV_PRINCIPAL_TENANT,
    SV_PRINCIPAL_COUNT
};

/* The asker's id as a principal of this kind; 0: it has none. */
static inline uint64_t
sv_asker_id(const struct sv_asker *asker, enum sv_principal principal)
{
    return principal == SV_PRINCIPAL_SESSION ? asker->session
        : principal == SV_PRINCIPAL_TOKEN    ? asker->owner.token
                                     : asker->owner.tenant;
}

/* Whether both askers have the same session, token or tenant. */
static inline bool
sv_asker_is(const struct sv_asker *asker, const struct sv_asker *other, enum sv_principal principal)
{
    uint64_t id = sv_asker_id(asker, principal);
    return id != 0 && id == sv_asker_id(other, principal);
}

/*
 * An input that waits for its tick.  Inputs are only commands that hold or release a force or an
 * actuator.  So this takes less than half the bytes of a wire_input.
 */
struct sv_input {
    uint64_t seq, client_tick, at_tick;
    uint32_t hold_ticks;
    enum cn_command_kind kind;
    uint64_t held[sizeof(struct cn_hold_drag) / sizeof(uint64_t)]; /* the command's payload */
};
struct sv_input sv_input_pack(const struct wire_input *input);
struct cn_command sv_input_command(const struct sv_input *input);

enum sv_message_kind {
    SV_MESSAGE_CREATE,
    SV_MESSAGE_REMOVE,
    SV_MESSAGE_JOIN,
    SV_MESSAGE_LEAVE,
    SV_MESSAGE_SUBSCRIBE,
    SV_MESSAGE_INPUT,
    SV_MESSAGE_ORDER,
    SV_MESSAGE_QUERY,
    SV_MESSAGE_LEASE,
    SV_MESSAGE_DESYNC,
    SV_MESSAGE_AWAY,
    SV_MESSAGE_RESUME,
    SV_MESSAGE_SEEK,
    SV_MESSAGE_SAY,
    SV_MESSAGE_LOGIC,
    SV_MESSAGE_LOGIC_DONE,
    SV_MESSAGE_RENEW, /* the store asks for a record and a checkpoint, see sv_store_stale */
};

/*
 * A control of one world: SETTINGS, PAUSE, RESUME, STEP, RESET, LOAD, CHANGE, BODIES or ATTRIBUTES.
 */
struct sv_order {
    enum wire_control_kind kind;
    struct wire_settings settings; /* SETTINGS */
    uint32_t step_ticks;           /* STEP */
    struct sv_scene *scene;        /* LOAD; owned */
    struct wire_change *change;    /* CHANGE; owned */
    uint64_t origin;               /* CHANGE: the scene that it was checked against */
    struct wire_body_commands bodies; /* BODIES; owned */
    struct cn_attribute *attributes; /* ATTRIBUTES; owned */
    int attribute_count;
};
void sv_order_destroy(struct sv_order *order);

/* How a new world begins. */
struct sv_growth {
    struct sv_scene *scene_take;
    struct sv_seed *seed_take; /* a later state of that scene; NULL: the start of the scene */
    bool is_paused, is_replay; /* with a seed */
    double speed;              /* of a replay */
    uint64_t room;             /* the room to which the world belongs; 0: none */
};

struct sv_message {
    enum sv_message_kind kind;
    struct sv_mailbox *mailbox;
    struct sv_asker asker;
    union {
        struct sv_growth create;
        struct {
            struct sv_seed *seed_take; /* NULL: only the speed changes */
            bool is_more; /* the seed has the next records of the log; the replay does not jump */
            bool has_speed;
            double speed;
        } seek;
        struct {
            char name[WIRE_PERSON_SIZE];
            uint32_t role;
            struct dd_kept *kept_take; /* heap; NULL: the session ends with its connection */
        } join;
        bool is_gone; /* LEAVE: the session has left; only its log entry is missing */
        struct {
            uint32_t seat; /* the session's old seat; asker.seat is the new one */
            struct dd_kept *kept_take; /* heap; NULL: unchanged */
        } resume;
        struct {
            bool contacts, energy, actions, attributes;
            enum wire_mode mode;
            uint32_t rate_hz, bytes_per_second, contact_rate_hz;
            uint32_t physics; /* mode DEEDS: that of the client's engine */
            uint32_t epoch; /* of the seat: grows when the subscription starts again */
            struct wire_interest *interest_take; /* heap; NULL: the whole world */
        } subscribe;
        struct sv_input input;
        struct sv_order *order_take;
        struct wire_query *query_take; /* heap */
        struct wire_lease lease;
        struct wire_desync desync;
        struct wire_say *say_take; /* heap */
        struct wire_logic_start logic;
        struct wire_logic_done *logic_done_take; /* heap */
    };
};

/* Frees what an unread message owns. */
void sv_message_finish(struct sv_message *message);

enum sv_report_kind {
    SV_REPORT_JOINED,   /* the asker has joined; `message` is its first message */
    SV_REPORT_REJECTED, /* an input of the asker: `seq` and outcome->error */
    SV_REPORT_ANSWERED, /* a query: `message`, or outcome->text where session is 0 */
    SV_REPORT_DONE,     /* a request was carried out; for a lease `seq` is the queue place */
    SV_REPORT_REFUSED,  /* a request was refused: outcome->error */
    SV_REPORT_CREATED,  /* the asker's world has been created */
    SV_REPORT_STAYS,    /* the asker's world could not be removed; host.c answers REFUSED */
    SV_REPORT_REMOVED,  /* the worker no longer uses the mailbox */
    SV_REPORT_DEEDS,    /* `message` goes to the members in mode DEEDS that have an image */
    SV_REPORT_SAY,      /* `message` goes to all members of the world */
    SV_REPORT_RELOADED, /* `message`, Joined or Changed of a new generation, to all members */
};

/* The parts of a report that are too large for a ring's item. */
struct sv_outcome {
    struct wire_error error;
    struct wire_status status;
    struct sv_scene *scene; /* CREATED, RELOADED: the scene that members get */
    char *text;             /* JSON, ANSWERED only; owned */
};
void sv_outcome_destroy(struct sv_outcome *outcome);

struct sv_report {
    enum sv_report_kind kind;
    struct sv_mailbox *mailbox;
    struct sv_asker asker;
    uint64_t seq;
    uint32_t generation;             /* JOINED, RELOADED */
    bool has_image; /* JOINED: the message has an image: DEEDS follow */
    uint64_t ticket; /* of the worker's lane: send the report once it is durable; 0: at once */
    struct sv_buffer *message_take;  /* framed; or NULL */
    struct sv_outcome *outcome_take; /* or NULL */
};
void sv_report_finish(struct sv_report *report);

#endif
