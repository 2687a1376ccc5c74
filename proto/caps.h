/*
 * caps.h: limits on the force and torque of one person on one body.
 */
#ifndef PROTO_CAPS_H
#define PROTO_CAPS_H

#include <stdbool.h>

struct wire_caps {
    bool has_force, has_torque;
    /* N, on the sum of the forces that one person holds on a body; at most CN_FORCE_MAX */
    double force;
    double torque; /* N m, on the sum of the torques */
};

static inline bool
wire_caps_is_empty(const struct wire_caps *caps)
{
    return !caps->has_force && !caps->has_torque;
}

#endif
