/*
 * subspace.h: a Newton step for contact forces on the rows that are thought to be active, by a
 * Krylov method.  No matrix is written, and the number of rows is not limited.
 *
 * The present forces decide the state of each contact:
 *
 *     open       f_N = 0                        its rows stay 0
 *     sticks     |f_T| below mu f_N             a_N = 0 and a_T = 0;  each disc by itself
 *     slides     |f_T| = mu f_N, along u        a_N = 0, and f_T = mu u f_N follows f_N
 *     BILATERAL, BOUNDED within its limits      a = 0
 *
 * These are linear equations.  Without sliding contacts they are symmetric, and conjugate gradients
 * solve them, else BiCGSTAB.  Both have the diagonal as preconditioner.  They stop when the
 * residual of the equations is a given part of its first value, or after a given number of
 * products.
 *
 * The result solves the problem if the states were right.  Otherwise some forces pull or leave
 * their cones; the caller makes them usable and continues from there.
 *
 * Source: Silcowitz, Niebe and Erleben, A projected Gauss-Seidel subspace minimization method for
 * interactive rigid body dynamics, GRAPP 2010; van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992),
 * for BiCGSTAB.
 */
#ifndef ENGINE_SOLVE_MATRIX_SUBSPACE_H
#define ENGINE_SOLVE_MATRIX_SUBSPACE_H

#include "engine/base/arena.h"
#include "engine/problem/matrix_problem.h"

struct cn_subspace {
    unsigned char *part; /* of each row: see subspace.c */
    double *along;       /* for a row that follows: mu u */
    double *diagonal;    /* 1 / A_ii */
    double *r, *shadow, *p, *v, *t, *q, *way; /* for the Krylov method; way is the step */
    double *whole;       /* a step, with the rows that follow */
    double *none;        /* a b of zeros */
};

void cn_subspace_take(struct cn_subspace *subspace, struct cn_arena *arena, int n);

/* The work of one product. */
int64_t cn_subspace_work(const struct cn_matrix_problem *problem);

/*
 * Takes the step from usable forces f, whose accelerations are a.  The Krylov method stops at the
 * part `least` of the first residual, or after product_max products.  Returns the work.  f may
 * leave the cones.
 */
int64_t cn_subspace_step(struct cn_subspace *subspace, const struct cn_matrix_problem *problem,
    const double *a, double least, int product_max, double *f);

#endif
