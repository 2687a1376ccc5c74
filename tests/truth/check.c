#include "tests/truth/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

/* A few hundred roundings of a double, in parts of the largest number of a case. */
#define ROUNDING 1e-13

void
truth_near(double actual, double expected, double tolerance, const char *format, ...)
{
    if (isfinite(expected) && fabs(actual - expected) <= tolerance) {
        return;
    }
    char what[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    fail_msg("%s = %.17g, expected %.17g within %g: off by %g", what, actual, expected, tolerance,
        actual - expected);
}

/* The largest number that stands anywhere in a value. */
static double
largest_in(json_t *value)
{
    double most = 0.0;
    if (json_is_number(value)) {
        return fabs(json_number_value(value));
    }
    if (json_is_array(value)) {
        size_t i;
        json_t *entry;
        json_array_foreach(value, i, entry)
        {
            most = fmax(most, largest_in(entry));
        }
        return most;
    }
    const char *key;
    json_t *entry;
    json_object_foreach(value, key, entry)
    {
        most = fmax(most, largest_in(entry));
    }
    return most;
}

double
truth_rounding(const json_t *data)
{
    double most = largest_in(json_object_get(data, "given"));
    return ROUNDING * fmax(most, largest_in(json_object_get(data, "expect")));
}

double
truth_tolerance(const json_t *data, double scale)
{
    const json_t *tolerance = truth_member(data, "tol");
    if (truth_has(tolerance, "rel")) {
        double relative = truth_member_number(tolerance, "rel") * fabs(scale);
        return fmax(relative, truth_rounding(data));
    }
    return truth_member_number(tolerance, truth_has(tolerance, "abs") ? "abs" : "t_abs");
}

void
truth_expect(const json_t *data, const char *key, double actual)
{
    double expected = truth_member_number(truth_member(data, "expect"), key);
    truth_near(actual, expected, truth_tolerance(data, expected), "%s", key);
}
