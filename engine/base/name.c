#include "engine/base/name.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_MAX 48
#define COMPARED_MAX 63 /* a longer name is not a misspelling */

struct cn_quote
cn_quote(const char *name)
{
    struct cn_quote quote;
    size_t size = strlen(name), shown = size;
    if (size > SHOWN_MAX) {
        shown = SHOWN_MAX - 3;
        while (shown > 0 && ((unsigned char)name[shown] & 0xc0u) == 0x80u) {
            shown--;
        }
    }
    char *out = quote.text;
    *out++ = '"';
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)name[i];
        *out++ = c < 0x20 || c == 0x7f ? '?' : name[i];
    }
    if (shown < size) {
        memcpy(out, "...", 3);
        out += 3;
    }
    *out++ = '"';
    *out = '\0';
    return quote;
}

static int
fold_case(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int
least_of_three(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* Optimal string alignment; three rows of the table are needed at a time. */
static int
distance_of(const char *a, size_t a_size, const char *b, size_t b_size)
{
    int rows[3][COMPARED_MAX + 1];
    for (size_t j = 0; j <= b_size; j++) {
        rows[0][j] = (int)j;
    }
    for (size_t i = 1; i <= a_size; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_size; j++) {
            int change = fold_case(a[i - 1]) != fold_case(b[j - 1]);
            row[j] = least_of_three(above[j] + 1, row[j - 1] + 1, above[j - 1] + change);
            if (i > 1 && j > 1 && fold_case(a[i - 1]) == fold_case(b[j - 2]) &&
                fold_case(a[i - 2]) == fold_case(b[j - 1]) && two_above[j - 2] + 1 < row[j]) {
                row[j] = two_above[j - 2] + 1;
            }
        }
    }
    return rows[a_size % 3][b_size];
}

void
cn_nearest_init(struct cn_nearest *nearest, const char *name)
{
    *nearest = (struct cn_nearest){.name = name};
}

void
cn_nearest_offer(struct cn_nearest *nearest, const char *candidate)
{
    size_t size = strlen(nearest->name), other = strlen(candidate);
    if (size == 0 || other == 0 || size > COMPARED_MAX || other > COMPARED_MAX) {
        return;
    }
    int distance = distance_of(nearest->name, size, candidate, other);
    int accepted = ((int)size + 2) / 3;
    if (distance <= accepted && (nearest->best == NULL || distance < nearest->distance)) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}

struct cn_hint
cn_nearest_hint(const struct cn_nearest *nearest)
{
    struct cn_hint hint = {""};
    if (nearest->best != NULL) {
        snprintf(hint.text, sizeof(hint.text), "; did you mean %s?", cn_quote(nearest->best).text);
    }
    return hint;
}
