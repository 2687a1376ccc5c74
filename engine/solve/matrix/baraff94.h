/*
 * baraff94.h: the matrix solver inside cn_solver_baraff94; see baraff94.c.
 */
#ifndef ENGINE_SOLVE_MATRIX_BARAFF94_H
#define ENGINE_SOLVE_MATRIX_BARAFF94_H

#include "engine/solve/matrix_solver.h"

extern const struct cn_matrix_solver cn_matrix_solver_baraff94;

#endif
