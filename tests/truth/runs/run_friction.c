/*
 * run_friction.c: Coulomb's law in problems built from the case's own numbers.
 *
 * Every solver of the table that knows friction is asked, and must give the same answer.
 */
#include "engine/solve/matrix/faure96.h"
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

/* Accelerations that a body at rest may have [m/s^2]: within 5 s it moves by less than 1e-8 m. */
#define REST 1e-9

static struct truth_problem problem;

static const cn_vec3 level = {1.0, 0.0, 0.0}, up = {0.0, 1.0, 0.0};

static double
degrees(double angle)
{
    return angle * acos(-1.0) / 180.0;
}

/* Calls `run` with each solver that knows friction. */
static void
each_solver(void (*run)(const json_t *data, const struct cn_solver *solver), const json_t *data)
{
    int count = 0;
    for (int k = 0; k < cn_problem_solver_count; k++) {
        if (cn_solvers[k]->friction) {
            run(data, cn_solvers[k]);
            count++;
        }
    }
    assert_true(count > 0);
}

/* A body of width and height that stands on the floor at y = 0, centre at x = 0. */
static int
add_box(double mass, double width, double height)
{
    double inertia = mass * (width * width + height * height) / 12.0;
    return truth_problem_body(&problem, mass, inertia, cn_vec3_make(0.0, 0.5 * height, 0.0));
}

/* Its corner contacts, left and right; tangents along +x. Returns the first row. */
static int
add_corners(int box, double width, double mu, double slip)
{
    int first = problem.contact.row_count;
    for (int side = -1; side <= 1; side += 2) {
        cn_vec3 corner = {0.5 * side * width, 0.0, 0.0};
        truth_problem_rough_contact(&problem, -1, box, corner, up, level, mu, slip);
    }
    return first;
}

static cn_vec3
solve_linear(const struct cn_solver *solver, int body, double *alpha)
{
    cn_vec3 linear, angular;
    truth_problem_solve_or_tell(&problem, solver, false);
    truth_problem_motion(&problem, body, &linear, &angular);
    *alpha = angular.z;
    return linear;
}

/* ---- Painleve's rod ---- */

/* Whether a rod that slides on its tip at an angle from the floor can not be solved. */
static bool
rod_is_paradox(const struct cn_solver *solver, double mu, double theta)
{
    double l = 0.5, m = 1.0;
    truth_problem_init(&problem);
    int rod = truth_problem_body(&problem, m, m * l * l / 3.0, cn_vec3_make(0.0, 0.0, 0.0));
    truth_problem_load(&problem, rod, cn_vec3_make(0.0, -9.81 * m, 0.0), problem.center[rod]);
    cn_vec3 tip = {l * cos(theta), -l * sin(theta), 0.0}; /* slides away from the centre */
    truth_problem_rough_contact(&problem, -1, rod, tip, up, level, mu, 1.0);
    struct cn_solve_report report = truth_problem_try(&problem, solver, false);
    return report.outcome == CN_SOLVE_INFEASIBLE;
}

/* The angle [deg] between the two at which the verdict changes. */
static double
find_change(const struct cn_solver *solver, double mu, double below, double above)
{
    bool at_below = rod_is_paradox(solver, mu, degrees(below));
    assert_true(rod_is_paradox(solver, mu, degrees(above)) != at_below);
    for (int turn = 0; turn < 48; turn++) {
        double middle = 0.5 * (below + above);
        bool same = rod_is_paradox(solver, mu, degrees(middle)) == at_below;
        below = same ? middle : below;
        above = same ? above : middle;
    }
    return 0.5 * (below + above);
}

void
truth_run_painleve(const json_t *data)
{
    const struct cn_solver *solver = cn_solver_find("baraff94");
    const json_t *given = truth_member(data, "given"), *expect = NULL;
    double mu[8], theta = atan(truth_member_number(given, "tan_theta_at_crit"));
    int count = truth_member_numbers(given, "mu", mu, 8);
    expect = truth_member(truth_member(data, "expect"), "theta_paradox_deg");
    for (int i = 0; i < count; i++) {
        double range[2], inside = theta * 180.0 / acos(-1.0);
        truth_numbers(json_array_get(expect, (size_t)i), range, 2);
        assert_true(rod_is_paradox(solver, mu[i], theta));
        truth_near(find_change(solver, mu[i], 1.0, inside), range[0],
            truth_tolerance(data, range[0]), "first angle, mu = %g", mu[i]);
        truth_near(find_change(solver, mu[i], inside, 89.0), range[1],
            truth_tolerance(data, range[1]), "last angle, mu = %g", mu[i]);
    }
    double critical = truth_member_number(given, "mu_crit");
    assert_false(rod_is_paradox(solver, critical - 1e-9, theta));
    assert_true(rod_is_paradox(solver, critical + 1e-9, theta));
}

/* ---- boxes ---- */

static void
run_onset(const json_t *data, const struct cn_solver *solver)
{
    const json_t *given = truth_member(data, "given");
    const json_t *expect = truth_member(truth_member(data, "expect"), "coulomb");
    double m = truth_member_number(given, "m"), w = truth_member_number(given, "w"), alpha, N[2];
    truth_problem_init(&problem);
    int box = add_box(m, w, truth_member_number(given, "h"));
    truth_problem_load(&problem, box,
        cn_vec3_make(0.0, -m * truth_member_number(given, "g"), 0.0), problem.center[box]);
    truth_problem_load(&problem, box, cn_vec3_make(truth_member_number(given, "P"), 0.0, 0.0),
        cn_vec3_make(0.0, truth_member_number(given, "y"), 0.0));
    int row = add_corners(box, w, truth_member_number(given, "mu"), 0.0);
    cn_vec3 a = solve_linear(solver, box, &alpha);
    double tolerance = truth_tolerance(data, 10.0);
    truth_member_numbers(expect, "N", N, 2);
    truth_near(problem.f[row], N[0], tolerance, "%s: N[0]", solver->name);
    truth_near(problem.f[row + 2], N[1], tolerance, "%s: N[1]", solver->name);
    truth_near(a.x, truth_member_number(expect, "a"), tolerance, "%s: a", solver->name);
    truth_near(problem.f[row + 1] + problem.f[row + 3],
        truth_member_number(expect, "friction_total"), tolerance, "%s: friction", solver->name);
}

/* Figure 3 of Faure's paper as printed: friction stays at a number, though the normals change. */
static void
check_literal_onset(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    const json_t *expect = truth_member(truth_member(data, "expect"), "faure_literal");
    static _Alignas(64) unsigned char memory[1 << 14];
    double A[16], f[4] = {0.0}, N[2], friction[2], m = truth_member_number(given, "m");
    int index[4] = {0, 1, 2, 3};
    assert_int_equal(problem.contact.row_count, 4);
    cn_delassus_fill(&problem.contact, index, 4, A, 4);
    struct cn_matrix_problem matrix = {.n = 4, .stride = 4, .A = A, .b = problem.b,
        .tag = problem.tag, .friction = problem.friction};
    struct cn_solve_options options = {.tolerance = 1e-11, .iteration_max = 1000};
    struct cn_faure96_options how = {.literal = true};
    struct cn_arena scratch;
    cn_arena_init(&scratch, memory, sizeof(memory));
    (void)cn_faure96_solve(&matrix, &options, &how, &scratch, f);
    double tolerance = truth_tolerance(data, 10.0);
    truth_member_numbers(expect, "N", N, 2);
    truth_member_numbers(expect, "friction", friction, 2);
    for (int i = 0; i < 2; i++) {
        truth_near(f[2 * i], N[i], tolerance, "literal N[%d]", i);
        truth_near(f[2 * i + 1], friction[i], tolerance, "literal friction[%d]", i);
    }
    double push = truth_member_number(given, "P") + f[1] + f[3];
    truth_near(push / m, truth_member_number(expect, "a_com"), tolerance, "literal a");
}

void
truth_run_onset(const json_t *data)
{
    each_solver(run_onset, data);
    if (truth_has(truth_member(data, "expect"), "faure_literal")) {
        check_literal_onset(data);
    }
}

/* Static friction first; what that can not hold slides from there, by dynamic friction. */
static void
run_two_frictions(const json_t *data, const struct cn_solver *solver)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double theta = degrees(truth_member_number(given, "theta_deg"));
    double g = truth_member_number(given, "g"), v = truth_member_number(given, "v0"), alpha;
    double slip = v > 0.0 ? 1.0 : 0.0;
    for (int turn = 0; turn < 2; turn++) {
        truth_problem_init(&problem);
        int block = truth_problem_body(&problem, 1.0, HUGE_VAL, cn_vec3_make(0.0, 0.0, 0.0));
        truth_problem_load(&problem, block,
            cn_vec3_make(g * sin(theta), -g * cos(theta), 0.0), problem.center[block]);
        double mu = truth_member_number(given, slip == 0.0 ? "mu_s" : "mu_d");
        truth_problem_rough_contact(
            &problem, -1, block, problem.center[block], up, level, mu, slip);
        cn_vec3 a = solve_linear(solver, block, &alpha);
        if (slip != 0.0 || fabs(a.x) <= REST) {
            bool holds = strcmp(truth_string(expect, "state"), "static") == 0;
            assert_true(holds == (slip == 0.0));
            truth_expect(data, "a", a.x);
            truth_expect(data, "f_t_over_mg", fabs(problem.f[1]) / g);
            return;
        }
        slip = a.x > 0.0 ? 1.0 : -1.0;
    }
    fail_msg("neither holds nor slides");
}

void
truth_run_two_frictions(const json_t *data)
{
    each_solver(run_two_frictions, data);
}

struct motion {
    double slide, turn; /* [m/s^2, rad/s^2]: of the corner that stays below, of the box */
};

/* A box at rest under a gravity along (x, y) and a level push at a height. */
static struct motion
box_starts(const struct cn_solver *solver, const json_t *given, cn_vec3 weight, double push,
    double height)
{
    double m = truth_has(given, "m") ? truth_member_number(given, "m") : 1.0;
    double W = truth_member_number(given, "W"), alpha;
    truth_problem_init(&problem);
    int box = add_box(m, W, truth_member_number(given, "H"));
    truth_problem_load(&problem, box, cn_vec3_scale(weight, m), problem.center[box]);
    truth_problem_load(
        &problem, box, cn_vec3_make(push, 0.0, 0.0), cn_vec3_make(0.0, height, 0.0));
    int row = add_corners(box, W, truth_member_number(given, "mu"), 0.0);
    (void)solve_linear(solver, box, &alpha);
    return (struct motion){problem.a[row + 3], alpha};
}

static void
check_mode(const struct motion *motion, const char *mode, const char *name)
{
    bool slides = strcmp(mode, "slide") == 0;
    truth_near(slides ? motion->turn : motion->slide, 0.0, REST, "%s: %s only", name, mode);
    assert_true(fabs(slides ? motion->slide : motion->turn) > 1e3 * REST);
}

static void
run_push(const json_t *data, const struct cn_solver *solver)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double critical = truth_member_number(expect, "P_crit"), y = truth_member_number(given, "y");
    cn_vec3 weight = {0.0, -truth_member_number(given, "g"), 0.0};
    struct motion still = box_starts(solver, given, weight, 0.99 * critical, y);
    truth_near(still.slide, 0.0, REST, "%s: slides early", solver->name);
    truth_near(still.turn, 0.0, REST, "%s: tips early", solver->name);
    struct motion moves = box_starts(solver, given, weight, 1.01 * critical, y);
    check_mode(&moves, truth_string(expect, "mode"), solver->name);
}

void
truth_run_push(const json_t *data)
{
    each_solver(run_push, data);
}

static void
run_tilt(const json_t *data, const struct cn_solver *solver)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double bracket = truth_member_number(truth_member(data, "tol"), "bracket_deg");
    for (int side = -1; side <= 1; side += 2) {
        double theta = degrees(truth_member_number(expect, "theta_crit_deg") + side * bracket);
        cn_vec3 weight = {9.81 * sin(theta), -9.81 * cos(theta), 0.0};
        struct motion motion = box_starts(solver, given, weight, 0.0, 0.0);
        if (side < 0) {
            truth_near(motion.slide, 0.0, REST, "%s: slides early", solver->name);
            truth_near(motion.turn, 0.0, REST, "%s: tips early", solver->name);
        } else {
            check_mode(&motion, truth_string(expect, "first"), solver->name);
        }
    }
}

void
truth_run_tilt(const json_t *data)
{
    each_solver(run_tilt, data);
}

static void
run_sliding_box(const json_t *data, const struct cn_solver *solver)
{
    const json_t *given = truth_member(data, "given");
    double W = truth_member_number(given, "W"), alpha;
    truth_problem_init(&problem);
    int box = add_box(1.0, W, truth_member_number(given, "H"));
    truth_problem_load(&problem, box, cn_vec3_make(0.0, -truth_member_number(given, "g"), 0.0),
        problem.center[box]);
    truth_problem_load(&problem, box, cn_vec3_make(truth_member_number(given, "P"), 0.0, 0.0),
        cn_vec3_make(0.0, truth_member_number(given, "y"), 0.0));
    int row = add_corners(box, W, truth_member_number(given, "mu"), 1.0);
    cn_vec3 a = solve_linear(solver, box, &alpha);
    truth_expect(data, "a", a.x);
    truth_expect(data, "N_rear", problem.f[row]);
    truth_expect(data, "N_front", problem.f[row + 2]);
}

void
truth_run_sliding_box(const json_t *data)
{
    each_solver(run_sliding_box, data);
}

/* A board on the floor, pulled, with a block on it. */
static void
pull_board(const struct cn_solver *solver, const json_t *given, double F, double *a1, double *a2)
{
    double m1 = truth_member_number(given, "m1"), m2 = truth_member_number(given, "m2");
    double g = truth_member_number(given, "g"), alpha;
    cn_vec3 linear, angular;
    truth_problem_init(&problem);
    int board = truth_problem_body(&problem, m1, HUGE_VAL, cn_vec3_make(0.0, 0.0, 0.0));
    int block = truth_problem_body(&problem, m2, HUGE_VAL, cn_vec3_make(0.0, 1.0, 0.0));
    truth_problem_load(&problem, board, cn_vec3_make(F, -m1 * g, 0.0), problem.center[board]);
    truth_problem_load(&problem, block, cn_vec3_make(0.0, -m2 * g, 0.0), problem.center[block]);
    truth_problem_rough_contact(&problem, -1, board, problem.center[board], up, level,
        truth_member_number(given, "mu1"), 0.0);
    truth_problem_rough_contact(&problem, board, block, problem.center[block], up, level,
        truth_member_number(given, "mu2"), 0.0);
    *a1 = solve_linear(solver, board, &alpha).x;
    truth_problem_motion(&problem, block, &linear, &angular);
    *a2 = linear.x;
}

static void
run_two_blocks(const json_t *data, const struct cn_solver *solver)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double slip = truth_member_number(expect, "F_slip"), a1, a2;
    pull_board(solver, given, 0.5 * slip, &a1, &a2);
    truth_expect(data, "a_together_at_half_F_slip", a1);
    truth_expect(data, "a_together_at_half_F_slip", a2);
    pull_board(solver, given, (1.0 - 1e-6) * slip, &a1, &a2);
    truth_near(a1 - a2, 0.0, REST, "%s: parts early", solver->name);
    pull_board(solver, given, (1.0 + 1e-6) * slip, &a1, &a2);
    assert_true(a1 - a2 > REST);
    pull_board(solver, given, truth_member_number(given, "F_test"), &a1, &a2);
    truth_expect(data, "a1_at_F_test", a1);
    truth_expect(data, "a2_at_F_test", a2);
}

void
truth_run_two_blocks(const json_t *data)
{
    each_solver(run_two_blocks, data);
}

/* ---- leaning bodies ---- */

/* A ladder of unit weight and length on a rough floor, against a smooth wall; the largest |a|. */
static double
lean_ladder(const struct cn_solver *solver, double theta, double mu)
{
    double c = 0.5 * cos(theta), s = 0.5 * sin(theta), alpha;
    truth_problem_init(&problem);
    int ladder = truth_problem_body(&problem, 1.0, 1.0 / 12.0, cn_vec3_make(0.0, s, 0.0));
    truth_problem_load(&problem, ladder, cn_vec3_make(0.0, -9.81, 0.0), problem.center[ladder]);
    truth_problem_rough_contact(
        &problem, -1, ladder, cn_vec3_make(-c, 0.0, 0.0), up, level, mu, 0.0);
    truth_problem_contact(&problem, -1, ladder, cn_vec3_make(c, 2.0 * s, 0.0),
        cn_vec3_make(-1.0, 0.0, 0.0), CN_ROW_NORMAL);
    cn_vec3 a = solve_linear(solver, ladder, &alpha);
    return fmax(fmax(fabs(a.x), fabs(a.y)), fabs(alpha));
}

static void
run_ladder(const json_t *data, const struct cn_solver *solver)
{
    double theta[8], mu[8];
    double bracket = truth_member_number(truth_member(data, "tol"), "bracket_rel");
    int count = truth_member_numbers(truth_member(data, "given"), "theta_deg", theta, 8);
    truth_member_numbers(truth_member(data, "expect"), "mu_min", mu, 8);
    for (int i = 0; i < count; i++) {
        double angle = degrees(theta[i]);
        truth_near(lean_ladder(solver, angle, (1.0 + bracket) * mu[i]), 0.0, REST,
            "%s: holds at %g deg", solver->name, theta[i]);
        assert_true(lean_ladder(solver, angle, (1.0 - bracket) * mu[i]) > 1e3 * REST);
    }
}

void
truth_run_ladder(const json_t *data)
{
    each_solver(run_ladder, data);
}

/*
 * Two cards of unit weight, each `theta` from the vertical, apex to apex, with half a load on each
 * apex.  Returns the largest |a|; *apex is the level force between them.
 */
static double
lean_cards(const struct cn_solver *solver, double theta, double mu, double load, double *apex)
{
    double s = 0.5 * sin(theta), c = 0.5 * cos(theta), largest = 0.0;
    cn_vec3 top = {0.0, 2.0 * c, 0.0};
    truth_problem_init(&problem);
    for (int side = -1; side <= 1; side += 2) {
        int card = truth_problem_body(
            &problem, 1.0, 1.0 / 12.0, cn_vec3_make(side * s, c, 0.0));
        truth_problem_load(&problem, card, cn_vec3_make(0.0, -1.0, 0.0), problem.center[card]);
        truth_problem_load(&problem, card, cn_vec3_make(0.0, -0.5 * load, 0.0), top);
    }
    for (int side = -1; side <= 1; side += 2) {
        truth_problem_rough_contact(&problem, -1, side > 0, cn_vec3_make(2.0 * side * s, 0.0, 0.0),
            up, level, mu, 0.0);
    }
    int row = truth_problem_contact(&problem, 0, 1, top, level, CN_ROW_NORMAL);
    for (int card = 0; card < 2; card++) {
        double alpha;
        cn_vec3 a = solve_linear(solver, card, &alpha);
        largest = fmax(largest, fmax(fmax(fabs(a.x), fabs(a.y)), fabs(alpha)));
    }
    *apex = problem.f[row];
    return largest;
}

static void
run_cards(const json_t *data, const struct cn_solver *solver)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double theta[8], load[8], mu[8], force[8], apex;
    double bracket = truth_member_number(truth_member(data, "tol"), "bracket_rel");
    int theta_count = truth_member_numbers(given, "theta_deg", theta, 8);
    int load_count = truth_member_numbers(given, "Q_over_W", load, 8);
    for (int i = 0; i < theta_count; i++) {
        size_t index = (size_t)i;
        truth_numbers(json_array_get(truth_member(expect, "mu_min"), index), mu, 8);
        truth_numbers(json_array_get(truth_member(expect, "apex_H_over_W"), index), force, 8);
        for (int k = 0; k < load_count; k++) {
            double angle = degrees(theta[i]);
            double still = lean_cards(solver, angle, (1.0 + bracket) * mu[k], load[k], &apex);
            truth_near(still, 0.0, REST, "%s: holds at %g deg", solver->name, theta[i]);
            truth_near(apex, force[k], 1e-9, "%s: apex at %g deg", solver->name, theta[i]);
            double moves = lean_cards(solver, angle, (1.0 - bracket) * mu[k], load[k], &apex);
            assert_true(moves > 1e3 * REST);
        }
    }
}

void
truth_run_cards(const json_t *data)
{
    truth_check_cards(data);
    each_solver(run_cards, data);
}
