/*
 * oracle.h: a solver of another project, as a benchmark sees it.
 *
 * Oracles are linked into bench_oracles and nothing else, each where configure finds its library.
 */
#ifndef TESTS_BENCH_ORACLE_H
#define TESTS_BENCH_ORACLE_H

#include "tests/support/solve/wall_load.h"

struct oracle {
    const char *name;
    void *(*begin)(const struct brick_wall *wall); /* what can be made once for a wall */
    /* Finds f [N] for the wall's b, or the loads that it stands for; seconds of CPU time. */
    double (*solve)(void *state, const struct brick_wall *wall, const struct wall_load *load,
        double *f);
    void (*end)(void *state);
};

extern const struct oracle oracle_lemke, oracle_nsgs; /* Siconos */
extern const struct oracle oracle_ode;

#endif
