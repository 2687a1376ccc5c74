/*
 * friction_pivot.h: Dantzig's pivoting with Coulomb friction; what baraff94 does with tangent rows.
 *
 * Source: Baraff, "Fast Contact Force Computation for Nonpenetrating Rigid Bodies", SIGGRAPH 94,
 * section 5.  Every row is in one of these places:
 *
 *     held    (C; C_F of a tangent)  a = 0, and the force is whatever that takes
 *     out     (NC)                   f = 0
 *     rim     (NC+, NC-)             a tangent with f_T = k f_N,  k = +mu or -mu, where it slips
 *     slides  (dynamic friction)     a tangent with f_T = k f_N,  k = -mu d, for good
 *
 * One row at a time is driven.  A normal that accelerates inward has its force raised until a = 0;
 * then each of its tangents has its force moved against a_T until a_T = 0 or |f_T| = mu f_N.  The
 * others bend along: held rows keep a = 0, forces at the rim keep their ratio.  On the way a held
 * normal that runs out of force goes out, and a held tangent that reaches its rim goes there.  A
 * tangent at the rim that has come to accelerate along its force is driven in its turn.
 *
 * Two tangents of one contact are bounded one by one, |f_T1|, |f_T2| <= mu f_N: a square.  What
 * makes a disc of it is the caller's choice of the directions, see baraff94_friction.h.
 *
 * The dictionary.  In deviations from the current point, row i of D says how what depends of row i
 * follows what is free:
 *
 *     df_i = sum_j D_ij dv_j  (i held),  da_i = sum_j D_ij dv_j  (else)
 *     v_j = a_j  (j held),  v_j = f_j  (a normal out),  v_j = f_j - k_j f_N  (a tangent not held)
 *
 * at first D = A with the columns of sliding tangents folded into their normals', which makes it
 * unsymmetric.  All pivots stand on the diagonal.  The forces and accelerations themselves are kept
 * beside it and brought up to date from A after every drive, so that D need only be a good inverse.
 *
 * What is not guaranteed: with friction nothing proves that this ends, or that there is an answer
 * (Painleve), or only one.  PIVOTS_MAX and RAY say when it did not; the caller asks Lemke then.
 * Where there are several answers, the order of the rows decides.
 *
 * Departures: as in dantzig.h, what closes or turns on the way does not end a walk; it is driven in
 * its turn, worst first.  A tangent whose normal goes out forgets on which rim it was.
 */
#ifndef ENGINE_SOLVE_FRICTION_PIVOT_H
#define ENGINE_SOLVE_FRICTION_PIVOT_H

#include "engine/base/arena.h"
#include "engine/solve/friction_frame.h"

enum cn_friction_end {
    CN_FRICTION_DONE,
    CN_FRICTION_CONTRADICTED, /* bilateral rows contradict each other; the others hold */
    CN_FRICTION_RAY,          /* some rows have no answer and do not push; the others hold */
    CN_FRICTION_SPOILED,      /* a pivot vanished, or rounding left some row beyond the tolerance */
    CN_FRICTION_PIVOTS_MAX,
};

struct cn_friction_pivot {
    int n;
    const struct cn_friction_frame *frame; /* A, b, mu, in turned tangent directions */
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
 * Finds f, which enters as the warm start in the frame's directions and is the answer in any case.
 * pivot_max bounds p->pivot_count, which goes on counting.
 */
enum cn_friction_end cn_friction_pivot_solve(struct cn_friction_pivot *p,
    const struct cn_friction_frame *frame, double accel_tolerance, int pivot_max, double *f);

#endif
