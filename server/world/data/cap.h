/*
 * cap.h: caps on pushes on a body, where an instructor has changed those of the scene.
 *
 * A table in ascending order of bodies, with at most SV_LEASES_MAX entries.
 *
 * Ownership: finish; the table grows up to its bound.
 * Threads: its world's.
 */
#ifndef SERVER_WORLD_DATA_CAP_H
#define SERVER_WORLD_DATA_CAP_H

#include "proto/codec.h"

/* All zero is an empty table. */
struct sv_caps {
    struct wire_capped *entries;
    int count, capacity;
};

void sv_caps_finish(struct sv_caps *caps);

/* Returns NULL where the scene's own limits hold. */
const struct wire_caps *sv_caps_find(const struct sv_caps *caps, int32_t body);

/* Empty caps remove the body's entry.  False when the table is full, or without memory. */
bool sv_caps_set(struct sv_caps *caps, int32_t body, const struct wire_caps *value);

#endif
