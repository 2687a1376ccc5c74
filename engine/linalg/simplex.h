/*
 * simplex.h: a dense simplex for small linear programs.
 *
 *     minimise c'x   such that   s = A x - b,   every variable v = x_0 .. x_{n-1}, s_0 .. s_{m-1}
 *                                of its kind:   v >= 0,  v free,  or  v = 0
 *
 * An inequality (A x)_i >= b_i is a slack >= 0, an equation a slack = 0, and <= is the negated row.
 *
 * The dictionary.  m basic variables are written as functions of n nonbasic ones, which are zero:
 *
 *     basic_r = q_r + sum_j D_rj nonbasic_j,      at first s = A x - b
 *
 * There are no artificial variables.  Phase 1 minimises the sum of violations of the basic
 * variables, a function that is linear until one of them reaches its bound, where that one leaves
 * the basis; feasible ones are kept feasible.  Phase 2 minimises c'x.  Because nothing but kinds
 * and costs tells one program from another, both may be changed after a run, and the next run goes
 * on from the basis that the last one reached: that is the warm start.
 *
 * Which variable enters: the steepest in scaled variables, lowest index among equals.  After a row
 * of steps of length zero Bland's rule decides, lowest index in and out, under which no basis comes
 * twice, until a step has length.  The leaving row is the one of the largest pivot among those that
 * block within the tolerance (Harris); Bland's rule chooses among those whose pivots are not small
 * beside it, so that in theory it may cycle after all, and pivot_max is the last resort.
 *
 * Certificates.  After OPTIMAL with costs the multipliers y are dual feasible, and y'b = c'x:
 *
 *     c_j - (y'A)_j  = 0 for free x_j,  >= 0 for x_j >= 0;     y_i >= 0 where s_i >= 0
 *
 * After INFEASIBLE they are Farkas' proof that no x exists: the same signs with c = 0, and y'b > 0;
 * 0 = c'x for every feasible x would have to be at least y'b.
 *
 * Rows and columns are scaled (Ruiz), and b to largest entry 1, so that one number tells rounding
 * from what is meant: a violation of `tolerance`, of the largest entry of the scaled b.
 *
 * Source: Chvatal, Linear Programming, 1983, chapters 2, 3 and 8; Bland, Mathematics of Operations
 * Research 2, 1977; Harris, Mathematical Programming 5, 1973; Ruiz, RAL-TR-2001-034 (scaling).
 *
 * Rounding.  The dictionary is updated, and after some hundred pivots carries their rounding;
 * cn_simplex_restart builds it anew for a caller that sees that x and s do not fit each other.
 */
#ifndef ENGINE_LINALG_SIMPLEX_H
#define ENGINE_LINALG_SIMPLEX_H

#include "engine/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum cn_simplex_end {
    CN_SIMPLEX_OPTIMAL,    /* without costs: feasible */
    CN_SIMPLEX_INFEASIBLE, /* x violates least, in the sum; see `plain` */
    CN_SIMPLEX_UNBOUNDED,  /* x is feasible */
    CN_SIMPLEX_PIVOTS_MAX, /* x is where it stopped */
};

enum cn_simplex_kind { CN_SIMPLEX_NONNEGATIVE, CN_SIMPLEX_FREE, CN_SIMPLEX_ZERO };

struct cn_simplex {
    int row_max, column_max;
    int m, n;
    /* The caller's, after cn_simplex_begin and between runs. */
    unsigned char *kind; /* enum cn_simplex_kind, n + m: x, then s */
    double *cost;        /* n */
    bool plain;          /* phase 1 sums violations in the caller's units, not in scaled ones */
    double tolerance;    /* see above */

    double *D;            /* m x (n + 1), q last */
    double *row_scale;    /* s'_i = row_scale_i s_i / q_size */
    double *column_scale; /* x_j = column_scale_j q_size x'_j */
    double q_size;
    int *basic;      /* m: variable of a row */
    int *nonbasic;   /* n: variable of a column */
    double *reduced; /* n + 1: what the last run minimised, as a function of the nonbasic ones */
    bool violated;   /* and that was the sum of violations */
    bool *barred;    /* n: columns without a usable pivot */
    bool *wanted;    /* n + m: by variable, basic before a restart */
    int pivot_count;
    int64_t work;
};

void cn_simplex_take(struct cn_simplex *lp, struct cn_arena *arena, int row_max, int column_max);

/* All kinds are NONNEGATIVE, all costs zero, the tolerance is 1e-11. */
void cn_simplex_begin(struct cn_simplex *lp, int m, int n);

/* Row i, where the caller writes A_i and, as entry n, -b_i, before cn_simplex_start. */
double *cn_simplex_row(struct cn_simplex *lp, int i);

/* Scales what the caller wrote. The basis is the slacks. */
void cn_simplex_start(struct cn_simplex *lp);

/*
 * The same when the caller has written the same A and b once more: builds the dictionary of the
 * basis that was reached anew, free of the rounding of the pivots that led there.
 */
void cn_simplex_restart(struct cn_simplex *lp);

/* Goes on from the current basis. pivot_max bounds lp->pivot_count, which counts all runs. */
enum cn_simplex_end cn_simplex_run(struct cn_simplex *lp, int pivot_max);

/* x has n entries, s has m; either may be NULL. */
void cn_simplex_read(const struct cn_simplex *lp, double *x, double *s);

/* The multipliers of the last run; y has m entries. */
void cn_simplex_multipliers(const struct cn_simplex *lp, double *y);

#endif
