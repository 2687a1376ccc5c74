/*
 * simplex_least.c: the least sum of violations, where a program has no solution.
 *
 * Every row's slack is a difference of two variables that are not negative.  For s_i >= 0 these are
 * its part above 0, which costs nothing, and its part below, which costs 1; for s_i = 0 both cost
 * 1.  The sum of the costs is an ordinary linear program that always has a solution, because every
 * x of its kind is allowed.  At most one of the two variables is basic; `side` says which.  It
 * leaves the basis where it reaches 0, and the other may enter after it.  So this is the simplex
 * method, and Bland's rule makes it end, with 2 v and 2 v + 1 as the indices of the two parts of
 * variable v.
 *
 * Phase 1 may leave an x that is not of its kind (after another run, with other kinds).  It is
 * brought back first: then its violation is the only cost, and slacks are free.
 */
#include "engine/linalg/simplex_least.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

/* A slope below this fraction of the sum of its terms counts as rounding. */
#define SLOPE_MIN 1e-11
/* How often sides are determined again: small rates may have carried a variable across 0. */
#define TURNS_MAX 8

/* Which variables cost: first those of x, then those of s. */
enum stage { OF_X, OF_S };

static bool
is_slack(const struct cn_simplex *lp, int variable)
{
    return variable >= lp->n;
}

/* Whether a variable may be on that side of 0. */
static bool
may_have_side(const struct cn_simplex *lp, enum stage stage, int variable, int side)
{
    enum cn_simplex_kind kind = cn_simplex_kind_of(lp, variable);
    bool is_open = kind == CN_SIMPLEX_FREE || (kind == CN_SIMPLEX_NONNEGATIVE && side > 0);
    if (!is_slack(lp, variable)) {
        return is_open;
    }
    return is_open || stage == OF_X || !lp->kept[variable - lp->n];
}

/* The cost of a unit of a variable on that side, in scaled units. */
static double
cost_of(const struct cn_simplex *lp, enum stage stage, int variable, int side)
{
    enum cn_simplex_kind kind = cn_simplex_kind_of(lp, variable);
    bool costs = kind == CN_SIMPLEX_ZERO || (kind == CN_SIMPLEX_NONNEGATIVE && side < 0);
    return costs && is_slack(lp, variable) == (stage == OF_S) ? cn_simplex_unit_of(lp, variable)
                                                              : 0.0;
}

/* Finds the side of every basic variable, +1 when it is at 0 and satisfied. */
static void
find_sides(struct cn_simplex *lp)
{
    for (int r = 0; r < lp->m; r++) {
        double q = cn_simplex_row_at(lp, r)[lp->n];
        lp->side[lp->basic[r]] = q < -lp->tolerance ? -1 : 1;
    }
}

static bool
sides_are_right(const struct cn_simplex *lp)
{
    for (int r = 0; r < lp->m; r++) {
        int variable = lp->basic[r];
        double q = cn_simplex_row_at(lp, r)[lp->n];
        bool matters = cn_simplex_kind_of(lp, variable) != CN_SIMPLEX_FREE;
        if (matters && q * lp->side[variable] < -2.0 * lp->tolerance) {
            return false;
        }
    }
    return true;
}

/*
 * The sum of the costs as a function of the nonbasic variables, and how much of it may be rounding.
 */
static void
price_stage(struct cn_simplex *lp, enum stage stage)
{
    int n = lp->n;
    memset(lp->reduced, 0, (size_t)(n + 1) * sizeof(lp->reduced[0]));
    memset(lp->rounding, 0, (size_t)n * sizeof(lp->rounding[0]));
    for (int r = 0; r < lp->m; r++) {
        int variable = lp->basic[r], side = lp->side[variable];
        CN_ASSERT(side == 1 || side == -1); /* of every basic variable */
        double weight = side * cost_of(lp, stage, variable, side);
        if (weight == 0.0) {
            continue;
        }
        const double *row = cn_simplex_row_at(lp, r);
        for (int j = 0; j < n; j++) {
            lp->reduced[j] += weight * row[j];
            lp->rounding[j] += fabs(weight * row[j]);
        }
        lp->reduced[n] += weight * row[n];
        lp->work += 2 * n;
        cn_work_spend(2 * n);
    }
}

/*
 * The part of nonbasic column j that improves the sum: its side, 0 for neither; *slope is below 0.
 */
static int
improving_side(const struct cn_simplex *lp, enum stage stage, int j, double *slope)
{
    int variable = lp->nonbasic[j];
    for (int side = 1; side >= -1; side -= 2) {
        double cost = cost_of(lp, stage, variable, side);
        *slope = side * lp->reduced[j] + cost;
        if (may_have_side(lp, stage, variable, side) &&
            *slope < -SLOPE_MIN * (lp->rounding[j] + cost)) {
            return side;
        }
    }
    return 0;
}

/* The column that enters and its side; -1 when no column improves. */
static int
entering_column(const struct cn_simplex *lp, enum stage stage, bool bland, int *side)
{
    int best = -1;
    double best_slope = 0.0;
    for (int j = 0; j < lp->n; j++) {
        double slope;
        int s = lp->barred[j] ? 0 : improving_side(lp, stage, j, &slope);
        if (s == 0) {
            continue;
        }
        bool lower = best >= 0 && lp->nonbasic[j] < lp->nonbasic[best];
        bool better = best < 0 || (bland ? lower : slope < best_slope ||
                                                        (slope == best_slope && lower));
        if (better) {
            best = j;
            best_slope = slope;
            *side = s;
        }
    }
    return best;
}

/* Whether basic row r is at 0 and may move to neither side. */
static bool
is_held(const struct cn_simplex *lp, enum stage stage, int r)
{
    int variable = lp->basic[r];
    return fabs(cn_simplex_row_at(lp, r)[lp->n]) <= lp->tolerance &&
           !may_have_side(lp, stage, variable, -1) && !may_have_side(lp, stage, variable, 1);
}

/* The step at which basic row r reaches 0 when it changes at `rate`; HUGE_VAL: never. */
static double
step_of(const struct cn_simplex *lp, enum stage stage, int r, double rate)
{
    int variable = lp->basic[r], side = lp->side[variable];
    bool is_free = cn_simplex_kind_of(lp, variable) == CN_SIMPLEX_FREE ||
                   (stage == OF_X && is_slack(lp, variable));
    if (is_free || !(fabs(rate) > CN_SIMPLEX_PIVOT_MIN)) {
        return HUGE_VAL;
    }
    if (is_held(lp, stage, r)) {
        return 0.0;
    }
    if (rate * side > 0.0) {
        return HUGE_VAL;
    }
    return cn_max(cn_simplex_row_at(lp, r)[lp->n] * side, 0.0) / fabs(rate);
}

/* The row that leaves when column c enters in the given direction; -1 when no row does. */
static int
leaving_row(const struct cn_simplex *lp, enum stage stage, int c, int direction, bool bland,
    double *step)
{
    double last = HUGE_VAL, size = 0.0;
    for (int r = 0; r < lp->m; r++) {
        double rate = direction * cn_simplex_row_at(lp, r)[c];
        last = cn_min(last, step_of(lp, stage, r, rate) + lp->tolerance / fabs(rate));
    }
    for (int r = 0; r < lp->m && last < HUGE_VAL; r++) {
        double rate = direction * cn_simplex_row_at(lp, r)[c];
        size = step_of(lp, stage, r, rate) <= last ? cn_max(size, fabs(rate)) : size;
    }
    int best = -1;
    double best_rate = 0.0;
    for (int r = 0; r < lp->m && last < HUGE_VAL; r++) {
        double rate = direction * cn_simplex_row_at(lp, r)[c];
        if (!(step_of(lp, stage, r, rate) <= last) ||
            fabs(rate) < CN_SIMPLEX_PIVOT_FRACTION_MIN * size) {
            continue;
        }
        if (best < 0 ||
            (bland ? lp->basic[r] < lp->basic[best] : fabs(rate) > fabs(best_rate))) {
            best = r;
            best_rate = rate;
        }
    }
    *step = best < 0 ? HUGE_VAL : step_of(lp, stage, best, best_rate);
    return best;
}

/* Pivots until nothing improves; false: pivot_max was reached. */
static bool
run_stage(struct cn_simplex *lp, enum stage stage, int pivot_max)
{
    int stalled = 0;
    memset(lp->barred, 0, (size_t)lp->n * sizeof(lp->barred[0]));
    for (;;) { /* bounded: every turn spends a pivot, bars a column or is the last */
        bool bland = stalled > CN_SIMPLEX_STALL_MAX;
        int side = 0;
        price_stage(lp, stage);
        int c = entering_column(lp, stage, bland, &side);
        if (c < 0) {
            return true;
        }
        double step;
        int r = leaving_row(lp, stage, c, side, bland, &step);
        lp->work += 2 * lp->m;
        cn_work_spend(5 * lp->n + 10 * lp->m);
        if (r < 0) { /* costs are bounded below: the slope comes from entries taken for zero */
            lp->barred[c] = true;
            continue;
        }
        if (lp->pivot_count >= pivot_max) {
            return false;
        }
        stalled = step > CN_SIMPLEX_TIE_MAX ? 0 : stalled + 1;
        lp->side[lp->nonbasic[c]] = (signed char)side;
        lp->side[lp->basic[r]] = 0;
        cn_simplex_exchange(lp, r, c);
        memset(lp->barred, 0, (size_t)lp->n * sizeof(lp->barred[0]));
    }
}

static bool
x_is_of_its_kind(const struct cn_simplex *lp)
{
    for (int r = 0; r < lp->m; r++) {
        int variable = lp->basic[r];
        double q = cn_simplex_row_at(lp, r)[lp->n];
        int side = q < 0.0 ? -1 : 1;
        if (!is_slack(lp, variable) && fabs(q) > lp->tolerance &&
            !may_have_side(lp, OF_S, variable, side)) {
            return false;
        }
    }
    return true;
}

bool
cn_simplex_least(struct cn_simplex *lp, int pivot_max)
{
    CN_ASSERT(lp->violated && pivot_max >= 0);
    memset(lp->side, 0, (size_t)(lp->n + lp->m) * sizeof(lp->side[0]));
    find_sides(lp);
    bool is_done = x_is_of_its_kind(lp) || run_stage(lp, OF_X, pivot_max);
    for (int turn = 0; turn < TURNS_MAX && is_done; turn++) {
        find_sides(lp);
        is_done = run_stage(lp, OF_S, pivot_max);
        if (sides_are_right(lp)) {
            break;
        }
    }
    price_stage(lp, OF_S);
    for (int r = 0; r < lp->m; r++) { /* a satisfied row has no part in the multipliers */
        int variable = lp->basic[r];
        if (cost_of(lp, OF_S, variable, lp->side[variable]) == 0.0) {
            lp->side[variable] = 0;
        }
    }
    return is_done;
}
