#include "engine/linalg/simplex_inner.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-11
/* A slope below this fraction of the largest weight in its sum counts as rounding. */
#define SLOPE_MIN 1e-10
/* Scalings of each kind. */
#define SCALINGS 8
/* An entry below this part of its row's largest is not used to judge its size. */
#define ROUNDING 1e-14

void
cn_simplex_take(struct cn_simplex *lp, struct cn_arena *arena, int row_max, int column_max)
{
    size_t m = (size_t)row_max, n = (size_t)column_max;
    *lp = (struct cn_simplex){.row_max = row_max, .column_max = column_max};
    lp->D = CN_ARENA_TAKE(arena, double, m * (n + 1));
    lp->kind = CN_ARENA_TAKE(arena, unsigned char, m + n);
    lp->cost = CN_ARENA_TAKE(arena, double, n);
    lp->row_scale = CN_ARENA_TAKE(arena, double, m);
    lp->column_scale = CN_ARENA_TAKE(arena, double, n);
    lp->basic = CN_ARENA_TAKE(arena, int, m);
    lp->nonbasic = CN_ARENA_TAKE(arena, int, n);
    lp->reduced = CN_ARENA_TAKE(arena, double, n + 1);
    lp->barred = CN_ARENA_TAKE(arena, bool, n);
    lp->wanted = CN_ARENA_TAKE(arena, bool, m + n);
    lp->kept = CN_ARENA_TAKE(arena, bool, m);
    lp->side = CN_ARENA_TAKE(arena, signed char, n + m);
    lp->rounding = CN_ARENA_TAKE(arena, double, n);
}

double *
cn_simplex_row(struct cn_simplex *lp, int i)
{
    return lp->D + (size_t)i * (size_t)(lp->n + 1);
}

void
cn_simplex_begin(struct cn_simplex *lp, int m, int n)
{
    CN_ASSERT(0 <= m && m <= lp->row_max && 0 <= n && n <= lp->column_max);
    lp->m = m;
    lp->n = n;
    lp->violated = false;
    lp->excess = 0.0;
    memset(lp->kept, 0, (size_t)m * sizeof(lp->kept[0]));
    memset(lp->side, 0, (size_t)(n + m) * sizeof(lp->side[0]));
    lp->tolerance = TOLERANCE;
    lp->pivot_count = 0;
    lp->work = 0;
    memset(lp->kind, CN_SIMPLEX_NONNEGATIVE, (size_t)(m + n));
    for (int j = 0; j < n; j++) {
        lp->cost[j] = 0.0;
        lp->nonbasic[j] = j;
        lp->reduced[j] = 0.0;
    }
    lp->reduced[n] = 0.0;
    for (int i = 0; i < m; i++) {
        lp->basic[i] = n + i;
    }
}

/* A row without entries is a constant, whose size must not be taken for the size of b. */
static void
scale_constant(struct cn_simplex *lp, int i)
{
    double size = fabs(cn_simplex_row_at(lp, i)[lp->n]);
    int empty = 0;
    while (empty < lp->n && cn_simplex_row_at(lp, i)[empty] == 0.0) {
        empty++;
    }
    cn_work_spend(empty);
    bool is_constant = empty == lp->n;
    if (is_constant && size > 0.0) {
        lp->row_scale[i] = 1.0 / size;
    }
}

/*
 * One round: divides rows and columns by the square roots of their sizes.  Both sizes are measured
 * with the scales of the round before, so that a symmetric matrix stays symmetric.  The size is the
 * largest entry, or the geometric mean of the largest entry and of the least that is not rounding
 * compared with the largest of its row.
 */
static void
scale_once(struct cn_simplex *lp, bool by_mean)
{
    double *largest = lp->reduced, *least = lp->rounding; /* of columns; free before a run */
    for (int j = 0; j < lp->n; j++) {
        largest[j] = 0.0;
        least[j] = HUGE_VAL;
    }
    for (int i = 0; i < lp->m; i++) {
        const double *row = cn_simplex_row_at(lp, i);
        double row_largest = 0.0, row_least = HUGE_VAL;
        for (int j = 0; j < lp->n; j++) {
            double size = fabs(row[j]) * lp->row_scale[i] * lp->column_scale[j];
            row_largest = cn_max(row_largest, size);
        }
        for (int j = 0; j < lp->n; j++) {
            double size = fabs(row[j]) * lp->row_scale[i] * lp->column_scale[j];
            if (size > ROUNDING * row_largest) {
                row_least = cn_min(row_least, size);
                least[j] = cn_min(least[j], size);
                largest[j] = cn_max(largest[j], size);
            }
        }
        double square = by_mean ? sqrt(row_largest) * sqrt(row_least) : row_largest;
        lp->row_scale[i] /= row_largest > 0.0 ? sqrt(square) : 1.0;
        cn_work_spend(4 * lp->n);
    }
    for (int j = 0; j < lp->n; j++) {
        double square = by_mean ? sqrt(largest[j]) * sqrt(least[j]) : largest[j];
        lp->column_scale[j] /= largest[j] > 0.0 ? sqrt(square) : 1.0;
    }
}

/*
 * First by means, so that b is judged by rows with entries of similar size, then by largest entries
 * (Ruiz).
 */
static void
equilibrate_matrix(struct cn_simplex *lp)
{
    for (int i = 0; i < lp->m; i++) {
        lp->row_scale[i] = 1.0;
    }
    for (int j = 0; j < lp->n; j++) {
        lp->column_scale[j] = 1.0;
    }
    for (int turn = 0; turn < 2 * SCALINGS; turn++) {
        scale_once(lp, turn < SCALINGS);
    }
    memset(lp->reduced, 0, (size_t)lp->n * sizeof(lp->reduced[0]));
    for (int i = 0; i < lp->m; i++) {
        scale_constant(lp, i);
    }
}

static void
apply_scales(struct cn_simplex *lp)
{
    for (int i = 0; i < lp->m; i++) {
        double *row = cn_simplex_row(lp, i);
        for (int j = 0; j < lp->n; j++) {
            row[j] *= lp->row_scale[i] * lp->column_scale[j];
        }
        row[lp->n] *= lp->row_scale[i] / lp->q_size;
        cn_work_spend(lp->n);
    }
}

void
cn_simplex_start(struct cn_simplex *lp)
{
    equilibrate_matrix(lp);
    double largest = 0.0;
    for (int i = 0; i < lp->m; i++) {
        largest = cn_max(largest, fabs(lp->row_scale[i] * cn_simplex_row_at(lp, i)[lp->n]));
    }
    lp->q_size = largest > 0.0 ? largest : 1.0;
    apply_scales(lp);
    lp->work += (int64_t)(6 * SCALINGS) * lp->m * lp->n;
}

void
cn_simplex_exchange(struct cn_simplex *lp, int r, int c)
{
    int n = lp->n;
    double *pivot_row = cn_simplex_row(lp, r);
    double inverse = 1.0 / pivot_row[c];
    for (int j = 0; j <= n; j++) {
        pivot_row[j] *= -inverse;
    }
    pivot_row[c] = inverse;
    for (int i = 0; i < lp->m; i++) {
        double *row = cn_simplex_row(lp, i);
        double factor = row[c];
        if (i == r || factor == 0.0) {
            continue;
        }
        row[c] = 0.0;
        for (int j = 0; j <= n; j++) {
            row[j] += factor * pivot_row[j];
        }
        lp->work += n;
        cn_work_spend(n);
    }
    int out = lp->basic[r];
    lp->basic[r] = lp->nonbasic[c];
    lp->nonbasic[c] = out;
    lp->pivot_count++;
}

/*
 * The largest entry that exchanges a wanted nonbasic variable for an unwanted basic one; false:
 * there is no such entry.
 */
static bool
find_exchange(const struct cn_simplex *lp, int *r_best, int *c_best)
{
    double best = CN_SIMPLEX_PIVOT_MIN;
    for (int r = 0; r < lp->m; r++) {
        const double *row = cn_simplex_row_at(lp, r);
        if (lp->wanted[lp->basic[r]]) {
            continue;
        }
        for (int j = 0; j < lp->n; j++) {
            if (fabs(row[j]) > best && lp->wanted[lp->nonbasic[j]]) {
                best = fabs(row[j]);
                *r_best = r;
                *c_best = j;
            }
        }
        cn_work_spend(lp->n);
    }
    return best > CN_SIMPLEX_PIVOT_MIN;
}

void
cn_simplex_restart(struct cn_simplex *lp)
{
    int n = lp->n, r, c;
    for (int j = 0; j < n; j++) {
        lp->wanted[lp->nonbasic[j]] = false;
    }
    for (int i = 0; i < lp->m; i++) {
        lp->wanted[lp->basic[i]] = true;
    }
    for (int j = 0; j < n; j++) {
        lp->nonbasic[j] = j;
    }
    for (int i = 0; i < lp->m; i++) {
        lp->basic[i] = n + i;
    }
    apply_scales(lp);
    int pivot_count = lp->pivot_count;
    while (find_exchange(lp, &r, &c)) { /* bounded: every turn makes one more variable basic */
        cn_simplex_exchange(lp, r, c);
        lp->work += (int64_t)lp->m * n;
    }
    lp->pivot_count = pivot_count;
}

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
        stalled = step > CN_SIMPLEX_TIE_MAX ? 0 : stalled + 1;
        cn_simplex_exchange(lp, r, c);
        memset(lp->barred, 0, (size_t)lp->n * sizeof(lp->barred[0]));
    }
}

enum cn_simplex_end
cn_simplex_run(struct cn_simplex *lp, int pivot_max)
{
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

void
cn_simplex_read(const struct cn_simplex *lp, double *x, double *s)
{
    int n = lp->n;
    if (x != NULL) {
        memset(x, 0, (size_t)n * sizeof(x[0]));
    }
    if (s != NULL) {
        memset(s, 0, (size_t)lp->m * sizeof(s[0]));
    }
    for (int r = 0; r < lp->m; r++) {
        int variable = lp->basic[r];
        double value = cn_simplex_row_at(lp, r)[n] * lp->q_size * cn_simplex_unit_of(lp, variable);
        if (variable < n && x != NULL) {
            bool clip = cn_simplex_kind_of(lp, variable) == CN_SIMPLEX_NONNEGATIVE;
            x[variable] = clip ? cn_max(value, 0.0) : value;
        } else if (variable >= n && s != NULL) {
            s[variable - n] = value;
        }
    }
}

void
cn_simplex_multipliers(const struct cn_simplex *lp, double *y)
{
    memset(y, 0, (size_t)lp->m * sizeof(y[0]));
    for (int j = 0; j < lp->n; j++) {
        if (lp->nonbasic[j] >= lp->n) {
            int row = lp->nonbasic[j] - lp->n;
            y[row] = lp->reduced[j] * lp->row_scale[row];
        }
    }
    for (int r = 0; r < lp->m && lp->violated; r++) {
        int variable = lp->basic[r];
        if (variable >= lp->n) {
            y[variable - lp->n] = -lp->side[variable]; /* a unit of violation of s costs 1 */
        }
    }
}
