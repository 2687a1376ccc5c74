/*
 * test_spin.c: free rotation in space, with every stepper and kind of solver that supports space.
 *
 * A body without forces keeps its angular momentum L with every stepper.  Kinetic energy and rate
 * of precession are kept to the order of the stepper.  `event` integrates in fourth order; the
 * others in first order, so their errors halve with the tick.  A body with three different moments
 * that turns about the middle one flips over (Dzhanibekov).  A symmetric body precesses at L / I1.
 */
#include "engine/math/scalar.h"
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

#define MINUTE 60.0

static struct scene scene;
static const struct cn_stepper *stepper;
static const struct cn_solver *solver;

static bool
is_exact(void)
{
    return strcmp(stepper->name, "event") == 0;
}

/* How much of L may go in a minute: by integration, by doubles, or by the floats of `impulse`. */
static double
momentum_error(void)
{
    return is_exact() ? 1e-8 : solver->kind == CN_SOLVER_BODIES ? 2e-3 : 1e-9;
}

static struct cn_world *
make(double I1, double I2, double I3, cn_vec3 spin, double tick_rate)
{
    scene_init_space(&scene, 0.0);
    scene.def.tick_rate = tick_rate;
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "%s", stepper->name);
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "%s", solver->name);
    int body = scene_rotor(&scene, I1, I2, I3);
    scene.body[body].orientation = cn_quat_normalize((cn_quat){0.5, -0.3, 0.7, 0.1});
    cn_mat33 turn = cn_quat_to_mat33(scene.body[body].orientation);
    scene.body[body].angular_velocity = cn_mat33_apply(&turn, spin);
    return scene_create(&scene);
}

/* Angular momentum, world axes. */
static cn_vec3
momentum(const struct cn_world *world)
{
    struct cn_body_view view = scene_view(world, 0);
    cn_mat33 turn = cn_quat_to_mat33(view.orientation);
    cn_vec3 spin = cn_mat33_apply_back(&turn, view.angular_velocity);
    return cn_mat33_apply(&turn, cn_mat33_apply(&view.inertia_tensor, spin));
}

/* The spin about the body's middle axis. */
static double
middle_spin(const struct cn_world *world)
{
    struct cn_body_view view = scene_view(world, 0);
    cn_mat33 turn = cn_quat_to_mat33(view.orientation);
    return cn_mat33_apply_back(&turn, view.angular_velocity).y;
}

/* Runs `law` for every stepper of space with the first solver of each kind that it takes. */
static void
each_stepper(void (*law)(void))
{
    int count = 0;
    for (int i = 0; i < cn_stepper_count; i++) {
        unsigned kinds = 0;
        stepper = cn_steppers[i];
        for (int k = 0; k < cn_solver_count && stepper->spatial; k++) {
            solver = cn_solvers[k];
            if (cn_stepper_fits(stepper, solver) && (kinds & CN_STEPS(solver->kind)) == 0) {
                kinds |= CN_STEPS(solver->kind);
                law();
                count++;
            }
        }
    }
    assert_true(count >= 5); /* event, position, propagation, time with two kinds */
}

static void
expect_near(const char *what, double actual, double wanted, double tolerance)
{
    if (!(fabs(actual - wanted) <= tolerance)) {
        fail_msg("%s, %s: %s is %.12g, wanted %.12g within %g", stepper->name, solver->name, what,
            actual, wanted, tolerance);
    }
}

/* A minute about the middle axis: L in every tick; the energy; and it turns over. */
static void
middle_axis(void)
{
    const double rate = is_exact() ? 60.0 : 1000.0;
    struct cn_world *world = make(1.0, 2.0, 2.6, cn_vec3_make(0.05, 1.5, 0.05), rate);
    cn_vec3 L = momentum(world);
    double length = cn_vec3_length(L), energy = cn_world_energy(world).kinetic;
    double before = middle_spin(world);
    int turns = 0;
    for (int t = 0; t < (int)(MINUTE * rate); t++) {
        scene_tick(world);
        double lost = cn_vec3_length(cn_vec3_sub(momentum(world), L));
        expect_near("what L lost", lost, 0.0, momentum_error() * length);
        double now = middle_spin(world);
        turns += now * before < 0.0;
        before = now;
    }
    double change = cn_world_energy(world).kinetic / energy - 1.0;
    expect_near("change of energy", change, 0.0, is_exact() ? 1e-8 : 0.02);
    assert_in_range(turns, 4, 40);
    cn_world_destroy(world);
}

/* The angle by which the axis of symmetry goes round L in a second. */
static double
precession(double rate, double *wanted)
{
    const double I1 = 1.0, I3 = 1.6;
    struct cn_world *world = make(I1, I1, I3, cn_vec3_make(1.0, 0.0, 5.0), rate);
    cn_vec3 L = momentum(world);
    double length = cn_vec3_length(L), turned = 0.0;
    cn_vec3 n = cn_vec3_scale(L, 1.0 / length);
    cn_vec3 before = cn_quat_to_mat33(scene_view(world, 0).orientation).cz;
    *wanted = length / I1;
    for (int t = 0; t < (int)rate; t++) {
        scene_tick(world);
        cn_vec3 now = cn_quat_to_mat33(scene_view(world, 0).orientation).cz;
        cn_vec3 a = cn_vec3_add_scaled(before, -cn_vec3_dot(before, n), n);
        cn_vec3 b = cn_vec3_add_scaled(now, -cn_vec3_dot(now, n), n);
        turned += atan2(cn_vec3_dot(n, cn_vec3_cross(a, b)), cn_vec3_dot(a, b));
        before = now;
    }
    cn_world_destroy(world);
    return turned;
}

static void
symmetric_body(void)
{
    double wanted, coarse = precession(250.0, &wanted), fine = precession(1000.0, &wanted);
    expect_near("precession", fine, wanted, (is_exact() ? 1e-6 : 0.02) * wanted);
    if (!is_exact()) { /* of first order at least: a quarter of the tick, a third of the error */
        double error = fabs(fine - wanted), before = fabs(coarse - wanted);
        expect_near("error of the shorter tick", error, 0.0, fmax(0.34 * before, 1e-6 * wanted));
    }
}

static void
test_middle_axis(void **state)
{
    (void)state;
    each_stepper(middle_axis);
}

static void
test_symmetric_body(void **state)
{
    (void)state;
    each_stepper(symmetric_body);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_middle_axis),
        cmocka_unit_test(test_symmetric_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
