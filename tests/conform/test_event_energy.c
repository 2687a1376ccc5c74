/*
 * test_event_energy.c: the stepper `event` makes no energy, by any solver.
 *
 *   1. work that enters is no error: a conveyor of speed u moves a box at min(mu g t, u), a lift
 *      adds m g u h in a tick, and a motor at its limit turns a wheel by M t / I.  The stepper
 *      takes each of these ticks to its end, within its error
 *   2. two wheels that drive a third, on the ground and between walls: energy does not grow, even
 *      if a solver fails in the middle of a step.  Heuristic solvers are left out: their bodies
 *      sink into each other
 *   3. a heavy brick on the edge of a light one: energy does not grow, by any solver.  If a solver
 *      gives up, another stands in for it and an event reports that
 *
 * The energy may grow by 1e-9 of the energy and weight in the scene, plus the weight times the gap
 * that counts as touching.
 */
#include "engine/base/rng.h"
#include "engine/solve/table/solver_table.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/support/near.h"

#define GRAVITY 9.81
#define TICK (1.0 / 60.0)

static struct scene scene;
static struct cn_rng rng;

static void
begin(bool in_space, const char *solver)
{
    if (in_space) {
        scene_init_space(&scene, GRAVITY);
    } else {
        scene_init(&scene, GRAVITY);
    }
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "event");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "%s", solver);
}

/*
 * Checks that no other stepper took over part of a tick, and that no step was taken despite its
 * error.
 */
static void
expect_exact(const struct cn_world *world)
{
    assert_int_equal(scene_events(world, CN_EVENT_IMPACT_LIMIT, NULL), 0);
    assert_int_equal(scene_events(world, CN_EVENT_STEP_MIN, NULL), 0);
}

/* ---- 1. a conveyor, a lift and a motor put work in ---- */

static void
test_conveyor(void **state)
{
    (void)state;
    for (int in_space = 0; in_space < 2; in_space++) {
        begin(in_space == 1, "baraff94");
        scene_friction(&scene, 0, 0.5);
        int belt = scene_box(&scene, 0.0, -0.5, 40.0, 1.0);
        int box = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
        scene.body[belt].type = CN_KINEMATIC;
        scene.body[belt].velocity.x = 1.0;
        struct cn_world *world = scene_create(&scene);
        for (int t = 1; t <= 30; t++) {
            scene_tick(world);
            expect_exact(world);
            double speed = fmin(0.5 * GRAVITY * t * TICK, 1.0);
            assert_near(scene_view(world, box).velocity.x, speed, 1e-5);
        }
        cn_world_destroy(world);
    }
}

static void
test_lift(void **state)
{
    (void)state;
    begin(false, "baraff94");
    int plate = scene_box(&scene, 0.0, -0.5, 4.0, 1.0);
    int box = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
    scene.body[box].mass = 2.0;
    scene.body[box].velocity.y = 3.0;
    scene.body[plate].type = CN_KINEMATIC;
    scene.body[plate].velocity.y = 3.0;
    struct cn_world *world = scene_create(&scene);
    double energy = cn_world_energy(world).total;
    for (int t = 1; t <= 30; t++) {
        scene_tick(world);
        expect_exact(world);
        double now = cn_world_energy(world).total;
        assert_near(now - energy, 2.0 * GRAVITY * 3.0 * TICK, 1e-3);
        energy = now;
    }
    cn_world_destroy(world);
}

static void
test_motor(void **state)
{
    (void)state;
    begin(false, "baraff94");
    int wheel = scene_circle(&scene, 0.0, 5.0, 0.5);
    scene.body[wheel].mass = 8.0; /* I = 1 kg m^2 */
    struct cn_joint_def *axle =
        scene_joint(&scene, CN_JOINT_HINGE, -1, wheel, (cn_vec3){0.0, 5.0, 0.0});
    axle->has_motor = true;
    axle->motor_speed = 100.0;
    axle->motor_force_max = 6.0;
    struct cn_world *world = scene_create(&scene);
    for (int t = 1; t <= 30; t++) {
        scene_tick(world);
        expect_exact(world);
        assert_near(scene_view(world, wheel).angular_velocity.z, 6.0 * t * TICK, 1e-6);
    }
    cn_world_destroy(world);
}

/* ---- energy does not grow ---- */

/* Runs the scene for `ticks` ticks and checks the energy. True: another solver stood in. */
static bool
run(int ticks)
{
    struct cn_world *world = scene_create(&scene);
    double weight = 0.0, before = cn_world_energy(world).total;
    for (int i = 0; i < scene.def.body_count; i++) {
        bool moves = scene.body[i].type == CN_DYNAMIC;
        weight += moves ? GRAVITY * scene_view(world, i).mass : 0.0;
    }
    bool stood_in = false;
    for (int t = 0; t < ticks; t++) {
        double kinetic = cn_world_energy(world).kinetic;
        scene_tick(world);
        struct cn_energy now = cn_world_energy(world);
        double allowed = 1e-9 * (kinetic + now.kinetic + weight) +
                         weight * cn_world_gap_tolerance(world);
        assert_true(now.total <= before + allowed);
        before = now.total;
        stood_in = stood_in || scene_events(world, CN_EVENT_STAND_IN, NULL) > 0;
    }
    cn_world_destroy(world);
    return stood_in;
}

/* ---- 2. wheels ---- */

static void
add_wheel(bool in_space, double x, double y, double spin)
{
    int wheel = scene_circle(&scene, x, y, 0.4);
    if (in_space) {
        scene.shape[wheel].kind = CN_SHAPE_SPHERE;
    }
    scene.body[wheel].mass = 11.37;
    scene.body[wheel].angular_velocity.z = spin;
}

static void
drive_wheels(const struct cn_solver *solver, bool in_space)
{
    double friction = cn_rng_uniform(&rng, 0.3, 0.9), spin = cn_rng_uniform(&rng, -8.0, 8.0);
    begin(in_space, solver->name);
    scene_friction(&scene, 0, solver->friction ? friction : 0.0);
    scene.material[0].restitution = cn_rng_uniform(&rng, 0.0, 1.0);
    (void)scene_floor(&scene);
    for (int side = -1; side <= 1; side += 2) {
        int wall = scene_box(&scene, 1.3 * side, 0.5, 1.0, 1.0);
        scene.body[wall].type = CN_STATIC;
        add_wheel(in_space, 0.4 * side, 0.4, spin * (1.0 + 0.01 * side));
    }
    add_wheel(in_space, 0.0, 0.4 + 0.4 * sqrt(3.0), 0.0);
    (void)run(12);
}

static void
test_wheels(void **state)
{
    (void)state;
    rng = (struct cn_rng){1};
    for (int i = 0; i < 40; i++) {
        for (int k = 0; k < cn_problem_solver_count; k++) {
            if (!cn_solvers[k]->heuristic) {
                drive_wheels(cn_solvers[k], i % 2 == 1);
            }
        }
    }
}

/* ---- 3. a heavy brick on a light one ---- */

static bool
tip(const struct cn_solver *solver, double ratio, double friction, double overlap)
{
    begin(false, solver->name);
    scene_friction(&scene, 0, solver->friction ? friction : 0.0);
    scene.material[0].restitution = 0.2;
    scene_floor(&scene);
    int light = scene_box(&scene, -0.25, 0.125, 0.5, 0.25);
    int heavy = scene_box(&scene, 0.25 - overlap, 0.375, 0.5, 0.25);
    scene.body[light].mass = 3.0;
    scene.body[heavy].mass = 3.0 * ratio;
    return run(12);
}

static void
test_heavy_on_light(void **state)
{
    (void)state;
    rng = (struct cn_rng){2};
    for (int i = 0; i < 30; i++) {
        double ratio = pow(10.0, cn_rng_uniform(&rng, 0.5, 3.0));
        double friction = cn_rng_uniform(&rng, 0.0, 0.8);
        double overlap = cn_rng_uniform(&rng, 0.05, 0.3);
        for (int k = 0; k < cn_problem_solver_count; k++) {
            (void)tip(cn_solvers[k], ratio, friction, overlap);
        }
        (void)tip(cn_solver_find("sweeps"), ratio, friction, overlap);
    }
    assert_true(tip(cn_solver_find("sweeps"), 160.0, 0.085, 0.25));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conveyor),
        cmocka_unit_test(test_lift),
        cmocka_unit_test(test_motor),
        cmocka_unit_test(test_wheels),
        cmocka_unit_test(test_heavy_on_light),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
