/*
 * snapshot_codec.h: what a world shows after a tick, as messages that are the same bytes for every
 * client.
 *
 * This is the seam behind which the format may change: who calls it knows neither columns nor
 * quanta.
 */
#ifndef PROTO_SNAPSHOT_CODEC_H
#define PROTO_SNAPSHOT_CODEC_H

#include "engine/cairn.h"
#include "proto/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each returns the size of the message and writes it when it fits. */
size_t wire_encode_snapshot(const struct wire_state *state, uint8_t *out, size_t out_size);
size_t wire_encode_energy(const struct cn_world *world, uint8_t *out, size_t out_size);

/* What sessions hold now, the first WIRE_ACTIONS_MAX rows of it. */
size_t wire_encode_actions(const struct cn_world *world, uint8_t *out, size_t out_size);

/* An EventFrame that names no event, only how many are lost; `out` holds 32 bytes. */
size_t wire_encode_events_lost(uint64_t tick, uint32_t count, uint8_t *out);

/*
 * These need scratch; 0 when there is no memory.  Of more than WIRE_CONTACTS_MAX contacts the first
 * ones in their order are shown and the others counted.
 */
size_t wire_encode_contacts(const struct cn_world *world, uint8_t *out, size_t out_size);
size_t wire_encode_events(const struct cn_world *world, uint8_t *out, size_t out_size);

#endif
