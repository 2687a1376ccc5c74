/*
 * sweeps.h: contact forces by sweeps over the contacts, each of which is solved exactly with the
 * other forces held: block Gauss-Seidel.  The number of contacts is not limited.  Memory and the
 * time of a sweep are linear in it.
 *
 *     x = inv(M) J' f       kept for the bodies while f changes, so A is never written
 *     a_i = b_i + J_i x     so a contact costs as much as its rows
 *
 * A cycle is a sweep forwards and one backwards.  The change that a cycle makes serves as the
 * gradient of a conjugate gradient method (Fletcher and Reeves):
 *
 *     r = f' - f    f' the forces after the cycle;  |r|^2 = sum A_ii r_i^2
 *     p = r + beta p,   beta = |r|^2 / |r of the cycle before|^2;   above BETA_MAX p = r
 *     f = f + p         where the next cycle starts
 *
 * After some cycles the solver tries a step on the rows that are active then (subspace.h).  It
 * keeps the forces if the judge finds them better.
 *
 * The judge measures f' every few cycles, and the forces of least residual are returned.  They are
 * always forces that contacts can bear, so they are usable after any number of cycles.  If they
 * miss the tolerance, the outcome is ITERATIONS_MAX and the report states their residual.  Sweeps
 * carry a load down a wall quickly, but slowly find how the bricks of one row share it.  A stepper
 * that states nearly the same problem in every tick (time, position) continues from the forces of
 * the tick before.
 *
 * Source: Moreau, Comput. Methods Appl. Mech. Engrg. 177 (1999), and Jean, the same volume
 * (nonsmooth contact dynamics: nonlinear Gauss-Seidel); Silcowitz-Hansen, Niebe and Erleben, A
 * nonsmooth nonlinear conjugate gradient method for interactive contact force problems, The Visual
 * Computer 26 (2010).
 *
 * Departures: sweeps run forwards and backwards in turn, beta is in the metric of the contacts, and
 * contacts are solved with Coulomb's disc instead of a box.
 */
#ifndef ENGINE_SOLVE_FRICTION_SWEEPS_H
#define ENGINE_SOLVE_FRICTION_SWEEPS_H

#include "engine/solve/matrix_solver.h"

/* The work that a stepper grants for a row: 80 cycles in the plane, 120 in space. */
#define CN_SWEEPS_WORK_PER_ROW 10000

extern const struct cn_matrix_solver cn_matrix_solver_sweeps;

#endif
