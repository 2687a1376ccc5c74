/*
 * least.h: the x of least norm among all that minimise |A x - b|, for any A.
 *
 * Columns of A are made orthonormal one after the other, the one with the longest remainder first,
 * until only rounding remains: A = Q R with Q m x r, R r x n, r the rank.  Then the rows of R are
 * made orthonormal, R = L V, and
 *
 *     x = V' inv(L) Q' b
 *
 * Both steps are Gram-Schmidt, done twice, which leaves Q and V orthonormal to rounding.
 *
 * Source: Golub and Van Loan, Matrix Computations, section 5.5 (complete orthogonal decomposition);
 * Giraud, Langou and Rozloznik, Numerische Mathematik 101, 2005 (twice is enough).
 */
#ifndef ENGINE_LINALG_LEAST_H
#define ENGINE_LINALG_LEAST_H

#include "engine/base/arena.h"

struct cn_least {
    int row_max, column_max;
    double *A; /* m x n, row major, and b: the caller's; both are overwritten */
    double *b;
    double *Q;  /* r columns of m entries each, one after the other */
    double *R;  /* r rows of n entries each; V at the end */
    double *L;  /* r x r */
    int rank;
};

void cn_least_take(struct cn_least *least, struct cn_arena *arena, int row_max, int column_max);

/* x has n entries. */
void cn_least_squares(struct cn_least *least, int m, int n, double *x);

#endif
