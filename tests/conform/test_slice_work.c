/*
 * test_slice_work.c: no slice of a step does much more than its budget of work, for any stepper,
 * solver and scene.  So no expensive part of a tick is left out of the count.
 *
 * The work of a slice is measured in basic blocks of steppers, solvers, problems and linear
 * algebra.  For this test they are compiled with a call in each block (block_count.h).  So the test
 * finds a loop that counts no work, or too little.
 *
 *   1. heaps of boxes under every stepper with every solver, in the plane and in space
 *   2. every solver alone on problems that need its fallbacks: walls with redundant contacts and
 *      minimum norms, closing walls, matrices that are not symmetric
 */
#include "engine/base/fiber.h"
#include "engine/solve/table/matrix_adapter.h"
#include "engine/solve/table/solver_table.h"
#include "tests/support/block_count.h"
#include "tests/support/solve/brick_wall.h"
#include "tests/support/world/heap.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define WORK 20000            /* of a slice */
#define BLOCKS_PER_WORK 4     /* a unit is about an operation, and a short loop has a few blocks */
#define BLOCKS_MORE 80000     /* passes over all bodies or rows are counted when they are done */
#define BLOCKS_MAX 400000000  /* of one case, which repeats itself by then */

static struct scene scene;
static int64_t longest, all;
static int slice_count, long_count;

static void
begin_count(void)
{
    longest = all = 0;
    slice_count = 0;
}

static void
count_slice(int64_t before)
{
    int64_t blocks = block_count - before;
    longest = blocks > longest ? blocks : longest;
    all += blocks;
    slice_count++;
}

static void
check_slices(const char *what, const char *whose, const char *where)
{
    printf("%-12s %-12s %-8s %9d slices, longest %7" PRId64 " blocks of %" PRId64 "\n", what, whose,
        where, slice_count, longest, all);
    long_count += longest > (int64_t)BLOCKS_PER_WORK * WORK + BLOCKS_MORE;
}

static void
step_heap(const struct cn_stepper *stepper, const struct cn_solver *solver, bool is_spatial,
    int box_count)
{
    heap_build(&scene, stepper, solver, is_spatial, box_count);
    struct cn_world *world = scene_create(&scene);
    begin_count();
    for (int t = 0; t < 3 && all < BLOCKS_MAX;) {
        int64_t before = block_count;
        t += cn_world_step(world, WORK) == CN_STEP_DONE;
        count_slice(before);
    }
    for (bool is_done = cn_world_is_mid_tick(world); !is_done && all < BLOCKS_MAX;) {
        int64_t before = block_count;
        is_done = cn_world_look(world, WORK) == CN_STEP_DONE;
        count_slice(before);
    }
    cn_world_destroy(world);
    check_slices(stepper->name, solver->name, is_spatial ? "space" : "plane");
}

static void
test_heaps(void **state)
{
    static const int counts[2][2] = {{30, 200}, {12, 90}};
    (void)state;
    for (int i = 0; i < cn_stepper_count; i++) {
        for (int k = 0; k < cn_solver_count; k++) {
            const struct cn_stepper *stepper = cn_steppers[i];
            if (cn_solvers[k]->kind == CN_SOLVER_BODIES ||
                !cn_stepper_fits(stepper, cn_solvers[k])) {
                continue;
            }
            for (int c = 0; c < 4; c++) {
                step_heap(stepper, cn_solvers[k], c >= 2, counts[c / 2][c % 2]);
            }
        }
    }
    assert_int_equal(long_count, 0);
}

/* One solve, on a fiber. */
struct solving {
    const struct cn_solver *solver;
    const struct cn_matrix_solver *matrix_solver;
    const struct cn_contact_problem *problem;
    const struct cn_matrix_problem *matrix;
    struct cn_solve_options options;
    struct cn_arena scratch;
    double *f;
    enum cn_solve_outcome outcome;
};

static void
run_solve(void *context)
{
    struct solving *s = context;
    s->outcome = s->matrix != NULL
        ? cn_matrix_solve(s->matrix_solver, s->matrix, &s->options, &s->scratch, s->f).outcome
        : s->solver->solve(s->problem, &s->options, &s->scratch, s->f).outcome;
}

static void
solve_in_slices(struct solving *s, int n, const char *what, const char *whose)
{
    struct cn_arena measure;
    cn_arena_init_measure(&measure);
    if (s->matrix != NULL) {
        cn_matrix_solve_layout(s->matrix_solver, &measure, n);
    } else {
        s->solver->layout(&measure, n, s->problem->body_count);
    }
    void *memory = aligned_alloc(64, measure.used);
    assert_non_null(memory);
    cn_arena_init(&s->scratch, memory, measure.used);
    s->f = calloc((size_t)n, sizeof(double));
    s->options = (struct cn_solve_options){.tolerance = 1e-10, .iteration_max = 100 + 10 * n,
        .minimum_norm = true};
    struct cn_fiber *fiber = cn_fiber_create();
    assert_non_null(fiber);
    begin_count();
    int64_t before = block_count;
    bool is_done = cn_fiber_start(fiber, run_solve, s, WORK);
    count_slice(before);
    while (!is_done && all < 4 * (int64_t)BLOCKS_MAX) {
        before = block_count;
        is_done = cn_fiber_resume(fiber, WORK);
        count_slice(before);
    }
    cn_fiber_destroy(fiber);
    free(s->f);
    free(memory);
    check_slices(what, whose, is_done ? cn_solve_outcome_name(s->outcome) : "cut");
}

/* A wall, and the same with rows that close upon bricks: no forces hold both. */
static void
test_walls(void **state)
{
    (void)state;
    for (int k = 0; k < cn_problem_solver_count; k++) {
        for (int closing = 0; closing < 2; closing++) {
            struct brick_wall wall;
            brick_wall_init(&wall, 1024, 512);
            brick_wall_build(&wall, 12, 14, 0.5);
            struct cn_contact_problem *problem = &wall.problem;
            for (int i = 0; closing && i < 40 && problem->row_count < wall.row_max; i++) {
                int to = problem->row_count++;
                wall.rows[to] = wall.rows[i];
                wall.rows[to].linear_a.y *= -1.0;
                wall.rows[to].linear_b.y *= -1.0;
                wall.rows[to].angular_a.z *= -1.0;
                wall.rows[to].angular_b.z *= -1.0;
                wall.tag[to] = CN_ROW_NORMAL;
                wall.b[to] = -wall.b[i] - 0.5;
            }
            struct solving solving = {.solver = cn_solvers[k], .problem = problem};
            solve_in_slices(&solving, problem->row_count, closing ? "closing" : "wall",
                cn_solvers[k]->name);
            brick_wall_finish(&wall);
        }
    }
    assert_int_equal(long_count, 0);
}

/*
 * A random matrix, positive on the diagonal, that is not symmetric. A solver may fail on it, but
 * all its slices have to be short.
 */
static void
test_matrices(void **state)
{
    enum { N = 220 };
    (void)state;
    static double A[N * N], b[N];
    for (int k = 0; k < cn_problem_solver_count; k++) {
        const struct cn_matrix_solver *solver = cn_matrix_solver_find(cn_solvers[k]->name);
        struct cn_rng rng = {.state = 7};
        for (int i = 0; i < N; i++) {
            b[i] = cn_rng_uniform(&rng, -1.0, 0.2);
            for (int j = 0; j < N; j++) {
                A[i * N + j] = i == j ? 1.0 : cn_rng_uniform(&rng, -0.2, 0.2);
            }
        }
        struct cn_matrix_problem problem = {.n = N, .stride = N, .A = A, .b = b};
        struct solving solving = {.matrix_solver = solver, .matrix = &problem};
        if (solver != NULL) {
            solve_in_slices(&solving, N, "matrix", solver->name);
        }
    }
    assert_int_equal(long_count, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heaps),
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
