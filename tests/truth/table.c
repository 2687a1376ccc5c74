#include "tests/truth/table.h"

#include <stddef.h>

#define X(pattern, run, left_out) {pattern, run, left_out},
const struct truth_runner truth_runners[] = {TRUTH_RUNNER_TABLE(X){NULL, NULL, NULL}};
#undef X

#define IMPULSES "the paper's own impulses: no solver guendelman03"
#define GEOMETRY "meshes and distance grids: none yet"
#define PROPAGATION "the paper's own method: no stepper propagation"

const struct truth_skip truth_skips[] = {
    /* Baraff 1989 */

    /* Faure 1996 */

    /* Guendelman, Bridson and Fedkiw 2003 */
    {"G-incline-*", IMPULSES},
    {"G-rest-e1-*", IMPULSES},
    {"G-seesaw-stick-*", IMPULSES},
    {"G-graph", "contact graph: none yet"},
    {"G-billiard-*", IMPULSES},
    {"G-rollfric-*", IMPULSES},
    {"G-spinfric-*", IMPULSES},
    {"G-sdf", GEOMETRY},
    {"G-stack-rest", IMPULSES},
    {"G-flip", PROPAGATION},
    {"G-rings", GEOMETRY},
    {"G-domino-ring", PROPAGATION},
    {"G-naive-control-*", PROPAGATION},

    {NULL, NULL},
};
