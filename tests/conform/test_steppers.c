/*
 * test_steppers.c: laws that every stepper obeys, with every exact solver.
 *
 *   1. free fall is right up to the order of the method
 *   2. colliding bodies keep their momentum and never gain energy
 *   3. a pile comes to rest: overlaps within tolerance, its weight on the floor, no motion
 *   4. reading forces changes nothing; a restored world continues with the same bits
 *   5. a fast body does not pass through a wall
 */
#include "engine/solve/table/solver_table.h"
#include "engine/state/image.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct scene scene;
static const struct cn_stepper *stepper;
static const struct cn_solver *solver;

/* Baraff's prediction of 1989 may fail: its report says so, and its forces then add energy. */
static bool
is_heuristic(const struct cn_solver *candidate)
{
    return strcmp(candidate->name, "baraff89") == 0;
}

static void
begin(double gravity)
{
    scene_init(&scene, gravity);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "%s", stepper->name);
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "%s", solver->name);
}

static void
for_each_pair(void (*law)(void))
{
    for (int i = 0; i < cn_stepper_count; i++) {
        for (int k = 0; k < cn_solver_count; k++) {
            stepper = cn_steppers[i];
            solver = cn_solvers[k];
            if (!is_heuristic(solver) && solver->kind != CN_SOLVER_BODIES &&
                cn_stepper_fits(stepper, solver)) {
                law();
            }
        }
    }
}

static void
falls(void)
{
    begin(10.0);
    int body = scene_box(&scene, 0.0, 100.0, 1.0, 2.0);
    scene.body[body].velocity = cn_vec3_make(3.0, 4.0, 0.0);
    scene.body[body].angular_velocity.z = 2.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 60);
    struct cn_body_view view = scene_view(world, body);
    double first_order = 10.0 / 60.0; /* g h t, the bound of the symplectic Euler method */
    assert_true(fabs(view.position.x - 3.0) <= 1e-9);
    assert_true(fabs(view.position.y - 99.0) <= first_order);
    assert_true(fabs(view.velocity.y + 6.0) <= 1e-9);
    assert_true(fabs(view.angle - 2.0) <= 1e-9);
    cn_world_destroy(world);
}

static void
test_falls(void **state)
{
    (void)state;
    for_each_pair(falls);
}

static double
momentum(const struct cn_world *world, bool is_y)
{
    double sum = 0.0;
    for (int i = 0; i < cn_world_body_count(world); i++) {
        struct cn_body_view view = scene_view(world, i);
        sum += view.mass * (is_y ? view.velocity.y : view.velocity.x);
    }
    return sum;
}

static void
meets(void)
{
    begin(0.0);
    for (int i = 0; i < 5; i++) {
        int body = scene_box(&scene, 1.3 * i, 0.2 * i * i, 1.0, 0.8);
        scene.body[body].mass = 1.0 + i;
        scene.body[body].angle = 0.4 * i;
        scene.body[body].velocity = cn_vec3_make(2.0 - 1.5 * i, 0.3 - 0.4 * i, 0.0);
        scene.body[body].angular_velocity.z = 1.0 - i;
    }
    struct cn_world *world = scene_create(&scene);
    double x = momentum(world, false), y = momentum(world, true);
    double energy = cn_world_energy(world).total, first = energy;
    for (int t = 0; t < 120; t++) {
        scene_tick(world);
        double now = cn_world_energy(world).total;
        assert_true(now <= energy * (1.0 + 1e-3)); /* of first order where gaps turn */
        energy = now;
        assert_true(fabs(momentum(world, false) - x) <= 1e-9 * first);
        assert_true(fabs(momentum(world, true) - y) <= 1e-9 * first);
    }
    assert_true(energy < 0.9 * first); /* they did meet */
    cn_world_destroy(world);
}

static void
test_meets(void **state)
{
    (void)state;
    for_each_pair(meets);
}

static void
rests(void)
{
    begin(10.0);
    int ground = scene_floor(&scene), box[3];
    for (int i = 0; i < 3; i++) {
        box[i] = scene_box(&scene, 0.05 * i, 0.3 + 0.55 * i, 1.0, 0.5);
        scene.body[box[i]].mass = 2.0;
    }
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 180);
    struct cn_body_view before = scene_view(world, box[2]);
    for (int t = 0; t < 60; t++) {
        scene_tick(world);
        assert_true(scene_depth(world) <= cn_world_gap_tolerance(world));
    }
    struct cn_body_view after = scene_view(world, box[2]);
    assert_true(fabs(after.position.y - 1.25) <= 1e-4);
    assert_true(fabs(after.position.y - before.position.y) <= 1e-6);
    assert_true(fabs(scene_contacts(world, ground, box[0]).force - 60.0) <= 1e-3);
    assert_true(fabs(scene_contacts(world, box[1], box[2]).force - 20.0) <= 1e-3);
    cn_world_destroy(world);
}

static void
test_rests(void **state)
{
    (void)state;
    for_each_pair(rests);
}

static struct cn_world *
busy_world(void)
{
    begin(9.81);
    scene_floor(&scene);
    for (int i = 0; i < 4; i++) {
        int body = scene_box(&scene, 0.3 * i, 0.6 + 1.1 * i, 1.0, 0.7);
        scene.body[body].angle = 0.2 * i;
        scene.body[body].velocity.x = 0.5 - 0.3 * i;
    }
    return scene_create(&scene);
}

static void
resumes(void)
{
    struct cn_world *original = busy_world(), *restored = busy_world(), *read = busy_world();
    for (int t = 0; t < 90; t++) {
        scene_tick(original);
        scene_tick(read);
        const struct cn_contact_view *contacts;
        (void)cn_world_contacts(read, &contacts);
        assert_true(cn_world_hash(read) == cn_world_hash(original));
        if (t == 40) {
            size_t size = cn_world_image_size(original);
            void *image = malloc(size);
            assert_non_null(image);
            assert_int_equal(cn_world_image_write(original, image, size), size);
            assert_int_equal(cn_world_image_read(restored, image, size, NULL), CN_OK);
            free(image);
        } else if (t > 40) {
            scene_tick(restored);
            assert_true(cn_world_hash(restored) == cn_world_hash(original));
        }
    }
    cn_world_destroy(original);
    cn_world_destroy(restored);
    cn_world_destroy(read);
}

static void
test_resumes(void **state)
{
    (void)state;
    for_each_pair(resumes);
}

static void
stops(void)
{
    begin(0.0);
    int wall = scene_box(&scene, 10.0, 0.0, 0.05, 4.0), ball = scene_circle(&scene, 0.0, 0.1, 0.05);
    scene.body[wall].type = CN_STATIC;
    scene.body[ball].velocity.x = 300.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 30);
    assert_true(scene_view(world, ball).position.x <= 10.0 - 0.025 - 0.05 + 1e-3);
    cn_world_destroy(world);
}

static void
test_stops(void **state)
{
    (void)state;
    for_each_pair(stops);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_falls),
    cmocka_unit_test(test_meets),
    cmocka_unit_test(test_rests),
    cmocka_unit_test(test_resumes),
    cmocka_unit_test(test_stops),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
