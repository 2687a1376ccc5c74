/* simplex_inner.h: shared by the files of the simplex only. */
#ifndef ENGINE_LINALG_SIMPLEX_INNER_H
#define ENGINE_LINALG_SIMPLEX_INNER_H

#include "engine/linalg/simplex.h"

/*
 * Smaller entries count as rounding, in a dictionary whose rows and columns began with largest
 * entry 1.  Where rows depend on each other their remainders are rounding, and a pivot on it would
 * spoil everything.
 */
#define CN_SIMPLEX_PIVOT_MIN 1e-7
/*
 * Bland's rule chooses only pivots of at least this part of the largest pivot that ends the step.
 */
#define CN_SIMPLEX_PIVOT_FRACTION_MIN 0.01
#define CN_SIMPLEX_TIE_MAX 1e-13
/* Steps of length zero before Bland's rule takes over. */
#define CN_SIMPLEX_STALL_MAX 20

static inline const double *
cn_simplex_row_at(const struct cn_simplex *lp, int r)
{
    return lp->D + (size_t)r * (size_t)(lp->n + 1);
}

static inline enum cn_simplex_kind
cn_simplex_kind_of(const struct cn_simplex *lp, int variable)
{
    return (enum cn_simplex_kind)lp->kind[variable];
}

/* The size of one scaled unit of a variable in the caller's units, without q_size. */
static inline double
cn_simplex_unit_of(const struct cn_simplex *lp, int variable)
{
    return variable < lp->n ? lp->column_scale[variable] : 1.0 / lp->row_scale[variable - lp->n];
}

/* Exchanges basic row r with nonbasic column c. */
void cn_simplex_exchange(struct cn_simplex *lp, int r, int c);

/*
 * Goes from the basis that phase 1 has reached to the least sum of violations of s; fills `reduced`
 * and `side`.  Returns false when pivot_max was reached.
 */
bool cn_simplex_least(struct cn_simplex *lp, int pivot_max);

#endif
