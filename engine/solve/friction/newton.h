/* newton.h: the matrix solver of cn_solver_newton; see newton.c. */
#ifndef ENGINE_SOLVE_FRICTION_NEWTON_H
#define ENGINE_SOLVE_FRICTION_NEWTON_H

#include "engine/solve/matrix_solver.h"

extern const struct cn_matrix_solver cn_matrix_solver_newton;

#endif
