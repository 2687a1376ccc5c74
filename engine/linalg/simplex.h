/*
 * simplex.h: a dense simplex for small linear programs.
 *
 *     minimise c'x   such that   s = A x - b,   every variable v = x_0 .. x_{n-1}, s_0 .. s_{m-1}
 *                                of its kind:   v >= 0,  v free,  or  v = 0
 *
 * An inequality (A x)_i >= b_i is a slack >= 0, an equation a slack = 0, and <= is the negated row.
 *
 * simplex_dictionary.h holds the program and its dictionary.  There are no artificial variables.
 * Phase 1 minimises the sum of violations of the basic variables.  This function is linear until
 * one of them reaches its bound; that variable then leaves the basis.  Feasible variables are kept
 * feasible.  Phase 2 minimises c'x.  Both kinds and costs may be changed after a run, because they
 * are all that distinguishes one program from another.  The next run then continues from the basis
 * that the last one reached: that is the warm start.
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
 *     -s_i where s_i < 0 and s_i >= 0 is required,  |s_i| where s_i = 0 is required,
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
 * Source: Chvatal, Linear Programming, 1983, chapters 2, 3 and 8; Bland, Mathematics of Operations
 * Research 2, 1977; Harris, Mathematical Programming 5, 1973; Ruiz, RAL-TR-2001-034 (scaling).
 */
#ifndef ENGINE_LINALG_SIMPLEX_H
#define ENGINE_LINALG_SIMPLEX_H

#include "engine/linalg/simplex_dictionary.h"

enum cn_simplex_end {
    CN_SIMPLEX_OPTIMAL,    /* without costs: feasible */
    CN_SIMPLEX_INFEASIBLE, /* x has the least sum of violations: see above */
    CN_SIMPLEX_UNBOUNDED,  /* x is feasible */
    CN_SIMPLEX_PIVOTS_MAX, /* x is where the run stopped */
};

/* Continues from the current basis. pivot_max bounds lp->pivot_count, which counts all runs. */
enum cn_simplex_end cn_simplex_run(struct cn_simplex *lp, int pivot_max);

#endif
