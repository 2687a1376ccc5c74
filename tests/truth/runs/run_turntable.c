/*
 * run_turntable.c: bodies on a rotating plane: Faure's figure 5, and a body that turns with it.
 */
#include "engine/linalg/pseudo_inverse.h"
#include "engine/solve/table/solver_table.h"
#include "tests/truth/check.h"
#include "tests/truth/problem.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define ROWS_MAX 16
#define BALLS_MAX 4

static struct truth_problem problem;
static _Alignas(64) unsigned char memory[1 << 17];

static const struct {
    cn_vec3 x, y, z;
} axis = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

/* The matrix of all rows. Returns their number. */
static int
fill(double *A)
{
    int index[ROWS_MAX], n = problem.contact.row_count;
    assert_in_range(n, 1, ROWS_MAX);
    for (int i = 0; i < n; i++) {
        index[i] = i;
    }
    cn_delassus_fill(&problem.contact, index, n, A, n);
    return n;
}

/* A solid on balls on a plane that turns about the world's upright axis, here z. */
struct turntable {
    int ball_count;
    double mu[BALLS_MAX];
    cn_vec3 arm[BALLS_MAX]; /* of the contact, from the centre of mass */
    cn_vec3 center;
    double Omega, omega; /* of the plane, of the solid */
    cn_vec3 velocity;
    int plane, solid, motor; /* bodies, and the row of the plane's rotation */
    int static_ball;         /* -1: none */
};

/* Level components of a velocity or acceleration of a point that turns. */
static cn_vec3
turning(double w, cn_vec3 r)
{
    return cn_vec3_make(-w * r.y, w * r.x, 0.0);
}

static cn_vec3
level(cn_vec3 v)
{
    return cn_vec3_make(v.x, v.y, 0.0);
}

static void
turntable_read(struct turntable *table, const json_t *data)
{
    static const double square[4][2] = {{0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}, {0.5, -0.5}};
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double com[2], xy[2], h = truth_member_number(given, "h_com");
    *table = (struct turntable){.Omega = truth_member_number(given, "Omega"), .static_ball = -1};
    table->ball_count = truth_member_numbers(given, "mu", table->mu, BALLS_MAX);
    truth_member_numbers(given, "com_xy", com, 2);
    table->center = cn_vec3_make(com[0], com[1], h);
    for (int i = 0; i < table->ball_count; i++) {
        memcpy(xy, square[i], sizeof(xy));
        if (truth_has(given, "contacts_rel_com")) {
            const json_t *arms = truth_member(given, "contacts_rel_com");
            truth_numbers(json_array_get(arms, (size_t)i), xy, 2);
        }
        table->arm[i] = cn_vec3_make(xy[0], xy[1], -h);
    }
    if (truth_has(given, "omega")) { /* the first ball sticks: it moves with the plane */
        table->omega = truth_member_number(given, "omega");
        table->static_ball = 0;
        cn_vec3 R = cn_vec3_add(table->center, table->arm[0]);
        table->velocity =
            cn_vec3_sub(turning(table->Omega, R), turning(table->omega, table->arm[0]));
        truth_member_numbers(expect, truth_has(expect, "v") ? "v" : "v_com", xy, 2);
        truth_near(table->velocity.x, xy[0], truth_tolerance(data, xy[0]), "v.x");
        truth_near(table->velocity.y, xy[1], truth_tolerance(data, xy[1]), "v.y");
    }
}

/*
 * Rows: the motor that keeps the plane's rate, then the contacts.  The masses of the solid other
 * than m and I_zz do not enter, since its balls stay on the plane.
 */
static void
turntable_build(struct turntable *table, const json_t *given)
{
    double m = truth_member_number(given, "m"), g = truth_member_number(given, "g");
    truth_problem_init(&problem);
    table->plane = truth_problem_body(&problem, HUGE_VAL, 1.0, cn_vec3_make(0.0, 0.0, 0.0));
    problem.mass[table->plane].angular = cn_mat33_diagonal(0.0, 0.0, 1.0 / 7.0);
    table->solid =
        truth_problem_body(&problem, m, truth_member_number(given, "I_zz"), table->center);
    truth_problem_load(&problem, table->solid, cn_vec3_make(0.0, 0.0, -m * g), table->center);
    struct cn_row motor = {.body_a = -1, .body_b = table->plane, .angular_b = axis.z};
    table->motor = truth_problem_row(&problem, &motor, CN_ROW_BILATERAL);
    for (int i = 0; i < table->ball_count; i++) {
        cn_vec3 r = level(table->arm[i]), R = cn_vec3_add(table->center, table->arm[i]);
        cn_vec3 slip = cn_vec3_add(table->velocity, turning(table->omega, r));
        slip = cn_vec3_sub(slip, turning(table->Omega, level(R)));
        /* The relative acceleration of the two points without any force: -w^2 r + W^2 R. */
        cn_vec3 apart = cn_vec3_scale(level(R), table->Omega * table->Omega);
        apart = cn_vec3_add_scaled(apart, -table->omega * table->omega, r);
        double speed = cn_vec3_length(slip);
        int normal = truth_problem_contact(
            &problem, table->plane, table->solid, R, axis.z, CN_ROW_NORMAL);
        problem.friction[normal] = table->mu[i];
        for (int k = 0; k < 2; k++) {
            cn_vec3 tangent = k == 0 ? axis.x : axis.y;
            int row = truth_problem_contact(
                &problem, table->plane, table->solid, R, tangent, CN_ROW_TANGENT);
            problem.b[row] += cn_vec3_dot(tangent, apart);
            bool slides = i != table->static_ball;
            problem.slip[row] = slides ? cn_vec3_dot(tangent, slip) / speed : 0.0;
            assert_true(slides == (speed > 1e-9));
        }
    }
}

static int
normal_row(const struct turntable *table, int ball)
{
    return table->motor + 1 + 3 * ball;
}

/* Normal forces, motion and torque against those of a case. */
static void
turntable_check(const struct turntable *table, const json_t *data, const json_t *expect)
{
    double N[BALLS_MAX], a[2];
    cn_vec3 linear, angular;
    truth_member_numbers(expect, "N", N, BALLS_MAX);
    for (int i = 0; i < table->ball_count; i++) {
        truth_near(problem.f[normal_row(table, i)], N[i], truth_tolerance(data, N[i]), "N[%d]", i);
    }
    truth_problem_motion(&problem, table->solid, &linear, &angular);
    truth_member_numbers(expect, truth_has(expect, "a") ? "a" : "a_com", a, 2);
    truth_near(linear.x, a[0], truth_tolerance(data, a[0]), "a.x");
    truth_near(linear.y, a[1], truth_tolerance(data, a[1]), "a.y");
    double alpha = truth_member_number(expect, "alpha");
    truth_near(angular.z, alpha, truth_tolerance(data, alpha), "alpha");
    double torque = truth_member_number(expect, "torque");
    truth_near(problem.f[table->motor], torque, truth_tolerance(data, torque), "torque");
    truth_problem_motion(&problem, table->plane, &linear, &angular);
    truth_near(angular.z, 0.0, 1e-9, "angular acceleration of the plane");
}

/* The normal forces of least norm among all that keep the balls on the plane. */
static void
least_normal_forces(const struct turntable *table)
{
    double A[ROWS_MAX * ROWS_MAX], right[BALLS_MAX], N[BALLS_MAX];
    int n = fill(A), count = table->ball_count;
    struct cn_arena arena;
    struct cn_pseudo_inverse inverse;
    cn_arena_init(&arena, memory, sizeof(memory));
    cn_pseudo_inverse_take(&inverse, &arena, BALLS_MAX);
    cn_pseudo_inverse_begin(&inverse, count, count);
    memset(problem.f, 0, sizeof(problem.f));
    for (int j = 0; j < count; j++) {
        int q = normal_row(table, j);
        for (int i = 0; i < count; i++) {
            const double *row = &A[normal_row(table, i) * n];
            double slide = problem.slip[q + 1] * row[q + 1] + problem.slip[q + 2] * row[q + 2];
            inverse.B[j * count + i] = row[q] - table->mu[j] * slide;
        }
        inverse.row_scale[j] = inverse.column_scale[j] = inverse.weight[j] = 1.0;
        right[j] = -problem.b[q];
    }
    cn_pseudo_inverse_factor(&inverse);
    cn_pseudo_inverse_solve(&inverse, right, N);
    for (int j = 0; j < count; j++) {
        int q = normal_row(table, j);
        problem.f[q] = N[j];
        for (int k = 1; k <= 2; k++) {
            problem.f[q + k] = -table->mu[j] * N[j] * problem.slip[q + k];
            problem.f[table->motor] -= A[table->motor * n + q + k] * problem.f[q + k] * 7.0;
        }
    }
}

/* All balls slide; with four of them the torque depends on which normal forces are chosen. */
void
truth_run_turntable_sliding(const json_t *data)
{
    const json_t *expect = truth_member(data, "expect");
    struct turntable table;
    turntable_read(&table, data);
    turntable_build(&table, truth_member(data, "given"));
    bool unique = truth_has(expect, "N");
    if (unique) {
        truth_problem_solve_all(&problem, false);
        turntable_check(&table, data, expect);
    }
    struct cn_solve_report report =
        truth_problem_try(&problem, cn_solver_find("faure96"), !unique);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    assert_true(unique || report.iteration_count <= 2); /* one of the paper, one for the norm */
    turntable_check(&table, data, unique ? expect : truth_member(expect, "minnorm_all"));
    if (unique) {
        return;
    }
    double range[2];
    truth_member_numbers(expect, "torque_range", range, 2);
    for (int k = 0; k < cn_problem_solver_count; k++) {
        if (cn_solvers[k]->friction) {
            truth_problem_solve_or_tell(&problem, cn_solvers[k], false);
            double torque = problem.f[table.motor];
            double slack = truth_tolerance(data, fabs(range[0]) + fabs(range[1]));
            assert_true(torque >= range[0] - slack && torque <= range[1] + slack);
        }
    }
    least_normal_forces(&table);
    turntable_check(&table, data, truth_member(expect, "minnorm_normal"));
}

/* The first ball sticks. */
void
truth_run_turntable_static(const json_t *data)
{
    const json_t *expect = truth_member(data, "expect");
    struct turntable table;
    turntable_read(&table, data);
    turntable_build(&table, truth_member(data, "given"));
    if (table.ball_count == 3) { /* the forces are unique */
        truth_problem_solve_all(&problem, false);
        turntable_check(&table, data, expect);
    }
    struct cn_solve_report report = truth_problem_try(&problem, cn_solver_find("faure96"), true);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    assert_true(report.iteration_count <= 5); /* the paper's claim */
    turntable_check(&table, data, expect);
    double f_T[2], ratio;
    int row = normal_row(&table, 0);
    truth_member_numbers(expect, truth_has(expect, "ft0") ? "ft0" : "ft_static", f_T, 2);
    for (int k = 0; k < 2; k++) {
        truth_near(problem.f[row + 1 + k], f_T[k], truth_tolerance(data, f_T[k]), "f_T[%d]", k);
    }
    ratio = truth_member_number(expect, truth_has(expect, "ratio") ? "ratio" : "ratio_static");
    truth_near(sqrt(f_T[0] * f_T[0] + f_T[1] * f_T[1]) / problem.f[row], ratio,
        truth_tolerance(data, ratio), "|f_T| / N");
}

/*
 * A small body that turns with the plane at radius R, so friction must be m Omega^2 R, inward.  In
 * the plane's frame Omega^2 r + 2 Omega v x z acts beside friction.  In the case the body stays for
 * ten seconds below the critical rate, and slides off above it.
 */
static double
slip_after(
    double Omega, double R, double mu, double g, double time, const struct cn_solver *solver)
{
    cn_vec3 r = {R, 0.0, 0.0}, v = {0.0, 0.0, 0.0};
    double dt = 1e-2;
    for (int step = 0; step * dt < time && r.x * r.x + r.y * r.y < 4.0 * R * R; step++) {
        truth_problem_init(&problem);
        int body = truth_problem_body(&problem, 2.0, HUGE_VAL, r);
        problem.linear[body] = cn_vec3_make(Omega * Omega * r.x + 2.0 * Omega * v.y,
            Omega * Omega * r.y - 2.0 * Omega * v.x, -g);
        double speed = cn_vec3_length(v);
        int normal = truth_problem_contact(&problem, -1, body, r, axis.z, CN_ROW_NORMAL);
        problem.friction[normal] = mu;
        for (int k = 0; k < 2; k++) {
            cn_vec3 tangent = k == 0 ? axis.x : axis.y;
            int row = truth_problem_contact(&problem, -1, body, r, tangent, CN_ROW_TANGENT);
            problem.slip[row] = speed > 0.0 ? cn_vec3_dot(tangent, v) / speed : 0.0;
        }
        cn_vec3 a, angular;
        truth_problem_solve_or_tell(&problem, solver, false);
        truth_problem_motion(&problem, body, &a, &angular);
        v = cn_vec3_length(a) > 1e-9 ? cn_vec3_add_scaled(v, dt, level(a)) : v;
        r = cn_vec3_add_scaled(r, dt, v);
    }
    return cn_vec3_length(cn_vec3_sub(r, cn_vec3_make(R, 0.0, 0.0)));
}

void
truth_run_corotate(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double R = truth_member_number(given, "R"), g = truth_member_number(given, "g");
    double mu = truth_member_number(given, "mu");
    double critical = truth_member_number(truth_member(data, "expect"), "Omega_crit");
    for (int k = 0; k < cn_problem_solver_count; k++) {
        if (!cn_solvers[k]->friction) {
            continue;
        }
        assert_true(slip_after(0.98 * critical, R, mu, g, 10.0, cn_solvers[k]) < 1e-3);
        assert_true(slip_after(1.02 * critical, R, mu, g, 10.0, cn_solvers[k]) > 0.5 * R);
        double low = 0.9 * critical, high = 1.1 * critical; /* the rate itself, from one step */
        while (high - low > 1e-6 * critical) {
            double middle = 0.5 * (low + high);
            bool stays = slip_after(middle, R, mu, g, 1e-2, cn_solvers[k]) == 0.0;
            low = stays ? middle : low;
            high = stays ? high : middle;
        }
        truth_near(low, critical, truth_tolerance(data, critical), "critical rate, %s",
            cn_solvers[k]->name);
    }
}
