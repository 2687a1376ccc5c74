/*
 * gauss.h: contact forces by Gauss' principle of least restraint.
 *
 * Of all accelerations that the constraints allow, the bodies take those that differ least from
 * their free ones, weighted by mass:
 *
 *     minimise  1/2 |x - x_free|^2_M     subject to     J x + c >= 0  (= 0 in BILATERAL rows)
 *
 * With y = x - x_free and b = J x_free + c this is a strictly convex quadratic program in the
 * accelerations of the bodies, with a unique solution,
 *
 *     minimise  1/2 y'M y                subject to     J y + b >= 0
 *
 * and its multipliers are the forces: M y = J'f, f >= 0, f_i (J y + b)_i = 0.
 *
 * Source: Rote et al., "Simulation of collapsing brick towers by Gauss' principle of least
 * restraint", section 3, program (Q).  They use a library for the program; here the dual active-set
 * method of Goldfarb and Idnani solves it (restraint.h).
 *
 * A problem given as a matrix has no bodies: then J is the lower factor of A = J J', with as many
 * unknowns as the rank of A, and M = 1.  Where A differs from J J', by rounding or because it is
 * not semidefinite, the forces are improved by pivoting on A itself, and those of least residual
 * are kept: CONVERGED, or INEXACT with their residual.
 *
 * Departures from the paper: rigid bodies with three or six degrees of freedom instead of its bars
 * between point masses; its section 8.2 mentions this alternative.
 *
 * Size.  The orthogonal factor takes n^2 memory for n degrees of freedom.  In islands of more than
 * CN_CONTACT_ROWS_MAX of them the same steps run on R'R = J_A inv(M) J_A'. That has the same R and
 * is sparse (dantzig.h).  This is less exact where rows nearly depend on each other.
 */
#ifndef ENGINE_SOLVE_MATRIX_GAUSS_H
#define ENGINE_SOLVE_MATRIX_GAUSS_H

#include "engine/solve/matrix_solver.h"

extern const struct cn_matrix_solver cn_matrix_solver_gauss;

#endif
