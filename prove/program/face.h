/*
 * face.h: solves a linear program of forces exactly, from the face of its optima.
 *
 * An interior point method in doubles (interior.h) tells which x_j and which (y A)_j are above 0 on
 * the face of optima.  Two systems of equations remain:
 *
 *     y A_j = 0 where x_j > 0,  y a = 1          the optimum is then y b
 *     sum of A_j x_j = b - a (y b) over these
 *
 * For each, an exact solution near the doubles is found (lift.h).  In the middle of the face every
 * value that can be above 0 is well above 0, so a solution near it has the right signs.  The signs
 * are checked exactly.  If one is wrong, the guess is corrected and the systems are solved again.
 * Ties cost no time here; a simplex would step through them corner by corner.
 *
 * Source: Ye, "On the finite convergence of interior-point algorithms for linear programming",
 * Mathematical Programming 57, 1992.
 */
#ifndef PROVE_PROGRAM_FACE_H
#define PROVE_PROGRAM_FACE_H

#include "prove/program/program.h"

/* An outcome other than UNDECIDED is exact and checked.  UNDECIDED: this method failed. */
enum pv_outcome pv_face_solve(const struct pv_program *program, struct pv_solution *solution);

#endif
