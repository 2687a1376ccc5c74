/*
 * test_command_laws.c: the effects of commands: the pose and locks of a placed body, the filter of
 * one shape, and the data that is removed with a body or a joint.  It also tests images of worlds
 * with sensors and with bodies that ran away, and images that no world wrote.
 */
#include "engine/state/portable.h"
#include "engine/base/hash.h"
#include "engine/base/rng.h"
#include "engine/math/scalar.h"
#include "engine/world/world_inside.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"

static struct scene scene;

static const struct cn_shape_def two_boxes[2] = {
    {.kind = CN_SHAPE_BOX, .box = {{1.0, 1.0, 1.0}}},
    {.kind = CN_SHAPE_BOX, .position = {1.0, 0.0, 0.0}, .box = {{1.0, 1.0, 1.0}}},
};

static void
begin(bool planar, double gravity, bool production)
{
    if (planar) {
        scene_init(&scene, gravity);
    } else {
        scene_init_space(&scene, gravity);
    }
    if (production) {
        strcpy(scene.def.settings.stepper, "time");
        strcpy(scene.def.settings.solver, "impulse");
    }
}

static cn_vec3
random_vector(struct cn_rng *rng, double size)
{
    double x = cn_rng_uniform(rng, -size, size), y = cn_rng_uniform(rng, -size, size);
    return cn_vec3_make(x, y, cn_rng_uniform(rng, -size, size));
}

static void
assert_vector(cn_vec3 a, cn_vec3 b, double tolerance)
{
    assert_near(a.x, b.x, tolerance);
    assert_near(a.y, b.y, tolerance);
    assert_near(a.z, b.z, tolerance);
}

/* The frame of a body goes to the given place, although its centre of mass is elsewhere. */
static void
test_placed(void **unused)
{
    (void)unused;
    struct cn_rng rng = {.state = 101};
    for (int planar = 0; planar < 2; planar++) {
        begin(planar != 0, 0.0, false);
        int body = scene_box(&scene, 0.0, 0.0, 1.0, 1.0);
        scene.body[body].shapes = two_boxes;
        scene.body[body].shape_count = 2;
        struct cn_world *world = scene_create(&scene);
        for (int trial = 0; trial < 50; trial++) {
            struct cn_command command = {.kind = CN_COMMAND_PLACE_BODY};
            struct cn_place_body *place = &command.place_body;
            place->body = body;
            place->position = random_vector(&rng, 9.0);
            place->position.z = planar != 0 ? 0.0 : place->position.z;
            place->angle = cn_rng_uniform(&rng, -3.0, 3.0);
            place->orientation = cn_quat_rotate_by(cn_quat_identity(), random_vector(&rng, 3.0));
            scene_command(world, &command);
            struct cn_body_view view = scene_view(world, body);
            assert_vector(view.position, place->position, 1e-13);
            const struct cn_motion *motion = &world->model.motion[body];
            cn_mat33 turn = cn_quat_to_mat33(
                planar != 0 ? cn_quat_about_z(place->angle) : place->orientation);
            cn_vec3 middle = cn_mat33_apply(&turn, (cn_vec3){0.5, 0.0, 0.0});
            assert_vector(motion->position, cn_vec3_add(place->position, middle), 1e-13);
        }
        cn_world_destroy(world);
    }
}

/* Locked directions get no velocity: linear ones in world axes, angular ones in body axes. */
static void
test_locked_velocities(void **unused)
{
    (void)unused;
    struct cn_rng rng = {.state = 102};
    for (int locks = 0; locks < 64; locks++) {
        begin(false, 0.0, true);
        int body = scene_box(&scene, 0.0, 0.0, 1.0, 1.0);
        scene.body[body].locks = (uint8_t)locks;
        struct cn_world *world = scene_create(&scene);
        struct cn_command command = {.kind = CN_COMMAND_PLACE_BODY};
        struct cn_place_body *place = &command.place_body;
        place->body = body;
        place->orientation = cn_quat_rotate_by(cn_quat_identity(), random_vector(&rng, 3.0));
        place->velocity = random_vector(&rng, 3.0);
        place->angular_velocity = random_vector(&rng, 3.0);
        scene_command(world, &command);
        const struct cn_motion *motion = &world->model.motion[body];
        cn_mat33 turn = cn_quat_to_mat33(place->orientation);
        cn_vec3 v = place->velocity, w = cn_mat33_apply_back(&turn, place->angular_velocity);
        v.x = locks & CN_LOCK_LINEAR_X ? 0.0 : v.x;
        v.y = locks & CN_LOCK_LINEAR_Y ? 0.0 : v.y;
        v.z = locks & CN_LOCK_LINEAR_Z ? 0.0 : v.z;
        w.x = locks & CN_LOCK_ANGULAR_X ? 0.0 : w.x;
        w.y = locks & CN_LOCK_ANGULAR_Y ? 0.0 : w.y;
        w.z = locks & CN_LOCK_ANGULAR_Z ? 0.0 : w.z;
        assert_vector(motion->velocity, v, 1e-14);
        assert_vector(motion->angular_velocity, cn_mat33_apply(&turn, w), 1e-13);
        cn_world_destroy(world);
    }
}

/* A body that ran away is held, also in a restored world; placing it frees it. */
static void
test_run_away(void **unused)
{
    (void)unused;
    for (int production = 0; production < 2; production++) {
        begin(true, 9.81, production != 0);
        int body = scene_box(&scene, 0.0, 5.0, 1.0, 1.0);
        struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
        cn_model_quarantine(&world->model, body);
        scene_restore(other, world);
        assert_true(other->model.body[body].quarantined);
        assert_near(other->model.body[body].mass_inverse, 0.0, 0.0);
        scene_ticks(other, 5);
        assert_near(scene_view(other, body).position.y, 5.0, 0.0);
        struct cn_command command = {.kind = CN_COMMAND_PLACE_BODY};
        command.place_body.body = body;
        command.place_body.position.y = 7.0;
        command.place_body.orientation = cn_quat_identity();
        scene_command(other, &command);
        assert_false(other->model.body[body].quarantined);
        scene_ticks(other, 5);
        assert_true(scene_view(other, body).position.y < 7.0);
        cn_world_destroy(world);
        cn_world_destroy(other);
    }
}

static void
test_one_filter(void **unused)
{
    (void)unused;
    for (int shape = -1; shape < 2; shape++) {
        begin(true, 9.81, false);
        int body = scene_box(&scene, 0.0, 5.0, 1.0, 1.0);
        scene.body[body].shapes = two_boxes;
        scene.body[body].shape_count = 2;
        struct cn_world *world = scene_create(&scene);
        struct cn_command command = {.kind = CN_COMMAND_SET_FILTER};
        command.set_filter.body = body;
        command.set_filter.shape = shape;
        command.set_filter.filter = (struct cn_filter){.category = 4, .mask = 8, .group = -7};
        scene_command(world, &command);
        for (int k = 0; k < 2; k++) {
            const struct cn_model *model = &world->model;
            int group = model->shape[model->body[body].shape_first + k].filter.group;
            assert_int_equal(group == -7, shape < 0 || shape == k);
        }
        cn_world_destroy(world);
    }
}

/* The held inputs of a body end when it is no longer dynamic. */
static void
test_type_drops_inputs(void **unused)
{
    (void)unused;
    for (int type = CN_DYNAMIC; type <= CN_KINEMATIC; type++) {
        begin(true, 9.81, false);
        int body = scene_box(&scene, 0.0, 5.0, 1.0, 1.0);
        int other = scene_box(&scene, 9.0, 5.0, 1.0, 1.0);
        struct cn_world *world = scene_create(&scene);
        scene_hold_force(world, body, cn_vec3_make(0.0, 5.0, 0.0), cn_vec3_make(1.0, 0.0, 0.0));
        scene_hold_force(world, other, cn_vec3_make(9.0, 5.0, 0.0), cn_vec3_make(1.0, 0.0, 0.0));
        int held = world->model.held_count;
        struct cn_command command = {.kind = CN_COMMAND_SET_BODY_TYPE};
        command.set_body_type.body = body;
        command.set_body_type.type = (enum cn_body_type)type;
        scene_command(world, &command);
        int of_body = 0;
        for (int i = 0; i < world->model.held_count; i++) {
            of_body += world->model.held[i].target == body;
        }
        assert_int_equal(of_body > 0, type == CN_DYNAMIC);
        assert_true(world->model.held_count >= held - 1);
        cn_world_destroy(world);
    }
}

/* A world forgets the contacts of a removed body, and keeps all others. */
static void
test_contacts_of_the_removed(void **unused)
{
    (void)unused;
    for (int removed = 1; removed <= 4; removed++) {
        begin(true, 9.81, false);
        scene_floor(&scene);
        for (int i = 0; i < 4; i++) { /* two stacks of two */
            scene_box(&scene, i < 2 ? 0.0 : 5.0, i % 2 == 0 ? 0.5 : 1.5, 1.0, 1.0);
        }
        struct cn_world *world = scene_create(&scene);
        struct cn_model *model = &world->model;
        scene_ticks(world, 5);
        struct cn_impulse impulse = {.body_a = 0};
        model->impulse_count = 0;
        for (int a = 0; a < 4; a++) {
            impulse.id++;
            impulse.body_a = a;
            impulse.body_b = a + 1;
            model->impulse[model->impulse_count++] = impulse;
        }
        uint64_t kept[64];
        int count = 0;
        assert_in_range(model->warm_count, 8, 64);
        for (int i = 0; i < model->warm_count; i++) {
            uint64_t id = model->warm[i].id;
            int a = model->shape[id >> 44].body, b = model->shape[id >> 24 & 0xfffff].body;
            if (a != removed && b != removed) {
                kept[count++] = id;
            }
        }
        assert_int_equal(cn_world_remove_body(world, removed, NULL), CN_OK);
        assert_int_equal(model->warm_count, count);
        for (int i = 0; i < count; i++) {
            assert_true(model->warm[i].id == kept[i]);
        }
        assert_int_equal(model->impulse_count, removed == 4 ? 3 : 2);
        for (int i = 0; i < model->impulse_count; i++) {
            assert_true(model->impulse[i].body_a != removed && model->impulse[i].body_b != removed);
        }
        cn_world_destroy(world);
    }
}

/* When a joint is removed, both its bodies wake. */
static void
test_joint_wakes_both(void **unused)
{
    (void)unused;
    begin(true, 9.81, true);
    scene_floor(&scene);
    int a = scene_box(&scene, 0.0, 0.5, 1.0, 1.0), b = scene_box(&scene, 3.0, 0.5, 1.0, 1.0);
    scene_rod(&scene, CN_JOINT_DISTANCE, a, b, cn_vec3_make(0.0, 0.5, 0.0),
        cn_vec3_make(3.0, 0.5, 0.0));
    struct cn_world *world = scene_create(&scene);
    const struct cn_rest *rest = world->model.rest;
    for (int tick = 0; tick < 300 && (rest[a].island < 0 || rest[b].island < 0); tick++) {
        scene_tick(world);
    }
    assert_true(rest[a].island >= 0 && rest[b].island >= 0);
    /* Each sleeps by itself, so that one does not wake the other. */
    world->model.rest[a] = (struct cn_rest){.island = a, .next = a};
    world->model.rest[b] = (struct cn_rest){.island = b, .next = b};
    assert_int_equal(cn_world_remove_joint(world, 0, NULL), CN_OK);
    assert_int_equal(rest[a].island, -1);
    assert_int_equal(rest[b].island, -1);
    cn_world_destroy(world);
}

/* A body within a sensor when an image is written causes no second SENSOR_BEGIN after a restore. */
static void
test_image_of_sensor(void **unused)
{
    (void)unused;
    for (int production = 0; production < 2; production++) {
        struct cn_event event;
        begin(true, 0.0, production != 0);
        int zone = scene_box(&scene, 0.0, 0.0, 4.0, 4.0);
        scene.body[zone].type = CN_STATIC;
        scene.shape[zone].sensor = true;
        scene_box(&scene, 0.5, 0.0, 1.0, 1.0);
        struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
        scene_tick(world);
        assert_int_equal(scene_events(world, CN_EVENT_SENSOR_BEGIN, &event), 1);
        scene_restore(other, world);
        /* The production solver keeps the bodies within sensors among its pairs. */
        assert_int_equal(other->model.within_count, production == 0);
        assert_int_equal(world->model.within_count, production == 0);
        assert_true(cn_world_hash(other) == cn_world_hash(world));
        scene_tick(world);
        scene_tick(other);
        assert_int_equal(scene_events(other, CN_EVENT_SENSOR_BEGIN, &event), 0);
        assert_true(cn_world_hash(other) == cn_world_hash(world));
        cn_world_destroy(world);
        cn_world_destroy(other);
    }
}

static unsigned char *
image_of(const struct cn_world *world, size_t more, size_t *size)
{
    *size = cn_world_image_size(world);
    unsigned char *image = calloc(1, *size + more);
    assert_non_null(image);
    assert_int_equal(cn_world_image_write(world, image, *size), *size);
    return image;
}

static void
put_number(unsigned char *bytes, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(value >> 8 * i);
    }
}

/* Writes size and checksum as a world does. */
static void
seal(unsigned char *image, size_t size)
{
    struct cn_hash hash;
    cn_hash_init(&hash);
    cn_hash_bytes(&hash, image + 24, size - 24);
    put_number(image + 8, size - 24, 8);
    put_number(image + 16, hash.state, 8);
}

/* Refused: older or newer physics, bytes after the state, and unsorted forces. */
static void
test_images_refused(void **unused)
{
    (void)unused;
    begin(true, 9.81, false);
    scene_floor(&scene);
    scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
    scene_box(&scene, 0.0, 1.5, 1.0, 1.0);
    struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
    scene_ticks(world, 3);
    size_t size;
    unsigned char *image = image_of(world, 16, &size);
    uint32_t physics = cn_image_physics(image, size);
    for (int off = -1; off <= 1; off++) {
        put_number(image + 4, physics + (uint32_t)off, 4);
        assert_int_equal(
            cn_world_image_read(other, image, size, NULL), off == 0 ? CN_OK : CN_IMAGE);
    }
    put_number(image + 4, physics, 4);
    for (size_t more = 0; more <= 16; more += 8) {
        seal(image, size + more);
        assert_int_equal(
            cn_world_image_read(other, image, size + more, NULL), more == 0 ? CN_OK : CN_IMAGE);
    }
    free(image);
    uint64_t before = cn_world_hash(other);
    assert_true(world->model.warm_count >= 2);
    struct cn_warm_start swap = world->model.warm[0];
    world->model.warm[0] = world->model.warm[1];
    world->model.warm[1] = swap;
    image = image_of(world, 0, &size);
    assert_int_equal(cn_world_image_read(other, image, size, NULL), CN_IMAGE);
    assert_true(cn_world_hash(other) == before);
    free(image);
    cn_world_destroy(world);
    cn_world_destroy(other);
}

/* After a restore the world shows the contacts of the new state, not those it had shown before. */
static void
test_view_after_restore(void **unused)
{
    (void)unused;
    begin(true, 9.81, false);
    int floor = scene_floor(&scene), box = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
    struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
    scene_ticks(world, 3);
    assert_int_equal(scene_contacts(world, floor, box).count, 2);
    struct cn_command command = {.kind = CN_COMMAND_PLACE_BODY};
    command.place_body.body = box;
    command.place_body.position.y = 9.0;
    scene_command(other, &command);
    assert_int_equal(scene_contacts(other, floor, box).count, 0);
    scene_restore(other, world);
    assert_int_equal(scene_contacts(other, floor, box).count, 2);
    cn_world_destroy(world);
    cn_world_destroy(other);
}

/* An image restores bodies and joints that commands made after the scene, with all their fields. */
static void
test_image_of_the_made(void **unused)
{
    (void)unused;
    begin(true, 9.81, true);
    scene_box(&scene, 0.0, 5.0, 1.0, 1.0);
    scene_box(&scene, 3.0, 5.0, 1.0, 1.0);
    struct cn_joint_def hinge =
        *scene_joint(&scene, CN_JOINT_HINGE, 0, 1, cn_vec3_make(1.5, 5.0, 0.0));
    scene.def.joint_count--; /* used as a definition only */
    struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
    struct cn_shape_def shapes[2] = {two_boxes[0], two_boxes[1]};
    shapes[1].has_filter = true;
    shapes[1].filter = (struct cn_filter){.category = 4, .mask = 12, .group = -3};
    struct cn_body_def def;
    cn_body_def_init(&def);
    def.shapes = shapes;
    def.shape_count = 2;
    def.gravity_scale = 0.5;
    def.damping_linear = 0.25;
    def.damping_angular = 0.125;
    def.bullet = def.sleepless = true;
    hinge.break_force = 70.0;
    hinge.break_torque = 90.0;
    int body = -1, joint = -1;
    assert_int_equal(cn_world_make_body(world, &def, NULL, &body), CN_OK);
    assert_int_equal(cn_world_make_joint(world, &hinge, NULL, &joint), CN_OK);
    scene_restore(other, world);
    const struct cn_body *a = &world->model.body[body], *b = &other->model.body[body];
    assert_true(b->bullet && b->sleepless);
    assert_true(a->gravity_scale == b->gravity_scale && b->gravity_scale == 0.5);
    assert_true(b->damping_linear == 0.25 && b->damping_angular == 0.125);
    assert_true(a->mass == b->mass && a->mass_inverse == b->mass_inverse);
    const struct cn_filter *filter = &other->model.shape[b->shape_first + 1].filter;
    assert_true(filter->category == 4 && filter->mask == 12 && filter->group == -3);
    const struct cn_joint *j = &other->model.joint[joint];
    assert_true(j->break_force == 70.0 && j->break_torque == 90.0);
    assert_int_equal(j->kind, CN_JOINT_HINGE);
    assert_true(cn_world_hash(other) == cn_world_hash(world));
    for (int tick = 0; tick < 30; tick++) {
        scene_tick(world);
        scene_tick(other);
    }
    assert_true(cn_world_hash(other) == cn_world_hash(world));
    cn_world_destroy(world);
    cn_world_destroy(other);
}

/*
 * A made ball keeps its cone and friction, in an image and in the portable form; a made hinge its
 * friction.
 */
static void
test_restored_turns(void **unused)
{
    (void)unused;
    scene_init_space(&scene, 9.81);
    for (int i = 0; i < 2; i++) {
        scene.body[scene_rotor(&scene, 0.1, 0.2, 0.3)].position = cn_vec3_make(1.0 + i, 0.0, 0.0);
    }
    struct cn_joint_def ball =
        *scene_joint(&scene, CN_JOINT_BALL, -1, 0, cn_vec3_make(0.0, 0.0, 0.0));
    struct cn_joint_def hinge =
        *scene_joint(&scene, CN_JOINT_HINGE, 0, 1, cn_vec3_make(1.5, 0.0, 0.0));
    scene.def.joint_count = 0; /* used as definitions only */
    ball.axis = cn_vec3_make(1.0, 0.0, 0.0);
    ball.cone_axis = cn_vec3_make(1.0, -0.2, 0.0);
    ball.has_cone = ball.has_limit = ball.has_spring = true;
    ball.cone = 0.5;
    ball.lower = -0.25;
    ball.upper = 0.75;
    ball.stiffness = 6.0;
    ball.friction = 0.125;
    hinge.friction = 0.25;
    struct cn_world *world = scene_create(&scene);
    int slot[2];
    assert_int_equal(cn_world_make_joint(world, &ball, NULL, &slot[0]), CN_OK);
    assert_int_equal(cn_world_make_joint(world, &hinge, NULL, &slot[1]), CN_OK);
    for (int way = 0; way < 2; way++) {
        struct cn_world *other = scene_create(&scene);
        if (way == 0) {
            scene_restore(other, world);
            assert_true(cn_world_hash(other) == cn_world_hash(world));
        } else {
            size_t size = cn_world_portable_size(world);
            unsigned char *bytes = malloc(size);
            assert_non_null(bytes);
            assert_int_equal(cn_world_portable_write(world, bytes, size), size);
            assert_int_equal(cn_world_portable_read(other, bytes, size, NULL), CN_OK);
            free(bytes);
        }
        const struct cn_joint *j = &other->model.joint[slot[0]];
        assert_true(j->has_cone && j->cone == 0.5 && j->friction == 0.125);
        assert_true(j->lower == -0.25 && j->upper == 0.75 && j->stiffness == 6.0);
        assert_true(other->model.joint[slot[1]].friction == 0.25);
        struct cn_world *fresh = scene_create(&scene);
        scene_restore(fresh, world);
        scene_ticks(fresh, 30);
        scene_ticks(other, 30);
        assert_true(scene_view(fresh, 1).position.y == scene_view(other, 1).position.y);
        cn_world_destroy(fresh);
        cn_world_destroy(other);
    }
    cn_world_destroy(world);
}

/* When the lowest body of a sleeping pile is removed, the body on it wakes up and falls. */
static void
test_removed_support_wakes(void **unused)
{
    (void)unused;
    for (int planar = 0; planar < 2; planar++) {
        begin(planar != 0, 9.81, true);
        scene_floor(&scene);
        int low = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
        int high = scene_box(&scene, 0.0, 1.5, 1.0, 1.0);
        struct cn_world *world = scene_create(&scene);
        for (int t = 0; t < 120 && scene_view(world, high).island < 0; t++) {
            scene_tick(world);
        }
        assert_true(scene_view(world, low).island >= 0 && scene_view(world, high).island >= 0);
        struct cn_command command = {
            .kind = CN_COMMAND_REMOVE_BODY, .remove_body = {.slot = low}};
        scene_command(world, &command);
        scene_ticks(world, 10);
        assert_true(scene_view(world, high).island < 0);
        assert_true(scene_view(world, high).position.y < 1.45); /* it fell for 1/6 s: 0.14 m */
        cn_world_destroy(world);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_placed),
        cmocka_unit_test(test_locked_velocities),
        cmocka_unit_test(test_run_away),
        cmocka_unit_test(test_one_filter),
        cmocka_unit_test(test_type_drops_inputs),
        cmocka_unit_test(test_contacts_of_the_removed),
        cmocka_unit_test(test_joint_wakes_both),
        cmocka_unit_test(test_restored_turns),
        cmocka_unit_test(test_removed_support_wakes),
        cmocka_unit_test(test_image_of_sensor),
        cmocka_unit_test(test_images_refused),
        cmocka_unit_test(test_view_after_restore),
        cmocka_unit_test(test_image_of_the_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
