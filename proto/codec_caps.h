/*
 * codec_caps.h: caps between their message and their struct.
 */
#ifndef PROTO_CODEC_CAPS_H
#define PROTO_CODEC_CAPS_H

#include "proto/caps.h"

#include "cairn/v1/scene.pb-c.h"

/* NULL is a message without caps.  False when *refused is outside its range. */
bool codec_caps(const Cairn__V1__Caps *message, struct wire_caps *caps, double *refused);
void codec_caps_build(const struct wire_caps *caps, Cairn__V1__Caps *message);

#endif
