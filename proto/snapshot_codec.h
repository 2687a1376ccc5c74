/*
 * snapshot_codec.h: encodes the frames of a tick, as messages with the same bytes for every client.
 *
 * Only this module knows the format of columns and quanta, so the format can change without a
 * change of its callers.
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

/* Encodes the held inputs of all sessions; at most WIRE_ACTIONS_MAX rows. */
size_t wire_encode_actions(const struct cn_world *world, uint8_t *out, size_t out_size);

/* Encodes an EventFrame without events that says how many are lost; `out` has 32 bytes. */
size_t wire_encode_events_lost(uint64_t tick, uint32_t count, uint8_t *out);

/*
 * These need scratch; 0 without memory.  If there are more than WIRE_CONTACTS_MAX contacts, the
 * first ones are encoded and the others counted.
 */
size_t wire_encode_contacts(const struct cn_world *world, uint8_t *out, size_t out_size);
size_t wire_encode_events(const struct cn_world *world, uint8_t *out, size_t out_size);

#endif
