/*
 * baraff94_friction.h: baraff94 where rows have friction, static or dynamic, in the plane or in
 * space.
 *
 *   1. Pivoting (friction_pivot.h), which in the plane solves the problem exactly where it ends.
 *   2. Lexicographic Lemke where it does not: went round in circles (10 n pivots), met a ray, or
 *      lost a pivot.  A tangent row becomes two complementary pairs,
 *
 *          u = f_T + mu f_N >= 0,   a_T + beta >= 0,       mu f_N - f_T >= 0,   beta >= 0
 *
 *      (Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts, 1996, chapter 6).  A
 *      ray here is the outcome INFEASIBLE: Painleve's rod has no solution, and Baraff (SIGGRAPH 94,
 *      section 5.4; Algorithmica 10, 1993) answers with an impulse, which is the stepper's to give.
 *      It proves nothing: a matrix with friction need not be one for which Lemke always arrives.
 *   3. In space the two steps above bound the two tangents of a contact one by one, |f_T1| and
 *      |f_T2| <= mu f_N.  That is Coulomb's disc as soon as the first tangent points along the
 *      force: then f_T2 = 0.  So the pair is turned to the direction D f_T - a_T of the judge's
 *      projection (along the force where it sticks, against the acceleration where it slips) and
 *      everything is solved again, from the last answer, in at most CN_BARAFF94_ROUNDS_MAX rounds.
 *   4. Turning alone converges by a factor a round.  Newton's method on the judge's own projection
 *      (friction_newton.h) follows each round, and mostly ends the search after the
 *      first.  When neither does, the rounds begin anew from other directions, three times.
 *
 * A warm start that still is an answer is returned as it is; in space Newton's method is tried on
 * it first.
 *
 * Contacts that slide already (dynamic friction) have their direction given and need none of this.
 *
 * Departures: Baraff has no directions to choose (his friction is planar, or a square in space); 3
 * and 4 are ours.  What they can not bring within the tolerance is INEXACT, with its residual.
 *
 * Where there are several answers, the order of the rows decides, and the warm start: a set of
 * places that held last time and still does is kept.
 *
 * Minimum norm is not looked for: asked for it, the outcome is INEXACT.
 *
 * Size: islands of up to CN_CONTACT_ROWS_MAX rows.  Beyond, forces stay as they came, and the
 * outcome is ITERATIONS_MAX.
 */
#ifndef ENGINE_SOLVE_BARAFF94_FRICTION_H
#define ENGINE_SOLVE_BARAFF94_FRICTION_H

#include "engine/solve/matrix_solver.h"

#define CN_BARAFF94_ROUNDS_MAX 12

/* Whether the problem has tangent rows at all. */
bool cn_baraff94_has_friction(const struct cn_matrix_problem *problem);

void cn_baraff94_friction_layout(struct cn_arena *scratch, int n);

struct cn_solve_report cn_baraff94_friction_solve(const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, struct cn_arena *scratch, double *f);

#endif
