/*
 * surrogate.h: JSON's surrogate pairs, rewritten as the escape that YAML has.
 *
 * The pair \uD83D\uDE00 (12 letters) becomes \U0001F600 (10 letters).  Where that happened is kept,
 * because marks that libyaml makes count letters of the rewritten text.
 */
#ifndef PROTO_SURROGATE_H
#define PROTO_SURROGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

struct wire_surrogates {
    const char *text; /* the rewritten text, or the caller's own when it holds no pair */
    size_t size;
    char *copy;
    size_t *places; /* of the rewritten pairs, counted in characters of the rewritten text */
    size_t place_count;
};

/* Borrows `text` until wire_surrogates_finish. False when there is no memory. */
bool wire_surrogates_init(struct wire_surrogates *surrogates, const char *text, size_t size);
void wire_surrogates_finish(struct wire_surrogates *surrogates);

/* How many characters a mark's column lies too far left. */
unsigned wire_surrogates_shift(const struct wire_surrogates *surrogates, yaml_mark_t mark);

/* Whether a pair was rewritten between two marks. */
bool wire_surrogates_within(
    const struct wire_surrogates *surrogates, yaml_mark_t start, yaml_mark_t end);

#endif
