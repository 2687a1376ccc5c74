/*
 * persistence.h: how a world gets into the store, and the data that is on its way there.
 *
 *     messages -> entries -> record --append--> ticket        publication, reports
 *                            |                                    |
 *                          lane ----- durable up to ----->  shown by the network thread
 *
 * The log entries made between two ticks become one record.  It is appended before the step, so
 * that the disk flushes while the world steps.  Publications and reports carry the ticket of the
 * last record that they depend on.  The hash of a world without members is not urgent: it goes with
 * the next commit, within a second.  A world may be SV_AHEAD_TICKS_MAX ticks ahead of its durable
 * records; then its clock waits.  When the lane has no room, no message acts and no world steps.
 *
 * Ownership: a part of its world.
 * Threads: its worker's.
 */
#ifndef SERVER_WORLD_DATA_PERSISTENCE_H
#define SERVER_WORLD_DATA_PERSISTENCE_H

#include "server/mail/message.h"
#include "server/store/lane.h"
#include "deed/entry.h"

/*
 * Steps that a world may be ahead of the last one whose inputs are durable; beyond, its clock
 * waits.
 */
#define SV_AHEAD_TICKS_MAX 6

/*
 * How far ahead a running world promises its ticks (world_reach.c), in world time.  The margin is
 * the time that a commit may take.  The span, at most SV_HASH_TICKS, is how long a promise lasts
 * that needs an entry of its own.  Where no client watches, no commit is requested, and one comes
 * within a second.
 */
#define SV_REACH_MARGIN_S 0.25
#define SV_REACH_SPAN_S 1.1
#define SV_REACH_TICKS_MIN 4
#define SV_REACH_UNWATCHED_TICKS 192

/*
 * Bytes of entries that one message can cause, including what a lost lease releases; most cause far
 * less.
 */
#define SV_ENTRIES_MARGIN ((size_t)256 * 1024)

/*
 * Memory for this many bytes is reserved before a message acts: its number, its command, and
 * releases.
 */
#define SV_ENTRIES_READY ((size_t)2 * 1024)

/*
 * Memory for this many bytes is kept between two ordinary ticks.  More is freed after use:
 * otherwise all worlds together would hold the sum of their largest needs.
 */
#define SV_ENTRIES_KEPT (2 * SV_ENTRIES_READY)

/* How often a world checks whether its clock may continue. */
#define SV_STALL_PERIOD_NS UINT64_C(1000000)

/*
 * On a full disk: a client that wants to see a world whose last change is not stored waits this
 * long for the reserve to make room, and is then refused.
 */
#define SV_UNSHOWN_NS UINT64_C(2000000000)

/* A checkpoint is due after this much time in steps, or this much time in total. */
#define SV_CHECKPOINT_STEPS_NS (UINT64_C(2) * 1000 * 1000 * 1000)
#define SV_CHECKPOINT_PERIOD_NS (UINT64_C(30) * 1000 * 1000 * 1000)

/*
 * Where a past is kept, a checkpoint is also due after this much time in steps, so that every tick
 * is near one.  At most one per period is taken, because each is a file and a commit.
 */
#define SV_RUNG_STEPS_NS (UINT64_C(50) * 1000 * 1000)
#define SV_RUNG_PERIOD_NS (UINT64_C(1000) * 1000 * 1000)

/* How often an idle world checks whether the store takes its checkpoint. */
#define SV_CHECKPOINT_RETRY_NS (UINT64_C(100) * 1000 * 1000)

/* Once `ticket` is durable, recovery reaches `tick` for certain. */
struct sv_reach {
    uint64_t tick, ticket;
};

/* The last input of a session that the world has settled. */
struct sv_settled {
    uint64_t session, seq;
};

struct sv_persistence {
    struct sv_lane *lane; /* NULL: nothing is stored, and the members below are not used */
    enum wire_durability durability;
    struct sv_trail trail;
    unsigned char content[SV_CONTENT_SIZE]; /* content hash of the scene that was loaded */
    bool is_replaying; /* log entries are being repeated: nothing is reported */
    bool is_carrying;        /* and the log is of another physics, see portable.h */
    /* the state is of this physics version, and no UPGRADE entry says so yet; else 0 */
    uint32_t old_physics;
    /* the version from which the world was upgraded in this life, else 0 */
    uint32_t upgrade_physics;
    uint32_t lost_count;     /* log entries of the old version that could not be repeated */

    struct dd_entries entries; /* of the record that is being made */
    bool is_loud;          /* a client sees or is answered one of them: any kind but REACH */
    bool has_reach;        /* one of them is a REACH */
    uint64_t record_tick;  /* the tick before which the record acts */
    bool has_mark;         /* the record holds the exact hash at that tick */
    uint64_t mark_hash;
    uint64_t reach_tick;   /* of the last REACH that still holds; 0: none does */
    /* those that cover the next ticks; the first covers the next tick */
    struct sv_reach reaches[4];
    int reach_count;
    bool is_uncovered; /* no REACH covers the last tick: the disk is full */
    uint64_t ticket; /* of the last record for which publications wait */
    uint64_t mark_ticket; /* of the last record that is only a mark */

    uint64_t step_count; /* steps since the process has the world */
    uint64_t loud_step;  /* step_count at the last loud record */
    struct {
        uint64_t step, ticket;
    } ahead[SV_AHEAD_TICKS_MAX + 2]; /* records that may not be durable yet, oldest first */
    int ahead_count;
    bool is_stalled; /* the clock waits for the store */

    struct sv_report *outbox; /* reports that wait for the record, in order */
    int outbox_count, outbox_capacity;
    bool is_direct; /* reports made now depend on no entry and do not wait */

    struct sv_settled *settled; /* of sessions that are not members, while a world is recovered */
    int settled_count, settled_capacity;

    struct dd_kept *kept; /* sessions that their clients may resume after a restart */
    int kept_count, kept_capacity;

    bool has_orphans;     /* sessions from before the restart, see world_orphans.c */
    uint64_t orphan_tick; /* the tick at which the world was recovered */

    uint64_t stepped_ns;    /* time in steps since the last checkpoint ... */
    uint64_t checkpoint_ns; /* ... which was taken then */
    uint64_t checkpoint_number; /* the last record that the last checkpoint contains */
    bool is_checkpoint_due;
    bool has_checkpoint; /* a checkpoint has ever been taken */
    uint64_t age_us;     /* the world's age, across resets and loads */
    uint64_t aged_ns;    /* time in steps since the world was made */
};

#endif
