/*
 * text.h: converts YAML and JSON text to protobuf messages and back, by descriptor.
 *
 * Scenes, configuration and HTTP bodies use the same mapping: proto3 JSON names (lowerCamelCase),
 * and enums by name.  An unknown name is refused, and the error has the nearest known name.
 * libyaml reads JSON too, because JSON is a subset of YAML.  Aliases, anchors, tags, merge keys and
 * duplicate keys are refused.  Depth, size and node count are limited, because texts also arrive
 * by network.
 *
 * Ownership: free a parsed message with wire_text_free, and printed text with free.
 */
#ifndef PROTO_TEXT_H
#define PROTO_TEXT_H

#include "engine/base/defect.h"

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>

/* The place and text of an error.  Lines and columns count from 1; line 0: the place is unknown. */
struct wire_text_error {
    unsigned line, column;
    struct cn_defect defect;
};

/*
 * Writes the error as "scene.yaml:4:11: bodies[0].mass: is -1; ...", a form that editors know.
 * Absent parts are left out.  The text is cut to `size` bytes.  Returns `out`.
 */
const char *wire_text_error_print(
    const struct wire_text_error *error, const char *file, char *out, size_t size);

#define WIRE_TEXT_ERROR_SIZE 768 /* enough for every error with a file name of 340 bytes */

/* NULL with *error filled if the text is not a message of that type. */
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
 * The position in `text` of a field path such as "bodies[3].mass".  False if the text does not have
 * the field: the position is then that of the innermost value around it, or 0 if no value is around
 * it.
 */
bool wire_text_locate(
    const char *text, size_t size, const char *path, unsigned *line, unsigned *column);

#endif
