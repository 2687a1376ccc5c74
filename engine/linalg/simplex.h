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
 * variables.  This function is linear until one of them reaches its bound; that variable then
 * leaves the basis.  Feasible variables are kept feasible.  Phase 2 minimises c'x.  Both kinds and
 * costs may be changed after a run, because they are all that distinguishes one program from
 * another.  The next run then continues from the basis that the last one reached: that is the warm
 * start.
 *
 * Which variable enters: the steepest in scaled variables, the lowest index among equals.  After a
 * number of steps of length zero Bland's rule decides until a step has length: the lowest index
 * enters and leaves, under which no basis repeats.  The leaving row has the largest pivot among
 * those that block within the tolerance (Harris).  Bland's rule chooses only among rows whose
 * pivots are not small compared with it, so in theory it may still cycle; pivot_max ends that.
 *
 * When there is no solution.  Phase 1 ends at a least sum among points that keep satisfied rows
 * satisfied, which proves that no x exists; other points may violate much less.  So a third phase
 * follows (simplex_least.c), in which satisfied rows may be violated again.  INFEASIBLE promises:
 *
 *     x_j is of its kind, for every j; of all such x this one has the least sum over i of
 *     -s_i where s_i < 0 and s_i >= 0 is asked,  |s_i| where s_i = 0 is asked,
 *     in the caller's units, up to rounding
 *
 * Rows that are `kept` and satisfied when phase 1 ends stay satisfied, and the sum is the least
 * among such x.
 *
 * Certificates.  After OPTIMAL with costs the multipliers y are dual feasible, and y'b = c'x:
 *
 *     c_j - (y'A)_j  = 0 for free x_j,  >= 0 for x_j >= 0;     y_i >= 0 where s_i >= 0
 *
 * After INFEASIBLE they are Farkas' proof that no x exists: the same signs with c = 0, and y'b > 0;
 * 0 = c'x for every feasible x would have to be at least y'b.  They prove the least sum, too: where
 * no row is kept, |y_i| <= 1, and y'b is the sum itself.
 *
 * Rows and columns are scaled (geometric means, then Ruiz), and b to largest entry 1, so that one
 * number separates rounding from real violations: `tolerance`, relative to the largest entry of the
 * scaled b.
 *
 * Source: Chvatal, Linear Programming, 1983, chapters 2, 3 and 8; Bland, Mathematics of Operations
 * Research 2, 1977; Harris, Mathematical Programming 5, 1973; Ruiz, RAL-TR-2001-034 (scaling).
 *
 * Rounding.  The dictionary is updated, and after some hundred pivots it has collected their
 * rounding errors.  cn_simplex_restart rebuilds it, for a caller that finds that x and s do not
 * agree.
 */
#ifndef ENGINE_LINALG_SIMPLEX_H
#define ENGINE_LINALG_SIMPLEX_H

#include "engine/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum cn_simplex_end {
    CN_SIMPLEX_OPTIMAL,    /* without costs: feasible */
    CN_SIMPLEX_INFEASIBLE, /* x has the least sum of violations: see above */
    CN_SIMPLEX_UNBOUNDED,  /* x is feasible */
    CN_SIMPLEX_PIVOTS_MAX, /* x is where the run stopped */
};

enum cn_simplex_kind { CN_SIMPLEX_NONNEGATIVE, CN_SIMPLEX_FREE, CN_SIMPLEX_ZERO };

struct cn_simplex {
    int row_max, column_max;
    int m, n;
    /* Set by the caller, after cn_simplex_begin and between runs. */
    unsigned char *kind; /* enum cn_simplex_kind, n + m: x, then s */
    double *cost;        /* n */
    bool *kept;          /* m: rows that must stay satisfied, see above; else false */
    double tolerance;    /* see above */

    double *D;            /* m x (n + 1), q last */
    double *row_scale;    /* s'_i = row_scale_i s_i / q_size */
    double *column_scale; /* x_j = column_scale_j q_size x'_j */
    double q_size;
    int *basic;      /* m: variable of a row */
    int *nonbasic;   /* n: variable of a column */
    double *reduced; /* n + 1: what the last run minimised, by the nonbasic variables */
    bool violated;   /* whether that was the sum of violations */
    double excess;   /* when infeasible: that sum at the end of phase 1, scaled; else 0 */
    signed char *side; /* n + m: -1, +1: a basic variable is violated below or above */
    double *rounding;  /* n: the part of `reduced` that may be rounding */
    bool *barred;    /* n: columns without a usable pivot */
    bool *wanted;    /* n + m: by variable, whether it was basic before a restart */
    int pivot_count;
    int64_t work;
};

void cn_simplex_take(struct cn_simplex *lp, struct cn_arena *arena, int row_max, int column_max);

/* Starts a program: all kinds are NONNEGATIVE, all costs zero, the tolerance is 1e-11. */
void cn_simplex_begin(struct cn_simplex *lp, int m, int n);

/* Row i, into which the caller writes A_i and, as entry n, -b_i, before cn_simplex_start. */
double *cn_simplex_row(struct cn_simplex *lp, int i);

/* Scales the rows that the caller wrote.  The basis is the slacks. */
void cn_simplex_start(struct cn_simplex *lp);

/*
 * The same after the caller has written the same A and b again.  Rebuilds the dictionary of the
 * present basis, free of the rounding of the pivots that led there.
 */
void cn_simplex_restart(struct cn_simplex *lp);

/* Continues from the current basis. pivot_max bounds lp->pivot_count, which counts all runs. */
enum cn_simplex_end cn_simplex_run(struct cn_simplex *lp, int pivot_max);

/* x has n entries, s has m; either may be NULL. */
void cn_simplex_read(const struct cn_simplex *lp, double *x, double *s);

/* The multipliers of the last run; y has m entries. */
void cn_simplex_multipliers(const struct cn_simplex *lp, double *y);

#endif
