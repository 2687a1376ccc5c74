/*
 * durability.h: when what is done to a world is safe.
 */
#ifndef PROTO_DURABILITY_H
#define PROTO_DURABILITY_H

/* When an input is acknowledged, and so can not be lost. */
enum wire_durability {
    WIRE_DURABILITY_TICK,   /* once it is on the disk, and nothing is shown before */
    WIRE_DURABILITY_SECOND, /* within a second; what is shown does not wait */
    WIRE_DURABILITY_NONE,   /* never: the world goes with the process */
};

#endif
