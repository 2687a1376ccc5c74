/*
 * conic.h: the margin of contacts with round friction cones, in doubles, by an interior point
 * method.
 *
 *     maximise c t   with   sum of A_j x_j + a t = b,   x_j in K_j,   t free
 *
 * K_j is a second-order cone of 1 to 3 parts: the first part is at least as large as the length of
 * the others.  The first part is a normal force, the others are friction over its coefficient.  The
 * form is homogeneous and self-dual, as in interior.h; z_j = y A_j is also in K_j.
 *
 * The method stops on the central path, inside of every cone.  It stops as soon as t is known to a
 * given relative accuracy, or to the last digits if t is nearly 0.  It then reduces the residuals
 * at that point.  bounds.h finds exact forces and motions by small changes of such a point.
 *
 * Source: Nesterov and Todd, SIAM J. Optimization 8, 1998 (scaling); Andersen, Roos and Terlaky,
 * Mathematical Programming 95, 2003 (second-order cones, homogeneous form); Vandenberghe, "The
 * CVXOPT linear and quadratic cone program solvers", 2010 (formulas).
 */
#ifndef PROVE_PROGRAM_CONIC_H
#define PROVE_PROGRAM_CONIC_H

#include "prove/program/cholesky.h"

#define PV_CONE_MAX 3

enum pv_conic_end {
    PV_CONIC_OPTIMAL,
    PV_CONIC_INFEASIBLE, /* y: y A_j in K_j, y a = 0, y b < 0 */
    PV_CONIC_UNBOUNDED,  /* x, t: A x + a t = 0, c t > 0 */
    PV_CONIC_STALLED,
};

struct pv_conic {
    /* The program. */
    int count, bodies, dof; /* count: cones; rows come in blocks of dof */
    int *size;              /* count entries: parts of a cone, 1 to PV_CONE_MAX */
    struct pv_arm *arm;     /* PV_CONE_MAX a cone: columns of A_j, all on the same bodies */
    double *a, *b;          /* rows */
    double c;
    double part; /* wanted relative accuracy of t */
    /* The answer. */
    double *x, *z; /* PV_CONE_MAX a cone */
    double *y;     /* rows */
    double t;
    int steps;
};

/* The caller fills the program. */
void pv_conic_init(struct pv_conic *p, int count, int bodies, int dof);
void pv_conic_finish(struct pv_conic *p);
enum pv_conic_end pv_conic_solve(struct pv_conic *p);

#endif
