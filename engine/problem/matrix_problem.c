#include "engine/problem/matrix_problem.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/linalg/dot.h"
#include "engine/math/scalar.h"

#include <string.h>

/*
 * Relative to the two diagonal entries: a dense A is symmetric to within this when it was computed.
 */
#define ASYMMETRY_MAX 1e-12

/* cn_work_spend is called once for this many rows. */
#define ROWS_TOGETHER 256
#define WORK_PER_ROW 40

static const double *
dense_row(const struct cn_matrix_problem *problem, int i)
{
    return problem->A + (size_t)i * (size_t)problem->stride;
}

/* A_ij of a sparse A. */
static double
sparse_entry(const struct cn_sparse_matrix *sparse, int i, int j)
{
    for (int k = sparse->start[i]; k < sparse->start[i + 1]; k++) {
        if (sparse->column[k] == j) {
            return sparse->entry[k];
        }
    }
    return 0.0;
}

double
cn_matrix_diagonal(const struct cn_matrix_problem *problem, int i)
{
    if (problem->delassus != NULL) {
        return cn_delassus_diagonal(problem->delassus, i);
    }
    return problem->A == NULL ? sparse_entry(problem->sparse, i, i) : dense_row(problem, i)[i];
}

static double
sparse_product(const struct cn_sparse_matrix *sparse, int i, const double *f)
{
    double sum = 0.0;
    for (int k = sparse->start[i]; k < sparse->start[i + 1]; k++) {
        sum += sparse->entry[k] * f[sparse->column[k]];
    }
    return sum;
}

void
cn_matrix_rates(const struct cn_matrix_problem *problem, const double *f, double *a)
{
    if (problem->delassus != NULL) {
        cn_delassus_multiply(problem->delassus, f, a);
        for (int i = 0; i < problem->n; i++) {
            a[i] += problem->b[i];
        }
        return;
    }
    for (int i = 0; i < problem->n && problem->A == NULL; i++) {
        a[i] = problem->b[i] + sparse_product(problem->sparse, i, f);
        cn_work_turn(i, problem->n, ROWS_TOGETHER, WORK_PER_ROW);
    }
    for (int i = 0; i < problem->n && problem->A != NULL; i++) {
        a[i] = problem->b[i] + cn_dot(dense_row(problem, i), f, problem->n);
        cn_work_spend(problem->n);
    }
}

int
cn_matrix_column(const struct cn_matrix_problem *problem, int i, const int *place, int count,
    double *out)
{
    if (problem->delassus != NULL) {
        return cn_delassus_column(problem->delassus, i, place, count, out);
    }
    cn_work_spend(problem->n);
    if (problem->A == NULL) {
        const struct cn_sparse_matrix *sparse = problem->sparse;
        memset(out, 0, (size_t)count * sizeof(out[0]));
        for (int k = sparse->start[i]; k < sparse->start[i + 1]; k++) {
            if (place[sparse->column[k]] >= 0) {
                out[place[sparse->column[k]]] = sparse->entry[k];
            }
        }
        return 0;
    }
    const double *row = dense_row(problem, i);
    for (int j = 0; j < problem->n; j++) {
        if (place[j] >= 0) {
            out[place[j]] = row[j];
        }
    }
    return 0;
}

void
cn_matrix_fill(const struct cn_matrix_problem *problem, int *place, double *A, int stride)
{
    for (int i = 0; i < problem->n; i++) {
        place[i] = i;
    }
    for (int i = 0; i < problem->n; i++) {
        double *row = A + (size_t)i * (size_t)stride;
        int first = cn_matrix_column(problem, i, place, problem->n, row);
        for (int j = 0; j < first; j++) {
            row[j] = 0.0;
        }
        cn_work_spend(first / 4);
    }
}

static double
entry_of(const struct cn_matrix_problem *problem, int i, int j)
{
    return problem->A == NULL ? sparse_entry(problem->sparse, i, j) : dense_row(problem, i)[j];
}

bool
cn_matrix_is_symmetric(const struct cn_matrix_problem *problem)
{
    if (problem->delassus != NULL) {
        return true;
    }
    for (int i = 0; i < problem->n; i++) {
        for (int j = 0; j < i; j++) {
            double difference = fabs(entry_of(problem, i, j) - entry_of(problem, j, i));
            double size = fabs(entry_of(problem, i, i)) + fabs(entry_of(problem, j, j));
            if (difference > ASYMMETRY_MAX * size) {
                return false;
            }
        }
        cn_work_spend(4 * i);
    }
    return true;
}

int64_t
cn_matrix_rates_work(const struct cn_matrix_problem *problem)
{
    int64_t n = problem->n;
    if (problem->delassus != NULL) {
        return 4 * n * problem->delassus->dof;
    }
    return problem->A == NULL ? problem->sparse->start[n] : n * n;
}

/* The size of a force's effect on its own row; the diagonal of a given matrix may have any sign. */
static double
effect_of(const struct cn_matrix_problem *problem, int i)
{
    double diagonal = fabs(cn_matrix_diagonal(problem, i));
    return diagonal > 0.0 ? diagonal : 1.0;
}

static double
residual_at(const struct cn_matrix_problem *problem, const double *f, const double *a, int i)
{
    enum cn_row_tag tag = cn_matrix_tag(problem, i);
    double effect = effect_of(problem, i);
    if (tag == CN_ROW_NORMAL || tag == CN_ROW_BILATERAL) {
        return cn_residual_row(tag, a[i], effect, f[i]);
    }
    if (tag == CN_ROW_BOUNDED) {
        return cn_residual_bounded(a[i], effect, f[i], problem->lower[i], problem->upper[i]);
    }
    if (cn_matrix_tag(problem, i - 1) == tag) {
        return 0.0; /* the second row of a disc: the first measured both */
    }
    bool two = i + 1 < problem->n && cn_matrix_tag(problem, i + 1) == tag;
    effect = two ? cn_max(effect, effect_of(problem, i + 1)) : effect;
    int normal = i - 1;
    while (cn_row_follows(cn_matrix_tag(problem, normal))) {
        normal--;
        CN_ASSERT(normal >= 0); /* the contact's normal row */
    }
    double rim = cn_friction_limit(problem->tag, problem->friction, i) * cn_max(f[normal], 0.0);
    const double *slip = problem->slip == NULL ? NULL : &problem->slip[i];
    return cn_residual_tangent(&a[i], effect, &f[i], rim, slip, two ? 2 : 1);
}

double
cn_matrix_residual(const struct cn_matrix_problem *problem, const double *f, double *a)
{
    double worst = 0.0;
    cn_matrix_rates(problem, f, a);
    for (int i = 0; i < problem->n; i++) {
        if (!isfinite(a[i]) || !isfinite(f[i])) {
            return HUGE_VAL;
        }
    }
    for (int i = 0; i < problem->n; i++) {
        double residual = residual_at(problem, f, a, i);
        if (!isfinite(residual)) {
            return HUGE_VAL;
        }
        worst = cn_max(worst, residual);
        cn_work_turn(i, problem->n, ROWS_TOGETHER, WORK_PER_ROW);
    }
    return worst / cn_residual_scale(problem->b, problem->n);
}
