/*
 * lift.h: finds an exact solution of M v = r near a given one; M is sparse, of any shape and rank.
 *
 * M is eliminated modulo a prime p, with sparse pivots (Markowitz).  This tells which columns
 * depend on the others: they keep the given value, rounded to a few bits.  The other values are
 * computed modulo p, then p^2, and so on (Dixon 1982), until fractions fit (Wang 1981).  Each turn
 * costs one solve with the same factors, and the answer needs only as many turns as it has digits.
 * Exact elimination would have intermediate fractions much longer than those of the answer.
 *
 * The answer is checked: it is put into M v = r.  So neither the prime nor the guess can make it
 * wrong.
 *
 * Source: Dixon, "Exact solution of linear equations using p-adic expansions", Numerische
 * Mathematik 40, 1982; Wang, Guy and Davenport, SIGSAM Bulletin 16, 1982 (fractions from residues).
 */
#ifndef PROVE_EXACT_LIFT_H
#define PROVE_EXACT_LIFT_H

#include "prove/exact/factor.h"

/*
 * near and v: by column; r: by row.  room: NULL, or how far the value of each column may move;
 * columns with much room are preferred as pivots, because pivot values follow from the others.
 * bits: given values are rounded to this many bits of the largest one.  False: M v = r has no
 * solution, or *work passed work_max, or an integer of its rows has more than PV_ROW_BITS_MAX bits.
 */
bool pv_lift_solve(const struct pv_column *const *column, int columns, int rows, mpq_t *r,
    const double *near, int bits, const double *room, mpq_t *v, uint64_t *work,
    uint64_t work_max);

#endif
