/*
 * faure96_inside.h: the state of faure96 between its files; the manual is faure96.h.
 *
 * faure96_round.c solves for what is computed and names what is inconsistent; faure96.c decides
 * what to do about it; faure96_sweep.c is the last resort with friction.
 */
#ifndef ENGINE_SOLVE_FAURE96_INSIDE_H
#define ENGINE_SOLVE_FAURE96_INSIDE_H

#include "engine/linalg/pseudo_inverse.h"
#include "engine/solve/dantzig.h"
#include "engine/solve/faure96.h"

enum faure96_side {
    FAURE96_HOLDS,  /* normal force computed; tangent forces too, where the contact has any */
    FAURE96_SLIDES, /* normal force computed, f_T = mu f_N u */
    FAURE96_FROZEN, /* normal force computed, f_T a number (the paper's, literal only) */
    FAURE96_OPEN,   /* f = 0 */
};

/* A contact with its tangent rows, or a row by itself. */
struct faure96_contact {
    int row;
    int tangent_count; /* 0, 1 or 2 rows behind it */
    bool bilateral;
    bool slips; /* d is not zero */
    enum faure96_side side;
    double mu;
    double u[2]; /* unit, of a contact that slides */
    double tangent_diagonal; /* the largest A_ii of the tangent rows */
};

enum faure96_unknown_kind {
    FAURE96_ROW,  /* the force of one row; its own acceleration is zero */
    FAURE96_CONE, /* the normal force with the friction that it brings; a_N = 0 */
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
    double error;           /* [m/s^2] what the last solve left of a_K */
    bool contradiction;     /* rows that hold could not be brought to zero */
    int round_count;
    int64_t work;

    double *A; /* dense, by columns; NULL: sparse */
    struct cn_pseudo_inverse inverse;
    struct faure96_unknown *unknown;
    int unknown_count;
    double *column;       /* n */
    double *gap, *change; /* unknown_count */
    double *kept;                /* n */
    struct cn_dantzig dantzig; /* the sparse factor, and the last resort */
};

/* Solves for what is computed and adds it: f and a are up to date after it. */
void faure96_round_solve(struct faure96 *s);

/* Fills fault[] and the whole of v_f and v_a; returns how many contacts are inconsistent. */
int faure96_round_judge(struct faure96 *s);

/*
 * From no forces at all, until the judge is content, to a bound: f becomes the best of what it was
 * and what comes by, whose residual is returned.  A is dense.
 */
double faure96_sweep(struct faure96 *s, double tolerance);

#endif
