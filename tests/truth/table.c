#include "tests/truth/table.h"

#include <stddef.h>

#define X(pattern, run, left_out) {pattern, run, left_out},
const struct truth_runner truth_runners[] = {TRUTH_RUNNER_TABLE(X){NULL, NULL, NULL}};
#undef X

#define GEOMETRY "meshes and distance grids: none yet"

const struct truth_skip truth_skips[] = {
    /* Baraff 1989 */

    /* Faure 1996 */

    /* Guendelman, Bridson and Fedkiw 2003 */
    {"G-rings", GEOMETRY},

    {NULL, NULL},
};
