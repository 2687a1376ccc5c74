/*
 * run_matrix.c: complementarity problems given as matrix and right-hand side.
 */
#include "engine/problem/delassus.h"
#include "engine/solve/table/matrix_adapter.h"
#include "engine/solve/table/solver_table.h"
#include "tests/support/world/scene.h"
#include "tests/truth/check.h"
#include "tests/truth/problem.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ORDER_MAX 128

/* The tolerance of the truth set for complementarity problems: relative to the largest |b|. */
#define TOLERANCE 1e-9

static double A[ORDER_MAX * ORDER_MAX], b[ORDER_MAX], f[ORDER_MAX];
static unsigned char tag[ORDER_MAX];
static struct truth_problem sliding;
static struct scene scene;

/* Reads A f >= b, i.e. w = A f - b. Returns the order. */
static int
matrix_read(const json_t *rows, const json_t *right_hand_side)
{
    double minus_b[ORDER_MAX];
    int n = truth_numbers(right_hand_side, minus_b, ORDER_MAX);
    assert_int_equal(json_array_size(rows), n);
    truth_minus(n, minus_b, b);
    for (int i = 0; i < n; i++) {
        assert_int_equal(truth_numbers(json_array_get(rows, (size_t)i), &A[i * n], n), n);
        tag[i] = CN_ROW_NORMAL;
    }
    return n;
}

static struct cn_solve_report
matrix_solve(int n)
{
    const struct cn_matrix_solver *solver = cn_matrix_solver_find("baraff94");
    struct cn_arena scratch;
    cn_arena_init_measure(&scratch);
    cn_matrix_solve_layout(solver, &scratch, n);
    size_t size = scratch.used + 64;
    void *memory = aligned_alloc(64, size / 64 * 64 + 64);
    assert_non_null(memory);
    cn_arena_init(&scratch, memory, size);
    struct cn_matrix_problem problem = {.n = n, .stride = n, .A = A, .b = b, .tag = tag};
    struct cn_solve_options options = {.tolerance = TOLERANCE, .iteration_max = 20000};
    memset(f, 0, sizeof(f));
    struct cn_solve_report report = cn_matrix_solve(solver, &problem, &options, &scratch, f);
    free(memory);
    for (int i = 0; i < n; i++) {
        assert_true(isfinite(f[i]) && f[i] >= 0.0);
    }
    return report;
}

/* a = A f + b of one row. */
static double
matrix_row(int n, int i)
{
    double a = b[i];
    for (int k = 0; k < n; k++) {
        a += A[i * n + k] * f[k];
    }
    return a;
}

static double
scale_of_b(int n)
{
    double scale = 1.0;
    for (int i = 0; i < n; i++) {
        scale = fmax(scale, fabs(b[i]));
    }
    return scale;
}

/* Checks the conditions of the found solution; a problem with several may have any of them. */
static void
check_conditions(int n, double tolerance)
{
    for (int i = 0; i < n; i++) {
        double a = matrix_row(n, i);
        if (f[i] > 0.0) {
            truth_near(a, 0.0, tolerance, "w[%d] where f is positive", i);
        } else {
            truth_near(fmin(a, 0.0), 0.0, tolerance, "w[%d] where f is 0", i);
        }
    }
}

void
truth_run_lcp(const json_t *data)
{
    int n = matrix_read(truth_member(data, "A"), truth_member(data, "b"));
    struct cn_solve_report report = matrix_solve(n);
    if (!json_is_true(truth_member(data, "solvable"))) {
        assert_int_equal(report.outcome, CN_SOLVE_INFEASIBLE);
        return;
    }
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    double scale = scale_of_b(n), expected[ORDER_MAX];
    check_conditions(n, TOLERANCE * scale);
    /* Where A is symmetric and PSD, w is unique though f may not be. */
    bool is_f_unique = json_is_true(truth_member(data, "f_unique"));
    if (is_f_unique || strncmp(truth_string(data, "cls"), "PSD", 3) == 0) {
        truth_member_numbers(data, "w", expected, ORDER_MAX);
        for (int i = 0; i < n; i++) {
            truth_near(matrix_row(n, i), expected[i], TOLERANCE * scale, "w[%d]", i);
        }
    }
    if (is_f_unique) {
        truth_member_numbers(data, "f", expected, ORDER_MAX);
        for (int i = 0; i < n; i++) {
            truth_near(f[i], expected[i], TOLERANCE * fmax(1.0, fabs(expected[i])), "f[%d]", i);
        }
    }
}

/* Impulses of a block on two corners, exactly and at once. */
void
truth_run_overimpulse(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    const json_t *expect = truth_member(truth_member(data, "expect"), "simultaneous");
    double expected[ORDER_MAX];
    int n = matrix_read(truth_member(given, "A"), truth_member(given, "v"));
    truth_minus(n, b, b); /* v before the impact is what b is: v+ = A J + v */
    assert_int_equal(matrix_solve(n).outcome, CN_SOLVE_CONVERGED);
    truth_member_numbers(expect, "J", expected, ORDER_MAX);
    for (int i = 0; i < n; i++) {
        truth_near(f[i], expected[i], truth_tolerance(data, expected[i]), "J[%d]", i);
    }
    truth_member_numbers(expect, "v", expected, ORDER_MAX);
    for (int i = 0; i < n; i++) {
        truth_near(matrix_row(n, i), expected[i], truth_tolerance(data, expected[i]), "v[%d]", i);
    }
    truth_push_one_by_one(data);
}

/* ---- Painleve's rod ---- */

/* A rod that slides on its tip with friction mu, away from its centre of mass, turning at omega. */
struct rod {
    double l, m, g, mu, theta, omega;
};

/*
 * The factor p of the rod's contact law a = p f + b, from the engine's rows.  Friction is -mu f
 * along the sliding and enters the normal row.  The world computes the part of b that comes from
 * the turning.
 */
static double
rod_response(const struct rod *rod)
{
    double A_rod[4], s = sin(rod->theta), c = cos(rod->theta);
    const int index[2] = {0, 1};
    truth_problem_init(&sliding);
    cn_vec3 center = {0.0, rod->l * s, 0.0}, tip = {rod->l * c, 0.0, 0.0};
    int body = truth_problem_body(&sliding, rod->m, rod->m * rod->l * rod->l / 3.0, center);
    truth_problem_rough_contact(&sliding, -1, body, tip, cn_vec3_make(0.0, 1.0, 0.0),
        cn_vec3_make(1.0, 0.0, 0.0), rod->mu, 1.0);
    cn_delassus_fill(&sliding.contact, index, 2, A_rod, 2);
    return A_rod[0] - rod->mu * A_rod[1];
}

/* The rod as a world, a rhombus with its tip on the floor; its slip is a metre a second. */
static struct cn_world *
rod_world(const struct rod *rod, double mu)
{
    double l = rod->l, s = sin(rod->theta), c = cos(rod->theta), wide = 0.05 * l;
    const cn_vec3 corner[4] = {{-l, 0.0, 0.0}, {0.0, -wide, 0.0}, {l, 0.0, 0.0}, {0.0, wide, 0.0}};
    scene_init(&scene, rod->g);
    scene_friction(&scene, 0, mu);
    scene_floor(&scene);
    int body = scene_polygon(&scene, 0.0, l * s, corner, 4);
    scene.body[body].angle = -rod->theta;
    scene.body[body].mass = rod->m;
    scene.body[body].inertia = rod->m * l * l / 3.0;
    scene.body[body].angular_velocity.z = rod->omega;
    scene.body[body].velocity = cn_vec3_make(1.0 - rod->omega * l * s, -rod->omega * l * c, 0.0);
    return scene_create(&scene);
}

/* The upward acceleration of the tip in a world [m/s^2]. */
static double
tip_acceleration(const struct rod *rod, const struct cn_world *world)
{
    struct cn_body_view view = scene_view(world, 1);
    double s = sin(rod->theta), c = cos(rod->theta), w = view.angular_velocity.z;
    return view.acceleration.y + view.angular_acceleration.z * rod->l * c + w * w * rod->l * s;
}

/* b: the acceleration of the tip without contacts, a little above the floor. */
static double
rod_bias(const struct rod *rod)
{
    struct cn_world *world = rod_world(rod, 0.0);
    struct cn_command command = {.kind = CN_COMMAND_PLACE_BODY};
    struct cn_body_view view = scene_view(world, 1);
    command.place_body.body = 1;
    command.place_body.position = view.position;
    command.place_body.position.y += 0.1 * rod->l;
    command.place_body.orientation = view.orientation;
    command.place_body.velocity = view.velocity;
    command.place_body.angular_velocity = view.angular_velocity;
    scene_command(world, &command);
    double bias = tip_acceleration(rod, world);
    cn_world_destroy(world);
    return bias;
}

/* The force in a world's first instant is one of the solutions; without a solution it jams. */
static void
rod_in_world(const json_t *data, const struct rod *rod, const double *solutions, int count)
{
    struct cn_world *world = rod_world(rod, rod->mu);
    double force = scene_contacts(world, 0, 1).force, nearest = 0.0;
    struct cn_event event;
    if (count == 0) {
        scene_tick(world);
        assert_true(scene_events(world, CN_EVENT_JAM, &event) > 0);
    } else {
        for (int i = 0; i < count; i++) {
            bool nearer = fabs(force - solutions[i]) < fabs(force - nearest);
            nearest = i == 0 || nearer ? solutions[i] : nearest;
        }
        truth_near(force, nearest, truth_tolerance(data, nearest), "force of the world");
    }
    cn_world_destroy(world);
}

/* a = p f + b with p of either sign, so there are no, one or two solutions. */
void
truth_run_painleve_states(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    struct rod rod = {.l = truth_member_number(given, "l"),
        .m = truth_member_number(given, "m"),
        .g = truth_member_number(given, "g")};
    size_t index;
    json_t *result;
    json_array_foreach(truth_member(truth_member(data, "expect"), "results"), index, result)
    {
        double state[3], solutions[2];
        truth_numbers(json_array_get(truth_member(given, "mu_thetadeg_omega"), index), state, 3);
        rod.mu = state[0];
        rod.theta = state[1] * acos(-1.0) / 180.0;
        rod.omega = state[2];
        double p = truth_member_number(result, "p"), bias = truth_member_number(result, "b");
        A[0] = rod_response(&rod);
        b[0] = rod_bias(&rod);
        tag[0] = CN_ROW_NORMAL;
        truth_near(A[0], p, truth_tolerance(data, p), "p");
        truth_near(b[0], bias, truth_tolerance(data, bias), "b");
        int count = truth_member_numbers(result, "f", solutions, 2);
        assert_int_equal((int)truth_member_number(result, "n_solutions"), count);
        struct cn_solve_report report = matrix_solve(1);
        assert_int_equal(report.outcome, count == 0 ? CN_SOLVE_INFEASIBLE : CN_SOLVE_CONVERGED);
        double nearest = count > 0 ? solutions[0] : 0.0;
        for (int i = 1; i < count; i++) {
            nearest = fabs(f[0] - solutions[i]) < fabs(f[0] - nearest) ? solutions[i] : nearest;
        }
        if (count > 0) {
            truth_near(f[0], nearest, truth_tolerance(data, nearest), "f");
        }
        rod_in_world(data, &rod, solutions, count);
    }
}
