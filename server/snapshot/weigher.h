/*
 * weigher.h: compares what a client knows with a view, orders the differences by urgency, and makes
 * the state in between (budget.h).
 */
#ifndef SERVER_SNAPSHOT_WEIGHER_H
#define SERVER_SNAPSHOT_WEIGHER_H

#include "server/snapshot/scope.h"

/* Scratch for budgets, one per worker; zero-initialise. */
struct sv_weigher {
    struct sv_weigher_item *items;
    uint64_t *keys, *spare; /* the waiting bodies, to sort them by their waiting time */
    int32_t *order;
    int capacity;
};
void sv_weigher_finish(struct sv_weigher *weigher);

/* How long each body of a client has waited, by slot (budget.h); zero-initialise. */
struct sv_waits {
    uint32_t *waited;
    int slot_count;
};

/* A body of either state, or both, in ascending order of slots. */
struct sv_weigher_item {
    uint32_t slot;
    int32_t was, is; /* entries in the client's state and in the view; -1: not in it */
    bool is_taken;
};

/* A comparison; it must not outlive the two states. */
struct sv_weighing {
    struct sv_weigher *weigher;
    const struct wire_state *known, *now; /* known may be NULL */
    int item_count;
    bool is_same;    /* both states have the same bodies */
    int order_count; /* bodies that differ; they are in weigher->order, most urgent first */
    bool has_mixed;
    int taken_count; /* the first taken_count of them are in the mix */
};

/* Compares the states, and counts the waiting of bodies that differ.  False without memory. */
bool sv_weigh(struct sv_weighing *weighing, struct sv_weigher *weigher, struct sv_waits *waits,
    const struct sv_scope *scope, const struct wire_state *known, const struct wire_state *now);

/* Orders the bodies that differ: at most relevant_max of the always relevant ones come first. */
void sv_weigh_order(
    struct sv_weighing *weighing, const struct sv_scope *scope, int relevant_max);

/* An empty state with room for any mix.  NULL without memory. */
struct wire_state *sv_mix_create(const struct sv_weighing *weighing);

/* Makes `mix` the client's state, with the `count` most urgent bodies replaced by the view's. */
void sv_mix(struct sv_weighing *weighing, struct wire_state *mix, int count);

#endif
