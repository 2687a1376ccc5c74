/*
 * lu.h: P A = L U of a general square matrix, by partial pivoting within its envelope.
 *
 *     A   n x n, row major, each row nonzero between its first and its last column only
 *     P   a permutation: in column k the largest entry at or below the diagonal becomes the pivot
 *
 * A row's end grows to that of the rows that eliminate it.  So a matrix of half bandwidth w costs
 * O(n w^2), a dense one 2 n^3 / 3.  Multipliers overwrite the eliminated entries.  Columns are
 * eliminated in panels, so that the entries right of a panel are read once for each panel instead
 * of once for each column.
 *
 * Memory: entries are stored row by row, each row with only the columns that it will have: from its
 * first column, or from the first panel that reaches it, to where elimination extends it.  These
 * columns follow from the rows' first and last columns, so they are known before anything is
 * computed.
 *
 * Source: Golub and Van Loan, Matrix Computations, 4th edition, sections 3.2 and 3.4.
 */
#ifndef ENGINE_LINALG_LU_H
#define ENGINE_LINALG_LU_H

#include "engine/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct cn_lu {
    int n, n_max;
    size_t entry_max;
    double *entry;
    size_t *start; /* of a row in entry[], minus the first column that it stores */
    int *first;    /* first column of a row */
    int *last;     /* one past its last */
    int *low;      /* first column that a row stores */
    int *high;     /* one past the last column that it will have */
    int *pivot;    /* the row that was swapped into place k */
    int *bottom;   /* one past the last row that column k can reach */
};

void cn_lu_take(struct cn_lu *lu, struct cn_arena *arena, int n_max, size_t entry_max);

/*
 * Makes room for a matrix whose n, first and last the caller has written.  Returns false when it
 * needs more than entry_max.
 */
bool cn_lu_open(struct cn_lu *lu);

/* Row i, indexed by column. */
double *cn_lu_row(const struct cn_lu *lu, int i);

/*
 * Factors the entries that the caller has written after cn_lu_open, from each row's first to its
 * last column; the other entries of a row need not be written.  A pivot smaller than `pivot_min` is
 * replaced by it, so that a singular matrix gives a finite answer.  Returns the multiply-adds;
 * *replaced counts the replaced pivots.
 */
int64_t cn_lu_factor(struct cn_lu *lu, double pivot_min, int *replaced);

/* x := inv(A) x; returns the multiply-adds. */
int64_t cn_lu_solve(struct cn_lu *lu, double *x);

/* The sign of the determinant, 1 or -1, of the matrix that was factored. */
int cn_lu_sign(const struct cn_lu *lu);

#endif
