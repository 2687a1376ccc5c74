/*
 * active_set.h: the orthogonal factor of the active rows of a quadratic program on its primal.
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
 *     z = H2 d2        the way to go: n . z = |d2|^2, and the active rows stay as they are
 *     r = inv(R) d1    how much each active multiplier gives way for one unit of the new one's
 *
 * |d2|^2 = 0 says that n depends on the active rows.  Rank is judged here on H'N itself, whose
 * condition is the square root of that of N' inv(G) N: rows that differ by one part in 10^7 are
 * still told apart.
 *
 * A row comes in, and goes out, by Givens rotations: O(n) of them on columns of length n at worst.
 * H begins block diagonal; each column knows the range outside which it is zero, so that a small
 * active set in a large system costs little.
 *
 * Source: Goldfarb and Idnani, "A numerically stable dual method for solving strictly convex
 * quadratic programs", Mathematical Programming 27, 1983, sections 3 and 4.
 */
#ifndef ENGINE_LINALG_ACTIVE_SET_H
#define ENGINE_LINALG_ACTIVE_SET_H

#include "engine/base/arena.h"

#include <stdint.h>

/* A row n: value[k] at index[k]. */
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

/* Room for n_max unknowns. */
void cn_active_set_take(struct cn_active_set *set, struct cn_arena *arena, int n_max);

/* Starts with H = 0 and no rows. */
void cn_active_set_begin(struct cn_active_set *set, int n);

/* H_ij = value; before the first row comes in. */
void cn_active_set_metric(struct cn_active_set *set, int i, int j, double value);

/* Computes d of a row and returns |d2|^2. */
double cn_active_set_stage(struct cn_active_set *set, const struct cn_active_row *row);

/* r of the staged row: count entries. */
void cn_active_set_direction(struct cn_active_set *set, double *r);

/* Takes the staged row in as the last; |d2| > 0. */
void cn_active_set_commit(struct cn_active_set *set);

/* Takes row k out; the rows after it move up. */
void cn_active_set_remove(struct cn_active_set *set, int k);

/* Solves (N' inv(G) N) x = x in place. */
void cn_active_set_solve(struct cn_active_set *set, double *x);

#endif
