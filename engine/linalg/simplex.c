#include "engine/linalg/simplex.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/linalg/simplex_least.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

/* A slope below this fraction of the largest weight in its sum counts as rounding. */
#define SLOPE_MIN 1e-10

/* +1 above its bounds, -1 below, 0 within. */
static int
violation_sign(const struct cn_simplex *lp, int r)
{
    double q = cn_simplex_row_at(lp, r)[lp->n];
    switch (cn_simplex_kind_of(lp, lp->basic[r])) {
    case CN_SIMPLEX_NONNEGATIVE:
        return q < -lp->tolerance ? -1 : 0;
    case CN_SIMPLEX_ZERO:
        return q < -lp->tolerance ? -1 : q > lp->tolerance ? 1 : 0;
    case CN_SIMPLEX_FREE:
        return 0;
    }
    return 0;
}

/*
 * Writes the sum of violations as a function of the nonbasic variables.  Returns the largest weight
 * in it, or 0 when nothing is violated.
 */
static double
price_violations(struct cn_simplex *lp)
{
    int n = lp->n;
    double largest = 0.0;
    memset(lp->reduced, 0, (size_t)(n + 1) * sizeof(lp->reduced[0]));
    for (int r = 0; r < lp->m; r++) {
        int sign = violation_sign(lp, r);
        if (sign != 0) {
            const double *row = cn_simplex_row_at(lp, r);
            double weight = sign;
            for (int j = 0; j <= n; j++) {
                lp->reduced[j] += weight * row[j];
            }
            lp->work += n;
            cn_work_spend(n);
            largest = cn_max(largest, fabs(weight));
        }
    }
    return largest;
}

/* The same for the costs. */
static double
price_costs(struct cn_simplex *lp)
{
    int n = lp->n;
    double largest = 0.0;
    memset(lp->reduced, 0, (size_t)(n + 1) * sizeof(lp->reduced[0]));
    for (int j = 0; j < n; j++) {
        int variable = lp->nonbasic[j];
        if (variable < n) {
            lp->reduced[j] = lp->cost[variable] * lp->column_scale[variable];
            largest = cn_max(largest, fabs(lp->reduced[j]));
        }
    }
    for (int r = 0; r < lp->m; r++) {
        int variable = lp->basic[r];
        double cost = variable < n ? lp->cost[variable] * lp->column_scale[variable] : 0.0;
        if (cost != 0.0) {
            const double *row = cn_simplex_row_at(lp, r);
            for (int j = 0; j <= n; j++) {
                lp->reduced[j] += cost * row[j];
            }
            lp->work += n;
            cn_work_spend(n);
            largest = cn_max(largest, fabs(cost));
        }
    }
    return largest;
}

/* The slope of entering column j, below zero; 0 when it may not or need not enter. */
static double
slope_of(const struct cn_simplex *lp, int j)
{
    double d = lp->reduced[j];
    switch (cn_simplex_kind_of(lp, lp->nonbasic[j])) {
    case CN_SIMPLEX_NONNEGATIVE:
        return cn_min(d, 0.0);
    case CN_SIMPLEX_FREE:
        return -fabs(d);
    case CN_SIMPLEX_ZERO:
        return 0.0;
    }
    return 0.0;
}

/* The column that enters; -1 when no column improves. */
static int
entering_column(const struct cn_simplex *lp, bool bland, double slope_min)
{
    int best = -1;
    double best_slope = -slope_min;
    for (int j = 0; j < lp->n; j++) {
        if (lp->barred[j]) {
            continue;
        }
        double slope = slope_of(lp, j);
        bool lower = best >= 0 && lp->nonbasic[j] < lp->nonbasic[best];
        bool better = bland ? slope < -slope_min && (best < 0 || lower)
                            : slope < best_slope || (slope == best_slope && lower);
        if (better) {
            best = j;
            best_slope = slope;
        }
    }
    return best;
}

/*
 * The step at which basic row r reaches a bound when it changes at `rate`; HUGE_VAL when it does
 * not.  A violated variable blocks where it becomes feasible.
 */
static double
step_of(const struct cn_simplex *lp, int r, double rate)
{
    double q = cn_simplex_row_at(lp, r)[lp->n];
    enum cn_simplex_kind kind = cn_simplex_kind_of(lp, lp->basic[r]);
    if (kind == CN_SIMPLEX_FREE || !(fabs(rate) > CN_SIMPLEX_PIVOT_MIN)) {
        return HUGE_VAL;
    }
    int sign = violation_sign(lp, r);
    if (sign == 0) {
        bool leaves = kind == CN_SIMPLEX_ZERO || rate < 0.0;
        return !leaves ? HUGE_VAL : kind == CN_SIMPLEX_ZERO ? 0.0 : cn_max(q, 0.0) / -rate;
    }
    return sign * rate < 0.0 ? -q / rate : HUGE_VAL;
}

/* The row that blocks column c, which enters in the given direction; -1 when no row does. */
static int
leaving_row(const struct cn_simplex *lp, int c, double direction, bool bland, double *step)
{
    double first = HUGE_VAL, last = HUGE_VAL;
    for (int r = 0; r < lp->m; r++) {
        double rate = direction * cn_simplex_row_at(lp, r)[c];
        double s = step_of(lp, r, rate);
        if (s < HUGE_VAL) {
            first = cn_min(first, s);
            last = cn_min(last, s + lp->tolerance / fabs(rate));
        }
    }
    double size = 0.0;
    for (int r = 0; r < lp->m && first < HUGE_VAL; r++) {
        double rate = direction * cn_simplex_row_at(lp, r)[c];
        if (step_of(lp, r, rate) <= last) {
            size = cn_max(size, fabs(rate));
        }
    }
    int best = -1;
    for (int r = 0; r < lp->m && first < HUGE_VAL; r++) {
        double rate = direction * cn_simplex_row_at(lp, r)[c];
        if (!(step_of(lp, r, rate) <= last) || fabs(rate) < CN_SIMPLEX_PIVOT_FRACTION_MIN * size) {
            continue;
        }
        bool better = best < 0 || (bland ? lp->basic[r] < lp->basic[best]
                                         : fabs(rate) > fabs(cn_simplex_row_at(lp, best)[c]));
        best = better ? r : best;
    }
    *step = best < 0 ? HUGE_VAL : step_of(lp, best, direction * cn_simplex_row_at(lp, best)[c]);
    return best;
}

enum phase_end { PHASE_DONE, PHASE_OPEN, PHASE_PIVOTS_MAX };

/* Pivots until nothing improves; phase 1 ends early, DONE, when nothing is violated. */
static enum phase_end
run_phase(struct cn_simplex *lp, bool violations, int pivot_max)
{
    int stalled = 0;
    memset(lp->barred, 0, (size_t)lp->n * sizeof(lp->barred[0]));
    for (;;) { /* bounded: every turn spends a pivot, bars a column or is the last */
        double size = violations ? price_violations(lp) : price_costs(lp);
        if (size == 0.0) {
            return PHASE_DONE;
        }
        bool bland = stalled > CN_SIMPLEX_STALL_MAX;
        int c = entering_column(lp, bland, SLOPE_MIN * size);
        if (c < 0) {
            return violations ? PHASE_OPEN : PHASE_DONE;
        }
        double step, direction = lp->reduced[c] < 0.0 ? 1.0 : -1.0;
        int r = leaving_row(lp, c, direction, bland, &step);
        lp->work += 2 * lp->m;
        cn_work_spend(5 * lp->n + 10 * lp->m);
        if (r < 0) {
            /*
             * Violations are bounded below, so this slope is only the sum of entries taken for
             * zero: rounding.
             */
            if (!violations && fabs(lp->reduced[c]) > CN_SIMPLEX_PIVOT_MIN * lp->m * size) {
                return PHASE_OPEN;
            }
            lp->barred[c] = true;
            continue;
        }
        if (lp->pivot_count >= pivot_max) {
            return PHASE_PIVOTS_MAX;
        }
        CN_ASSERT(0 <= c && c < lp->n && r < lp->m);
        stalled = step > CN_SIMPLEX_TIE_MAX ? 0 : stalled + 1;
        cn_simplex_exchange(lp, r, c);
        memset(lp->barred, 0, (size_t)lp->n * sizeof(lp->barred[0]));
    }
}

enum cn_simplex_end
cn_simplex_run(struct cn_simplex *lp, int pivot_max)
{
    CN_ASSERT(pivot_max >= 0 && lp->tolerance > 0.0 && lp->q_size > 0.0);
    lp->violated = true;
    switch (run_phase(lp, true, pivot_max)) {
    case PHASE_OPEN:
        lp->excess = lp->reduced[lp->n];
        if (!cn_simplex_least(lp, pivot_max)) {
            return CN_SIMPLEX_PIVOTS_MAX;
        }
        return CN_SIMPLEX_INFEASIBLE;
    case PHASE_PIVOTS_MAX:
        return CN_SIMPLEX_PIVOTS_MAX;
    case PHASE_DONE:
        break;
    }
    lp->excess = 0.0;
    lp->violated = false;
    switch (run_phase(lp, false, pivot_max)) {
    case PHASE_OPEN:
        return CN_SIMPLEX_UNBOUNDED;
    case PHASE_PIVOTS_MAX:
        return CN_SIMPLEX_PIVOTS_MAX;
    case PHASE_DONE:
        break;
    }
    return CN_SIMPLEX_OPTIMAL;
}
