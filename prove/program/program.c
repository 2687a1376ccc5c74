#include "prove/program/program.h"

void
pv_solution_init(struct pv_solution *solution, const struct pv_program *p)
{
    *solution = (struct pv_solution){0};
    solution->x = pv_numbers((size_t)p->columns);
    solution->ray = pv_numbers((size_t)p->columns);
    solution->y = pv_numbers((size_t)p->rows);
}

void
pv_solution_finish(struct pv_solution *solution, const struct pv_program *p)
{
    pv_numbers_free(solution->x, (size_t)p->columns);
    pv_numbers_free(solution->ray, (size_t)p->columns);
    pv_numbers_free(solution->y, (size_t)p->rows);
}

void
pv_dot_column(mpq_t out, const struct pv_column *column, mpq_t *y, uint64_t *work)
{
    mpq_set_ui(out, 0, 1);
    for (int k = 0; k < column->count; k++) {
        if (mpq_sgn(y[column->row[k]]) != 0) {
            *work += pv_words(column->value[k]) * pv_words(y[column->row[k]]);
            pv_add_product(out, column->value[k], y[column->row[k]]);
        }
    }
}
