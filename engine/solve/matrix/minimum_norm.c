#include "engine/solve/matrix/minimum_norm.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/linalg/dot.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

/*
 * P_ii below this means that the force of row i is unique.  P is a projector, so its natural size
 * is 1.
 */
#define PROJECTION_MIN 1e-10
/* A column that Gram-Schmidt shortens to less than this fraction depends on the ones before. */
#define COLUMN_FRACTION_MIN 1e-9
/* A force below this part of the largest one counts as zero. */
#define FORCE_TOLERANCE 1e-13
#define PIVOTS_PER_ROW 10
/* Rounding that is accepted where the multipliers are large. */
#define FORCE_TOLERANCE_LOOSE 1e-9

void
cn_minimum_norm_take(struct cn_minimum_norm *norm, struct cn_arena *scratch, int row_max)
{
    CN_ASSERT(row_max >= 0);
    size_t n = (size_t)row_max;
    *norm = (struct cn_minimum_norm){.capacity = row_max};
    norm->member = CN_ARENA_TAKE(scratch, int, n);
    norm->pushing = CN_ARENA_TAKE(scratch, int, n);
    norm->Q = CN_ARENA_TAKE(scratch, double, n * n);
    norm->P = CN_ARENA_TAKE(scratch, double, n * n);
    norm->f = CN_ARENA_TAKE(scratch, double, n);
    norm->b = CN_ARENA_TAKE(scratch, double, n);
    norm->l = CN_ARENA_TAKE(scratch, double, n);
    norm->shift = CN_ARENA_TAKE(scratch, double, n);
}

/* Fills member[] with E and makes C a maximal independent part of it.  Returns |E|. */
static int
find_members(struct cn_minimum_norm *norm, struct cn_dantzig *z)
{
    int count = 0;
    for (int i = 0; i < z->problem->n; i++) {
        bool bilateral = cn_matrix_tag(z->problem, i) == CN_ROW_BILATERAL;
        if (bilateral || z->place[i] >= 0 || z->a[i] <= z->accel_tolerance) {
            norm->member[count] = i;
            count++;
            if (z->place[i] < 0) {
                cn_dantzig_clamp(z, i);
            }
        }
    }
    CN_ASSERT(z->factor.count <= count); /* C is a part of E */
    return count;
}

/* Writes W to Q, by columns. */
static void
spread_rows(struct cn_minimum_norm *norm, struct cn_dantzig *z, int member_count)
{
    int rank = z->factor.count;
    for (int e = 0; e < member_count; e++) {
        int i = norm->member[e];
        for (int k = 0; k < rank; k++) {
            norm->Q[k * member_count + e] = 0.0;
        }
        cn_work_spend(4 * (int64_t)rank);
        int p = z->place[i];
        if (p >= 0) {
            const double *row = cn_envelope_row(&z->factor, p);
            for (int k = z->factor.first[p]; k <= p; k++) {
                norm->Q[k * member_count + e] = row[k];
            }
        } else {
            (void)cn_dantzig_stage(z, i);
            CN_ASSERT(0 <= z->factor.staged_first && z->factor.staged_first <= rank);
            for (int k = z->factor.staged_first; k < rank; k++) {
                norm->Q[k * member_count + e] = z->factor.staged[k];
            }
        }
    }
}

/* Makes the columns of Q orthonormal; returns the number of remaining columns. */
static int
orthonormalise_columns(double *Q, int length, int column_count)
{
    int kept = 0;
    for (int k = 0; k < column_count; k++) {
        double *q = Q + kept * length;
        if (kept != k) {
            memcpy(q, Q + k * length, (size_t)length * sizeof(q[0]));
        }
        double length_before = sqrt(cn_dot(q, q, length));
        for (int pass = 0; pass < 2; pass++) {
            for (int j = 0; j < kept; j++) {
                const double *q_j = Q + j * length;
                cn_axpy(-cn_dot(q_j, q, length), q_j, q, length);
                cn_work_spend(2 * length);
            }
        }
        double length_after = sqrt(cn_dot(q, q, length));
        if (length_after > COLUMN_FRACTION_MIN * length_before) {
            for (int e = 0; e < length; e++) {
                q[e] /= length_after;
            }
            kept++;
        }
    }
    CN_ASSERT(kept <= column_count);
    return kept;
}

/* out = Q Q' v */
static void
project_on_range(const double *Q, int length, int rank, const double *v, double *out)
{
    memset(out, 0, (size_t)length * sizeof(out[0]));
    for (int k = 0; k < rank; k++) {
        const double *q = Q + k * length;
        cn_axpy(cn_dot(q, v, length), q, out, length);
        cn_work_spend(2 * length);
    }
}

/* Fills P and b for the normal rows that P moves; returns their number. */
static int
project_pushing(struct cn_minimum_norm *norm, const struct cn_dantzig *z, int length, int rank,
    double f_max)
{
    int count = 0;
    for (int e = 0; e < length; e++) {
        double own = 1.0;
        for (int k = 0; k < rank; k++) {
            own -= norm->Q[k * length + e] * norm->Q[k * length + e];
        }
        cn_work_spend(2 * rank);
        bool normal = cn_matrix_tag(z->problem, norm->member[e]) == CN_ROW_NORMAL;
        if (normal && own > PROJECTION_MIN) {
            norm->pushing[count] = e;
            count++;
        }
    }
    for (int p = 0; p < count; p++) {
        norm->b[p] = norm->shift[norm->pushing[p]] / f_max;
        norm->l[p] = 0.0;
        for (int q = 0; q <= p; q++) {
            double sum = p == q ? 1.0 : 0.0;
            for (int k = 0; k < rank; k++) {
                const double *column = norm->Q + k * length;
                sum -= column[norm->pushing[p]] * column[norm->pushing[q]];
            }
            norm->P[p * count + q] = sum;
            norm->P[q * count + p] = sum;
            cn_work_spend(4 * rank);
        }
    }
    return count;
}

/* Solves for the multipliers l and adds P l to the forces in shift[]. */
static bool
push_up(struct cn_minimum_norm *norm, struct cn_dantzig *z, int length, int rank, double f_max,
    int pivot_max)
{
    int count = project_pushing(norm, z, length, rank, f_max);
    CN_ASSERT(count <= length);
    struct cn_matrix_problem multipliers = {.n = count, .stride = count, .A = norm->P,
        .b = norm->b};
    int64_t work = z->work + z->factor.work;
    int pivots = z->pivot_count;
    cn_dantzig_begin(z, &multipliers, FORCE_TOLERANCE, norm->l);
    z->work = work + (int64_t)count * count * rank;
    z->pivot_count = pivots;
    enum cn_dantzig_end end = cn_dantzig_run(z, pivot_max);
    bool near = end == CN_DANTZIG_SPOILED && z->clamped_error <= FORCE_TOLERANCE_LOOSE;
    if (end != CN_DANTZIG_DONE && !near) {
        return false;
    }
    double *l = norm->f; /* no longer needed */
    memset(l, 0, (size_t)length * sizeof(l[0]));
    for (int p = 0; p < count; p++) {
        l[norm->pushing[p]] = f_max * norm->l[p];
    }
    cn_axpy(1.0, l, norm->shift, length);
    for (int k = 0; k < rank; k++) {
        const double *q = norm->Q + k * length;
        cn_axpy(-cn_dot(q, l, length), q, norm->shift, length);
        cn_work_spend(2 * length);
    }
    for (int p = 0; p < count; p++) {
        if (norm->l[p] > 0.0) {
            norm->shift[norm->pushing[p]] = 0.0;
        }
    }
    return true;
}

bool
cn_minimum_norm_find(struct cn_minimum_norm *norm, struct cn_dantzig *z, int pivot_max, double *f)
{
    CN_ASSERT(z->problem->n <= norm->capacity);
    const struct cn_matrix_problem *problem = z->problem;
    double accel_tolerance = z->accel_tolerance;
    int length = find_members(norm, z);
    int column_count = z->factor.count;
    spread_rows(norm, z, length);
    CN_ASSERT(column_count <= length && length <= problem->n);
    int rank = orthonormalise_columns(norm->Q, length, column_count);
    z->work += 4 * (int64_t)length * rank * rank;

    double f_max = 0.0, f_min = 0.0;
    for (int e = 0; e < length; e++) {
        norm->f[e] = f[norm->member[e]];
    }
    project_on_range(norm->Q, length, rank, norm->f, norm->shift);
    for (int e = 0; e < length; e++) {
        f_max = cn_max(f_max, fabs(norm->shift[e]));
        if (cn_matrix_tag(problem, norm->member[e]) == CN_ROW_NORMAL) {
            f_min = cn_min(f_min, norm->shift[e]);
        }
    }
    if (f_min < -FORCE_TOLERANCE * f_max &&
        !push_up(norm, z, length, rank, f_max, pivot_max)) {
        return false;
    }
    for (int e = 0; e < length; e++) {
        int i = norm->member[e];
        bool normal = cn_matrix_tag(problem, i) == CN_ROW_NORMAL;
        f[i] = normal ? cn_max(norm->shift[e], 0.0) : norm->shift[e];
    }
    /* The rows themselves give the precision that Q lacks. */
    cn_dantzig_polish(z, problem, accel_tolerance, f);
    return true;
}

static void
from_take(struct cn_minimum_norm *norm, struct cn_dantzig *z, double **kept,
    struct cn_arena *scratch, int n)
{
    size_t rows = (size_t)n;
    cn_dantzig_take(z, scratch, n, rows * (rows + 1) / 2);
    cn_minimum_norm_take(norm, scratch, n);
    *kept = CN_ARENA_TAKE(scratch, double, rows);
}

void
cn_minimum_norm_layout(struct cn_arena *scratch, int n)
{
    struct cn_minimum_norm norm;
    struct cn_dantzig z;
    double *kept;
    from_take(&norm, &z, &kept, scratch, n);
}

bool
cn_minimum_norm_from(const struct cn_matrix_problem *problem, double accel_tolerance,
    struct cn_arena *scratch, double *f, struct cn_solve_report *report)
{
    struct cn_minimum_norm norm;
    struct cn_dantzig z;
    double *kept;
    size_t size = (size_t)problem->n * sizeof(f[0]);
    from_take(&norm, &z, &kept, scratch, problem->n);
    memcpy(kept, f, size);
    cn_dantzig_begin(&z, problem, accel_tolerance, f);
    cn_dantzig_warm(&z);
    int pivot_max = PIVOTS_PER_ROW * problem->n + PIVOTS_PER_ROW;
    bool found = cn_dantzig_run(&z, pivot_max) == CN_DANTZIG_DONE;
    found = found && cn_minimum_norm_find(&norm, &z, z.pivot_count + pivot_max, f);
    if (!found) {
        memcpy(f, kept, size);
    }
    report->iteration_count += z.pivot_count;
    report->work += z.work + z.factor.work;
    return found;
}
