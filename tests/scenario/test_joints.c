/*
 * test_joints.c: jointed worlds keep together, keep their energy, and pass impacts on.  Friction,
 * motors and springs hold bodies that are small beside their arms.
 */
#include "engine/math/scalar.h"
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

/* A point of a body's frame, in the world. */
static cn_vec3
point_of(const struct cn_world *world, int body, cn_vec3 local)
{
    struct cn_body_view view = scene_view(world, body);
    cn_mat33 turn = cn_quat_to_mat33(view.orientation);
    return cn_vec3_add(view.position, cn_mat33_apply(&turn, local));
}

/*
 * Rods of 1 m in a row from the origin along x, each joined to the one before it.  The joints are
 * hinges in the plane, and balls and hinges about an oblique axis in space.
 */
static int
make_chain(int count, bool spatial)
{
    if (spatial) {
        scene_init_space(&scene, 9.81);
    } else {
        scene_init(&scene, 9.81);
    }
    for (int i = 0; i < count; i++) {
        int rod = spatial ? scene_rotor(&scene, 0.01, 1.0 / 12.0, 1.0 / 12.0)
                          : scene_box(&scene, 0.0, 0.0, 1.0, 0.1);
        if (!spatial) { /* rods that pass through each other */
            scene.body[rod].shape_count = 0;
            scene.body[rod].inertia = 1.0 / 12.0;
        }
        scene.body[rod].position.x = i + 0.5;
        scene.body[rod].mass = 1.0;
        enum cn_joint_kind kind = spatial && i % 2 == 0 ? CN_JOINT_BALL : CN_JOINT_HINGE;
        struct cn_joint_def *joint =
            scene_joint(&scene, kind, i - 1, i, cn_vec3_make(i, 0.0, 0.0));
        if (spatial) {
            joint->axis = cn_vec3_make(0.1, 0.3, 1.0);
            scene.body[rod].velocity.z = 0.2 * (i + 0.5); /* turns about y as one */
            scene.body[rod].angular_velocity.y = -0.2;
        }
    }
    return count;
}

/* The chain swings for 10 s under gravity only. */
static void
chain_keeps(int count, bool spatial)
{
    make_chain(count, spatial);
    struct cn_world *world = scene_create(&scene);
    double start = cn_world_energy(world).total, most = 0.0, worst = 0.0, apart = 0.0;
    const cn_vec3 end_a = {-0.5, 0.0, 0.0}, end_b = {0.5, 0.0, 0.0};
    for (int t = 0; t < 600; t++) {
        scene_tick(world);
        struct cn_energy energy = cn_world_energy(world);
        worst = fmax(worst, fabs(energy.total - start));
        most = fmax(most, energy.kinetic);
        cn_vec3 last = {0.0, 0.0, 0.0};
        for (int i = 0; i < count; i++) {
            cn_vec3 off = cn_vec3_sub(point_of(world, i, end_a), last);
            apart = fmax(apart, cn_vec3_length(off));
            last = point_of(world, i, end_b);
        }
        const struct cn_event *events;
        assert_int_equal(cn_world_events(world, &events), 0);
    }
    printf("joints: %d rods, %s: worst |E - E0| / Ekin %.1e, joints apart %.1e m\n", count,
        spatial ? "space" : "plane", worst / most, apart);
    assert_true(worst <= 1e-6 * most);
    assert_true(apart <= 1e-6);
    cn_world_destroy(world);
}

static void
test_chains(void **state)
{
    (void)state;
    chain_keeps(1, false);
    chain_keeps(4, false);
    chain_keeps(1, true);
    chain_keeps(4, true);
}

/*
 * A ball strikes the free end of a hinged rod of length 1, e = 1.  By its inertia the end has a
 * third of the rod's mass m, so it gets 2 v M / (M + m / 3), and the ball keeps
 * v (M - m / 3) / (M + m / 3).
 */
static void
strike_rod(enum cn_collision_handling collision)
{
    const double v = 2.0, M = 0.5, m = 3.0, radius = 0.1, half = 0.05;
    scene_init(&scene, 0.0);
    scene.def.settings.collision = collision;
    scene.material[0].restitution = 1.0;
    int rod = scene_box(&scene, 0.0, 0.5, 2.0 * half, 1.0);
    scene.body[rod].mass = m;
    scene.body[rod].inertia = m / 12.0;
    scene_joint(&scene, CN_JOINT_HINGE, -1, rod, cn_vec3_make(0.0, 0.0, 0.0));
    int ball = scene_circle(&scene, -1.0, 1.0, radius);
    scene.body[ball].mass = M;
    scene.body[ball].velocity.x = v;
    struct cn_world *world = scene_create(&scene);
    double start = cn_world_energy(world).total;
    int impacts = 0;
    for (int t = 0; t < 60; t++) {
        scene_tick(world);
        impacts += scene_events(world, CN_EVENT_IMPACT, NULL);
    }
    assert_int_equal(impacts, 1);
    assert_near(scene_view(world, ball).velocity.x, v * (M - m / 3.0) / (M + m / 3.0), 1e-9);
    assert_near(
        scene_view(world, rod).angular_velocity.z, -2.0 * v * M / (M + m / 3.0), 1e-8);
    assert_near(cn_world_energy(world).total, start, 1e-8 * start);
    cn_world_destroy(world);
}

static void
test_hinge_passes_impact(void **state)
{
    (void)state;
    strike_rod(CN_COLLISION_SIMULTANEOUS);
    strike_rod(CN_COLLISION_SERIAL);
    strike_rod(CN_COLLISION_HYBRID);
}

/* A ball falls past a rope's length: it is caught without a bounce, then hangs by its weight. */
static void
test_rope_catches(void **state)
{
    (void)state;
    scene_init(&scene, 10.0);
    int ball = scene_circle(&scene, 0.3, 0.0, 0.1);
    scene.body[ball].mass = 2.0;
    struct cn_joint_def *rope = scene_rod(&scene, CN_JOINT_ROPE, -1, ball,
        cn_vec3_make(0.0, 0.0, 0.0), cn_vec3_make(0.3, 0.0, 0.0));
    rope->length = 1.0;
    struct cn_world *world = scene_create(&scene);
    double longest = 0.0, caught = -1.0;
    for (int t = 0; t < 600; t++) {
        struct cn_event event;
        double before = cn_world_energy(world).total;
        scene_tick(world);
        cn_vec3 at = scene_view(world, ball).position;
        longest = fmax(longest, hypot(at.x, at.y));
        bool hit = scene_events(world, CN_EVENT_IMPACT, &event) > 0;
        caught = hit && caught < 0.0 ? event.time : caught;
        assert_true(cn_world_energy(world).total <= before + 1e-7);
    }
    assert_near(caught, sqrt(2.0 * sqrt(1.0 - 0.09) / 10.0), 1e-7);
    assert_true(longest <= 1.0 + cn_world_gap_tolerance(world));
    cn_world_destroy(world);
}

/* A pendulum stops at its limit and rests on it. */
static void
test_limit_holds(void **state)
{
    (void)state;
    scene_init(&scene, 9.81);
    int rod = scene_box(&scene, 0.5, 0.0, 1.0, 0.1);
    struct cn_joint_def *hinge =
        scene_joint(&scene, CN_JOINT_HINGE, -1, rod, cn_vec3_make(0.0, 0.0, 0.0));
    hinge->has_limit = true;
    hinge->lower = -0.5;
    hinge->upper = 0.25;
    struct cn_world *world = scene_create(&scene);
    int impacts = 0;
    for (int t = 0; t < 120; t++) {
        scene_tick(world);
        impacts += scene_events(world, CN_EVENT_IMPACT, NULL);
    }
    assert_int_equal(impacts, 1);
    assert_near(scene_view(world, rod).angle, -0.5, 1e-6);
    assert_near(scene_view(world, rod).angular_velocity.z, 0.0, 1e-9);
    scene_hold_force(world, rod, cn_vec3_make(0.5, 0.0, 0.0), cn_vec3_make(0.0, 60.0, 0.0));
    for (int t = 0; t < 120; t++) {
        scene_tick(world);
    }
    assert_near(scene_view(world, rod).angle, 0.25, 1e-6);
    cn_world_destroy(world);
}

/* A body whose velocity its joint forbids keeps the part of it that the joint allows. */
static void
test_velocities_are_projected(void **state)
{
    (void)state;
    scene_init(&scene, 0.0);
    int rod = scene_box(&scene, 0.5, 0.0, 1.0, 0.1);
    scene.body[rod].mass = 1.0;
    scene.body[rod].inertia = 1.0 / 12.0;
    scene.body[rod].velocity = cn_vec3_make(3.0, 1.0, 0.0);
    scene_joint(&scene, CN_JOINT_HINGE, -1, rod, cn_vec3_make(0.0, 0.0, 0.0));
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    /* About the hinge: L = 0.5 x 1, I = 1/3. */
    assert_near(scene_view(world, rod).angular_velocity.z, 1.5, 1e-9);
    cn_world_destroy(world);
}

/* A bob of 1 kg on an arm of 2.5 m, pulled by 25 N m at first, with the production solver. */
static struct cn_joint_def *
start_bob(bool spatial, double radius)
{
    if (spatial) {
        scene_init_space(&scene, 10.0);
    } else {
        scene_init(&scene, 10.0);
    }
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    int bob = scene_circle(&scene, 2.5, 0.0, radius);
    if (spatial) {
        scene.shape[bob].kind = CN_SHAPE_SPHERE;
        scene.shape[bob].sphere.radius = radius;
    }
    scene.body[bob].mass = 1.0;
    scene.body[bob].sleepless = true;
    struct cn_joint_def *joint =
        scene_joint(&scene, CN_JOINT_HINGE, -1, bob, cn_vec3_make(0.0, 0.0, 0.0));
    joint->axis = cn_vec3_make(0.0, 0.0, 1.0);
    return joint;
}

/*
 * However small the bob is: friction of 30 N m holds it, a motor turns it at its speed, and a
 * spring of 40 N m with damping brings it to rest where 40 a = 25 cos a.
 */
static void
test_small_bob(void **unused)
{
    (void)unused;
    static const double radii[] = {0.2, 0.05, 0.01};
    double hangs = 0.6;
    for (int k = 0; k < 50; k++) {
        hangs -= (40.0 * hangs - 25.0 * cos(hangs)) / (40.0 + 25.0 * sin(hangs));
    }
    for (int k = 0; k < 6; k++) {
        struct cn_joint_def *joint = start_bob(k >= 3, radii[k % 3]);
        joint->friction = 30.0;
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 300);
        assert_near(scene_view(world, 0).position.y, 0.0, 1e-3);
        assert_near(scene_view(world, 0).position.x, 2.5, 1e-3);
        cn_world_destroy(world);

        joint = start_bob(k >= 3, radii[k % 3]);
        joint->has_motor = true;
        joint->motor_speed = 1.0;
        joint->motor_force_max = 1e5;
        world = scene_create(&scene);
        scene_ticks(world, 120);
        assert_near(scene_view(world, 0).position.x, 2.5 * cos(2.0), 1e-2);
        assert_near(scene_view(world, 0).position.y, 2.5 * sin(2.0), 1e-2);
        cn_world_destroy(world);

        joint = start_bob(k >= 3, radii[k % 3]);
        joint->has_spring = true;
        joint->stiffness = 40.0;
        joint->damping = 20.0;
        world = scene_create(&scene);
        scene_ticks(world, 600);
        assert_near(scene_view(world, 0).position.x, 2.5 * cos(hangs), 2e-3);
        assert_near(scene_view(world, 0).position.y, -2.5 * sin(hangs), 2e-3);
        cn_world_destroy(world);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_hinge_passes_impact),
        cmocka_unit_test(test_rope_catches),
        cmocka_unit_test(test_limit_holds),
        cmocka_unit_test(test_velocities_are_projected),
        cmocka_unit_test(test_small_bob),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
