#include "engine/linalg/lu.h"

#include "engine/linalg/dot.h"

#include <math.h>
#include <string.h>

#define PANEL 24

void
cn_lu_take(struct cn_lu *lu, struct cn_arena *arena, int n_max)
{
    size_t n = (size_t)n_max;
    *lu = (struct cn_lu){0};
    lu->entry = CN_ARENA_TAKE(arena, double, n * n);
    lu->first = CN_ARENA_TAKE(arena, int, n);
    lu->last = CN_ARENA_TAKE(arena, int, n);
    lu->pivot = CN_ARENA_TAKE(arena, int, n);
    lu->bottom = CN_ARENA_TAKE(arena, int, n);
}

static double *
row_of(const struct cn_lu *lu, int i)
{
    return lu->entry + (size_t)i * (size_t)lu->n;
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

/* How far down each column reaches: swaps move rows up and down within these bounds only. */
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

/* Zeros in row i from where it ends to `last`. */
static void
extend(struct cn_lu *lu, int i, int last)
{
    if (lu->last[i] < last) {
        memset(row_of(lu, i) + lu->last[i], 0,
            (size_t)(last - lu->last[i]) * sizeof(lu->entry[0]));
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

/* Eliminates the columns start .. end-1 within themselves; whole rows are swapped. */
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

/* Subtracts from row i, behind the panel, the panel's rows start .. end-1 by its multipliers. */
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
    return work;
}

/*
 * Gives the rows that a panel can reach one common end, and zeros from the panel's start where they
 * begin later.  Rows below `entered` have met a panel before.  Returns the end.
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
        extend(lu, i, last);
    }
    return last;
}

int64_t
cn_lu_factor(struct cn_lu *lu, double pivot_min, int *replaced)
{
    int64_t work = 0;
    int entered = 0;
    *replaced = 0;
    find_bottoms(lu);
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
        }
        for (int i = end; i < bottom; i++) {
            work += update_row(lu, i, start, end, last);
        }
    }
    return work;
}

/*
 * Swaps do not reach back into earlier panels, so multipliers of column k stand where the rows were
 * when its panel was done; the right-hand side is swapped panel by panel likewise.
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
    }
    for (int i = lu->n - 1; i >= 0; i--) {
        const double *row = row_of(lu, i);
        int count = lu->last[i] - i - 1;
        x[i] = (x[i] - cn_dot(row + i + 1, x + i + 1, count)) / row[i];
        work += count;
    }
    return work;
}
