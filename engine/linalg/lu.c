#include "engine/linalg/lu.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/linalg/dot.h"

#include <math.h>
#include <string.h>

#define PANEL 24

void
cn_lu_take(struct cn_lu *lu, struct cn_arena *arena, int n_max, size_t entry_max)
{
    size_t n = (size_t)n_max;
    *lu = (struct cn_lu){.n_max = n_max, .entry_max = entry_max};
    lu->entry = CN_ARENA_TAKE(arena, double, entry_max);
    lu->start = CN_ARENA_TAKE(arena, size_t, n);
    lu->first = CN_ARENA_TAKE(arena, int, n);
    lu->last = CN_ARENA_TAKE(arena, int, n);
    lu->low = CN_ARENA_TAKE(arena, int, n);
    lu->high = CN_ARENA_TAKE(arena, int, n);
    lu->pivot = CN_ARENA_TAKE(arena, int, n);
    lu->bottom = CN_ARENA_TAKE(arena, int, n);
}

/*
 * start[i] is not negative.  A row keeps the columns from its first panel on, or from an earlier
 * one, and each row above it keeps at least one column.
 */
static inline double *
row_of(const struct cn_lu *lu, int i)
{
    return lu->entry + lu->start[i];
}

double *
cn_lu_row(const struct cn_lu *lu, int i)
{
    return row_of(lu, i);
}

static int
int_max(int a, int b)
{
    return a > b ? a : b;
}

static int
int_min(int a, int b)
{
    return a < b ? a : b;
}

/* Finds how far down each column reaches: swaps move rows only within these bounds. */
static void
find_bottoms(struct cn_lu *lu)
{
    for (int k = 0; k < lu->n; k++) {
        lu->bottom[k] = k + 1;
    }
    for (int i = 0; i < lu->n; i++) {
        int k = lu->first[i];
        lu->bottom[k] = int_max(lu->bottom[k], i + 1);
    }
    for (int k = 1; k < lu->n; k++) {
        lu->bottom[k] = int_max(lu->bottom[k], lu->bottom[k - 1]);
    }
}

/* Finds the columns that each row will have: the same as open_panel(), but without the entries. */
static void
find_columns(struct cn_lu *lu)
{
    int entered = 0;
    for (int i = 0; i < lu->n; i++) {
        lu->low[i] = lu->first[i];
        lu->high[i] = lu->last[i];
    }
    for (int start = 0; start < lu->n; start += PANEL) {
        int end = int_min(start + PANEL, lu->n), bottom = lu->bottom[end - 1], last = end;
        for (int i = start; i < bottom; i++) {
            last = int_max(last, lu->high[i]);
        }
        for (int i = start; i < bottom; i++) {
            lu->low[i] = i >= entered ? int_min(lu->low[i], start) : lu->low[i];
            lu->high[i] = last;
        }
        entered = int_max(entered, bottom);
        cn_work_spend(4 * (int64_t)(bottom - start));
    }
}

bool
cn_lu_open(struct cn_lu *lu)
{
    size_t used = 0;
    CN_ASSERT(lu->n <= lu->n_max);
    find_bottoms(lu);
    find_columns(lu);
    for (int i = 0; i < lu->n; i++) {
        lu->start[i] = used - (size_t)lu->low[i];
        used += (size_t)(lu->high[i] - lu->low[i]);
    }
    return used <= lu->entry_max;
}

/* Writes zeros in row i from its present end to `last`. */
static void
extend_row(struct cn_lu *lu, int i, int last)
{
    if (lu->last[i] < last) {
        memset(row_of(lu, i) + lu->last[i], 0,
            (size_t)(last - lu->last[i]) * sizeof(lu->entry[0]));
        cn_work_spend((last - lu->last[i]) / 4);
        lu->last[i] = last;
    }
}

static void
swap_rows(struct cn_lu *lu, int i, int j, int from, int to)
{
    double *p = row_of(lu, i), *q = row_of(lu, j);
    for (int k = from; k < to && i != j; k++) {
        double swap = p[k];
        p[k] = q[k];
        q[k] = swap;
    }
}

/* Eliminates the columns start .. end-1 within the panel; whole rows are swapped. */
static int64_t
factor_panel(struct cn_lu *lu, int start, int end, double pivot_min, int *replaced)
{
    int64_t work = 0;
    for (int k = start; k < end; k++) {
        int bottom = lu->bottom[k], best = k;
        for (int i = k + 1; i < bottom; i++) {
            best = fabs(row_of(lu, i)[k]) > fabs(row_of(lu, best)[k]) ? i : best;
        }
        lu->pivot[k] = best;
        swap_rows(lu, k, best, start, lu->last[k]);
        double *pivot_row = row_of(lu, k);
        if (!(fabs(pivot_row[k]) >= pivot_min)) {
            pivot_row[k] = pivot_row[k] < 0.0 ? -pivot_min : pivot_min;
            (*replaced)++;
        }
        double inverse = 1.0 / pivot_row[k];
        for (int i = k + 1; i < bottom; i++) {
            double *row = row_of(lu, i);
            if (row[k] != 0.0) {
                row[k] *= inverse;
                cn_axpy(-row[k], pivot_row + k + 1, row + k + 1, end - k - 1);
                work += end - k;
            }
        }
        work += bottom - k;
        cn_work_spend((int64_t)(bottom - k) * (end - k + 2));
    }
    return work;
}

/* y -= s[0] x0 + s[1] x1 + s[2] x2 + s[3] x3 */
static inline void
subtract_4(const double *s, const double *restrict x0, const double *restrict x1,
    const double *restrict x2, const double *restrict x3, double *restrict y, int n)
{
    double s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];
    for (int i = 0; i < n; i++) {
        y[i] -= (s0 * x0[i] + s1 * x1[i]) + (s2 * x2[i] + s3 * x3[i]);
    }
}

/* Subtracts from row i, right of the panel, the panel's rows start .. end-1 by its multipliers. */
static int64_t
update_row(struct cn_lu *lu, int i, int start, int end, int last)
{
    double *row = row_of(lu, i);
    int count = last - end, k = start;
    int64_t work = 0;
    for (; k + 4 <= end; k += 4) {
        if (row[k] != 0.0 || row[k + 1] != 0.0 || row[k + 2] != 0.0 || row[k + 3] != 0.0) {
            subtract_4(row + k, row_of(lu, k) + end, row_of(lu, k + 1) + end,
                row_of(lu, k + 2) + end, row_of(lu, k + 3) + end, row + end, count);
            work += 4 * (int64_t)count;
        }
    }
    for (; k < end; k++) {
        cn_axpy(-row[k], row_of(lu, k) + end, row + end, count);
        work += count;
    }
    cn_work_spend(work + 1);
    return work;
}

/*
 * Gives the rows that a panel can reach one common end, and writes zeros from the panel's start
 * where they begin later.  Rows below `entered` have been in an earlier panel.  Returns the end.
 */
static int
open_panel(struct cn_lu *lu, int start, int end, int entered)
{
    int bottom = lu->bottom[end - 1], last = end;
    for (int i = start; i < bottom; i++) {
        last = int_max(last, lu->last[i]);
    }
    for (int i = start; i < bottom; i++) {
        if (i >= entered && lu->first[i] > start) {
            memset(row_of(lu, i) + start, 0,
                (size_t)(lu->first[i] - start) * sizeof(lu->entry[0]));
        }
        extend_row(lu, i, last);
    }
    return last;
}

int64_t
cn_lu_factor(struct cn_lu *lu, double pivot_min, int *replaced)
{
    int64_t work = 0;
    int entered = 0;
    *replaced = 0;
    for (int start = 0; start < lu->n; start += PANEL) {
        int end = int_min(start + PANEL, lu->n), bottom = lu->bottom[end - 1];
        int last = open_panel(lu, start, end, entered);
        entered = bottom;
        work += factor_panel(lu, start, end, pivot_min, replaced);
        for (int k = start + 1; k < end; k++) { /* the panel's rows of U */
            for (int j = start; j < k; j++) {
                cn_axpy(-row_of(lu, k)[j], row_of(lu, j) + end, row_of(lu, k) + end, last - end);
            }
            work += (int64_t)(k - start) * (last - end);
            cn_work_spend((int64_t)(k - start) * (last - end));
        }
        for (int i = end; i < bottom; i++) {
            work += update_row(lu, i, start, end, last);
        }
    }
    return work;
}

/*
 * Swaps do not change earlier panels, so the multipliers of column k are in the order that the rows
 * had when its panel was done.  The right-hand side is therefore swapped panel by panel as well.
 */
int64_t
cn_lu_solve(struct cn_lu *lu, double *x)
{
    int64_t work = 0;
    for (int start = 0; start < lu->n; start += PANEL) {
        int end = int_min(start + PANEL, lu->n), bottom = lu->bottom[end - 1];
        for (int k = start; k < end; k++) {
            double swap = x[k];
            x[k] = x[lu->pivot[k]];
            x[lu->pivot[k]] = swap;
        }
        for (int i = start + 1; i < bottom; i++) {
            int count = int_min(i, end) - start;
            x[i] -= cn_dot(row_of(lu, i) + start, x + start, count);
            work += count;
        }
        cn_work_spend((int64_t)(bottom - start) * (end - start));
    }
    for (int i = lu->n - 1; i >= 0; i--) {
        const double *row = row_of(lu, i);
        int count = lu->last[i] - i - 1;
        x[i] = (x[i] - cn_dot(row + i + 1, x + i + 1, count)) / row[i];
        work += count;
        cn_work_spend(count);
    }
    return work;
}

int
cn_lu_sign(const struct cn_lu *lu)
{
    int sign = 1;
    for (int k = 0; k < lu->n; k++) {
        sign = lu->pivot[k] == k ? sign : -sign;
        sign = row_of(lu, k)[k] < 0.0 ? -sign : sign;
    }
    cn_work_spend(2 * (int64_t)lu->n);
    return sign;
}
