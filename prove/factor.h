/*
 * factor.h: exact LU of a sparse square matrix, and solving with it.
 *
 * Right-looking elimination on rational rows.  The pivot is the entry with the least product of
 * what else stands in its row and in its column (Markowitz 1957), so that structures that are
 * chains and trees, as towers and arches are, fill in little and their numbers stay short.
 *
 * Work is counted as limits.h says and added to *work.
 */
#ifndef PROVE_FACTOR_H
#define PROVE_FACTOR_H

#include "prove/number.h"

#include <stdbool.h>
#include <stdint.h>

/* A column: `count` entries of which no two have the same row, none is 0. */
struct pv_column {
    int count;
    int *row;
    mpq_t *value;
};

void pv_column_init(struct pv_column *column, int room);
void pv_column_finish(struct pv_column *column, int room);

/* Appends an entry unless it is 0. */
void pv_column_add(struct pv_column *column, int row, const mpq_t value);

struct pv_factor;

/* NULL: the matrix of these columns is singular, or *work passed PV_WORK_MAX. */
struct pv_factor *pv_factor_create(
    const struct pv_column *const *column, int size, uint64_t *work);
void pv_factor_destroy(struct pv_factor *factor);

/* x becomes inverse(B) x, by rows on the way in, by columns on the way out. */
void pv_factor_solve(const struct pv_factor *factor, mpq_t *x, uint64_t *work);

/* x becomes inverse(B') x: by columns on the way in, by rows on the way out. */
void pv_factor_solve_transposed(const struct pv_factor *factor, mpq_t *x, uint64_t *work);

/* The larger of the words of a number's two parts. */
uint64_t pv_words(const mpq_t x);

#endif
