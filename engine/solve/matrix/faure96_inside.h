/*
 * faure96_inside.h: the state of faure96, shared by its files; faure96.h is the manual.
 *
 * faure96_round.c solves for the computed values and finds the inconsistent ones; faure96.c decides
 * how to treat these; faure96_sweep.c is the last resort with friction.
 *
 * Invariants: 1. The contacts cover the rows in order: each begins where the one before ends.
 * 2. Only a contact with tangent rows slides, and only one with two of them turns.  3. A fault is
 * written at a contact's first row.  4. A is NULL only where the problem has no friction.
 */
#ifndef ENGINE_SOLVE_MATRIX_FAURE96_INSIDE_H
#define ENGINE_SOLVE_MATRIX_FAURE96_INSIDE_H

#include "engine/linalg/pseudo_inverse.h"
#include "engine/solve/matrix/dantzig.h"
#include "engine/solve/matrix/faure96_options.h"

enum faure96_side {
    FAURE96_HOLDS,  /* normal force computed, and the tangent forces of a contact that has them */
    FAURE96_SLIDES, /* normal force computed, f_T = mu f_N u */
    FAURE96_FROZEN, /* normal force computed, f_T fixed (as in the paper, only if literal) */
    FAURE96_OPEN,   /* f = 0 */
};

/* A contact with its tangent rows, or a single row. */
struct faure96_contact {
    int row;
    int tangent_count; /* 0, 1 or 2 rows after it */
    bool bilateral;
    bool slips; /* d is not zero */
    enum faure96_side side;
    double mu;
    double u[2]; /* unit, for a contact that slides */
    double tangent_diagonal; /* the largest A_ii of the tangent rows */
};

enum faure96_unknown_kind {
    FAURE96_ROW,  /* the force of one row; the row's own acceleration is zero */
    FAURE96_CONE, /* the normal force with its proportional friction; a_N = 0 */
    FAURE96_TURN, /* friction along w, across u; a_T . w = 0 */
};

struct faure96_unknown {
    struct faure96_contact *contact;
    int row;
    enum faure96_unknown_kind kind;
};

struct faure96 {
    const struct cn_matrix_problem *problem;
    const struct cn_faure96_options *how;
    double *f; /* the caller's */
    double *a;
    double *diagonal;
    double *v_f, *v_a;
    unsigned char *fault;
    struct faure96_contact *contact;
    int contact_count;
    double accel_tolerance; /* [m/s^2] */
    double accel_scale;     /* [m/s^2] the judge's s */
    double root_max;        /* of the largest A_ii: |A_ij| <= root_i root_max */
    bool friction;          /* some row is a tangent row */
    bool settled;           /* the last round changed no direction of friction */
    double error;           /* [m/s^2] the error of a_K after the last solve */
    bool contradiction;     /* rows that hold could not be made zero */
    int round_count;
    int64_t work, work_max;

    double *A; /* dense, by columns; NULL: sparse */
    struct cn_pseudo_inverse inverse;
    struct faure96_unknown *unknown;
    int unknown_count;
    double *column;       /* n */
    double *gap, *change; /* unknown_count */
    double *kept;                /* n */
    struct cn_dantzig dantzig; /* the sparse factor, and the last resort */
};

/* Solves for the computed values and adds the result; f and a are then up to date. */
void faure96_round_solve(struct faure96 *s);

/* Fills fault[] and all of v_f and v_a; returns the number of inconsistent contacts. */
int faure96_round_judge(struct faure96 *s);

/*
 * Sweeps from zero forces until the residual is within the tolerance, or to a limit.  f becomes the
 * best of its old value and the forces met; returns the residual of that.  A is dense.
 */
double faure96_sweep(struct faure96 *s, double tolerance);

#endif
