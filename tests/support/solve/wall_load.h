/*
 * wall_load.h: brick walls with given numbers of contacts, and loads that change slowly.
 *
 * The benchmarks of solvers share this file, so that every solver gets the same sequence of
 * problems.
 */
#ifndef TESTS_SUPPORT_SOLVE_WALL_LOAD_H
#define TESTS_SUPPORT_SOLVE_WALL_LOAD_H

#include "tests/support/solve/brick_wall.h"

#include <math.h>
#include <time.h>

#define WALL_BODIES_MAX 1100
#define WALL_ROWS_MAX 4096

/* Bricks in a row, rows: as many rows as bricks, which is the widest envelope. */
static const int wall_sizes[][2] = {{3, 4}, {5, 7}, {7, 9}, {11, 13}, {16, 17}, {23, 23},
    {32, 33}};

#define WALL_SIZE_COUNT ((int)(sizeof(wall_sizes) / sizeof(wall_sizes[0])))

/* Force on each brick [N], and where along it [m]. */
struct wall_load {
    struct cn_rng rng;
    double load[WALL_BODIES_MAX], offset[WALL_BODIES_MAX];
};

static inline void
wall_load_begin(struct wall_load *load, struct brick_wall *wall)
{
    load->rng = (struct cn_rng){.state = 7};
    for (int k = 0; k < wall->problem.body_count; k++) {
        load->load[k] = 0.0;
        load->offset[k] = cn_rng_uniform(&load->rng, -0.5, 0.5);
    }
    brick_wall_load(wall, load->load, load->offset);
}

/* Moves on to the next problem, near the last one but not the same. A brick weighs 9.81 N. */
static inline void
wall_load_drift(struct wall_load *load, struct brick_wall *wall)
{
    for (int k = 0; k < wall->problem.body_count; k++) {
        double next = load->load[k] + cn_rng_uniform(&load->rng, -0.1, 0.1);
        load->load[k] = fmin(fmax(next, 0.0), 5.0);
    }
    brick_wall_load(wall, load->load, load->offset);
}

/* Moves on to a problem that is independent of the last one. */
static inline void
wall_load_jump(struct wall_load *load, struct brick_wall *wall)
{
    for (int k = 0; k < wall->problem.body_count; k++) {
        load->load[k] = cn_rng_uniform(&load->rng, 0.0, 5.0);
        load->offset[k] = cn_rng_uniform(&load->rng, -0.5, 0.5);
    }
    brick_wall_load(wall, load->load, load->offset);
}

/*
 * CPU time of this thread: what other work on the machine does is not counted.  The process's own
 * clock is coarse where its CPU time is limited.
 */
static inline double
wall_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int
wall_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Sorts. */
static inline double
wall_median(double *sample, int count)
{
    qsort(sample, (size_t)count, sizeof(sample[0]), wall_compare);
    return count % 2 == 1 ? sample[count / 2]
                          : 0.5 * (sample[count / 2 - 1] + sample[count / 2]);
}

#endif
