/*
 * bench_solvers.c: time of one solve against the number of contacts, for every solver.
 *
 * Each line is one running-bond wall.  cold: from zeros.  same: warm, the problem again.  near:
 * warm, on a sequence of problems whose loads drift, as a stepper sees them.  The exponent is the
 * slope between a line and the one before, of the column `near`.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "engine/solve/solver.h"
#include "tests/support/brick_wall.h"

#include <stdio.h>
#include <time.h>

#define BODIES_MAX 1024
#define ROWS_MAX 4096
#define SECONDS_PER_CELL 0.05

static double
now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum mode { MODE_COLD, MODE_SAME, MODE_NEAR };

struct bench {
    const struct cn_solver *solver;
    struct brick_wall wall;
    unsigned char *memory;
    size_t memory_size;
    double f[ROWS_MAX], load[BODIES_MAX], offset[BODIES_MAX];
    struct cn_solve_report report;
    double pivots; /* mean */
    double work;   /* mean */
};

static void
solve_once(struct bench *bench)
{
    struct cn_solve_options options = {.tolerance = 1e-10, .iteration_max = 100000};
    struct cn_arena scratch;
    cn_arena_init(&scratch, bench->memory, bench->memory_size);
    bench->report = bench->solver->solve(&bench->wall.problem, &options, &scratch, bench->f);
    if (bench->report.outcome != CN_SOLVE_CONVERGED) {
        printf("not converged: %s, residual %g\n", cn_solve_outcome_name(bench->report.outcome),
            bench->report.residual);
    }
}

/* Seconds of CPU per solve. */
static double
measure(struct bench *bench, enum mode mode)
{
    struct cn_rng rng = {.state = 7};
    size_t f_size = (size_t)bench->wall.problem.row_count * sizeof(bench->f[0]);
    for (int k = 0; k < bench->wall.problem.body_count; k++) {
        bench->load[k] = 0.0;
        bench->offset[k] = cn_rng_uniform(&rng, -0.5, 0.5);
    }
    brick_wall_load(&bench->wall, bench->load, bench->offset);
    memset(bench->f, 0, f_size);
    solve_once(bench);
    double spent = 0.0;
    int count = 0;
    bench->pivots = 0.0;
    bench->work = 0.0;
    while (spent < SECONDS_PER_CELL) {
        if (mode == MODE_COLD) {
            memset(bench->f, 0, f_size);
        }
        if (mode == MODE_NEAR) {
            for (int k = 0; k < bench->wall.problem.body_count; k++) {
                double load = bench->load[k] + cn_rng_uniform(&rng, -0.1, 0.1);
                bench->load[k] = fmin(fmax(load, 0.0), 5.0);
            }
            brick_wall_load(&bench->wall, bench->load, bench->offset);
        }
        double start = now_s();
        int repeats = mode == MODE_SAME ? 16 : 1;
        for (int k = 0; k < repeats; k++) {
            solve_once(bench);
        }
        spent += now_s() - start;
        bench->pivots += bench->report.iteration_count * repeats;
        bench->work += (double)bench->report.work * repeats;
        count += repeats;
    }
    bench->pivots /= count;
    bench->work /= count;
    return spent / count;
}

int
main(void)
{
    static const int size[][2] = {{2, 3}, {3, 2}, {3, 3}, {3, 5}, {4, 6}, {5, 7}, {5, 13},
        {5, 26}, {10, 13}, {5, 52}};
    static struct bench bench;
    brick_wall_init(&bench.wall, ROWS_MAX, BODIES_MAX);
    for (int k = 0; k < cn_solver_count; k++) {
        bench.solver = cn_solvers[k];
        printf("%s\n%6s %6s %12s %12s %12s %8s %8s %10s\n", cn_solvers[k]->name, "rows", "bodies",
            "cold us", "same us", "near us", "pivots", "exponent", "work");
        double near_before = 0.0;
        int rows_before = 0;
        for (size_t s = 0; s < sizeof(size) / sizeof(size[0]); s++) {
            brick_wall_build(&bench.wall, size[s][0], size[s][1], 0.5);
            int rows = bench.wall.problem.row_count;
            struct cn_arena need;
            cn_arena_init_measure(&need);
            bench.solver->layout(&need, rows, bench.wall.problem.body_count);
            bench.memory_size = need.used;
            bench.memory = aligned_alloc(64, need.used);
            double cold = measure(&bench, MODE_COLD);
            double same = measure(&bench, MODE_SAME);
            double near = measure(&bench, MODE_NEAR);
            double exponent = s == 0 ? 0.0
                                     : log(near / near_before) / log((double)rows / rows_before);
            printf("%6d %6d %12.2f %12.2f %12.2f %8.2f %8.2f %10.0f\n", rows,
                bench.wall.problem.body_count, 1e6 * cold, 1e6 * same, 1e6 * near, bench.pivots,
                exponent, bench.work);
            near_before = near;
            rows_before = rows;
            free(bench.memory);
        }
    }
    brick_wall_finish(&bench.wall);
    return 0;
}
