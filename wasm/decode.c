/*
 * decode.c: reads a ClientMessage that is an input or a query.
 *
 * wire_client_decode() reads every kind of message and so needs the descriptors of all of them,
 * which are a large part of a small module.  Here the frame of the message is read by hand: it is
 * one field, whose number is that of the kind.
 */
#include "wasm/inside.h"

#include "engine/base/assert.h"
#include "proto/codec.h"
#include "proto/codec/check.h"
#include "proto/codec/input.h"
#include "proto/codec_query.h"

#include <string.h>

#define WIRE_TYPE_BYTES 2u /* of protobuf: a field with a length */

static bool
read_varint(const uint8_t *bytes, size_t size, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < size && shift < 64; shift += 7) {
        uint8_t byte = bytes[(*at)++];
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return true;
        }
    }
    return false;
}

/* Moves *at to the content, which reaches to the end; false if the message is another one. */
static bool
find_content(const uint8_t *bytes, size_t size, uint32_t field, size_t *at)
{
    uint64_t tag, length;
    *at = 0;
    return read_varint(bytes, size, at, &tag) && tag == (field << 3 | WIRE_TYPE_BYTES) &&
        read_varint(bytes, size, at, &length) && length == size - *at;
}

static bool
read_content(const ProtobufCMessage *in, struct wire_client_message *out, struct wire_error *error)
{
#ifndef WASM_WITHOUT_QUERIES
    if (out->kind == WIRE_CLIENT_QUERY) {
        const Cairn__V1__Query *query = (const Cairn__V1__Query *)in;
        out->query.request = query->request;
        out->query.take = codec_query_read(query, "query.", error);
        return out->query.take != NULL;
    }
#endif
    return codec_input_read((const Cairn__V1__Input *)in, &out->input, error);
}

/* The messages that this module reads. */
static const struct content {
    enum wire_client_kind kind;
    uint32_t field;
    const ProtobufCMessageDescriptor *descriptor;
    const char *name, *refusal;
} contents[] = {
    {WIRE_CLIENT_INPUT, CAIRN__V1__CLIENT_MESSAGE__MESSAGE_INPUT, &cairn__v1__input__descriptor,
        "input", "is no input"},
#ifndef WASM_WITHOUT_QUERIES
    {WIRE_CLIENT_QUERY, CAIRN__V1__CLIENT_MESSAGE__MESSAGE_QUERY, &cairn__v1__query__descriptor,
        "query", "is no query"},
#endif
};

static const struct content *
content_find(enum wire_client_kind kind)
{
    size_t i = 0;
    while (contents[i].kind != kind) {
        i++;
        CN_ASSERT(i < sizeof(contents) / sizeof(contents[0]));
    }
    return &contents[i];
}

bool
wa_decode(const uint8_t *bytes, size_t size, enum wire_client_kind kind,
    struct wire_client_message *message)
{
    const struct content *content = content_find(kind);
    memset(message, 0, sizeof(*message));
    message->kind = kind;
    size_t at;
    if (!find_content(bytes, size, content->field, &at)) {
        wa_note_error("", content->refusal);
        return false;
    }
    struct codec_arena arena;
    if (!codec_arena_init(&arena, size)) {
        return wa_note_memory();
    }
    struct wire_error error;
    const ProtobufCMessage *in =
        codec_unpack(&arena, content->descriptor, bytes + at, size - at, &error);
    bool is_read = in != NULL && codec_check_values(in, content->name, &error) &&
        read_content(in, message, &error);
    codec_arena_finish(&arena);
    if (!is_read) {
        wa_note_error(error.path, error.text);
    }
    return is_read;
}
