/*
 * test_chains.c: chains, bridges and machines in the production solver, together with contacts.
 *
 *   1. a hundred links hold each other and a hundred times their mass, and swing as one
 *   2. a bridge of planks carries bodies that drop on it
 *   3. a jointed world restored from an image continues with the bits of one that never stopped
 */
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct scene scene;

static void
init(bool planar)
{
    if (planar) {
        scene_init(&scene, 9.81);
    } else {
        scene_init_space(&scene, 9.81);
    }
    strcpy(scene.def.settings.stepper, "time");
    strcpy(scene.def.settings.solver, "impulse");
}

static double
gap_max(const struct cn_world *world)
{
    double most = 0.0;
    for (int i = 0; i < cn_world_joint_count(world); i++) {
        struct cn_joint_view view;
        cn_world_joint_view(world, i, &view);
        most = fmax(most, view.gap);
    }
    return most;
}

/* Let go at 45 degrees, with a weight at the end. */
static void
make_chain(int links)
{
    for (int i = 0; i < links; i++) {
        int link = scene_box(&scene, 0.1 + 0.2 * i, 30.0 - 0.1 - 0.2 * i, 0.2, 0.1);
        scene.body[link].angle = -0.785398163397448;
        double half = 0.392699081698724;
        scene.body[link].orientation = (cn_quat){cos(half), 0.0, 0.0, -sin(half)};
        scene.body[link].mass = i == links - 1 ? 100.0 : 1.0;
        cn_vec3 anchor = {0.2 * i, 30.0 - 0.2 * i, 0.0};
        scene_joint(&scene, CN_JOINT_BALL, i == 0 ? -1 : link - 1, link, anchor);
    }
}

static void
test_hundred_links(void **unused)
{
    (void)unused;
    for (int planar = 0; planar < 2; planar++) {
        init(planar != 0);
        make_chain(100);
        struct cn_world *world = scene_create(&scene);
        double energy = cn_world_energy(world).total, worst = 0.0;
        for (int t = 0; t < 300; t++) {
            scene_tick(world);
            worst = fmax(worst, gap_max(world));
        }
        print_message("%s: gap %.5f, energy %.1f of %.1f\n", planar ? "planar" : "spatial", worst,
            cn_world_energy(world).total, energy);
        assert_true(worst < 0.01);
        assert_true(cn_world_energy(world).total < 1.01 * energy);
        assert_true(cn_vec3_length(scene_view(world, 99).position) < 60.0);
        cn_world_destroy(world);
    }
}

/* Twenty planks between two walls, and five boxes. */
static void
make_bridge(void)
{
    scene_friction(&scene, 0, 0.6);
    int left = scene_box(&scene, -0.5, 4.0, 1.0, 1.0);
    int right = scene_box(&scene, 20.5, 4.0, 1.0, 1.0);
    scene.body[left].type = scene.body[right].type = CN_STATIC;
    int before = left;
    for (int i = 0; i < 20; i++) {
        int plank = scene_box(&scene, 0.5 + i, 4.4, 0.96, 0.2);
        struct cn_joint_def *hinge =
            scene_joint(&scene, CN_JOINT_HINGE, before, plank, cn_vec3_make(i, 4.4, 0.0));
        hinge->axis = cn_vec3_make(0.0, 0.0, 1.0);
        before = plank;
    }
    scene_joint(&scene, CN_JOINT_HINGE, before, right, cn_vec3_make(20.0, 4.4, 0.0))->axis =
        cn_vec3_make(0.0, 0.0, 1.0);
    for (int i = 0; i < 5; i++) {
        scene_box(&scene, 8.0 + i, 5.5 + 0.8 * i, 0.6, 0.6);
    }
}

static void
test_bridge(void **unused)
{
    (void)unused;
    for (int planar = 0; planar < 2; planar++) {
        init(planar != 0);
        make_bridge();
        struct cn_world *world = scene_create(&scene);
        double worst = 0.0;
        for (int t = 0; t < 360; t++) {
            scene_tick(world);
            worst = fmax(worst, gap_max(world));
        }
        print_message("%s: gap %.5f\n", planar ? "planar" : "spatial", worst);
        assert_true(worst < 0.05);
        for (int i = 22; i < 27; i++) {
            assert_true(scene_view(world, i).position.y > 0.0);
            assert_true(cn_vec3_length(scene_view(world, i).velocity) < 1.0);
        }
        cn_world_destroy(world);
    }
}

/* ---- images ---- */

/* A crank, a slider on a spring, ropes and a chain, over the bridge. */
static void
make_machines(void)
{
    make_bridge();
    int crank = scene_box(&scene, 5.0, 9.0, 1.0, 0.2), cart = scene_box(&scene, 8.0, 9.0, 0.6, 0.4);
    int bob = scene_box(&scene, 8.0, 8.0, 0.3, 0.3), arm = scene_box(&scene, 12.0, 9.0, 1.0, 0.2);
    struct cn_joint_def *motor =
        scene_joint(&scene, CN_JOINT_HINGE, -1, crank, cn_vec3_make(4.6, 9.0, 0.0));
    motor->axis = cn_vec3_make(0.0, 0.0, 1.0);
    motor->has_motor = true;
    motor->motor_speed = 5.0;
    motor->motor_force_max = 400.0;
    struct cn_joint_def *slider =
        scene_joint(&scene, CN_JOINT_SLIDER, -1, cart, cn_vec3_make(8.0, 9.0, 0.0));
    slider->axis = cn_vec3_make(1.0, 0.0, 0.0);
    slider->has_spring = slider->has_limit = true;
    slider->stiffness = 50.0;
    slider->lower = -0.6;
    slider->upper = 0.6;
    scene_rod(&scene, CN_JOINT_DISTANCE, crank, cart, cn_vec3_make(5.4, 9.0, 0.0),
        cn_vec3_make(7.8, 9.0, 0.0));
    scene_rod(&scene, CN_JOINT_ROPE, cart, bob, cn_vec3_make(8.0, 9.0, 0.0),
        cn_vec3_make(8.0, 8.0, 0.0));
    struct cn_joint_def *hinge =
        scene_joint(&scene, CN_JOINT_HINGE, -1, arm, cn_vec3_make(11.5, 9.0, 0.0));
    hinge->axis = cn_vec3_make(0.0, 0.0, 1.0);
    hinge->has_limit = hinge->has_spring = true;
    hinge->lower = -0.5;
    hinge->upper = 0.5;
    hinge->stiffness = 30.0;
}

static void
test_restored(void **unused)
{
    (void)unused;
    for (int planar = 0; planar < 2; planar++) {
        init(planar != 0);
        make_machines();
        struct cn_world *original = scene_create(&scene), *restored = scene_create(&scene);
        for (int t = 0; t < 90; t++) {
            scene_restore(restored, original);
            scene_tick(original);
            scene_tick(restored);
            assert_int_equal(cn_world_hash(restored), cn_world_hash(original));
        }
        assert_true(gap_max(original) < 0.1);
        cn_world_destroy(original);
        cn_world_destroy(restored);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hundred_links),
        cmocka_unit_test(test_bridge),
        cmocka_unit_test(test_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
