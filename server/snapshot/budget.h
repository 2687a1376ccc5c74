/*
 * budget.h: what one client is shown who has only so many bytes a second (WIRE.md, "Budgets").
 *
 * Bytes are earned as time goes, by the nanosecond, and at most SV_BUDGET_PARTS of a second's are
 * kept.  Every tick that is sent, TickHeader and Delta with their frames, is paid for; what turns
 * out not to have been sent is paid back.  So what is sent in any span of time is never more than
 * is earned in it and what was kept before it.
 *
 * While the client has everything and the view's own delta can be paid, it is sent that one, which
 * others share.  Otherwise it gets a message of its own: a delta of first order from what it knows
 * to a state in which the most urgent bodies are as they are now and the others as it knows them.
 *
 *     every message a body that is not as the client knows it waits longer, by
 *         1 + error (0 to 4: wrong by more than 1 mm, 1 cm, 1 dm, 1 m, or as much of a radian;
 *                    4: it is new, or gone)
 *           + near  (0 to 3: within the inner quarter of the area 3, half 2, three quarters 1),
 *     those who are always relevant go first, in at most half of the bytes, then who waited longest
 *
 * so with W = 8 the greatest and 1 the least step, N bodies that all move, and m of them that go
 * into the half of a message, none waits for more than 2 (1 + W) N / m messages: those who go
 * before it in the second half of that time have each waited for 1 / (2 W) of it since the last
 * time.
 *
 * Where the view's own deltas cost no more than is earned, and only the first is missing that they
 * build upon, bytes are kept until all of the view can be paid at once, if that is not more than is
 * kept at most.
 *
 * What was sent is what the network thread says, through the message itself: it may lie on its way,
 * be replaced by a newer one, or meet a socket that is full.  The next message builds upon the last
 * that is known to have gone.
 *
 * A world that stands still is shown to the client when all that is missing can be paid at once;
 * bytes are kept until then.
 *
 * Threads: a budget belongs to its world's worker; an sv_own to both threads, see there.
 */
#ifndef SERVER_SNAPSHOT_BUDGET_H
#define SERVER_SNAPSHOT_BUDGET_H

#include "server/snapshot/scope.h"
#include "server/snapshot/view.h"

/*
 * One client's message of one tick.  Its maker writes it; then only the two counters change.  The
 * network thread notes what it sent before it lets go; a message that only its budget still holds
 * has its fate.
 */
struct sv_own {
    atomic_uint ref_count;
    atomic_uint sent_size; /* bytes of the whole tick; 0: not sent */
    uint32_t epoch;        /* of the client, for which it was made */
    uint32_t charge;       /* bytes that were paid */
    bool is_whole;         /* nothing was held back: the state is the view's */
    struct sv_buffer *message;
    struct wire_state *state; /* of the client, once it has the message */
    int slot_count;           /* that it tells */
    uint32_t slots[];
};
struct sv_own *sv_own_ref(struct sv_own *own);
void sv_own_unref(struct sv_own *own); /* takes NULL */

/* What budgets work with, one worker's; zero-initialise. */
struct sv_weigher {
    struct sv_weigher_item *items;
    uint64_t *keys, *spare; /* what waits, in order of its waiting */
    int32_t *order;
    int capacity;
};
void sv_weigher_finish(struct sv_weigher *weigher);

struct sv_budget {
    uint32_t bytes_per_second, rate_hz, epoch;
    uint64_t time_ns; /* up to which bytes were earned */
    uint64_t earned;  /* bytes * SV_NS_PER_S */
    uint64_t owed;    /* bytes that the rest takes in a world that stands still; 0: none */
    struct wire_state *known[2]; /* of the client, the newest first; NULL: none */
    bool is_whole[2];
    struct sv_own *pending[SV_BUDGET_PENDING_MAX]; /* whose fate is not known, the oldest first */
    int pending_count;
    uint32_t *waited; /* by slot */
    int slot_count;
    bool has_made;
    uint64_t made_tick;
};

/* NULL without memory. */
struct sv_budget *sv_budget_create(uint64_t now_ns);
void sv_budget_destroy(struct sv_budget *budget); /* takes NULL */

/* The client wants this from now on; of another epoch it knows nothing. */
void sv_budget_set(
    struct sv_budget *budget, uint32_t bytes_per_second, uint32_t rate_hz, uint32_t epoch);

/* The client has forgotten everything. */
void sv_budget_restart(struct sv_budget *budget);

/* A tick of its world. */
struct sv_moment {
    uint64_t now_ns;
    double tick_rate_hz;
    bool is_going_on;
    size_t header_size; /* of the client's TickHeader, framed, at most */
};

/*
 * What the client is to be shown of the view, which is the scope's: a reference; NULL when there is
 * nothing that it can be shown now.  The scope has looked at the scene.
 */
struct sv_own *sv_budget_make(struct sv_budget *budget, const struct sv_scope *scope,
    struct sv_view *view, struct sv_view_tools *tools, struct sv_weigher *weigher,
    const struct sv_moment *moment);

/* When a world that stands still should be shown again for its sake; UINT64_MAX: need not. */
uint64_t sv_budget_wanted_ns(const struct sv_budget *budget);

#endif
