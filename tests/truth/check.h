/*
 * check.h: a number against the truth set's, to the tolerance that the case states.
 */
#ifndef TESTS_TRUTH_CHECK_H
#define TESTS_TRUTH_CHECK_H

#include "tests/truth/json.h"

/* Fails with both numbers, and where, when |actual - expected| > tolerance or either is not finite.
 */
void truth_near(double actual, double expected, double tolerance, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * The case's absolute tolerance for a quantity of that scale: tol.abs, tol.t_abs, or tol.rel times
 * max(1, |scale|).
 */
double truth_tolerance(const json_t *data, double scale);

/* actual against data.expect[key], to the case's tolerance. */
void truth_expect(const json_t *data, const char *key, double actual);

#endif
