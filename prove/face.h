/*
 * face.h: a linear program of forces, solved exactly by way of the face of its optima.
 *
 * An interior point method in doubles says which x_j are above 0 on the face of optima, and which
 * (y A)_j (interior.h).  That leaves two systems of equations,
 *
 *     y A_j = 0 where x_j > 0,  y a = 1          the optimum is then y b
 *     sum of A_j x_j = b - a (y b) over these
 *
 * and a solution of each near the doubles is found exactly (lift.h).  In the middle of the face
 * whatever need not be 0 is well above it, so that nearness is all that the signs need; they are
 * checked exactly, and where one is wrong the guess is mended and the systems are solved once more.
 * Ties cost nothing here: a simplex walks through them corner by corner.
 *
 * Source: Ye, "On the finite convergence of interior-point algorithms for linear programming",
 * Mathematical Programming 57, 1992.
 */
#ifndef PROVE_FACE_H
#define PROVE_FACE_H

#include "prove/program.h"

/* UNDECIDED: not found this way. What it finds is exact, and checked. */
enum pv_outcome pv_face_solve(const struct pv_program *program, struct pv_solution *solution);

#endif
