/*
 * minimum_norm.h: of all forces that solve a contact problem, those of least |f|^2.
 *
 * When A is singular, forces are not unique, but their effect A f is the same for all of them.  Let
 * E be the rows with a_i = 0, the only ones that may push.  Two solutions differ by a vector of the
 * null space of A_EE, so with P the orthogonal projector on that space and f any solution,
 *
 *     f* = (1 - P) f + P l,    l >= 0,    f*_i >= 0,    l_i f*_i = 0      (i normal; l_i = 0 else)
 *
 * where l are the multipliers of f* >= 0.  On the normal rows this is again a complementarity
 * problem with a semidefinite matrix, P l + (1 - P) f, and Dantzig's pivoting solves it.
 *
 * P = 1 - Q Q' with Q an orthonormal basis of the range of A_EE.  Let C be a maximal independent
 * part of E and L L' = A_CC.  The rows y_i = inv(L) A_Ci form W with A_EE = W W'.  So Q comes from
 * W (Gram-Schmidt, twice), whose condition is only the square root of A's.
 *
 * Source: Faure, "An Energy-Based Approach for Contact Force Computation", Eurographics 1996,
 * section 2.5, for the choice.  Forces count in newtons, unweighted, as in the paper.
 *
 * Remaining questions: where rows are dependent up to one part in 10^6, rounding decides whether a
 * direction belongs to the null space, and the least norm jumps with that decision.
 */
#ifndef ENGINE_SOLVE_MATRIX_MINIMUM_NORM_H
#define ENGINE_SOLVE_MATRIX_MINIMUM_NORM_H

#include "engine/solve/matrix/dantzig.h"
#include "engine/solve/solver.h"

struct cn_minimum_norm {
    int capacity;
    int *member;  /* E: rows of the problem */
    int *pushing; /* the normal rows of E that P can move: places in member[] */
    double *Q;    /* rank columns of member_count entries each */
    double *P;    /* pushing_count x pushing_count */
    double *f;    /* on E */
    double *b;    /* (1 - P) f on pushing[], divided by its largest entry */
    double *l;    /* on pushing[] */
    double *shift; /* on E */
};

void cn_minimum_norm_take(struct cn_minimum_norm *norm, struct cn_arena *scratch, int row_max);

/*
 * Replaces f, with which z has just ended a run in CN_DANTZIG_DONE, by the minimum-norm forces; z
 * is overwritten.  False, with f unchanged, when pivot_max did not suffice.
 */
bool cn_minimum_norm_find(struct cn_minimum_norm *norm, struct cn_dantzig *z, int pivot_max,
    double *f);

/* Scratch of cn_minimum_norm_from for n rows. */
void cn_minimum_norm_layout(struct cn_arena *scratch, int n);

/*
 * The same for the forces of any solver: replaces f, which solves the frictionless problem, and
 * adds to the report's counts.  False, with f unchanged, where it fails.
 */
bool cn_minimum_norm_from(const struct cn_matrix_problem *problem, double accel_tolerance,
    struct cn_arena *scratch, double *f, struct cn_solve_report *report);

#endif
