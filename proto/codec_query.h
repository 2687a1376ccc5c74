/*
 * codec_query.h: converts queries between generated messages and values.
 */
#ifndef PROTO_CODEC_QUERY_H
#define PROTO_CODEC_QUERY_H

#include "proto/wire.h"

#include <cairn/v1/wire.pb-c.h>

/*
 * A query on the heap; NULL with *error filled, its path below `prefix`.  The engine has not
 * checked it yet.
 */
struct wire_query *codec_query_read(
    const Cairn__V1__Query *message, const char *prefix, struct wire_error *error);

#endif
