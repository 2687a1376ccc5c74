/*
 * quant.h: numbers of a snapshot as integers.
 *
 * position [m]  = integer * WIRE_POSITION_SCALE   a quarter of a millimetre
 * angle [rad]   = integer * WIRE_ANGLE_SCALE      not wrapped: a wheel's turns are kept
 * component     = integer * WIRE_TURN_SCALE       of a unit quaternion; all but the largest
 *
 * A rotation in space is a unit quaternion q or -q, so the sign that makes the largest component
 * positive is chosen, and that component, at least 1/2, follows from the others:
 *
 *     q_l = sqrt(1 - a^2 - b^2 - c^2),   |dq_l| <= |d(a, b, c)| sqrt(1 - q_l^2) / q_l
 *
 * which is why it is the largest that is left out: the error of what is left out stays below twice
 * that of the others.
 *
 * All scales are powers of two, so integer * scale is exact in a double and the error of rounding
 * is at most half a quantum.  A value beyond 32 bits (524 km) stops at the edge; one that is not a
 * number, which a world never shows, is 0.
 */
#ifndef PROTO_QUANT_H
#define PROTO_QUANT_H

#include "engine/math/quat.h"

#include <math.h>
#include <stdint.h>

#define WIRE_POSITION_SCALE (1.0 / 4096.0)
#define WIRE_ANGLE_SCALE (1.0 / 65536.0)
#define WIRE_TURN_SCALE (1.0 / 65536.0)

/* To the nearest integer, halves upwards. */
static inline int32_t
wire_quantise(double value, double scale)
{
    double steps = floor(value / scale + 0.5);
    if (steps >= 2147483647.0) {
        return INT32_MAX;
    }
    if (steps <= -2147483648.0) {
        return INT32_MIN;
    }
    return steps == steps ? (int32_t)steps : 0;
}

struct wire_turn {
    uint32_t largest; /* 0 w, 1 x, 2 y, 3 z; of equals the first */
    int32_t rest[3];  /* the others in their order */
};

static inline struct wire_turn
wire_turn_quantise(cn_quat q)
{
    const double component[4] = {q.w, q.x, q.y, q.z};
    struct wire_turn turn = {0};
    for (uint32_t i = 1; i < 4; i++) {
        if (fabs(component[i]) > fabs(component[turn.largest])) {
            turn.largest = i;
        }
    }
    double sign = component[turn.largest] < 0.0 ? -1.0 : 1.0;
    for (uint32_t i = 0, k = 0; i < 4; i++) {
        if (i != turn.largest) {
            turn.rest[k++] = wire_quantise(sign * component[i], WIRE_TURN_SCALE);
        }
    }
    return turn;
}

#endif
