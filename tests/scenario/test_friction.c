/*
 * test_friction.c: a body that friction holds does not move, one that it has stopped stays at rest,
 * and friction never adds energy.
 */
#include "engine/math/scalar.h"
#include "engine/solve/table/solver_table.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/support/near.h"

static struct scene scene;

static void
start(const struct cn_solver *solver, bool spatial, double gravity_x, double gravity_y)
{
    if (spatial) {
        scene_init_space(&scene, 0.0);
    } else {
        scene_init(&scene, 0.0);
    }
    scene.def.settings.gravity = cn_vec3_make(gravity_x, -gravity_y, 0.0);
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "%s", solver->name);
    scene_friction(&scene, 0, 0.6);
    scene_floor(&scene);
}

/* Bricks one on the other and one beside, on an incline of 0.5 : 1, for a minute. */
static void
rest_on_incline(const struct cn_solver *solver, bool spatial)
{
    start(solver, spatial, 4.0, 8.0);
    scene_box(&scene, 0.0, 0.25, 1.0, 0.5);
    scene_box(&scene, 0.1, 0.75, 1.0, 0.5);
    scene_box(&scene, 3.0, 0.15, 0.6, 0.3);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 6); /* bodies come to ride within the tolerance */
    cn_vec3 before[4];
    for (int i = 1; i < 4; i++) {
        before[i] = scene_view(world, i).position;
    }
    double worst = 0.0;
    for (int t = 0; t < 3600; t++) {
        scene_tick(world);
        for (int i = 1; i < 4; i++) {
            cn_vec3 moved = cn_vec3_sub(scene_view(world, i).position, before[i]);
            worst = fmax(worst, cn_vec3_length(moved));
        }
    }
    printf("friction, %s, %s: bricks at rest on an incline creep by %.1e m in a minute\n",
        solver->name, spatial ? "space" : "plane", worst);
    assert_true(worst <= 1e-9);
    cn_world_destroy(world);
}

/* Friction stops a block after v^2 / 2 a, and the block stays there. */
static void
stop_and_stay(const struct cn_solver *solver, bool spatial)
{
    start(solver, spatial, 4.0, 8.0);
    int block = scene_box(&scene, 0.0, 0.25, 1.0, 0.5);
    scene.body[block].velocity.x = 2.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 180);
    double stopped = scene_view(world, block).position.x;
    assert_near(stopped, 2.0 * 2.0 / (2.0 * (0.6 * 8.0 - 4.0)), 2e-5);
    scene_ticks(world, 600);
    assert_near(scene_view(world, block).position.x, stopped, 1e-9);
    cn_world_destroy(world);
}

static void
test_rest(void **state)
{
    (void)state;
    for (int i = 0; i < cn_problem_solver_count; i++) {
        if (cn_solvers[i]->friction) {
            rest_on_incline(cn_solvers[i], false);
            rest_on_incline(cn_solvers[i], true);
            stop_and_stay(cn_solvers[i], false);
            stop_and_stay(cn_solvers[i], true);
        }
    }
}

/* Rods and boxes thrown on the floor with spin: the energy of no tick exceeds the last's. */
static void
thrown(enum cn_collision_handling collision, double restitution)
{
    start(cn_solver_find("baraff94"), false, 0.0, 9.81);
    scene.def.settings.collision = collision;
    scene.material[0].restitution = restitution;
    for (int i = 0; i < 4; i++) {
        int body = i % 2 == 0 ? scene_box(&scene, 2.5 * i, 1.0 + 0.2 * i, 1.0, 0.4)
                              : scene_capsule(&scene, 2.5 * i, 1.2, 0.05, 1.4);
        scene.body[body].angle = 0.4 + 0.5 * i;
        scene.body[body].velocity = cn_vec3_make(1.5 - i, -1.0, 0.0);
        scene.body[body].angular_velocity.z = 5.0 - 4.0 * i;
    }
    struct cn_world *world = scene_create(&scene);
    double before = cn_world_energy(world).total, first = before;
    int impacts = 0;
    for (int t = 0; t < 300; t++) {
        scene_tick(world);
        impacts += scene_events(world, CN_EVENT_IMPACT, NULL);
        double now = cn_world_energy(world).total;
        if (now > before + 2e-6 * first) {
            fail_msg("tick %d: energy grows from %.12g to %.12g", t, before, now);
        }
        before = now;
    }
    assert_true(impacts > 10);
    cn_world_destroy(world);
}

static void
test_impacts_never_gain(void **state)
{
    (void)state;
    for (int mode = 0; mode < CN_COLLISION_COUNT; mode++) {
        thrown((enum cn_collision_handling)mode, 0.0);
        thrown((enum cn_collision_handling)mode, 0.8);
    }
}

/*
 * Leaning rods strike the floor with an end that slides; e = 0.97, mu = 0.7.  In some impacts the
 * normal impulse reverses the sliding.  There Newton's and Coulomb's laws together would add energy
 * (Kane).
 */
static void
test_kanes_rod(void **state)
{
    (void)state;
    int gainers = 0;
    for (int k = 0; k < 300; k++) {
        double angle = 0.1 + 0.05 * (k % 15), speed = -3.0 + 0.3 * (k / 15);
        start(cn_solver_find("baraff94"), false, 0.0, 0.0);
        scene.material[0].restitution = 0.97;
        scene_friction(&scene, 0, 0.7);
        int rod = scene_capsule(&scene, 0.0, 0.01 + cos(angle) + 1e-3, 0.01, 2.0);
        scene.body[rod].angle = angle;
        scene.body[rod].velocity = cn_vec3_make(speed, -1.0, 0.0);
        scene.body[rod].angular_velocity.z = 2.0;
        struct cn_world *world = scene_create(&scene);
        double before = cn_world_energy(world).kinetic, sum = 0.0;
        struct cn_event event;
        scene_ticks(world, 1);
        if (scene_events(world, CN_EVENT_IMPACT, &event) > 0) {
            sum = cn_world_energy(world).kinetic;
            assert_true(sum <= before * (1.0 + 1e-9));
            gainers += sum > before * (1.0 - 1e-9); /* the solver has limited the energy to this */
        }
        cn_world_destroy(world);
    }
    printf("friction: %d of 300 rods would have gained\n", gainers);
    assert_true(gainers > 0);
}

/*
 * Painleve's rod: with mu = 1.5, at 60 degrees, its end sliding away from the centre, no force
 * holds it.  The velocities jump, the world reports a jam and continues.  The energy does not grow,
 * and no body sinks in.
 */
static void
test_jam(void **state)
{
    (void)state;
    start(cn_solver_find("baraff94"), false, 0.0, 9.81);
    scene_friction(&scene, 0, 1.5);
    const double theta = CN_PI / 3.0, radius = 1e-3;
    int rod = scene_capsule(&scene, -cos(theta), sin(theta) + radius, radius, 2.0);
    scene.body[rod].angle = 0.5 * CN_PI - theta; /* its upper end leads to the left */
    scene.body[rod].mass = 1.0;
    scene.body[rod].inertia = 1.0 / 3.0;
    scene.body[rod].velocity.x = 3.0;
    struct cn_world *world = scene_create(&scene);
    double before = cn_world_energy(world).total;
    int jams = 0;
    for (int t = 0; t < 120; t++) {
        scene_tick(world);
        jams += scene_events(world, CN_EVENT_JAM, NULL);
        double now = cn_world_energy(world).total;
        assert_true(isfinite(now) && now <= before + 1e-6);
        assert_true(scene_depth(world) <= 2.0 * cn_world_gap_tolerance(world));
        before = now;
    }
    printf("friction: Painleve's rod jams %d times\n", jams);
    assert_true(jams > 0);
    cn_world_destroy(world);
}

/*
 * A box that a force beside its centre pulls and turns, from rest: its corners begin to slide in
 * directions of their own.  Friction, 0.3 of the force, is against the acceleration of each corner,
 * although 0.5 was the limit while it rested and other directions would follow from it.
 */
static void
test_onset_of_turning(void **state)
{
    (void)state;
    static const struct cn_solver *const solvers[] = {
        &cn_solver_baraff94, &cn_solver_newton, &cn_solver_faure96};
    for (size_t k = 0; k < sizeof(solvers) / sizeof(solvers[0]); k++) {
        start(solvers[k], true, 0.0, 10.0);
        scene.material[0].friction = 0.3;
        scene.material[0].static_friction = 0.5;
        int box = scene_box(&scene, 0.0, 0.25, 1.0, 0.5);
        struct cn_world *world = scene_create(&scene);
        double weight = 10.0 * scene_view(world, box).mass;
        scene_hold_force(
            world, box, cn_vec3_make(0.0, -0.25, 0.4), cn_vec3_make(0.7 * weight, 0.0, 0.0));
        const struct cn_contact_view *contact;
        int count = cn_world_contacts(world, &contact);
        struct cn_body_view view = scene_view(world, box);
        assert_true(count >= 3 && view.angular_acceleration.y > 0.1);
        for (int i = 0; i < count; i++) {
            cn_vec3 arm = cn_vec3_sub(contact[i].point, view.center);
            cn_vec3 a =
                cn_vec3_add(view.acceleration, cn_vec3_cross(view.angular_acceleration, arm));
            a.y = 0.0;
            cn_vec3 friction =
                cn_vec3_scale(a, -0.3 * contact[i].force / cn_vec3_length(a));
            assert_near(contact[i].friction.x, friction.x, 1e-8 * weight);
            assert_near(contact[i].friction.z, friction.z, 1e-8 * weight);
        }
        cn_world_destroy(world);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_impacts_never_gain),
        cmocka_unit_test(test_kanes_rod),
        cmocka_unit_test(test_jam),
        cmocka_unit_test(test_onset_of_turning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
