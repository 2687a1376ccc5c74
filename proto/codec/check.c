#include "proto/codec/check.h"
#include "engine/base/assert.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_SIZE_MIN ((size_t)64 * 1024)
#define ARENA_FACTOR 8
#define ARENA_SCENE_FACTOR 64

static void *
arena_alloc(void *context, size_t size)
{
    struct codec_arena *arena = context;
    size_t start = (arena->used + 15) & ~(size_t)15;
    CN_ASSERT(arena->used <= arena->size);
    if (size > arena->size || start > arena->size - size) {
        return NULL;
    }
    arena->used = start + size;
    CN_ASSERT(arena->used <= arena->size);
    return arena->memory + start;
}

static void
arena_free(void *context, void *memory)
{
    (void)context;
    (void)memory;
}

static bool
arena_init(struct codec_arena *arena, size_t size)
{
    arena->size = size > ARENA_SIZE_MIN ? size : ARENA_SIZE_MIN;
    arena->used = 0;
    arena->memory = malloc(arena->size);
    arena->allocator = (ProtobufCAllocator){
        .alloc = arena_alloc, .free = arena_free, .allocator_data = arena};
    return arena->memory != NULL;
}

bool
codec_arena_init(struct codec_arena *arena, size_t size)
{
    return arena_init(arena, size * ARENA_FACTOR);
}

bool
codec_arena_init_scene(struct codec_arena *arena, size_t size)
{
    return arena_init(arena, size * ARENA_SCENE_FACTOR);
}

void
codec_arena_finish(struct codec_arena *arena)
{
    CN_ASSERT(arena->used <= arena->size);
    free(arena->memory);
    arena->memory = NULL;
}

/* ---- walking a message by its descriptor ---- */

static const void *
member_of(const ProtobufCMessage *message, unsigned offset)
{
    return (const char *)message + offset;
}

/* Returns how many values of this field the message has, and sets *first to the first value. */
static size_t
field_values(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field,
    const char **values)
{
    const void *place = member_of(message, field->offset);
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        memcpy(values, place, sizeof(*values));
        size_t count;
        memcpy(&count, member_of(message, field->quantifier_offset), sizeof(count));
        return count;
    }
    *values = place;
    if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0) {
        uint32_t which;
        memcpy(&which, member_of(message, field->quantifier_offset), sizeof(which));
        return which == field->id ? 1 : 0;
    }
    if (field->type == PROTOBUF_C_TYPE_MESSAGE || field->type == PROTOBUF_C_TYPE_STRING) {
        const void *pointer;
        memcpy(&pointer, place, sizeof(pointer));
        return pointer != NULL ? 1 : 0;
    }
    return 1;
}

static size_t
value_size(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        return 8;
    case PROTOBUF_C_TYPE_MESSAGE:
    case PROTOBUF_C_TYPE_STRING:
        return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    default:
        return 4;
    }
}

/* "bodies" + "angular_velocity" + 3 -> "bodies.angularVelocity[3]" */
static void
extend_path(char *out, size_t out_size, const char *path, const ProtobufCFieldDescriptor *field,
    size_t index)
{
    size_t used = (size_t)snprintf(out, out_size, "%s%s", path, path[0] != '\0' ? "." : "");
    for (const char *c = field->name; *c != '\0' && used + 1 < out_size; c++) {
        if (*c == '_' && c[1] >= 'a' && c[1] <= 'z') {
            c++;
            out[used++] = (char)(*c - 'a' + 'A');
        } else {
            out[used++] = *c;
        }
    }
    if (used >= out_size) {
        used = out_size - 1;
    }
    CN_ASSERT(used < out_size);
    out[used] = '\0';
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        snprintf(out + used, out_size - used, "[%zu]", index);
    }
}

static bool
check_value(const ProtobufCFieldDescriptor *field, const char *value, const char *path,
    struct wire_error *error)
{
    double number = 0.0;
    float single;
    const char *text;
    int32_t enumerator;
    switch (field->type) {
    case PROTOBUF_C_TYPE_DOUBLE:
        memcpy(&number, value, sizeof(number));
        break;
    case PROTOBUF_C_TYPE_FLOAT:
        memcpy(&single, value, sizeof(single));
        number = (double)single;
        break;
    case PROTOBUF_C_TYPE_STRING:
        memcpy(&text, value, sizeof(text));
        if (!codec_text_is_clean(text, SIZE_MAX)) {
            wire_error_set(error, "NAME", path,
                "is not accepted; a text is UTF-8 without control characters");
            return false;
        }
        break;
    case PROTOBUF_C_TYPE_ENUM:
        memcpy(&enumerator, value, sizeof(enumerator));
        if (protobuf_c_enum_descriptor_get_value(field->descriptor, enumerator) == NULL) {
            wire_error_set(error, "UNKNOWN", path, "is %d, which is no enumerator", enumerator);
            return false;
        }
        break;
    default:
        break;
    }
    if (!isfinite(number)) {
        wire_error_set(error, "FINITE", path, "is not finite");
        return false;
    }
    return true;
}

/* Every integer is valid, so long columns of integers are not checked one by one. */
static bool
can_be_bad(ProtobufCType type)
{
    return type == PROTOBUF_C_TYPE_DOUBLE || type == PROTOBUF_C_TYPE_FLOAT ||
        type == PROTOBUF_C_TYPE_STRING || type == PROTOBUF_C_TYPE_ENUM ||
        type == PROTOBUF_C_TYPE_MESSAGE;
}

bool
codec_check_values(const ProtobufCMessage *message, const char *path, struct wire_error *error)
{
    for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
        const char *values;
        size_t count = can_be_bad(field->type) ? field_values(message, field, &values) : 0;
        for (size_t k = 0; k < count; k++) {
            const char *value = values + k * value_size(field->type);
            char deeper[CN_DEFECT_PATH_SIZE];
            extend_path(deeper, sizeof(deeper), path, field, k);
            if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
                const ProtobufCMessage *child;
                memcpy(&child, value, sizeof(child));
                if (!codec_check_values(child, deeper, error)) {
                    return false;
                }
            } else if (!check_value(field, value, deeper, error)) {
                return false;
            }
        }
    }
    return true;
}

static bool
has_unknown_fields(const ProtobufCMessage *message)
{
    if (message->n_unknown_fields > 0) {
        return true;
    }
    for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
        const char *values;
        if (field->type != PROTOBUF_C_TYPE_MESSAGE) {
            continue;
        }
        size_t count = field_values(message, field, &values);
        for (size_t k = 0; k < count; k++) {
            const ProtobufCMessage *child;
            memcpy(&child, values + k * sizeof(child), sizeof(child));
            if (has_unknown_fields(child)) {
                return true;
            }
        }
    }
    return false;
}

ProtobufCMessage *
codec_unpack(struct codec_arena *arena, const ProtobufCMessageDescriptor *descriptor,
    const uint8_t *bytes, size_t size, struct wire_error *error)
{
    CN_ASSERT(arena->memory != NULL && arena->used == 0); /* one message an arena */
    ProtobufCMessage *message =
        protobuf_c_message_unpack(descriptor, &arena->allocator, size, bytes);
    if (message == NULL) {
        wire_error_set(error, "DECODE", "", "%zu bytes are not a %s within %zu bytes of memory",
            size, descriptor->short_name, arena->size);
        return NULL;
    }
    if (has_unknown_fields(message)) {
        wire_error_set(error, "DECODE", "", "has a field that version %d does not know",
            WIRE_VERSION);
        return NULL;
    }
    return message;
}

/* ---- texts ---- */

/* The length of the well-formed UTF-8 character at `text` (Unicode 15, table 3-7), or 0. */
static size_t
character_length(const unsigned char *text)
{
    unsigned char lead = text[0];
    if (lead < 0x80) {
        return 1;
    }
    size_t length = lead >= 0xC2 && lead <= 0xDF ? 2
        : lead >= 0xE0 && lead <= 0xEF           ? 3
        : lead >= 0xF0 && lead <= 0xF4           ? 4
                                                 : 0;
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    for (size_t i = 1; i < length; i++) {
        if (text[i] < (i == 1 ? low : 0x80) || text[i] > (i == 1 ? high : 0xBF)) {
            return 0;
        }
    }
    return length;
}

bool
codec_text_is_clean(const char *text, size_t size_max)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at != '\0') {
        size_t length = character_length(at);
        bool is_control = *at < ' ' || *at == 0x7F || (*at == 0xC2 && length == 2 && at[1] < 0xA0);
        if (length == 0 || (is_control && *at != '\n')) {
            return false;
        }
        at += length;
    }
    return (size_t)(at - (const unsigned char *)text) <= size_max;
}

void
codec_text_copy(char *out, size_t out_size, const char *text)
{
    size_t used = 0;
    while (text[used] != '\0') {
        size_t length = character_length((const unsigned char *)text + used);
        if (length == 0 || used + length >= out_size) {
            break;
        }
        used += length;
    }
    CN_ASSERT(used < out_size);
    memcpy(out, text, used);
    out[used] = '\0';
}

char *
codec_hash_text(char out[CODEC_HASH_SIZE], uint64_t hash)
{
    snprintf(out, CODEC_HASH_SIZE, "%016" PRIx64, hash);
    return out;
}

bool
codec_hash_read(const char *text, uint64_t *hash)
{
    *hash = 0;
    for (int i = 0; i < CODEC_HASH_SIZE - 1; i++) {
        char c = text[i];
        bool is_digit = c >= '0' && c <= '9', is_letter = c >= 'a' && c <= 'f';
        if (!is_digit && !is_letter) {
            return false; /* a shorter text ends here */
        }
        *hash = *hash << 4 | (uint64_t)(is_digit ? c - '0' : c - 'a' + 10);
    }
    return text[CODEC_HASH_SIZE - 1] == '\0';
}
