/*
 * input.h: reads an Input; for decoders of a whole ClientMessage and of inputs alone.
 */
#ifndef PROTO_CODEC_INPUT_H
#define PROTO_CODEC_INPUT_H

#include "proto/codec.h"

#include <cairn/v1/wire.pb-c.h>

/* False with *error filled; its path begins with "input". */
bool codec_input_read(
    const Cairn__V1__Input *in, struct wire_input *out, struct wire_error *error);

#endif
