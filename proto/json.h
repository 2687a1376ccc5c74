/*
 * json.h: writes JSON into memory that grows.
 *
 * The caller makes the calls in a valid order (a key before each value of an object); the writer
 * adds commas, line breaks and indentation.  When memory runs out the writer notes it and ignores
 * further calls, and wire_json_take returns NULL, so a caller checks once.
 *
 * A number is written as the shortest decimal that reads back as the same bits.  JSON has no text
 * for numbers that are not finite; they are written as strings, as in proto3's mapping.
 */
#ifndef PROTO_JSON_H
#define PROTO_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire_json {
    char *data;
    size_t size, capacity;
    int depth;
    bool indent;     /* by two spaces a level; else all on one line */
    bool empty;      /* the innermost list or object is still empty */
    bool after_key;  /* the next value belongs to the last key */
    bool failed;
};

void wire_json_init(struct wire_json *json, bool indent);
void wire_json_finish(struct wire_json *json);

/* Returns the text, NUL-terminated, to be freed; NULL if memory ran out.  Empties the writer. */
char *wire_json_take(struct wire_json *json);

/* Empties the text and keeps its memory for the next one. */
void wire_json_clear(struct wire_json *json);

void wire_json_object_begin(struct wire_json *json);
void wire_json_object_end(struct wire_json *json);
void wire_json_list_begin(struct wire_json *json);
void wire_json_list_end(struct wire_json *json);
void wire_json_key(struct wire_json *json, const char *key);

/* Bytes that are not UTF-8 are written as U+FFFD. */
void wire_json_string(struct wire_json *json, const char *string);
void wire_json_double(struct wire_json *json, double value);
void wire_json_float(struct wire_json *json, float value);
void wire_json_int(struct wire_json *json, int64_t value);
void wire_json_uint(struct wire_json *json, uint64_t value);
void wire_json_bool(struct wire_json *json, bool value);
void wire_json_null(struct wire_json *json);
void wire_json_base64(struct wire_json *json, const uint8_t *bytes, size_t size);

#define WIRE_NUMBER_SIZE 32

/* The shortest text of a finite double that reads back the same; returns `text`. */
const char *wire_number_print(char text[WIRE_NUMBER_SIZE], double value);

/* The length of the UTF-8 sequence at `s`; 0 if it is invalid (over-long, surrogate, cut). */
size_t wire_utf8_length(const char *s);

#endif
