/*
 * interior.h: solves a linear program of forces in doubles, by an interior point method.
 *
 *     maximise c t   with   A x + a t = b,   x >= 0,   t free
 *
 * The form is homogeneous and self-dual, so the method ends with an optimum or with a proof that
 * no optimum exists.  The optimum is in the middle of the face of all optima: for every j, x_j or
 * z_j = (y A)_j is above 0.  `holds` tells which one.  An exact solution (face.h) needs only that.
 * It describes the face and not a corner, so ties, which are frequent in walls, do not affect it.
 *
 * The number of steps hardly grows with the size.  A step costs one factorisation (cholesky.h).
 *
 * Source: Xu, Hung and Ye, "A simplified homogeneous and self-dual linear programming algorithm",
 * Annals of Operations Research 62, 1996; Mehrotra, SIAM J. Optimization 2, 1992 (the corrector);
 * Guler and Ye, Mathematical Programming 60, 1993 (the middle of the face).
 *
 * Departures: t is free and has no complement; it is eliminated by a Schur complement.
 */
#ifndef PROVE_PROGRAM_INTERIOR_H
#define PROVE_PROGRAM_INTERIOR_H

#include "prove/program/cholesky.h"

enum pv_interior_end {
    PV_INTERIOR_OPTIMAL,
    PV_INTERIOR_INFEASIBLE, /* y: y A >= 0, y a = 0, y b < 0 */
    PV_INTERIOR_UNBOUNDED,  /* x, t: A x + a t = 0, c t > 0 */
    PV_INTERIOR_STALLED,
};

struct pv_interior {
    /* The program. */
    int count, bodies, dof; /* count: of x; rows come in blocks of dof */
    struct pv_arm *arm;     /* count entries: columns of A */
    double *a, *b;          /* rows */
    double c;
    /* The answer. */
    double *x, *z; /* count entries */
    double *y;     /* rows */
    double t;
    bool *holds; /* count entries.  true: x_j > 0 and z_j = 0; false: x_j = 0 and z_j > 0 */
    int steps;
};

/* The caller fills the program. */
void pv_interior_init(struct pv_interior *p, int count, int bodies, int dof);
void pv_interior_finish(struct pv_interior *p);
enum pv_interior_end pv_interior_solve(struct pv_interior *p);

#endif
