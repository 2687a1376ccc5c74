/*
 * bench_friction.c: how long solver newton takes for the published friction problems.
 *
 * usage: bench_friction FILE.dat...
 *
 * One row a file: rows of the problem, what came out, the judge's residual, iterations (sweeps and
 * Newton steps), counted work, and the median and the least time of a solve from nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include "engine/solve/table/matrix_adapter.h"
#include "engine/solve/table/solver_table.h"

#include "tests/friction/friction_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REPEATS 5
#define TOLERANCE 1e-8

static double
now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int
compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

static bool
measure(const char *name, const struct friction_file *file)
{
    const struct cn_matrix_solver *solver = cn_matrix_solver_find("newton");
    struct cn_arena need;
    cn_arena_init_measure(&need);
    cn_matrix_solve_layout(solver, &need, file->n);
    void *memory = aligned_alloc(64, (need.used + 63) / 64 * 64);
    double *f = calloc((size_t)file->n, sizeof(f[0]));
    if (memory == NULL || f == NULL) {
        free(memory);
        free(f);
        return false;
    }
    struct cn_solve_options options = {.tolerance = TOLERANCE, .iteration_max = 1000000};
    struct cn_solve_report report = {.outcome = CN_SOLVE_CONVERGED};
    double ms[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        struct cn_arena scratch;
        cn_arena_init(&scratch, memory, need.used);
        memset(f, 0, (size_t)file->n * sizeof(f[0]));
        double start = now_ms();
        report = cn_matrix_solve(solver, &file->problem, &options, &scratch, f);
        ms[i] = now_ms() - start;
    }
    qsort(ms, REPEATS, sizeof(ms[0]), compare_numbers);
    printf("%-44s %6d %-14s %9.1e %6d %9.2e %10.3f %10.3f\n", name, file->n,
        cn_solve_outcome_name(report.outcome), report.residual, report.iteration_count,
        (double)report.work, ms[REPEATS / 2], ms[0]);
    free(memory);
    free(f);
    return true;
}

int
main(int argc, char **argv)
{
    printf("%-44s %6s %-14s %9s %6s %9s %10s %10s\n", "problem", "rows", "outcome", "residual",
        "iter.", "work", "median ms", "least ms");
    for (int i = 1; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/'), *name = slash == NULL ? argv[i] : slash + 1;
        struct friction_file file;
        if (!friction_file_read(&file, argv[i], strncmp(name, "lcp_", 4) == 0)) {
            fprintf(stderr, "%s: can not be read\n", argv[i]);
            return 2;
        }
        bool measured = measure(name, &file);
        friction_file_finish(&file);
        if (!measured) {
            fprintf(stderr, "%s: no memory\n", argv[i]);
            return 3;
        }
    }
    return 0;
}
