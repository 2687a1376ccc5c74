#include "engine/solve/matrix/baraff94_friction.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/base/limits.h"
#include "engine/linalg/lemke.h"
#include "engine/math/scalar.h"
#include "engine/solve/matrix/friction_newton.h"
#include "engine/solve/matrix/friction_pivot.h"

#include <math.h>
#include <string.h>

#define TOLERANCE_SHARE 0.25
#define PIVOTS_PER_ROW 10
#define LEMKE_PIVOTS_PER_ROW 50
/* For all rounds together. */
#define PIVOTS_PER_ROW_MAX 100
/* Directions that turn by less than this [rad] in a round have converged. */
#define TURN_MIN 1e-14
#define NEWTON_STEPS_MAX 40
/* Operations of a pivot for each entry of a dense A. */
#define PIVOT_COST 2
/* Of filling a dictionary, for each entry; and of the choice of a pivot, for each row. */
#define FILL_COST 10
#define ROW_COST 60

/* Cosine and sine of the angles between the starts of the rounds: 0, 45, 22.5, 67.5 degrees. */
#define STARTS_MAX 4
static const double start_turn[STARTS_MAX][2] = {{1.0, 0.0},
    {0.70710678118654752, 0.70710678118654752}, {0.92387953251128674, 0.38268343236508977},
    {0.38268343236508977, 0.92387953251128674}};

struct friction {
    const struct cn_matrix_problem *problem;
    struct cn_friction_frame frame;
    struct cn_friction_pivot pivot;
    struct cn_lemke lemke; /* uses the memory of the pivot's dictionary, once that is done */
    double *f, *a;         /* of the present round */
    double *best;
    double residual;
    int *place; /* index of row i in Lemke's problem; -1: it is not there */
    int64_t work;
    bool rolls; /* contacts have moments */
    int iteration_count, iteration_max;
    int64_t work_max;
};

static int
capacity_of(int n)
{
    return n < CN_CONTACT_ROWS_MAX ? n : CN_CONTACT_ROWS_MAX;
}

bool
cn_baraff94_has_friction(const struct cn_matrix_problem *problem)
{
    for (int i = 0; problem->tag != NULL && i < problem->n; i++) {
        if (cn_row_follows((enum cn_row_tag)problem->tag[i])) {
            return true;
        }
    }
    return false;
}

static void
friction_take(struct friction *s, struct cn_arena *scratch, int n)
{
    size_t rows = (size_t)n;
    cn_friction_frame_take(&s->frame, scratch, n);
    s->f = CN_ARENA_TAKE(scratch, double, rows);
    s->a = CN_ARENA_TAKE(scratch, double, rows);
    s->best = CN_ARENA_TAKE(scratch, double, rows);
    s->place = CN_ARENA_TAKE(scratch, int, rows);
}

/* Lemke's problem is largest where every normal row has two tangent rows: 5 rows for 3. */
static int
lemke_rows_max(int n)
{
    return n + (2 * n + 2) / 3;
}

void
cn_baraff94_friction_layout(struct cn_arena *scratch, int n)
{
    struct friction unused;
    int rows = capacity_of(n);
    friction_take(&unused, scratch, rows);
    struct cn_arena other = *scratch;
    cn_lemke_take(&unused.lemke, &other, lemke_rows_max(rows));
    (void)CN_ARENA_TAKE(&other, double, (size_t)lemke_rows_max(rows));
    (void)CN_ARENA_TAKE(&other, double, (size_t)rows);
    struct cn_friction_newton newton;
    struct cn_arena third = *scratch;
    cn_friction_newton_take(&newton, &third, rows);
    (void)CN_ARENA_TAKE(&third, double, (size_t)rows);
    cn_friction_pivot_take(&unused.pivot, scratch, rows);
    other.used = other.used > third.used ? other.used : third.used;
    if (other.used > scratch->used) {
        (void)cn_arena_take(scratch, other.used - scratch->used);
    }
}

/*
 * Measures the residual of s->f, in the problem's directions, and keeps s->f when it is the best so
 * far.
 */
static void
consider_forces(struct friction *s)
{
    double residual = cn_matrix_residual(s->problem, s->f, s->a);
    if (residual < s->residual) {
        s->residual = residual;
        memcpy(s->best, s->f, (size_t)s->problem->n * sizeof(s->f[0]));
    }
}

/* The number of iterations of this cost for which work is left. */
static int
iterations_left(const struct friction *s, int64_t cost)
{
    CN_ASSERT(cost > 0);
    int64_t left = s->iteration_max - s->iteration_count;
    if (s->work_max > 0 && (s->work_max - s->work) / cost < left) {
        left = (s->work_max - s->work) / cost;
    }
    return left > 0 ? (int)left : 0;
}

/* ---- Lemke ---- */

static bool
is_static_tangent(const struct friction *s, int i)
{
    return s->frame.normal[i] >= 0 && !cn_friction_frame_slides(&s->frame, i);
}

/*
 * Numbers the rows of Lemke's problem: one for each row, two for static tangents, none for sliding
 * ones.
 */
static int
number_rows(struct friction *s)
{
    int count = 0;
    for (int i = 0; i < s->problem->n; i++) {
        bool slides = s->frame.normal[i] >= 0 && !is_static_tangent(s, i);
        s->place[i] = slides ? -1 : count;
        count += slides ? 0 : is_static_tangent(s, i) ? 2 : 1;
    }
    CN_ASSERT(count <= lemke_rows_max(s->problem->n));
    return count;
}

/* The factor of f_N in f_i, besides u: -mu for a static tangent, -mu d for a sliding one. */
static double
share_of(const struct friction *s, int i)
{
    double mu = cn_friction_frame_mu(&s->frame, i);
    return is_static_tangent(s, i) ? -mu : -mu * cn_friction_frame_slip(&s->frame, i);
}

/* Writes row i of A, in the frame's directions, to a row of Lemke's problem. */
static void
spread_row(const struct friction *s, const double *from, double *to)
{
    for (int j = 0; j < s->problem->n; j++) {
        int normal = s->frame.normal[j];
        if (normal >= 0) {
            CN_ASSERT(s->place[normal] >= 0); /* only tangents have no row */
            to[s->place[normal]] += share_of(s, j) * from[j];
        }
        if (s->place[j] >= 0) {
            to[s->place[j]] += from[j];
        }
    }
    cn_work_spend(10 * (int64_t)s->problem->n);
}

static void
fill_lemke(struct friction *s, int count, double *b, double *row)
{
    struct cn_lemke *lemke = &s->lemke;
    cn_friction_frame_b(&s->frame, b);
    memset(lemke->D, 0, (size_t)count * (size_t)(count + 2) * sizeof(lemke->D[0]));
    cn_work_spend((int64_t)count * count / 4);
    for (int i = 0; i < s->problem->n; i++) {
        int k = s->place[i];
        if (k < 0) {
            continue;
        }
        CN_ASSERT(k < count);
        double *to = lemke->D + (size_t)k * (size_t)(count + 2);
        cn_friction_frame_row(&s->frame, i, row);
        spread_row(s, row, to);
        to[count + 1] = b[i];
        lemke->free_row[k] = cn_matrix_tag(s->problem, i) == CN_ROW_BILATERAL;
        if (is_static_tangent(s, i)) {
            to[k + 1] = 1.0; /* a_T + beta */
            double *other = to + (count + 2);
            other[s->place[s->frame.normal[i]]] = 2.0 * cn_friction_frame_mu(&s->frame, i);
            other[k] = -1.0; /* 2 mu f_N - u */
        }
    }
}

/* Solves the problem in the frame's directions by Lemke's method, which always ends. */
static enum cn_lemke_end
arbitrate_by_lemke(struct friction *s, struct cn_arena scratch, int pivot_max)
{
    int n = s->problem->n, count = number_rows(s);
    cn_lemke_take(&s->lemke, &scratch, count);
    double *z = CN_ARENA_TAKE(&scratch, double, (size_t)count);
    double *row = CN_ARENA_TAKE(&scratch, double, (size_t)n);
    cn_lemke_begin(&s->lemke, count);
    fill_lemke(s, count, s->a, row);
    int lemke_max = LEMKE_PIVOTS_PER_ROW * count + LEMKE_PIVOTS_PER_ROW;
    enum cn_lemke_end end =
        cn_lemke_solve(&s->lemke, lemke_max < pivot_max ? lemke_max : pivot_max, z);
    for (int i = 0; i < n; i++) {
        int normal = s->frame.normal[i];
        s->f[i] = s->place[i] < 0 ? 0.0 : z[s->place[i]];
        if (normal >= 0) {
            s->f[i] += share_of(s, i) * z[s->place[normal]];
        }
    }
    s->iteration_count += s->lemke.pivot_count;
    s->work += s->lemke.work + FILL_COST * (int64_t)count * count;
    return end;
}

/* ---- rounds ---- */

/* One solution in the frame's directions, from s->f to s->f; both in the problem's directions. */
static enum cn_solve_outcome
solve_round(struct friction *s, const struct cn_solve_options *options, struct cn_arena scratch)
{
    int n = s->problem->n;
    double tolerance =
        TOLERANCE_SHARE * options->tolerance * cn_residual_scale(s->problem->b, n);
    int own = PIVOTS_PER_ROW * n + PIVOTS_PER_ROW;
    int left = iterations_left(s, PIVOT_COST * (int64_t)n * n);
    struct cn_arena mark = scratch;
    cn_friction_pivot_take(&s->pivot, &mark, n);
    cn_friction_frame_enter(&s->frame, s->f);
    enum cn_friction_end end = cn_friction_pivot_solve(
        &s->pivot, &s->frame, tolerance, own < left ? own : left, s->f);
    cn_friction_frame_leave(&s->frame, s->f);
    s->iteration_count += s->pivot.pivot_count;
    s->work += s->pivot.work + FILL_COST * (int64_t)n * n;
    s->work += ROW_COST * (int64_t)n * s->pivot.pivot_count;
    consider_forces(s);
    if (end == CN_FRICTION_DONE || end == CN_FRICTION_CONTRADICTED) {
        return end == CN_FRICTION_DONE ? CN_SOLVE_CONVERGED : CN_SOLVE_INFEASIBLE;
    }
    if (s->rolls) {
        return CN_SOLVE_INEXACT;
    }
    int rows = lemke_rows_max(n);
    left = iterations_left(s, PIVOT_COST * (int64_t)rows * rows);
    if (left <= 0) {
        return CN_SOLVE_ITERATIONS_MAX;
    }
    enum cn_lemke_end lemke_end = arbitrate_by_lemke(s, scratch, left);
    cn_friction_frame_leave(&s->frame, s->f);
    consider_forces(s);
    return lemke_end == CN_LEMKE_SOLVED ? CN_SOLVE_INEXACT
        : lemke_end == CN_LEMKE_RAY     ? CN_SOLVE_INFEASIBLE
                                        : CN_SOLVE_ITERATIONS_MAX;
}

/*
 * Turns every pair of tangents to the direction of the judge's projection, from the forces in s->f.
 * Returns the largest turn, as a chord; 0 when there is no pair.
 */
static double
turn_frame(struct friction *s)
{
    double largest = 0.0;
    (void)cn_matrix_residual(s->problem, s->f, s->a);
    cn_work_spend(60 * (int64_t)s->problem->n);
    for (int i = 0; i < s->problem->n; i++) {
        if (!cn_friction_frame_is_pair(&s->frame, i)) {
            continue;
        }
        double effect = cn_max(fabs(cn_matrix_diagonal(s->problem, i)),
            fabs(cn_matrix_diagonal(s->problem, i + 1)));
        double c = s->frame.c[i], t = s->frame.s[i];
        cn_friction_frame_turn(&s->frame, i, effect * s->f[i] - s->a[i],
            effect * s->f[i + 1] - s->a[i + 1]);
        /* Both directions along the line count as the same. */
        double cosine = fabs(c * s->frame.c[i] + t * s->frame.s[i]);
        largest = cn_max(largest, sqrt(cn_max(1.0 - cosine, 0.0)));
    }
    return largest;
}

/* Newton's method from s->f; keeps the result if it is better. */
static void
sharpen_forces(struct friction *s, const struct cn_solve_options *options, struct cn_arena scratch)
{
    size_t size = (size_t)s->problem->n * sizeof(s->f[0]);
    int64_t n = s->problem->n;
    int left = iterations_left(s, 2 * n * n * n);
    if (left == 0) {
        return;
    }
    struct cn_friction_newton newton;
    cn_friction_newton_take(&newton, &scratch, s->problem->n);
    double *start = CN_ARENA_TAKE(&scratch, double, (size_t)s->problem->n);
    double before = cn_matrix_residual(s->problem, s->f, s->a);
    memcpy(start, s->f, size);
    s->iteration_count += cn_friction_newton_run(
        &newton, s->problem, TOLERANCE_SHARE * options->tolerance,
        left < NEWTON_STEPS_MAX ? left : NEWTON_STEPS_MAX, s->f);
    s->work += newton.work;
    consider_forces(s);
    if (!(cn_matrix_residual(s->problem, s->f, s->a) < before)) {
        memcpy(s->f, start, size);
    }
}

/*
 * True when the last answer, or in space one near it, still solves the problem.  Otherwise leaves
 * the frame in the directions of that answer.
 */
static bool
begin_warm(struct friction *s, const struct cn_solve_options *options, struct cn_arena scratch)
{
    bool pushes = false;
    for (int i = 0; i < s->problem->n; i++) {
        pushes = pushes || s->f[i] != 0.0;
    }
    if (!pushes) {
        (void)turn_frame(s);
        return false;
    }
    consider_forces(s);
    if (s->residual > TOLERANCE_SHARE * options->tolerance && turn_frame(s) > 0.0) {
        sharpen_forces(s, options, scratch);
        (void)turn_frame(s);
    }
    return s->residual <= options->tolerance;
}

/* Turns every pair to the direction of s->f, and then by `turn`; false when there is no pair. */
static bool
begin_aslant(struct friction *s, const double turn[2])
{
    bool any = false;
    (void)turn_frame(s);
    for (int i = 0; i < s->problem->n; i++) {
        if (cn_friction_frame_is_pair(&s->frame, i)) {
            double c = s->frame.c[i], t = s->frame.s[i];
            cn_friction_frame_turn(&s->frame, i, turn[0] * c - turn[1] * t,
                turn[1] * c + turn[0] * t);
            any = true;
        }
    }
    return any;
}

/* Solves and turns until the residual is within the tolerance or nothing turns. */
static enum cn_solve_outcome
run_rounds(struct friction *s, const struct cn_solve_options *options, struct cn_arena scratch)
{
    enum cn_solve_outcome outcome = CN_SOLVE_ITERATIONS_MAX;
    for (int round = 0; round < CN_BARAFF94_ROUNDS_MAX; round++) {
        outcome = solve_round(s, options, scratch);
        bool spent = iterations_left(s, PIVOT_COST * (int64_t)s->problem->n * s->problem->n) == 0;
        if (s->residual <= options->tolerance || spent) {
            break;
        }
        sharpen_forces(s, options, scratch);
        bool hopeless = outcome == CN_SOLVE_INFEASIBLE;
        if (s->residual <= options->tolerance || hopeless || !(turn_frame(s) > TURN_MIN)) {
            break;
        }
    }
    return outcome;
}

struct cn_solve_report
cn_baraff94_friction_solve(const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, struct cn_arena *scratch, double *f)
{
    int n = problem->n;
    struct cn_solve_report report = {.outcome = CN_SOLVE_ITERATIONS_MAX};
    if (n > CN_CONTACT_ROWS_MAX) {
        return report;
    }
    CN_ASSERT(cn_baraff94_has_friction(problem) && !cn_matrix_has(problem, CN_ROW_BOUNDED));
    size_t size = (size_t)n * sizeof(f[0]);
    struct friction s = {.problem = problem, .residual = HUGE_VAL};
    s.rolls = cn_matrix_rolls(problem);
    int own = PIVOTS_PER_ROW_MAX * n + PIVOTS_PER_ROW_MAX;
    s.iteration_max = own < options->iteration_max ? own : options->iteration_max;
    s.work_max = options->work_max;
    friction_take(&s, scratch, n);
    cn_friction_frame_begin(&s.frame, problem);
    memset(s.f, 0, size); /* usable, if nothing better is found */
    memset(s.best, 0, size);
    consider_forces(&s);
    memcpy(s.f, f, size);
    if (begin_warm(&s, options, *scratch)) {
        report.outcome = CN_SOLVE_CONVERGED;
    }
    int64_t cost = PIVOT_COST * (int64_t)n * n;
    for (int start = 0; start < STARTS_MAX && s.residual > options->tolerance &&
         iterations_left(&s, cost) > 0;
         start++) {
        if (start > 0) {
            memcpy(s.f, f, size);
            if (!begin_aslant(&s, start_turn[start])) {
                break; /* in the plane there is only one direction */
            }
        }
        enum cn_solve_outcome outcome = run_rounds(&s, options, *scratch);
        bool better = start == 0 || outcome < report.outcome;
        report.outcome = better ? outcome : report.outcome;
    }
    memcpy(f, s.best, size);
    report.iteration_count = s.iteration_count;
    report.work = s.work;
    if (report.outcome == CN_SOLVE_INEXACT && s.residual <= options->tolerance) {
        report.outcome = CN_SOLVE_CONVERGED;
    }
    if (options->minimum_norm && report.outcome == CN_SOLVE_CONVERGED) {
        report.outcome = CN_SOLVE_INEXACT;
    }
    return report;
}
