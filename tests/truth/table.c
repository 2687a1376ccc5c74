#include "tests/truth/table.h"

#include <stddef.h>

#define X(pattern, run, left_out) {pattern, run, left_out},
const struct truth_runner truth_runners[] = {TRUTH_RUNNER_TABLE(X){NULL, NULL, NULL}};
#undef X

#define FRICTION "friction: no frictional solver"
#define SPATIAL "spatial: planar worlds only"
#define PROPAGATION "the paper's own method: no stepper propagation"

const struct truth_skip truth_skips[] = {
    /* Baraff 1989 */

    /* Faure 1996 */

    /* Guendelman, Bridson and Fedkiw 2003 */
    {"G-incline-*", FRICTION},
    {"G-rest-e1-*", FRICTION},
    {"G-collide-*", FRICTION},
    {"G-pitfall-*", FRICTION},
    {"G-energy-gain*", FRICTION},
    {"G-stack-gs-*", PROPAGATION},
    {"G-gradual-e", PROPAGATION},
    {"G-seesaw-stick-*", FRICTION},
    {"G-graph", "contact graph: none yet"},
    {"G-billiard-*", FRICTION},
    {"G-rollfric-*", FRICTION},
    {"G-spinfric-*", FRICTION},
    {"G-rollspin-solve", FRICTION},
    {"G-sdf", SPATIAL},
    {"G-stack-rest", FRICTION},
    {"G-flip", PROPAGATION},
    {"G-rings", SPATIAL},
    {"G-domino-ring", SPATIAL},
    {"G-naive-control-*", PROPAGATION},
    {"G-friction-cone", FRICTION},

    {NULL, NULL},
};
