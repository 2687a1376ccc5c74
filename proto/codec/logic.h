/*
 * logic.h: decodes the messages of members and of a logic, for client.c and peer_hear.c.
 */
#ifndef PROTO_CODEC_LOGIC_H
#define PROTO_CODEC_LOGIC_H

#include "proto/logic.h"
#include "proto/peer.h"

#include <cairn/v1/wire.pb-c.h>

/* NULL with *error filled; `path` ends with a point. */
struct wire_say *codec_say_read(
    const Cairn__V1__Say *in, const char *path, struct wire_error *error);
bool codec_logic_start_read(
    const Cairn__V1__LogicStart *in, struct wire_logic_start *out, struct wire_error *error);
struct wire_logic_done *codec_logic_done_read(
    const Cairn__V1__LogicDone *in, struct wire_error *error);

/* For peer_hear.c.  NULL with *error filled. */
struct wire_heard_said *codec_said_hear(const Cairn__V1__Said *in, struct wire_error *error);
void codec_logic_tick_hear(
    const Cairn__V1__LogicTick *in, struct wire_heard_logic_tick *out);

#endif
