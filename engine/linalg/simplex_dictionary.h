/*
 * simplex_dictionary.h: a linear program (simplex.h) and its dictionary.
 *
 * m basic variables are written as functions of n nonbasic ones, which are zero:
 *
 *     basic_r = q_r + sum_j D_rj nonbasic_j,      at first s = A x - b
 *
 * Rows and columns are scaled (geometric means, then Ruiz), and b to largest entry 1, so that one
 * number separates rounding from real violations: `tolerance`, relative to the largest entry of the
 * scaled b.
 *
 * Invariants: 1. Every variable is in basic[] or in nonbasic[], in one place.  2. A pivot is not 0.
 *
 * Rounding.  The dictionary is updated, and after some hundred pivots it has collected their
 * rounding errors.  cn_simplex_restart rebuilds it, for a caller that finds that x and s do not
 * agree.
 */
#ifndef ENGINE_LINALG_SIMPLEX_DICTIONARY_H
#define ENGINE_LINALG_SIMPLEX_DICTIONARY_H

#include "engine/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

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

enum cn_simplex_kind { CN_SIMPLEX_NONNEGATIVE, CN_SIMPLEX_FREE, CN_SIMPLEX_ZERO };

struct cn_simplex {
    int row_max, column_max;
    int m, n;
    /* Set by the caller, after cn_simplex_begin and between runs. */
    unsigned char *kind; /* enum cn_simplex_kind, n + m: x, then s */
    double *cost;        /* n */
    bool *kept;          /* m: rows that must stay satisfied (simplex.h); else false */
    double tolerance;    /* see above */

    double *D;            /* m x (n + 1), q last */
    double *row_scale;    /* s'_i = row_scale_i s_i / q_size */
    double *column_scale; /* x_j = column_scale_j q_size x'_j */
    double q_size;
    int *basic;      /* m: variable of a row */
    int *nonbasic;   /* n: variable of a column */
    double *reduced; /* n + 1: the function minimised last, by the nonbasic variables */
    bool violated;   /* whether that was the sum of violations */
    double excess;   /* when infeasible: that sum at the end of phase 1, scaled; else 0 */
    signed char *side; /* n + m: -1, +1: a basic variable is violated below or above */
    double *rounding;  /* n: the part of `reduced` that may be rounding */
    bool *barred;    /* n: columns without a usable pivot */
    bool *wanted;    /* n + m: by variable, whether it was basic before a restart */
    int pivot_count;
    int64_t work;
};

void cn_simplex_take(struct cn_simplex *lp, struct cn_arena *arena, int row_max, int column_max);

/* Starts a program: all kinds are NONNEGATIVE, all costs zero, the tolerance is 1e-11. */
void cn_simplex_begin(struct cn_simplex *lp, int m, int n);

/* Row i, into which the caller writes A_i and, as entry n, -b_i, before cn_simplex_start. */
double *cn_simplex_row(struct cn_simplex *lp, int i);

/* Scales the rows that the caller wrote.  The basis is the slacks. */
void cn_simplex_start(struct cn_simplex *lp);

/*
 * The same after the caller has written the same A and b again.  Rebuilds the dictionary of the
 * present basis, free of the rounding of the pivots that led there.
 */
void cn_simplex_restart(struct cn_simplex *lp);

/* x has n entries, s has m; either may be NULL. */
void cn_simplex_read(const struct cn_simplex *lp, double *x, double *s);

/* The multipliers of the last run; y has m entries. */
void cn_simplex_multipliers(const struct cn_simplex *lp, double *y);

/* ---- for the phases ---- */

/* Exchanges basic row r with nonbasic column c. */
void cn_simplex_exchange(struct cn_simplex *lp, int r, int c);

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

#endif
