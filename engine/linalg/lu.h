/*
 * lu.h: P A = L U of a general square matrix, by partial pivoting within its envelope.
 *
 *     A   n x n, row major, each row nonzero between its first and its last column only
 *     P   a permutation: in column k the largest entry at or below the diagonal becomes pivot
 *
 * A row's end grows to that of the rows that eliminate it, so a matrix of half bandwidth w costs
 * O(n w^2), a dense one 2 n^3 / 3.  Multipliers stay where the entries were.  Columns are
 * eliminated in panels, so that what lies behind a panel is read once a panel, not once a column.
 *
 * Source: Golub and Van Loan, Matrix Computations, 4th edition, sections 3.2 and 3.4.
 */
#ifndef ENGINE_LINALG_LU_H
#define ENGINE_LINALG_LU_H

#include "engine/base/arena.h"

#include <stdint.h>

struct cn_lu {
    int n;
    double *entry; /* n_max x n_max; row i at entry + i n */
    int *first;    /* first column of a row */
    int *last;     /* one past its last */
    int *pivot;    /* row that went to place k, by swaps */
    int *bottom;   /* one past the last row that column k can reach */
};

void cn_lu_take(struct cn_lu *lu, struct cn_arena *arena, int n_max);

/*
 * Factors what the caller has written: n, first, last and the entries in between; the rest of a
 * row need not be written.  A pivot below `pivot_min` in size is replaced by it, so that a singular
 * matrix gives a finite answer.  Returns the multiply-adds; *replaced counts such pivots.
 */
int64_t cn_lu_factor(struct cn_lu *lu, double pivot_min, int *replaced);

/* x := inv(A) x; returns the multiply-adds. */
int64_t cn_lu_solve(struct cn_lu *lu, double *x);

#endif
