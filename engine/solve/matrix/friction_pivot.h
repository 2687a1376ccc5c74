/*
 * friction_pivot.h: Dantzig's pivoting with Coulomb friction, used by baraff94 for tangent rows.
 *
 * Source: Baraff, "Fast Contact Force Computation for Nonpenetrating Rigid Bodies", SIGGRAPH 94,
 * section 5.  Every row is in one of these states:
 *
 *     held    (C; C_F of a tangent)  a = 0, with any force
 *     out     (NC)                   f = 0
 *     rim     (NC+, NC-)             a tangent with f_T = k f_N,  k = +mu or -mu, where it slips
 *     slides  (dynamic friction)     a tangent with f_T = k f_N,  k = -mu d, permanently
 *
 * One row at a time is driven.  The force of a normal that accelerates inward is raised until a =
 * 0.  Then the force of each of its tangents is moved against a_T until a_T = 0 or |f_T| = mu f_N.
 * The other forces follow: held rows keep a = 0, forces at the rim keep their ratio.  A held normal
 * whose force reaches zero goes out, and a held tangent that reaches its rim stays there.  A
 * tangent at the rim that accelerates along its force is driven in its turn.
 *
 * Two tangents of one disc are bounded one by one, |f_T1|, |f_T2| <= mu f_N: a square.  The caller
 * makes it a disc by its choice of the directions, see baraff94_friction.h.  Moments against
 * rolling and spinning are tangents like those of friction, with limits of their own.
 *
 * The dictionary.  Row i of D says how the dependent variable of row i changes with the free
 * variables, as deviations from the current point:
 *
 *     df_i = sum_j D_ij dv_j  (i held),  da_i = sum_j D_ij dv_j  (else)
 *     v_j = a_j  (j held),  v_j = f_j  (a normal out),  v_j = f_j - k_j f_N  (a tangent not held)
 *
 * At first D = A with the columns of sliding tangents folded into those of their normals, which
 * makes it unsymmetric.  All pivots are on the diagonal.  The forces and accelerations themselves
 * are stored separately and updated from A after every drive, so that D need only be an approximate
 * inverse.
 *
 * Invariants: 1. Only a row that is not held is driven, held or refolded; only a held row is
 * released.  2. A held tangent has fold 0.  3. A row that was given up is not held.
 *
 * No guarantee: with friction nothing proves that this ends, that a solution exists (Painleve), or
 * that it is unique.  PIVOTS_MAX and RAY report failure; the caller then uses Lemke.  Where there
 * are several answers, the order of the rows decides.
 *
 * Departures: as in dantzig.h, a row that closes or turns during a walk does not end it; it is
 * driven in its turn, worst first.  When a normal goes out, the rim of its tangent is not stored.
 */
#ifndef ENGINE_SOLVE_MATRIX_FRICTION_PIVOT_H
#define ENGINE_SOLVE_MATRIX_FRICTION_PIVOT_H

#include "engine/base/arena.h"
#include "engine/solve/matrix/friction_frame.h"

enum cn_friction_end {
    CN_FRICTION_DONE,
    CN_FRICTION_CONTRADICTED, /* bilateral rows contradict each other; the others hold */
    CN_FRICTION_RAY,          /* some rows have no solution and do not push; the others hold */
    CN_FRICTION_SPOILED,      /* a pivot vanished, or rounding left some row beyond the tolerance */
    CN_FRICTION_PIVOTS_MAX,
};

struct cn_friction_pivot {
    int n;
    const struct cn_friction_frame *frame; /* A, b, mu, in rotated tangent directions */
    double *D;                             /* n x n */
    double *f, *a, *df, *da;               /* n each */
    double *diagonal;                      /* A_ii */
    double *fold;                          /* k of a tangent that is not held */
    bool *held;
    bool *given_up;
    double accel_tolerance; /* [m/s^2] */
    double accel_scale;     /* [m/s^2] the judge's s */
    int pivot_count;
    int64_t work;
};

void cn_friction_pivot_take(struct cn_friction_pivot *p, struct cn_arena *scratch, int row_max);

/*
 * Finds f, which holds the warm start in the frame's directions on entry and the answer on return.
 * pivot_max bounds p->pivot_count, which counts all calls.
 */
enum cn_friction_end cn_friction_pivot_solve(struct cn_friction_pivot *p,
    const struct cn_friction_frame *frame, double accel_tolerance, int pivot_max, double *f);

#endif
