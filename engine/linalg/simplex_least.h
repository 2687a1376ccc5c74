/*
 * simplex_least.h: the third phase of simplex.h: the least sum of violations, where a program has
 * no solution.
 */
#ifndef ENGINE_LINALG_SIMPLEX_LEAST_H
#define ENGINE_LINALG_SIMPLEX_LEAST_H

#include "engine/linalg/simplex_dictionary.h"

/*
 * Goes from the basis that phase 1 has reached to the least sum of violations of s; fills `reduced`
 * and `side`.  Returns false when pivot_max was reached.
 */
bool cn_simplex_least(struct cn_simplex *lp, int pivot_max);

#endif
