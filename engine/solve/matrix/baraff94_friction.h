/*
 * baraff94_friction.h: baraff94 for rows with friction, static or dynamic, in the plane or in
 * space, and with moments against rolling and spinning.
 *
 *   1. Pivoting (friction_pivot.h); in the plane it solves the problem exactly whenever it ends.
 *   2. Lexicographic Lemke where pivoting fails: it cycled (10 n pivots), met a ray, or
 *      lost a pivot.  A tangent row becomes two complementary pairs,
 *
 *          u = f_T + mu f_N >= 0,   a_T + beta >= 0,       mu f_N - f_T >= 0,   beta >= 0
 *
 *      (Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts, 1996, chapter 6).  A
 *      ray here gives the outcome INFEASIBLE.  For example, Painleve's rod has no solution; Baraff
 *      (SIGGRAPH 94, section 5.4; Algorithmica 10, 1993) then applies an impulse, which is left to
 *      the stepper.  A ray proves nothing: with friction Lemke need not find existing solutions.
 *      Where contacts have moments there is no Lemke, because its problem would be twice as large;
 *      another solver stands in (table/chain.h).
 *   3. In space the two steps above bound the two tangents of a contact one by one, |f_T1| and
 *      |f_T2| <= mu f_N.  That is Coulomb's disc once the first tangent points along the force,
 *      because then f_T2 = 0.  So the pair is turned to the direction D f_T - a_T of the judge's
 *      projection (along the force where it sticks, against the acceleration where it slips), and
 *      the problem is solved again from the last answer, in at most CN_BARAFF94_ROUNDS_MAX rounds.
 *   4. Turning alone converges by a factor a round.  Newton's method on the judge's own projection
 *      (friction_newton.h) follows each round, and usually ends the search after the first
 *      round.  When neither converges, the rounds start again from other directions, three times.
 *
 * A warm start that still solves the problem is returned unchanged; in space Newton's method is
 * tried on it first.
 *
 * Contacts that slide already (dynamic friction) have a given direction and do not need these
 * steps.
 *
 * Departures: Baraff chooses no directions (his friction is planar, or a square in space); steps 3
 * and 4 are added.  A problem that they can not solve within the tolerance is INEXACT, with its
 * residual.
 *
 * Where there are several answers, the order of the rows and the warm start decide: row states that
 * held last time and still do are kept.
 *
 * Minimum norm is not supported: when it is asked for, the outcome is INEXACT.
 *
 * Size: islands of up to CN_CONTACT_ROWS_MAX rows.  Beyond that f keeps its input values, and the
 * outcome is ITERATIONS_MAX: another solver solves the island.  The same happens where
 * the granted work (work_max) is spent.  A pivot costs 2 n^2 operations, a step of Newton's method
 * 2 n^3.
 */
#ifndef ENGINE_SOLVE_MATRIX_BARAFF94_FRICTION_H
#define ENGINE_SOLVE_MATRIX_BARAFF94_FRICTION_H

#include "engine/solve/matrix_solver.h"

#define CN_BARAFF94_ROUNDS_MAX 12

/* Whether the problem has rows of discs at all. */
bool cn_baraff94_has_friction(const struct cn_matrix_problem *problem);

void cn_baraff94_friction_layout(struct cn_arena *scratch, int n);

struct cn_solve_report cn_baraff94_friction_solve(const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, struct cn_arena *scratch, double *f);

#endif
