/*
 * cholesky.h: S = sum_j d_j a_j a_j' in doubles, factored; each a_j acts on one or two bodies.
 *
 * Rows come in blocks of `dof`, one block a body.  S is sparse by bodies: two bodies share a block
 * if they touch.  Bodies are eliminated by least degree (Tinney and Walker 1967); blocks are dense.
 * A pivot that nearly vanishes belongs to a movement y with a_j' y = 0 for every column.  Such a
 * pivot is replaced by a larger one, which leaves the movement out of the solution.
 *
 * Source: George and Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981.
 */
#ifndef PROVE_PROGRAM_CHOLESKY_H
#define PROVE_PROGRAM_CHOLESKY_H

#include <stdbool.h>

#define PV_DOF_MAX 6

/* A column.  body[1] is -1 if it acts on one body only. */
struct pv_arm {
    int body[2];
    double part[2][PV_DOF_MAX];
};

struct pv_cholesky;

struct pv_cholesky *pv_cholesky_create(const struct pv_arm *arm, int count, int bodies, int dof);
void pv_cholesky_destroy(struct pv_cholesky *c);

/* Factors S for the weights d_j > 0. */
void pv_cholesky_factor(struct pv_cholesky *c, const double *d);

/* x becomes inverse(S) x, with two steps of iterative refinement. */
void pv_cholesky_solve(struct pv_cholesky *c, double *x);

#endif
