/*
 * lift.h: an exact solution of M v = r that is near a given one; M sparse, of any shape and rank.
 *
 * M is eliminated modulo a prime, by sparse pivots (Markowitz).  That says which columns depend on
 * the others: these get the value given, rounded to few bits.  The others follow, modulo p, then
 * p^2, and so on (Dixon 1982), until fractions fit (Wang 1981): each turn costs one solve with the
 * factors that are there already, and only as many turns are needed as the answer has digits.
 * Fractions in between, which grow far beyond those of the answer, do not occur.
 *
 * Whatever a prime and a guess may have missed: the answer is put into M v = r, and holds.
 *
 * Source: Dixon, "Exact solution of linear equations using p-adic expansions", Numerische
 * Mathematik 40, 1982; Wang, Guy and Davenport, SIGSAM Bulletin 16, 1982 (fractions from residues).
 */
#ifndef PROVE_LIFT_H
#define PROVE_LIFT_H

#include "prove/factor.h"

/*
 * room: NULL, or of each column how far its value may move; those with much are what follows from
 * the others.  near and v: columns; r: rows.  `bits`: of the largest value given, to which others
 * are rounded. False: M v = r has no solution, or *work passed work_max, or an integer
 * of its rows has more than PV_ROW_BITS_MAX bits.
 */
bool pv_lift_solve(const struct pv_column *const *column, int columns, int rows, mpq_t *r,
    const double *near, int bits, const double *room, mpq_t *v, uint64_t *work,
    uint64_t work_max);

#endif
