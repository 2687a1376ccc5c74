/*
 * pivot.h: Lemke's complementary pivoting in rational numbers, dense, with the lexicographic rule.
 *
 * Solves w = M z + q, w >= 0, z >= 0, w z = 0.  The method ends for every M.  If M is positive
 * semidefinite and a solution exists, it finds one.  The dictionary is that of
 * engine/linalg/lemke.h: row r expresses a basic variable by n + 1 others.  At first, columns 0 to
 * n - 1 are z and column n is z_0.  The coefficient of the r-th infinitesimal is 1 if w_r is basic,
 * else -D.
 */
#ifndef PROVE_EXACT_PIVOT_H
#define PROVE_EXACT_PIVOT_H

#include "prove/exact/number.h"

#include <stdbool.h>
#include <stdint.h>

/* M: n x n, row major.  False: the method ended on a ray, or *work passed PV_WORK_MAX. */
bool pv_lemke(int n, mpq_t *M, mpq_t *q, mpq_t *z, uint64_t *work);

#endif
