/*
 * run_statics.c: resting contact of a few bodies, as problems built from the case's own numbers.
 */
#include "tests/truth/check.h"
#include "tests/truth/problem.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define CONTACTS_MAX 64

static struct truth_problem problem;

static const struct {
    cn_vec3 x, y;
} axis = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};

/* Gap accelerations of the first `count` rows against an array of the case. */
static void
check_gaps(const json_t *data, const char *key)
{
    double expected[CONTACTS_MAX];
    const json_t *expect = truth_member(data, "expect");
    int count = truth_member_numbers(expect, key, expected, CONTACTS_MAX);
    for (int i = 0; i < count; i++) {
        truth_near(problem.a[i], expected[i], truth_tolerance(data, expected[i]), "%s[%d]", key, i);
    }
}

static void
check_forces(const json_t *data, const json_t *forces)
{
    double expected[CONTACTS_MAX];
    int count = truth_numbers(forces, expected, CONTACTS_MAX);
    for (int i = 0; i < count; i++) {
        truth_near(problem.f[i], expected[i], truth_tolerance(data, expected[i]), "f[%d]", i);
    }
}

/*
 * A body of unit mass and inertia under a wrench (force up, two moments), rows (1, u, v).  The
 * moments stand for the torques about two level axes, hence a row of the spatial problem.
 */
void
truth_run_single_body(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double wrench[3];
    assert_int_equal(truth_member_numbers(given, "wrench", wrench, 3), 3);
    truth_problem_init(&problem);
    int body = truth_problem_body(&problem, 1.0, 1.0, cn_vec3_make(0.0, 0.0, 0.0));
    problem.linear[body] = cn_vec3_make(0.0, wrench[0], 0.0);
    problem.angular[body] = cn_vec3_make(wrench[1], 0.0, wrench[2]);

    size_t index;
    json_t *entry;
    json_array_foreach(truth_member(given, "rows"), index, entry)
    {
        double arm[3];
        assert_int_equal(truth_numbers(entry, arm, 3), 3);
        struct cn_row row = {.body_a = -1,
            .body_b = body,
            .linear_b = {0.0, arm[0], 0.0},
            .angular_b = {arm[1], 0.0, arm[2]}};
        truth_problem_row(&problem, &row, CN_ROW_NORMAL);
    }
    double minus_b[CONTACTS_MAX], b[CONTACTS_MAX];
    int count = truth_member_numbers(given, "b", b, CONTACTS_MAX);
    truth_minus(count, b, minus_b);
    for (int i = 0; i < count; i++) {
        truth_near(problem.b[i], minus_b[i], 1e-12, "b[%d]", i);
    }
    truth_problem_solve_all(&problem, false);
    check_gaps(data, truth_has(expect, "chi_ddot") ? "chi_ddot" : "acc_at_contacts");
    if (json_is_array(truth_member(expect, "f_correct"))) {
        check_forces(data, truth_member(expect, "f_correct"));
    }
}

static void
legs_check_sums(const double *x, const double *y, int count, double weight, const double *com)
{
    double sum = 0.0, moment_x = 0.0, moment_y = 0.0;
    for (int i = 0; i < count; i++) {
        sum += problem.f[i];
        moment_x += problem.f[i] * x[i];
        moment_y += problem.f[i] * y[i];
    }
    truth_near(sum, weight, 1e-9, "sum of f");
    truth_near(moment_x, weight * com[0], 1e-9, "sum of f x");
    truth_near(moment_y, weight * com[1], 1e-9, "sum of f y");
}

/* A table on more legs than needed: any solution is in range; the one of least norm is unique. */
void
truth_run_legs(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    const json_t *legs = truth_member(given, "legs_xy");
    double weight = truth_member_number(given, "weight"), com[2];
    double x[CONTACTS_MAX] = {0.0}, y[CONTACTS_MAX] = {0.0};
    truth_member_numbers(given, "com_xy", com, 2);
    int count = (int)json_array_size(legs);
    assert_in_range(count, 1, CONTACTS_MAX);
    truth_problem_init(&problem);
    int table = truth_problem_body(&problem, 1.0, 1.0, cn_vec3_make(com[0], 0.0, com[1]));
    truth_problem_load(&problem, table, cn_vec3_make(0.0, -weight, 0.0), problem.center[table]);
    for (int i = 0; i < count; i++) {
        double xy[2];
        truth_numbers(json_array_get(legs, (size_t)i), xy, 2);
        x[i] = xy[0];
        y[i] = xy[1];
        truth_problem_contact(
            &problem, -1, table, cn_vec3_make(x[i], 0.0, y[i]), axis.y, CN_ROW_NORMAL);
    }
    truth_problem_solve_all(&problem, false);
    legs_check_sums(x, y, count, weight, com);
    for (int i = 0; i < count; i++) {
        double range[2];
        truth_numbers(json_array_get(truth_member(expect, "leg_range"), (size_t)i), range, 2);
        truth_near(problem.a[i], 0.0, 1e-9, "a[%d]", i);
        assert_true(problem.f[i] >= range[0] - 1e-9 && problem.f[i] <= range[1] + 1e-9);
    }
    truth_problem_solve_all(&problem, true);
    legs_check_sums(x, y, count, weight, com);
    check_forces(data, truth_member(expect, "minnorm_f"));
}

/* N level rods end to end, the first pinned at the origin: two bilateral rows a hinge. */
void
truth_run_chain(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    int count = (int)truth_member_number(given, "N");
    double m = truth_member_number(given, "m"), L = truth_member_number(given, "L");
    double g = truth_member_number(given, "g");
    truth_problem_init(&problem);
    for (int i = 0; i < count; i++) {
        cn_vec3 center = cn_vec3_make((i + 0.5) * L, 0.0, 0.0);
        int rod = truth_problem_body(&problem, m, m * L * L / 12.0, center);
        truth_problem_load(&problem, rod, cn_vec3_make(0.0, -m * g, 0.0), center);
    }
    for (int i = 0; i < count; i++) {
        cn_vec3 hinge = cn_vec3_make(i * L, 0.0, 0.0);
        truth_problem_contact(&problem, i - 1, i, hinge, axis.y, CN_ROW_BILATERAL);
        truth_problem_contact(&problem, i - 1, i, hinge, axis.x, CN_ROW_BILATERAL);
    }
    truth_problem_solve_all(&problem, false);
    double alpha[CONTACTS_MAX], a_y[CONTACTS_MAX];
    assert_int_equal(truth_member_numbers(expect, "alpha", alpha, CONTACTS_MAX), count);
    assert_int_equal(truth_member_numbers(expect, "a_com_y", a_y, CONTACTS_MAX), count);
    for (int i = 0; i < count; i++) {
        cn_vec3 linear, angular;
        truth_problem_motion(&problem, i, &linear, &angular);
        truth_near(angular.z, alpha[i], truth_tolerance(data, alpha[i]), "alpha[%d]", i);
        truth_near(linear.y, a_y[i], truth_tolerance(data, a_y[i]), "a_com_y[%d]", i);
    }
    truth_expect(data, "pin_force_y", problem.f[0]);
}

/* ---- the see-saw ---- */

struct seesaw {
    double L, t, M, g, s, x[2], m[2]; /* of plank and cubes */
    bool sticks;
};

static void
seesaw_read(struct seesaw *seesaw, const json_t *given)
{
    seesaw->L = truth_member_number(given, "plank_L");
    seesaw->t = truth_member_number(given, "plank_t");
    seesaw->M = truth_member_number(given, "plank_m");
    seesaw->g = truth_member_number(given, "g");
    seesaw->s = truth_member_number(given, "cube_side");
    truth_member_numbers(given, "block_x", seesaw->x, 2);
    truth_member_numbers(given, "block_m", seesaw->m, 2);
    seesaw->sticks = json_is_string(truth_member(given, "friction"));
}

/*
 * The angular acceleration of the plank, which is pinned at its centre and so a body that can only
 * turn, under an additional torque.  A contact has its row and, where the blocks stick, its
 * tangent's after it.
 */
static double
seesaw_solve(const struct seesaw *seesaw, double torque)
{
    double L = seesaw->L, t = seesaw->t, s = seesaw->s;
    truth_problem_init(&problem);
    int plank = truth_problem_body(
        &problem, HUGE_VAL, seesaw->M * (L * L + t * t) / 12.0, cn_vec3_make(0.0, 0.0, 0.0));
    truth_problem_load(
        &problem, plank, cn_vec3_make(0.0, torque, 0.0), cn_vec3_make(1.0, 0.0, 0.0));
    for (int i = 0; i < 2; i++) {
        double m = seesaw->m[i];
        cn_vec3 center = cn_vec3_make(seesaw->x[i], 0.5 * (t + s), 0.0);
        int block = truth_problem_body(&problem, m, m * s * s / 6.0, center);
        truth_problem_load(&problem, block, cn_vec3_make(0.0, -m * seesaw->g, 0.0), center);
    }
    for (int i = 0; i < 4; i++) {
        double at = seesaw->x[i / 2] + (i % 2 == 0 ? -0.5 : 0.5) * s;
        cn_vec3 corner = cn_vec3_make(at, 0.5 * t, 0.0);
        if (seesaw->sticks) {
            truth_problem_rough_contact(
                &problem, plank, 1 + i / 2, corner, axis.y, axis.x, 10.0, 0.0);
        } else {
            truth_problem_contact(&problem, plank, 1 + i / 2, corner, axis.y, CN_ROW_NORMAL);
        }
    }
    truth_problem_solve_all(&problem, false);
    cn_vec3 linear, angular;
    truth_problem_motion(&problem, plank, &linear, &angular);
    return angular.z;
}

/* A plank with a block near each end: by every solver, and how it starts in a world. */
void
truth_run_seesaw(const json_t *data)
{
    const json_t *expect = truth_member(data, "expect");
    struct seesaw seesaw;
    seesaw_read(&seesaw, truth_member(data, "given"));
    double torque = 1e-3 * seesaw.g * (seesaw.m[0] + seesaw.m[1]) * seesaw.L;
    double more = seesaw_solve(&seesaw, torque), alpha = seesaw_solve(&seesaw, 0.0);
    truth_expect(data, "alpha", alpha);
    truth_expect(data, "I_total", torque / (more - alpha)); /* what turns along */
    const json_t *forces = truth_member(expect, "corner_forces_left_right_Ft");
    int rows = seesaw.sticks ? 2 : 1;
    for (int i = 0; i < 2; i++) {
        double expected[3], across = 0.0;
        truth_numbers(json_array_get(forces, (size_t)i), expected, 3);
        double tolerance = truth_tolerance(data, expected[0] + expected[1]);
        for (int k = 0; k < 2; k++) {
            int row = (2 * i + k) * rows;
            truth_near(problem.f[row], expected[k], tolerance, "corner %d of block %d", k, i);
            across += seesaw.sticks ? problem.f[row + 1] : 0.0;
        }
        truth_near(across, expected[2], tolerance, "friction on block %d", i);
    }
    truth_run_seesaw_tips(data);
}
