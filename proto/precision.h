/*
 * precision.h: the resolution in which a world is shown.
 */
#ifndef PROTO_PRECISION_H
#define PROTO_PRECISION_H

/* Quanta: a value is an integer times its quantum.  They hold for all data sent to clients. */
struct wire_precision {
    double position; /* m */
    double angle;    /* rad, in the plane */
    double turn;     /* of a component of a unit quaternion, in space */
};

/* A quarter of a millimetre; a thousandth of a degree. */
#define WIRE_POSITION_SCALE (1.0 / 4096.0)
#define WIRE_ANGLE_SCALE (1.0 / 65536.0)
#define WIRE_TURN_SCALE (1.0 / 65536.0)

static inline struct wire_precision
wire_precision_default(void)
{
    return (struct wire_precision){WIRE_POSITION_SCALE, WIRE_ANGLE_SCALE, WIRE_TURN_SCALE};
}

#endif
