/*
 * modular.h: LU of a sparse matrix modulo the prime 2^61 - 1.
 *
 * Rows and columns beyond the rank have no step; what they say is left to the caller.
 *
 * A residue says nothing of a number's size, so that doubles are eliminated beside it: a pivot is
 * not small in its row, and what depends on columns without a step depends on them mildly.
 */
#ifndef PROVE_MODULAR_H
#define PROVE_MODULAR_H

#include <stdbool.h>
#include <stdint.h>

#define PV_PRIME ((UINT64_C(1) << 61) - 1)

struct pv_residue {
    int index;
    uint64_t value; /* below PV_PRIME */
    double size;    /* about what it is the residue of */
};

/* A row: its entries by columns, none twice, none 0. */
struct pv_residue_row {
    int count, room;
    struct pv_residue *entry;
};

struct pv_modular {
    int rows, columns, rank;
    int *pivot_row, *pivot_column;       /* of a step */
    int *step_of_row, *step_of_column;   /* -1: none */
    uint64_t *inverse;                   /* of the pivot */
    struct pv_residue_row *lower, *upper; /* of a step: (row, multiplier); (column, value) */
};

uint64_t pv_residue_product(uint64_t a, uint64_t b);

/* Takes the rows: they are empty afterwards. */
void pv_modular_init(struct pv_modular *m, struct pv_residue_row *row, int rows, int columns,
    uint64_t *work);
void pv_modular_finish(struct pv_modular *m);

/* x: by rows on the way in (and spoilt); digit: by columns, of pivot columns. */
void pv_modular_solve(const struct pv_modular *m, uint64_t *x, uint64_t *digit);

void pv_residue_row_add(
    struct pv_residue_row *row, int index, uint64_t value, double size);
void pv_residue_row_finish(struct pv_residue_row *row);

#endif
