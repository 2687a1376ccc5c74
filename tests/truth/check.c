#include "tests/truth/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

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

double
truth_tolerance(const json_t *data, double scale)
{
    const json_t *tolerance = truth_member(data, "tol");
    if (truth_has(tolerance, "rel")) {
        return truth_member_number(tolerance, "rel") * fmax(1.0, fabs(scale));
    }
    return truth_member_number(tolerance, truth_has(tolerance, "abs") ? "abs" : "t_abs");
}

void
truth_expect(const json_t *data, const char *key, double actual)
{
    double expected = truth_member_number(truth_member(data, "expect"), key);
    truth_near(actual, expected, truth_tolerance(data, expected), "%s", key);
}
