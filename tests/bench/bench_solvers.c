/*
 * bench_solvers.c: time of one solve against the number of contacts, for every solver.
 *
 * usage: bench_solvers [SOLVER [SECONDS]]
 *
 * Each line is one running-bond wall, which is one island, frictionless, solved to 1e-8.
 *   - cold: from zeros
 *   - same: warm start with the same problem
 *   - near: warm starts on a sequence of problems with slowly changing loads, as in a stepper
 *   - far: warm start from the forces of very different loads
 *
 * Figures are medians of CPU time.  The exponent is the slope from the line before, in the column
 * `near`.  In the last line of a solver it is the best fit over its lines with 100 contacts or
 * more.  Pivots and work are those of `near`.
 *
 * Every line is measured in its own process, which may spend SECONDS (20) of CPU.  If that is not
 * enough, the line says how far the process came, and larger walls are left out.
 */
#define _DEFAULT_SOURCE /* clock_gettime, MAP_ANONYMOUS */

#include "engine/solve/table/solver_table.h"
#include "tests/support/solve/wall_load.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAMPLES_MAX 400
#define SAMPLES_MIN 5
#define SECONDS_PER_CELL 0.5
#define TOLERANCE 1e-8

enum mode { MODE_COLD, MODE_SAME, MODE_NEAR, MODE_FAR, MODE_COUNT };

/* The figures of one line of the output; the child process fills them in as it measures. */
struct line {
    double median_s[MODE_COUNT]; /* 0: not measured */
    double pivots, work;         /* median, of the mode near */
    double residual;             /* worst of all solves */
    int failures;                /* solves that did not converge */
};

struct bench {
    const struct cn_solver *solver;
    struct brick_wall wall;
    struct wall_load load;
    unsigned char *memory;
    size_t memory_size;
    double f[WALL_ROWS_MAX];
    struct line *line;
};

static struct cn_solve_report
solve_once(struct bench *bench)
{
    struct cn_solve_options options = {.tolerance = TOLERANCE, .iteration_max = 100000};
    struct cn_arena scratch;
    cn_arena_init(&scratch, bench->memory, bench->memory_size);
    struct cn_solve_report report =
        bench->solver->solve(&bench->wall.problem, &options, &scratch, bench->f);
    bench->line->residual = fmax(bench->line->residual, report.residual);
    bench->line->failures += report.outcome != CN_SOLVE_CONVERGED;
    return report;
}

static void
measure(struct bench *bench, enum mode mode)
{
    static double seconds[SAMPLES_MAX], pivots[SAMPLES_MAX], work[SAMPLES_MAX];
    size_t f_size = (size_t)bench->wall.problem.row_count * sizeof(bench->f[0]);
    wall_load_begin(&bench->load, &bench->wall);
    memset(bench->f, 0, f_size);
    if (mode != MODE_COLD) {
        (void)solve_once(bench);
    }
    double spent = 0.0;
    int count = 0;
    while (count < SAMPLES_MAX && (count < SAMPLES_MIN || spent < SECONDS_PER_CELL)) {
        if (mode == MODE_COLD) {
            memset(bench->f, 0, f_size);
        } else if (mode == MODE_NEAR) {
            wall_load_drift(&bench->load, &bench->wall);
        } else if (mode == MODE_FAR) {
            wall_load_jump(&bench->load, &bench->wall);
        }
        double start_s = wall_now_s();
        struct cn_solve_report report = solve_once(bench);
        seconds[count] = wall_now_s() - start_s;
        pivots[count] = report.iteration_count;
        work[count] = (double)report.work;
        spent += seconds[count++];
        bench->line->median_s[mode] = spent / count; /* until there is a better figure */
    }
    bench->line->median_s[mode] = wall_median(seconds, count);
    if (mode == MODE_NEAR) {
        bench->line->pivots = wall_median(pivots, count);
        bench->line->work = wall_median(work, count);
    }
}

/* Measures a line in a child; false when it ran out of time. */
static bool
run_line(struct bench *bench, int seconds_max)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {(rlim_t)seconds_max, (rlim_t)seconds_max};
        if (setrlimit(RLIMIT_CPU, &limit) != 0) {
            _exit(1);
        }
        for (int mode = 0; mode < MODE_COUNT; mode++) {
            measure(bench, (enum mode)mode);
        }
        _exit(0);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void
print_line(const struct bench *bench, double exponent)
{
    const struct line *line = bench->line;
    printf("%6d %6d", bench->wall.problem.row_count, bench->wall.problem.body_count);
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        if (line->median_s[mode] > 0.0) {
            printf(" %10.3f", 1e3 * line->median_s[mode]);
        } else {
            printf(" %10s", "-");
        }
    }
    printf(" %8.0f %8.2f %11.0f %9.1e", line->pivots, exponent, line->work, line->residual);
    printf(line->failures > 0 ? "  %d not converged\n" : "\n", line->failures);
}

/* All walls; stops at the first that takes too long. */
static void
run_solver(struct bench *bench, int seconds_max)
{
    printf("%s\n%6s %6s %10s %10s %10s %10s %8s %8s %11s %9s\n", bench->solver->name, "rows",
        "bodies", "cold ms", "same ms", "near ms", "far ms", "pivots", "exponent", "work",
        "residual");
    double near_before = 0.0, rows_before = 0.0;
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, fitted = 0.0;
    bool in_time = true;
    for (int s = 0; s < WALL_SIZE_COUNT && in_time; s++) {
        brick_wall_build(&bench->wall, wall_sizes[s][0], wall_sizes[s][1], 0.5);
        double rows = bench->wall.problem.row_count;
        struct cn_arena need;
        cn_arena_init_measure(&need);
        bench->solver->layout(&need, bench->wall.problem.row_count,
            bench->wall.problem.body_count);
        bench->memory_size = need.used;
        bench->memory = aligned_alloc(64, (need.used + 63) / 64 * 64);
        if (bench->memory == NULL) {
            printf("%6.0f  no memory for %.0f MiB\n", rows, (double)need.used / 1048576.0);
            return;
        }
        *bench->line = (struct line){0};
        in_time = run_line(bench, seconds_max);
        free(bench->memory);
        double near = bench->line->median_s[MODE_NEAR];
        bool grows = in_time && near_before > 0.0;
        print_line(bench, grows ? log(near / near_before) / log(rows / rows_before) : 0.0);
        near_before = near;
        rows_before = rows;
        if (in_time && rows >= 100.0) {
            x += log(rows);
            y += log(near);
            xx += log(rows) * log(rows);
            xy += log(rows) * log(near);
            fitted += 1.0;
        }
    }
    if (!in_time) {
        printf("stopped: more than %d s of CPU for this wall\n", seconds_max);
    }
    if (fitted > 1.0) {
        printf("growth: contacts^%.2f near\n", (fitted * xy - x * y) / (fitted * xx - x * x));
    }
}

int
main(int argc, char **argv)
{
    static struct bench bench;
    int seconds_max = argc > 2 ? atoi(argv[2]) : 20;
    bench.line = mmap(NULL, sizeof(*bench.line), PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (bench.line == MAP_FAILED || seconds_max <= 0) {
        return 1;
    }
    brick_wall_init(&bench.wall, WALL_ROWS_MAX, WALL_BODIES_MAX);
    for (int k = 0; k < cn_problem_solver_count; k++) {
        if (argc < 2 || strcmp(argv[1], cn_solvers[k]->name) == 0) {
            bench.solver = cn_solvers[k];
            run_solver(&bench, seconds_max);
        }
    }
    brick_wall_finish(&bench.wall);
    return 0;
}
