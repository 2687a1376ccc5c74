/*
 * quant.h: converts the numbers of a snapshot to integers.
 *
 *     position [m]  = integer * precision.position
 *     angle [rad]   = integer * precision.angle      not wrapped: a wheel's turns are kept
 *     component     = integer * precision.turn       of a unit quaternion; all but one large one
 *
 * The unit quaternions q and -q are the same rotation in space.  The sign is chosen that makes the
 * component that is left out positive.  That one follows from the others.  It is the largest, or
 * the one of the state before, as long as that stays above WIRE_TURN_KEPT_MIN:
 *
 *     q_l = sqrt(1 - a^2 - b^2 - c^2),   |dq_l| <= |d(a, b, c)| sqrt(1 - q_l^2) / q_l
 *
 * A large one is left out because its error then stays below 2.2 times that of the others.
 *
 * The default scales are powers of two, so integer * scale is exact in a double and the error of
 * rounding is at most half a quantum.  A value beyond 32 bits (524 km by default) is clamped; NaN,
 * which a world never shows, becomes 0.
 */
#ifndef PROTO_QUANT_H
#define PROTO_QUANT_H

#include "engine/math/quat.h"
#include "proto/precision.h"

#include <math.h>
#include <stdint.h>

/* A component of this size that was left out in the last tick may stay left out. */
#define WIRE_TURN_KEPT_MIN 0.42
#define WIRE_TURN_NONE UINT32_MAX

/* Rounds to the nearest integer, halves upwards; `steps` is quanta per unit. */
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
    uint32_t largest; /* the component left out: 0 w, 1 x, 2 y, 3 z; of equals the first */
    int32_t rest[3];  /* the others in their order */
};

/*
 * `before` is the component that was left out of this rotation in the last tick, or WIRE_TURN_NONE.
 * It stays left out unless it has become small.  Reason: with two nearly equal components, the
 * columns would often change their meaning, and then the next values cannot be predicted.
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
