/*
 * test_impulse_exact.c: compares joints of the production solver with those of the exact stepper.
 *
 * There is one small mechanism for each kind of joint, in the plane and in space.  After 0.75 s the
 * poses and joint forces are close to those of the stepper `event`, and closer with shorter ticks.
 * The soft solver's forces are means over a tick, and the exact ones are those at its end.  So they
 * differ by their change in half a tick.
 */
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

#define BODIES 2

static struct scene scene;

static cn_vec3
at(double x, double y)
{
    return cn_vec3_make(x, y, 0.0);
}

static int
add_box(double x, double y)
{
    int body = scene_box(&scene, x, y, 0.6, 0.2);
    scene.body[body].angular_velocity.z = 0.5;
    return body;
}

/* Two bodies on balls: a double pendulum from the side. */
static void
make_ball(void)
{
    int a = add_box(0.4, 2.0), b = add_box(1.2, 2.0);
    scene_joint(&scene, CN_JOINT_BALL, -1, a, at(0.0, 2.0));
    scene_joint(&scene, CN_JOINT_BALL, a, b, at(0.8, 2.0));
}

/* On hinges, the second with a spring. */
static void
make_hinge(void)
{
    int a = add_box(0.4, 2.0), b = add_box(1.2, 2.0);
    scene_joint(&scene, CN_JOINT_HINGE, -1, a, at(0.0, 2.0))->axis = cn_vec3_make(0.0, 0.0, 1.0);
    struct cn_joint_def *hinge = scene_joint(&scene, CN_JOINT_HINGE, a, b, at(0.8, 2.0));
    hinge->axis = cn_vec3_make(0.0, 0.0, -1.0);
    hinge->has_spring = true;
    hinge->stiffness = 2.0;
    hinge->damping = 0.05;
}

/* Along a slope, on a spring. */
static void
make_slider(void)
{
    int a = add_box(0.4, 2.0), b = add_box(1.2, 2.0);
    struct cn_joint_def *slider = scene_joint(&scene, CN_JOINT_SLIDER, -1, a, at(0.2, 2.0));
    scene.body[a].angular_velocity.z = 0.0;
    slider->axis = at(1.0, -0.5);
    slider->has_spring = true;
    slider->stiffness = 20.0;
    slider->damping = 0.5;
    scene_joint(&scene, CN_JOINT_BALL, a, b, at(0.8, 2.0));
}

/* A pendulum of two bodies that are one. */
static void
make_fixed(void)
{
    int a = add_box(0.4, 2.0), b = add_box(1.2, 2.2);
    scene_joint(&scene, CN_JOINT_BALL, -1, a, at(0.0, 2.0));
    scene_joint(&scene, CN_JOINT_FIXED, a, b, at(0.8, 2.1));
}

static void
make_distance(void)
{
    int a = add_box(0.4, 2.0), b = add_box(1.2, 2.0);
    scene_rod(&scene, CN_JOINT_DISTANCE, -1, a, at(-0.3, 2.3), at(0.4, 2.0));
    scene_rod(&scene, CN_JOINT_DISTANCE, a, b, at(0.6, 2.05), at(1.0, 2.0));
}

/* A rope that is taut throughout. */
static void
make_rope(void)
{
    int a = add_box(0.3, 1.0);
    add_box(3.0, 9.0);
    scene.body[a].angular_velocity.z = 0.0;
    scene_rod(&scene, CN_JOINT_ROPE, -1, a, at(0.0, 2.0), at(0.3, 1.0));
}

/* A bead on a circle, with something that hangs on it. */
static void
make_track(void)
{
    static struct cn_curve_def circle = {.kind = CN_CURVE_CIRCLE, .radius = 1.0};
    circle.center = at(0.0, 2.0);
    int a = add_box(1.0, 2.0), b = add_box(1.0, 1.6);
    scene.def.curves = &circle;
    scene.def.curve_count = 1;
    scene_joint(&scene, CN_JOINT_TRACK, -1, a, at(1.0, 2.0))->curve = 0;
    scene_joint(&scene, CN_JOINT_BALL, a, b, at(1.0, 1.8));
}

struct mechanism {
    const char *name;
    void (*make)(void);
};

static const struct mechanism mechanisms[] = {{"ball", make_ball}, {"hinge", make_hinge},
    {"slider", make_slider}, {"fixed", make_fixed}, {"distance", make_distance},
    {"rope", make_rope}, {"track", make_track}};

static struct cn_world *
run_for(const struct mechanism *mechanism, bool planar, double tick_rate, bool exact)
{
    if (planar) {
        scene_init(&scene, 9.81);
    } else {
        scene_init_space(&scene, 9.81);
    }
    mechanism->make();
    scene.def.tick_rate = tick_rate;
    strcpy(scene.def.settings.stepper, exact ? "event" : "time");
    strcpy(scene.def.settings.solver, exact ? "baraff94" : "impulse");
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, (int)(0.75 * tick_rate));
    return world;
}

/*
 * The largest differences between the two worlds: of positions, and of joint forces and torques
 * relative to the joint's force.
 */
static void
compare(const struct mechanism *mechanism, bool planar, double tick_rate, double *place,
    double *force)
{
    struct cn_world *soft = run_for(mechanism, planar, tick_rate, false);
    struct cn_world *exact = run_for(mechanism, planar, tick_rate, true);
    *place = *force = 0.0;
    for (int i = 0; i < BODIES; i++) {
        cn_vec3 p = scene_view(soft, i).position, q = scene_view(exact, i).position;
        *place = fmax(*place, cn_vec3_length(cn_vec3_sub(p, q)));
    }
    for (int i = 0; i < cn_world_joint_count(soft); i++) {
        struct cn_joint_view a, b;
        cn_world_joint_view(soft, i, &a);
        cn_world_joint_view(exact, i, &b);
        double scale = 1.0 + cn_vec3_length(b.force);
        *force = fmax(*force, cn_vec3_length(cn_vec3_sub(a.force, b.force)) / scale);
        *force = fmax(*force, cn_vec3_length(cn_vec3_sub(a.torque, b.torque)) / scale);
    }
    cn_world_destroy(soft);
    cn_world_destroy(exact);
}

/* Within 3 cm and 12 % at 60 Hz, and within 6 mm and 3 % at 300 Hz. */
static void
test_mechanisms(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < 2 * sizeof(mechanisms) / sizeof(mechanisms[0]); k++) {
        const struct mechanism *mechanism = &mechanisms[k / 2];
        double place, force, place_fine, force_fine;
        compare(mechanism, k % 2 == 0, 60.0, &place, &force);
        compare(mechanism, k % 2 == 0, 300.0, &place_fine, &force_fine);
        print_message("%s %s: %.4f m, %.4f of the force; %.4f m, %.4f\n",
            k % 2 == 0 ? "planar" : "spatial", mechanism->name, place, force, place_fine,
            force_fine);
        assert_near(place, 0.0, 0.03);
        assert_near(force, 0.0, 0.12);
        assert_near(place_fine, 0.0, 0.006);
        assert_near(force_fine, 0.0, 0.03);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mechanisms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
