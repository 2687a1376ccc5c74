#include "proto/text/scalar.h"
#include "engine/base/assert.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *
skip_digits(const char *s)
{
    while (*s >= '0' && *s <= '9') {
        s++;
    }
    return s;
}

bool
wire_scalar_is_number(const char *s)
{
    s += *s == '-' || *s == '+';
    const char *whole = s;
    s = skip_digits(s);
    size_t digit_count = (size_t)(s - whole);
    if (digit_count > 1 && *whole == '0') {
        return false;
    }
    if (*s == '.') {
        const char *fraction = s + 1;
        s = skip_digits(fraction);
        digit_count += (size_t)(s - fraction);
    }
    if (digit_count == 0) {
        return false;
    }
    if (*s == 'e' || *s == 'E') {
        s++;
        s += *s == '-' || *s == '+';
        const char *exponent = s;
        s = skip_digits(exponent);
        if (s == exponent) {
            return false;
        }
    }
    return *s == '\0';
}

bool
wire_scalar_is_not_finite(const char *s)
{
    static const char *const names[] = {
        "nan", ".nan", ".NaN", ".NAN", "NaN", "inf", ".inf", ".Inf", ".INF", "Infinity"};
    s += *s == '-' || *s == '+';
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(s, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

double
wire_scalar_double(const char *s)
{
    return strtod(s, NULL);
}

/* Numbers with a point or an exponent are parsed as a double, which is exact below 2^53. */
static bool
read_integral(const char *s, double *value)
{
    *value = strtod(s, NULL);
    return fabs(*value) <= 9007199254740992.0 && floor(*value) == *value;
}

bool
wire_scalar_int(const char *s, int64_t *value)
{
    double number;
    if (strpbrk(s, ".eE") == NULL) {
        errno = 0;
        *value = strtoll(s, NULL, 10);
        return errno == 0;
    }
    if (!read_integral(s, &number)) {
        return false;
    }
    *value = (int64_t)number;
    return true;
}

bool
wire_scalar_uint(const char *s, uint64_t *value)
{
    double number;
    if (*s == '-') {
        *value = 0;
        return wire_scalar_double(s) == 0.0;
    }
    if (strpbrk(s, ".eE") == NULL) {
        errno = 0;
        *value = strtoull(s, NULL, 10);
        return errno == 0;
    }
    if (!read_integral(s, &number)) {
        return false;
    }
    *value = (uint64_t)number;
    return true;
}

static int
base64_digit(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' || c == '-' ? 62
           : c == '/' || c == '_' ? 63
                                  : -1;
}

size_t
wire_scalar_base64(const char *s, size_t size, uint8_t *out)
{
    size_t padding = 0, written = 0;
    while (padding < 2 && size > 0 && s[size - 1] == '=') {
        size--;
        padding++;
    }
    if (size % 4 == 1 || (padding > 0 && (size + padding) % 4 != 0)) {
        return SIZE_MAX;
    }
    uint32_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        int digit = base64_digit(s[i]);
        if (digit < 0) {
            return SIZE_MAX;
        }
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 != 0) {
            if (out != NULL) {
                out[written] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
            }
            written++;
        }
    }
    CN_ASSERT(written <= size);
    return written;
}
