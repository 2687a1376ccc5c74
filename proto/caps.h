/*
 * caps.h: what one person may do to one body at a time.
 */
#ifndef PROTO_CAPS_H
#define PROTO_CAPS_H

#include <stdbool.h>

struct wire_caps {
    bool has_force, has_torque;
    double force;  /* N, of the forces that one person holds on a body, in sum; to CN_FORCE_MAX */
    double torque; /* N m, of the torques */
};

static inline bool
wire_caps_is_empty(const struct wire_caps *caps)
{
    return !caps->has_force && !caps->has_torque;
}

#endif
