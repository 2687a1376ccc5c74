/*
 * check.h: compares a number with that of the truth set, within the tolerance of the case.
 */
#ifndef TESTS_TRUTH_CHECK_H
#define TESTS_TRUTH_CHECK_H

#include "tests/truth/json.h"

/* Fails with both numbers, and where, when |actual - expected| > tolerance or either is not finite.
 */
void truth_near(double actual, double expected, double tolerance, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The rounding error that a case's numbers may have, relative to the largest given or expected. */
double truth_rounding(const json_t *data);

/*
 * The case's tolerance for a quantity of that scale: tol.abs or tol.t_abs, or tol.rel times
 * |scale|, which is at least truth_rounding.
 */
double truth_tolerance(const json_t *data, double scale);

/* actual against data.expect[key], to the case's tolerance. */
void truth_expect(const json_t *data, const char *key, double actual);

#endif
