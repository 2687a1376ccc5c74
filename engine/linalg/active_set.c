#include "engine/linalg/active_set.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"

#include <math.h>
#include <string.h>

void
cn_active_set_take(struct cn_active_set *set, struct cn_arena *arena, int n_max)
{
    CN_ASSERT(n_max >= 0);
    size_t n = (size_t)n_max;
    *set = (struct cn_active_set){.capacity = n_max};
    set->H = CN_ARENA_TAKE(arena, double, n * n);
    set->low = CN_ARENA_TAKE(arena, int, n);
    set->high = CN_ARENA_TAKE(arena, int, n);
    set->R = CN_ARENA_TAKE(arena, double, n * (n + 1) / 2);
    set->d = CN_ARENA_TAKE(arena, double, n);
}

static double *
column_of_H(const struct cn_active_set *set, int j)
{
    return set->H + (size_t)j * (size_t)set->n;
}

void
cn_active_set_begin(struct cn_active_set *set, int n)
{
    CN_ASSERT(0 <= n && n <= set->capacity);
    set->n = n;
    set->count = 0;
    set->work = (int64_t)n * n;
    for (int j = 0; j < n; j++) {
        memset(column_of_H(set, j), 0, (size_t)n * sizeof(set->H[0]));
        cn_work_spend(1 + n / 4);
        set->low[j] = n;
        set->high[j] = 0;
    }
}

static double *
column_of_R(const struct cn_active_set *set, int k)
{
    return set->R + (size_t)k * (size_t)(k + 1) / 2;
}

void
cn_active_set_metric(struct cn_active_set *set, int i, int j, double value)
{
    CN_ASSERT(0 <= i && i < set->n && 0 <= j && j < set->n);
    column_of_H(set, j)[i] = value;
    set->low[j] = i < set->low[j] ? i : set->low[j];
    set->high[j] = i >= set->high[j] ? i + 1 : set->high[j];
}

double
cn_active_set_stage(struct cn_active_set *set, const struct cn_active_row *row)
{
    double sum_2 = 0.0;
    int64_t pending = 0;
    for (int j = 0; j < set->n; j++) {
        const double *h = column_of_H(set, j);
        double d = 0.0;
        for (int k = 0; k < row->count; k++) {
            int i = row->index[k];
            if (i >= set->low[j] && i < set->high[j]) {
                d += h[i] * row->value[k];
            }
        }
        set->d[j] = d;
        sum_2 += j >= set->count ? d * d : 0.0;
        cn_work_count(&pending, 2 * row->count + 2);
    }
    cn_work_spend(pending);
    set->work += (int64_t)set->n * row->count;
    return sum_2;
}

void
cn_active_set_direction(struct cn_active_set *set, double *r)
{
    CN_ASSERT(0 <= set->count && set->count <= set->n && (set->n == 0 || r != set->d));
    memcpy(r, set->d, (size_t)set->count * sizeof(r[0]));
    for (int k = set->count - 1; k >= 0; k--) {
        const double *R = column_of_R(set, k);
        r[k] /= R[k];
        for (int i = 0; i < k; i++) {
            r[i] -= R[i] * r[k];
        }
        cn_work_spend(k);
    }
    set->work += (int64_t)set->count * set->count / 2;
}

/* cos and sin of the rotation that turns (x, y) into (hypotenuse, 0); returns that. */
static double
find_rotation(double x, double y, double *c, double *s)
{
    double larger = fmax(fabs(x), fabs(y));
    double u = x / larger, v = y / larger;
    double length = sqrt(u * u + v * v);
    *c = u / length;
    *s = v / length;
    return larger * length;
}

/* Columns p and q of H: p = c p + s q, q = c q - s p. */
static void
rotate_columns(struct cn_active_set *set, int p, int q, double c, double s)
{
    CN_ASSERT(p != q && set->low[p] >= 0 && set->high[p] <= set->n);
    double *x = column_of_H(set, p), *y = column_of_H(set, q);
    int low = set->low[p] < set->low[q] ? set->low[p] : set->low[q];
    int high = set->high[p] > set->high[q] ? set->high[p] : set->high[q];
    for (int i = low; i < high; i++) {
        double x_i = x[i], y_i = y[i];
        x[i] = c * x_i + s * y_i;
        y[i] = c * y_i - s * x_i;
    }
    set->low[p] = set->low[q] = low;
    set->high[p] = set->high[q] = high;
    set->work += 4 * (int64_t)(high > low ? high - low : 0);
    cn_work_spend(4 * (int64_t)(high > low ? high - low : 0));
}

void
cn_active_set_commit(struct cn_active_set *set)
{
    int k = set->count;
    CN_ASSERT(k < set->n);
    double *d = set->d;
    for (int j = k + 1; j < set->n; j++) {
        if (d[j] != 0.0) {
            double c, s;
            d[k] = find_rotation(d[k], d[j], &c, &s);
            d[j] = 0.0;
            rotate_columns(set, k, j, c, s);
        }
    }
    CN_ASSERT(d[k] != 0.0);
    memcpy(column_of_R(set, k), d, (size_t)(k + 1) * sizeof(d[0]));
    set->count++;
}

/*
 * Without column k each column after it has one entry below the diagonal.  Row by row a rotation
 * removes this entry, and rotates the same two columns of H.
 */
void
cn_active_set_remove(struct cn_active_set *set, int k)
{
    CN_ASSERT(0 <= k && k < set->count);
    for (int j = k; j + 1 < set->count; j++) {
        double *next = column_of_R(set, j + 1), c, s;
        double length = next[j + 1] == 0.0 ? next[j] : find_rotation(next[j], next[j + 1], &c, &s);
        if (next[j + 1] != 0.0) {
            rotate_columns(set, j, j + 1, c, s);
            for (int l = j + 2; l < set->count; l++) {
                double *R = column_of_R(set, l), x = R[j], y = R[j + 1];
                R[j] = c * x + s * y;
                R[j + 1] = c * y - s * x;
            }
            set->work += 4 * (int64_t)(set->count - j);
            cn_work_spend(4 * (int64_t)(set->count - j));
        }
        next[j] = length;
        memmove(column_of_R(set, j), next, (size_t)(j + 1) * sizeof(next[0]));
        cn_work_spend(1 + j / 4);
    }
    set->count--;
}

void
cn_active_set_solve(struct cn_active_set *set, double *x)
{
    CN_ASSERT(set->count <= set->n && (set->n == 0 || x != set->d));
    for (int k = 0; k < set->count; k++) {
        const double *R = column_of_R(set, k);
        double sum = x[k];
        for (int i = 0; i < k; i++) {
            sum -= R[i] * x[i];
        }
        x[k] = sum / R[k];
        cn_work_spend(k);
    }
    for (int k = set->count - 1; k >= 0; k--) {
        const double *R = column_of_R(set, k);
        x[k] /= R[k];
        for (int i = 0; i < k; i++) {
            x[i] -= R[i] * x[k];
        }
        cn_work_spend(k);
    }
    set->work += (int64_t)set->count * set->count;
}
