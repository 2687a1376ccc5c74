/*
 * test_prescribed_motion.c: settings of a scene for impacts, joints and planes, with answers known
 * by hand, with every stepper and solver, in the plane and in space.
 *
 *   1. impacts at the resting velocity or above bounce; slower ones do not
 *   2. a rope that becomes taut, and limits, have restitution: v+ = -e v-
 *   3. planes move with a prescribed velocity: they carry, convey and hit bodies
 *   4. reported joint forces are those of the present state, even before the first tick
 */
#include "engine/math/scalar.h"
#include "engine/solve/table/solver_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/world/methods.h"

/* ---- a resting velocity ---- */

/* How often a ball with e = 0.5 that falls from 0.2 m, so hits at 2 m/s, parts upwards. */
static int
count_bounces(double resting_velocity, double *first)
{
    begin(10.0);
    scene_floor(&scene);
    scene.material[0].restitution = 0.5;
    scene.def.settings.combine_restitution = CN_COMBINE_MAX;
    scene.def.settings.has_resting_velocity = resting_velocity >= 0.0;
    scene.def.settings.resting_velocity = fmax(resting_velocity, 0.0);
    int ball = scene_circle(&scene, 0.0, 0.7, 0.5);
    if (spatial) {
        scene.shape[ball].kind = CN_SHAPE_SPHERE;
    }
    struct cn_world *world = scene_create(&scene);
    if (resting_velocity >= 0.0) {
        assert_true(cn_world_resting_velocity(world) == resting_velocity);
    }
    int count = 0;
    double before = 0.0;
    *first = 0.0;
    for (int t = 0; t < 120; t++) {
        scene_tick(world);
        double now = scene_view(world, ball).velocity.y;
        if (now > 0.05 && before < -0.05) {
            *first = count == 0 ? now : *first;
            count++;
        }
        before = now;
    }
    cn_world_destroy(world);
    return count;
}

static void
rests(void)
{
    double first;
    if (strcmp(stepper->name, "position") == 0) {
        assert_int_equal(count_bounces(0.1, &first), 0); /* it has no restitution */
        return;
    }
    /* It comes at 2 m/s, 1 m/s, 0.5 m/s; ticks of gravity blur each by 1/6 m/s. */
    assert_int_equal(count_bounces(2.4, &first), 0);
    assert_int_equal(count_bounces(1.4, &first), 1);
    assert_near(first, 1.0, strcmp(stepper->name, "event") == 0 ? 0.17 : 0.26);
    assert_int_equal(count_bounces(0.7, &first), 2);
}

static void
test_rests(void **state)
{
    (void)state;
    for_each(rests);
}

/* To the bit: an approach at the resting velocity bounces, one a little slower does not. */
static void
test_resting_threshold(void **state)
{
    (void)state;
    stepper = cn_stepper_find("event");
    solver = cn_solver_find("baraff94");
    spatial = false;
    for (int below = 0; below < 2; below++) {
        begin(0.0);
        scene_floor(&scene);
        scene.material[0].restitution = 0.5;
        scene.def.settings.has_resting_velocity = true;
        scene.def.settings.resting_velocity = below ? 1.0 + 1e-9 : 1.0;
        int ball = scene_circle(&scene, 0.0, 1.0, 0.5);
        scene.body[ball].velocity.y = -1.0;
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 60);
        assert_near(scene_view(world, ball).velocity.y, below ? 0.0 : 0.5, 1e-12);
        struct cn_command set = {.kind = CN_COMMAND_SET_RESTING_VELOCITY,
            .set_resting_velocity = {below ? 0.1 : 5.0}};
        scene_command(world, &set);
        struct cn_command push = {.kind = CN_COMMAND_SET_VELOCITY,
            .set_velocity = {.body = ball, .velocity = {0.0, -2.0, 0.0}}};
        scene_command(world, &push);
        scene_ticks(world, 60);
        assert_near(scene_view(world, ball).velocity.y, below ? 1.0 : 0.0, 1e-12);
        cn_world_destroy(world);
    }
}

/* ---- restitution of ropes and limits ---- */

/* A ball at 2 m/s from its anchor, with 0.5 m of rope to spare, comes back at e times that. */
static void
becomes_taut(void)
{
    for (int kind = 0; kind < 3; kind++) {
        begin(0.0);
        scene.def.settings.has_resting_velocity = true;
        scene.def.settings.resting_velocity = 0.1;
        int ball = scene_circle(&scene, 0.3, -0.4, 0.1);
        if (spatial) {
            scene.shape[ball].kind = CN_SHAPE_SPHERE;
        }
        scene.body[ball].mass = 3.0;
        scene.body[ball].velocity = cn_vec3_make(1.2, -1.6, 0.0);
        cn_vec3 zero = {0.0, 0.0, 0.0}, at = {0.3, -0.4, 0.0};
        struct cn_joint_def *joint;
        if (kind == 0) {
            joint = scene_rod(&scene, CN_JOINT_ROPE, -1, ball, zero, at);
            joint->length = 1.0;
        } else if (kind == 1) {
            joint = scene_rod(&scene, CN_JOINT_DISTANCE, -1, ball, zero, at);
            joint->has_limit = true;
            joint->lower = 0.2;
            joint->upper = 1.0;
        } else {
            joint = scene_joint(&scene, CN_JOINT_SLIDER, -1, ball, at);
            joint->axis = cn_vec3_make(0.6, -0.8, 0.0);
            joint->has_limit = true;
            joint->lower = -0.3;
            joint->upper = 0.5;
        }
        joint->restitution = 0.5;
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 30); /* it is met after 15 ticks */
        struct cn_body_view view = scene_view(world, ball);
        double e = has_restitution() ? 0.5 : 0.0, tolerance = 1e-3;
        assert_near(view.velocity.x, -e * 1.2, tolerance);
        assert_near(view.velocity.y, e * 1.6, tolerance);
        scene_ticks(world, 70); /* at its other end, or slower than that: e twice */
        view = scene_view(world, ball);
        if (kind > 0 && has_restitution()) {
            assert_near(view.velocity.x, 0.3, tolerance);
            assert_near(view.velocity.y, -0.4, tolerance);
        }
        cn_world_destroy(world);
    }
}

static void
test_becomes_taut(void **state)
{
    (void)state;
    for_each(becomes_taut);
}

/* A ball between a hand and a rope's end: below the resting velocity the rope takes all. */
static void
taut_slowly(void)
{
    begin(0.0);
    scene.def.settings.has_resting_velocity = true;
    scene.def.settings.resting_velocity = 2.5;
    int ball = scene_circle(&scene, 0.5, 0.0, 0.1);
    if (spatial) {
        scene.shape[ball].kind = CN_SHAPE_SPHERE;
    }
    scene.body[ball].velocity.x = 2.0;
    struct cn_joint_def *rope = scene_rod(&scene, CN_JOINT_ROPE, -1, ball,
        cn_vec3_make(0.0, 0.0, 0.0), cn_vec3_make(0.5, 0.0, 0.0));
    rope->length = 1.0;
    rope->restitution = 1.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 60);
    assert_near(scene_view(world, ball).velocity.x, 0.0, 1e-3);
    assert_near(scene_view(world, ball).position.x, 1.0, 5e-3);
    cn_world_destroy(world);
}

static void
test_taut_slowly(void **state)
{
    (void)state;
    for_each(taut_slowly);
}

/* ---- planes that move ---- */

static struct cn_world *
make_lift(cn_vec3 velocity, double friction, int *body)
{
    begin(10.0);
    scene_friction(&scene, 0, solver->friction ? friction : 0.0);
    int lift = scene_floor(&scene);
    scene.body[lift].type = CN_KINEMATIC;
    scene.body[lift].velocity = velocity;
    *body = block(0.0, 1.0);
    scene.body[*body].velocity.y = velocity.y;
    return scene_create(&scene);
}

/* Carried up at 1 m/s; then the lift stops, and then it falls away faster than the body does. */
static void
carries(void)
{
    int body;
    struct cn_world *world = make_lift(cn_vec3_make(0.0, 1.0, 0.0), 0.0, &body);
    scene_ticks(world, 60);
    struct cn_body_view view = scene_view(world, body);
    assert_near(view.position.y, 2.0, 5e-3);
    assert_near(view.velocity.y, 1.0, 0.02);
    assert_near(scene_view(world, 0).position.y, 1.0, 1e-9);
    struct scene_contacts on = scene_contacts(world, 0, body);
    assert_near(on.force, 20.0, solver->kind == CN_SOLVER_PROBLEM ? 1e-6 : 0.2);
    /* Ramped by 2 m/s^2 for a second: v = 3 m/s, all from the lift, m (g + a) t = 24 N s. */
    for (int t = 1; t <= 60; t++) {
        struct cn_command set = {.kind = CN_COMMAND_SET_VELOCITY,
            .set_velocity = {.body = 0, .velocity = {0.0, 1.0 + 2.0 * t / 60.0, 0.0}}};
        scene_command(world, &set);
        scene_tick(world);
    }
    view = scene_view(world, body);
    assert_near(view.velocity.y, 3.0, 0.05);
    assert_near(view.position.y - scene_view(world, 0).position.y, 1.0, 5e-3);
    struct cn_command fall = {.kind = CN_COMMAND_SET_VELOCITY,
        .set_velocity = {.body = 0, .velocity = {0.0, -20.0, 0.0}}};
    scene_command(world, &fall);
    scene_ticks(world, 30); /* nothing pulls: it is thrown, v = 3 - g / 2 */
    assert_near(scene_view(world, body).velocity.y, -2.0, 0.05);
    cn_world_destroy(world);
}

/* A conveyor without an end: mu g t until the body has its speed. */
static void
conveys(void)
{
    int body;
    struct cn_world *world = make_lift(cn_vec3_make(2.0, 0.0, 0.0), 0.1, &body);
    scene_ticks(world, 60);
    double v = scene_view(world, body).velocity.x;
    assert_near(v, solver->friction ? 1.0 : 0.0, solver->kind == CN_SOLVER_PROBLEM ? 1e-3 : 0.02);
    scene_ticks(world, 120);
    v = scene_view(world, body).velocity.x;
    assert_near(v, solver->friction ? 2.0 : 0.0, solver->kind == CN_SOLVER_PROBLEM ? 1e-3 : 0.02);
    assert_near(scene_view(world, body).position.y, 1.0, 5e-3);
    cn_world_destroy(world);
}

/* A wall of 3 m/s meets a ball at rest: with e = 1 it leaves at 6 m/s. */
static void
serves(void)
{
    begin(0.0);
    scene.material[0].restitution = 1.0;
    scene.def.settings.combine_restitution = CN_COMBINE_MAX;
    int wall = scene_plane(&scene, 1.0, 0.0, -0.6);
    scene.body[wall].type = CN_KINEMATIC;
    scene.body[wall].velocity.x = 3.0;
    int ball = scene_circle(&scene, 0.0, 0.0, 0.1);
    if (spatial) {
        scene.shape[ball].kind = CN_SHAPE_SPHERE;
    }
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 30);
    assert_near(scene_view(world, ball).velocity.x, has_restitution() ? 6.0 : 3.0, 1e-3);
    cn_world_destroy(world);
}

static void
test_planes_move(void **state)
{
    (void)state;
    for_each(carries);
    for_each(conveys);
    for_each(serves);
}

static void
test_planes_refused(void **state)
{
    (void)state;
    stepper = cn_stepper_find("event");
    solver = cn_solver_find("baraff94");
    spatial = false;
    begin(10.0);
    int plane = scene_floor(&scene);
    struct cn_defect defect = {0};
    scene.body[plane].type = CN_DYNAMIC;
    assert_int_equal(cn_world_def_check(&scene.def, &defect), CN_MASS);
    assert_string_equal(defect.path, "bodies[0].shapes[0].plane");
    scene.body[plane].type = CN_KINEMATIC;
    scene.body[plane].angular_velocity.z = 0.1;
    assert_int_equal(cn_world_def_check(&scene.def, &defect), CN_RANGE);
    scene.body[plane].angular_velocity.z = 0.0;
    struct cn_world *world = scene_create(&scene);
    struct cn_command set = {.kind = CN_COMMAND_SET_VELOCITY,
        .set_velocity = {.body = plane, .angular_velocity = {0.0, 0.0, 1.0}}};
    assert_int_equal(cn_world_command_check(world, &set, &defect), CN_RANGE);
    struct cn_command type = {.kind = CN_COMMAND_SET_BODY_TYPE,
        .set_body_type = {.body = plane, .type = CN_STATIC}};
    scene_command(world, &type);
    type.set_body_type.type = CN_KINEMATIC;
    scene_command(world, &type);
    cn_world_destroy(world);
}

/* ---- forces of joints ---- */

/* Two weights hang below each other on ropes: before the first tick and after it 3 g and 1 g. */
static void
hangs(void)
{
    begin(10.0);
    int upper = scene_circle(&scene, 0.0, -1.0, 0.1), lower = scene_circle(&scene, 0.0, -2.0, 0.1);
    if (spatial) {
        scene.shape[upper].kind = scene.shape[lower].kind = CN_SHAPE_SPHERE;
    }
    scene.body[upper].mass = 2.0;
    cn_vec3 top = {0.0, 0.0, 0.0}, middle = {0.0, -1.0, 0.0}, end = {0.0, -2.0, 0.0};
    scene_rod(&scene, CN_JOINT_ROPE, -1, upper, top, middle);
    scene_rod(&scene, CN_JOINT_ROPE, upper, lower, middle, end);
    struct cn_world *world = scene_create(&scene);
    bool solves = solver->kind == CN_SOLVER_PROBLEM;
    for (int t = 0; t <= 60; t++) {
        struct cn_joint_view of_upper, of_lower;
        cn_world_joint_view(world, 0, &of_upper);
        cn_world_joint_view(world, 1, &of_lower);
        if (solves || t == 60) { /* others show the last tick */
            assert_near(of_upper.force.y, 30.0, solves ? 1e-6 : 0.1);
            assert_near(of_lower.force.y, 10.0, solves ? 1e-6 : 0.1);
            assert_near(of_upper.force.x, 0.0, 1e-6);
        }
        scene_tick(world);
    }
    cn_world_destroy(world);
}

static void
test_hangs(void **state)
{
    (void)state;
    for_each(hangs);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rests),
        cmocka_unit_test(test_resting_threshold),
        cmocka_unit_test(test_becomes_taut),
        cmocka_unit_test(test_taut_slowly),
        cmocka_unit_test(test_planes_move),
        cmocka_unit_test(test_planes_refused),
        cmocka_unit_test(test_hangs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
