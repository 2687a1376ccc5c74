/*
 * sweeps.h: contact forces by sweeps over the contacts, of which each is solved exactly by itself:
 * block Gauss-Seidel.  Any number of contacts, memory and time of a sweep linear in them.
 *
 *     x = inv(M) J' f       kept for the bodies while f changes, so A is never written
 *     a_i = b_i + J_i x     and a contact costs what its rows cost
 *
 * A cycle is a sweep forwards and one backwards.  What a cycle changes is taken for the gradient of
 * a conjugate gradient method (Fletcher and Reeves):
 *
 *     r = f' - f    f' the forces after the cycle;  |r|^2 = sum A_ii r_i^2
 *     p = r + beta p,   beta = |r|^2 / |r of the cycle before|^2;   above BETA_MAX p = r
 *     f = f + p         where the next cycle starts
 *
 * After some cycles the solver tries a step on the rows that are active then (subspace.h).  It
 * keeps the forces if the judge finds them better.
 *
 * The judge looks at f' every few cycles; the forces that it likes best are returned.  They are
 * always forces that contacts can bear, and usable after any number of cycles.  What is left is the
 * report's residual, with the outcome ITERATIONS_MAX: sweeps bring a load down a wall quickly, and
 * settle how bricks of one row share it slowly.  A stepper that states nearly the same problem in
 * every tick (time, position) gains from each tick what the one before has done.
 *
 * Source: Moreau, Comput. Methods Appl. Mech. Engrg. 177 (1999), and Jean, the same volume
 * (nonsmooth contact dynamics: nonlinear Gauss-Seidel); Silcowitz-Hansen, Niebe and Erleben, A
 * nonsmooth nonlinear conjugate gradient method for interactive contact force problems, The Visual
 * Computer 26 (2010).
 *
 * Departures: sweeps go both ways in turn, beta is in the metric of the contacts, and contacts are
 * solved with Coulomb's disc instead of a box.
 */
#ifndef ENGINE_SOLVE_SWEEPS_H
#define ENGINE_SOLVE_SWEEPS_H

#include "engine/solve/matrix_solver.h"

extern const struct cn_matrix_solver cn_matrix_solver_sweeps;

#endif
