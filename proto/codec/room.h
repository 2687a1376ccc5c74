/*
 * room.h: properties of rooms between generated messages and values.
 */
#ifndef PROTO_CODEC_ROOM_H
#define PROTO_CODEC_ROOM_H

#include "proto/codec/check.h"
#include "proto/room.h"

#include <cairn/v1/wire.pb-c.h>

/* Whether it may name a property or a template: 1 to 31 letters, digits, '-', '_' and '.'. */
bool codec_room_word_check(const char *word, const char *path, struct wire_error *error);

/* False with *error filled; its path is below `path`, such as "properties". */
bool codec_room_properties_read(Cairn__V1__RoomProperty *const *in, size_t count,
    struct wire_room_properties *out, const char *path, struct wire_error *error);

bool codec_lobby_read(const Cairn__V1__Lobby *in, struct wire_room_filter *out,
    struct wire_error *error);

#endif
