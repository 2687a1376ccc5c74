/*
 * modular.h: LU of a sparse matrix modulo the prime 2^61 - 1.
 *
 * Rows and columns beyond the rank have no elimination step; the caller handles them.
 *
 * A residue does not tell the size of a number, so a double is eliminated with each residue.  The
 * doubles keep pivots large within their rows.  So the pivot columns depend only moderately on the
 * columns without a step.
 */
#ifndef PROVE_EXACT_MODULAR_H
#define PROVE_EXACT_MODULAR_H

#include <stdbool.h>
#include <stdint.h>

#define PV_PRIME ((UINT64_C(1) << 61) - 1)

struct pv_residue {
    int index;
    uint64_t value; /* below PV_PRIME */
    double size;    /* the number itself, rounded */
};

/* A row: its entries by columns.  No column occurs twice, and no entry is 0. */
struct pv_residue_row {
    int count, room;
    struct pv_residue *entry;
};

struct pv_modular {
    int rows, columns, rank;
    int *pivot_row, *pivot_column;       /* by step */
    int *step_of_row, *step_of_column;   /* -1: none */
    uint64_t *inverse;                   /* of the pivot, by step */
    struct pv_residue_row *lower, *upper; /* by step: (row, multiplier); (column, value) */
};

/* Takes the entries of the rows; the rows are empty afterwards. */
void pv_modular_init(struct pv_modular *m, struct pv_residue_row *row, int rows, int columns,
    uint64_t *work);
void pv_modular_finish(struct pv_modular *m);

/* x: the right-hand side by rows; overwritten.  digit: values of the pivot columns, by column. */
void pv_modular_solve(const struct pv_modular *m, uint64_t *x, uint64_t *digit);

void pv_residue_row_add(
    struct pv_residue_row *row, int index, uint64_t value, double size);

#endif
