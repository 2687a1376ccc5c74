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
 * Ticks are due on a grid: at multiples of the period, plus the world's phase, which is one of
 * SV_PHASES parts of the period.  So the worlds of one rate and phase are due at the same instant
 * and a worker that wakes finds many of them; a clock that falls behind keeps its phase.
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
#include "server/host/keeping.h"
#include "server/host/cap.h"
#include "server/host/lease.h"
#include "server/host/watch.h"
#include "server/mail/letter.h"
#include "server/snapshot/events.h"

struct sv_worker;
struct sv_playing;
struct sv_budget;
struct sv_scope;
struct sv_publication;

struct sv_member {
    uint64_t session;
    uint32_t seat;
    uint64_t applied_seq;
    uint32_t early_count, late_count; /* inputs that named a tick */
    int32_t margin; /* sixteenths of a tick by which they come early, smoothed */
    enum wire_mode mode;
    bool contacts, energy, actions;
    struct sv_scope *scope; /* what it sees; shared */
    struct sv_budget *budget; /* NULL: as many bytes as it takes */
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
    struct sv_world *next_half; /* see there */
    int place;     /* in it */
    int phase;     /* of its clock, below SV_PHASES */
    struct sv_post *post;
    struct sv_scene *scene; /* that was loaded, */
    struct sv_scene *shown; /* and as it is now, see world_change.c */
    struct cn_world *engine;
    uint32_t generation;
    uint32_t series; /* the generation of the last reset or load; see wire_state */
    uint64_t moment;   /* grows with every tick and every deed */
    enum wire_world_state state;
    bool is_dirty;              /* changed since the last publication */
    bool is_status_due;         /* settings or state have changed */
    bool is_reload_due;         /* somebody has not been told of the scene for want of memory */
    bool is_presence_due;       /* members have changed */
    bool is_lease_due;          /* leases have changed */
    struct wire_settings changed; /* since the scene was loaded */
    struct sv_keeping keep;
    struct sv_playing *playing; /* of a replay; NULL: it is a world of its own */
    char origin[WIRE_NAME_SIZE]; /* the world that it was forked from; empty: it was made */
    uint64_t origin_tick;
    char failure[CN_DEFECT_TEXT_SIZE]; /* of the state FAILED: why it is not run */

    struct sv_member *members; /* ascending seats */
    int member_count, member_capacity;
    struct sv_leases leases;
    struct sv_caps caps; /* that an instructor has set */
    struct sv_watch watch;
    struct sv_input_buffer early;
    struct sv_letter *letters; /* waiting, in order of arrival */
    int letter_count, letter_capacity, input_count, query_count;
    struct sv_step_wait step_waits[SV_STEP_WAITS_MAX];
    int step_wait_count;
    uint64_t step_until_tick; /* single steps are due while the tick is below */

    struct sv_scope **scopes; /* what members see; the first is the whole world */
    int scope_count, scope_capacity;
    struct sv_events events;   /* of its last ticks, while somebody wants contacts */
    struct sv_buffer *resting; /* contacts of a world in which everybody sleeps, sent once */
    uint64_t next_tick_ns; /* when the next one is due; 0: the clock is not running */
    uint64_t period_ns;    /* of that clock */
    uint64_t spent_ns;     /* on the tick in the middle of which the world is */
    bool is_starved;       /* there was no memory for that tick: it is tried again */
    uint64_t durations_ns[SV_DURATIONS_COUNT];
    unsigned duration_count;
    uint64_t window_start_ns; /* real time factor: ticks since, and wall time */
    unsigned window_tick_count;
    double real_time_factor;
    uint64_t overrun_ns, lost_ns; /* the first and the last loss of ticks in a row; 0: none */
    uint64_t status_ns;   /* of the last status that went out */
    uint64_t presence_ns; /* and of the last Presence */
    uint64_t budget_ns; /* when one that rests is shown again, for a budget's sake */
    uint64_t published_ns; /* and of the last publication */
    uint64_t looked_ns;    /* when somebody was joined or asked; 0: not known yet */
    uint64_t leases_ns;    /* and of the last LeaseState */
};

/* The engine's world of a scene, with the worker's tools; NULL with *error filled. */
struct cn_world *sv_world_engine(
    struct sv_worker *worker, const struct sv_scene *scene, struct wire_error *error);

/*
 * Whether no bodies are deep in one another (engine/world/deep.h), else *error is filled.  Asked of
 * what somebody wants to be made or loaded now; what is stored is taken as it is.
 */
bool sv_world_is_apart(const struct cn_world *engine, struct wire_error *error);
bool sv_world_scene_is_apart(
    struct sv_worker *worker, const struct sv_scene *scene, struct wire_error *error);

/* NULL with *error filled when the scene can not be made or there is no memory. */
struct sv_world *sv_world_create(struct sv_worker *worker, struct sv_post *post,
    struct sv_scene *scene_take, struct wire_error *error);
void sv_world_destroy(struct sv_world *world);

/* Takes a letter over; an input too many is refused to its sender. */
void sv_world_receive(struct sv_world *world, struct sv_letter *letter);

/* Asks memory for what the next two look at. */
static inline void
sv_world_expect(const struct sv_world *world)
{
    const char *at = (const char *)world;
    for (size_t i = 0; i < offsetof(struct sv_world, durations_ns); i += 64) {
        __builtin_prefetch(at + i, 1);
    }
    __builtin_prefetch(&world->published_ns, 1);
}

/*
 * Has the letters act, and appends the record of what they did, when the world is between two
 * ticks: what sv_world_run does first, for all worlds that are due before the first of them steps.
 */
void sv_world_prepare(struct sv_world *world, uint64_t now_ns);

/*
 * Does what is due now, at most one slice of work, to a world that has been prepared.  Returns when
 * it wants to be called again: `now_ns` or earlier for at once, UINT64_MAX for when a letter comes.
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
void sv_world_leases_clear(struct sv_world *world, bool is_other_scene);

/* Whether there is anything that a LeaseState tells. */
bool sv_world_has_leases(const struct sv_world *world);

/* Ends one held input. */
void sv_world_let_go(struct sv_world *world, const struct cn_holder *holder);

/* Freezes what has exploded, if anything has. Only between two ticks. */
void sv_world_watch_act(struct sv_world *world);

/* ---- world_caps.c ---- */

/*
 * Whether caps let this command be given, which names its holder; a drag is given what is left.
 * Else *error is RANGE.
 */
bool sv_world_cap(
    struct sv_world *world, struct cn_command *command, struct wire_error *error);

/* Sets an instructor's caps of a body; what is held there without them ends.  False with LIMIT. */
bool sv_world_caps_set(struct sv_world *world, int32_t body, const struct wire_caps *caps,
    struct wire_error *error);

/* Who holds what, to everybody in the world or, where that is anything, to one asker. */
void sv_world_say_leases(struct sv_world *world, const struct sv_asker *asker);

/* A message to everybody in the world, or an answer to one asker; takes it. */
void sv_world_say(
    struct sv_world *world, const struct sv_asker *asker, struct sv_buffer *message_take);


/* Acts on inputs whose tick has come, then on every waiting letter. Only between two ticks. */
void sv_world_act(struct sv_world *world);

/* ---- world_views.c ---- */

/* The scope of all of the world.  False without memory. */
bool sv_world_views_init(struct sv_world *world);
void sv_world_views_finish(struct sv_world *world);

/* The member sees this from now on; false with *error filled, and it sees what it saw. */
bool sv_world_views_enter(struct sv_world *world, struct sv_member *member,
    const struct wire_interest *interest, struct wire_error *error);
void sv_world_views_leave(struct sv_world *world, struct sv_member *member);

/* So many bytes a second, 0 for as many as it takes; false without memory, with *error filled. */
bool sv_world_views_limit(struct sv_world *world, struct sv_member *member,
    uint32_t bytes_per_second, uint32_t rate_hz, uint32_t epoch, struct wire_error *error);

/*
 * Sees to it that the world remembers its past (engine/world/history.h) while somebody may ask for
 * it: is_looked_at says that somebody does.
 */
void sv_world_remember(struct sv_world *world, uint64_t now_ns, bool is_looked_at);

/*
 * What the world shows, in three steps: its views, with time_ns and without members and status;
 * takes the state; NULL without memory.  Then what members with a budget are shown of them, when
 * members are there; and at last the views are noted as those that were shown.
 */
struct sv_publication *sv_world_views_show(
    struct sv_world *world, struct wire_state *whole_take, uint64_t now_ns);
void sv_world_views_ration(struct sv_world *world, struct sv_publication *publication);
void sv_world_views_showed(struct sv_world *world, const struct sv_publication *publication);

/* What the bytes of a deed say, once they have been read. */
struct sv_matter {
    struct sv_scene *scene;     /* LOAD; NULL when it has been taken */
    struct wire_change *change; /* CHANGE and CHANGE_OF */
    struct sv_checkpoint *seed; /* SEED */
    bool is_touched;            /* it was refused, but not without a trace */
};

/*
 * The one way to change a world between two ticks, live and when it comes back.  `do` also keeps
 * what was done.  False with *error filled, and nothing was done but see is_touched.  `matter` may
 * be NULL for deeds without.
 */
bool sv_world_apply(struct sv_world *world, const struct sv_deed *deed, struct sv_matter *matter,
    struct wire_error *error);
bool sv_world_do(struct sv_world *world, struct sv_deed *deed, struct sv_matter *matter,
    struct wire_error *error);

/* What the world shows depends on that ticket of its lane from now on, and it waits for it. */
void sv_world_wait_for(struct sv_world *world, uint64_t ticket);

/*
 * Stores what a deed is to name, by its content: the deed is of the record that is made next, and
 * nothing else comes between.  The first scene is the charter's and stays as long as the world.
 * False with *error filled.
 */
bool sv_world_put_scene(struct sv_world *world, const struct sv_scene *scene, bool is_first,
    unsigned char content[SV_CONTENT_SIZE], struct wire_error *error);
bool sv_world_put_bytes(struct sv_world *world, const unsigned char *bytes, size_t size,
    unsigned char content[SV_CONTENT_SIZE], struct wire_error *error);
/* *error where the store took nothing: BUSY, or READONLY when the disk is full. */
void sv_world_refuse_unkept(const struct sv_world *world, struct wire_error *error);
bool sv_world_put_change(struct sv_world *world, const struct wire_change *change,
    struct sv_deed *deed, struct wire_error *error);

/* What was done last can not be kept and waits for room: refuses what would change more. */
void sv_world_refuse_changes(struct sv_world *world);

/* Memory for the reports of one letter more; false: there is none. */
bool sv_world_ready_outbox(struct sv_world *world);

/* Whether one more letter may act; it can not while there is no memory to keep what it does. */
bool sv_world_has_deed_room(struct sv_world *world);

/* Appends what was done and sends what was said of it; false: later, and nothing may act. */
bool sv_world_commit(struct sv_world *world);

/* Keeps a report for sv_world_commit. */
void sv_world_post(struct sv_world *world, const struct sv_report *report);

/* Commits; whether a tick may begin. */
bool sv_world_may_step(struct sv_world *world);

/* Says that a step to that tick, or a deed at it, is at work; and that nothing is. */
void sv_world_step_begins(struct sv_world *world, uint64_t tick);
void sv_world_step_ends(struct sv_world *world);

/* ---- world_replay.c ---- */

/*
 * The world shows what the seed has and what was done after it, at that speed; it is no other
 * world's any more, and takes the seed when it succeeds.  False with *error filled.
 */
bool sv_world_play(struct sv_world *world, struct sv_seed *seed_take, double speed,
    struct wire_error *error);

/* Goes to where the letter says; answers its asker, and takes the seed. */
void sv_world_seek(struct sv_world *world, struct sv_letter *letter);

/*
 * A tick of a replay, as cn_world_step; false when there is no more, or what follows can not be
 * done.
 */
bool sv_world_play_tick(struct sv_world *world, enum cn_step_result *result);

/* Ticks a second of wall time; how far it can be played. */
double sv_world_play_speed(const struct sv_world *world);
uint64_t sv_world_play_end(const struct sv_world *world);
void sv_world_play_finish(struct sv_world *world);

/* ---- world_keep.c ---- */

/*
 * A new world is kept from now on, under its post's number: its scene and charter are on their way.
 * Without a store, or where its durability is NONE, it is not.  False with *error filled.
 */
bool sv_world_keep(struct sv_world *world, struct wire_error *error);

/* The world as it is, between two ticks; NULL without memory. */
struct sv_checkpoint *sv_world_take(const struct sv_world *world);

/*
 * The same as a seed from which others grow, whose origin is that id at this tick, unless it is
 * none; NULL with *error filled.
 */
struct sv_seed *
sv_world_seed(struct sv_world *world, const char *origin, struct wire_error *error);

/* Nobody is in the world any more: what was held is let go, as deeds. */
void sv_world_empty(struct sv_world *world);

/* A tick has been made, in that time. */
void sv_world_grow_older(struct sv_world *world, uint64_t stepped_ns);

/*
 * A world that was made just now begins where the seed is; of those who were in it then nobody is.
 * False with *error filled, and it is of no use.
 */
bool sv_world_sow(struct sv_world *world, const struct sv_seed *seed, bool is_paused,
    struct wire_error *error);

/* Takes a checkpoint when one is due, or now. */
void sv_world_checkpoint(struct sv_world *world, uint64_t now_ns, bool is_now);
/* When the next one is due. */
uint64_t sv_world_checkpoint_ns(const struct sv_world *world, uint64_t now_ns);

/*
 * Brings a stored world back: its charter's scene or its checkpoint, then everything that was done
 * since.  One that does not come back as it was is FAILED: nothing more is kept of it, and what is
 * stored stays.  NULL with *error filled when there is nothing to show.
 */
struct sv_world *sv_world_recover(
    struct sv_worker *worker, struct sv_post *post, struct wire_error *error);

/* What a charter says. False: it is none of ours. */
struct sv_charter {
    char id[WIRE_NAME_SIZE];
    enum wire_durability durability;
    unsigned char content[SV_CONTENT_SIZE];
};
bool sv_charter_read(const unsigned char *bytes, size_t size, struct sv_charter *charter);

/* That of a stored world, from any thread. */
bool sv_charter_of(struct sv_store *store, uint64_t number, struct sv_charter *charter);

/* A tick is done: every so often its exact hash is kept. */
void sv_world_mark(struct sv_world *world);

/*
 * A record that is a mark, and a checkpoint of it: with the next such one the store needs nothing
 * that is older.  Nothing in the middle of a tick; who runs has both anyhow.
 */
void sv_world_renew(struct sv_world *world);

void sv_keeping_finish(struct sv_keeping *keep);

/* The orders, for sv_world_apply. */
bool sv_world_set(
    struct sv_world *world, const struct wire_settings *settings, struct wire_error *error);
bool sv_world_reset(struct sv_world *world, struct wire_error *error);
bool sv_world_load(
    struct sv_world *world, struct sv_scene **scene_take, struct wire_error *error);

/* Answers a query. */
void sv_world_ask(
    struct sv_world *world, const struct sv_asker *asker, const struct wire_query *query);

/* Makes and removes; false with *error filled, and nothing was done but to slots that are free. */
bool sv_world_change(struct sv_world *world, const struct wire_change *change, bool *is_touched,
    struct wire_error *error);

/* Acts on an order, and answers its asker. */
void sv_world_obey(struct sv_world *world, const struct sv_asker *asker, struct sv_order *order);

/* Whether ticks are due now or later. */
bool sv_world_is_running(const struct sv_world *world);

/* Answers single steps that are done. */
void sv_world_answer_steps(struct sv_world *world);

/* Sends to the asker: outcome with status (DONE) or with `error` (REFUSED, REJECTED). */
void sv_world_answer(struct sv_world *world, enum sv_report_kind kind,
    const struct sv_asker *asker, uint64_t seq, const struct wire_error *error);

/* Tells the asker, and the host, of a new world in an outcome that the caller has got. */
void sv_world_say_created(
    struct sv_world *world, const struct sv_asker *asker, struct sv_outcome *outcome_take);

/* Tells everybody in the world: a Joined of the new generation, or who is here, or the status. */
void sv_world_say_reloaded(struct sv_world *world);

/* The same of a change: what parts the shown scene from the one before it. */
void sv_world_say_changed(struct sv_world *world, struct wire_changed *changed);
void sv_world_say_presence(struct sv_world *world);
void sv_world_say_status(struct sv_world *world);

/* Sends a Joined to one asker. */
void sv_world_say_joined(struct sv_world *world, const struct sv_asker *asker);

#endif
