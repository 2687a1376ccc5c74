/*
 * factor.h: exact LU of a sparse square matrix, and solving with it.
 *
 * Right-looking elimination on rational rows.  The pivot is the entry for which the number of other
 * entries in its row times the number of other entries in its column is least (Markowitz 1957).
 * Towers and arches are chains and trees of contacts.  For them this rule causes little fill-in, so
 * the numbers stay short.
 *
 * Work is counted as limits.h says and added to *work.
 */
#ifndef PROVE_EXACT_FACTOR_H
#define PROVE_EXACT_FACTOR_H

#include "prove/exact/number.h"

#include <stdbool.h>
#include <stdint.h>

/* A column: `count` entries in different rows, room for `room`; every entry differs from 0. */
struct pv_column {
    int count, room;
    int *row;
    mpq_t *value;
};

void pv_column_init(struct pv_column *column, int room);
void pv_column_finish(struct pv_column *column, int room);

/* Appends an entry unless it is 0. */
void pv_column_add(struct pv_column *column, int row, const mpq_t value);

struct pv_factor;

/* Returns NULL if the matrix of these columns is singular, or *work passed PV_WORK_MAX. */
struct pv_factor *pv_factor_create(
    const struct pv_column *const *column, int size, uint64_t *work);
void pv_factor_destroy(struct pv_factor *factor);

/* x becomes inverse(B) x.  On entry x is indexed by rows, on return by columns. */
void pv_factor_solve(const struct pv_factor *factor, mpq_t *x, uint64_t *work);

/* x becomes inverse(B') x.  On entry x is indexed by columns, on return by rows. */
void pv_factor_solve_transposed(const struct pv_factor *factor, mpq_t *x, uint64_t *work);

/* The number of 64-bit words of the numerator or the denominator, whichever is longer, plus 1. */
uint64_t pv_words(const mpq_t x);

#endif
