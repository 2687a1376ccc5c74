/*
 * dantzig.h: contact forces by Dantzig's pivoting; the engine inside baraff94.
 *
 * Source: Baraff, "Fast Contact Force Computation for Nonpenetrating Rigid Bodies", SIGGRAPH 94,
 * section 4 (frictionless systems); names follow the pseudo-code of section 4.3.
 *
 * A contact is clamped (in C: it may push, and a_i = 0) or unclamped (in NC: f_i = 0).  When an
 * unclamped contact d accelerates inward, a_d < 0, its force is raised until a_d = 0.  Raising it
 * by df_d = 1 bends the clamped forces so that their accelerations stay zero:
 *
 *     A_CC df_C = -A_Cd                                                   eq. (9)
 *     da_d      = A_dd - A_dC inv(A_CC) A_Cd                              Schur complement S
 *
 * We walk along df until
 *
 *     a clamped force runs out       s = -f_i / df_i  for i in C, df_i < 0   eq. (10): i -> NC
 *     the driven contact is done     s = -a_d / S                            eq. (12): d -> C
 *
 * Bilateral rows are put into C first and never leave it.
 *
 * The factor of A_CC is kept (envelope.h): a row comes in O(n^2) and leaves in O(n^2), section 4.5.
 * The staged row of the factor gives both S and df_C, so that d -> C costs nothing more.  After a
 * few dozen rows have come in out of order the factor is built anew in the problem's own order,
 * which in an island is a narrow one.
 *
 * Redundant contacts (A singular).  When S is zero, the row of d depends on C: d never enters C.
 * Zero means less than 1e-12 A_dd, which leaves room for masses of 1 : 10^9 in one stack, or less
 * than the rounding of S itself, 1e-15 (sum_i |df_i| sqrt(A_ii))^2.  Then a_d is zero whenever a
 * solution exists and C is right.  If it is not zero, some clamped force must give way: the walk
 * along df ends by eq. (10) alone, and after that d no longer depends on C; with no end at all df
 * is a ray, and no forces satisfy the conditions (closing walls).  A_CC never becomes singular.
 *
 * Departures from the paper:
 *   - A gap that closes on the way, eq. (11), does not end the walk.  The contact is driven in its
 *     turn.  With eq. (11) the symmetric stack with redundant contacts, our daily bread, takes
 *     steps of length zero by the dozen and can cycle; without it every walk raises -f'(A f/2 + b),
 *     the Gauss function's dual, so no set C comes twice.  This is the dual active-set method of
 *     Goldfarb and Idnani, Mathematical Programming 27, 1983, which walks the same lines.
 *   - The next d is the one with the most negative a_d / sqrt(A_dd), lowest index on ties: forces
 *     are not unique when A is singular, and replays must agree.
 *   - Warm start: see cn_dantzig_warm.
 */
#ifndef ENGINE_SOLVE_DANTZIG_H
#define ENGINE_SOLVE_DANTZIG_H

#include "engine/base/arena.h"
#include "engine/linalg/envelope.h"
#include "engine/problem/matrix_problem.h"

enum cn_dantzig_end {
    CN_DANTZIG_DONE,       /* no row accelerates inward */
    CN_DANTZIG_RAY,        /* some rows can not be satisfied and do not push; the others hold */
    CN_DANTZIG_SPOILED,    /* rounding left some row beyond the tolerance */
    CN_DANTZIG_PIVOTS_MAX, /* stopped on the way, with every f usable */
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
    int *place;       /* place in clamped[], or -1 */
    bool *given_up;   /* a ray was found: not driven again, f_i = 0 */
    struct cn_envelope factor;
    int appended;           /* rows that drives have added to the factor since it was built */
    double accel_tolerance; /* [m/s^2] |a_i| and A_ii |f_i| below it are zero */
    double accel_scale;     /* [m/s^2] the judge's s */
    double clamped_error;   /* [m/s^2] max |a_C| at the end of a run */
    int pivot_count;
    int64_t work; /* without the factor's own */
};

/* Room for problems of row_max rows and factors of entry_max entries. */
void cn_dantzig_take(struct cn_dantzig *z, struct cn_arena *scratch, int row_max,
    size_t entry_max);

/* Starts on a problem with nothing clamped. f has n entries and enters as the warm start. */
void cn_dantzig_begin(struct cn_dantzig *z, const struct cn_matrix_problem *problem,
    double accel_tolerance, double *f);

/*
 * Clamps the rows with f_i > 0 (after all bilateral ones), less those that depend on the ones
 * before, and solves for their forces.  Rows whose force comes out negative are left out and the
 * rest is solved again, until none does: then f_C >= 0 with a_C = 0, which is all that the drive
 * asks of its starting point, and in the common case, where the set was right, also the answer.
 */
void cn_dantzig_warm(struct cn_dantzig *z);

/* Stages row i on the factor and returns its Schur complement. */
double cn_dantzig_stage(struct cn_dantzig *z, int i);

/* Clamps i, with the force it has, unless it depends on C or the factor is full. */
void cn_dantzig_clamp(struct cn_dantzig *z, int i);

/* Drives until no row accelerates inward. */
enum cn_dantzig_end cn_dantzig_run(struct cn_dantzig *z, int pivot_max);

/*
 * Takes given forces, whatever their number, and corrects those of an independent part of them so
 * that a = 0 where f > 0 up to rounding.  Goes on counting where the last run stopped.
 */
void cn_dantzig_polish(struct cn_dantzig *z, const struct cn_matrix_problem *problem,
    double accel_tolerance, double *f);

#endif
