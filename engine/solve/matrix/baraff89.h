/*
 * baraff89.h: contact forces by linear programming and guesses; the heuristic of the 1989 paper.
 *
 * The conditions (1) to (3) of the paper, its eq. (15), are a quadratic program.  The paper takes
 * it for NP-hard and instead guesses the set V of contacts that vanish, i.e. part: a_i > 0.  Given
 * V and the remaining set C, a linear program remains,
 *
 *     f_V = 0,  a_V >= 0,     f_C >= 0,  a_C = 0                                      eq. (18)
 *
 * and a feasible point of it is a correct answer.  Two guesses are made:
 *
 *     1. V is empty: a = 0, f >= 0.                                                   eq. (19)
 *     2. V = {i : a_i(f*) > 0} with f* the forces of least sum that let nothing penetrate,
 *            minimise sum_i f_i   such that   a >= 0,  f >= 0.                   eqs. (22), (23)
 *
 * When both fail, f* itself is the answer.  Nothing penetrates and nothing pulls, but the forces
 * add the power sum_i f*_i a_i(f*) > 0, which they should not, eq. (25).
 *
 * Bilateral rows are equations with free forces, outside the sum of (22) (section 7).  It may be
 * that no forces satisfy them (appendix B).  If there are only bilateral rows, the forces of least
 * squares and least norm are taken.  If there are contacts too, it finds the least sum of |a_i|
 * over the bilateral rows that the contacts allow, eq. (37).  This part of a is then forgiven to
 * these rows in all that follows.  Both are INFEASIBLE, with the residual that the judge finds.
 *
 * Source: Baraff, "Analytical Methods for Dynamic Simulation of Non-penetrating Rigid Bodies",
 * SIGGRAPH 1989, sections 5 to 7 and appendix B.  His b is the negative of ours.
 *
 * Departures: none in the computation; the answers of the two guesses are refined against rounding.
 *
 * Two statements of the paper are not true.  Contact problems without friction are not NP-hard:
 * their matrix is positive semidefinite, and Dantzig's or Lemke's pivoting solves them all (section
 * 5.4).  The good predictor of section 6.4 fails on stacks as simple as four overhanging bricks.
 * So this solver is for studying the heuristic.  Its outcome after a fallback is INEXACT.  The
 * report says how often each branch was taken, and the power added (struct cn_heuristic_counts).
 *
 * The warm start is not used: it would only affect the choice among forces that are not unique.
 *
 * Size: islands of up to CN_CONTACT_ROWS_MAX rows.  Beyond that f keeps its input values, and the
 * outcome is ITERATIONS_MAX.
 */
#ifndef ENGINE_SOLVE_MATRIX_BARAFF89_H
#define ENGINE_SOLVE_MATRIX_BARAFF89_H

#include "engine/linalg/simplex.h"
#include "engine/solve/matrix_solver.h"

extern const struct cn_matrix_solver cn_matrix_solver_baraff89;

/* The steps one by one.  The programs differ only in kinds and costs, and share a dictionary. */
struct cn_baraff89 {
    struct cn_simplex lp;
    const struct cn_matrix_problem *problem;
    bool *vanishing;     /* V of the last prediction */
    double *f_least;     /* f* */
    double *a;           /* A f* + b */
    double *s;           /* the same from the dictionary */
    double *forgiven;    /* [m/s^2] the part of a that bilateral rows without a solution may keep */
    int *place;          /* working memory */
    double power;        /* sum_i f*_i a_i over the normal rows [N m/s^2] */
    double a_vanishing;  /* [m/s^2] a contact that accelerates more than this parts */
    double error_max;    /* [m/s^2] */
    int pivot_max;
};

void cn_baraff89_take(struct cn_baraff89 *h, struct cn_arena *scratch, int row_max);

/* tolerance: of the scaled residual.  The problem has NORMAL and BILATERAL rows. */
void cn_baraff89_begin(struct cn_baraff89 *h, const struct cn_matrix_problem *problem,
    double tolerance, int pivot_max);

/* Solves eq. (18), or with NULL eq. (19).  OPTIMAL: f solves the problem, up to rounding. */
enum cn_simplex_end cn_baraff89_given(struct cn_baraff89 *h, const bool *vanishing, double *f);

/* Eqs. (22) and (23): fills f_least, a, power and the prediction.  INFEASIBLE: no such f exists. */
enum cn_simplex_end cn_baraff89_minimum_sum(struct cn_baraff89 *h);

#endif
