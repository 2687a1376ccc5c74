/*
 * matrix_problem.h: a = A f + b for solvers that need A and b of one island, or a matrix alone.
 *
 * A is one of three things that answer the same three questions (diagonal, product, column): a
 * dense matrix, which need not be symmetric, a sparse one, or the rows of an island (delassus.h).
 * Matrices come from tests, from complementarity problems of the literature and from the projection
 * that minimum-norm forces need.
 */
#ifndef ENGINE_PROBLEM_MATRIX_PROBLEM_H
#define ENGINE_PROBLEM_MATRIX_PROBLEM_H

#include "engine/problem/delassus.h"

/* A by rows: entries start[i] .. start[i + 1] - 1 are those of row i, in any order. */
struct cn_sparse_matrix {
    const int *start;  /* n + 1 */
    const int *column; /* each at most once in a row */
    const double *entry;
};

/* The pointers are borrowed for one call. */
struct cn_matrix_problem {
    int n;
    int stride;      /* doubles between rows of A, >= n */
    const double *A; /* n x n, row major; NULL: A is `sparse` or `delassus` */
    const struct cn_sparse_matrix *sparse; /* for solvers that say so (matrix_solver.h) */
    const struct cn_delassus *delassus;
    const double *b;          /* n */
    const unsigned char *tag; /* enum cn_row_tag; NULL: all NORMAL */
    const double *lower, *upper, *friction, *slip; /* as in cn_contact_problem, may be NULL */
};

static inline enum cn_row_tag
cn_matrix_tag(const struct cn_matrix_problem *problem, int i)
{
    return problem->tag == NULL ? CN_ROW_NORMAL : (enum cn_row_tag)problem->tag[i];
}

double cn_matrix_diagonal(const struct cn_matrix_problem *problem, int i);

/* a = A f + b */
void cn_matrix_rates(const struct cn_matrix_problem *problem, const double *f, double *a);

/* Like cn_delassus_column: writes row i of A to the given places. */
int cn_matrix_column(const struct cn_matrix_problem *problem, int i, const int *place, int count,
    double *out);

/* Copies A to a dense matrix. place is working memory of n entries. */
void cn_matrix_fill(const struct cn_matrix_problem *problem, int *place, double *A, int stride);

/* True for an island, and for a dense A that equals its transpose up to rounding. */
bool cn_matrix_is_symmetric(const struct cn_matrix_problem *problem);

/* Multiply-adds of one product, for the work count. */
int64_t cn_matrix_rates_work(const struct cn_matrix_problem *problem);

/* The residual of contact_problem.h, for a matrix. a has n entries; on return it holds A f + b. */
double cn_matrix_residual(const struct cn_matrix_problem *problem, const double *f, double *a);

#endif
