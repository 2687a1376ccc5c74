/*
 * active_set.h: the orthogonal factor of the active rows of a primal quadratic program.
 *
 * The program is  min 1/2 y'G y  over rows n_i . y >= s_i.  The metric enters by any H with
 * H H' = inv(G).  With N the active rows as columns, H is turned by orthogonal Q until
 *
 *     H'N = [ R ]  count rows, upper triangular
 *           [ 0 ]
 *
 * so that the columns of H split in two, H = (H1 H2): along H2 no active row changes.  For a new
 * row n, with d = H'n = (d1, d2),
 *
 *     z = H2 d2        the step direction: n . z = |d2|^2, and the active rows do not change
 *     r = inv(R) d1    the decrease of each active multiplier for one unit of the new one
 *
 * |d2|^2 = 0 means that n depends on the active rows.  Rank is judged on H'N itself, whose
 * condition is the square root of that of N' inv(G) N.  So rows that differ by one part in 10^7 are
 * still recognised as different.
 *
 * A row is added or removed by Givens rotations: at worst O(n) of them on columns of length n.  H
 * begins block diagonal.  Each column stores the range outside which it is zero, so that a small
 * active set in a large system costs little.
 *
 * Source: Goldfarb and Idnani, "A numerically stable dual method for solving strictly convex
 * quadratic programs", Mathematical Programming 27, 1983, sections 3 and 4.
 */
#ifndef ENGINE_LINALG_ACTIVE_SET_H
#define ENGINE_LINALG_ACTIVE_SET_H

#include "engine/base/arena.h"

#include <stdint.h>

/* A row n: value[k] is its entry at index[k]. */
struct cn_active_row {
    int count;
    const int *index;
    const double *value;
};

struct cn_active_set {
    int capacity;
    int n;     /* unknowns */
    int count; /* active rows, <= n */
    double *H; /* column j at j n */
    int *low, *high; /* column j of H is zero outside low .. high - 1 */
    double *R; /* column k, k + 1 long, at k (k + 1) / 2 */
    double *d; /* of the staged row */
    int64_t work; /* multiply-adds since begin */
};

/* Takes the memory for n_max unknowns. */
void cn_active_set_take(struct cn_active_set *set, struct cn_arena *arena, int n_max);

/* Starts with H = 0 and no rows. */
void cn_active_set_begin(struct cn_active_set *set, int n);

/* Sets H_ij = value; to be called before the first row is added. */
void cn_active_set_metric(struct cn_active_set *set, int i, int j, double value);

/* Computes d of a row and returns |d2|^2. */
double cn_active_set_stage(struct cn_active_set *set, const struct cn_active_row *row);

/* r of the staged row: count entries. */
void cn_active_set_direction(struct cn_active_set *set, double *r);

/* Adds the staged row as the last one; |d2| > 0. */
void cn_active_set_commit(struct cn_active_set *set);

/* Removes row k; the rows after it move up. */
void cn_active_set_remove(struct cn_active_set *set, int k);

/* Solves (N' inv(G) N) x = x in place. */
void cn_active_set_solve(struct cn_active_set *set, double *x);

#endif
