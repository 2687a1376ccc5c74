/*
 * envelope.h: a Cholesky factor L L' that grows and shrinks by one row, and keeps its envelope.
 *
 *     row i of L holds columns first[i] .. i; entries left of first[i] are zero and never stored
 *
 * Append is one forward substitution, O(envelope).  With the factor of A_CC and the column A_Cd of
 * a new row d,
 *
 *     y = inv(L) A_Cd,     S = A_dd - y'y      (the Schur complement of d)
 *
 * so (y', sqrt S) is the new row.  There are two functions, because the caller needs S and the
 * direction inv(L') y before it decides whether to add d: `stage` computes, `commit` appends.
 *
 * Remove deletes row k and makes the rows below triangular again by Givens rotations, in O((n -
 * k)^2).  It does not change a row whose envelope does not contain column k, so the envelope never
 * widens.  Both operations are backward stable: removal adds a positive rank-one term.
 *
 * Storage: rows are stored one after the other, each as long as its envelope.  A removed row leaves
 * a hole until the next reset, and rows appended in a bad order are long.  So a caller with many
 * changes should now and then rebuild the factor in order; it must when commit finds no room.
 *
 * Invariants: 1. 0 <= first[i] <= i.  2. used <= entry_max and count <= row_max.  3. A row's last
 * entry, its pivot, is above 0.
 *
 * Source: George and Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, ch. 4
 * (envelope methods); Gill, Golub, Murray and Saunders, "Methods for Modifying Matrix
 * Factorizations", Math. Comp. 28, 1974 (deletion).
 */
#ifndef ENGINE_LINALG_ENVELOPE_H
#define ENGINE_LINALG_ENVELOPE_H

#include "engine/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct cn_envelope {
    int row_max;
    size_t entry_max;
    int count;   /* rows of L */
    size_t used; /* entries */
    int *first;
    size_t *start; /* row i: columns first[i] .. i are at entry start[i] and after */
    double *entry;
    double *inverse; /* 1 / L_ii */
    double *staged;  /* y of the staged row, by column */
    int staged_first;
    double *turn_cos; /* rotations of one removal */
    double *turn_sin;
    int64_t work; /* multiply-adds since the last clear */
};

/*
 * Takes the memory for row_max rows with entry_max entries in all (a measuring arena only counts).
 */
void cn_envelope_take(struct cn_envelope *envelope, struct cn_arena *arena, int row_max,
    size_t entry_max);

/* Removes every row. */
void cn_envelope_reset(struct cn_envelope *envelope);

/*
 * The array into which the caller writes A_Cd, columns first .. count - 1, before
 * cn_envelope_stage.
 */
double *cn_envelope_staging(struct cn_envelope *envelope);

/* Turns A_Cd into y and returns S. */
double cn_envelope_stage(struct cn_envelope *envelope, int first, double diagonal);

/* Appends the staged row; schur is the result of cn_envelope_stage, > 0.  False: no room. */
bool cn_envelope_commit(struct cn_envelope *envelope, double schur);

/* Row i of L by column, from first[i] to i. Valid until the next change. */
const double *cn_envelope_row(const struct cn_envelope *envelope, int i);

/* x = inv(L') y of the staged row: the solution of A_CC x = A_Cd.  x has count entries. */
void cn_envelope_staged_solve(struct cn_envelope *envelope, double *x);

/* Deletes row k; the rows below move up. */
void cn_envelope_remove(struct cn_envelope *envelope, int k);

/* Solves L L' x = x in place. */
void cn_envelope_solve(struct cn_envelope *envelope, double *x);

#endif
