#include "engine/linalg/simplex_dictionary.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-11
/* Scalings of each kind. */
#define SCALINGS 8
/* An entry below this part of its row's largest is not used to judge its size. */
#define ROUNDING 1e-14

void
cn_simplex_take(struct cn_simplex *lp, struct cn_arena *arena, int row_max, int column_max)
{
    CN_ASSERT(row_max >= 0 && column_max >= 0);
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
    CN_ASSERT(0 <= i && i < lp->m);
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
    CN_ASSERT(lp->q_size > 0.0);
    apply_scales(lp);
    lp->work += (int64_t)(6 * SCALINGS) * lp->m * lp->n;
}

void
cn_simplex_exchange(struct cn_simplex *lp, int r, int c)
{
    int n = lp->n;
    double *pivot_row = cn_simplex_row(lp, r);
    CN_ASSERT(0 <= c && c < n && pivot_row[c] != 0.0);
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
    CN_ASSERT(out != lp->nonbasic[c]); /* invariant 1 */
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
    CN_ASSERT(pivot_count >= 0);
    while (find_exchange(lp, &r, &c)) { /* bounded: every turn makes one more variable basic */
        cn_simplex_exchange(lp, r, c);
        lp->work += (int64_t)lp->m * n;
    }
    lp->pivot_count = pivot_count;
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
        CN_ASSERT(0 <= variable && variable < n + lp->m); /* invariant 1 */
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
