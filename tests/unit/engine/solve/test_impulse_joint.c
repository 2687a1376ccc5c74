/*
 * test_impulse_joint.c: joints of the production solver against answers known by hand.
 *
 * All of it with every joint by itself, then with the kernel of one lane, then with the best.
 *
 * Gravity is 10 m/s^2 downwards, bodies have mass and inertia 1 unless a test says otherwise.
 */
#include "engine/math/scalar.h"
#include "tests/support/solve/soft_joints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/near.h"

static const cn_mat33 axis_z = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
static const cn_mat33 axis_x = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
static const cn_mat33 axis_y = {{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}};

static const enum cn_dimension both[] = {CN_PLANAR, CN_SPATIAL};

static cn_vec3
at(double x, double y)
{
    return cn_vec3_make(x, y, 0.0);
}

static void
run_for(const struct soft_run *run, double time)
{
    int ticks = (int)(time / run->h + 0.5);
    for (int i = 0; i < ticks; i++) {
        soft_tick(run);
    }
}

/* A body at 1 m from a pivot in the origin. */
static struct cn_joint *
hang(struct jointed *all, enum cn_dimension dimension, enum cn_joint_kind kind, cn_vec3 place)
{
    jointed_init(all, dimension);
    int b = jointed_body(all, place, 1.0, 1.0);
    return jointed_joint(all, kind, -1, b, at(0.0, 0.0), at(0.0, 0.0), &axis_z);
}

/* ---- holding ---- */

static void
test_weight_hangs(void **state)
{
    (void)state;
    static const enum cn_joint_kind kinds[] = {
        CN_JOINT_BALL, CN_JOINT_HINGE, CN_JOINT_FIXED, CN_JOINT_DISTANCE};
    for (int k = 0; k < 8; k++) {
        struct jointed all;
        hang(&all, both[k % 2], kinds[k / 2], at(0.0, -1.0));
        if (kinds[k / 2] == CN_JOINT_DISTANCE) {
            all.joint[0].anchor_b = at(0.0, 0.0);
            all.joint[0].length = 1.0;
        }
        struct soft_run run = soft_run_make(&all, 4);
        run_for(&run, 2.0);
        struct cn_joint_look look = soft_look(&all, 0);
        assert_near(look.force.x, 0.0, 1e-4);
        assert_near(look.force.y, 10.0, 1e-3);
        assert_near(all.motion[0].position.y, -1.0, 1e-4);
        assert_near(look.gap, 0.0, 1e-4);
    }
}

/* A beam held at one end bears the weight and its moment: 10 N at 1 m. */
static void
test_cantilever(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct jointed all;
        enum cn_joint_kind kind = k < 2 ? CN_JOINT_FIXED : CN_JOINT_SLIDER;
        hang(&all, both[k % 2], kind, at(1.0, 0.0));
        all.joint[0].frame_a = all.joint[0].frame_b = axis_x;
        struct soft_run run = soft_run_make(&all, 4);
        run_for(&run, 2.0);
        struct cn_joint_look look = soft_look(&all, 0);
        assert_near(look.force.y, 10.0, 1e-3);
        assert_near(look.torque.z, 10.0, 2e-3);
        assert_near(all.motion[0].position.y, 0.0, 1e-3);
        assert_near(look.gap, 0.0, 1e-3);
    }
}

/* ---- motion ---- */

/* The time between two passages of the lowest point to the same side. */
static double
measure_period(const struct soft_run *run)
{
    double first = -1.0, before = run->all->motion[0].position.x, time = 0.0;
    for (int i = 0; i < 1200; i++) {
        soft_tick(run);
        time += run->h;
        double x = run->all->motion[0].position.x;
        if (before < 0.0 && x >= 0.0) {
            double crossing = time - run->h * x / (x - before);
            if (first >= 0.0) {
                return crossing - first;
            }
            first = crossing;
        }
        before = x;
    }
    return -1.0;
}

/* A rigid body at L = 1: T = 2 pi sqrt((I + m L^2) / (m g L)); for a rod's mass point I = 0. */
static void
test_pendulum_period(void **state)
{
    (void)state;
    static const enum cn_joint_kind kinds[] = {CN_JOINT_BALL, CN_JOINT_HINGE, CN_JOINT_DISTANCE};
    for (int k = 0; k < 6; k++) {
        struct jointed all;
        hang(&all, both[k % 2], kinds[k / 2], at(0.01, -1.0));
        bool is_rod = kinds[k / 2] == CN_JOINT_DISTANCE;
        if (is_rod) {
            all.joint[0].anchor_b = at(0.0, 0.0);
            all.joint[0].length = sqrt(1.0001);
        }
        double exact = 2.0 * CN_PI * sqrt((is_rod ? 1.0 : 2.0) / 10.0);
        struct soft_run run = soft_run_make(&all, 4);
        assert_near(measure_period(&run), exact, 2e-3 * exact);
        assert_near(soft_look(&all, 0).gap, 0.0, 1e-4);
    }
}

/*
 * A fast spinner's point stays on its pivot: 30 rad/s on an arm of 1 m pulls with 900 N.  It turns
 * by an eighth of a radian in each of 4 substeps, and keeps its spin the better the more there are.
 */
static void
test_fast_spinner(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        struct jointed all;
        hang(&all, both[k % 2], k < 4 ? CN_JOINT_BALL : CN_JOINT_HINGE, at(1.0, 0.0));
        all.motion[0].velocity = at(0.0, 30.0);
        all.motion[0].angular_velocity.z = 30.0;
        bool fine = k % 4 >= 2;
        struct soft_run run = soft_run_make(&all, fine ? 12 : 4);
        run.gravity = at(0.0, 0.0);
        run_for(&run, 2.0);
        double spin = all.motion[0].angular_velocity.z;
        assert_near(cn_vec3_length(all.motion[0].position), 1.0, fine ? 5e-4 : 4e-3);
        assert_near(spin, 30.0, fine ? 0.03 : 0.6);
        assert_near(cn_vec3_length(soft_look(&all, 0).force), spin * spin, fine ? 10.0 : 30.0);
    }
}

/* A bead on a circle of 1 m, from the side: at the bottom v^2 = 2 g r, N = 3 m g. */
static void
test_bead_on_circle(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct jointed all;
        hang(&all, both[k], CN_JOINT_TRACK, at(1.0, 0.0));
        all.joint[0].anchor_b = at(0.0, 0.0);
        all.model.curve_count = 1;
        all.curve[0] = (struct cn_curve){.kind = CN_CURVE_CIRCLE, .radius = 1.0};
        struct soft_run run = soft_run_make(&all, 8);
        double force_max = 0.0, speed_max = 0.0;
        for (int i = 0; i < 60; i++) {
            soft_tick(&run);
            struct cn_joint_look look = soft_look(&all, 0);
            force_max = cn_max(force_max, cn_vec3_length(look.force));
            speed_max = cn_max(speed_max, cn_vec3_length(all.motion[0].velocity));
            assert_near(cn_vec3_length(all.motion[0].position), 1.0, 2e-3);
        }
        assert_near(speed_max * speed_max, 20.0, 0.4);
        assert_near(force_max, 30.0, 0.6);
    }
}

/* A rope is slack above its pivot, and taut below. */
static void
test_rope(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct jointed all;
        struct cn_joint *rope = hang(&all, both[k], CN_JOINT_ROPE, at(0.0, -0.5));
        rope->anchor_b = at(0.0, 0.0);
        rope->has_limit = true;
        rope->lower = -HUGE_VAL;
        rope->upper = rope->length = 1.0;
        struct soft_run run = soft_run_make(&all, 4);
        run_for(&run, 0.25);
        assert_near(all.motion[0].velocity.y, -2.5, 1e-3);
        assert_near(soft_look(&all, 0).force.y, 0.0, 1e-6);
        run_for(&run, 2.0);
        assert_near(all.motion[0].position.y, -1.0, 2e-3);
        assert_near(soft_look(&all, 0).force.y, 10.0, 1e-2);
    }
}

/* A slider lets a body fall along its axis alone. */
static void
test_slider_runs(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct jointed all;
        struct cn_joint *slider = hang(&all, both[k], CN_JOINT_SLIDER, at(0.5, 0.0));
        slider->frame_a = slider->frame_b = axis_y;
        struct soft_run run = soft_run_make(&all, 4);
        run_for(&run, 1.0);
        assert_near(all.motion[0].velocity.y, -10.0, 1e-3);
        assert_near(all.motion[0].position.x, 0.5, 1e-4);
        assert_near(soft_look(&all, 0).coordinate, -5.0, 0.05);
    }
}

/* ---- limits, motors, springs ---- */

/* A pendulum falls onto its lower limit and lies there: the limit bears m g L cos(angle). */
static void
test_limit_stops(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct jointed all;
        struct cn_joint *hinge = hang(&all, both[k], CN_JOINT_HINGE, at(1.0, 0.0));
        hinge->has_limit = true;
        hinge->lower = -0.5;
        hinge->upper = 0.25;
        struct soft_run run = soft_run_make(&all, 4);
        double lowest = 0.0;
        for (int i = 0; i < 180; i++) {
            soft_tick(&run);
            lowest = cn_min(lowest, soft_look(&all, 0).coordinate);
        }
        assert_true(lowest > -0.51);
        struct cn_joint_look look = soft_look(&all, 0);
        assert_near(look.coordinate, -0.5, 1e-3);
        assert_near(look.torque.z, 10.0 * cos(0.5), 1e-2);
        run.gravity = at(0.0, 10.0);
        run_for(&run, 3.0);
        assert_near(soft_look(&all, 0).coordinate, 0.25, 1e-3);
        assert_near(soft_look(&all, 0).torque.z, -10.0 * cos(0.25), 1e-2);
    }
}

/* With 2 N m the motor gives 1 kg m^2 2 rad/s^2, until it runs at 3 rad/s and has nothing to do. */
static void
test_motor_reaches_speed(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct jointed all;
        struct cn_joint *hinge = hang(&all, both[k], CN_JOINT_HINGE, at(0.0, 0.0));
        hinge->anchor_b = at(0.0, 0.0);
        hinge->has_motor = true;
        hinge->motor_speed = 3.0;
        hinge->motor_force_max = 2.0;
        struct soft_run run = soft_run_make(&all, 4);
        run_for(&run, 1.0);
        assert_near(all.motion[0].angular_velocity.z, 2.0, 1e-3);
        assert_near(soft_look(&all, 0).motor, 2.0, 1e-4);
        run_for(&run, 1.0);
        assert_near(all.motion[0].angular_velocity.z, 3.0, 1e-4);
        assert_near(soft_look(&all, 0).motor, 0.0, 1e-3);
    }
}

/* A held level of -0.5 drives at half the speed, backwards. */
static void
test_motor_level(void **state)
{
    (void)state;
    struct jointed all;
    struct cn_joint *slider = hang(&all, CN_PLANAR, CN_JOINT_SLIDER, at(0.0, 0.0));
    slider->frame_a = slider->frame_b = axis_x;
    slider->has_motor = true;
    slider->motor_speed = 3.0;
    slider->motor_force_max = HUGE_VAL;
    slider->actuator = 0;
    all.held[0] =
        (struct cn_held){.kind = CN_HELD_ACTUATOR, .target = 0, .stiffness = -0.5};
    all.model.held_count = 1;
    struct soft_run run = soft_run_make(&all, 4);
    run_for(&run, 0.5);
    assert_near(all.motion[0].velocity.x, -1.5, 1e-5);
}

/* x'' = -k x - c x' from rest at 1: after time t. */
static double
oscillator(double k, double c, double t)
{
    double w = sqrt(k - c * c / 4.0);
    return exp(-c * t / 2.0) * (cos(w * t) + c / (2.0 * w) * sin(w * t));
}

static double
spring_after(enum cn_dimension dimension, enum cn_joint_kind kind, double k, double c, double t,
    int substeps)
{
    struct jointed all;
    bool hinge = kind == CN_JOINT_HINGE;
    struct cn_joint *joint = hang(&all, dimension, kind, at(0.0, 0.0));
    joint->frame_a = joint->frame_b = hinge ? axis_z : axis_x;
    joint->has_spring = true;
    joint->stiffness = k;
    joint->damping = c;
    joint->rest = -1.0;
    struct soft_run run = soft_run_make(&all, substeps);
    run.gravity = at(0.0, 0.0);
    run_for(&run, t);
    return soft_look(&all, 0).coordinate + 1.0;
}

/* A spring of 2 Hz swings as it should after 3 s, and the error shrinks as substeps grow. */
static void
test_spring_swings(void **state)
{
    (void)state;
    double k = 16.0 * CN_PI * CN_PI;
    for (int i = 0; i < 4; i++) {
        enum cn_joint_kind kind = i < 2 ? CN_JOINT_HINGE : CN_JOINT_SLIDER;
        for (int damped = 0; damped < 2; damped++) {
            double c = damped ? 2.0 : 0.0, exact = oscillator(k, c, 3.1);
            double coarse = fabs(spring_after(both[i % 2], kind, k, c, 3.1, 4) - exact);
            double fine = fabs(spring_after(both[i % 2], kind, k, c, 3.1, 16) - exact);
            assert_true(coarse < 0.05);
            assert_true(fine < 0.3 * coarse + 1e-3);
        }
    }
}

/* A spring far stiffer than the substep can follow comes to rest, and does not explode. */
static void
test_stiff_spring(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        enum cn_joint_kind kind = i < 2 ? CN_JOINT_HINGE : CN_JOINT_SLIDER;
        assert_near(spring_after(both[i % 2], kind, 1e7, 0.0, 2.0, 2), 0.0, 1e-3);
    }
}

/* ---- chains ---- */

static double
chain_stretch(enum cn_dimension dimension, int links, double weight, int substeps, double time)
{
    struct jointed all;
    jointed_init(&all, dimension);
    for (int i = 0; i < links; i++) {
        double mass = i == links - 1 ? weight : 1.0;
        int b = jointed_body(&all, at(0.0, -0.5 - i), mass, 0.1 * mass);
        jointed_joint(&all, CN_JOINT_BALL, b - 1, b, at(0.0, -i), at(0.0, -i), &axis_z);
    }
    struct soft_run run = soft_run_make(&all, substeps);
    run_for(&run, time);
    assert_true(cn_motion_is_bounded(&all.motion[links - 1]));
    return -0.5 - (links - 1) - all.motion[links - 1].position.y;
}

/*
 * Thirty links hold each other and a hundred times their mass, five of them a thousand times.  One
 * by one they hang through; as a chain they are solved at once.
 */
static void
test_chain_holds(void **state)
{
    (void)state;
    bool at_once = soft_kernel != NULL;
    for (int i = 0; i < 2; i++) {
        assert_true(chain_stretch(both[i], 30, 1.0, 4, 6.0) < (at_once ? 1e-3 : 0.08));
        assert_true(chain_stretch(both[i], 30, 100.0, 4, 6.0) < (at_once ? 6e-3 : 1.2));
        assert_true(chain_stretch(both[i], 5, 1000.0, 4, 6.0) < (at_once ? 6e-3 : 1.2));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weight_hangs),
        cmocka_unit_test(test_cantilever),
        cmocka_unit_test(test_pendulum_period),
        cmocka_unit_test(test_fast_spinner),
        cmocka_unit_test(test_bead_on_circle),
        cmocka_unit_test(test_rope),
        cmocka_unit_test(test_slider_runs),
        cmocka_unit_test(test_limit_stops),
        cmocka_unit_test(test_motor_reaches_speed),
        cmocka_unit_test(test_motor_level),
        cmocka_unit_test(test_spring_swings),
        cmocka_unit_test(test_stiff_spring),
        cmocka_unit_test(test_chain_holds),
    };
    const struct cn_impulse_kernel *const kernels[] = {
        NULL, &cn_impulse_kernel_single, cn_impulse_kernel_best()};
    int failed = 0;
    for (int i = 0; i < 3; i++) {
        soft_kernel = kernels[i];
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
