/*
 * caps.h: converts caps between their message and their struct.
 */
#ifndef PROTO_CODEC_CAPS_H
#define PROTO_CODEC_CAPS_H

#include "proto/caps.h"

#include "cairn/v1/scene.pb-c.h"

/* A cap that is out of its range. */
struct codec_caps_refused {
    const char *path, *unit; /* static text */
    double value;
};

/* NULL is a message without caps.  False with *refused filled when a cap is out of its range. */
bool codec_caps(const Cairn__V1__Caps *message, struct wire_caps *caps,
    struct codec_caps_refused *refused);
void codec_caps_build(const struct wire_caps *caps, Cairn__V1__Caps *message);

#endif
