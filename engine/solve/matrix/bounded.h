/*
 * bounded.h: handles BOUNDED rows (motors) around a matrix solver that does not support them.
 *
 *     lower <= f_k <= upper;  a_k = 0 within, a_k >= 0 at lower, a_k <= 0 at upper
 *
 * It guesses which of them are at a limit.  Their forces are known and move to the other side,
 *
 *     b'_i = b_i + sum_k A_ik f_k
 *
 * The other BOUNDED rows are held, as if they were BILATERAL, and the matrix solver solves the
 * rest.  A held row moves to a limit when its force is beyond it, or when other held rows prevent
 * it.  A row at a limit is held again when its force no longer opposes its motion: a_k < 0 at lower
 * or a_k > 0 at upper.  All wrong guesses change at once; after three rounds without a new least
 * number of them only the one of highest index changes.  The warm start's guess is nearly always
 * right: then one round is enough.
 *
 * Without friction the whole problem is a complementarity problem with a semidefinite matrix: with
 * f_k = lower + u and the multiplier t of the other limit,
 *
 *     0 <= a_k + t  _|_  u >= 0,      0 <= (upper - lower) - u  _|_  t >= 0
 *
 * Where the guesses cycle, or end at rows that contradict each other, Lemke's pivoting
 * (linalg/lemke.h) decides.  Where rounding spoils its forces, the matrix solver solves with the
 * places that it found.  This serves up to half of CN_CONTACT_ROWS_MAX rows, each limit counted as
 * one.  Beyond that, and with friction, the outcome is that of the last round.
 *
 * Minimum norm: only among the forces of the final guess.  Where a row at a limit does not press on
 * it, a_k = 0, other forces may be smaller, and the outcome is INEXACT.
 */
#ifndef ENGINE_SOLVE_MATRIX_BOUNDED_H
#define ENGINE_SOLVE_MATRIX_BOUNDED_H

#include "engine/solve/matrix_solver.h"

/* A part of the rows, as a problem of its own, for the matrix solver. */
struct cn_bounded_part {
    void *context;
    /* Sets out's A, stride and delassus to those of the given rows, which ascend. */
    void (*take)(void *context, const int *row, int row_count, struct cn_matrix_problem *out);
    /* Makes the whole problem's own A usable again after take. */
    void (*restore)(void *context);
};

/* Whether any row is BOUNDED. */
bool cn_bounded_any(const struct cn_matrix_problem *problem);

/* Lays out scratch for n rows, including the matrix solver's own. */
void cn_bounded_layout(const struct cn_matrix_solver *solver, struct cn_arena *scratch, int n);

/* Like the matrix solver's solve. */
struct cn_solve_report cn_bounded_solve(const struct cn_matrix_solver *solver,
    const struct cn_matrix_problem *problem, const struct cn_bounded_part *part,
    const struct cn_solve_options *options, struct cn_arena *scratch, double *f);

#endif
