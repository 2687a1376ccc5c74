/*
 * dantzig.h: contact forces by Dantzig's pivoting; the core of baraff94.
 *
 * Source: Baraff, "Fast Contact Force Computation for Nonpenetrating Rigid Bodies", SIGGRAPH 94,
 * section 4 (frictionless systems); names are those of the pseudo-code in section 4.3.
 *
 * A contact is clamped (in C: it may push, and a_i = 0) or unclamped (in NC: f_i = 0).  When an
 * unclamped contact d accelerates inward, a_d < 0, its force is raised until a_d = 0.  Raising it
 * by df_d = 1 changes the clamped forces so that their accelerations stay zero:
 *
 *     A_CC df_C = -A_Cd                                                   eq. (9)
 *     da_d      = A_dd - A_dC inv(A_CC) A_Cd                              Schur complement S
 *
 * The walk along df ends when
 *
 *     a clamped force reaches zero   s = -f_i / df_i  for i in C, df_i < 0   eq. (10): i -> NC
 *     the driven contact is done     s = -a_d / S                            eq. (12): d -> C
 *
 * Bilateral rows are added to C first and never leave it.
 *
 * The factor of A_CC is kept (envelope.h): a row is added or removed in O(n^2), section 4.5.  The
 * staged row of the factor gives both S and df_C, so that d -> C costs nothing more.  After a few
 * dozen rows were added out of order the factor is rebuilt in the problem's own order, which is
 * narrow for an island.
 *
 * Redundant contacts (A singular).  When S is zero, the row of d depends on C, and d never enters
 * C. Zero means less than 1e-12 A_dd, which allows for masses of 1 : 10^9 in one stack, or less
 * than the rounding error of S itself, 1e-15 (sum_i |df_i| sqrt(A_ii))^2.  Then a_d is zero
 * whenever a solution exists and C is right.  If it is not zero, some clamped force must give way:
 * the walk along df ends by eq. (10) alone, and after that d no longer depends on C.  If the walk
 * has no end df is a ray, and no forces satisfy the conditions (closing walls).  A_CC never becomes
 * singular.
 *
 * Departures from the paper:
 *   - A gap that closes during the walk, eq. (11), does not end the walk.  The contact is driven
 *     later in its turn.  With eq. (11) the symmetric stack with redundant contacts, the usual
 *     case, takes dozens of steps of length zero and can cycle.  Without it every walk raises
 *     -f'(A f/2 + b), the dual of the Gauss function, so no set C repeats.  This is the dual
 *     active-set method of Goldfarb and Idnani, Mathematical Programming 27, 1983, which walks
 *     the same lines.
 *   - The next d is the row with the most negative a_d / sqrt(A_dd), the lowest index on ties:
 *     forces are not unique when A is singular, and replays must agree.
 *   - Warm start: see cn_dantzig_warm.
 *
 * Invariants: 1. clamped[p] = i exactly where place[i] = p, for all p below the factor's count;
 * place is -1 for the rows of NC.  2. A bilateral row never leaves C.  3. A row that was given up
 * is in NC.
 */
#ifndef ENGINE_SOLVE_MATRIX_DANTZIG_H
#define ENGINE_SOLVE_MATRIX_DANTZIG_H

#include "engine/base/arena.h"
#include "engine/linalg/envelope.h"
#include "engine/problem/matrix_problem.h"

enum cn_dantzig_end {
    CN_DANTZIG_DONE,       /* no row accelerates inward */
    CN_DANTZIG_RAY,        /* some rows can not be satisfied and do not push; the others hold */
    CN_DANTZIG_SPOILED,    /* rounding left some row beyond the tolerance */
    CN_DANTZIG_PIVOTS_MAX, /* stopped early, with every f usable */
    CN_DANTZIG_INDEFINITE, /* A is not positive semidefinite; f usable */
};

struct cn_dantzig {
    int capacity;
    const struct cn_matrix_problem *problem;
    double *f;        /* the caller's */
    double *a;        /* A f + b */
    double *diagonal; /* A_ii */
    double *root;     /* sqrt(|A_ii|) */
    double *x;        /* in the order of clamped[] */
    int *clamped;     /* the members of C, in the order of the factor */
    int *place;       /* index in clamped[], or -1 */
    bool *given_up;   /* a ray was found: not driven again, f_i = 0 */
    struct cn_envelope factor;
    int appended;           /* rows that drives have appended to the factor since it was built */
    double accel_tolerance; /* [m/s^2] |a_i| and A_ii |f_i| below it count as zero */
    double accel_scale;     /* [m/s^2] the judge's s */
    double clamped_error;   /* [m/s^2] max |a_C| at the end of a run */
    int pivot_count;
    int64_t work_max; /* cn_dantzig_run ends after about this much work (PIVOTS_MAX); 0: no limit */
    int64_t work; /* without the factor's own */
};

/* Takes the memory for problems of row_max rows and factors of entry_max entries. */
void cn_dantzig_take(struct cn_dantzig *z, struct cn_arena *scratch, int row_max,
    size_t entry_max);

/* Starts a problem with nothing clamped. f has n entries and holds the warm start. */
void cn_dantzig_begin(struct cn_dantzig *z, const struct cn_matrix_problem *problem,
    double accel_tolerance, double *f);

/*
 * Clamps the rows with f_i > 0 (after all bilateral ones), except those that depend on the rows
 * before, and solves for their forces.  Rows with a negative force are left out and the rest is
 * solved again, until no force is negative.  Then f_C >= 0 with a_C = 0, which the drive needs as
 * its starting point.  In the common case, where the set was right, this is also the answer.
 */
void cn_dantzig_warm(struct cn_dantzig *z);

/* Stages row i on the factor and returns its Schur complement. */
double cn_dantzig_stage(struct cn_dantzig *z, int i);

/* Clamps i, with its present force, unless it depends on C or the factor is full. */
void cn_dantzig_clamp(struct cn_dantzig *z, int i);

/* Drives until no row accelerates inward. */
enum cn_dantzig_end cn_dantzig_run(struct cn_dantzig *z, int pivot_max);

/*
 * Takes any given forces, and corrects those of an independent part of them so that a = 0 where f >
 * 0, up to rounding.  The counts continue from those of the last run.
 */
void cn_dantzig_polish(struct cn_dantzig *z, const struct cn_matrix_problem *problem,
    double accel_tolerance, double *f);

#endif
