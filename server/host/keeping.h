/*
 * keeping.h: how a world is kept: its way into the store, and what is on that way.
 *
 *     letters -> deeds -> record --append--> ticket        publication, reports
 *                            |                                    |
 *                          lane ----- durable up to ----->  shown by the network thread
 *
 * Deeds that are done between two ticks become one record, which is appended before the step, so
 * that the flush hides behind it.  Publications and reports carry the ticket of all that they can
 * be seen to depend on.  The hash of a world in which nobody is joined is in no hurry, and goes
 * with the next commit, a second later at most.  A world may be SV_AHEAD_TICKS_MAX ticks ahead of
 * what is durable; then its clock waits.  Where the lane has no room nothing acts and nothing
 * steps.
 *
 * Ownership: a part of its world.  Threads: its worker's.
 */
#ifndef SERVER_HOST_KEEPING_H
#define SERVER_HOST_KEEPING_H

#include "server/host/deed.h"
#include "server/mail/letter.h"
#include "server/store/lane.h"

/* Steps of a world beyond the last one whose inputs are durable; at the wall its clock waits. */
#define SV_AHEAD_TICKS_MAX 6

/* Bytes of deeds that one letter can cause, with what a lost lease lets go: most are far below. */
#define SV_DEEDS_MARGIN ((size_t)256 * 1024)

/* The memory for so many is there before a letter acts: its number, its command, and releases. */
#define SV_DEEDS_READY ((size_t)2 * 1024)

/*
 * And for so many between two ticks that have nothing special; what more was needed once is given
 * back, or all worlds together would hold the sum of what each has needed in its worst moment.
 */
#define SV_DEEDS_KEPT (2 * SV_DEEDS_READY)

/* How often a world looks again whether its clock may go on. */
#define SV_STALL_PERIOD_NS UINT64_C(1000000)

/* A checkpoint is due after so much time in steps, or so much time at all. */
#define SV_CHECKPOINT_STEPS_NS (UINT64_C(2) * 1000 * 1000 * 1000)
#define SV_CHECKPOINT_PERIOD_NS (UINT64_C(30) * 1000 * 1000 * 1000)

/*
 * Where a past is kept, a checkpoint is due after so much time in steps, too, so that no tick of it
 * is farther from one; but not more often than so, since each is a file and a commit.
 */
#define SV_RUNG_STEPS_NS (UINT64_C(50) * 1000 * 1000)
#define SV_RUNG_PERIOD_NS (UINT64_C(1000) * 1000 * 1000)

/* How often a world that rests looks again whether the store takes its checkpoint. */
#define SV_CHECKPOINT_RETRY_NS (UINT64_C(100) * 1000 * 1000)

/* A session's last input that the world has settled. */
struct sv_settled {
    uint64_t session, seq;
};

struct sv_keeping {
    struct sv_lane *lane; /* NULL: nothing is kept, the members below are not used */
    enum wire_durability durability;
    struct sv_trail trail;
    unsigned char content[SV_CONTENT_SIZE]; /* of the scene that was loaded */
    bool is_replaying;                      /* deeds are done again: nobody is told */

    struct sv_deeds deeds; /* of the record that is being made */
    uint64_t record_tick;  /* at which it begins */
    bool has_mark;         /* it says the exact hash at that tick */
    uint64_t mark_hash;
    uint64_t ticket; /* of the last record that is waited for */
    uint64_t mark_ticket; /* of the last one that is a mark alone */

    uint64_t step_count; /* since the process has the world */
    struct {
        uint64_t step, ticket;
    } ahead[SV_AHEAD_TICKS_MAX + 2]; /* records that may not be durable yet, oldest first */
    int ahead_count;
    bool is_stalled; /* the clock waits for the store */

    struct sv_report *outbox; /* reports that wait for the record, in order */
    int outbox_count, outbox_capacity;
    bool is_direct; /* what is said now depends on no deed, and does not wait */

    struct sv_settled *settled; /* of sessions that are no members: while a world comes back */
    int settled_count, settled_capacity;

    uint64_t stepped_ns;    /* time in steps since the last checkpoint was taken ... */
    uint64_t checkpoint_ns; /* ... which was then */
    uint64_t checkpoint_number; /* the last record in it */
    bool is_checkpoint_due;
    bool has_checkpoint; /* one has been taken, ever */
    uint64_t age_us;     /* time that the world has been through, resets and loads included */
    uint64_t aged_ns;    /* time in steps since it was made */
};

#endif
