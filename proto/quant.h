/*
 * quant.h: numbers of a snapshot as integers.
 *
 * position [m]  = integer * WIRE_POSITION_SCALE   a quarter of a millimetre
 * angle [rad]   = integer * WIRE_ANGLE_SCALE      not wrapped: a wheel's turns are kept
 *
 * Both scales are powers of two, so integer * scale is exact in a double and the error of rounding
 * is at most half a quantum.  A value beyond 32 bits (524 km) stops at the edge; one that is not a
 * number, which a world never shows, is 0.
 */
#ifndef PROTO_QUANT_H
#define PROTO_QUANT_H

#include <math.h>
#include <stdint.h>

#define WIRE_POSITION_SCALE (1.0 / 4096.0)
#define WIRE_ANGLE_SCALE (1.0 / 65536.0)

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

#endif
