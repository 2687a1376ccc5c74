/*
 * peer_field.c: the kind of a daemon's message and the sizes of its fields, without decoding it.
 */
#include "proto/peer.h"

#include <cairn/v1/wire.pb-c.h>

const char *
wire_server_kind_name(enum wire_server_kind kind)
{
    switch (kind) {
#define X(NAME, number, text)                                                                      \
    case WIRE_SERVER_##NAME:                                                                       \
        return text;
        WIRE_SERVER_TABLE(X)
#undef X
    case WIRE_SERVER_NONE:
        break;
    }
    return NULL;
}

/* A tag is a varint: the field's number, then three bits of the wire type. */
enum wire_server_kind
wire_server_kind(const uint8_t *bytes, size_t size)
{
    uint32_t tag = size > 0 ? bytes[0] : 0;
    if (tag >= 0x80 && size > 1) {
        tag = (tag & 0x7f) | (uint32_t)bytes[1] << 7;
    }
    uint32_t number = tag >> 3;
    bool is_message = (tag & 7) == 2 && number < WIRE_SERVER_KINDS_MAX;
    enum wire_server_kind kind = is_message ? (enum wire_server_kind)number : WIRE_SERVER_NONE;
    return wire_server_kind_name(kind) != NULL ? kind : WIRE_SERVER_NONE;
}

/* ---- fields ---- */

/* 0 if the bytes end within the varint. */
static size_t
read_varint(const uint8_t *bytes, size_t size, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < size && i < 10; i++) {
        *value |= (uint64_t)(bytes[i] & 0x7f) << (7 * i);
        if (bytes[i] < 0x80) {
            return i + 1;
        }
    }
    return 0;
}

/* The size of the field after its tag; 0 if the bytes end before it does. */
static size_t
field_body_size(const uint8_t *bytes, size_t size, unsigned wire_type)
{
    uint64_t value;
    size_t used = 0, whole = 0;
    switch (wire_type) {
    case 0:
        whole = read_varint(bytes, size, &value);
        break;
    case 1:
        whole = 8;
        break;
    case 2:
        used = read_varint(bytes, size, &value);
        whole = used > 0 && value <= size ? used + (size_t)value : 0;
        break;
    case 5:
        whole = 4;
        break;
    default:
        break;
    }
    return whole <= size ? whole : 0;
}

void
wire_server_field_sizes(const uint8_t *bytes, size_t size, uint64_t sizes[WIRE_FIELDS_MAX])
{
    uint64_t tag, inner_size;
    size_t used = read_varint(bytes, size, &tag);
    size_t length = used > 0 && (tag & 7) == 2
        ? read_varint(bytes + used, size - used, &inner_size)
        : 0;
    for (size_t at = used + length; length > 0 && at < size;) {
        size_t tag_size = read_varint(bytes + at, size - at, &tag);
        size_t body = tag_size > 0
            ? field_body_size(bytes + at + tag_size, size - at - tag_size, tag & 7)
            : 0;
        if (body == 0) {
            return;
        }
        if (tag >> 3 < WIRE_FIELDS_MAX) {
            sizes[tag >> 3] += tag_size + body;
        }
        at += tag_size + body;
    }
}

const char *
wire_server_field_name(enum wire_server_kind kind, unsigned number)
{
    const ProtobufCFieldDescriptor *member = protobuf_c_message_descriptor_get_field(
        &cairn__v1__server_message__descriptor, (unsigned)kind);
    const ProtobufCFieldDescriptor *field = member != NULL
        ? protobuf_c_message_descriptor_get_field(member->descriptor, number)
        : NULL;
    return field != NULL ? field->name : NULL;
}
