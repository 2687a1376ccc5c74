/*
 * check.h: unpacks messages within a memory budget, and checks what holds for every message.
 */
#ifndef PROTO_CODEC_CHECK_H
#define PROTO_CODEC_CHECK_H

#include "proto/wire.h"

#include <protobuf-c/protobuf-c.h>

/*
 * A block of memory into which a message is unpacked; frees are ignored until codec_arena_finish.
 */
struct codec_arena {
    ProtobufCAllocator allocator;
    uint8_t *memory;
    size_t size, used;
};

/* Reserves room for a message of `size` bytes; false without memory. */
bool codec_arena_init(struct codec_arena *arena, size_t size);

/*
 * The same with more room, for a scene from a trusted daemon and for the answer of a logic: their
 * parts are mostly pointers.
 */
bool codec_arena_init_scene(struct codec_arena *arena, size_t size);
void codec_arena_finish(struct codec_arena *arena);

/*
 * Unpacks a message into the arena.  NULL with *error filled when the bytes are not such a message,
 * need more memory than the arena has, or have fields unknown to this protocol.
 */
ProtobufCMessage *codec_unpack(struct codec_arena *arena,
    const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes, size_t size,
    struct wire_error *error);

/* A message from JSON, with values that pass codec_check_values; NULL with *error filled. */
ProtobufCMessage *codec_json_parse(const ProtobufCMessageDescriptor *descriptor, const char *text,
    size_t size, struct wire_error *error);

/*
 * Whether all numbers are finite, all texts UTF-8 without control characters, and all enumerators
 * known.  False with *error filled; its path is in JSON names below `path`.
 */
bool codec_check_values(
    const ProtobufCMessage *message, const char *path, struct wire_error *error);

/* Whether `text` is UTF-8 of at most size_max bytes without control characters. */
bool codec_text_is_clean(const char *text, size_t size_max);

/* A hash as 16 hex digits with the terminator, and the reverse; false: it is no such text. */
#define CODEC_HASH_SIZE 17
char *codec_hash_text(char out[CODEC_HASH_SIZE], uint64_t hash);
bool codec_hash_read(const char *text, uint64_t *hash);

/* Copies as much as fits, cut between two characters. */
void codec_text_copy(char *out, size_t out_size, const char *text);

#endif
