/*
 * weigher.h: how a client's picture differs from a view, what of it is urgent, and the state that
 * lies in between (budget.h).
 */
#ifndef SERVER_SNAPSHOT_WEIGHER_H
#define SERVER_SNAPSHOT_WEIGHER_H

#include "server/snapshot/budget.h"

/* A body of either state, or both, in ascending order of slots. */
struct sv_weigher_item {
    uint32_t slot;
    int32_t was, is; /* entries in what the client knows, and in the view; -1: not there */
    bool is_taken;
};

/* A comparison; lives while both states do. */
struct sv_weighing {
    struct sv_weigher *weigher;
    const struct wire_state *known, *now; /* known may be NULL */
    int item_count;
    bool is_same;    /* both have the same bodies */
    int order_count; /* of bodies that differ: weigher->order, items, the most urgent first */
    bool has_mixed;
    int taken_count; /* of these, the first that are in the mix */
};

/* Compares, and lets who differs wait longer.  False without memory. */
bool sv_weigh(struct sv_weighing *weighing, struct sv_weigher *weigher, struct sv_budget *budget,
    const struct sv_scope *scope, const struct wire_state *known, const struct wire_state *now);

/* Orders who differs; those who are always relevant first, at most relevant_max of them. */
void sv_weigh_order(
    struct sv_weighing *weighing, const struct sv_scope *scope, int relevant_max);

/* An empty state with room for every mix. NULL without memory. */
struct wire_state *sv_mix_create(const struct sv_weighing *weighing);

/* Makes `mix` what the client knows, but the `count` most urgent bodies as they are now. */
void sv_mix(struct sv_weighing *weighing, struct wire_state *mix, int count);

#endif
