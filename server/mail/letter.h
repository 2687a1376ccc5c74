/*
 * letter.h: everything that the network thread and a worker say to each other.
 *
 * Letters go to workers, reports come back; both are values in a bounded ring, and what is large
 * or rare hangs on a pointer that the receiver takes over.  The frames of a tick do not go by
 * mail: a world puts its newest publication into its post, where it replaces an older one that
 * nobody has fetched (latest wins, no queue grows).
 *
 * Ownership: a post belongs to the network thread, which frees it after the worker's REMOVED.
 */
#ifndef SERVER_MAIL_LETTER_H
#define SERVER_MAIL_LETTER_H

#include "proto/codec.h"
#include "proto/scene_live.h"
#include "server/base/buffer.h"
#include "server/mail/scene.h"
#include "server/mail/seed.h"

#include <stdatomic.h>

struct sv_publication;

/* Where a world's frames are fetched. */
struct sv_post {
    char id[WIRE_NAME_SIZE];
    _Atomic(struct sv_publication *) newest; /* who exchanges a pointer out owns it */
    void *world;                             /* the worker's own */
    uint64_t number;                         /* in the store; 0: there is none */
};

/* Who wants an answer: a session (with its number of the request) or, with session 0, HTTP. */
struct sv_asker {
    uint64_t session;
    uint32_t seat; /* where the network thread finds the session */
    uint32_t request;
};

/*
 * An input as it waits: of all commands only those that are held or released come as inputs, so it
 * is less than half as large as a wire_input.
 */
struct sv_input {
    uint64_t seq, client_tick, at_tick;
    uint32_t hold_ticks;
    enum cn_command_kind kind;
    uint64_t held[sizeof(struct cn_hold_drag) / sizeof(uint64_t)]; /* what the command holds */
};
struct sv_input sv_input_pack(const struct wire_input *input);
struct cn_command sv_input_command(const struct sv_input *input);

enum sv_letter_kind {
    SV_LETTER_CREATE,
    SV_LETTER_REMOVE,
    SV_LETTER_JOIN,
    SV_LETTER_LEAVE,
    SV_LETTER_SUBSCRIBE,
    SV_LETTER_INPUT,
    SV_LETTER_ORDER,
    SV_LETTER_QUERY,
    SV_LETTER_LEASE,
    SV_LETTER_AWAY,
    SV_LETTER_RESUME,
    SV_LETTER_SEEK,
    SV_LETTER_RENEW, /* the store wants a record and a checkpoint of it, see sv_store_stale */
};

/* A control of one world: SETTINGS, PAUSE, RESUME, STEP, RESET, LOAD or CHANGE. */
struct sv_order {
    enum wire_control_kind kind;
    struct wire_settings settings; /* SETTINGS */
    uint32_t step_ticks;           /* STEP */
    struct sv_scene *scene;        /* LOAD; owned */
    struct wire_change *change;    /* CHANGE; owned */
    uint64_t origin;               /* CHANGE: of the scene for which it was read */
};
void sv_order_destroy(struct sv_order *order);

/* What a world begins as. */
struct sv_growth {
    struct sv_scene *scene_take;
    struct sv_seed *seed_take; /* NULL: as the scene has it; else this is of that scene */
    bool is_paused, is_replay; /* with a seed */
    double speed;              /* of a replay */
};

struct sv_letter {
    enum sv_letter_kind kind;
    struct sv_post *post;
    struct sv_asker asker;
    union {
        struct sv_growth create;
        struct {
            struct sv_seed *seed_take; /* NULL: the speed alone */
            bool is_more; /* what follows the end of what the world has; it does not jump */
            bool has_speed;
            double speed;
        } seek;
        struct {
            char name[WIRE_PERSON_SIZE];
            uint32_t role;
        } join;
        uint32_t resume_seat; /* RESUME: that the session had; the asker's is its new one */
        struct {
            bool contacts, energy, actions;
            enum wire_mode mode;
            uint32_t rate_hz, bytes_per_second;
            uint32_t epoch; /* of the seat: grows when it wants to begin anew */
            struct wire_interest *interest_take; /* heap; NULL: all of the world */
        } subscribe;
        struct sv_input input;
        struct sv_order *order_take;
        struct wire_query *query_take; /* heap */
        struct wire_lease lease;
    };
};

/* Frees what a letter carries that nobody has read. */
void sv_letter_finish(struct sv_letter *letter);

enum sv_report_kind {
    SV_REPORT_JOINED,   /* the asker is in, its first message is in `message` */
    SV_REPORT_REJECTED, /* an input of the asker's: `seq` and outcome->error */
    SV_REPORT_ANSWERED, /* the asker's query: `message`, or with session 0 outcome->text */
    SV_REPORT_DONE,     /* the asker's request; of a lease, `seq` is the place in the queue */
    SV_REPORT_REFUSED,  /* the asker's request: outcome->error */
    SV_REPORT_CREATED,  /* the asker's world is there */
    SV_REPORT_STAYS,    /* the asker's world could not be removed; events see REFUSED */
    SV_REPORT_REMOVED,  /* the worker has forgotten the post */
    SV_REPORT_SAY,      /* `message` to everybody in the world */
    SV_REPORT_RELOADED, /* `message`, a Joined or Changed of a new generation, to everybody */
};

/* What is too large for a ring's item. */
struct sv_outcome {
    struct wire_error error;
    struct wire_status status;
    struct sv_scene *scene; /* as members see it; CREATED and RELOADED only */
    char *text;             /* JSON, ANSWERED only; owned */
};
void sv_outcome_destroy(struct sv_outcome *outcome);

struct sv_report {
    enum sv_report_kind kind;
    struct sv_post *post;
    struct sv_asker asker;
    uint64_t seq;
    uint32_t generation;             /* JOINED, RELOADED */
    uint64_t ticket;                 /* of the worker's lane: not to be shown before; 0: at once */
    struct sv_buffer *message_take;  /* framed; or NULL */
    struct sv_outcome *outcome_take; /* or NULL */
};
void sv_report_finish(struct sv_report *report);

#endif
