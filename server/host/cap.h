/*
 * cap.h: what an instructor lets each person do to a body, where that is not what the scene says.
 *
 * A table in ascending order of bodies, of at most SV_LEASES_MAX entries.
 *
 * Ownership: finish; the table grows up to its bound.  Threads: its world's.
 */
#ifndef SERVER_HOST_CAP_H
#define SERVER_HOST_CAP_H

#include "proto/codec.h"

/* All zero is an empty table. */
struct sv_caps {
    struct wire_capped *entries;
    int count, capacity;
};

void sv_caps_finish(struct sv_caps *caps);

/* NULL: what the scene says. */
const struct wire_caps *sv_caps_find(const struct sv_caps *caps, int32_t body);

/* Empty ones take the body's entry away.  False at the bound, or without memory. */
bool sv_caps_set(struct sv_caps *caps, int32_t body, const struct wire_caps *value);

#endif
