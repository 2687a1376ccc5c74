/*
 * pack.h: protobuf messages written field by field, and their descriptors, from one table.
 *
 * A table lists each message's fields.  It also gives the FileDescriptorSet that a reader of such a
 * file needs (protobuf's descriptor.proto).  Fields that are zero are written, too, so that a
 * reader sees them.
 *
 * Ownership: a pack is heap memory of its owner's.
 */
#ifndef CLIENTS_CLI_RECORDING_PACK_H
#define CLIENTS_CLI_RECORDING_PACK_H

#include "engine/math/quat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers of descriptor.proto. */
enum cli_pack_type {
    CLI_PACK_DOUBLE = 1,
    CLI_PACK_INT64 = 3,
    CLI_PACK_UINT64 = 4,
    CLI_PACK_INT32 = 5,
    CLI_PACK_FIXED32 = 7,
    CLI_PACK_BOOL = 8,
    CLI_PACK_STRING = 9,
    CLI_PACK_MESSAGE = 11,
    CLI_PACK_ENUM = 14,
};

struct cli_pack_field {
    const char *name; /* NULL ends the list */
    int number;
    enum cli_pack_type type;
    bool is_repeated;
    const char *of; /* type of MESSAGE and ENUM: ".package.Name" */
};

struct cli_pack_message {
    const char *name; /* NULL ends the list */
    const struct cli_pack_field *fields;
    const char *choice;         /* name of an enum within the message, or NULL */
    const char *const *choices; /* names of its values, from 0; NULL ends the list */
};

struct cli_pack_file {
    const char *name, *package; /* name NULL ends the list */
    const struct cli_pack_message *messages;
    const char *const *needs; /* names of the files that it imports; NULL ends the list */
};

/* Bytes that grow.  All zero is an empty pack. */
struct cli_pack {
    unsigned char *bytes;
    size_t size, capacity;
    bool has_failed; /* memory ran out */
};

void cli_pack_finish(struct cli_pack *pack);
void cli_pack_bytes(struct cli_pack *pack, const void *bytes, size_t size);

/* Fields. */
void cli_pack_uint(struct cli_pack *pack, int number, uint64_t value); /* and bool, enum */
void cli_pack_double(struct cli_pack *pack, int number, double value);
void cli_pack_text(struct cli_pack *pack, int number, const char *text);
void cli_pack_vector(struct cli_pack *pack, int number, cn_vec3 value);   /* x 1, y 2, z 3 */
void cli_pack_turn(struct cli_pack *pack, int number, cn_quat value);     /* and w 4 */

/* A message within a message: pass the result of begin to end. */
size_t cli_pack_begin(struct cli_pack *pack, int number);
void cli_pack_end(struct cli_pack *pack, size_t begin);

/* Writes a little-endian number of `size` bytes, for formats other than protobuf. */
void cli_pack_le(struct cli_pack *pack, uint64_t value, int size);

/* The descriptors of all files, as a FileDescriptorSet. */
void cli_pack_descriptors(struct cli_pack *pack, const struct cli_pack_file *files);

#endif
