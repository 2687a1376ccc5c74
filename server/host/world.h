/*
 * world.h: one world as the daemon hosts it: engine, members, letters, clock.
 *
 * A world is either between two ticks or in the middle of one.  Letters wait in the world until it
 * is between two; then they act in the order of their arrival, except that inputs which came
 * together are ordered by (session, sequence), so that a tick does not depend on which socket was
 * read first.
 *
 * A world runs when its state is RUNNING and somebody is joined (or the daemon keeps all running),
 * and while single steps are due.  Otherwise it rests, and letters act at once.
 *
 * Reset puts the bodies back as the scene has them and keeps the settings that were changed; load
 * starts anew.  Both make a new generation and let go of every held input.  A change makes a new
 * generation too: slots of the scene are other bodies then.
 *
 * Threads: belongs to its worker.
 */
#ifndef SERVER_HOST_WORLD_H
#define SERVER_HOST_WORLD_H

#include "proto/codec.h"
#include "proto/snapshot_codec.h"
#include "server/host/input_buffer.h"
#include "server/host/lease.h"
#include "server/mail/letter.h"

struct sv_worker;

struct sv_member {
    uint64_t session;
    uint32_t seat;
    uint64_t applied_seq;
    uint32_t early_count, late_count; /* inputs that named a tick */
    int32_t margin; /* sixteenths of a tick by which they come early, smoothed */
    enum wire_mode mode;
    bool contacts, energy;
    char name[WIRE_PERSON_SIZE];
    uint32_t role;
    bool is_away;      /* its connection has died */
    uint64_t since_ns; /* it is here, or away */
};

struct sv_step_wait {
    struct sv_asker asker;
    uint64_t until_tick;
};

#define SV_DURATIONS_COUNT 64 /* of the last ticks, for the median */
#define SV_STEP_WAITS_MAX 16

struct sv_world {
    struct sv_worker *worker;
    struct sv_post *post;
    struct sv_scene *scene; /* that was loaded, */
    struct sv_scene *shown; /* and as it is now, see world_change.c */
    struct cn_world *engine;
    uint32_t generation;
    uint32_t series; /* the generation of the last reset or load; see wire_state */
    enum wire_world_state state;
    bool is_dirty;              /* changed since the last publication */
    bool is_status_due;         /* settings or state have changed */
    bool is_presence_due;       /* members have changed */
    bool is_lease_due;          /* leases have changed */
    struct wire_settings changed; /* since the scene was loaded */

    struct sv_member *members; /* ascending seats */
    int member_count, member_capacity;
    struct sv_leases leases;
    struct sv_input_buffer early;
    struct sv_letter *letters; /* waiting, in order of arrival */
    int letter_count, letter_capacity, input_count, query_count;
    struct sv_step_wait step_waits[SV_STEP_WAITS_MAX];
    int step_wait_count;
    uint64_t step_until_tick; /* single steps are due while the tick is below */

    struct wire_state *shown_last[2]; /* published, the newest first; NULL: none */
    struct sv_buffer *resting; /* contacts of a world in which everybody sleeps, sent once */
    uint64_t next_tick_ns; /* when the next one is due; 0: the clock is not running */
    uint64_t spent_ns;     /* on the tick in the middle of which the world is */
    uint64_t durations_ns[SV_DURATIONS_COUNT];
    unsigned duration_count;
    uint64_t window_start_ns; /* real time factor: ticks since, and wall time */
    unsigned window_tick_count;
    double real_time_factor;
    uint64_t status_ns;   /* of the last status that went out */
    uint64_t presence_ns; /* and of the last Presence */
    uint64_t published_ns; /* and of the last publication */
    uint64_t leases_ns;    /* and of the last LeaseState */
};

/* The engine's world of a scene, with the worker's tools; NULL with *error filled. */
struct cn_world *sv_world_engine(
    struct sv_worker *worker, const struct sv_scene *scene, struct wire_error *error);

/* NULL with *error filled when the scene can not be made or there is no memory. */
struct sv_world *sv_world_create(struct sv_worker *worker, struct sv_post *post,
    struct sv_scene *scene_take, struct wire_error *error);
void sv_world_destroy(struct sv_world *world);

/* Takes a letter over; an input too many is refused to its sender. */
void sv_world_receive(struct sv_world *world, struct sv_letter *letter);

/*
 * Does what is due now, at most one slice of work.  Returns when it wants to be called again:
 * `now_ns` or earlier for at once, UINT64_MAX for when a letter comes.
 */
uint64_t sv_world_run(struct sv_world *world, uint64_t now_ns);

/* The world as others see it. */
void sv_world_status(const struct sv_world *world, struct wire_status *status);

/* ---- for world_letters.c, world_lease.c and world_orders.c ---- */

/* Whoever is in the world under that number; NULL: nobody. */
struct sv_member *sv_world_member(struct sv_world *world, uint64_t session);

/* Acts on a Lease, and answers its asker. */
void sv_world_lease(
    struct sv_world *world, const struct sv_asker *asker, const struct wire_lease *lease);

/* Whether leases let the session give this command; else *error is LEASED. */
bool sv_world_may_push(struct sv_world *world, uint64_t session,
    const struct cn_command *command, struct wire_error *error);

/* Ends leases: those whose time is over, a session's, those of what is gone, and all. */
void sv_world_leases_expire(struct sv_world *world);
void sv_world_leases_leave(struct sv_world *world, uint64_t session);
void sv_world_leases_sift(struct sv_world *world);
void sv_world_leases_clear(struct sv_world *world);

/* Who holds what, to everybody in the world or, where that is anything, to one asker. */
void sv_world_say_leases(struct sv_world *world, const struct sv_asker *asker);

/* A message to everybody in the world, or an answer to one asker; takes it. */
void sv_world_say(
    struct sv_world *world, const struct sv_asker *asker, struct sv_buffer *message_take);


/* Acts on inputs whose tick has come, then on every waiting letter. Only between two ticks. */
void sv_world_act(struct sv_world *world);

/* Answers a query. */
void sv_world_ask(
    struct sv_world *world, const struct sv_asker *asker, const struct wire_query *query);

/* Makes and removes; false with *error filled, and nothing was done. */
bool sv_world_change(
    struct sv_world *world, const struct wire_change *change, struct wire_error *error);

/* Acts on an order, and answers its asker. */
void sv_world_obey(struct sv_world *world, const struct sv_asker *asker, struct sv_order *order);

/* Whether ticks are due now or later. */
bool sv_world_is_running(const struct sv_world *world);

/* Answers single steps that are done. */
void sv_world_answer_steps(struct sv_world *world);

/* Sends to the asker: outcome with status (DONE, CREATED) or with `error` (REFUSED, REJECTED). */
void sv_world_answer(struct sv_world *world, enum sv_report_kind kind,
    const struct sv_asker *asker, uint64_t seq, const struct wire_error *error);

/* Tells everybody in the world: a Joined of the new generation, or who is here, or the status. */
void sv_world_say_reloaded(struct sv_world *world);

/* The same of a change: what parts the shown scene from the one before it. */
void sv_world_say_changed(struct sv_world *world, struct wire_changed *changed);
void sv_world_say_presence(struct sv_world *world);
void sv_world_say_status(struct sv_world *world);

/* Sends a Joined to one asker. */
void sv_world_say_joined(struct sv_world *world, const struct sv_asker *asker);

#endif
