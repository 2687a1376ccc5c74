#include "engine/solve/matrix/bounded.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/base/limits.h"
#include "engine/linalg/lemke.h"
#include "engine/math/scalar.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define LEMKE_ROWS_MAX (CN_CONTACT_ROWS_MAX / 2)
/* A force within this fraction of its range from the limit is at the limit. */
#define LIMIT_FRACTION 1e-12
#define LEMKE_PIVOTS_PER_ROW 50
/* Rounds without a new least number of wrong guesses, after which only one guess changes. */
#define STALLS_MAX 3
/* A held row whose |a| exceeds this fraction of |b| contradicts other rows. */
#define CONTRADICTION_FRACTION 1e-7
#define ROUNDS_PER_ROW 3
#define ROUNDS_MORE 20
/* The used part of the tolerance. */
#define TOLERANCE_SHARE 0.25
/* The tolerance is reduced for a larger b', but not below this. */
#define TOLERANCE_MIN 1e-14

enum place { HELD, AT_LOWER, AT_UPPER };

struct bounded {
    const struct cn_matrix_solver *solver;
    const struct cn_matrix_problem *problem;
    const struct cn_bounded_part *part;
    const struct cn_solve_options *options;
    double accel_tolerance; /* [m/s^2] */
    double accel_scale;     /* [m/s^2] the judge's s */
    double *f;              /* the caller's */
    double *a;
    double *at_limit; /* forces of the rows at a limit, zero for the others */
    double *kept;
    unsigned char *place; /* of BOUNDED rows */
    unsigned char *wrong;
    int *row; /* for the part: its rows; so are the arrays below */
    double *part_b, *part_f, *part_friction, *part_slip;
    unsigned char *part_tag;
    struct cn_solve_report report;
};

static void
bounded_take(struct bounded *s, struct cn_arena *scratch, int row_count)
{
    size_t n = (size_t)row_count;
    *s = (struct bounded){0};
    s->a = CN_ARENA_TAKE(scratch, double, n);
    s->at_limit = CN_ARENA_TAKE(scratch, double, n);
    s->kept = CN_ARENA_TAKE(scratch, double, n);
    s->place = CN_ARENA_TAKE(scratch, unsigned char, n);
    s->wrong = CN_ARENA_TAKE(scratch, unsigned char, n);
    s->row = CN_ARENA_TAKE(scratch, int, n);
    s->part_b = CN_ARENA_TAKE(scratch, double, n);
    s->part_f = CN_ARENA_TAKE(scratch, double, n);
    s->part_friction = CN_ARENA_TAKE(scratch, double, n);
    s->part_slip = CN_ARENA_TAKE(scratch, double, n);
    s->part_tag = CN_ARENA_TAKE(scratch, unsigned char, n);
}

/* Lemke and the matrix solver use the same memory. */
void
cn_bounded_layout(const struct cn_matrix_solver *solver, struct cn_arena *scratch, int n)
{
    struct bounded unused;
    struct cn_lemke lemke;
    bounded_take(&unused, scratch, n);
    struct cn_arena other = *scratch;
    CN_ASSERT(n >= 0);
    int lemke_rows = n < LEMKE_ROWS_MAX / 2 ? 2 * n : LEMKE_ROWS_MAX;
    (void)CN_ARENA_TAKE(&other, double, (size_t)lemke_rows);
    (void)CN_ARENA_TAKE(&other, int, (size_t)lemke_rows);
    cn_lemke_take(&lemke, &other, lemke_rows);
    solver->layout(scratch, n);
    if (other.used > scratch->used) {
        (void)cn_arena_take(scratch, other.used - scratch->used);
    }
}

static bool
is_bounded(const struct cn_matrix_problem *problem, int i)
{
    return cn_matrix_tag(problem, i) == CN_ROW_BOUNDED;
}

bool
cn_bounded_any(const struct cn_matrix_problem *problem)
{
    bool any = false;
    for (int i = 0; i < problem->n && problem->tag != NULL; i++) {
        any = any || is_bounded(problem, i);
    }
    return any;
}

/* Whether the row's two limits are equal: then it is always at its limit, and correctly so. */
static bool
is_fixed(const struct cn_matrix_problem *problem, int i)
{
    return problem->lower[i] == problem->upper[i];
}

static void
guess_from_warm_start(struct bounded *s)
{
    const struct cn_matrix_problem *problem = s->problem;
    for (int i = 0; i < problem->n; i++) {
        s->place[i] = HELD;
        if (!is_bounded(problem, i)) {
            continue;
        }
        CN_ASSERT(problem->lower[i] <= problem->upper[i]);
        if (is_fixed(problem, i) || (s->f[i] != 0.0 && s->f[i] <= problem->lower[i])) {
            s->place[i] = AT_LOWER;
        } else if (s->f[i] != 0.0 && s->f[i] >= problem->upper[i]) {
            s->place[i] = AT_UPPER;
        }
    }
}

/* Gathers the rows that are not at a limit, with b' as their b.  Returns their number. */
static int
gather_part(struct bounded *s)
{
    const struct cn_matrix_problem *problem = s->problem;
    int count = 0;
    for (int i = 0; i < problem->n; i++) {
        s->at_limit[i] = s->place[i] == AT_LOWER ? problem->lower[i]
            : s->place[i] == AT_UPPER            ? problem->upper[i]
                                                 : 0.0;
    }
    cn_matrix_rates(problem, s->at_limit, s->a);
    for (int i = 0; i < problem->n; i++) {
        if (s->place[i] != HELD) {
            CN_ASSERT(is_bounded(problem, i)); /* no other row has a limit */
            continue;
        }
        enum cn_row_tag tag = cn_matrix_tag(problem, i);
        CN_ASSERT(count <= i); /* the rows ascend */
        s->row[count] = i;
        s->part_b[count] = s->a[i];
        s->part_f[count] = s->f[i];
        s->part_tag[count] = tag == CN_ROW_BOUNDED ? CN_ROW_BILATERAL : (unsigned char)tag;
        s->part_friction[count] = problem->friction == NULL ? 0.0 : problem->friction[i];
        s->part_slip[count] = problem->slip == NULL ? 0.0 : problem->slip[i];
        count++;
    }
    return count;
}

/* Solves the part for the present guess, and updates f and a. */
static void
solve_part(struct bounded *s, const struct cn_arena *scratch, int iteration_max)
{
    const struct cn_matrix_problem *problem = s->problem;
    int count = gather_part(s);
    cn_work_spend(20 * (int64_t)problem->n);
    struct cn_matrix_problem part = {.n = count, .b = s->part_b, .tag = s->part_tag,
        .friction = problem->friction == NULL ? NULL : s->part_friction,
        .slip = problem->slip == NULL ? NULL : s->part_slip};
    s->part->take(s->part->context, s->row, count, &part);
    cn_matrix_check(&part);
    CN_ASSERT(!cn_bounded_any(&part));
    struct cn_solve_options options = *s->options;
    options.tolerance *= cn_min(s->accel_scale / cn_residual_scale(s->part_b, count), 1.0);
    options.tolerance = cn_max(options.tolerance, cn_min(TOLERANCE_MIN, s->options->tolerance));
    options.iteration_max = iteration_max;
    struct cn_arena rest = *scratch;
    struct cn_solve_report report = s->solver->solve(&part, &options, &rest, s->part_f);
    s->part->restore(s->part->context);
    memcpy(s->f, s->at_limit, (size_t)problem->n * sizeof(s->f[0]));
    for (int k = 0; k < count; k++) {
        s->f[s->row[k]] = s->part_f[k];
    }
    cn_matrix_rates(problem, s->f, s->a);
    s->report.outcome = report.outcome;
    report.work += 2 * cn_matrix_rates_work(problem);
    cn_solve_report_add(&s->report, &report);
}

static enum place
right_place(const struct bounded *s, int i)
{
    const struct cn_matrix_problem *problem = s->problem;
    CN_ASSERT(is_bounded(problem, i));
    double effect = fabs(cn_matrix_diagonal(problem, i)), tolerance = s->accel_tolerance;
    effect = effect > 0.0 ? effect : 1.0;
    if (is_fixed(problem, i)) {
        return AT_LOWER;
    }
    double limit = CONTRADICTION_FRACTION * s->accel_scale;
    if (s->place[i] == HELD && fabs(s->a[i]) > limit) { /* other held rows prevent it */
        bool more = s->a[i] < 0.0 && isfinite(problem->upper[i]);
        bool less = s->a[i] > 0.0 && isfinite(problem->lower[i]);
        return more ? AT_UPPER : less ? AT_LOWER : HELD;
    }
    if (s->place[i] == HELD) {
        return effect * (s->f[i] - problem->lower[i]) < -tolerance ? AT_LOWER
            : effect * (s->f[i] - problem->upper[i]) > tolerance   ? AT_UPPER
                                                                   : HELD;
    }
    double away = s->place[i] == AT_LOWER ? s->a[i] : -s->a[i];
    return away < -tolerance ? HELD : (enum place)s->place[i];
}

static int
count_wrong(struct bounded *s)
{
    int count = 0;
    for (int i = 0; i < s->problem->n; i++) {
        s->wrong[i] = 0;
        if (is_bounded(s->problem, i) && right_place(s, i) != s->place[i]) {
            s->wrong[i] = 1;
            count++;
        }
    }
    return count;
}

static void
change_places(struct bounded *s, bool single)
{
    for (int i = s->problem->n - 1; i >= 0; i--) {
        if (s->wrong[i]) {
            s->place[i] = (unsigned char)right_place(s, i);
            if (single) {
                return;
            }
        }
    }
}

/* Rounds of guessing; false when the guess is still wrong, or holds rows that can not be held. */
static bool
guess_places(struct bounded *s, const struct cn_arena *scratch, int bounded_count)
{
    int least = INT_MAX, stalls = 0, rounds = ROUNDS_PER_ROW * bounded_count + ROUNDS_MORE;
    for (; rounds > 0; rounds--) {
        int left = s->options->iteration_max - s->report.iteration_count;
        solve_part(s, scratch, left > 1 ? left : 1);
        int count = count_wrong(s);
        bool spent = s->report.iteration_count >= s->options->iteration_max ||
            (s->options->work_max > 0 && s->report.work >= s->options->work_max);
        if (count == 0 && s->report.outcome == CN_SOLVE_INFEASIBLE) {
            return false;
        }
        if (count == 0 || spent) {
            bool late = count > 0 && s->report.outcome == CN_SOLVE_CONVERGED;
            s->report.outcome = late ? CN_SOLVE_ITERATIONS_MAX : s->report.outcome;
            return true;
        }
        stalls = count < least ? 0 : stalls + 1;
        least = count < least ? count : least;
        change_places(s, stalls >= STALLS_MAX);
    }
    bool inexact = s->report.outcome == CN_SOLVE_INEXACT;
    s->report.outcome = inexact ? CN_SOLVE_INEXACT : CN_SOLVE_ITERATIONS_MAX;
    return false;
}

/*
 * How a row enters Lemke's problem: its z is sign (f - from), measured from a limit where it has
 * one.
 */
struct shift {
    double from, sign;
};

static struct shift
shift_of(const struct cn_matrix_problem *problem, int i)
{
    if (!is_bounded(problem, i)) {
        return (struct shift){0.0, 1.0};
    }
    if (isfinite(problem->lower[i])) {
        return (struct shift){problem->lower[i], 1.0};
    }
    return isfinite(problem->upper[i]) ? (struct shift){problem->upper[i], -1.0}
                                       : (struct shift){0.0, 1.0};
}

static bool
has_both_limits(const struct cn_matrix_problem *problem, int i)
{
    return is_bounded(problem, i) && isfinite(problem->lower[i]) && isfinite(problem->upper[i]);
}

/* Writes the complementarity problem of bounded.h: first the rows, then the second limits. */
static void
fill_lemke(struct bounded *s, struct cn_lemke *lemke, int *place, int m)
{
    const struct cn_matrix_problem *problem = s->problem;
    int n = problem->n, extra = n;
    cn_lemke_begin(lemke, m);
    memset(lemke->D, 0, (size_t)m * (size_t)(m + 2) * sizeof(double));
    cn_matrix_fill(problem, place, lemke->D, m + 2);
    for (int i = 0; i < n; i++) {
        s->at_limit[i] = shift_of(problem, i).from;
    }
    cn_matrix_rates(problem, s->at_limit, s->a);
    for (int i = 0; i < n; i++) {
        double *D = lemke->D + (size_t)i * (size_t)(m + 2), sign = shift_of(problem, i).sign;
        for (int j = 0; j < n; j++) {
            D[j] *= sign * shift_of(problem, j).sign;
        }
        cn_work_spend(4 * n + m / 4);
        D[m + 1] = sign * s->a[i];
        bool limited = is_bounded(problem, i) &&
            (isfinite(problem->lower[i]) || isfinite(problem->upper[i]));
        lemke->free_row[i] = cn_matrix_tag(problem, i) == CN_ROW_BILATERAL ||
            (is_bounded(problem, i) && !limited);
        if (has_both_limits(problem, i)) {
            double *limit = lemke->D + (size_t)extra * (size_t)(m + 2);
            double diagonal = cn_matrix_diagonal(problem, i);
            double root = diagonal > 0.0 ? sqrt(diagonal) : 1.0; /* so that t has the units of f */
            D[extra] = root;
            limit[i] = -root;
            limit[m + 1] = root * (problem->upper[i] - problem->lower[i]);
            lemke->free_row[extra] = false;
            extra++;
        }
    }
    CN_ASSERT(extra == m); /* a row for each second limit */
}

/* Lets Lemke's pivoting decide the places of the rows, and solves again with them. */
static void
arbitrate_by_lemke(struct bounded *s, const struct cn_arena *scratch, int m)
{
    const struct cn_matrix_problem *problem = s->problem;
    CN_ASSERT(problem->n <= m && m <= LEMKE_ROWS_MAX);
    struct cn_arena rest = *scratch;
    struct cn_lemke lemke;
    double *z = CN_ARENA_TAKE(&rest, double, (size_t)m);
    int *place = CN_ARENA_TAKE(&rest, int, (size_t)m);
    cn_lemke_take(&lemke, &rest, m);
    fill_lemke(s, &lemke, place, m);
    int pivot_max = LEMKE_PIVOTS_PER_ROW * m + LEMKE_PIVOTS_PER_ROW;
    int granted = cn_solve_iterations(s->options, s->report.work, 2 * (int64_t)m * m);
    pivot_max = s->options->work_max > 0 && granted < pivot_max ? granted : pivot_max;
    enum cn_lemke_end end = cn_lemke_solve(&lemke, pivot_max, z);
    s->report.iteration_count += lemke.pivot_count;
    s->report.work += lemke.work;
    if (end != CN_LEMKE_SOLVED) {
        /* With very different masses rounding also causes rays, so two verdicts are needed. */
        bool denied = end == CN_LEMKE_RAY && s->report.outcome == CN_SOLVE_INFEASIBLE;
        bool wrong = s->report.outcome == CN_SOLVE_INFEASIBLE && !denied;
        s->report.outcome = wrong ? CN_SOLVE_INEXACT : s->report.outcome;
        return;
    }
    int extra = problem->n;
    for (int i = 0; i < problem->n; i++) {
        if (!is_bounded(problem, i)) {
            s->f[i] = z[i];
            continue;
        }
        struct shift shift = shift_of(problem, i);
        bool free_row = !isfinite(problem->lower[i]) && !isfinite(problem->upper[i]);
        double range = problem->upper[i] - problem->lower[i];
        bool both = has_both_limits(problem, i);
        bool full = both && (z[extra] > 0.0 || z[i] >= (1.0 - LIMIT_FRACTION) * range);
        s->place[i] = free_row   ? HELD
            : full               ? AT_UPPER
            : z[i] > 0.0         ? HELD
            : shift.sign > 0.0   ? AT_LOWER
                                 : AT_UPPER;
        extra += both ? 1 : 0;
        s->f[i] = full ? problem->upper[i] : shift.from + shift.sign * z[i];
    }
    CN_ASSERT(extra == m);
    s->report.outcome = CN_SOLVE_CONVERGED;
    double residual = cn_matrix_residual(problem, s->f, s->a);
    if (residual <= s->options->tolerance) {
        return;
    }
    /* Because of rounding the matrix solver, given the places, may do better. */
    memcpy(s->kept, s->f, (size_t)problem->n * sizeof(s->f[0]));
    solve_part(s, scratch, s->options->iteration_max);
    if (!(cn_matrix_residual(problem, s->f, s->a) < residual)) {
        memcpy(s->f, s->kept, (size_t)problem->n * sizeof(s->f[0]));
        bool denied = s->report.outcome == CN_SOLVE_INFEASIBLE;
        s->report.outcome = denied ? CN_SOLVE_INFEASIBLE : CN_SOLVE_INEXACT;
    }
}

/* Whether a row at a limit does not press on it. */
static bool
rests_at_limit(const struct bounded *s)
{
    for (int i = 0; i < s->problem->n; i++) {
        if (s->place[i] != HELD && !is_fixed(s->problem, i) &&
            fabs(s->a[i]) <= s->accel_tolerance) {
            return true;
        }
    }
    return false;
}

struct cn_solve_report
cn_bounded_solve(const struct cn_matrix_solver *solver, const struct cn_matrix_problem *problem,
    const struct cn_bounded_part *part, const struct cn_solve_options *options,
    struct cn_arena *scratch, double *f)
{
    CN_ASSERT(!solver->bounded && cn_bounded_any(problem));
    struct bounded s;
    bounded_take(&s, scratch, problem->n);
    s.solver = solver;
    s.problem = problem;
    s.part = part;
    s.options = options;
    s.f = f;
    s.accel_scale = cn_residual_scale(problem->b, problem->n);
    s.accel_tolerance = TOLERANCE_SHARE * options->tolerance * s.accel_scale;
    int bounded_count = 0, m = problem->n;
    bool friction = false;
    for (int i = 0; i < problem->n; i++) {
        bounded_count += is_bounded(problem, i) ? 1 : 0;
        m += has_both_limits(problem, i) ? 1 : 0;
        friction = friction || cn_matrix_tag(problem, i) == CN_ROW_TANGENT;
    }
    CN_ASSERT(bounded_count <= problem->n && m <= problem->n + bounded_count);
    guess_from_warm_start(&s);
    if (!guess_places(&s, scratch, bounded_count)) {
        if (!friction && m <= LEMKE_ROWS_MAX) {
            arbitrate_by_lemke(&s, scratch, m);
        } else if (s.report.outcome == CN_SOLVE_INFEASIBLE) {
            s.report.outcome = CN_SOLVE_INEXACT; /* infeasible for one guess only */
        }
    }
    if (options->minimum_norm && s.report.outcome == CN_SOLVE_CONVERGED && rests_at_limit(&s)) {
        s.report.outcome = CN_SOLVE_INEXACT;
    }
    return s.report;
}
