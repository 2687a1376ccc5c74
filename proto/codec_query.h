/* codec_query.h: questions about a world, between generated messages and values. */
#ifndef PROTO_CODEC_QUERY_H
#define PROTO_CODEC_QUERY_H

#include "proto/wire.h"

#include <cairn/v1/wire.pb-c.h>

/* On the heap; NULL with *error filled, its path below `prefix`. Not yet checked by the engine. */
struct wire_query *codec_query_read(
    const Cairn__V1__Query *message, const char *prefix, struct wire_error *error);

#endif
