/*
 * codec_check.h: unpacking within a budget, and the checks that hold for every message.
 */
#ifndef PROTO_CODEC_CHECK_H
#define PROTO_CODEC_CHECK_H

#include "proto/wire.h"

#include <protobuf-c/protobuf-c.h>

/* One block out of which a message is unpacked; frees are ignored until codec_arena_finish. */
struct codec_arena {
    ProtobufCAllocator allocator;
    uint8_t *memory;
    size_t size, used;
};

/* Room for a message of `size` bytes; false when there is no memory. */
bool codec_arena_init(struct codec_arena *arena, size_t size);

/* The same for a whole scene from a daemon that is trusted: its bodies are mostly pointers. */
bool codec_arena_init_scene(struct codec_arena *arena, size_t size);
void codec_arena_finish(struct codec_arena *arena);

/*
 * NULL with *error filled when the bytes are not such a message, need more than the arena, or have
 * fields that this protocol does not know.  The message lives in the arena.
 */
ProtobufCMessage *codec_unpack(struct codec_arena *arena,
    const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes, size_t size,
    struct wire_error *error);

/* A message from JSON, with values that pass codec_check_values; NULL with *error filled. */
ProtobufCMessage *codec_json_parse(const ProtobufCMessageDescriptor *descriptor, const char *text,
    size_t size, struct wire_error *error);

/*
 * Every number finite, every text UTF-8 without control characters, every enumerator known; false
 * with *error filled, its path in JSON names below `path`.
 */
bool codec_check_values(
    const ProtobufCMessage *message, const char *path, struct wire_error *error);

/* Whether `text` is UTF-8 of at most size_max bytes without control characters. */
bool codec_text_is_clean(const char *text, size_t size_max);

/* Copies as much as fits, cut between two characters. */
void codec_text_copy(char *out, size_t out_size, const char *text);

#endif
