/*
 * test_springs.c: springs of a scene under the solver impulse: periods and loads known by hand, and
 * no stiffness that grows.
 */
#include "engine/math/scalar.h"
#include "tests/support/near.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define SPRINGS_MAX 16
#define TICK (1.0 / 60.0)

static struct scene scene;
static struct cn_spring_def springs[SPRINGS_MAX];

static void
begin(bool planar, double gravity)
{
    if (planar) {
        scene_init(&scene, gravity);
    } else {
        scene_init_space(&scene, gravity);
    }
    strcpy(scene.def.settings.stepper, "time");
    strcpy(scene.def.settings.solver, "impulse");
    scene.def.springs = springs;
}

static struct cn_spring_def *
spring(int body_a, int body_b, double stiffness)
{
    struct cn_spring_def *made = &springs[scene.def.spring_count++];
    *made = (struct cn_spring_def){.body_a = body_a, .body_b = body_b, .stiffness = stiffness};
    return made;
}

/* A ball of `mass` on a spring of length 1 from the origin along x, stretched by `stretch`. */
static int
make_ball(bool planar, double mass, double stiffness, double stretch)
{
    begin(planar, 0.0);
    int ball = planar ? scene_circle(&scene, 1.0 + stretch, 0.0, 0.1)
                      : scene_rotor(&scene, 1.0, 1.0, 1.0);
    scene.body[ball].position = cn_vec3_make(1.0 + stretch, 0.0, 0.0);
    scene.body[ball].mass = mass;
    spring(-1, ball, stiffness)->rest_length = 1.0;
    return ball;
}

/*
 * If omega times the tick is 0.3, a substep has x = 0.075.  The period is too short by the part x^2
 * / 24 = 2.3e-4.  The damping of x^3 / 2 of the critical one leaves exp(-20 pi x^3) = 0.974 of the
 * amplitude after 20 periods.
 */
static void
test_period(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; k++) {
        const double omega = 0.3 / TICK, stretch = 0.1;
        int ball = make_ball(k == 0, 2.0, 2.0 * omega * omega, stretch);
        struct cn_world *world = scene_create(&scene);
        double before = stretch, first = 0.0, last = 0.0, most = 0.0;
        int crossings = 0;
        for (int tick = 1; crossings <= 40; tick++) {
            assert_true(tick < 1000);
            scene_tick(world);
            double now = scene_view(world, ball).position.x - 1.0;
            if ((now > 0.0) != (before > 0.0)) { /* interpolated, with equal errors */
                last = (tick - 1 + before / (before - now)) * TICK;
                first = crossings == 0 ? last : first;
                crossings++;
            }
            most = crossings >= 38 ? fmax(most, fabs(now)) : most;
            before = now;
        }
        double period = (last - first) / 20.0, wanted = 2.0 * CN_PI / omega;
        print_message("  period off by %.1e, amplitude %.4f\n", period / wanted - 1.0,
            most / stretch);
        assert_true(fabs(period / wanted - 1.0) < 5e-4);
        assert_true(most <= stretch && most > 0.95 * stretch);
        cn_world_destroy(world);
    }
}

/*
 * Springs up to the stiffest that a scene may have.  The energy never grows, except by up to 15 %
 * with the phase of the oscillation.
 */
static void
test_stiff(void **unused)
{
    (void)unused;
    const double stiffness[] = {2e3, 2e4, 2e5, 1e7};
    for (int k = 0; k < 8; k++) {
        int ball = make_ball(k % 2 == 0, 0.5, stiffness[k / 2], 0.2);
        scene.body[ball].velocity = cn_vec3_make(0.0, 1.0, 0.0);
        struct cn_world *world = scene_create(&scene);
        double start = cn_world_energy(world).total, half[2] = {0.0, 0.0};
        for (int tick = 0; tick < 600; tick++) {
            scene_tick(world);
            double now = cn_world_energy(world).total;
            half[tick / 300] = fmax(half[tick / 300], now);
        }
        print_message("  %g N/m: %.3f, then %.3f of the energy\n", stiffness[k / 2],
            half[0] / start, half[1] / start);
        assert_true(half[0] < 1.15 * start);
        assert_true(half[1] <= half[0]);
        cn_world_destroy(world);
    }
}

/* Twelve balls of 0.1 kg on a string of stiff springs; another spring ties two distant ones. */
static void
test_string(void **unused)
{
    (void)unused;
    begin(true, 9.81);
    for (int i = 0; i < 12; i++) {
        int ball = scene_circle(&scene, 0.5 * (i + 1), 0.0, 0.05);
        scene.body[ball].mass = 0.1;
        struct cn_spring_def *made = spring(i - 1, ball, 1e6);
        made->rest_length = 0.5;
        made->damping = 1.0;
    }
    spring(3, 9, 1e5)->rest_length = 3.0;
    struct cn_world *world = scene_create(&scene);
    double most[2] = {-HUGE_VAL, -HUGE_VAL}, stretch = 0.0;
    for (int tick = 0; tick < 1200; tick++) {
        scene_tick(world);
        double now = cn_world_energy(world).kinetic; /* and of gravity: both are 0 at the start */
        cn_vec3 before = {0.0, 0.0, 0.0};
        for (int i = 0; i < 12; i++) {
            cn_vec3 at = scene_view(world, i).position;
            now += 0.1 * 9.81 * at.y;
            stretch = fmax(stretch, fabs(cn_vec3_length(cn_vec3_sub(at, before)) - 0.5));
            before = at;
        }
        most[tick / 600] = fmax(most[tick / 600], now);
    }
    print_message("  at most %.3f J, then %.3f J; stretched by %.4f m at most\n", most[0], most[1],
        stretch);
    assert_true(most[0] < 0.0 && most[1] < most[0]);
    assert_true(stretch < 0.02);
    cn_world_destroy(world);
}

/* 1 kg hangs on 2 kN/m and rests 9.81 / 2000 m below; another spring presses a box to the floor. */
static void
test_loads(void **unused)
{
    (void)unused;
    begin(true, 9.81);
    int hung = scene_circle(&scene, -5.0, 4.0, 0.1);
    struct cn_spring_def *hanger = spring(-1, hung, 2000.0);
    hanger->anchor_a = cn_vec3_make(-5.0, 5.0, 0.0);
    hanger->rest_length = 1.0;
    hanger->damping = 20.0;
    int floor = scene_floor(&scene), pressed = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
    struct cn_spring_def *press = spring(-1, pressed, 1e5);
    press->anchor_a = cn_vec3_make(0.0, 2.5, 0.0);
    press->rest_length = 2.001; /* 0.001 m too long: 100 N */
    scene.body[hung].mass = scene.body[pressed].mass = 1.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 600);
    assert_near(scene_view(world, hung).position.y, 4.0 - 9.81 / 2000.0, 2e-5);
    cn_vec3 at = scene_view(world, pressed).position;
    double force = 1e5 * (2.001 - (2.5 - at.y)) + 9.81;
    assert_near(scene_contacts(world, floor, pressed).force, force, 0.5);
    assert_true(force > 50.0);
    cn_world_destroy(world);
}

/*
 * Two boxes on a spring between their corners keep their momenta, and turn against each other.  If
 * the spring pulls them into each other, they may gain angular momentum.  The reason is that a
 * contact acts at two places, one on each body.  Their distance is the contact's depth, and up to
 * half of the margin of 20 mm when it persists (collide/fast/fast_base.h).  The impulse has that
 * arm.
 */
static void
check_momenta(double rest_length, double turned_least)
{
    begin(true, 0.0);
    int a = scene_box(&scene, 0.0, 0.0, 1.0, 1.0), b = scene_box(&scene, 3.0, 0.0, 1.0, 1.0);
    struct cn_spring_def *made = spring(a, b, 40.0);
    made->anchor_a = cn_vec3_make(0.5, 0.5, 0.0);
    made->anchor_b = cn_vec3_make(-0.5, -0.25, 0.0);
    made->rest_length = rest_length;
    scene.body[a].mass = 1.0;
    scene.body[b].mass = 2.0;
    struct cn_world *world = scene_create(&scene);
    double turned = 0.0, pressed = 0.0, deepest = 0.0;
    cn_vec3 last = {0};
    for (int tick = 0; tick < 120; tick++) {
        scene_tick(world);
        struct cn_body_view at[2] = {scene_view(world, a), scene_view(world, b)};
        double px = 0.0, py = 0.0, turning = 0.0;
        for (int i = 0; i < 2; i++) {
            double m = i + 1.0, inertia = m / 6.0;
            px += m * at[i].velocity.x;
            py += m * at[i].velocity.y;
            turning += inertia * at[i].angular_velocity.z +
                       m * (at[i].position.x * at[i].velocity.y -
                               at[i].position.y * at[i].velocity.x);
        }
        struct scene_contacts contacts = scene_contacts(world, a, b);
        cn_vec3 change = cn_vec3_sub(at[0].velocity, last);
        last = at[0].velocity; /* of 1 kg: its change is the impulse of a strike */
        pressed += contacts.force > 0.0 ? contacts.force * TICK + cn_vec3_length(change) : 0.0;
        turned = fmax(turned, fabs(at[0].angular_velocity.z));
        assert_near(px, 0.0, 1e-4);
        assert_near(py, 0.0, 1e-4);
        deepest = fmax(deepest, scene_depth(world));
        assert_near(turning, 0.0, 1e-4 + (deepest + 0.01) * pressed);
    }
    assert_true(turned > turned_least);
    assert_true((pressed > 0.0) == (rest_length < 1.5));
    cn_world_destroy(world);
}

static void
test_momenta_stay(void **unused)
{
    (void)unused;
    check_momenta(1.9, 0.1); /* the boxes never touch */
    check_momenta(1.0, 1.0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_period),
        cmocka_unit_test(test_stiff),
        cmocka_unit_test(test_string),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_momenta_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
