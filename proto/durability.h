/*
 * durability.h: when changes of a world are safe on disk.
 */
#ifndef PROTO_DURABILITY_H
#define PROTO_DURABILITY_H

/* When an input is acknowledged, after which it cannot be lost. */
enum wire_durability {
    WIRE_DURABILITY_TICK,   /* once it is on disk; nothing is shown before */
    WIRE_DURABILITY_SECOND, /* within a second; showing does not wait */
    WIRE_DURABILITY_NONE,   /* never: the world ends with the process */
};

#endif
