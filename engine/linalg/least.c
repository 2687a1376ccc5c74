#include "engine/linalg/least.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/linalg/dot.h"

#include <math.h>
#include <string.h>

/*
 * A column depends on the others when its remainder is shorter than this part of the longest
 * column.
 */
#define RANK_MIN 1e-12

void
cn_least_take(struct cn_least *least, struct cn_arena *arena, int row_max, int column_max)
{
    CN_ASSERT(row_max >= 0 && column_max >= 0);
    size_t m = (size_t)row_max, n = (size_t)column_max, r = m < n ? m : n;
    *least = (struct cn_least){.row_max = row_max, .column_max = column_max};
    least->A = CN_ARENA_TAKE(arena, double, m * n);
    least->b = CN_ARENA_TAKE(arena, double, m);
    least->Q = CN_ARENA_TAKE(arena, double, m * r);
    least->R = CN_ARENA_TAKE(arena, double, r * n);
    least->L = CN_ARENA_TAKE(arena, double, r * r);
}

/* The column with the longest remainder, and the square of its length. */
static int
longest_column(const double *A, int m, int n, double *length2)
{
    int best = 0;
    *length2 = -1.0;
    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int i = 0; i < m; i++) {
            sum += A[i * n + j] * A[i * n + j];
        }
        if (sum > *length2) {
            best = j;
            *length2 = sum;
        }
        cn_work_spend(m);
    }
    return best;
}

/* Fills Q and R from A, which is overwritten; columns keep their places.  Returns the rank. */
static int
orthonormalise_columns(struct cn_least *least, int m, int n)
{
    double *A = least->A, first = 0.0;
    int limit = m < n ? m : n, rank = 0;
    for (; rank < limit; rank++) {
        double length2, *q = least->Q + rank * m, *row = least->R + rank * n;
        int j = longest_column(A, m, n, &length2);
        first = rank == 0 ? sqrt(length2) : first;
        if (!(sqrt(length2) > RANK_MIN * first)) {
            break;
        }
        for (int i = 0; i < m; i++) {
            q[i] = A[i * n + j];
        }
        for (int k = 0; k < rank; k++) { /* the second orthogonalisation; the first is below */
            const double *q_k = least->Q + k * m;
            cn_axpy(-cn_dot(q_k, q, m), q_k, q, m);
            cn_work_spend(2 * m);
        }
        double length = sqrt(cn_dot(q, q, m));
        memset(row, 0, (size_t)n * sizeof(row[0]));
        for (int i = 0; i < m; i++) {
            q[i] /= length;
            cn_axpy(q[i], A + i * n, row, n);
            cn_work_spend(n);
        }
        for (int i = 0; i < m; i++) {
            cn_axpy(-q[i], row, A + i * n, n);
            cn_work_spend(n);
            A[i * n + j] = 0.0; /* zero except for rounding */
        }
    }
    return rank;
}

/* R = L V; V overwrites R. */
static void
orthonormalise_rows(struct cn_least *least, int n)
{
    int r = least->rank;
    for (int i = 0; i < r; i++) {
        double *row = least->R + i * n, *factor = least->L + i * r;
        memset(factor, 0, (size_t)r * sizeof(factor[0]));
        for (int pass = 0; pass < 2; pass++) {
            for (int k = 0; k < i; k++) {
                const double *v = least->R + k * n;
                double part = cn_dot(v, row, n);
                factor[k] += part;
                cn_axpy(-part, v, row, n);
                cn_work_spend(2 * n);
            }
        }
        factor[i] = sqrt(cn_dot(row, row, n));
        for (int j = 0; j < n; j++) {
            row[j] /= factor[i];
        }
    }
}

void
cn_least_squares(struct cn_least *least, int m, int n, double *x)
{
    CN_ASSERT(0 <= m && m <= least->row_max && 0 <= n && n <= least->column_max);
    CN_ASSERT(m == 0 || n == 0 || x != least->b);
    memset(x, 0, (size_t)n * sizeof(x[0]));
    least->rank = m == 0 || n == 0 ? 0 : orthonormalise_columns(least, m, n);
    orthonormalise_rows(least, n);
    int r = least->rank;
    CN_ASSERT(0 <= r && r <= m && r <= n);
    for (int i = 0; i < r; i++) {
        double *row = least->L + i * r; /* y_i overwrites L_ii once row i is done */
        double y = cn_dot(least->Q + i * m, least->b, m);
        for (int k = 0; k < i; k++) {
            y -= row[k] * least->L[k * r + k];
        }
        row[i] = y / row[i];
        cn_axpy(row[i], least->R + i * n, x, n);
        cn_work_spend(m + n + 4 * i);
    }
}
