#include "proto/text/surrogate.h"
#include "engine/base/assert.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAIR_SIZE 12   /* \uD83D\uDE00 */
#define ESCAPE_SIZE 10 /* \U0001F600 */

/* The code unit of an escape \uXXXX at `s`, which has at least 6 bytes; -1 if it is no escape. */
static int32_t
read_unit(const char *s)
{
    int32_t unit = 0;
    if (s[0] != '\\' || s[1] != 'u') {
        return -1;
    }
    for (int i = 2; i < 6; i++) {
        int32_t digit = s[i] >= '0' && s[i] <= '9'   ? s[i] - '0'
                        : s[i] >= 'a' && s[i] <= 'f' ? s[i] - 'a' + 10
                        : s[i] >= 'A' && s[i] <= 'F' ? s[i] - 'A' + 10
                                                     : -1;
        if (digit < 0) {
            return -1;
        }
        unit = unit * 16 + digit;
    }
    return unit;
}

/* The character of a surrogate pair at `s`, or 0. */
static uint32_t
read_pair(const char *s, size_t left)
{
    if (left < PAIR_SIZE) {
        return 0;
    }
    int32_t high = read_unit(s), low = read_unit(s + 6);
    if (high < 0xd800 || high > 0xdbff || low < 0xdc00 || low > 0xdfff) {
        return 0;
    }
    return 0x10000u + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
}

/* Counts pairs; rewrites them if `out` is not NULL.  A backslash escapes a backslash after it. */
static size_t
rewrite_escapes(const char *text, size_t size, char *out, size_t *out_size, size_t *places)
{
    size_t pair_count = 0, character = 0, used = 0;
    for (size_t i = 0; i < size;) {
        uint32_t code = text[i] == '\\' ? read_pair(text + i, size - i) : 0;
        size_t length = code != 0 ? PAIR_SIZE : text[i] == '\\' && i + 1 < size ? 2 : 1;
        if (out != NULL && code != 0) {
            char escape[ESCAPE_SIZE + 1];
            snprintf(escape, sizeof(escape), "\\U%08X", code);
            memcpy(out + used, escape, ESCAPE_SIZE);
            places[pair_count] = character;
        } else if (out != NULL) {
            memcpy(out + used, text + i, length);
        }
        size_t written = code != 0 ? ESCAPE_SIZE : length;
        for (size_t k = 0; out != NULL && k < written; k++) {
            character += ((unsigned char)out[used + k] & 0xc0u) != 0x80u;
        }
        used += written;
        pair_count += code != 0;
        i += length;
        CN_ASSERT(i <= size && used <= i);
    }
    *out_size = used;
    return pair_count;
}

bool
wire_surrogates_init(struct wire_surrogates *surrogates, const char *text, size_t size)
{
    *surrogates = (struct wire_surrogates){.text = text, .size = size};
    size_t pair_count = rewrite_escapes(text, size, NULL, &size, NULL);
    if (pair_count == 0) {
        return true;
    }
    surrogates->copy = malloc(size);
    surrogates->places = malloc(pair_count * sizeof(*surrogates->places));
    if (surrogates->copy == NULL || surrogates->places == NULL) {
        wire_surrogates_finish(surrogates);
        return false;
    }
    surrogates->place_count = rewrite_escapes(
        text, surrogates->size, surrogates->copy, &surrogates->size, surrogates->places);
    CN_ASSERT(surrogates->place_count == pair_count); /* as the first pass counted */
    surrogates->text = surrogates->copy;
    return true;
}

void
wire_surrogates_finish(struct wire_surrogates *surrogates)
{
    free(surrogates->copy);
    free(surrogates->places);
    *surrogates = (struct wire_surrogates){0};
}

/* How many places are below a character index. */
static size_t
places_below(const struct wire_surrogates *surrogates, size_t index)
{
    size_t low = 0, high = surrogates->place_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (surrogates->places[middle] < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    CN_ASSERT(low <= surrogates->place_count);
    return low;
}

unsigned
wire_surrogates_shift(const struct wire_surrogates *surrogates, yaml_mark_t mark)
{
    size_t line_start = mark.index - mark.column;
    size_t count = places_below(surrogates, mark.index) - places_below(surrogates, line_start);
    return (unsigned)count * (PAIR_SIZE - ESCAPE_SIZE);
}

bool
wire_surrogates_within(
    const struct wire_surrogates *surrogates, yaml_mark_t start, yaml_mark_t end)
{
    return places_below(surrogates, end.index) > places_below(surrogates, start.index);
}
