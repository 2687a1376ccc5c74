/*
 * bench_oracles.c: our solvers beside those of other projects, on the same walls in the same run.
 *
 * usage: bench_oracles [SECONDS]
 *
 * One frictionless wall after the other, under loads that drift.  Each problem of the sequence goes
 * to every solver in turn, so that all see the same machine; figures are medians of CPU time, the
 * ratio is to `baraff94 warm`.  Residuals are by our judge, the median and the worst of the run;
 * `solved` counts those up to 1e-6, for Siconos' own measure is another one.  A solver takes part
 * until it has spent SECONDS (10) at a size, with one problem at least, and not at larger sizes
 * when one problem took that long.
 */
#define _DEFAULT_SOURCE /* clock_gettime, setenv */

#include "engine/solve/table/solver_table.h"
#include "tests/bench/oracle.h"

#include <stdio.h>
#include <unistd.h>

#define SAMPLES_MAX 25
#define TOLERANCE 1e-8
#define SOLVED 1e-6
#define ENTRIES_MAX 16

/* One line of a table: our solver, warm or cold, or an oracle. */
struct entry {
    char name[32];
    const struct cn_solver *solver;
    bool cold;
    const struct oracle *oracle;
    void *state; /* the oracle's, or our scratch */
    size_t scratch_size;
    double f[WALL_ROWS_MAX];
    double sample[SAMPLES_MAX];
    int sample_count;
    double residual[SAMPLES_MAX];
    double spent_s;
    bool too_slow;
};

static struct entry entries[ENTRIES_MAX];
static int entry_count;

static void
add_ours(const char *name, bool cold)
{
    struct entry *entry = &entries[entry_count++];
    entry->solver = cn_solver_find(name);
    entry->cold = cold;
    snprintf(entry->name, sizeof(entry->name), "%s %s", name, cold ? "cold" : "warm");
}

static void
add_oracle(const struct oracle *oracle)
{
    struct entry *entry = &entries[entry_count++];
    entry->oracle = oracle;
    snprintf(entry->name, sizeof(entry->name), "%s", oracle->name);
}

static void
entry_begin(struct entry *entry, const struct brick_wall *wall)
{
    entry->sample_count = 0;
    entry->spent_s = 0.0;
    memset(entry->f, 0, sizeof(entry->f));
    if (entry->oracle != NULL) {
        entry->state = entry->oracle->begin(wall);
        return;
    }
    struct cn_arena need;
    cn_arena_init_measure(&need);
    entry->solver->layout(&need, wall->problem.row_count, wall->problem.body_count);
    entry->scratch_size = need.used;
    entry->state = aligned_alloc(64, (need.used + 63) / 64 * 64);
    if (entry->state == NULL) {
        abort();
    }
}

static void
entry_end(struct entry *entry)
{
    if (entry->oracle != NULL) {
        entry->oracle->end(entry->state);
    } else {
        free(entry->state);
    }
}

static double
solve_ours(struct entry *entry, const struct brick_wall *wall)
{
    struct cn_solve_options options = {.tolerance = TOLERANCE, .iteration_max = 100000};
    struct cn_arena scratch;
    if (entry->cold) {
        memset(entry->f, 0, sizeof(entry->f));
    }
    double start_s = wall_now_s();
    cn_arena_init(&scratch, entry->state, entry->scratch_size);
    (void)entry->solver->solve(&wall->problem, &options, &scratch, entry->f);
    return wall_now_s() - start_s;
}

/*
 * Solves the present problem.  The first solve starts from zero forces and is not counted, unless
 * it takes longer than seconds_max.
 */
static void
entry_solve(struct entry *entry, const struct brick_wall *wall, const struct wall_load *load,
    bool first, double seconds_max)
{
    static struct cn_twist work[WALL_BODIES_MAX];
    if (entry->spent_s > seconds_max) {
        return;
    }
    double spent_s = entry->oracle != NULL
                         ? entry->oracle->solve(entry->state, wall, load, entry->f)
                         : solve_ours(entry, wall);
    entry->spent_s += spent_s;
    entry->too_slow = spent_s > seconds_max;
    if (!first || entry->spent_s > seconds_max) {
        entry->residual[entry->sample_count] =
            cn_residual_measure(&wall->problem, entry->f, work);
        entry->sample[entry->sample_count++] = spent_s;
    }
}

static void
print_entry(struct entry *entry, double ours_s)
{
    int count = entry->sample_count, solved = 0;
    double median_s = wall_median(entry->sample, count);
    double residual = wall_median(entry->residual, count); /* sorts */
    for (int i = 0; i < count; i++) {
        solved += entry->residual[i] <= SOLVED;
    }
    printf("%-22s %12.3f %10.1f %10.1e %10.1e  %d of %d\n", entry->name, 1e3 * median_s,
        median_s / ours_s, residual, entry->residual[count - 1], solved, count);
}

static void
run_wall(const struct brick_wall *wall, struct wall_load *load, double seconds_max)
{
    bool takes_part[ENTRIES_MAX];
    for (int k = 0; k < entry_count; k++) {
        takes_part[k] = !entries[k].too_slow;
        if (takes_part[k]) {
            entry_begin(&entries[k], wall);
        }
    }
    struct brick_wall loaded = *wall; /* shares b */
    wall_load_begin(load, &loaded);
    for (int sample = 0; sample <= SAMPLES_MAX; sample++) {
        for (int k = 0; k < entry_count; k++) {
            if (takes_part[k]) {
                entry_solve(&entries[k], wall, load, sample == 0, seconds_max);
            }
        }
        wall_load_drift(load, &loaded);
    }
    printf("%d contacts, %d bricks\n%-22s %12s %10s %10s %10s  %s\n", wall->problem.row_count,
        wall->problem.body_count, "", "median ms", "ratio", "residual", "worst", "solved");
    double ours = 0.0;
    for (int k = 0; k < entry_count; k++) {
        if (!takes_part[k]) {
            printf("%-22s %12s\n", entries[k].name, "left out");
            continue;
        }
        ours = k == 0 ? wall_median(entries[0].sample, entries[0].sample_count) : ours;
        print_entry(&entries[k], ours);
        entry_end(&entries[k]);
    }
}

/* The solvers of other libraries that configure has found. */
static const struct oracle *const oracles[] = {
#ifdef HAVE_SICONOS
    &oracle_lemke,
    &oracle_nsgs,
#endif
#ifdef HAVE_ODE
    &oracle_ode,
#endif
    NULL,
};

static void
say_what_is_missing(void)
{
#ifndef HAVE_SICONOS
    printf("Siconos is left out: configure has not found libsiconos-numerics-dev\n");
#endif
#ifndef HAVE_ODE
    printf("ODE is left out: configure has not found libode-dev\n");
#endif
}

int
main(int argc, char **argv)
{
    static const int sizes[][2] = {{5, 7}, {11, 13}, {16, 17}};
    static struct wall_load load;
    double seconds_max = argc > 1 ? atof(argv[1]) : 10.0;
    /* One thread for all, and its clock sees all the work. */
    if (getenv("OPENBLAS_NUM_THREADS") == NULL) {
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        setenv("OMP_NUM_THREADS", "1", 1);
        execv("/proc/self/exe", argv);
    }
    say_what_is_missing();
    add_ours("baraff94", false);
    add_ours("baraff94", true);
    add_ours("gauss", false);
    add_ours("faure96", false);
    for (int k = 0; oracles[k] != NULL; k++) {
        add_oracle(oracles[k]);
    }
    struct brick_wall wall;
    brick_wall_init(&wall, WALL_ROWS_MAX, WALL_BODIES_MAX);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        brick_wall_build(&wall, sizes[s][0], sizes[s][1], 0.5);
        run_wall(&wall, &load, seconds_max);
    }
    brick_wall_finish(&wall);
    return 0;
}
