/*
 * world.h: one world as the daemon hosts it: engine, members, messages, clock.  Its data only.
 *
 * A world is either between two ticks or in the middle of one.  Messages wait in the world until it
 * is between two.  Then they act in the order of their arrival.  Inputs that came together are
 * ordered by (session, sequence), so that a tick does not depend on which socket was read first.
 *
 * A world runs when its state is RUNNING and it has members (or the daemon keeps all running), and
 * while single steps are due.  Otherwise it rests, and messages act at once.
 *
 * Ticks are due on a grid: at multiples of the period, plus the world's phase, which is one of
 * SV_PHASES parts of the period.  So the worlds of one rate and phase are due at the same instant,
 * and a worker that wakes finds many of them.  A clock that falls behind keeps its phase.
 *
 * Reset puts the bodies back as the scene has them and keeps the settings that were changed; load
 * starts again.  Both begin a new generation and end every held input.  A change begins a new
 * generation, too, because slots of the scene then hold other bodies.
 *
 * Threads: belongs to its worker.
 */
#ifndef SERVER_WORLD_DATA_WORLD_H
#define SERVER_WORLD_DATA_WORLD_H

#include "deed/entry.h"
#include "deed/rules/rules.h"
#include "proto/codec.h"
#include "proto/snapshot_codec.h"
#include "server/mail/message.h"
#include "server/snapshot/events.h"
#include "server/world/data/cap.h"
#include "server/world/data/env.h"
#include "server/world/data/input_buffer.h"
#include "server/world/data/lease.h"
#include "server/world/data/logic.h"
#include "server/world/data/persistence.h"
#include "server/world/data/watch.h"

struct sv_playing;
struct sv_budget;
struct sv_scope;
struct sv_publication;
struct sv_world;

struct sv_member {
    uint64_t session;
    uint32_t seat;
    uint64_t applied_seq;
    uint32_t early_count, late_count; /* inputs that named a tick */
    int32_t margin; /* by how much they come early, in sixteenths of a tick, smoothed */
    enum wire_mode mode;
    bool contacts, energy, actions, attributes;
    uint16_t contact_rate_hz; /* 0: a ContactFrame with every tick */
    uint32_t rate_hz;         /* 0: all ticks */
    bool is_quiet;     /* it is a logic that wants no ticks */
    bool is_image_due; /* mode DEEDS: a Joined with an image is to be sent */
    uint64_t image_ns; /* when the last one was; 0: none */
    struct sv_scope *scope; /* the part of the world that it sees; shared */
    struct sv_budget *budget; /* NULL: no limit of bytes */
    char name[WIRE_PERSON_SIZE];
    uint32_t role;
    struct dd_kept *kept; /* what its client needs to resume it; NULL: it cannot be resumed */
    bool is_away;      /* its connection has died */
    bool is_unkept; /* it joined while nothing could be stored: its record is still to be written */
    uint64_t since_ns; /* since when it is here, or away */
};

/*
 * A replay's ticks are made by its player, which reads them from a seed.  The player belongs to a
 * higher floor; this is all that a world knows of it.
 */
struct sv_player {
    /*
     * Plays a tick, like cn_world_step.  False when there are no more records, or the next one
     * fails.
     */
    bool (*tick)(struct sv_world *world, enum cn_step_result *result);
    /* Goes to the tick that the message asks for, and answers its asker. */
    void (*seek)(struct sv_world *world, struct sv_message *message);
    void (*finish)(struct sv_world *world);
};

struct sv_step_wait {
    struct sv_asker asker;
    uint64_t until_tick;
};

#define SV_HASHES_TOLD 16 /* of the last ticks, for the log of a client that differs */

/* Deeds that members in mode DEEDS have not been sent yet (world_deeds.h). */
struct sv_deeds {
    int member_count;          /* members in mode DEEDS, */
    int quiet_count;           /* members that want nothing else of a tick, or none at all */
    struct dd_entries pending; /* deeds that act on the present tick */
    struct {
        uint64_t tick, hash;
    } told[SV_HASHES_TOLD];
    unsigned told_count;
};

#define SV_DURATIONS_COUNT 64 /* of the last ticks, for the median */
#define SV_STEP_WAITS_MAX 16

struct sv_world {
    struct sv_env *env; /* what it shares with the other worlds of its worker */
    struct sv_world *next_half; /* the next of worker.h's half-made worlds */
    int place;     /* its index among the worker's worlds */
    int phase;     /* phase of its clock, below SV_PHASES */
    struct sv_mailbox *mailbox;
    struct sv_scene *scene; /* as it was loaded */
    struct sv_scene *shown; /* as it is now, see world_change.c */
    struct cn_world *engine;
    struct dd_rules rules; /* of its scene, in the present tick */
    uint32_t generation;
    uint32_t series; /* the generation of the last reset or load; see wire_state */
    uint64_t moment;   /* grows with every tick and every entry */
    enum wire_world_state state;
    bool is_dirty;              /* changed since the last publication */
    uint64_t shown_attributes;  /* the version of the engine's at the last publication */
    bool is_pushed;             /* an input has acted since the last tick */
    bool is_status_due;         /* settings or state have changed */
    bool is_reload_due;         /* without memory a member has not received the scene */
    bool is_presence_due;       /* members have changed */
    bool is_lease_due;          /* leases have changed */
    struct wire_settings changed; /* settings changed since the scene was loaded */
    struct sv_persistence persist;
    struct sv_playing *playing; /* of a replay; NULL: this is no replay */
    const struct sv_player *player; /* of a replay */
    double play_speed;  /* of a replay: in ticks per tick of the original */
    uint64_t play_end;  /* of a replay: the last tick that can be played */
    char origin[WIRE_NAME_SIZE]; /* the world that it was forked from; empty: none */
    uint64_t origin_tick;
    char failure[CN_DEFECT_TEXT_SIZE]; /* why a world of state FAILED is not run */

    struct sv_member *members; /* ascending seats */
    int member_count, member_capacity;
    struct sv_leases leases;
    struct sv_caps caps; /* limits that an instructor has set */
    struct sv_watch watch;
    struct sv_deeds deeds;
    struct sv_logic *logic; /* NULL: the world has none */
    struct sv_input_buffer early;
    struct sv_message *messages; /* waiting, in order of arrival */
    int message_count, message_capacity, input_count, query_count;
    struct sv_step_wait step_waits[SV_STEP_WAITS_MAX];
    int step_wait_count;
    uint64_t step_until_tick; /* single steps are due while the tick is below */

    struct sv_scope **scopes; /* what members see; the first is the whole world */
    int scope_count, scope_capacity;
    struct sv_events events;   /* events of the last ticks, while a member wants contacts */
    struct wire_contacts *contacts; /* the last ones that were taken for ContactDeltas */
    uint64_t contacts_tick;         /* and the tick */
    struct sv_buffer *resting; /* contacts of a world in which all bodies sleep, made once */
    uint64_t next_tick_ns; /* when the next tick is due; 0: the clock is not running */
    uint64_t period_ns;    /* of that clock */
    uint64_t spent_ns;     /* on the unfinished tick */
    bool is_look_due;      /* the tick is done, and its contacts and pairs are being found */
    bool was_sliced;       /* the last tick took more than one slice */
    uint32_t contact_count; /* at the last look */
    uint64_t tick_hash;    /* of the last tick, while one is done in slices; 0: not known */
    bool is_starved;       /* there was no memory for the next tick, which is tried again */
    uint64_t durations_ns[SV_DURATIONS_COUNT];
    unsigned duration_count;
    uint64_t window_start_ns; /* for the real time factor: ticks since then, and wall time */
    unsigned window_tick_count;
    double real_time_factor;
    /* the first and the last of successive losses of ticks; 0: none */
    uint64_t overrun_ns, lost_ns;
    uint64_t status_ns;   /* of the last status that went out */
    uint64_t presence_ns; /* and of the last Presence */
    uint64_t budget_ns; /* when an idle world is published again for a byte budget */
    uint64_t published_ns; /* and of the last publication */
    uint64_t looked_ns;    /* when the world last had a member or a query; 0: not known yet */
    uint64_t leases_ns;    /* and of the last LeaseState */
};

/* Prefetches the memory that the next two functions read. */
static inline void
sv_world_expect(const struct sv_world *world)
{
    const char *at = (const char *)world;
    for (size_t i = 0; i < offsetof(struct sv_world, durations_ns); i += 64) {
        __builtin_prefetch(at + i, 1);
    }
    __builtin_prefetch(&world->published_ns, 1);
}

/* Notes a change by a log entry: clients are to be shown it. */
static inline void
sv_world_note_change(struct sv_world *world)
{
    world->is_dirty = true;
    world->moment++;
}

#endif
