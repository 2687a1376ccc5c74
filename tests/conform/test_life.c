/*
 * test_life.c: laws for making and removing bodies and joints, with every stepper and exact solver.
 *
 *   1. a body that is made before the first tick moves as if it were in the scene
 *   2. an empty slot does not change the motion of other bodies
 *   3. images include new and removed bodies and joints: a world restored from an image, whatever
 *      it had before, continues with the same bits, and later commands use the same slots
 *   4. the same holds within a tick
 */
#include "engine/base/rng.h"
#include "engine/solve/table/solver_table.h"
#include "engine/world/world_inside.h"
#include "engine/state/image.h"
#include "tests/support/world/scene.h"

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
static enum cn_dimension dimension;

static void
for_each_pair(void (*law)(void))
{
    for (int i = 0; i < cn_stepper_count; i++) {
        for (int k = 0; k < cn_solver_count; k++) {
            stepper = cn_steppers[i];
            solver = cn_solvers[k];
            for (int d = CN_PLANAR; d <= CN_SPATIAL; d++) {
                dimension = (enum cn_dimension)d;
                bool can = d == CN_PLANAR ? stepper->planar : stepper->spatial;
                if (can && cn_stepper_fits(stepper, solver)) {
                    law();
                }
            }
        }
    }
}

static void
begin(void)
{
    scene_init(&scene, 9.81);
    scene.def.settings.dimension = dimension;
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "%s", stepper->name);
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "%s", solver->name);
    scene_floor(&scene);
}

static void
assert_same_motion(const struct cn_world *a, int body_a, const struct cn_world *b, int body_b)
{
    struct cn_body_view of_a = scene_view(a, body_a), of_b = scene_view(b, body_b);
    assert_memory_equal(&of_a.position, &of_b.position, sizeof(of_a.position));
    assert_memory_equal(&of_a.orientation, &of_b.orientation, sizeof(of_a.orientation));
    assert_memory_equal(&of_a.velocity, &of_b.velocity, sizeof(of_a.velocity));
    assert_memory_equal(
        &of_a.angular_velocity, &of_b.angular_velocity, sizeof(of_a.angular_velocity));
}

/* ---- 1 ---- */

static void
made_is_as_defined(void)
{
    begin();
    int low = scene_box(&scene, 0.0, 0.6, 1.0, 1.0);
    int high = scene_box(&scene, 0.2, 1.8, 1.0, 1.0);
    int bob = scene_box(&scene, 3.0, 3.0, 1.0, 1.0);
    scene.body[high].velocity.x = 0.5;
    scene_joint(&scene, CN_JOINT_BALL, -1, bob, cn_vec3_make(2.0, 4.0, 0.0));
    struct cn_world *whole = scene_create(&scene);
    scene.def.body_count = low + 1;
    scene.def.joint_count = 0;
    struct cn_world *made = scene_create(&scene);
    int slot = -1, joint = -1;
    assert_int_equal(cn_world_make_body(made, &scene.body[high], NULL, &slot), CN_OK);
    assert_int_equal(slot, high);
    assert_int_equal(cn_world_make_body(made, &scene.body[bob], NULL, &slot), CN_OK);
    assert_int_equal(slot, bob);
    assert_int_equal(cn_world_make_joint(made, &scene.joint[0], NULL, &joint), CN_OK);
    assert_int_equal(joint, 0);
    for (int t = 0; t < 60; t++) {
        scene_tick(whole);
        scene_tick(made);
        for (int i = 0; i <= bob; i++) {
            assert_same_motion(whole, i, made, i);
        }
    }
    cn_world_destroy(whole);
    cn_world_destroy(made);
}

static void
test_made_is_as_defined(void **state)
{
    (void)state;
    for_each_pair(made_is_as_defined);
}

/* ---- 2 ---- */

/* A tower of three, with and without a slot between them that was emptied. */
static void
hole_is_nothing(void)
{
    struct cn_world *world[2];
    for (int with = 0; with < 2; with++) {
        begin();
        scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
        if (with) {
            scene_box(&scene, 0.1, 9.0, 1.0, 1.0);
        }
        scene_box(&scene, 0.1, 1.7, 1.0, 1.0);
        scene_box(&scene, 0.0, 2.9, 1.0, 1.0);
        world[with] = scene_create(&scene);
    }
    assert_int_equal(cn_world_remove_body(world[1], 2, NULL), CN_OK);
    for (int t = 0; t < 60; t++) {
        scene_tick(world[0]);
        scene_tick(world[1]);
        assert_same_motion(world[0], 1, world[1], 1);
        assert_same_motion(world[0], 2, world[1], 3);
        assert_same_motion(world[0], 3, world[1], 4);
    }
    assert_true(scene_view(world[1], 2).absent);
    cn_world_destroy(world[0]);
    cn_world_destroy(world[1]);
}

static void
test_hole_is_nothing(void **state)
{
    (void)state;
    for_each_pair(hole_is_nothing);
}

/* ---- 3 ---- */

static void
make_some_body(struct cn_world *world, struct cn_rng *rng)
{
    bool planar = dimension == CN_PLANAR;
    static const cn_vec3 planar_point[3] = {{-0.4, -0.4, 0.0}, {0.4, -0.4, 0.0}, {0.0, 0.5, 0.0}};
    static const cn_vec3 spatial_point[4] = {
        {-0.4, -0.4, -0.4}, {0.4, -0.4, -0.4}, {0.0, 0.5, -0.4}, {0.0, 0.0, 0.5}};
    struct cn_shape_def shape[2] = {{.kind = CN_SHAPE_BOX}, {.kind = CN_SHAPE_CAPSULE}};
    struct cn_body_def def;
    cn_body_def_init(&def);
    shape[0].box.size = cn_vec3_make(0.8, 0.6, 0.7);
    shape[1].capsule.radius = 0.2;
    shape[1].capsule.length = 0.5;
    shape[1].position.x = 0.3;
    def.shapes = shape;
    def.shape_count = 1 + (int)(cn_rng_next(rng) % 2);
    if (cn_rng_next(rng) % 3 == 0) {
        shape[0].kind = planar ? CN_SHAPE_POLYGON : CN_SHAPE_HULL;
        if (planar) {
            shape[0].polygon.vertices = planar_point;
            shape[0].polygon.vertex_count = 3;
        } else {
            shape[0].hull.vertices = spatial_point;
            shape[0].hull.vertex_count = 4;
        }
    }
    if (cn_rng_next(rng) % 5 == 0) {
        def.type = CN_KINEMATIC;
    }
    def.gravity_scale = cn_rng_next(rng) % 4 == 0 ? 0.5 : 1.0;
    def.position = cn_vec3_make(
        (double)(cn_rng_next(rng) % 9) - 4.0, 1.0 + (double)(cn_rng_next(rng) % 5), 0.0);
    assert_int_equal(cn_world_make_body(world, &def, NULL, NULL), CN_OK);
}

static void
make_some_joint(struct cn_world *world, struct cn_rng *rng)
{
    int count = cn_world_body_count(world);
    struct cn_joint_def def;
    cn_joint_def_init(&def, cn_rng_next(rng) % 2 == 0 ? CN_JOINT_HINGE : CN_JOINT_BALL);
    def.body_a = (int)(cn_rng_next(rng) % (unsigned)count) - 1;
    def.body_b = (int)(cn_rng_next(rng) % (unsigned)count);
    if (scene_view(world, def.body_b).absent) {
        return;
    }
    def.anchor_b = scene_view(world, def.body_b).position;
    def.has_motor = def.kind == CN_JOINT_HINGE && cn_rng_next(rng) % 2 == 0;
    def.motor_speed = 1.0;
    def.motor_force_max = 5.0;
    (void)!cn_world_make_joint(world, &def, NULL, NULL); /* two that can not be moved: refused */
}

/* Applies a random command that makes, removes or changes a body or a joint. */
static void
live(struct cn_world *world, uint64_t seed)
{
    struct cn_rng rng = {seed * UINT64_C(0x9e3779b97f4a7c15)};
    struct cn_command command = {.kind = CN_COMMAND_SET_BODY_TYPE};
    int body = (int)(cn_rng_next(&rng) % (unsigned)cn_world_body_count(world));
    switch (cn_rng_next(&rng) % 7) {
    case 0:
    case 1:
        make_some_body(world, &rng);
        break;
    case 2:
        make_some_joint(world, &rng);
        break;
    case 3:
        (void)!cn_world_remove_body(world, body, NULL);
        break;
    case 4:
        if (cn_world_joint_count(world) > 0) {
            (void)!cn_world_remove_joint(world,
                (int)(cn_rng_next(&rng) % (unsigned)cn_world_joint_count(world)), NULL);
        }
        break;
    case 5:
        command.set_body_type.body = body;
        command.set_body_type.type = (enum cn_body_type)(cn_rng_next(&rng) % 3);
        (void)!cn_world_command_apply(world, &command, NULL);
        break;
    default:
        command.kind = CN_COMMAND_SET_FILTER;
        command.set_filter.body = body;
        command.set_filter.shape = -1;
        command.set_filter.filter = CN_FILTER_DEFAULT;
        command.set_filter.filter.group = -(int)(cn_rng_next(&rng) % 2);
        (void)!cn_world_command_apply(world, &command, NULL);
        break;
    }
}

static void *
image_of(const struct cn_world *world, size_t *size)
{
    *size = cn_world_image_size(world);
    void *image = malloc(*size);
    assert_non_null(image);
    assert_int_equal(cn_world_image_write(world, image, *size), *size);
    return image;
}

static void
carry_over(const struct cn_world *from, struct cn_world *to)
{
    size_t size;
    struct cn_defect defect = {0};
    void *image = image_of(from, &size);
    assert_int_equal(cn_world_image_read(to, image, size, &defect), CN_OK);
    free(image);
    assert_int_equal(cn_world_hash(to), cn_world_hash(from));
    for (int i = 0; i < cn_world_body_count(from); i++) {
        assert_int_equal(scene_view(to, i).absent, scene_view(from, i).absent);
        assert_int_equal(scene_view(to, i).generation, scene_view(from, i).generation);
    }
}

static void
scene_with_things(void)
{
    begin();
    scene_box(&scene, -2.0, 0.6, 1.0, 1.0);
    int bob = scene_box(&scene, 2.0, 3.0, 1.0, 1.0);
    scene_box(&scene, -2.0, 1.8, 1.0, 1.0);
    struct cn_joint_def *hinge =
        scene_joint(&scene, CN_JOINT_HINGE, -1, bob, cn_vec3_make(1.0, 4.0, 0.0));
    hinge->has_motor = true;
    hinge->motor_speed = 1.0;
    hinge->motor_force_max = 1.0;
}

static void
images_hold_life(void)
{
    scene_with_things();
    struct cn_world *original = scene_create(&scene), *other = scene_create(&scene);
    uint64_t seed = 77;
    for (int k = 0; k < 12; k++) {
        live(other, 1000 + (uint64_t)k);
    }
    for (int t = 0; t < 14; t++) {
        for (int k = 0; k < 3; k++) {
            live(original, seed++);
        }
        struct cn_world *fresh = scene_create(&scene);
        carry_over(original, fresh);
        carry_over(original, other);
        scene_tick(original);
        scene_tick(fresh);
        scene_tick(other);
        assert_int_equal(cn_world_hash(fresh), cn_world_hash(original));
        assert_int_equal(cn_world_hash(other), cn_world_hash(original));
        live(original, seed);
        live(fresh, seed);
        scene_tick(original);
        scene_tick(fresh);
        assert_int_equal(cn_world_hash(fresh), cn_world_hash(original));
        assert_int_equal(cn_world_body_slot(fresh), cn_world_body_slot(original));
        live(other, seed + 99);
        seed++;
        cn_world_destroy(fresh);
    }
    struct cn_world *early = scene_create(&scene);
    carry_over(early, original); /* and all the way back */
    cn_world_destroy(early);
    cn_world_destroy(original);
    cn_world_destroy(other);
}

static void
test_images_hold_life(void **state)
{
    (void)state;
    for_each_pair(images_hold_life);
}

/*
 * An early state, with fewer slots, is read back into a later world.  Bodies made after that take
 * slots that held other bodies before, and both worlds keep the same bits.
 */
static void
slots_come_again(void)
{
    scene_with_things();
    struct cn_world *early = scene_create(&scene), *late = scene_create(&scene);
    struct cn_rng rng = {5};
    for (int k = 0; k < 8; k++) {
        make_some_body(late, &rng);
    }
    scene_tick(late);
    carry_over(early, late);
    for (int k = 0; k < 6; k++) {
        scene_tick(early);
        scene_tick(late);
        struct cn_rng same = rng;
        make_some_body(early, &rng);
        make_some_body(late, &same);
        assert_int_equal(cn_world_hash(late), cn_world_hash(early));
    }
    scene_tick(early);
    scene_tick(late);
    assert_int_equal(cn_world_hash(late), cn_world_hash(early));
    cn_world_destroy(early);
    cn_world_destroy(late);
}

static void
test_slots_come_again(void **state)
{
    (void)state;
    for_each_pair(slots_come_again);
}

/*
 * A box is removed, and an outline takes its slots while the circles around it stay.  Copies of the
 * world's state continue with the same hashes.
 */
static void
outline_takes_a_place(void)
{
    static const cn_vec3 ring[] = {{-0.5, -0.5, 0.0}, {0.5, -0.5, 0.0}, {0.5, 0.5, 0.0},
        {0.1, 0.5, 0.0}, {0.0, -0.3, 0.0}, {-0.1, 0.5, 0.0}, {-0.5, 0.5, 0.0}};
    struct cn_shape_def shape = {.kind = CN_SHAPE_OUTLINE,
        .boundary = {.points = ring, .point_count = 7, .closed = true}};
    for (int turn = 0; turn < 16; turn++) {
        scene_with_things();
        int box = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
        for (int i = 0; i < 5; i++) {
            scene_circle(&scene, 0.3 * i - 0.6, 1.2, 0.2);
        }
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 10);
        struct cn_body_def def;
        cn_body_def_init(&def);
        def.shapes = &shape;
        def.shape_count = 1;
        def.position.y = 0.55;
        def.angle = 0.4 * turn;
        assert_int_equal(cn_world_remove_body(world, box, NULL), CN_OK);
        assert_int_equal(cn_world_make_body(world, &def, NULL, NULL), CN_OK);
        for (int t = 0; t < 10; t++) {
            struct cn_world *again = scene_create(&scene);
            carry_over(world, again);
            scene_tick(world);
            scene_tick(again);
            assert_int_equal(cn_world_hash(again), cn_world_hash(world));
            cn_world_destroy(again);
        }
        cn_world_destroy(world);
    }
}

static void
test_outline_takes_a_place(void **state)
{
    (void)state;
    stepper = cn_stepper_find("time");
    solver = cn_solver_find("impulse");
    dimension = CN_PLANAR;
    outline_takes_a_place();
}

/* ---- 4 ---- */

static void
images_within_a_tick(void)
{
    scene_with_things();
    struct cn_world *original = scene_create(&scene), *fresh = scene_create(&scene);
    for (uint64_t seed = 500; seed < 540; seed++) {
        live(original, seed);
        enum cn_step_result result = cn_world_step(original, 1);
        carry_over(original, fresh);
        while (result == CN_STEP_MORE) {
            result = cn_world_step(original, 1);
        }
        if (cn_world_is_mid_tick(fresh)) {
            scene_tick(fresh);
        }
        assert_int_equal(cn_world_hash(fresh), cn_world_hash(original));
    }
    cn_world_destroy(original);
    cn_world_destroy(fresh);
}

static void
test_images_within_a_tick(void **state)
{
    (void)state;
    for_each_pair(images_within_a_tick);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made_is_as_defined),
        cmocka_unit_test(test_hole_is_nothing),
        cmocka_unit_test(test_images_hold_life),
        cmocka_unit_test(test_slots_come_again),
        cmocka_unit_test(test_outline_takes_a_place),
        cmocka_unit_test(test_images_within_a_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
