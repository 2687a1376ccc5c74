/*
 * raw.h: a world's bodies as columns of float32, which a client can use without copying.
 *
 * One block of bytes: the slots as uint32, then the columns one after another, all little-endian,
 * each as long as the message's count.  It begins at a multiple of 8 bytes of the message, so that
 * typed arrays can view it without a copy.
 *
 *     planar   x, y, angle, velocity x, y, angular velocity
 *     spatial  x, y, z, quaternion w, x, y, z, velocity x, y, z, angular velocity x, y, z
 *
 * m, rad, m/s, rad/s; positions are of the body's frame, velocities of its centre of mass.
 */
#ifndef PROTO_RAW_H
#define PROTO_RAW_H

#include "proto/delta.h"

#define WIRE_RAW_COLUMNS_PLANAR 6
#define WIRE_RAW_COLUMNS_SPATIAL 13

/*
 * Encodes ServerMessage {raw}: the entries of `state` with their values in `world`, from which the
 * state was taken at this tick.  False without memory.
 */
bool wire_encode_raw(struct wire_encoder *encoder, const struct cn_world *world,
    const struct wire_state *state);

#endif
