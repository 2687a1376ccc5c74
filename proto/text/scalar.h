/*
 * scalar.h: parses a scalar as a number that is valid in JSON and in YAML.
 *
 * Accepted are decimal numbers: an optional sign, digits with an optional point, an optional
 * exponent.  A leading zero is refused (it is octal to some readers), as are hexadecimal numbers,
 * infinities and NaN.
 */
#ifndef PROTO_TEXT_SCALAR_H
#define PROTO_TEXT_SCALAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool wire_scalar_is_number(const char *s);

/* Whether the text is a non-finite number, as proto3's mapping or YAML spells it. */
bool wire_scalar_is_not_finite(const char *s);

/* Returns the nearest double, or +-HUGE_VAL if `s`, a number, is beyond the largest. */
double wire_scalar_double(const char *s);

/* Read a whole number, which may be written 1e3 or 2.0.  False if it is not one or does not fit. */
bool wire_scalar_int(const char *s, int64_t *value);
bool wire_scalar_uint(const char *s, uint64_t *value);

/*
 * Decodes Base64 of either alphabet, with or without padding.  SIZE_MAX when it is invalid; out may
 * be NULL.
 */
size_t wire_scalar_base64(const char *s, size_t size, uint8_t *out);

#endif
