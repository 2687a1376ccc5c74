/*
 * test_batches.c: islands that are solved in batches have the bits of all islands solved together.
 *
 * Two workers cut these scenes into batches, one worker does not (pipeline_batches.c).  Islands
 * are pyramids, a plank with more contacts than there are colours, and pyramids that a moving
 * platform connects.  With joints, batches are solved stage by stage, without them as a whole.
 * Sensors leave gaps in the list of contacts, which change nothing.
 */
#include "tests/support/world/hash_run.h"
#include "tests/support/world/scene.h"

#include "engine/solve/impulse/impulse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define TICKS 60
#define ROWS 10
#define PYRAMIDS 14
#define SPACING 14.0 /* m */
#define BALLS 80

static struct scene scene;

static void
make_pyramid(double x, double y)
{
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < ROWS - row; i++) {
            scene_box(&scene, x + i + 0.5 * row, y + 0.5 + row, 1.0, 1.0);
        }
    }
}

/* A kinematic platform that moves sideways, under the next `count` pyramids. */
static void
make_platform(double x, int count)
{
    int platform = scene_box(&scene, x + 0.5 * SPACING * count - 2.0, 0.5, SPACING * count, 1.0);
    scene.body[platform].type = CN_KINEMATIC;
    scene.body[platform].velocity.x = 0.5;
    scene.body[platform].velocity.y = 0.1;
}

/* A plank on which more balls lie side by side than there are colours. */
static void
make_plank(double x)
{
    scene_box(&scene, x + 0.1 * BALLS, 0.25, 0.2 * BALLS, 0.5);
    for (int i = 0; i < BALLS; i++) {
        scene_circle(&scene, x + 0.1 + 0.2 * i, 0.6, 0.1);
    }
}

static void
make_islands(bool joints)
{
    scene_init(&scene, 9.81);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    scene.def.settings.sleep = false;
    scene_friction(&scene, 0, 0.5);
    scene_floor(&scene);
    for (int i = 0; i < PYRAMIDS; i++) {
        bool is_carried = i == 5 || i == 6;
        if (i == 5) {
            make_platform(SPACING * i, 2);
        }
        make_pyramid(SPACING * i, is_carried ? 1.0 : 0.0);
    }
    make_plank(SPACING * (PYRAMIDS + 1));
    if (joints) {
        int pendulum = scene_box(&scene, -10.0, 5.0, 1.0, 0.2);
        scene_joint(&scene, CN_JOINT_HINGE, -1, pendulum, cn_vec3_make(-10.5, 5.0, 0.0));
    }
}

static void
check(bool joints)
{
    static uint64_t reference[TICKS], hash[TICKS];
    make_islands(joints);
    hash_run(&scene, "plain", 1, TICKS, reference);
    for (int k = 0; cn_impulse_kernels[k] != NULL; k++) {
        if (!cn_impulse_kernel_runs(cn_impulse_kernels[k])) {
            print_message("%s does not run here\n", cn_impulse_kernels[k]->name);
            continue;
        }
        for (int workers = 1; workers <= 3; workers++) {
            hash_run(&scene, cn_impulse_kernels[k]->name, workers, TICKS, hash);
            for (int tick = 0; tick < TICKS; tick++) {
                if (hash[tick] != reference[tick]) {
                    fail_msg("%s, %d workers: tick %d differs", cn_impulse_kernels[k]->name,
                        workers, tick);
                }
            }
        }
    }
}

static void
test_same_bits(void **state)
{
    (void)state;
    check(false);
}

static void
test_same_bits_with_joints(void **state)
{
    (void)state;
    check(true);
}

/* Contacts without a colour, under 80 balls on one plank, bear their load too. */
static void
test_nothing_sinks(void **state)
{
    (void)state;
    make_islands(false);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, TICKS);
    assert_true(scene_depth(world) < 0.02);
    cn_world_destroy(world);
}

/* Pairs with a sensor touch and have no contact; the contacts of the other pairs stay the same. */
static void
test_sensors_change_nothing(void **state)
{
    (void)state;
    make_islands(false);
    struct cn_world *without = scene_create(&scene);
    int count = scene.def.body_count;
    int sensor = scene_box(&scene, 10.0, 3.0, 30.0, 4.0);
    scene.body[sensor].type = CN_STATIC;
    scene.shape[sensor].sensor = true;
    struct cn_world *with = scene_create(&scene);
    for (int tick = 0; tick < TICKS; tick++) {
        scene_tick(without);
        scene_tick(with);
        for (int i = 0; i < count; i++) {
            struct cn_body_view a = scene_view(without, i), b = scene_view(with, i);
            assert_memory_equal(&a.position, &b.position, sizeof(a.position));
            assert_memory_equal(&a.velocity, &b.velocity, sizeof(a.velocity));
        }
    }
    cn_world_destroy(without);
    cn_world_destroy(with);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_same_bits_with_joints),
        cmocka_unit_test(test_nothing_sinks),
        cmocka_unit_test(test_sensors_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
