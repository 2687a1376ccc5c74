/*
 * lemke.h: Lemke's complementary pivoting for w = M z + q, with a lexicographic rule.
 *
 *     w >= 0,  z >= 0,  w z = 0       complementary rows
 *     w  = 0,  z free                 free rows
 *
 * Lemke's method always ends: with the lexicographic rule no basis repeats, so it ends at a
 * solution or on a ray, for any M.  A ray means that there is no solution when M is positive
 * semidefinite (more generally copositive plus); for other M it proves nothing.  A pivot costs
 * O(n^2) on a full dictionary.  So the method serves as the arbiter for small or unsymmetric
 * problems, and as the fallback of the pivoting solvers.
 *
 * The dictionary.  n basic variables are written as functions of n + 1 nonbasic ones,
 *
 *     basic_r = q_r + sum_c D_rc nonbasic_c,     row r of D: columns 0 .. n-1, then z_0's, then q
 *
 * at first w = q + M z + e z_0.  Free rows are pivoted in before z_0 and are then ignored.
 *
 * The lexicographic rule uses q_k + eps^(k+1) instead of q_k, with an infinitesimal eps.  These
 * terms need no columns of their own: the coefficient of eps^(k+1) in row r is 1 where basic_r is
 * w_k, and -D_rc where w_k is nonbasic in column c.
 *
 * Invariants: 1. A variable is basic in row row_of or nonbasic in column column_of; the other of
 * the two is -1.  2. Once z_0 is basic, at most one of w_k and z_k is, except where both are free.
 *
 * Source: Cottle, Pang and Stone, The Linear Complementarity Problem, 1992, algorithms 4.4.5 and
 * section 4.9 (lexicographic degeneracy resolution).
 */
#ifndef ENGINE_LINALG_LEMKE_H
#define ENGINE_LINALG_LEMKE_H

#include "engine/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum cn_lemke_end { CN_LEMKE_SOLVED, CN_LEMKE_RAY, CN_LEMKE_PIVOTS_MAX };

struct cn_lemke {
    int capacity;
    int n;
    double *D;       /* n x (n + 2), row major */
    double *scale;   /* n: the change of variables that makes the diagonal 1 */
    double q_size;   /* the scale of q */
    int *basic;      /* n: variable of a row: k is w_k, n + k is z_k, 2 n is z_0 */
    int *nonbasic;   /* n + 1 */
    int *row_of;     /* 2 n + 1: row of a basic variable, else -1 */
    int *column_of;  /* 2 n + 1: column of a nonbasic variable, else -1 */
    bool *free_row;  /* n, by k: w_k = 0, z_k free */
    int pivot_count;
    int64_t work;
};

void cn_lemke_take(struct cn_lemke *lemke, struct cn_arena *arena, int capacity);

/* The caller writes M and q before the solve: row k is D + k (n + 2), q its last entry. */
void cn_lemke_begin(struct cn_lemke *lemke, int n);

/*
 * Solves and writes z.  On a ray or at the limit z is where the method stopped, >= 0 in
 * complementary rows.
 */
enum cn_lemke_end cn_lemke_solve(struct cn_lemke *lemke, int pivot_max, double *z);

#endif
