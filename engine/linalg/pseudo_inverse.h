/*
 * pseudo_inverse.h: among all x that minimise |R (B x - r)|, the one of least |W x|.
 *
 * R scales the rows, W weighs the unknowns; both are diagonal and positive.  Where B has full rank
 * and the system is consistent, R and W do not matter: x = inv(B) r.  Where B has lower rank, x is
 * still unique, and with R = W = 1 it is B^+ r, with the inverse of Moore and Penrose.
 *
 * Rank is decided on S = R B C, where C scales the columns and affects only that decision.
 * Householder reflections with column pivoting,
 *
 *     S P = Q [ R11 R12 ]      R11 upper triangular, |R_kk| > 1e-10 |R_00|
 *             [  0   ~0 ]
 *
 * give one solution with zeros in the remaining columns, and the null space P (-inv(R11) R12, 1).
 * An orthonormal basis of it, in the metric W, removes from x its part in the null space.
 *
 * Source: Golub and Van Loan, Matrix Computations, 4th ed., sections 5.4.2 and 5.5.
 */
#ifndef ENGINE_LINALG_PSEUDO_INVERSE_H
#define ENGINE_LINALG_PSEUDO_INVERSE_H

#include "engine/base/arena.h"

#include <stdint.h>

struct cn_pseudo_inverse {
    int capacity;
    int row_count, column_count;
    int rank;
    double *B;            /* the caller's matrix, column j at j row_count; then the factor */
    double *row_scale;    /* R */
    double *column_scale; /* C */
    double *weight;       /* W */
    double *N;            /* column_count - rank columns: W times the null space, orthonormal */
    double *reflector;    /* 2 / |v|^2 of each Householder vector */
    double *work_vector;
    double *diagonal; /* R_kk */
    int *order;    /* P */
    int64_t work;  /* multiply-adds since take */
};

/* Takes the memory for matrices of up to n_max rows and columns. */
void cn_pseudo_inverse_take(struct cn_pseudo_inverse *inverse, struct cn_arena *arena, int n_max);

/* Starts a matrix: the caller then writes B, row_scale, column_scale and weight. */
void cn_pseudo_inverse_begin(struct cn_pseudo_inverse *inverse, int row_count, int column_count);

void cn_pseudo_inverse_factor(struct cn_pseudo_inverse *inverse);

/* x has column_count entries, r row_count. */
void cn_pseudo_inverse_solve(struct cn_pseudo_inverse *inverse, const double *r, double *x);

#endif
