/*
 * snapshot_codec.h: what a world shows after a tick, as shared frames.
 *
 * A view is taken from the world once, on its worker; the frames made from it are the same bytes
 * for every client.  This is the seam behind which the format may change: who calls it knows
 * neither columns nor quanta.
 *
 * Ownership: a view owns its arrays and keeps them between ticks (wire_view_finish frees them).
 */
#ifndef PROTO_SNAPSHOT_CODEC_H
#define PROTO_SNAPSHOT_CODEC_H

#include "engine/cairn.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire_view {
    uint64_t tick;
    uint32_t generation;
    double time; /* simulated seconds */
    uint64_t state_hash;
    uint32_t view_hash;
    /* One entry a body that is not static, in ascending order of slots. */
    int count, capacity;
    uint32_t *body;
    int32_t *x, *y, *z;   /* quanta, see quant.h; z in space alone */
    int32_t *angle;       /* in the plane alone */
    uint32_t *turn_largest; /* in space alone, as the next three */
    int32_t *turn_a, *turn_b, *turn_c;
    uint8_t *asleep; /* bit i % 8 of byte i / 8: entry i sleeps */
    int asleep_count;
    bool is_spatial;
    bool has_every_body; /* body[i] == i: the column is left out */
};

/* Zero-initialise a view before its first use. False when there is no memory. */
bool wire_view_take(struct wire_view *view, const struct cn_world *world, uint32_t generation);
void wire_view_finish(struct wire_view *view);

/*
 * FNV-1a over every entry's slot, x, y, angle; in space over slot, x, y, z, turn_largest, turn_a,
 * turn_b, turn_c; each as four bytes, little end first.
 */
uint32_t wire_view_hash(const struct wire_view *view);

/* Each returns the size of the message and writes it when it fits. */
size_t wire_encode_snapshot(const struct wire_view *view, uint8_t *out, size_t out_size);
size_t wire_encode_energy(const struct cn_world *world, uint8_t *out, size_t out_size);

/*
 * These need scratch; 0 when there is no memory.  Of more than WIRE_CONTACTS_MAX contacts the first
 * ones in their order are shown and the others counted.
 */
size_t wire_encode_contacts(const struct cn_world *world, uint8_t *out, size_t out_size);
size_t wire_encode_events(const struct cn_world *world, uint8_t *out, size_t out_size);

#endif
