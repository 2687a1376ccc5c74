/*
 * run_position.c: Rote's loop on positions: its rules on frameworks of points as the paper states
 * them, and the stepper `position` in worlds.
 */
#include "engine/math/scalar.h"
#include "tests/support/scene.h"
#include "tests/truth/check.h"
#include "tests/truth/points.h"
#include "tests/truth/table.h"
#include "tests/truth/tower.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct points points;
static struct scene scene;
static struct tower tower;

static cn_vec2
pair_at(const json_t *array, int i)
{
    double xy[2];
    assert_int_equal(truth_numbers(json_array_get(array, (size_t)i), xy, 2), 2);
    return cn_vec2_make(xy[0], xy[1]);
}

static void
pair_near(const json_t *data, const char *key, int i, cn_vec2 actual)
{
    cn_vec2 expected = pair_at(truth_member(truth_member(data, "expect"), key), i);
    truth_near(actual.x, expected.x, truth_tolerance(data, 1.0), "%s[%d].x", key, i);
    truth_near(actual.y, expected.y, truth_tolerance(data, 1.0), "%s[%d].y", key, i);
}

/* Theorem 5.1: the loops on accelerations and on positions give the same next positions. */
void
truth_run_equiv(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *bars = truth_member(given, "bars");
    double gravity[2], masses[POINTS_MAX], dt = truth_member_number(given, "dt");
    truth_member_numbers(given, "g", gravity, 2);
    points_init(&points, cn_vec2_make(gravity[0], gravity[1]));
    int count = truth_member_numbers(given, "masses", masses, POINTS_MAX);
    for (int i = 0; i < count; i++) {
        points_add(&points, masses[i], pair_at(truth_member(given, "points"), i));
        points.v[i] = pair_at(truth_member(given, "v"), i);
    }
    for (size_t r = 0; r < json_array_size(bars); r++) {
        cn_vec2 ends = pair_at(bars, (int)r);
        points_bar(&points, (int)ends.x, (int)ends.y);
    }
    const json_t *contact = truth_member(given, "contact");
    points_side(&points, (int)truth_member_number(contact, "i"),
        (int)truth_member_number(contact, "j"), (int)truth_member_number(contact, "k"), true);
    points_accelerate(&points);
    for (int i = 0; i < count; i++) {
        pair_near(data, "acc", i, points.a[i]);
    }
    points_step(&points, dt, POINTS_LENGTH_PRIME);
    for (int i = 0; i < count; i++) {
        pair_near(data, "p_next", i, points.p[i]);
    }
}

static void
position_scene(double gravity, double dt)
{
    scene_init(&scene, gravity);
    scene.def.tick_rate = 1.0 / dt;
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "position");
}

/* A point: a body without a shape. */
static int
mass_at(double x, double y, double mass)
{
    int body = scene.def.body_count++;
    cn_body_def_init(&scene.body[body]);
    scene.body[body].position = cn_vec3_make(x, y, 0.0);
    scene.body[body].mass = mass;
    scene.body[body].inertia = 1.0;
    return body;
}

static struct cn_joint_def bar;

static void
join(int body_a, int body_b, cn_vec3 anchor_a, cn_vec3 anchor_b)
{
    cn_joint_def_init(&bar, CN_JOINT_DISTANCE);
    bar.body_a = body_a;
    bar.body_b = body_b;
    bar.anchor_a = anchor_a;
    bar.anchor_b = anchor_b;
    scene.def.joints = &bar;
    scene.def.joint_count = 1;
}

/* The stepper's bar, by (L''): spinning freely, it is as long as the angle of a tick makes it. */
static double
length_of_spinning_bar(double omega, double dt, int ticks, double length)
{
    position_scene(0.0, dt);
    int a = mass_at(0.0, 0.0, 1.0), b = mass_at(length, 0.0, 1.0);
    scene.body[a].velocity.y = -0.5 * omega * length;
    scene.body[b].velocity.y = 0.5 * omega * length;
    join(a, b, scene.body[a].position, scene.body[b].position);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, ticks);
    cn_vec3 d = cn_vec3_sub(scene_view(world, b).position, scene_view(world, a).position);
    cn_world_destroy(world);
    return cn_vec3_length(d);
}

void
truth_run_drift(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double omega = truth_member_number(given, "omega0"), dt = truth_member_number(given, "dt");
    double length = truth_member_number(given, "L0");
    int ticks = (int)(truth_member_number(given, "T") / dt + 0.5);
    for (int rule = 0; rule < 2; rule++) {
        points_init(&points, cn_vec2_make(0.0, 0.0));
        points_add(&points, 1.0, cn_vec2_make(0.0, 0.0));
        points_add(&points, 1.0, cn_vec2_make(length, 0.0));
        points_bar(&points, 0, 1);
        points.v[0].y = -0.5 * omega * length;
        points.v[1].y = 0.5 * omega * length;
        for (int t = 0; t < ticks; t++) {
            points_step(&points, dt, rule == 0 ? POINTS_LENGTH_PRIME : POINTS_LENGTH_SECOND);
        }
        double end = cn_vec2_length(cn_vec2_sub(points.p[1], points.p[0]));
        truth_expect(data, rule == 0 ? "L_Lprime" : "L_Lsecond", end);
    }
    truth_expect(data, "L_Lsecond", length_of_spinning_bar(omega, dt, ticks, length));
}

/* Theorem 7.1: the deviation from (Q*) is of first order where the old motion turns the bars. */
void
truth_run_loop_impact(const json_t *data)
{
    truth_run_qstar(data);
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double dts[8], deviations[8];
    int count = truth_member_numbers(given, "dts", dts, 8);
    assert_int_equal(truth_member_numbers(expect, "max_dev_per_dt", deviations, 8), count);
    for (int c = 0; c < count; c++) {
        points_init(&points, cn_vec2_make(0.0, 0.0));
        for (int i = 0; i < 4; i++) {
            points_add(&points, 1.0, pair_at(truth_member(given, "points"), i));
            points.v[i] = pair_at(truth_member(given, "v_old"), i);
        }
        int left = points_add(&points, HUGE_VAL, cn_vec2_make(-9.0, 0.0));
        int right = points_add(&points, HUGE_VAL, cn_vec2_make(9.0, 0.0));
        for (int i = 0; i < 4; i++) {
            points_bar(&points, i, (i + 1) % 4);
        }
        points_bar(&points, 0, 2);
        points_side(&points, left, right, (int)truth_member_number(given, "low_vertex"), false);
        points_step(&points, dts[c], POINTS_LENGTH_PRIME);
        double deviation = 0.0;
        for (int i = 0; i < 4; i++) {
            cn_vec2 expected = pair_at(truth_member(expect, "v_Qstar"), i);
            deviation = fmax(deviation, fabs(points.v[i].x - expected.x));
            deviation = fmax(deviation, fabs(points.v[i].y - expected.y));
        }
        double tolerance = truth_tolerance(data, 1.0) * fmax(1.0, deviations[c]);
        truth_near(deviation, deviations[c], tolerance, "deviation at dt %g", dts[c]);
    }
}

/* Mass properties of equal or given point masses on a w x h rectangle. */
static double
inertia_of(const double *x, const double *y, const double *mass, int count, double *total)
{
    struct cn_mass_properties parts[9] = {{0}};
    for (int i = 0; i < count; i++) {
        parts[i].mass = mass[i];
        parts[i].center = cn_vec3_make(x[i], y[i], 0.0);
    }
    struct cn_mass_properties sum = cn_mass_properties_sum(parts, count);
    assert_true(cn_vec3_length(sum.center) <= 1e-15);
    *total = sum.mass;
    return sum.inertia.cz.z;
}

static double
inertia_of_box(double width, double height, double mass)
{
    struct cn_body_def body;
    cn_body_def_init(&body);
    struct cn_shape_def box = {.kind = CN_SHAPE_BOX};
    box.box.size = cn_vec3_make(width, height, 1.0);
    body.shapes = &box;
    body.shape_count = 1;
    body.mass = mass;
    return cn_body_def_weigh(&body, CN_PLANAR).inertia.cz.z;
}

/* Nine masses on a grid stand for a homogeneous rectangle, by the weights of Simpson's rule. */
void
truth_run_ninemass(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double a = truth_member_number(given, "a"), b = truth_member_number(given, "b");
    double m = truth_member_number(given, "m"), x[9], y[9], mass[9], total;
    const double simpson[3] = {1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0};
    double xx = 0.0, yy = 0.0, xy = 0.0;
    for (int i = 0; i < 9; i++) {
        x[i] = 0.5 * a * (i % 3 - 1);
        y[i] = 0.5 * b * (i / 3 - 1);
        mass[i] = m * simpson[i % 3] * simpson[i / 3];
        xx += mass[i] * x[i] * x[i];
        yy += mass[i] * y[i] * y[i];
        xy += mass[i] * x[i] * y[i];
    }
    truth_expect(data, "corner", mass[0]);
    truth_expect(data, "edge_mid", mass[1]);
    truth_expect(data, "centre", mass[4]);
    truth_expect(data, "I", inertia_of(x, y, mass, 9, &total));
    truth_expect(data, "I", inertia_of_box(a, b, m));
    const json_t *moments = truth_member(expect, "moments");
    truth_near(total, truth_member_number(moments, "1"), 1e-14, "mass");
    truth_near(xx, truth_member_number(moments, "x2"), 1e-14, "x2");
    truth_near(yy, truth_member_number(moments, "y2"), 1e-14, "y2");
    truth_near(xy, truth_member_number(moments, "xy"), 1e-14, "xy");
}

void
truth_run_fourmass(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double w = truth_member_number(given, "w"), h = truth_member_number(given, "h");
    double m = truth_member_number(given, "m"), x[4], y[4], mass[4], total;
    for (int i = 0; i < 4; i++) {
        x[i] = i % 2 == 0 ? -0.5 * w : 0.5 * w;
        y[i] = i / 2 == 0 ? -0.5 * h : 0.5 * h;
        mass[i] = 0.25 * m;
    }
    truth_expect(data, "I", inertia_of(x, y, mass, 4, &total));
    truth_expect(data, "I_homog", inertia_of_box(w, h, m));
}

/* The angle that a pendulum has at T, from dangling [rad]. */
static double
pendulum_angle(const json_t *given, double dt)
{
    double length = truth_member_number(given, "L"), theta = truth_member_number(given, "theta0");
    position_scene(truth_member_number(given, "g"), dt);
    int ball = mass_at(length * sin(theta), -length * cos(theta), 1.0);
    join(-1, ball, cn_vec3_make(0.0, 0.0, 0.0), scene.body[ball].position);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, (int)(truth_member_number(given, "T") / dt + 0.5));
    cn_vec3 p = scene_view(world, ball).position;
    cn_world_destroy(world);
    return atan2(p.x, -p.y);
}

void
truth_run_pendulum_order(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double dts[8], errors[8], ratio[2];
    int count = truth_member_numbers(given, "dts", dts, 8);
    truth_member_numbers(expect, "error_ratio_per_halving", ratio, 2);
    for (int c = 0; c < count; c++) {
        errors[c] = fabs(pendulum_angle(given, dts[c]) - truth_member_number(expect, "theta_T"));
        if (c > 0) {
            double halved = errors[c - 1] / errors[c];
            truth_near(halved, 0.5 * (ratio[0] + ratio[1]), 0.5 * (ratio[1] - ratio[0]),
                "ratio of errors at dt %g", dts[c]);
        }
    }
}

/* From rest, n ticks of the loop move what accelerates at a by a dt^2 n (n + 1) / 2. */
static void
check_short_time(double tolerance)
{
    double dt = 0.002;
    int ticks = 10;
    static struct tower_motion exact;
    double gap = 16.0 * tower_gap_tolerance(&tower), size = 0.0;
    tower_solve_world(&tower, gap, &exact);
    struct cn_world *world = tower_world_stepped(&tower, gap, "position", 1.0 / dt);
    double start[TOWER_BRICKS_MAX][3];
    for (int i = 0; i < tower.count; i++) {
        struct cn_body_view view = scene_view(world, i);
        start[i][0] = view.position.x;
        start[i][1] = view.position.y;
        start[i][2] = view.angle;
        for (int k = 0; k < 3; k++) {
            size = fmax(size, fabs(exact.a[i][k]));
        }
    }
    scene_ticks(world, ticks);
    double factor = 0.5 * dt * dt * ticks * (ticks + 1);
    for (int i = 0; i < tower.count; i++) {
        struct cn_body_view view = scene_view(world, i);
        double moved[3] = {view.position.x - start[i][0], view.position.y - start[i][1],
            view.angle - start[i][2]};
        for (int k = 0; k < 3; k++) {
            truth_near(moved[k] / factor, exact.a[i][k], tolerance * size, "brick %d", i);
        }
    }
    cn_world_destroy(world);
}

void
truth_run_shorttime(const json_t *data)
{
    const json_t *expect = truth_member(data, "expect");
    assert_string_equal(
        truth_string(truth_member(data, "given"), "tower"), "T-dia5, T-tri3");
    tower_triangle(&tower, 3, 1.0, 0.25);
    check_short_time(truth_member_number(expect, "rel"));
    tower_diamond(&tower, 5, 1.0, 0.25);
    check_short_time(truth_member_number(expect, "rel"));
}

/* A collapse by the loop: energy rises by 5 m g^2 dt^2 a tick at most, and all ends flat. */
void
truth_run_collapse_loop(const json_t *data)
{
    truth_run_collapse(data);
    double dt = 1.0 / 120.0;
    tower_triangle(&tower, 3, 1.0, 0.25);
    struct cn_world *world = tower_world_stepped(&tower, 0.0, "position", 1.0 / dt);
    double before = cn_world_energy(world).total;
    double rise_max = 5.0 * tower.mass * tower.gravity * tower.gravity * dt * dt;
    for (int t = 0; t < 2400; t++) {
        scene_tick(world);
        double now = cn_world_energy(world).total;
        truth_near(fmax(now - before, 0.0), 0.0, rise_max, "rise of energy, tick %d", t);
        before = now;
    }
    truth_near(scene_depth(world), 0.0, 1e-3, "penetration at the end");
    struct cn_body_view top = scene_view(world, tower.count - 1);
    assert_true(top.position.y < tower.y[tower.count - 1] - tower.height);
    cn_world_destroy(world);
}

/* Convex bricks never overlap by more than the largest speed times a tick. */
void
truth_run_sidedness(const json_t *data)
{
    (void)data;
    double dt = 1.0 / 60.0;
    tower_diamond(&tower, 5, 1.0, 0.25);
    struct cn_world *world = tower_world_stepped(&tower, 0.0, "position", 1.0 / dt);
    for (int t = 0; t < 900; t++) {
        scene_tick(world);
        double speed = 0.0;
        for (int i = 0; i < tower.count; i++) {
            struct cn_body_view view = scene_view(world, i);
            double reach = 0.5 * sqrt(tower.width * tower.width + tower.height * tower.height);
            speed = fmax(speed,
                cn_vec3_length(view.velocity) + reach * fabs(view.angular_velocity.z));
        }
        assert_true(scene_depth(world) <= speed * dt + cn_world_gap_tolerance(world));
    }
    cn_world_destroy(world);
}

/* ---- bricks as frameworks of nine points ---- */

static int first_point[TOWER_BRICKS_MAX];

static void
add_brick(int i)
{
    const double simpson[3] = {1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0};
    int first = points.count;
    first_point[i] = first;
    for (int k = 0; k < 9; k++) {
        double x = tower.x[i] + 0.5 * tower.width * (k % 3 - 1);
        double y = tower.y[i] + 0.5 * tower.height * (k / 3 - 1);
        points_add(&points, tower.mass * simpson[k % 3] * simpson[k / 3], cn_vec2_make(x, y));
    }
    for (int k = 0; k < 9; k++) {
        if (k % 3 < 2) {
            points_bar(&points, first + k, first + k + 1);
        }
        if (k / 3 < 2) {
            points_bar(&points, first + k, first + k + 3);
        }
        if (k % 3 < 2 && k / 3 < 2) {
            points_bar(&points, first + k, first + k + 4);
        }
    }
}

/* The contact at x of a brick on what is below: a corner of one on the other's edge. */
static void
add_contact(int upper, int lower, double x, int ground)
{
    int below_left = ground, below_right = ground + 1;
    if (lower >= 0) {
        below_left = first_point[lower] + 6;
        below_right = first_point[lower] + 8;
    }
    for (int corner = 0; corner <= 2; corner += 2) {
        int k = first_point[upper] + corner;
        if (fabs(points.p[k].x - x) < TOWER_COINCIDE) {
            points_side(&points, below_left, below_right, k, false);
            return;
        }
    }
    int k = fabs(points.p[below_left].x - x) < TOWER_COINCIDE ? below_left : below_right;
    points_side(&points, first_point[upper] + 2, first_point[upper], k, false);
}

static void
build_frameworks(void)
{
    points_init(&points, cn_vec2_make(0.0, -tower.gravity));
    for (int i = 0; i < tower.count; i++) {
        add_brick(i);
    }
    int ground = points_add(&points, HUGE_VAL, cn_vec2_make(-99.0, 0.0));
    points_add(&points, HUGE_VAL, cn_vec2_make(99.0, 0.0));
    for (int i = 0; i < tower.count; i++) {
        int row = tower_row(&tower, i);
        int first = row == 0 ? -1 : tower.row_begin[row - 1];
        int end = row == 0 ? 0 : tower.row_begin[row];
        for (int below = first; below < end; below++) {
            double left, right;
            if (!tower_overlap(&tower, i, below, &left, &right)) {
                continue;
            }
            add_contact(i, below, left, ground);
            if (right > left + TOWER_COINCIDE) {
                add_contact(i, below, right, ground);
            }
        }
    }
}

/*
 * The largest difference of the bricks' accelerations from the exact ones, in parts of the largest:
 * of the centre of mass and of the turn, as the points' momenta give them.
 */
static double
deviation_of(const struct tower_motion *exact)
{
    double deviation = 0.0, size = 0.0;
    points_accelerate(&points);
    for (int i = 0; i < tower.count; i++) {
        double is[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < 9; k++) {
            int point = first_point[i] + k;
            cn_vec2 a = points.a[point];
            cn_vec2 arm = cn_vec2_sub(points.p[point], points.p[first_point[i] + 4]);
            is[0] += points.mass[point] / tower.mass * a.x;
            is[1] += points.mass[point] / tower.mass * a.y;
            is[2] += points.mass[point] / tower.inertia * cn_vec2_cross(arm, a);
        }
        for (int k = 0; k < 3; k++) {
            deviation = fmax(deviation, fabs(is[k] - exact->a[i][k]));
            size = fmax(size, fabs(exact->a[i][k]));
        }
    }
    return deviation / size;
}

/*
 * Bars as a penalty: nearer to the exact constraint the larger it is, by the order of 1 / M where M
 * is large against the masses.  The case's limits are indicative; what they are depends on the
 * units of M and on whether bars are taken as unit vectors, which the paper does not do.
 */
void
truth_run_penalty_bars(const json_t *data)
{
    const json_t *expect = truth_member(data, "expect");
    static struct tower_motion exact;
    double penalty[8], before = HUGE_VAL;
    int count = truth_member_numbers(truth_member(data, "given"), "M", penalty, 8);
    assert_true(truth_has(expect, "rel_dev_max") && count >= 3);
    tower_diamond(&tower, 5, 1.0, 0.25);
    tower_solve_problem(&tower, false, &exact);
    build_frameworks();
    truth_near(deviation_of(&exact), 0.0, 1e-9, "bars that hold");
    for (int c = 0; c < count; c++) {
        points.penalty = penalty[c];
        double deviation = deviation_of(&exact);
        assert_true(deviation < before);
        before = deviation;
    }
    points.penalty *= 10.0;
    truth_near(deviation_of(&exact) / before, 0.1, 0.01, "ten times the penalty");
    points.penalty = 0.0;
    for (int t = 0; t < 50; t++) {
        points_step(&points, 0.01, POINTS_LENGTH_SECOND);
    }
    for (int r = 0; r < points.bar_count; r++) {
        const struct points_bar *b = &points.bar[r];
        double length = cn_vec2_length(cn_vec2_sub(points.p[b->i], points.p[b->j]));
        truth_near(length, b->length, 1e-3, "length of bar %d", r);
    }
}
