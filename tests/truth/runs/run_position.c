/*
 * run_position.c: Rote's bricks: as equivalent point masses, as towers with the stepper `position`,
 * and as frameworks of points with yielding bars.
 */
#include "engine/math/scalar.h"
#include "tests/support/world/scene.h"
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
static struct tower tower;

/* ---- point masses for a homogeneous rectangle ---- */

/* The integrals of 1, x^2, y^2, x y over a body in the plane z = 0, out of its mass properties. */
struct moments {
    double mass, xx, yy, xy;
};

static struct moments
moments_of(const struct cn_mass_properties *body)
{
    const cn_mat33 *I = &body->inertia;
    return (struct moments){body->mass, 0.5 * (I->cy.y + I->cz.z - I->cx.x),
        0.5 * (I->cx.x + I->cz.z - I->cy.y), -I->cx.y};
}

/* Of point masses; the engine adds them up. */
static struct moments
moments_of_points(const double *x, const double *y, const double *mass, int count)
{
    struct cn_mass_properties parts[9] = {{0}};
    for (int i = 0; i < count; i++) {
        parts[i].mass = mass[i];
        parts[i].center = cn_vec3_make(x[i], y[i], 0.0);
    }
    struct cn_mass_properties sum = cn_mass_properties_sum(parts, count);
    assert_true(cn_vec3_length(sum.center) <= 1e-15 * (fabs(x[0]) + fabs(y[0])));
    return moments_of(&sum);
}

/* Of the engine's box. */
static struct moments
moments_of_box(double width, double height, double mass)
{
    struct cn_body_def body;
    cn_body_def_init(&body);
    struct cn_shape_def box = {.kind = CN_SHAPE_BOX};
    box.box.size = cn_vec3_make(width, height, width);
    body.shapes = &box;
    body.shape_count = 1;
    body.mass = mass;
    struct cn_mass_properties spatial = cn_body_def_weigh(&body, CN_SPATIAL);
    struct cn_mass_properties planar = cn_body_def_weigh(&body, CN_PLANAR);
    struct moments moments = moments_of(&spatial);
    truth_near(planar.inertia.cz.z, moments.xx + moments.yy, 1e-14 * planar.inertia.cz.z,
        "moment of the box in the plane and in space");
    return moments;
}

/*
 * The weights of nine masses on a grid that the case gives are those of a homogeneous rectangle:
 * put together by the engine they have the moments of the engine's box, and the case's.
 */
void
truth_run_ninemass(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    const json_t *wanted = truth_member(expect, "moments");
    double a = truth_member_number(given, "a"), b = truth_member_number(given, "b");
    double m = truth_member_number(given, "m"), x[9], y[9], mass[9];
    for (int i = 0; i < 9; i++) {
        bool level = i % 3 == 1, upright = i / 3 == 1;
        x[i] = 0.5 * a * (i % 3 - 1);
        y[i] = 0.5 * b * (i / 3 - 1);
        mass[i] = truth_member_number(
            expect, level && upright ? "centre" : level || upright ? "edge_mid" : "corner");
    }
    const struct moments found[2] = {moments_of_points(x, y, mass, 9), moments_of_box(a, b, m)};
    for (int k = 0; k < 2; k++) {
        const char *of = k == 0 ? "points" : "box";
        double size = m * (a * a + b * b), zero = truth_tolerance(data, size);
        truth_near(found[k].mass, truth_member_number(wanted, "1"),
            truth_tolerance(data, m), "mass of the %s", of);
        truth_near(found[k].xx, truth_member_number(wanted, "x2"), zero, "x2 of the %s", of);
        truth_near(found[k].yy, truth_member_number(wanted, "y2"), zero, "y2 of the %s", of);
        truth_near(found[k].xy, truth_member_number(wanted, "xy"), zero, "xy of the %s", of);
        truth_expect(data, "I", found[k].xx + found[k].yy);
    }
}

void
truth_run_fourmass(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double w = truth_member_number(given, "w"), h = truth_member_number(given, "h");
    double m = truth_member_number(given, "m"), x[4], y[4], mass[4];
    for (int i = 0; i < 4; i++) {
        x[i] = i % 2 == 0 ? -0.5 * w : 0.5 * w;
        y[i] = i / 2 == 0 ? -0.5 * h : 0.5 * h;
        mass[i] = 0.25 * m;
    }
    struct moments points_of = moments_of_points(x, y, mass, 4), box = moments_of_box(w, h, m);
    truth_expect(data, "I", points_of.xx + points_of.yy);
    truth_expect(data, "I_homog", box.xx + box.yy);
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

/*
 * Adds the contact at x between a brick and its support: a corner of one on an edge of the other.
 */
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
            points_side(&points, below_left, below_right, k);
            return;
        }
    }
    int k = fabs(points.p[below_left].x - x) < TOWER_COINCIDE ? below_left : below_right;
    points_side(&points, first_point[upper] + 2, first_point[upper], k);
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
        points_step(&points, 0.01);
    }
    for (int r = 0; r < points.bar_count; r++) {
        const struct points_bar *b = &points.bar[r];
        double length = cn_vec2_length(cn_vec2_sub(points.p[b->i], points.p[b->j]));
        truth_near(length, b->length, 1e-3, "length of bar %d", r);
    }
}
