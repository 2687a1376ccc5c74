#include "engine/problem/matrix_problem.h"

#include "engine/linalg/dot.h"
#include "engine/math/scalar.h"

/* Relative to the two diagonal entries; a dense A that a program computed is symmetric to this. */
#define ASYMMETRY_MAX 1e-12

static const double *
dense_row(const struct cn_matrix_problem *problem, int i)
{
    return problem->A + (size_t)i * (size_t)problem->stride;
}

double
cn_matrix_diagonal(const struct cn_matrix_problem *problem, int i)
{
    return problem->A == NULL ? cn_delassus_diagonal(problem->delassus, i)
                              : dense_row(problem, i)[i];
}

void
cn_matrix_rates(const struct cn_matrix_problem *problem, const double *f, double *a)
{
    if (problem->A == NULL) {
        cn_delassus_multiply(problem->delassus, f, a);
        for (int i = 0; i < problem->n; i++) {
            a[i] += problem->b[i];
        }
        return;
    }
    for (int i = 0; i < problem->n; i++) {
        a[i] = problem->b[i] + cn_dot(dense_row(problem, i), f, problem->n);
    }
}

int
cn_matrix_column(const struct cn_matrix_problem *problem, int i, const int *place, int count,
    double *out)
{
    if (problem->A == NULL) {
        return cn_delassus_column(problem->delassus, i, place, count, out);
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
    }
}

bool
cn_matrix_is_symmetric(const struct cn_matrix_problem *problem)
{
    if (problem->A == NULL) {
        return true;
    }
    for (int i = 0; i < problem->n; i++) {
        for (int j = 0; j < i; j++) {
            double difference = fabs(dense_row(problem, i)[j] - dense_row(problem, j)[i]);
            double size = fabs(dense_row(problem, i)[i]) + fabs(dense_row(problem, j)[j]);
            if (difference > ASYMMETRY_MAX * size) {
                return false;
            }
        }
    }
    return true;
}

int64_t
cn_matrix_rates_work(const struct cn_matrix_problem *problem)
{
    int64_t n = problem->n;
    return problem->A == NULL ? 4 * n * problem->delassus->dof : n * n;
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
        /* The size of a force's own effect; a matrix by itself may have any diagonal. */
        double diagonal = fabs(cn_matrix_diagonal(problem, i));
        diagonal = diagonal > 0.0 ? diagonal : 1.0;
        worst = cn_max(worst, cn_residual_row(cn_matrix_tag(problem, i), a[i], diagonal, f[i]));
    }
    return worst / cn_residual_scale(problem->b, problem->n);
}
