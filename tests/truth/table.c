#include "tests/truth/table.h"

#include <stddef.h>

#define X(pattern, run, left_out) {pattern, run, left_out},
const struct truth_runner truth_runners[] = {TRUTH_RUNNER_TABLE(X){NULL, NULL, NULL}};
#undef X

/* Nothing of the set is skipped. */
const struct truth_skip truth_skips[] = {
    {NULL, NULL},
};
