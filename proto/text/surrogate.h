/*
 * surrogate.h: rewrites JSON's surrogate pairs as the escape that YAML has.
 *
 * The pair \uD83D\uDE00 (12 letters) becomes \U0001F600 (10 letters).  The places are noted,
 * because libyaml's marks count letters of the rewritten text.
 */
#ifndef PROTO_TEXT_SURROGATE_H
#define PROTO_TEXT_SURROGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

struct wire_surrogates {
    const char *text; /* the rewritten text, or the caller's own when it has no pair */
    size_t size;
    char *copy;
    size_t *places; /* of the rewritten pairs, counted in characters of the rewritten text */
    size_t place_count;
};

/* Borrows `text` until wire_surrogates_finish.  False without memory. */
bool wire_surrogates_init(struct wire_surrogates *surrogates, const char *text, size_t size);
void wire_surrogates_finish(struct wire_surrogates *surrogates);

/* How many characters a mark's column is too far left. */
unsigned wire_surrogates_shift(const struct wire_surrogates *surrogates, yaml_mark_t mark);

/* Whether a pair was rewritten between two marks. */
bool wire_surrogates_within(
    const struct wire_surrogates *surrogates, yaml_mark_t start, yaml_mark_t end);

#endif
