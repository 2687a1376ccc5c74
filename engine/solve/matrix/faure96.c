#include "engine/solve/matrix/faure96.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/base/limits.h"
#include "engine/math/scalar.h"
#include "engine/solve/matrix/faure96_inside.h"
#include "engine/solve/matrix/minimum_norm.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* The used part of the tolerance; the rest is for rounding until the judge measures. */
#define TOLERANCE_SHARE 0.25
/*
 * Rounds without a new least number of inconsistent contacts, after which only one changes sides.
 */
#define STALLS_MAX 3
/* And, with friction, after which the contacts take turns in that. */
#define TURNS_AFTER 10
#define ROUNDS_PER_CONTACT 4
#define ROUNDS_PER_CONTACT_FRICTION 10
#define ROUNDS_MORE 40
#define PIVOTS_PER_ROW 10
/* Rows of an island without friction up to which A_KK^+ is dense. */
#define DENSE_ROWS_MAX 32
/* Entries of the sparse factor, in islands too large for a full triangle. */
#define ENTRIES_PER_ROW 256
/* A round of a dense island that costs more than so many times the granted work is not begun. */
#define COST_MAX 2
/* Friction of a warm start that is this close to the cone counts as on it. */
#define CONE_FRACTION 1e-9

static const struct cn_faure96_options as_usual = {.literal = false};

static int
dense_capacity(int n)
{
    return n < CN_CONTACT_ROWS_MAX ? n : CN_CONTACT_ROWS_MAX;
}

static void
faure96_take(struct faure96 *s, struct cn_arena *scratch, int row_count)
{
    CN_ASSERT(row_count >= 0);
    size_t n = (size_t)row_count, dense = (size_t)dense_capacity(row_count);
    size_t triangle = dense * (dense + 1) / 2, sparse = ENTRIES_PER_ROW * n;
    bool fits = row_count <= CN_CONTACT_ROWS_MAX || triangle > sparse;
    *s = (struct faure96){0};
    s->a = CN_ARENA_TAKE(scratch, double, n);
    s->diagonal = CN_ARENA_TAKE(scratch, double, n);
    s->v_f = CN_ARENA_TAKE(scratch, double, n);
    s->v_a = CN_ARENA_TAKE(scratch, double, n);
    s->fault = CN_ARENA_TAKE(scratch, unsigned char, n);
    s->contact = CN_ARENA_TAKE(scratch, struct faure96_contact, n);
    s->unknown = CN_ARENA_TAKE(scratch, struct faure96_unknown, n);
    s->column = CN_ARENA_TAKE(scratch, double, n);
    s->gap = CN_ARENA_TAKE(scratch, double, n);
    s->change = CN_ARENA_TAKE(scratch, double, n);
    s->kept = CN_ARENA_TAKE(scratch, double, n);
    cn_dantzig_take(&s->dantzig, scratch, row_count, fits ? triangle : sparse);
}

static void
dense_take(struct faure96 *s, struct cn_arena *scratch, int row_count)
{
    size_t n = (size_t)row_count;
    s->A = CN_ARENA_TAKE(scratch, double, n * n);
    cn_pseudo_inverse_take(&s->inverse, scratch, row_count);
}

/* The dense matrices and the minimum norm use the same memory: the matrices are done first. */
static void
faure96_matrix_layout(struct cn_arena *scratch, int n)
{
    struct faure96 unused;
    faure96_take(&unused, scratch, n);
    struct cn_arena other = *scratch;
    dense_take(&unused, &other, dense_capacity(n));
    cn_minimum_norm_layout(scratch, dense_capacity(n));
    if (other.used > scratch->used) {
        (void)cn_arena_take(scratch, other.used - scratch->used);
    }
}

static struct faure96_contact
contact_at(const struct faure96 *s, int row)
{
    const struct cn_matrix_problem *problem = s->problem;
    struct faure96_contact c = {.row = row, .u = {1.0, 0.0}};
    CN_ASSERT(cn_matrix_tag(problem, row) != CN_ROW_TANGENT); /* invariant 1 */
    c.bilateral = cn_matrix_tag(problem, row) == CN_ROW_BILATERAL;
    for (int i = row + 1; i < problem->n && cn_matrix_tag(problem, i) == CN_ROW_TANGENT; i++) {
        double d = problem->slip == NULL ? 0.0 : problem->slip[i];
        CN_ASSERT(c.tangent_count < 2);
        c.u[c.tangent_count] = -d;
        c.slips = c.slips || d != 0.0;
        c.tangent_count++;
        c.tangent_diagonal = cn_max(c.tangent_diagonal, s->diagonal[i]);
    }
    c.tangent_diagonal = c.tangent_diagonal > 0.0 ? c.tangent_diagonal : 1.0;
    CN_ASSERT(c.tangent_count == 0 || (!c.bilateral && problem->friction != NULL));
    c.mu = c.tangent_count > 0 ? problem->friction[row] : 0.0;
    return c;
}

/* The side of a contact that was not judged before, from the warm start where there is one. */
static void
first_side(struct faure96 *s, struct faure96_contact *c, bool warm)
{
    const double *f = &s->f[c->row];
    c->side = c->slips ? FAURE96_SLIDES : FAURE96_HOLDS;
    if (c->bilateral || !warm) {
        return;
    }
    if (!(f[0] > 0.0)) {
        c->side = FAURE96_OPEN;
    } else if (c->tangent_count > 0 && !c->slips && !s->how->literal) {
        double f_2 = c->tangent_count == 2 ? f[2] : 0.0;
        double length = sqrt(f[1] * f[1] + f_2 * f_2);
        if (length > 0.0 && isfinite(length) && length >= (1.0 - CONE_FRACTION) * c->mu * f[0]) {
            c->side = FAURE96_SLIDES;
            c->u[0] = f[1] / length;
            c->u[1] = f_2 / length;
        }
    }
}

static void
faure96_begin(struct faure96 *s, const struct cn_matrix_problem *problem, double accel_tolerance,
    double *f)
{
    bool warm = false;
    s->problem = problem;
    s->f = f;
    s->accel_tolerance = accel_tolerance;
    s->accel_scale = cn_residual_scale(problem->b, problem->n);
    for (int i = 0; i < problem->n; i++) {
        if (i % 128 == 0) {
            cn_work_spend(128 * 60);
        }
        s->diagonal[i] = cn_matrix_diagonal(problem, i);
        s->root_max = cn_max(s->root_max, sqrt(cn_max(s->diagonal[i], 0.0)));
        s->friction = s->friction || cn_matrix_tag(problem, i) == CN_ROW_TANGENT;
        warm = warm || (cn_matrix_tag(problem, i) == CN_ROW_NORMAL && f[i] > 0.0);
    }
    for (int i = 0; i < problem->n; i += 1 + s->contact[s->contact_count - 1].tangent_count) {
        struct faure96_contact *c = &s->contact[s->contact_count];
        *c = contact_at(s, i);
        first_side(s, c, warm);
        cn_work_spend(100);
        s->contact_count++;
        CN_ASSERT(i + c->tangent_count < problem->n); /* invariant 1 */
    }
    CN_ASSERT(s->contact_count <= problem->n);
    memset(f, 0, (size_t)problem->n * sizeof(f[0]));
}

/* A by columns. */
static void
fill_dense(struct faure96 *s)
{
    int n = s->problem->n;
    cn_matrix_fill(s->problem, s->dantzig.place, s->A, n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            double *lower = &s->A[(size_t)i * (size_t)n + (size_t)j];
            double *upper = &s->A[(size_t)j * (size_t)n + (size_t)i], kept = *lower;
            *lower = *upper;
            *upper = kept;
        }
        cn_work_spend(4 * i);
    }
}

/* Compensates the inconsistency of one contact, and moves it to the other side. */
static void
change_side(struct faure96 *s, struct faure96_contact *c)
{
    int i = c->row;
    CN_ASSERT(0 <= i && i + c->tangent_count < s->problem->n);
    for (int k = 0; k <= c->tangent_count; k++) {
        s->f[i + k] += s->v_f[i + k];
    }
    switch ((enum cn_faure96_fault)s->fault[i]) {
    case CN_FAURE96_FINE:
        break;
    case CN_FAURE96_PULLS:
    case CN_FAURE96_PARTS:
        CN_ASSERT(!c->bilateral);
        c->side = FAURE96_OPEN;
        break;
    case CN_FAURE96_DRIVES:
        CN_ASSERT(c->tangent_count > 0);
        c->side = FAURE96_HOLDS;
        break;
    case CN_FAURE96_SINKS: {
        bool frozen = s->how->literal && c->tangent_count > 0;
        c->side = c->slips ? FAURE96_SLIDES : frozen ? FAURE96_FROZEN : FAURE96_HOLDS;
        break;
    }
    case CN_FAURE96_BEYOND: {
        CN_ASSERT(c->tangent_count > 0); /* invariant 2 */
        const double *f_T = &s->f[i + 1];
        double f_2 = c->tangent_count == 2 ? f_T[1] : 0.0;
        double length = sqrt(f_T[0] * f_T[0] + f_2 * f_2);
        c->side = s->how->literal ? FAURE96_FROZEN : FAURE96_SLIDES;
        if (length > 0.0) {
            c->u[0] = f_T[0] / length;
            c->u[1] = f_2 / length;
        }
        break;
    }
    }
}

/* Changes the sides of all inconsistent contacts, or only of the last one that is below `end`. */
static void
change_sides(struct faure96 *s, bool single, int end)
{
    CN_ASSERT(end == 0 || (0 < end && end < s->contact_count));
    for (int k = 0; k < s->contact_count; k++) {
        int turn = (end + s->contact_count - 1 - k) % s->contact_count;
        struct faure96_contact *c = &s->contact[turn];
        if (s->fault[c->row] != CN_FAURE96_FINE) {
            change_side(s, c);
            if (single) {
                return;
            }
        }
    }
}

static void
visit_round(const struct faure96 *s)
{
    struct cn_faure96_round round = {.count = s->round_count, .n = s->problem->n, .f = s->f,
        .a = s->a, .fault = s->fault, .v_f = s->v_f, .v_a = s->v_a};
    if (s->how->visit != NULL) {
        s->how->visit(s->how->context, &round);
    }
}

/* Rounds until nothing is inconsistent; at the limit f is made consistent. */
static enum cn_solve_outcome
redistribute_work(struct faure96 *s, int round_max)
{
    int least = INT_MAX, stalls = 0;
    for (;;) { /* bounded: every turn spends a round */
        faure96_round_solve(s);
        int count = faure96_round_judge(s);
        visit_round(s);
        if (count == 0 && s->settled) {
            return s->contradiction                    ? CN_SOLVE_INFEASIBLE
                   : s->error > 2.0 * s->accel_tolerance ? CN_SOLVE_INEXACT
                                                         : CN_SOLVE_CONVERGED;
        }
        bool spent = s->work_max > 0 && s->work >= s->work_max;
        if (s->round_count >= round_max || spent) {
            change_sides(s, false, 0);
            return CN_SOLVE_ITERATIONS_MAX;
        }
        if (count > 0) {
            stalls = count < least ? 0 : stalls + 1;
            least = count < least ? count : least;
        }
        /*
         * With friction the contact of highest index may oscillate; then the contacts take turns.
         */
        int end = s->friction && stalls >= TURNS_AFTER ? s->round_count % s->contact_count : 0;
        change_sides(s, !s->how->literal && stalls >= STALLS_MAX, end);
    }
}

/* The last resort without friction. */
static enum cn_solve_outcome
pivot_forces(struct faure96 *s, int pivot_max)
{
    struct cn_dantzig *z = &s->dantzig;
    CN_ASSERT(!s->friction);
    cn_dantzig_begin(z, s->problem, s->accel_tolerance, s->f);
    cn_dantzig_warm(z);
    enum cn_dantzig_end end = cn_dantzig_run(z, pivot_max);
    s->work += z->work + z->factor.work;
    s->round_count += z->pivot_count;
    switch (end) {
    case CN_DANTZIG_DONE:
        return CN_SOLVE_CONVERGED;
    case CN_DANTZIG_RAY:
        return CN_SOLVE_INFEASIBLE;
    case CN_DANTZIG_PIVOTS_MAX:
        return CN_SOLVE_ITERATIONS_MAX;
    case CN_DANTZIG_SPOILED:
    case CN_DANTZIG_INDEFINITE:
        break;
    }
    return CN_SOLVE_INEXACT;
}

/* The last resort with friction.  An answer within the tolerance counts, however it was found. */
static enum cn_solve_outcome
sweep_contacts(struct faure96 *s, double tolerance, enum cn_solve_outcome outcome)
{
    double residual = faure96_sweep(s, TOLERANCE_SHARE * tolerance);
    return residual <= TOLERANCE_SHARE * tolerance ? CN_SOLVE_CONVERGED : outcome;
}

/* Solves once from zero forces with the final sets: this has the least norm that they allow. */
static bool
find_least_with_friction(struct faure96 *s)
{
    size_t size = (size_t)s->problem->n * sizeof(s->f[0]);
    memcpy(s->kept, s->f, size);
    memset(s->f, 0, size);
    faure96_round_solve(s);
    bool found = faure96_round_judge(s) == 0 && s->settled && !s->contradiction;
    if (!found) {
        memcpy(s->f, s->kept, size);
    }
    return found;
}

/* Whether the granted work is far below that of a round, which can not be cut. */
static bool
is_too_large(const struct cn_solve_options *options, int64_t cost)
{
    return options->work_max > 0 && cost / COST_MAX > options->work_max;
}

struct cn_solve_report
cn_faure96_solve(const struct cn_matrix_problem *problem, const struct cn_solve_options *options,
    const struct cn_faure96_options *how, struct cn_arena *scratch, double *f)
{
    CN_ASSERT(!cn_matrix_has(problem, CN_ROW_BOUNDED)); /* bounded.h has taken them out */
    int n = problem->n;
    struct faure96 s;
    struct cn_solve_report report = {.outcome = CN_SOLVE_ITERATIONS_MAX};
    double accel_tolerance =
        TOLERANCE_SHARE * options->tolerance * cn_residual_scale(problem->b, n);
    faure96_take(&s, scratch, n);
    s.how = how;
    s.work_max = options->work_max;
    s.friction = cn_matrix_has(problem, CN_ROW_TANGENT);
    struct cn_arena rest = *scratch;
    bool pivots = !s.friction && !how->literal && cn_matrix_is_symmetric(problem);
    bool dense = n <= DENSE_ROWS_MAX || !pivots;
    int64_t cost = dense ? (int64_t)n * n * n / 2 : 0; /* of a round */
    if ((n > dense_capacity(n) && !pivots) || is_too_large(options, cost)) {
        return report;
    }
    faure96_begin(&s, problem, accel_tolerance, f);
    if (dense) {
        dense_take(&s, &rest, n);
        fill_dense(&s);
    }
    CN_ASSERT(s.A != NULL || !s.friction); /* invariant 4 */
    int rounds_own = s.friction ? ROUNDS_PER_CONTACT_FRICTION : ROUNDS_PER_CONTACT;
    rounds_own = rounds_own * s.contact_count + ROUNDS_MORE;
    int granted = cn_solve_iterations(options, 0, cost);
    bool short_budget = how->literal || granted < rounds_own;
    report.outcome = redistribute_work(&s, short_budget ? granted : rounds_own);
    bool undecided =
        report.outcome == CN_SOLVE_ITERATIONS_MAX || report.outcome == CN_SOLVE_INEXACT;
    if (undecided && !short_budget && pivots) {
        report.outcome = pivot_forces(&s, PIVOTS_PER_ROW * n + PIVOTS_PER_ROW);
    } else if (report.outcome != CN_SOLVE_CONVERGED && !short_budget && s.friction) {
        report.outcome = sweep_contacts(&s, options->tolerance, report.outcome);
    }
    report.iteration_count = s.round_count;
    report.work = s.work;
    if (options->minimum_norm && report.outcome == CN_SOLVE_CONVERGED) {
        bool found = pivots && n <= dense_capacity(n)
            ? cn_minimum_norm_from(problem, accel_tolerance, scratch, f, &report)
            : find_least_with_friction(&s);
        report.outcome = found ? CN_SOLVE_CONVERGED : CN_SOLVE_INEXACT;
    }
    return report;
}

static struct cn_solve_report
faure96_matrix_solve(const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, struct cn_arena *scratch, double *f)
{
    return cn_faure96_solve(problem, options, &as_usual, scratch, f);
}

const struct cn_matrix_solver cn_matrix_solver_faure96 = {
    .name = "faure96",
    .layout = faure96_matrix_layout,
    .solve = faure96_matrix_solve,
};
