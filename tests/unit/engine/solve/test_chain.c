/*
 * test_chain.c: islands that a solver cannot take are solved by another one, and an event reports
 * it: the solver, the number of rows, and the residual.
 */
#include "engine/base/limits.h"
#include "engine/solve/table/chain.h"
#include "engine/solve/table/solver_table.h"
#include "engine/step/answer.h"
#include "engine/step/stepper_table.h"
#include "engine/world/world_inside.h"
#include "tests/support/solve/brick_wall.h"
#include "tests/support/world/island.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct scene scene;

static struct cn_world *
make(struct island *island, const char *stepper, const char *solver, int contacts, double friction)
{
    *island = island_build(&scene, false, contacts, friction);
    strcpy(scene.def.settings.stepper, stepper);
    strcpy(scene.def.settings.solver, solver);
    return scene_create(&scene);
}

static double
weight_of(const struct island *island)
{
    double sum = 0.0;
    for (int i = 0; i < island->brick_count; i++) {
        sum += 9.81 * scene.body[island->first_brick + i].mass;
    }
    return sum;
}

static double
carried(const struct cn_world *world, const struct island *island)
{
    const struct cn_contact_view *contacts;
    int count = cn_world_contacts(world, &contacts);
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        bool floor = contacts[i].body_a < island->first_brick;
        sum += floor ? contacts[i].force : 0.0;
    }
    return sum;
}

static double
speed_of(const struct cn_world *world, const struct island *island)
{
    double most = 0.0;
    for (int i = 0; i < island->brick_count; i++) {
        most = fmax(most, cn_vec3_length(scene_view(world, island->first_brick + i).velocity));
    }
    return most;
}

/* The floor carries the wall, by every solver with friction and every stepper. */
static void
test_large_island(void **state)
{
    static const char *const solvers[] = {"baraff94", "faure96"};
    static const char *const steppers[] = {"event", "time", "position"};
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct island island;
        struct cn_world *world = make(&island, steppers[i / 2], solvers[i % 2], 520, 0.5);
        assert_true(2 * island.contact_count > CN_CONTACT_ROWS_MAX);
        scene_tick(world);
        struct cn_event event;
        assert_int_equal(scene_events(world, CN_EVENT_STAND_IN, &event), 1);
        assert_true(event.value >= 2.0 * island.contact_count);
        double weight = weight_of(&island);
        assert_true(fabs(carried(world, &island) - weight) <= 1e-6 * weight);
        assert_true(speed_of(world, &island) <= 1e-6);
        cn_world_destroy(world);
    }
}

/* An event reports forces that miss the tolerance, with their residual; the world uses them. */
static void
test_unsolved_is_told(void **state)
{
    (void)state;
    struct island island;
    struct cn_world *world = make(&island, "time", "sweeps", 1000, 0.5);
    scene_tick(world); /* a cold start exceeds the work of a tick */
    struct cn_solve_summary note = cn_world_solve_summary(world);
    struct cn_event event;
    assert_int_equal(scene_events(world, CN_EVENT_UNSOLVED, &event), 1);
    assert_true(event.value > 1e-10 && event.value < 0.2);
    assert_int_equal(scene_events(world, CN_EVENT_STAND_IN, &event), 0);
    assert_true(note.row_count >= 2 * island.contact_count);
    assert_true(carried(world, &island) > 0.0);
    cn_world_destroy(world);
}

/* A look is not part of a tick: it causes no event, and changes none. */
static void
test_look_tells_nobody(void **state)
{
    (void)state;
    struct island island;
    struct cn_world *world = make(&island, "time", "sweeps", 1000, 0.5);
    struct cn_event event;
    (void)carried(world, &island);
    assert_int_equal(scene_events(world, CN_EVENT_UNSOLVED, &event), 0);
    scene_tick(world);
    assert_int_equal(scene_events(world, CN_EVENT_UNSOLVED, &event), 1);
    double told = event.value;
    (void)carried(world, &island);
    assert_int_equal(scene_events(world, CN_EVENT_UNSOLVED, &event), 1);
    assert_true(event.value == told);
    cn_world_destroy(world);
}

/* A problem that is solved causes no event. */
static void
test_solved_is_quiet(void **state)
{
    (void)state;
    struct island island;
    struct cn_world *world = make(&island, "event", "baraff94", 20, 0.5);
    for (int i = 0; i < 5; i++) {
        struct cn_event event;
        scene_tick(world);
        assert_int_equal(scene_events(world, CN_EVENT_UNSOLVED, &event), 0);
        assert_int_equal(scene_events(world, CN_EVENT_STAND_IN, &event), 0);
    }
    cn_world_destroy(world);
}

/*
 * baraff89 finds a part of the forces of two rows.  If its guess was wrong (INEXACT), the answer
 * stays.  If it ran out of work, another solver finds the rest.
 */
static void
test_gave_up(void **state)
{
    (void)state;
    static const double A[4] = {1.0, 0.0, 0.0, 1.0}, b[2] = {-1.0, -1.0};
    const enum cn_solve_outcome outcomes[] = {CN_SOLVE_INEXACT, CN_SOLVE_ITERATIONS_MAX};
    struct cn_matrix_problem problem = {.n = 2, .stride = 2, .A = A, .b = b};
    struct cn_solve_options options = {.tolerance = 1e-10, .iteration_max = 100};
    for (int k = 0; k < 2; k++) {
        static _Alignas(64) double memory[1 << 14];
        struct cn_arena scratch;
        cn_arena_init(&scratch, memory, sizeof(memory));
        struct cn_solve_report report = {.outcome = outcomes[k]};
        double f[2] = {0.5, 0.5};
        cn_chain_solve(
            cn_matrix_solver_find("baraff89"), &problem, &options, &scratch, f, &report);
        assert_int_equal(report.stand_in != NULL, k);
        assert_true(fabs(f[0] - (k == 1 ? 1.0 : 0.5)) <= 1e-9);
    }
}

/* If the list is full of impacts, an overlap replaces one of them, and only one. */
static void
test_overlap_is_told(void **state)
{
    (void)state;
    struct island island;
    struct cn_world *world = make(&island, "time", "newton", 20, 0.5);
    struct cn_model *model = &world->model;
    for (int i = 0; i < model->event_max; i++) {
        cn_model_event(model, CN_EVENT_IMPACT, 1, 2, 3.0);
    }
    int count = model->event_count, dropped = model->event_dropped;
    for (int i = 0; i < 2; i++) {
        cn_answer_tell_overlap(model, 3 + i, 5, 0.25);
    }
    assert_int_equal(model->event_count, count);
    assert_int_equal(model->event_dropped, dropped + 2);
    int overlaps = 0;
    for (int i = 0; i < count; i++) {
        if (model->event[i].kind == CN_EVENT_OVERLAP) {
            assert_int_equal(model->event[i].body_a, 3);
            assert_int_equal(model->event[i].body_b, 5);
            assert_true(model->event[i].value == 0.25);
            overlaps++;
        }
    }
    assert_int_equal(overlaps, 1);
    cn_world_destroy(world);
}

#define WALL_ROWS_MAX 400

/* A wall with friction: each contact of a brick_wall has a second row, along the floor. */
static struct cn_contact_problem
make_rough(struct brick_wall *wall)
{
    static struct cn_row rows[2 * WALL_ROWS_MAX];
    static double b[2 * WALL_ROWS_MAX], friction[2 * WALL_ROWS_MAX];
    static unsigned char tag[2 * WALL_ROWS_MAX];
    struct cn_contact_problem problem = wall->problem;
    for (int i = 0; i < wall->problem.row_count; i++) {
        struct cn_row *tangent = &rows[2 * i + 1];
        rows[2 * i] = *tangent = wall->rows[i];
        tangent->linear_a = cn_vec3_make(-1.0, 0.0, 0.0);
        tangent->linear_b = cn_vec3_make(1.0, 0.0, 0.0);
        tangent->angular_a.z = tangent->angular_b.z = 0.5 * BRICK_HEIGHT;
        b[2 * i] = wall->b[i];
        friction[2 * i] = 0.5;
        tag[2 * i] = CN_ROW_NORMAL;
        tag[2 * i + 1] = CN_ROW_TANGENT;
    }
    problem.row_count *= 2;
    problem.rows = rows;
    problem.b = b;
    problem.friction = friction;
    problem.tag = tag;
    return problem;
}

/* Where one factor of newton's matrix would cost many times its share, sweeps stands in. */
static void
test_newton_too_dear(void **state)
{
    (void)state;
    struct brick_wall wall;
    brick_wall_init(&wall, WALL_ROWS_MAX, 200);
    brick_wall_build(&wall, 12, 6, 0.5);
    brick_wall_load(&wall, NULL, NULL);
    struct cn_contact_problem problem = make_rough(&wall);
    int n = problem.row_count;
    assert_true(n > 200 && n < CN_SOLVE_LARGE_ROWS);
    struct cn_arena scratch;
    cn_arena_init_measure(&scratch);
    cn_solver_baraff94.layout(&scratch, n, problem.body_count);
    size_t size = (scratch.used + 63) / 64 * 64;
    cn_arena_init(&scratch, aligned_alloc(64, size), size);
    double *f = calloc((size_t)n, sizeof(double));
    struct cn_solve_options options = {
        .tolerance = 1e-10, .iteration_max = 10000, .work_max = 200000};
    struct cn_solve_report report = cn_solver_baraff94.solve(&problem, &options, &scratch, f);
    assert_string_equal(report.stand_in, "sweeps");
    assert_true(report.work <= options.work_max);
    free(f);
    free(scratch.memory);
    brick_wall_finish(&wall);
}

static void
test_iterations_of_a_budget(void **state)
{
    struct cn_solve_options options = {.tolerance = 1e-10, .iteration_max = 1000,
        .work_max = 100000};
    (void)state;
    assert_int_equal(cn_solve_iterations(&options, 0, 20000), 5);
    assert_int_equal(cn_solve_iterations(&options, 90000, 20000), 1); /* at least one */
    assert_int_equal(cn_solve_iterations(&options, 0, 1), 1000);
    options.work_max = 0;
    assert_int_equal(cn_solve_iterations(&options, 0, 20000), 1000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_island),
        cmocka_unit_test(test_unsolved_is_told),
        cmocka_unit_test(test_look_tells_nobody),
        cmocka_unit_test(test_solved_is_quiet),
        cmocka_unit_test(test_gave_up),
        cmocka_unit_test(test_overlap_is_told),
        cmocka_unit_test(test_newton_too_dear),
        cmocka_unit_test(test_iterations_of_a_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
