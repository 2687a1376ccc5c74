/*
 * text.h: YAML and JSON text to protobuf messages and back, by descriptor.
 *
 * One mapping serves scenes, configuration and HTTP bodies: proto3 JSON names (lowerCamelCase),
 * enums by name, unknown names refused with the nearest known one.  JSON is read as the subset of
 * YAML that it is, by libyaml; aliases, anchors, tags, merge keys and duplicate keys are refused;
 * depth, size and node count are bounded, because texts also arrive by network.
 *
 * Ownership: a parsed message is freed with wire_text_free; printed text with free.
 */
#ifndef PROTO_TEXT_H
#define PROTO_TEXT_H

#include "engine/base/defect.h"

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>

/* Where and what: file positions count from 1; line 0 when there is none. */
struct wire_text_error {
    unsigned line, column;
    struct cn_defect defect;
};

/*
 * Writes "scene.yaml:4:11: bodies[0].mass: is -1; ..." as editors know it, without what does not
 * apply, cut to `size` bytes; returns `out`.
 */
const char *wire_text_error_print(
    const struct wire_text_error *error, const char *file, char *out, size_t size);

#define WIRE_TEXT_ERROR_SIZE 768 /* holds any, with a file name of 340 bytes */

/* NULL with *error filled when the text is not a message of that type. */
ProtobufCMessage *wire_text_parse(const ProtobufCMessageDescriptor *descriptor, const char *text,
    size_t size, struct wire_text_error *error);

void wire_text_free(ProtobufCMessage *message);

/*
 * Prints JSON: one line, or indented by two spaces.  Fields at their default are left out unless
 * `every_field`.  64-bit integers are strings, bytes base64, doubles the shortest text that reads
 * back the same.  NULL when there is no memory.
 */
char *wire_text_print(const ProtobufCMessage *message, bool indent, bool every_field);

/*
 * The place in `text` of a field path such as "bodies[3].mass".  False when it is not there: the
 * place is then of the innermost value around it, or 0 when there is none at all.
 */
bool wire_text_locate(
    const char *text, size_t size, const char *path, unsigned *line, unsigned *column);

#endif
