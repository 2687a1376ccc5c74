#include "proto/json.h"

#include "engine/base/assert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
wire_json_init(struct wire_json *json, bool indent)
{
    *json = (struct wire_json){.indent = indent, .empty = true};
}

void
wire_json_finish(struct wire_json *json)
{
    free(json->data);
    *json = (struct wire_json){.empty = true};
}

void
wire_json_clear(struct wire_json *json)
{
    json->size = 0;
    json->depth = 0;
    json->empty = true;
    json->after_key = false;
    json->failed = false;
}

static void
put_bytes(struct wire_json *json, const char *bytes, size_t size)
{
    if (json->failed) {
        return;
    }
    if (size + 1 > json->capacity - json->size) {
        size_t capacity = 2 * json->capacity + size + 256;
        char *data = realloc(json->data, capacity);
        if (data == NULL) {
            json->failed = true;
            return;
        }
        json->data = data;
        json->capacity = capacity;
    }
    CN_ASSERT(size + 1 <= json->capacity - json->size);
    memcpy(json->data + json->size, bytes, size);
    json->size += size;
    json->data[json->size] = '\0';
}

char *
wire_json_take(struct wire_json *json)
{
    CN_ASSERT(json->depth == 0 && !json->after_key); /* every bracket is closed */
    put_bytes(json, "", 0);
    char *data = json->failed ? NULL : json->data;
    if (data != NULL) {
        json->data = NULL;
    }
    wire_json_finish(json);
    return data;
}

static void
put_line(struct wire_json *json)
{
    CN_ASSERT(json->depth >= 0);
    if (json->indent) {
        put_bytes(json, "\n", 1);
        for (int i = 0; i < json->depth; i++) {
            put_bytes(json, "  ", 2);
        }
    }
}

/* Writes the text before a value: nothing after a key, else a comma and a line break. */
static void
put_separator(struct wire_json *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (!json->empty) {
        put_bytes(json, ",", 1);
        if (!json->indent) {
            put_bytes(json, " ", 1);
        }
    }
    if (json->depth > 0) {
        put_line(json);
    }
    json->empty = false;
}

static void
begin_bracket(struct wire_json *json, const char *bracket)
{
    put_separator(json);
    put_bytes(json, bracket, 1);
    json->depth++;
    json->empty = true;
}

static void
end_bracket(struct wire_json *json, const char *bracket)
{
    CN_ASSERT(json->depth > 0 && !json->after_key);
    json->depth--;
    if (!json->empty) {
        put_line(json);
    }
    put_bytes(json, bracket, 1);
    json->empty = false;
}

void
wire_json_object_begin(struct wire_json *json)
{
    begin_bracket(json, "{");
}

void
wire_json_object_end(struct wire_json *json)
{
    end_bracket(json, "}");
}

void
wire_json_list_begin(struct wire_json *json)
{
    begin_bracket(json, "[");
}

void
wire_json_list_end(struct wire_json *json)
{
    end_bracket(json, "]");
}

size_t
wire_utf8_length(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    size_t length = u[0] < 0x80 ? 1 : u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 :
                    u[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++) {
        if ((u[i] & 0xc0u) != 0x80u) {
            return 0;
        }
    }
    bool over_long = (u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xf0 && u[1] < 0x90);
    bool surrogate = u[0] == 0xed && u[1] > 0x9f;
    bool too_large = u[0] == 0xf4 && u[1] > 0x8f;
    return over_long || surrogate || too_large ? 0 : length;
}

/* Characters that a reader may change, refuse or not show: controls, line and byte-order marks. */
static bool
needs_escape(const char *s, size_t length, unsigned *code)
{
    const unsigned char *u = (const unsigned char *)s;
    *code = length == 1   ? u[0]
            : length == 2 ? (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu)
            : length == 3 ? (u[0] & 0x0fu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu)
                          : 0x10000u;
    return *code < 0x20 || (*code >= 0x7f && *code < 0xa0) || *code == 0x2028 || *code == 0x2029 ||
           *code == 0xfeff || *code == 0xfffe || *code == 0xffff;
}

static void
put_string(struct wire_json *json, const char *string)
{
    put_bytes(json, "\"", 1);
    for (const char *s = string; *s != '\0';) {
        size_t length = wire_utf8_length(s);
        char escape[8];
        unsigned code;
        if (length == 0) {
            put_bytes(json, "\xef\xbf\xbd", 3);
            s++;
            continue;
        }
        if (*s == '"' || *s == '\\') {
            put_bytes(json, "\\", 1);
            put_bytes(json, s, 1);
        } else if (*s == '\n') {
            put_bytes(json, "\\n", 2);
        } else if (needs_escape(s, length, &code)) {
            snprintf(escape, sizeof(escape), "\\u%04x", code & 0xffffu);
            put_bytes(json, escape, 6);
        } else {
            put_bytes(json, s, length);
        }
        s += length;
    }
    put_bytes(json, "\"", 1);
}

void
wire_json_key(struct wire_json *json, const char *key)
{
    CN_ASSERT(json->depth > 0 && !json->after_key);
    put_separator(json);
    put_string(json, key);
    put_bytes(json, ": ", 2);
    json->after_key = true;
}

void
wire_json_string(struct wire_json *json, const char *string)
{
    CN_ASSERT(string != NULL);
    put_separator(json);
    put_string(json, string);
}

const char *
wire_number_print(char text[WIRE_NUMBER_SIZE], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, WIRE_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return text;
}

static bool
put_not_finite(struct wire_json *json, double value)
{
    if (isfinite(value)) {
        return false;
    }
    put_string(json, isnan(value) ? "NaN" : value > 0.0 ? "Infinity" : "-Infinity");
    return true;
}

void
wire_json_double(struct wire_json *json, double value)
{
    char text[WIRE_NUMBER_SIZE];
    put_separator(json);
    if (!put_not_finite(json, value)) {
        wire_number_print(text, value);
        put_bytes(json, text, strlen(text));
    }
}

void
wire_json_float(struct wire_json *json, float value)
{
    char text[WIRE_NUMBER_SIZE];
    put_separator(json);
    if (put_not_finite(json, (double)value)) {
        return;
    }
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) {
            break;
        }
    }
    put_bytes(json, text, strlen(text));
}

void
wire_json_int(struct wire_json *json, int64_t value)
{
    char text[WIRE_NUMBER_SIZE];
    put_separator(json);
    snprintf(text, sizeof(text), "%lld", (long long)value);
    put_bytes(json, text, strlen(text));
}

void
wire_json_uint(struct wire_json *json, uint64_t value)
{
    char text[WIRE_NUMBER_SIZE];
    put_separator(json);
    snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    put_bytes(json, text, strlen(text));
}

void
wire_json_bool(struct wire_json *json, bool value)
{
    put_separator(json);
    put_bytes(json, value ? "true" : "false", value ? 4 : 5);
}

void
wire_json_null(struct wire_json *json)
{
    put_separator(json);
    put_bytes(json, "null", 4);
}

void
wire_json_base64(struct wire_json *json, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    put_separator(json);
    put_bytes(json, "\"", 1);
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        char text[4] = {digits[group >> 18], digits[group >> 12 & 63],
            left > 1 ? digits[group >> 6 & 63] : '=', left > 2 ? digits[group & 63] : '='};
        put_bytes(json, text, 4);
    }
    put_bytes(json, "\"", 1);
}
