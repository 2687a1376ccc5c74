/*
 * scene_life.h: makes and removes bodies and joints of a world at random, and sends commands.
 *
 * Include it last, after cmocka.
 */
#ifndef TESTS_SUPPORT_WORLD_SCENE_LIFE_H
#define TESTS_SUPPORT_WORLD_SCENE_LIFE_H

#include "engine/base/rng.h"
#include "tests/support/world/scene.h"

static inline void
make_some_body(struct cn_world *world, struct cn_rng *rng, bool planar)
{
    static const cn_vec3 flat[4] = {
        {-0.4, -0.4, 0.0}, {0.4, -0.4, 0.0}, {0.3, 0.3, 0.0}, {0.0, 0.5, 0.0}};
    static const cn_vec3 solid[4] = {
        {-0.4, -0.4, -0.4}, {0.4, -0.4, -0.4}, {0.0, 0.5, -0.4}, {0.0, 0.0, 0.5}};
    struct cn_shape_def shape[3] = {{.kind = CN_SHAPE_BOX, .density = 2.0},
        {.kind = CN_SHAPE_CAPSULE, .density = 3.0, .contact_events = true},
        {.kind = planar ? CN_SHAPE_CIRCLE : CN_SHAPE_SPHERE, .density = 1.0, .sensor = true}};
    struct cn_body_def def;
    cn_body_def_init(&def);
    shape[0].box.size = cn_vec3_make(0.8, 0.6, 0.7);
    shape[1].capsule.radius = 0.2;
    shape[1].capsule.length = 0.5;
    shape[1].position.x = 0.3;
    shape[1].has_filter = true;
    shape[1].filter = (struct cn_filter){2, 0xff, 3};
    *(planar ? &shape[2].circle.radius : &shape[2].sphere.radius) = 1.5;
    if (cn_rng_next(rng) % 2 == 0) {
        shape[0].kind = planar ? CN_SHAPE_POLYGON : CN_SHAPE_HULL;
        if (planar) {
            shape[0].polygon.vertices = flat;
            shape[0].polygon.vertex_count = 4;
        } else {
            shape[0].hull.vertices = solid;
            shape[0].hull.vertex_count = 4;
        }
    }
    def.shapes = shape;
    def.shape_count = 1 + (int)(cn_rng_next(rng) % 3);
    def.type = cn_rng_next(rng) % 6 == 0 ? CN_KINEMATIC : CN_DYNAMIC;
    def.gravity_scale = 0.5;
    def.damping_linear = 0.25;
    def.sleepless = cn_rng_next(rng) % 4 == 0;
    def.position = cn_vec3_make(
        (double)(cn_rng_next(rng) % 9) - 4.0, 1.0 + (double)(cn_rng_next(rng) % 5), 0.0);
    assert_int_equal(cn_world_make_body(world, &def, NULL, NULL), CN_OK);
}

static inline void
make_some_joint(struct cn_world *world, struct cn_rng *rng)
{
    struct cn_joint_def def;
    cn_joint_def_init(&def, cn_rng_next(rng) % 2 == 0 ? CN_JOINT_HINGE : CN_JOINT_DISTANCE);
    def.body_a = -1;
    def.body_b = (int)(cn_rng_next(rng) % (unsigned)cn_world_body_count(world));
    if (!scene_view(world, def.body_b).absent) {
        def.anchor_b = scene_view(world, def.body_b).position;
        def.anchor_a = cn_vec3_add(def.anchor_b, cn_vec3_make(0.0, 1.0, 0.0));
        def.has_motor = def.kind == CN_JOINT_HINGE;
        def.motor_speed = 1.0;
        def.motor_force_max = 5.0;
        (void)!cn_world_make_joint(world, &def, NULL, NULL);
    }
}

static inline void
command_some(struct cn_world *world, struct cn_rng *rng, int body)
{
    struct cn_command command[] = {
        {.kind = CN_COMMAND_SET_BODY_TYPE,
            .set_body_type = {.body = body, .type = (enum cn_body_type)(cn_rng_next(rng) % 3)}},
        {.kind = CN_COMMAND_SET_FILTER,
            .set_filter = {.body = body, .shape = -1, .filter = {4, 5, -1}}},
        {.kind = CN_COMMAND_SET_GRAVITY, .set_gravity = {.value = {0.5, -8.0, 0.0}}},
        {.kind = CN_COMMAND_SET_TIME_RATE, .set_time_rate = {0.5}},
        {.kind = CN_COMMAND_SET_RESTITUTION, .set_restitution = {0.25}},
        {.kind = CN_COMMAND_SET_DAMPING, .set_damping = {0.1, 0.2}},
        {.kind = CN_COMMAND_HOLD_FORCE,
            .hold_force = {.holder = {.source = cn_rng_next(rng) % 4, .until_tick = 900},
                .body = body, .force = {3.0, 1.0, 0.0}}},
        {.kind = CN_COMMAND_HOLD_DRAG,
            .hold_drag = {.holder = {.source = 9, .slot = 2}, .body = body,
                .target = {1.0, 2.0, 0.0}, .stiffness = 20.0, .damping = 1.0, .force_max = 50.0}},
        {.kind = CN_COMMAND_PLACE_BODY, .place_body = {.body = body,
            .position = {1.0, 6.0, 0.0}, .orientation = {.w = 1.0}, .velocity = {0.5, 0.0, 0.0}}},
    };
    int count = (int)(sizeof(command) / sizeof(command[0]));
    (void)!cn_world_command_apply(world, &command[cn_rng_next(rng) % (unsigned)count], NULL);
}

/* Applies a random command that makes, removes or changes a body or a joint. */
static inline void
live(struct cn_world *world, struct cn_rng *rng, bool planar)
{
    int body = (int)(cn_rng_next(rng) % (unsigned)cn_world_body_count(world));
    int joints = cn_world_joint_count(world);
    switch (cn_rng_next(rng) % 7) {
    case 0:
    case 6:
        make_some_body(world, rng, planar);
        break;
    case 1:
        make_some_joint(world, rng);
        break;
    case 2:
        (void)!cn_world_remove_body(world, body, NULL);
        break;
    case 3:
        if (joints > 0) {
            (void)!cn_world_remove_joint(
                world, (int)(cn_rng_next(rng) % (unsigned)joints), NULL);
        }
        break;
    default:
        command_some(world, rng, body);
        break;
    }
}

#endif
