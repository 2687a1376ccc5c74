#include "engine/linalg/pseudo_inverse.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/linalg/dot.h"

#include <math.h>
#include <string.h>

#define RANK_FRACTION_MIN 1e-10
/* A null vector that Gram-Schmidt shortens to less than this fraction depends on the others. */
#define COLUMN_FRACTION_MIN 1e-9

void
cn_pseudo_inverse_take(struct cn_pseudo_inverse *inverse, struct cn_arena *arena, int n_max)
{
    size_t n = (size_t)n_max;
    *inverse = (struct cn_pseudo_inverse){.capacity = n_max};
    inverse->B = CN_ARENA_TAKE(arena, double, n * n);
    inverse->N = CN_ARENA_TAKE(arena, double, n * n);
    inverse->row_scale = CN_ARENA_TAKE(arena, double, n);
    inverse->column_scale = CN_ARENA_TAKE(arena, double, n);
    inverse->weight = CN_ARENA_TAKE(arena, double, n);
    inverse->reflector = CN_ARENA_TAKE(arena, double, n);
    inverse->work_vector = CN_ARENA_TAKE(arena, double, n);
    inverse->diagonal = CN_ARENA_TAKE(arena, double, n);
    inverse->order = CN_ARENA_TAKE(arena, int, n);
}

void
cn_pseudo_inverse_begin(struct cn_pseudo_inverse *inverse, int row_count, int column_count)
{
    CN_ASSERT(0 <= row_count && row_count <= inverse->capacity);
    CN_ASSERT(0 <= column_count && column_count <= inverse->capacity);
    inverse->row_count = row_count;
    inverse->column_count = column_count;
    inverse->rank = 0;
}

static double *
column_of(const struct cn_pseudo_inverse *inverse, int j)
{
    return inverse->B + (size_t)j * (size_t)inverse->row_count;
}

static void
scale_matrix(struct cn_pseudo_inverse *inverse)
{
    for (int j = 0; j < inverse->column_count; j++) {
        double *column = column_of(inverse, j);
        for (int i = 0; i < inverse->row_count; i++) {
            column[i] *= inverse->row_scale[i] * inverse->column_scale[j];
        }
        inverse->order[j] = j;
        cn_work_spend(inverse->row_count);
    }
}

static void
swap_columns(struct cn_pseudo_inverse *inverse, int p, int q)
{
    double *x = column_of(inverse, p), *y = column_of(inverse, q);
    for (int i = 0; p != q && i < inverse->row_count; i++) {
        double kept = x[i];
        x[i] = y[i];
        y[i] = kept;
    }
    int order = inverse->order[p];
    inverse->order[p] = inverse->order[q];
    inverse->order[q] = order;
}

/*
 * The column from k on that is longest below row k, its length in *length; the lowest index on
 * ties.
 */
static int
longest_column(struct cn_pseudo_inverse *inverse, int k, double *length)
{
    int longest = k, count = inverse->row_count - k;
    double most = -1.0;
    for (int j = k; j < inverse->column_count; j++) {
        const double *below = column_of(inverse, j) + k;
        double sum = cn_dot(below, below, count);
        cn_work_spend(count);
        if (sum > most) {
            most = sum;
            longest = j;
        }
    }
    inverse->work += (int64_t)count * (inverse->column_count - k);
    *length = sqrt(most);
    return longest;
}

/* The vector v of step k is stored in column k from row k on; R_kk is stored in diagonal[]. */
static void
reflect_vector(const struct cn_pseudo_inverse *inverse, int k, double *x)
{
    const double *v = column_of(inverse, k) + k;
    int count = inverse->row_count - k;
    cn_axpy(-inverse->reflector[k] * cn_dot(v, x + k, count), v, x + k, count);
    cn_work_spend(2 * count);
}

static void
reduce_to_triangle(struct cn_pseudo_inverse *inverse)
{
    int m = inverse->row_count, n = inverse->column_count, k = 0;
    double first = 0.0;
    for (; k < m && k < n; k++) {
        double length;
        swap_columns(inverse, k, longest_column(inverse, k, &length));
        first = k == 0 ? length : first;
        if (!(length > RANK_FRACTION_MIN * first)) {
            break;
        }
        double *v = column_of(inverse, k) + k;
        double diagonal = v[0] > 0.0 ? -length : length;
        v[0] -= diagonal;
        inverse->reflector[k] = 2.0 / cn_dot(v, v, m - k);
        for (int j = k + 1; j < n; j++) {
            reflect_vector(inverse, k, column_of(inverse, j));
        }
        inverse->diagonal[k] = diagonal;
        inverse->work += 2 * (int64_t)(m - k) * (n - k);
    }
    inverse->rank = k;
    CN_ASSERT(0 <= k && k <= m && k <= n);
}

/* Solves R11 x = x in place. */
static void
back_substitute(const struct cn_pseudo_inverse *inverse, double *x)
{
    for (int k = inverse->rank - 1; k >= 0; k--) {
        x[k] /= inverse->diagonal[k];
        cn_axpy(-x[k], column_of(inverse, k), x, k);
        cn_work_spend(k);
    }
}

/*
 * out = W C P (x, ...), where x has rank entries.  If `extra` is at least the rank, entry `extra`
 * of the vector is 1.
 */
static void
expand_solution(const struct cn_pseudo_inverse *inverse, const double *x, int extra, double *out)
{
    memset(out, 0, (size_t)inverse->column_count * sizeof(out[0]));
    for (int k = 0; k < inverse->rank; k++) {
        int j = inverse->order[k];
        out[j] = inverse->weight[j] * inverse->column_scale[j] * x[k];
    }
    if (extra >= inverse->rank) {
        int j = inverse->order[extra];
        out[j] = inverse->weight[j] * inverse->column_scale[j];
    }
}

static double *
null_vector(const struct cn_pseudo_inverse *inverse, int k)
{
    CN_ASSERT(0 <= k && k < inverse->column_count - inverse->rank);
    return inverse->N + (size_t)k * (size_t)inverse->column_count;
}

/* Removes from v its components along the first `count` null vectors, twice because of rounding. */
static void
project_out(const struct cn_pseudo_inverse *inverse, int count, double *v)
{
    int n = inverse->column_count;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < count; k++) {
            const double *null = null_vector(inverse, k);
            cn_axpy(-cn_dot(null, v, n), null, v, n);
            cn_work_spend(2 * n);
        }
    }
}

static void
find_null_space(struct cn_pseudo_inverse *inverse)
{
    int n = inverse->column_count;
    double *x = inverse->work_vector;
    for (int j = inverse->rank; j < n; j++) {
        int k = j - inverse->rank;
        double *null = null_vector(inverse, k);
        for (int i = 0; i < inverse->rank; i++) {
            x[i] = -column_of(inverse, j)[i];
        }
        back_substitute(inverse, x);
        expand_solution(inverse, x, j, null);
        cn_work_spend(6 * n);
        double before = sqrt(cn_dot(null, null, n));
        project_out(inverse, k, null);
        double after = sqrt(cn_dot(null, null, n));
        double factor = after > COLUMN_FRACTION_MIN * before ? 1.0 / after : 0.0;
        for (int i = 0; i < n; i++) {
            null[i] *= factor;
        }
        inverse->work += (int64_t)inverse->rank * inverse->rank / 2 + 4 * (int64_t)n * k;
    }
}

void
cn_pseudo_inverse_factor(struct cn_pseudo_inverse *inverse)
{
    scale_matrix(inverse);
    reduce_to_triangle(inverse);
    find_null_space(inverse);
}

void
cn_pseudo_inverse_solve(struct cn_pseudo_inverse *inverse, const double *r, double *x)
{
    double *y = inverse->work_vector;
    int m = inverse->row_count, n = inverse->column_count;
    CN_ASSERT((n == 0 || x != y) && inverse->rank <= m && inverse->rank <= n);
    for (int i = 0; i < m; i++) {
        y[i] = inverse->row_scale[i] * r[i];
    }
    for (int k = 0; k < inverse->rank; k++) {
        reflect_vector(inverse, k, y);
    }
    back_substitute(inverse, y);
    expand_solution(inverse, y, -1, x);
    project_out(inverse, n - inverse->rank, x);
    for (int j = 0; j < n; j++) {
        x[j] /= inverse->weight[j];
    }
    inverse->work += 2 * (int64_t)m * inverse->rank + 4 * (int64_t)n * (n - inverse->rank);
}
