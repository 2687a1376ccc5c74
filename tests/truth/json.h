/*
 * json.h: reads numbers from the truth set.
 *
 * A number is plain or has the form {"q": "p/q", "v": double}: exact and rounded.  A missing
 * member, or one of another type, fails the running test with its name.
 */
#ifndef TESTS_TRUTH_JSON_H
#define TESTS_TRUTH_JSON_H

#include <stdbool.h>
#include <jansson.h>

/* The member `key`, which is there. Borrowed from object. */
const json_t *truth_member(const json_t *object, const char *key);

bool truth_has(const json_t *object, const char *key);

double truth_number(const json_t *value);
double truth_member_number(const json_t *object, const char *key);

/* Reads an array of numbers, at most `room` of them; returns how many. */
int truth_numbers(const json_t *array, double *numbers, int room);
int truth_member_numbers(const json_t *object, const char *key, double *numbers, int room);

const char *truth_string(const json_t *object, const char *key);

#endif
