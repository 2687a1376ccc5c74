/*
 * crew.h: runs many seeds in several processes, so that a crash or hang ends only its own process.
 *
 * Each process takes every n-th seed and sends findings by a pipe.  It stores its present seed in
 * shared memory.  If it dies, this is a finding of the law `crash`, and a new process continues
 * with the next seed.
 */
#ifndef TESTS_LAWS_CREW_H
#define TESTS_LAWS_CREW_H

#include "tests/laws/laws.h"

struct laws_tally {
    int64_t scenes, runs;
    int64_t family_scenes[32];
    int64_t check_count[LAWS_LAW_COUNT];
};

/* The runs that the caller wants. */
struct laws_order {
    uint64_t first;
    int64_t count;
    int jobs;
    int cpu_s;           /* of one run, after which it counts as one that hangs */
    const char *stepper; /* NULL: all */
    const char *solver;
};

/* Calls `found` for each finding, in any order.  Adds up the runs and checks in *tally. */
void laws_crew_run(const struct laws_order *order, struct laws_tally *tally,
    void (*found)(void *context, const struct laws_finding *finding), void *context);

/* Whether method `index` runs this scene; only a few methods run large scenes. */
bool laws_takes_part(const struct laws_scene *scene, const struct laws_order *order,
    const struct laws_method *methods, int index);

#endif
