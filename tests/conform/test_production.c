/*
 * test_production.c: laws of the production solver, in the plane and in space.
 *
 *   1. the bits are the same for every instruction set and any number of workers
 *   2. a world restored at any tick continues with the bits of one that never stopped
 *   3. bodies come to rest on the floor, none leaves, none sinks in
 *   4. nothing passes through a thin wall, at up to 300 m/s and spinning
 *   5. shapes that want events get those for begin and end of touching, hits and sensors
 *   6. 1,000 kg stand on 1 kg
 *   7. hulls that rain on a floor stay above it, while room for pairs grows
 *   8. joints break, also in a world whose forces were never read
 *   9. a jointed body that immovable bodies pull apart is stopped in the end, and all reported
 *      forces are finite
 */
#include "tests/support/world/hash_run.h"
#include "tests/support/world/scene.h"

#include "engine/solve/impulse/impulse.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define TICKS 150
#define BODIES 60
#define REST_TICKS 600
#define FLY_TICKS 200
#define TORN_TICKS 600
#define WALL_HEIGHT 1900.0

static struct scene scene;

static double
pseudo_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (double)(*seed >> 40) / (double)(1 << 24);
}

/* A heap of all kinds that falls onto the floor, a chain above it, and a kinematic paddle. */
static void
make_heap(bool spatial)
{
    uint64_t seed = 7;
    (spatial ? scene_init_space : scene_init)(&scene, 9.81);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    scene_friction(&scene, 0, 0.5);
    scene.material[0].restitution = 0.1;
    scene_floor(&scene);
    for (int i = 0; i < BODIES; i++) {
        double x = 4.0 * pseudo_random(&seed) - 2.0, y = 0.5 + 0.25 * i;
        int body = i % 3 == 0   ? scene_box(&scene, x, y, 0.6, 0.4)
                   : i % 3 == 1 ? scene_capsule(&scene, x, y, 0.15, 0.4)
                                : scene_box(&scene, x, y, 0.5, 0.5);
        scene.body[body].angle = 3.0 * pseudo_random(&seed);
        if (i % 3 == 2) {
            scene.shape[body] = (struct cn_shape_def){
                .kind = spatial ? CN_SHAPE_SPHERE : CN_SHAPE_CIRCLE,
                .sphere = {.radius = 0.25},
            };
        }
        if (spatial) {
            scene.body[body].angle = 0.0;
            scene.body[body].position.z = 2.0 * pseudo_random(&seed) - 1.0;
            scene.body[body].orientation = (cn_quat){0.9, pseudo_random(&seed) - 0.5, 0.2, 0.1};
        }
    }
    int last = -1;
    for (int i = 0; i < 5; i++) {
        int link = scene_capsule(&scene, 3.0 + 0.5 * i, 4.0, 0.1, 0.2);
        scene_joint(&scene, i % 2 == 0 ? CN_JOINT_BALL : CN_JOINT_HINGE, last, link,
            cn_vec3_make(2.75 + 0.5 * i, 4.0, 0.0));
        last = link;
    }
    int paddle = scene_box(&scene, -1.0, 2.2, 2.0, 0.2);
    scene.body[paddle].type = CN_KINEMATIC;
    scene.body[paddle].angular_velocity.z = 1.5;
}

static void
check_same_bits(bool spatial)
{
    static uint64_t reference[TICKS], hash[TICKS];
    make_heap(spatial);
    hash_run(&scene, "plain", 1, TICKS, reference);
    for (int k = 0; cn_impulse_kernels[k] != NULL; k++) {
        if (!cn_impulse_kernel_runs(cn_impulse_kernels[k])) {
            print_message("%s does not run here\n", cn_impulse_kernels[k]->name);
            continue;
        }
        for (int workers = 1; workers <= 4; workers *= 2) {
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
    check_same_bits(false);
    check_same_bits(true);
}

static void
check_restore(bool spatial)
{
    make_heap(spatial);
    struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
    for (int tick = 0; tick < TICKS; tick++) {
        scene_restore(other, world);
        assert_int_equal(cn_world_hash(other), cn_world_hash(world));
        for (int ahead = 0; ahead < 3; ahead++) {
            scene_tick(other);
        }
        struct cn_world *again = scene_create(&scene);
        scene_restore(again, world);
        for (int ahead = 0; ahead < 3; ahead++) {
            scene_tick(again);
        }
        assert_int_equal(cn_world_hash(again), cn_world_hash(other));
        cn_world_destroy(again);
        scene_tick(world);
    }
    cn_world_destroy(other);

    /* A world that is restored after a third of the ticks and continues ends in the same state. */
    struct cn_world *whole = scene_create(&scene);
    other = scene_create(&scene);
    scene_ticks(whole, TICKS / 3);
    scene_restore(other, whole);
    scene_ticks(whole, TICKS - TICKS / 3);
    scene_ticks(other, TICKS - TICKS / 3);
    assert_int_equal(cn_world_hash(whole), cn_world_hash(world));
    assert_int_equal(cn_world_hash(other), cn_world_hash(world));
    cn_world_destroy(whole);
    cn_world_destroy(other);
    cn_world_destroy(world);
}

static void
test_restored_goes_on(void **state)
{
    (void)state;
    check_restore(false);
    check_restore(true);
}

static void
check_rest(bool spatial)
{
    make_heap(spatial);
    scene.def.settings.sleep = false;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, REST_TICKS);
    const struct cn_contact_view *contact;
    int count = cn_world_contacts(world, &contact);
    assert_true(count > BODIES);
    for (int i = 0; i < count; i++) {
        if (!(contact[i].gap > -0.02)) {
            fail_msg("bodies %d and %d overlap by %g", contact[i].body_a, contact[i].body_b,
                -contact[i].gap);
        }
        assert_true(contact[i].force >= 0.0);
    }
    for (int i = 0; i < cn_world_body_count(world); i++) {
        struct cn_body_view body = scene_view(world, i);
        if (body.type == CN_DYNAMIC) {
            if (!(body.position.y > 0.05 && body.position.y < 6.0)) {
                fail_msg("body %d is at %g, %g", i, body.position.x, body.position.y);
            }
        }
    }
    cn_world_destroy(world);
}

static void
test_comes_to_rest(void **state)
{
    (void)state;
    check_rest(false);
    check_rest(true);
}

/* A ball (plate = false) or a thin plate that spins flies at a wall of 5 cm. */
static void
fly(bool spatial, bool plate, double speed, int index)
{
    (spatial ? scene_init_space : scene_init)(&scene, 0.0);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    int wall = scene_box(&scene, 0.0, 0.0, 0.05, WALL_HEIGHT);
    scene.body[wall].type = CN_STATIC;
    scene.shape[wall].box.size.z = WALL_HEIGHT;
    double start = -10.0 - 0.13 * index, angle = -0.5 + 0.09 * index;
    int body = plate ? scene_box(&scene, start, 0.0, 0.02, 0.3)
                     : scene_circle(&scene, start, 0.0, 0.1);
    if (spatial && !plate) {
        scene.shape[body] =
            (struct cn_shape_def){.kind = CN_SHAPE_SPHERE, .sphere = {.radius = 0.1}};
    }
    scene.body[body].mass = 1.0;
    scene.body[body].velocity = cn_vec3_make(speed * cos(angle), speed * sin(angle), 0.0);
    scene.body[body].angular_velocity.z = plate ? 10.0 * index : 0.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, FLY_TICKS);
    double x = scene_view(world, body).position.x;
    if (!(x < 0.0)) {
        fail_msg("%s at %g m/s and %g rad is at %g", plate ? "a plate" : "a ball", speed, angle, x);
    }
    cn_world_destroy(world);
}

static void
test_nothing_passes(void **state)
{
    (void)state;
    for (int index = 0; index < 12; index++) {
        for (double speed = 5.0; speed <= 300.0; speed *= 1.63) {
            for (int kind = 0; kind < 4; kind++) {
                fly(kind >= 2, kind % 2 == 1, speed, index);
            }
        }
    }
}

struct told {
    int begin, end, hit, sensor_begin, sensor_end;
    double speed;
};

static void
listen(const struct cn_world *world, struct told *told)
{
    const struct cn_event *event;
    int count = cn_world_events(world, &event);
    for (int i = 0; i < count; i++) {
        told->begin += event[i].kind == CN_EVENT_CONTACT_BEGIN;
        told->end += event[i].kind == CN_EVENT_CONTACT_END;
        told->sensor_begin += event[i].kind == CN_EVENT_SENSOR_BEGIN;
        told->sensor_end += event[i].kind == CN_EVENT_SENSOR_END;
        if (event[i].kind == CN_EVENT_CONTACT_HIT) {
            told->hit++;
            told->speed = fmax(told->speed, event[i].value);
        }
    }
}

/* A ball falls 2 m through a sensor onto the floor, and bounces once within the time. */
static void
check_events(bool spatial)
{
    (spatial ? scene_init_space : scene_init)(&scene, 10.0);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    scene.material[0].restitution = 0.8;
    scene_floor(&scene);
    int sensor = scene_box(&scene, 0.0, 1.25, 4.0, 0.1);
    scene.body[sensor].type = CN_STATIC;
    scene.shape[sensor].sensor = true;
    int ball = scene_box(&scene, 0.0, 2.25, 0.5, 0.5);
    scene.shape[ball] = (struct cn_shape_def){
        .kind = spatial ? CN_SHAPE_SPHERE : CN_SHAPE_CIRCLE,
        .sphere = {.radius = 0.25},
        .contact_events = true,
        .hit_events = true,
    };
    struct cn_world *world = scene_create(&scene);
    struct told told = {0};
    for (int tick = 0; tick < 65; tick++) {
        scene_tick(world);
        listen(world, &told);
    }
    assert_int_equal(told.begin, 1);
    assert_int_equal(told.end, 1);
    assert_int_equal(told.hit, 1);
    assert_true(fabs(told.speed - sqrt(2.0 * 10.0 * 2.0)) < 0.2);
    assert_int_equal(told.sensor_begin, 2);
    assert_true(told.sensor_end >= 1);
    cn_world_destroy(world);
}

static void
test_tells(void **state)
{
    (void)state;
    check_events(false);
    check_events(true);
}

/* A box that lies on the floor and is thrown onto it touches before and after: it only hits. */
static void
test_tells_hits_of_old_contacts(void **state)
{
    (void)state;
    scene_init(&scene, 10.0);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    scene_floor(&scene);
    int box = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
    scene.shape[box].contact_events = scene.shape[box].hit_events = true;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 30);
    struct told told = {0};
    const struct cn_command throw = {
        .kind = CN_COMMAND_SET_VELOCITY,
        .set_velocity = {.body = box, .velocity = {0.0, -3.0, 0.0}},
    };
    scene_command(world, &throw);
    scene_tick(world);
    listen(world, &told);
    assert_int_equal(told.hit, 1);
    assert_int_equal(told.begin + told.end, 0);
    assert_true(fabs(told.speed - 3.0) < 1e-3);
    cn_world_destroy(world);
}

static void
check_heavy_on_light(bool spatial)
{
    (spatial ? scene_init_space : scene_init)(&scene, 9.81);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    scene.def.settings.sleep = false;
    scene_friction(&scene, 0, 0.6);
    scene_floor(&scene);
    int light = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
    int heavy = scene_box(&scene, 0.0, 1.5, 1.0, 1.0);
    scene.body[light].mass = 1.0;
    scene.body[heavy].mass = 1000.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, REST_TICKS);
    struct cn_body_view top = scene_view(world, heavy), bottom = scene_view(world, light);
    assert_true(top.position.y > 1.2 && fabs(top.position.x) < 0.25);
    assert_true(bottom.position.y > 0.4 && fabs(bottom.position.x) < 0.25);
    scene_ticks(world, TICKS);
    struct cn_body_view later = scene_view(world, heavy);
    assert_true(cn_vec3_length(cn_vec3_sub(later.position, top.position)) < 0.01);
    cn_world_destroy(world);
}

static void
test_heavy_stands_on_light(void **state)
{
    (void)state;
    check_heavy_on_light(false);
    check_heavy_on_light(true);
}

#define RAIN_WORLDS 60
#define RAIN_HULLS 12
#define RAIN_POINTS 24

/* Twelve random hulls, one above the other, come down fast. */
static void
rain(uint64_t *seed)
{
    static cn_vec3 point[RAIN_HULLS][RAIN_POINTS];
    scene_init_space(&scene, 10.0);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    scene_friction(&scene, 0, 0.6);
    int floor = scene_box(&scene, 0.0, -1.0, 200.0, 2.0);
    scene.shape[floor].box.size.z = 200.0;
    scene.body[floor].type = CN_STATIC;
    for (int k = 0; k < RAIN_HULLS; k++) {
        int body = scene_box(&scene, pseudo_random(seed), 10.0 + 4.0 * k, 1.0, 1.0);
        for (int i = 0; i < RAIN_POINTS; i++) {
            cn_vec3 p = {pseudo_random(seed) - 0.5, pseudo_random(seed) - 0.5,
                pseudo_random(seed) - 0.5};
            point[k][i] = cn_vec3_scale(p, 1.5 / (0.1 + cn_vec3_length(p)));
        }
        scene.shape[body] = (struct cn_shape_def){.kind = CN_SHAPE_HULL,
            .density = 1.0,
            .hull = {.vertices = point[k], .vertex_count = RAIN_POINTS}};
        scene.body[body].velocity.y = -10.0 - 30.0 * pseudo_random(seed);
        scene.body[body].angular_velocity.x = 6.0 * pseudo_random(seed) - 3.0;
    }
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, FLY_TICKS);
    for (int k = 1; k <= RAIN_HULLS; k++) {
        double y = scene_view(world, k).position.y;
        if (!(y > 0.0)) {
            fail_msg("hull %d is at %g", k, y);
        }
    }
    cn_world_destroy(world);
}

static void
test_hulls_stay_above(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int world = 0; world < RAIN_WORLDS; world++) {
        rain(&seed);
    }
}

static void
test_joints_break_unseen(void **state)
{
    (void)state;
    scene_init(&scene, 10.0);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    int weak = scene_box(&scene, 0.0, 0.0, 1.0, 1.0);
    int strong = scene_box(&scene, 5.0, 0.0, 1.0, 1.0);
    scene.body[weak].mass = scene.body[strong].mass = 2.0; /* 20 N */
    struct cn_joint_def *joint =
        scene_joint(&scene, CN_JOINT_HINGE, -1, weak, cn_vec3_make(0.0, 0.5, 0.0));
    joint->break_force = 15.0;
    joint = scene_joint(&scene, CN_JOINT_HINGE, -1, strong, cn_vec3_make(5.0, 0.5, 0.0));
    joint->break_force = 25.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 60);
    assert_true(scene_view(world, weak).position.y < -1.0);
    assert_true(fabs(scene_view(world, strong).position.y) < 0.01);
    cn_world_destroy(world);
}

/*
 * Two kinematic bodies turn and move apart.  A light body is fixed to both of them, and another one
 * hangs on it.
 */
static void
make_torn(bool spatial)
{
    (spatial ? scene_init_space : scene_init)(&scene, 10.0);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    int first = scene_box(&scene, 0.0, 0.0, 0.5, 0.5);
    int second = scene_box(&scene, 2.0, 0.0, 0.5, 0.5);
    int torn = scene_box(&scene, 1.0, 0.0, 0.1, 0.1);
    int last = scene_box(&scene, 1.0, 1.0, 0.5, 0.5);
    scene.body[first].type = scene.body[second].type = CN_KINEMATIC;
    scene.body[first].angular_velocity.z = -7.0;
    scene.body[second].angular_velocity.z = 25.0;
    scene.body[second].velocity.x = 30.0;
    scene_joint(&scene, CN_JOINT_HINGE, first, torn, cn_vec3_make(0.5, 0.0, 0.0));
    scene_joint(&scene, CN_JOINT_FIXED, second, torn, cn_vec3_make(1.5, 0.0, 0.0));
    scene_joint(&scene, CN_JOINT_HINGE, torn, last, cn_vec3_make(1.0, 0.5, 0.0));
    scene_joint(&scene, CN_JOINT_HINGE, first, last, cn_vec3_make(0.5, 0.5, 0.0));
}

static void
test_torn_is_held(void **state)
{
    (void)state;
    for (int spatial = 0; spatial < 2; spatial++) {
        make_torn(spatial);
        struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
        int held = 0;
        for (int t = 0; t < TORN_TICKS; t++) {
            scene_tick(world);
            scene_restore(other, world);
            held = scene_view(world, 2).quarantined + scene_view(world, 3).quarantined;
        }
        printf("torn, %s: %d held\n", spatial ? "in space" : "in the plane", held);
        assert_true(held > 0);
        cn_world_destroy(world);
        cn_world_destroy(other);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_restored_goes_on),
        cmocka_unit_test(test_comes_to_rest),
        cmocka_unit_test(test_nothing_passes),
        cmocka_unit_test(test_tells),
        cmocka_unit_test(test_tells_hits_of_old_contacts),
        cmocka_unit_test(test_heavy_stands_on_light),
        cmocka_unit_test(test_hulls_stay_above),
        cmocka_unit_test(test_joints_break_unseen),
        cmocka_unit_test(test_torn_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
