/*
 * test_time.c: what is fast under the stepper `time`, and a table of steppers and solvers: a box
 * and a stack at rest, and a fast ball onto a floor.
 */
#include "engine/solve/table/solver_table.h"
#include "engine/step/stepper_table.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct scene scene;

static void
begin(bool planar, const char *stepper, const char *solver)
{
    if (planar) {
        scene_init(&scene, 9.81);
    } else {
        scene_init_space(&scene, 9.81);
    }
    strcpy(scene.def.settings.stepper, stepper);
    strcpy(scene.def.settings.solver, solver);
    scene_floor(&scene);
}

static int
add_box(double x, double y, double width, double mass)
{
    int box = scene_box(&scene, x, y, width, width);
    scene.body[box].mass = mass;
    return box;
}

static int
add_ball(double x, double y, double mass, double vx, double vy)
{
    int ball = scene_circle(&scene, x, y, 0.25);
    if (scene.def.settings.dimension == CN_SPATIAL) {
        scene.shape[ball].kind = CN_SHAPE_SPHERE;
        scene.shape[ball].sphere.radius = 0.25;
    }
    scene.body[ball].mass = mass;
    scene.body[ball].velocity = cn_vec3_make(vx, vy, 0.0);
    return ball;
}

/* The lowest that a body gets within `count` ticks [m]. */
static double
lowest(struct cn_world *world, int body, int count)
{
    double y = HUGE_VAL;
    for (int i = 0; i < count; i++) {
        scene_tick(world);
        y = fmin(y, scene_view(world, body).position.y);
    }
    return y;
}

/*
 * A heavy box comes at 400 m/s from 2 m off onto a light one that rests.  The stepper must not
 * treat the far contact as an endless plane already.
 */
static void
test_far_contact(void **unused)
{
    (void)unused;
    for (int planar = 0; planar < 2; planar++) {
        begin(planar != 0, "time", "baraff94");
        scene_friction(&scene, 0, 0.5);
        int box = add_box(0.0, 0.5, 1.0, 1.0);
        int heavy = add_box(-0.745, 3.814, 0.5, 50.0);
        scene.body[heavy].velocity = cn_vec3_make(186.494, -353.864, 0.0);
        struct cn_world *world = scene_create(&scene);
        double y = lowest(world, box, 60);
        print_message("  the box's lowest place %.3f\n", y);
        assert_true(y > 0.49);
        assert_true(scene_view(world, heavy).position.y > 0.24);
        cn_world_destroy(world);
    }
}

/* A ball flies past 50 mm above a box, and neither of them is changed. */
static void
test_near_miss(void **unused)
{
    (void)unused;
    static const char *const solvers[] = {"baraff94", "faure96", "newton"};
    for (int k = 0; k < 6; k++) {
        begin(k % 2 == 0, "time", solvers[k / 2]);
        int box = add_box(0.0, 0.5, 1.0, 1.0);
        int ball = add_ball(3.0, 1.3, 1.0, -300.0, 5.0);
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 6);
        assert_true(fabs(scene_view(world, box).position.x) < 1e-9);
        assert_true(fabs(scene_view(world, ball).velocity.x + 300.0) < 1e-9);
        assert_true(fabs(scene_view(world, ball).position.x + 27.0) < 1e-6);
        cn_world_destroy(world);
    }
}

/* The tick stays one piece if no body is fast: a box slides and comes to rest. */
static void
test_slow_is_one_piece(void **unused)
{
    (void)unused;
    begin(true, "time", "baraff94");
    scene_friction(&scene, 0, 0.5);
    int box = add_box(0.0, 0.5, 1.0, 1.0);
    scene.body[box].velocity.x = 5.0;
    struct cn_world *world = scene_create(&scene);
    for (int tick = 0; tick < 100; tick++) {
        assert_int_equal(CN_STEP_DONE, cn_world_step(world, CN_WORK_UNLIMITED));
    }
    /*
     * The way with friction in whole ticks: 5^2 / (2 mu g) minus half a tick.  With two pieces it
     * would be minus a quarter.
     */
    double whole = 25.0 / (2.0 * 0.5 * 9.81) - 5.0 / 120.0;
    assert_true(fabs(scene_view(world, box).position.x - whole) < 0.002);
    cn_world_destroy(world);
}

static void
check_rest(bool planar, const char *stepper, const char *solver, int count)
{
    begin(planar, stepper, solver);
    for (int i = 0; i < count; i++) {
        add_box(0.0, 0.5 + i, 1.0, 1.0);
    }
    /* No force holds the stack sideways: there is no friction, and baraff89 may add energy. */
    double side_max = strcmp(solver, "baraff89") == 0 ? 0.02 : 2e-3;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 600);
    for (int i = 0; i < count; i++) {
        struct cn_body_view view = scene_view(world, 1 + i);
        assert_true(fabs(view.position.x) < side_max && fabs(view.position.z) < side_max);
        assert_true(fabs(view.position.y - 0.5 - i) < 5e-3);
        assert_true(cn_vec3_length(view.velocity) < 5e-3);
    }
    cn_world_destroy(world);
}

static void
check_fast_ball(bool planar, const char *stepper, const char *solver)
{
    begin(planar, stepper, solver);
    int ball = add_ball(0.0, 5.3, 1.0, 0.0, -100.0);
    struct cn_world *world = scene_create(&scene);
    assert_true(lowest(world, ball, 120) > 0.24);
    assert_true(fabs(scene_view(world, ball).position.y - 0.25) < 1e-3);
    cn_world_destroy(world);
}

static void
test_table(void **unused)
{
    (void)unused;
    for (int i = 0; i < cn_stepper_count; i++) {
        for (int k = 0; k < cn_solver_count; k++) {
            const struct cn_stepper *stepper = cn_steppers[i];
            const struct cn_solver *solver = cn_solvers[k];
            for (int planar = 0; cn_stepper_fits(stepper, solver) && planar < 2; planar++) {
                if (planar != 0 ? !stepper->planar : !stepper->spatial) {
                    continue;
                }
                print_message("  %s, %s\n", stepper->name, solver->name);
                check_rest(planar != 0, stepper->name, solver->name, 1);
                check_rest(planar != 0, stepper->name, solver->name, 5);
                check_fast_ball(planar != 0, stepper->name, solver->name);
            }
        }
    }
}

/* Bodies that overlap at the start separate by at most a quarter of their length a second. */
static void
test_position_pushes_out_slowly(void **unused)
{
    (void)unused;
    begin(true, "position", "baraff89");
    int box = add_box(0.0, 0.4, 1.0, 1.0);
    struct cn_world *world = scene_create(&scene);
    double before = 0.4;
    for (int tick = 0; tick < 20; tick++) {
        scene_tick(world);
        double y = scene_view(world, box).position.y;
        assert_true(y - before <= 0.25 / 60.0 + 1e-9);
        before = y;
    }
    assert_true(before > 0.4 + 10 * 0.25 / 60.0);
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_contact),
        cmocka_unit_test(test_near_miss),
        cmocka_unit_test(test_slow_is_one_piece),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_position_pushes_out_slowly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
