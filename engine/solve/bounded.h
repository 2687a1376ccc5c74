/*
 * bounded.h: BOUNDED rows (motors) around any matrix solver that knows only the others.
 *
 *     lower <= f_k <= upper;  a_k = 0 within, a_k >= 0 at lower, a_k <= 0 at upper
 *
 * Guess which of them sit at a limit.  Their forces are known and go to the other side,
 *
 *     b'_i = b_i + sum_k A_ik f_k
 *
 * the rest hold, as if they were BILATERAL, and the matrix solver solves what is left.  A row that
 * holds with a force beyond a limit goes to that limit, as does one that others hold against; one
 * at a limit whose motion the force opposes no more, a_k < 0 at lower or a_k > 0 at upper, holds.
 * All wrong guesses change at once; after three rounds without a new least number of them only the
 * one of highest index does.  The warm start's guess is nearly always right: one round.
 *
 * Without friction the whole is a complementarity problem with a semidefinite matrix: with
 * f_k = lower + u and the multiplier t of the other limit,
 *
 *     0 <= a_k + t  _|_  u >= 0,      0 <= (upper - lower) - u  _|_  t >= 0
 *
 * Where the guessing goes round, or ends at rows that contradict each other, Lemke's pivoting
 * (linalg/lemke.h) decides, and where rounding spoils its forces, the matrix solver finds them with
 * the places that it names.  That serves up to half of CN_CONTACT_ROWS_MAX rows, each limit counted
 * as one; beyond, and with friction, the outcome is that of the last round.
 *
 * Minimum norm: among the forces of the final guess.  Where a row at a limit does not press on it,
 * a_k = 0, others may be smaller, and the outcome is INEXACT.
 */
#ifndef ENGINE_SOLVE_BOUNDED_H
#define ENGINE_SOLVE_BOUNDED_H

#include "engine/solve/matrix_solver.h"

/* A part of the rows, as a problem of its own, for the matrix solver. */
struct cn_bounded_part {
    void *context;
    /* Sets out's A, stride and delassus to those of the given rows, ascending. */
    void (*take)(void *context, const int *row, int row_count, struct cn_matrix_problem *out);
    /* Makes the whole problem's own A usable again, after take. */
    void (*restore)(void *context);
};

/* Whether some row is BOUNDED. */
bool cn_bounded_any(const struct cn_matrix_problem *problem);

/* Scratch for n rows; the matrix solver's own is part of it. */
void cn_bounded_layout(const struct cn_matrix_solver *solver, struct cn_arena *scratch, int n);

/* As the matrix solver's solve. */
struct cn_solve_report cn_bounded_solve(const struct cn_matrix_solver *solver,
    const struct cn_matrix_problem *problem, const struct cn_bounded_part *part,
    const struct cn_solve_options *options, struct cn_arena *scratch, double *f);

#endif
