#include "clients/cli/recording/pack.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

enum wire_type { VARINT = 0, EIGHT_BYTES = 1, SIZED = 2 };

/* ---- bytes ---- */

static bool
grow_pack(struct cli_pack *pack, size_t size)
{
    CN_ASSERT(pack->size <= pack->capacity);
    if (pack->capacity - pack->size < size) {
        size_t capacity = 2 * pack->capacity + size + 256;
        unsigned char *bytes = pack->has_failed ? NULL : realloc(pack->bytes, capacity);
        if (bytes == NULL) {
            pack->has_failed = true;
            return false;
        }
        pack->bytes = bytes;
        pack->capacity = capacity;
    }
    return true;
}

void
cli_pack_finish(struct cli_pack *pack)
{
    free(pack->bytes);
}

void
cli_pack_bytes(struct cli_pack *pack, const void *bytes, size_t size)
{
    if (size > 0 && grow_pack(pack, size)) {
        memcpy(pack->bytes + pack->size, bytes, size);
        pack->size += size;
    }
}

void
cli_pack_le(struct cli_pack *pack, uint64_t value, int size)
{
    unsigned char bytes[8];
    CN_ASSERT(0 < size && size <= (int)sizeof(bytes));
    for (int i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
    cli_pack_bytes(pack, bytes, (size_t)size);
}

static size_t
print_varint(unsigned char bytes[10], uint64_t value)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7) {
        bytes[size++] = (unsigned char)(value | 0x80);
    }
    bytes[size++] = (unsigned char)value;
    return size;
}

static void
put_varint(struct cli_pack *pack, uint64_t value)
{
    unsigned char bytes[10];
    cli_pack_bytes(pack, bytes, print_varint(bytes, value));
}

static void
put_key(struct cli_pack *pack, int number, enum wire_type type)
{
    put_varint(pack, (uint64_t)number << 3 | (uint64_t)type);
}

/* ---- fields ---- */

void
cli_pack_uint(struct cli_pack *pack, int number, uint64_t value)
{
    put_key(pack, number, VARINT);
    put_varint(pack, value);
}

void
cli_pack_double(struct cli_pack *pack, int number, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    put_key(pack, number, EIGHT_BYTES);
    cli_pack_le(pack, bits, 8);
}

void
cli_pack_text(struct cli_pack *pack, int number, const char *text)
{
    put_key(pack, number, SIZED);
    put_varint(pack, strlen(text));
    cli_pack_bytes(pack, text, strlen(text));
}

void
cli_pack_vector(struct cli_pack *pack, int number, cn_vec3 value)
{
    size_t at = cli_pack_begin(pack, number);
    cli_pack_double(pack, 1, value.x);
    cli_pack_double(pack, 2, value.y);
    cli_pack_double(pack, 3, value.z);
    cli_pack_end(pack, at);
}

void
cli_pack_turn(struct cli_pack *pack, int number, cn_quat value)
{
    size_t at = cli_pack_begin(pack, number);
    cli_pack_double(pack, 1, value.x);
    cli_pack_double(pack, 2, value.y);
    cli_pack_double(pack, 3, value.z);
    cli_pack_double(pack, 4, value.w);
    cli_pack_end(pack, at);
}

size_t
cli_pack_begin(struct cli_pack *pack, int number)
{
    put_key(pack, number, SIZED);
    return pack->size;
}

/* Moves the bytes written since `begin` up, to make room for their size before them. */
void
cli_pack_end(struct cli_pack *pack, size_t begin)
{
    unsigned char bytes[10];
    if (pack->has_failed) {
        return;
    }
    CN_ASSERT(begin <= pack->size);
    size_t size = pack->size - begin, length = print_varint(bytes, size);
    if (grow_pack(pack, length)) {
        memmove(pack->bytes + begin + length, pack->bytes + begin, size);
        memcpy(pack->bytes + begin, bytes, length);
        pack->size += length;
    }
}

/* ---- descriptors: field numbers of descriptor.proto ---- */

/* Writes the JSON name that protoc gives: angular_velocity becomes angularVelocity. */
static void
put_json_name(struct cli_pack *pack, const char *name)
{
    char json[64];
    size_t size = 0;
    for (; *name != '\0' && size < sizeof(json) - 1; name++) {
        bool is_first = *name == '_' && name[1] != '\0';
        name += is_first ? 1 : 0;
        json[size++] = is_first ? (char)(*name - 'a' + 'A') : *name;
    }
    CN_ASSERT(*name == '\0'); /* every name of the tables fits */
    json[size] = '\0';
    cli_pack_text(pack, 10, json);
}

static void
put_field(struct cli_pack *pack, const struct cli_pack_field *field)
{
    size_t at = cli_pack_begin(pack, 2);
    cli_pack_text(pack, 1, field->name);
    cli_pack_uint(pack, 3, (uint64_t)field->number);
    cli_pack_uint(pack, 4, field->is_repeated ? 3 : 1);
    cli_pack_uint(pack, 5, (uint64_t)field->type);
    if (field->of != NULL) {
        cli_pack_text(pack, 6, field->of);
    }
    put_json_name(pack, field->name);
    cli_pack_end(pack, at);
}

static void
put_choices(struct cli_pack *pack, const struct cli_pack_message *message)
{
    size_t at = cli_pack_begin(pack, 4);
    cli_pack_text(pack, 1, message->choice);
    for (int i = 0; message->choices[i] != NULL; i++) {
        size_t value = cli_pack_begin(pack, 2);
        cli_pack_text(pack, 1, message->choices[i]);
        cli_pack_uint(pack, 2, (uint64_t)i);
        cli_pack_end(pack, value);
    }
    cli_pack_end(pack, at);
}

static void
put_file(struct cli_pack *pack, const struct cli_pack_file *file)
{
    size_t at = cli_pack_begin(pack, 1);
    cli_pack_text(pack, 1, file->name);
    cli_pack_text(pack, 2, file->package);
    for (int i = 0; file->needs != NULL && file->needs[i] != NULL; i++) {
        cli_pack_text(pack, 3, file->needs[i]);
    }
    for (const struct cli_pack_message *message = file->messages; message->name != NULL;
         message++) {
        size_t inner = cli_pack_begin(pack, 4);
        cli_pack_text(pack, 1, message->name);
        for (const struct cli_pack_field *field = message->fields; field->name != NULL;
             field++) {
            put_field(pack, field);
        }
        if (message->choice != NULL) {
            put_choices(pack, message);
        }
        cli_pack_end(pack, inner);
    }
    cli_pack_text(pack, 12, "proto3");
    cli_pack_end(pack, at);
}

void
cli_pack_descriptors(struct cli_pack *pack, const struct cli_pack_file *files)
{
    for (; files->name != NULL; files++) {
        put_file(pack, files);
    }
}
