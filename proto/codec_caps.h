/*
 * codec_caps.h: caps between their message and their struct.
 */
#ifndef PROTO_CODEC_CAPS_H
#define PROTO_CODEC_CAPS_H

#include "proto/caps.h"

#include "cairn/v1/scene.pb-c.h"

/* The cap that is outside of its range. */
struct codec_caps_refused {
    const char *path, *unit; /* static text */
    double value;
};

/* NULL is a message without caps.  False with *refused filled when one is outside its range. */
bool codec_caps(const Cairn__V1__Caps *message, struct wire_caps *caps,
    struct codec_caps_refused *refused);
void codec_caps_build(const struct wire_caps *caps, Cairn__V1__Caps *message);

#endif
