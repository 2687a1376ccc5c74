/*
 * pivot.h: Lemke's complementary pivoting in rational numbers, dense, with the lexicographic rule.
 *
 * Solves w = M z + q, w >= 0, z >= 0, w z = 0.  It ends for every M; for positive semidefinite M
 * that has a solution it ends at one.  The dictionary is the one of engine/linalg/lemke.h: row r
 * writes a basic variable by n + 1 others, columns 0 to n - 1 at first z, column n at first z_0,
 * and the coefficient of the r-th infinitesimal is 1 where w_r is basic and -D elsewhere.
 */
#ifndef PROVE_PIVOT_H
#define PROVE_PIVOT_H

#include "prove/number.h"

#include <stdbool.h>
#include <stdint.h>

/* M: n x n, row major. False: a ray, or *work passed PV_WORK_MAX. */
bool pv_lemke(int n, mpq_t *M, mpq_t *q, mpq_t *z, uint64_t *work);

#endif
