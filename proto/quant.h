/*
 * quant.h: numbers of a snapshot as integers.
 *
 * position [m]  = integer * precision.position
 * angle [rad]   = integer * precision.angle      not wrapped: a wheel's turns are kept
 * component     = integer * precision.turn       of a unit quaternion; all but the largest
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
#include "proto/precision.h"

#include <math.h>
#include <stdint.h>

/* As good as the largest is a component of this size that was left out a tick ago. */
#define WIRE_TURN_KEPT_MIN 0.42
#define WIRE_TURN_NONE UINT32_MAX

/* To the nearest integer, halves upwards; `steps` is how many quanta one is. */
static inline int32_t
wire_quantise_by(double value, double steps)
{
    double place = value * steps + 0.5;
    if (place >= -2147483648.0 && place < 2147483647.0) {
        int32_t whole = (int32_t)place; /* towards zero */
        return whole - (whole > place);
    }
    return place > 0.0 ? INT32_MAX : place < 0.0 ? INT32_MIN : 0;
}

static inline int32_t
wire_quantise(double value, double scale)
{
    return wire_quantise_by(value, 1.0 / scale);
}

struct wire_turn {
    uint32_t largest; /* what is left out: 0 w, 1 x, 2 y, 3 z; of equals the first */
    int32_t rest[3];  /* the others in their order */
};

/*
 * `before` is the component that was left out of this rotation a tick ago, or WIRE_TURN_NONE.  It
 * is left out again while it is not small: a rotation near the border between two components would
 * else change its columns' meaning many times, and each time nothing could be predicted.
 */
static inline struct wire_turn
wire_turn_quantise_after(cn_quat q, double steps, uint32_t before)
{
    const double component[4] = {q.w, q.x, q.y, q.z};
    static const uint8_t rest[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    struct wire_turn turn = {.largest = before};
    if (before >= 4 || fabs(component[before]) < WIRE_TURN_KEPT_MIN) {
        turn.largest = 0;
        for (uint32_t i = 1; i < 4; i++) {
            if (fabs(component[i]) > fabs(component[turn.largest])) {
                turn.largest = i;
            }
        }
    }
    double signed_steps = component[turn.largest] < 0.0 ? -steps : steps;
    for (int k = 0; k < 3; k++) {
        turn.rest[k] = wire_quantise_by(component[rest[turn.largest][k]], signed_steps);
    }
    return turn;
}

static inline struct wire_turn
wire_turn_quantise(cn_quat q)
{
    return wire_turn_quantise_after(q, 1.0 / WIRE_TURN_SCALE, WIRE_TURN_NONE);
}

#endif
