/*
 * run_space.c: bodies that turn freely in space.
 */
#include "engine/math/scalar.h"
#include "tests/support/world/scene.h"
#include "tests/truth/check.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct scene scene;

/* Angular velocity in the body's axes. */
static cn_vec3
spin_in_body(const struct cn_body_view *view)
{
    cn_mat33 turn = cn_quat_to_mat33(view->orientation);
    return cn_mat33_apply_back(&turn, view->angular_velocity);
}

static double
component(cn_vec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/* Angular momentum, world axes. */
static cn_vec3
momentum(const struct cn_body_view *view)
{
    cn_mat33 turn = cn_quat_to_mat33(view->orientation);
    return cn_mat33_apply(&turn, cn_mat33_apply(&view->inertia_tensor, spin_in_body(view)));
}

/* The angle from a to b about `axis`, all unit or not [rad]. */
static double
angle_about(cn_vec3 axis, cn_vec3 a, cn_vec3 b)
{
    cn_vec3 n = cn_vec3_scale(axis, 1.0 / cn_vec3_length(axis));
    a = cn_vec3_add_scaled(a, -cn_vec3_dot(a, n), n);
    b = cn_vec3_add_scaled(b, -cn_vec3_dot(b, n), n);
    return atan2(cn_vec3_dot(n, cn_vec3_cross(a, b)), cn_vec3_dot(a, b));
}

/*
 * The nut that turns over: at every quarter of the period the spin equals Jacobi's functions, for
 * any orientation of the body at the start.
 */
void
truth_run_dzhanibekov(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    const json_t *tolerance = truth_member(data, "tol"), *omega = truth_member(expect, "omega");
    double I[3], w0[3], t[16];
    truth_member_numbers(given, "I", I, 3);
    truth_member_numbers(given, "w0", w0, 3);
    int count = truth_member_numbers(expect, "t", t, 16);
    int ticks = (int)fmin(330.0, 900.0 * t[1]); /* in a quarter */
    int middle = 0; /* of the three moments */
    for (int i = 0; i < 3; i++) {
        bool above = I[i] > fmin(I[(i + 1) % 3], I[(i + 2) % 3]);
        bool below = I[i] < fmax(I[(i + 1) % 3], I[(i + 2) % 3]);
        middle = above && below ? i : middle;
    }
    scene_init_space(&scene, 0.0);
    scene.def.tick_rate = ticks / t[1];
    int nut = scene_rotor(&scene, I[0], I[1], I[2]);
    scene.body[nut].orientation = cn_quat_normalize((cn_quat){0.5, -0.3, 0.7, 0.1});
    cn_mat33 turn = cn_quat_to_mat33(scene.body[nut].orientation);
    scene.body[nut].angular_velocity =
        cn_mat33_apply(&turn, cn_vec3_make(w0[0], w0[1], w0[2]));
    struct cn_world *world = scene_create(&scene);

    double energy = truth_member_number(expect, "KE"), length = truth_member_number(expect, "L");
    struct cn_body_view start = scene_view(world, nut);
    cn_vec3 L0 = momentum(&start);
    truth_near(cn_world_energy(world).kinetic, energy, 1e-9 * energy, "KE at the start");
    truth_near(cn_vec3_length(L0), length, 1e-9 * length, "L at the start");
    double period = 0.0, before = w0[middle];
    int turned = 0;
    for (int k = 0; k < count; k++) {
        double want[3];
        truth_numbers(json_array_get(omega, (size_t)k), want, 3);
        struct cn_body_view view = scene_view(world, nut);
        cn_vec3 w = spin_in_body(&view);
        double near = truth_member_number(tolerance, "period_rel") * length;
        truth_near(w.x, want[0], near, "omega[%d].x", k);
        truth_near(w.y, want[1], near, "omega[%d].y", k);
        truth_near(w.z, want[2], near, "omega[%d].z", k);
        for (int i = 0; i < ticks && k + 1 < count; i++) {
            scene_tick(world);
            view = scene_view(world, nut);
            double now = component(spin_in_body(&view), middle), part = before / (before - now);
            if (before * now < 0.0) { /* a zero at each half period, a quarter from the start */
                double zero = cn_world_time(world) - (1.0 - part) / scene.def.tick_rate;
                period = turned == 0 ? zero : 2.0 * (zero - period);
                turned++;
            }
            before = now;
            truth_near(cn_world_energy(world).kinetic, energy,
                truth_member_number(tolerance, "E_rel") * energy, "KE at %g s",
                cn_world_time(world));
            truth_near(cn_vec3_length(cn_vec3_sub(momentum(&view), L0)), 0.0,
                truth_member_number(tolerance, "L_rel") * length, "L at %g s",
                cn_world_time(world));
        }
    }
    assert_int_equal(turned, 2);
    double expected = truth_member_number(expect, "period");
    truth_near(period, expected, truth_member_number(tolerance, "period_rel") * expected, "period");
    cn_world_destroy(world);
}

/* The axis of symmetry goes round L in space, and the spin goes round the axis in the body. */
void
truth_run_free_precession(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double I1 = truth_member_number(given, "I1"), I3 = truth_member_number(given, "I3");
    scene_init_space(&scene, 0.0);
    int top = scene_rotor(&scene, I1, I1, I3);
    scene.body[top].angular_velocity =
        cn_vec3_make(truth_member_number(given, "w_perp"), 0.0, truth_member_number(given, "w3"));
    struct cn_world *world = scene_create(&scene);
    const cn_vec3 axis = {0.0, 0.0, 1.0};
    double in_body = 0.0, in_space = 0.0;
    struct cn_body_view before = scene_view(world, top);
    cn_vec3 L = momentum(&before);
    for (int i = 0; i < 120; i++) {
        scene_tick(world);
        struct cn_body_view now = scene_view(world, top);
        cn_mat33 turn_before = cn_quat_to_mat33(before.orientation);
        cn_mat33 turn_now = cn_quat_to_mat33(now.orientation);
        in_space += angle_about(L, turn_before.cz, turn_now.cz);
        in_body += angle_about(axis, spin_in_body(&before), spin_in_body(&now));
        before = now;
    }
    truth_expect(data, "Omega_body", in_body / cn_world_time(world));
    truth_expect(data, "Omega_space", in_space / cn_world_time(world));
    cn_world_destroy(world);
}

/* ---- the heavy top: e3 is the body's z axis, y the vertical, the tip stands at the origin ---- */

static int top;

/* The angle of e3 from the vertical [rad]. */
static double
nutation(const struct cn_world *world)
{
    struct cn_body_view view = scene_view(world, top);
    return acos(cn_quat_to_mat33(view.orientation).cz.y);
}

/* Starts at the angle theta, precessing at Omega with the spin w3 about e3. */
static struct cn_world *
make_top(const json_t *given, double theta, double Omega, double w3)
{
    double m = truth_member_number(given, "m"), l = truth_member_number(given, "l");
    double I1 = truth_member_number(given, "I1_about_tip") - m * l * l;
    scene_init_space(&scene, truth_member_number(given, "g"));
    scene.def.tick_rate = 1000.0;
    top = scene_rotor(&scene, I1, I1, truth_member_number(given, "I3"));
    struct cn_body_def *body = &scene.body[top];
    body->mass = m;
    double half = 0.5 * (0.5 * CN_PI - theta); /* z towards y, about -x */
    body->orientation = (cn_quat){cos(half), -sin(half), 0.0, 0.0};
    cn_vec3 e3 = cn_quat_to_mat33(body->orientation).cz, vertical = {0.0, 1.0, 0.0};
    body->angular_velocity = cn_vec3_add_scaled(
        cn_vec3_scale(vertical, Omega), w3 - Omega * cos(theta), e3);
    body->position = cn_vec3_scale(e3, l);
    body->velocity = cn_vec3_cross(body->angular_velocity, body->position);
    scene_joint(&scene, CN_JOINT_BALL, -1, top, cn_vec3_make(0.0, 0.0, 0.0));
    return scene_create(&scene);
}

/* Two seconds of steady precession: the angle stays, and the rate is the expected one. */
static void
precess(const json_t *data, const char *name)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double theta = truth_member_number(given, "theta_deg") * CN_PI / 180.0;
    double Omega = truth_member_number(expect, name), turned = 0.0, worst = 0.0;
    struct cn_world *world = make_top(given, theta, Omega, truth_member_number(given, "w3"));
    double start = cn_world_energy(world).total;
    const cn_vec3 vertical = {0.0, 1.0, 0.0};
    cn_vec3 before = cn_quat_to_mat33(scene_view(world, top).orientation).cz;
    while (cn_world_time(world) < 2.0) {
        scene_tick(world);
        cn_vec3 now = cn_quat_to_mat33(scene_view(world, top).orientation).cz;
        turned += angle_about(vertical, before, now);
        before = now;
        worst = fmax(worst, fabs(nutation(world) - theta));
    }
    truth_expect(data, name, turned / cn_world_time(world));
    truth_near(worst * 180.0 / CN_PI, 0.0, truth_member_number(expect, "theta_dev_deg_max"),
        "nutation at %s", name);
    truth_near(cn_world_energy(world).total, start, 1e-6 * start, "energy at %s", name);
    cn_world_destroy(world);
}

/*
 * The largest lean of a top that starts upright except for 1e-4 rad [rad].  A top that spins 5 %
 * below the threshold multiplies its lean by exp(12) in that time.
 */
static double
lean_of_sleeper(const json_t *given, double w3)
{
    struct cn_world *world = make_top(given, 1e-4, 0.0, w3);
    double worst = 0.0, mgl = truth_member_number(given, "m") * truth_member_number(given, "g") *
                             truth_member_number(given, "l");
    double rate = sqrt(mgl / truth_member_number(given, "I1_about_tip") * (1.0 - 0.95 * 0.95));
    while (cn_world_time(world) < 12.0 / rate) {
        scene_tick(world);
        worst = fmax(worst, nutation(world));
    }
    cn_world_destroy(world);
    return worst;
}

void
truth_run_top(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    precess(data, "Omega_slow");
    precess(data, "Omega_fast");
    double threshold = truth_member_number(expect, "sleeping_threshold_w3");
    assert_true(lean_of_sleeper(given, 1.05 * threshold) < 1e-2);
    assert_true(lean_of_sleeper(given, 0.95 * threshold) > 1e-1);
}
