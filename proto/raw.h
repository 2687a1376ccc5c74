/*
 * raw.h: a world's bodies as columns of float32, for programs that view them where they lie.
 *
 * One block of bytes: the slots as uint32, then the columns one after the other, all little end
 * first, each as long as the message's count.  It begins at a multiple of 8 bytes of the message,
 * so that typed arrays can view it without a copy.
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
 * ServerMessage {raw}: the entries of `state`, as they are in `world`, of which it was taken at
 * this tick.  False without memory.
 */
bool wire_encode_raw(struct wire_encoder *encoder, const struct cn_world *world,
    const struct wire_state *state);

#endif
