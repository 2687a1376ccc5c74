/*
 * newton_system.h: a matrix problem laid out for solver newton: groups of rows in an order that
 * keeps A narrow, A by row ranges, and the linear system of one Newton step.
 *
 *     group   a contact's rows (normal, tangents) or any other single row; see friction_map.h
 *     order   an island brings its own (problem/islands.h); a matrix by itself is ordered here, by
 *             reverse Cuthill-McKee over its groups
 *     range   row i of A is nonzero in columns first[i] .. last[i] - 1 only
 *
 * The Newton step d of F_e(f, A f + b) = 0 with A regularised by r diag(E):
 *
 *     (F_f + F_a (A + r diag(E))) d = -F
 *
 * Groups with F_a = 0, the contacts that part, have their d at once and leave the system.  The rest
 * is scaled by 1 / sqrt(E) from both sides and given to linalg/lu.h.
 */
#ifndef ENGINE_SOLVE_NEWTON_SYSTEM_H
#define ENGINE_SOLVE_NEWTON_SYSTEM_H

#include "engine/linalg/lu.h"
#include "engine/problem/matrix_problem.h"
#include "engine/solve/friction_map.h"

struct cn_newton_system {
    int n, group_count;
    int *order;  /* row i here is row order[i] of the problem */
    double *A;   /* n x n, row major, written within the ranges */
    int *first, *last;
    double *b;   /* n */
    double *root; /* n: 1 / sqrt(E) of a row's group */
    struct cn_friction_group *group;
    double scale; /* s of the judge */
    int64_t work; /* multiply-adds, and what else takes about a nanosecond */

    /* Working memory. */
    struct cn_lu lu;
    double *by_f, *by_a; /* 9 for each group */
    double *known;       /* n: A d of the groups that part */
    double *x;
    int *place; /* n + 1: rows of active groups before row i */
    int *queue, *start;
    bool *active;
};

void cn_newton_system_take(struct cn_newton_system *system, struct cn_arena *scratch, int n_max);

/* Reads the problem. */
void cn_newton_system_load(struct cn_newton_system *system,
    const struct cn_matrix_problem *problem);

/* a_i = A_i f + b_i of one row. */
double cn_newton_system_rate(struct cn_newton_system *system, int i, const double *f);

/* a = A f + b */
void cn_newton_system_rates(struct cn_newton_system *system, const double *f, double *a);

/* Moves f to forces that a contact can bear: no pull, friction and bounds within their limits. */
void cn_newton_system_make_usable(const struct cn_newton_system *system, double *f);

/* The judge's residual, scaled; infinite when anything is not finite. */
double cn_newton_system_judge(const struct cn_newton_system *system, const double *f,
    const double *a);

/* F_e(f, a); returns its square sum. */
double cn_newton_system_map(const struct cn_newton_system *system, double e, const double *f,
    const double *a, double *F);

/* The Newton step at f, regularised by r = regular >= 0; not finite where there is none. */
void cn_newton_system_step(struct cn_newton_system *system, double e, const double *f,
    const double *a, const double *F, double regular, double *d);

/* One sweep of Gauss-Seidel over the groups, forward or backward, each solved exactly. */
void cn_newton_system_sweep(struct cn_newton_system *system, bool backward, double *f);

#endif
