/*
 * envelope.h: a Cholesky factor L L' that grows and shrinks by one row, and keeps its envelope.
 *
 *     row i of L holds columns first[i] .. i; what lies left of first[i] is zero and never touched
 *
 * Append is one forward substitution, O(envelope): with the factor of A_CC in hand and the column
 * A_Cd of a new row d,
 *
 *     y = inv(L) A_Cd,     S = A_dd - y'y      (the Schur complement of d)
 *
 * so (y', sqrt S) is the new row.  The two halves are apart, because the caller wants S and the
 * direction inv(L') y before it knows whether d comes in: `stage` computes, `commit` appends.
 *
 * Remove deletes row k and brings the rows below back to triangular form by Givens rotations, in
 * O((n - k)^2).  A row outside whose envelope column k lies is not changed by it, so the envelope
 * never widens.  Both are backward stable: removal adds a positive rank-one term.
 *
 * Storage is the packed lower triangle: row i at i (i + 1) / 2.
 *
 * Source: George and Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, ch. 4
 * (envelope methods); Gill, Golub, Murray and Saunders, "Methods for Modifying Matrix
 * Factorizations", Math. Comp. 28, 1974 (deletion).
 */
#ifndef ENGINE_LINALG_ENVELOPE_H
#define ENGINE_LINALG_ENVELOPE_H

#include "engine/base/arena.h"

#include <stdint.h>

struct cn_envelope {
    int capacity; /* rows that fit */
    int count;    /* rows of L */
    int *first;
    double *packed;   /* capacity (capacity + 1) / 2; row `count` is the staged one */
    double *inverse;  /* 1 / L_ii */
    double *turn_cos; /* rotations of one removal */
    double *turn_sin;
    int64_t work; /* multiply-adds since the last reset */
};

/* Takes room for `capacity` rows (a measuring arena only counts). */
void cn_envelope_take(struct cn_envelope *envelope, struct cn_arena *arena, int capacity);

/* Forgets every row. */
void cn_envelope_reset(struct cn_envelope *envelope);

/* Where the caller writes A_Cd, columns first .. count - 1, before cn_envelope_stage. */
double *cn_envelope_staging(struct cn_envelope *envelope);

/* Turns A_Cd into y and returns S.  Needs count < capacity. */
double cn_envelope_stage(struct cn_envelope *envelope, int first, double diagonal);

/* Appends the staged row; schur is what cn_envelope_stage returned, > 0. */
void cn_envelope_commit(struct cn_envelope *envelope, double schur);

/* Row i of L, or the staged one (i == count): columns first[i] on. Valid until the next change. */
const double *cn_envelope_row(const struct cn_envelope *envelope, int i);

/* x = inv(L') y of the staged row: the solution of A_CC x = A_Cd.  x has count entries. */
void cn_envelope_staged_solve(struct cn_envelope *envelope, double *x);

/* Deletes row k; the rows below move up. */
void cn_envelope_remove(struct cn_envelope *envelope, int k);

/* Solves L L' x = x in place. */
void cn_envelope_solve(struct cn_envelope *envelope, double *x);

#endif
