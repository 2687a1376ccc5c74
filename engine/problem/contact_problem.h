/*
 * contact_problem.h: the one statement of the problem, a = A f + b with A = J inv(M) J'.
 *
 *     f   forces along the rows       [N]      what a solver finds
 *     a   accelerations of the rows   [m/s^2]  of a normal row: the gap's, > 0 when bodies part
 *     J   rows of the constraints, sparse: each row touches at most two bodies
 *     M   the bodies' masses and inertias, block diagonal
 *     b   accelerations of the rows at f = 0: external and inertial forces, and the terms of
 *         Baraff 1989, appendix A (his b is the negative of ours)
 *
 * The same problem at velocity level reads impulse [N s] for f and velocity [m/s] for a and b; at
 * position level mass times length for f and length for a and b.
 *
 * The conditions, by the row's tag:
 *     NORMAL      f >= 0,  a >= 0,  f a = 0
 *     BILATERAL   f free,  a = 0
 *
 * Signs: the normal points from A to B, f >= 0 pushes the bodies apart.
 */
#ifndef ENGINE_PROBLEM_CONTACT_PROBLEM_H
#define ENGINE_PROBLEM_CONTACT_PROBLEM_H

#include "engine/constraint/row.h"
#include "engine/math/mat33.h"

/* One block of inv(M), world axes. */
struct cn_mass_inverse {
    double linear;    /* 1/kg */
    cn_mat33 angular; /* 1/(kg m^2) */
};

struct cn_contact_problem {
    int row_count;
    int body_count;
    const struct cn_row *rows;
    const struct cn_mass_inverse *mass; /* body_count */
    const double *b;                    /* row_count */
    const unsigned char *tag;           /* enum cn_row_tag, row_count */
};

#endif
