/*
 * run_propagation.c: worlds by the stepper `propagation` with the solver guendelman03.
 */
#include "engine/math/scalar.h"
#include "engine/math/trig.h"
#include "tests/support/world/scene.h"
#include "tests/truth/check.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define SAMPLES_MAX 16
#define DT (1.0 / 60.0) /* for cases without a step */

static struct scene scene;
static double dt;       /* of the case that runs [s] */

static void
set_dt(const json_t *given)
{
    dt = truth_has(given, "dt") ? truth_member_number(given, "dt") : DT;
    scene.def.tick_rate = 1.0 / dt;
}

static void
begin(double g, bool space)
{
    if (space) {
        scene_init_space(&scene, g);
    } else {
        scene_init(&scene, g);
    }
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "propagation");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "guendelman03");
}

/* Steps of a sixtieth of a second, or shorter ones, so that a duration has at least 200 steps. */
static void
set_steps(double duration)
{
    dt = fmin(DT, duration / 200.0);
    scene.def.tick_rate = 1.0 / dt;
}

/* A unit block on an incline: the floor is level, and gravity is not. */
static struct cn_world *
inclined(const json_t *given, double e, bool space, int *block)
{
    double sine, cosine, g = truth_member_number(given, "g");
    cn_sin_cos(truth_member_number(given, "theta_deg") * CN_PI / 180.0, &sine, &cosine);
    begin(g, space);
    set_dt(given);
    scene.def.settings.gravity = cn_vec3_make(g * sine, -g * cosine, 0.0);
    scene.material[0].restitution = e;
    scene_friction(&scene, 0, truth_member_number(given, "mu"));
    scene_floor(&scene);
    *block = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
    scene.shape[*block].box.size.z = 1.0;
    if (truth_has(given, "v0")) {
        scene.body[*block].velocity.x = truth_member_number(given, "v0");
    }
    return scene_create(&scene);
}

static double
tilt_of(const struct cn_world *world, int body)
{
    struct cn_body_view view = scene_view(world, body);
    const cn_quat *q = &view.orientation;
    return 2.0 * sqrt(q->x * q->x + q->y * q->y + q->z * q->z);
}

static void
accelerates(const json_t *data, double e, bool space)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double t[SAMPLES_MAX], x[SAMPLES_MAX], v[SAMPLES_MAX], a = truth_member_number(expect, "a");
    double v0 = truth_member_number(given, "v0");
    int count = truth_member_numbers(expect, "t", t, SAMPLES_MAX), block;
    assert_int_equal(truth_member_numbers(expect, "x", x, SAMPLES_MAX), count);
    assert_int_equal(truth_member_numbers(expect, "v", v, SAMPLES_MAX), count);
    struct cn_world *world = inclined(given, e, space, &block);
    for (int i = 0; i < count; i++) {
        int n = (int)floor(t[i] / dt + 0.5);
        scene_ticks(world, n - (int)cn_world_tick(world));
        struct cn_body_view view = scene_view(world, block);
        double discrete = n * dt * v0 + 0.5 * a * dt * dt * n * (n + 1);
        double bound = truth_member_number(truth_member(data, "tol"), "x_minus_discrete_abs");
        truth_near(view.position.x, discrete, bound, "x[%d], the scheme's own law", i);
        truth_near(view.position.x, x[i], 0.5 * fabs(a) * dt * t[i] * 1.02 + 1e-9, "x[%d]", i);
        truth_near(view.velocity.x, v[i], 1e-6, "v[%d]", i);
        truth_near(view.position.y, 0.5, 1e-6, "height");
        assert_true(tilt_of(world, block) < 1e-6);
    }
    cn_world_destroy(world);
}

static void
decelerates(const json_t *data, double e, bool space)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double a = truth_member_number(expect, "a"), t_stop = truth_member_number(expect, "t_stop");
    int block, ticks = 0;
    struct cn_world *world = inclined(given, e, space, &block);
    while (scene_view(world, block).velocity.x > 1e-9) {
        scene_tick(world);
        assert_true(++ticks < 2.0 * t_stop / dt + 10.0);
    }
    struct cn_body_view stopped = scene_view(world, block);
    truth_near(ticks * dt, t_stop, 2.0 * dt, "t_stop");
    truth_near(stopped.position.x, truth_member_number(expect, "x_stop"),
        fabs(a) * dt * t_stop + fabs(a) * dt * dt, "x_stop");
    scene_ticks(world, (int)(10.0 / dt + 0.5));
    truth_near(scene_view(world, block).position.x, stopped.position.x,
        truth_member_number(truth_member(data, "tol"), "drift_abs"), "drift in 10 s");
    cn_world_destroy(world);
}

void
truth_run_incline_figure(const json_t *data)
{
    bool stops = truth_has(truth_member(data, "expect"), "x_stop");
    for (int e = 0; e < 2; e++) {
        for (int space = 0; space < 2; space++) {
            (stops ? decelerates : accelerates)(data, e, space);
        }
    }
}

/*
 * The control of the paper in the usual order: both updates first, then the collision.  No stepper
 * of the engine has it.  So this is the test's own, and shows only that the case could fail.  x is
 * the height, or the way along the normal.
 */
static double
usual_order(double g, int steps)
{
    double x = 0.0, v = 0.0;
    for (int i = 0; i < steps; i++) {
        v -= g * dt;
        x += dt * v;
        v = x < 0.0 && v < 0.0 ? -v : v;
    }
    return x;
}

void
truth_run_rest(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    for (int space = 0; space < 2; space++) {
        int block;
        struct cn_world *world = inclined(given, truth_member_number(given, "e"), space, &block);
        scene_ticks(world, (int)truth_member_number(given, "steps"));
        struct cn_body_view view = scene_view(world, block);
        double moved = hypot(view.position.x, view.position.y - 0.5);
        truth_near(moved, truth_member_number(expect, "displacement"),
            truth_tolerance(data, 1.0), "displacement");
        truth_near(tilt_of(world, block), truth_member_number(expect, "rotation"),
            truth_tolerance(data, 1.0), "rotation");
        cn_world_destroy(world);
    }
    double cosine, sine;
    cn_sin_cos(truth_member_number(given, "theta_deg") * CN_PI / 180.0, &sine, &cosine);
    assert_true(fabs(usual_order(truth_member_number(given, "g") * cosine, 60)) >
                truth_member_number(expect, "control_displacement_min"));
}

void
truth_run_naive_control(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    int steps = (int)truth_member_number(given, "steps");
    double g = truth_member_number(given, "g");
    begin(g, false);
    set_dt(given);
    truth_expect(data, "x_after_1s", usual_order(g, steps));
    scene.material[0].restitution = 1.0;
    scene_floor(&scene);
    int ball = scene_circle(&scene, 0.0, 0.5, 0.5);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, steps);
    truth_expect(data, "new_sequencing_x", scene_view(world, ball).position.y - 0.5);
    cn_world_destroy(world);
}

/* ---- stacks ---- */

static struct cn_world *
cube_stack(int n, int shock_passes, double e, bool literal)
{
    begin(9.81, true);
    scene.def.settings.propagation.literal = literal;
    scene.def.settings.propagation.shock_passes = shock_passes;
    scene.material[0].restitution = e;
    scene_friction(&scene, 0, 0.5);
    scene_floor(&scene);
    for (int i = 0; i < n; i++) {
        int cube = scene_box(&scene, 0.0, 0.5 + i, 1.0, 1.0);
        scene.shape[cube].box.size.z = 1.0;
    }
    return scene_create(&scene);
}

/* How far the highest of n cubes has come down. */
static double
sinking(const struct cn_world *world, int n)
{
    return n - 0.5 - scene_view(world, n).position.y;
}

void
truth_run_stack_rest(const json_t *data)
{
    const json_t *expect = truth_member(data, "expect");
    int n = (int)truth_member_number(truth_member(data, "given"), "n");
    struct cn_world *world = cube_stack(n, 1, 0.5, false);
    double deepest = 0.0;
    for (int t = 0; t < 600; t++) {
        scene_tick(world);
        deepest = fmax(deepest, scene_depth(world));
        for (int i = 1; i <= n; i++) {
            struct cn_body_view view = scene_view(world, i);
            double drift = cn_vec3_length(
                cn_vec3_sub(view.position, cn_vec3_make(0.0, i - 0.5, 0.0)));
            assert_true(drift <= truth_member_number(expect, "max_drift"));
        }
    }
    assert_true(deepest <= truth_member_number(expect, "max_penetration"));
    assert_true(cn_world_energy(world).kinetic / scene_view(world, 1).mass <=
                n * truth_member_number(expect, "KE_final_per_mass"));
    double held = fabs(sinking(world, n));
    cn_world_destroy(world);
    world = cube_stack(n, 0, 0.5, true);
    scene_ticks(world, 60);
    assert_true(sinking(world, n) > 3.0 * held && sinking(world, n) > 1e-3);
    cn_world_destroy(world);
}

/* ---- the see-saw ---- */

/* omega / dt of the plank after the first step. */
static double
tip(const json_t *given, double mu, int contact_iterations)
{
    double L = truth_member_number(given, "plank_L"), t = truth_member_number(given, "plank_t");
    double s = truth_member_number(given, "cube_side"), x[2], m[2];
    truth_member_numbers(given, "block_x", x, 2);
    truth_member_numbers(given, "block_m", m, 2);
    begin(truth_member_number(given, "g"), false);
    scene_friction(&scene, 0, mu);
    scene.def.settings.propagation.contact_iterations = contact_iterations;
    int plank = scene_box(&scene, 0.0, 0.0, L, t);
    scene.body[plank].mass = truth_member_number(given, "plank_m");
    for (int i = 0; i < 2; i++) {
        int block = scene_box(&scene, x[i], 0.5 * (t + s), s, s);
        scene.body[block].mass = m[i];
    }
    scene_joint(&scene, CN_JOINT_HINGE, -1, plank, cn_vec3_make(0.0, 0.0, 0.0));
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    double omega = scene_view(world, plank).angular_velocity.z;
    cn_world_destroy(world);
    return omega / DT;
}

void
truth_run_seesaw_tips(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    bool sticks = json_is_string(truth_member(given, "friction"));
    double mu = sticks ? 10.0 : truth_member_number(given, "friction");
    double alpha = truth_member_number(expect, "alpha"), got = tip(given, mu, 10);
    truth_near(got / alpha, 0.8, 0.3, "part of alpha after a step");
    assert_true(fabs(tip(given, mu, 0)) <= truth_member_number(expect, "shock_only_alpha_upper"));
}

/* ---- balls ---- */

void
truth_run_billiard(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    int n = (int)truth_member_number(given, "n"), ball[SAMPLES_MAX];
    double R = truth_member_number(given, "R"), v0 = truth_member_number(given, "v0");
    double mu = truth_member_number(given, "mu"), g = truth_member_number(given, "g");
    double v[SAMPLES_MAX];
    assert_int_equal(truth_member_numbers(expect, "v_after_impact", v, SAMPLES_MAX), n);
    for (uint64_t seed = 0; seed < 4; seed++) { /* whatever the order is */
        begin(g, true);
        scene.def.seed = seed;
        scene.material[0].restitution = 1.0;
        for (int i = 0; i < n; i++) {
            ball[i] = scene_circle(&scene, 2.0 * R * i, R, R);
            scene.shape[ball[i]].kind = CN_SHAPE_SPHERE;
            scene.body[ball[i]].mass = 0.17;
        }
        scene.body[ball[0]].velocity.x = v0;
        scene.def.tick_rate = 240.0;
        struct cn_world *world = scene_create(&scene);
        scene_tick(world); /* without the table, the line just falls */
        for (int i = 0; i < n; i++) {
            double got = scene_view(world, ball[i]).velocity.x;
            truth_near(got, v[i], truth_tolerance(data, v0), "v[%d]", i);
        }
        cn_world_destroy(world);
    }
    begin(g, true); /* the last ball on the table: slides, then rolls */
    scene_friction(&scene, 0, mu);
    scene_floor(&scene);
    ball[0] = scene_circle(&scene, 0.0, R, R);
    scene.shape[ball[0]].kind = CN_SHAPE_SPHERE;
    scene.body[ball[0]].velocity.x = v[n - 1];
    scene.def.tick_rate = 1000.0;
    struct cn_world *world = scene_create(&scene);
    int ticks = 0;
    for (bool rolls = false; !rolls; ticks++) {
        scene_tick(world);
        struct cn_body_view view = scene_view(world, ball[0]);
        rolls = fabs(view.velocity.x + R * view.angular_velocity.z) < 1e-6;
        assert_true(ticks < 4000.0 * truth_member_number(expect, "t_roll") + 10.0);
    }
    struct cn_body_view view = scene_view(world, ball[0]);
    truth_expect(data, "last_ball_final_roll_speed", view.velocity.x);
    truth_expect(data, "t_roll", ticks / 1000.0);
    truth_expect(data, "d_slide", view.position.x);
    cn_world_destroy(world);
}

/* States a sphere on the ground; the coefficients are the paper's, in 1/(kg m). */
static int
sphere_on_ground(const json_t *given, double mu_r, double mu_s, bool literal)
{
    double m = truth_member_number(given, "m"), R = truth_member_number(given, "R");
    begin(truth_member_number(given, "g"), true);
    scene.def.settings.propagation.literal = literal;
    scene_friction(&scene, 0, 1.0);
    double I = 0.4 * m * R * R;
    scene.material[0].rolling_friction = literal ? mu_r : mu_r * (I + m * R * R);
    scene.material[0].spinning_friction = literal ? mu_s : mu_s * I;
    scene_floor(&scene);
    int ball = scene_circle(&scene, 0.0, R, R);
    scene.shape[ball].kind = CN_SHAPE_SPHERE;
    scene.body[ball].mass = m;
    return ball;
}

void
truth_run_rolling(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double v0 = truth_member_number(given, "v0"), R = truth_member_number(given, "R");
    double slope = truth_member_number(expect, "domega_dt");
    double t_stop = truth_member_number(expect, "t_stop");
    for (int literal = 0; literal < 2; literal++) {
        int ball = sphere_on_ground(given, truth_member_number(given, "mu_r"), 0.0, literal);
        set_steps(t_stop);
        int ticks = 0;
        scene.body[ball].velocity.x = v0;
        scene.body[ball].angular_velocity.z = -v0 / R;
        struct cn_world *world = scene_create(&scene);
        while (scene_view(world, ball).velocity.x > 1e-9 && ticks * dt < 2.0 * t_stop) {
            scene_tick(world);
            ticks++;
            struct cn_body_view view = scene_view(world, ball);
            double omega = -v0 / R - slope * ticks * dt; /* it turns about -z */
            omega = omega > 0.0 ? 0.0 : omega;
            truth_near(view.angular_velocity.z, omega, truth_tolerance(data, v0 / R),
                "omega at %d", ticks);
            truth_near(view.velocity.x, -R * view.angular_velocity.z, 1e-9, "v / (omega R)");
        }
        truth_near(ticks * dt, t_stop, truth_tolerance(data, t_stop), "t_stop");
        truth_expect(data, "x_stop", scene_view(world, ball).position.x);
        scene_ticks(world, 60);
        assert_true(fabs(scene_view(world, ball).velocity.x) < 1e-9); /* it does not turn back */
        cn_world_destroy(world);
    }
}

void
truth_run_spinning(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double w0 = truth_member_number(given, "w0");
    double slope = truth_member_number(expect, "domega_dt");
    double t_stop = truth_member_number(expect, "t_stop");
    for (int literal = 0; literal < 2; literal++) {
        int ball = sphere_on_ground(given, 0.0, truth_member_number(given, "mu_s"), literal);
        set_steps(t_stop);
        int ticks = 0;
        scene.body[ball].angular_velocity.y = w0;
        struct cn_world *world = scene_create(&scene);
        while (scene_view(world, ball).angular_velocity.y > 1e-9 && ticks * dt < 2.0 * t_stop) {
            scene_tick(world);
            ticks++;
            double omega = fmax(w0 + slope * ticks * dt, 0.0);
            struct cn_body_view view = scene_view(world, ball);
            truth_near(view.angular_velocity.y, omega, truth_tolerance(data, w0),
                "omega at %d", ticks);
            truth_near(hypot(view.position.x, view.position.z),
                truth_member_number(expect, "translation"), 1e-9, "translation");
        }
        truth_near(ticks * dt, t_stop, truth_tolerance(data, t_stop), "t_stop");
        cn_world_destroy(world);
    }
}
