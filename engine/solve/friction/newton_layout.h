/*
 * newton_layout.h: a matrix problem as solver newton lays it out: the groups of its rows, and its A
 * either by bodies or by rows.
 *
 *     group   a contact's rows (normal, discs) or any other single row; see friction_map.h
 *     block   count x count entries of a group, at group.block of an array of all blocks
 *
 * newton_system.h is the manual; newton_bodies.h and newton_rows.h explain the two forms of A.
 *
 * Invariants: 1. The groups cover the rows in order: each begins where the one before ends.
 * 2. order[] is a permutation of the problem's rows that keeps the rows of a group together and in
 * order.  3. Of the two forms of A only one has memory: bodies if by_bodies, else rows.  4. All
 * rows of a group touch the same bodies.
 */
#ifndef ENGINE_SOLVE_FRICTION_NEWTON_LAYOUT_H
#define ENGINE_SOLVE_FRICTION_NEWTON_LAYOUT_H

#include "engine/linalg/lu.h"
#include "engine/linalg/sparse_lu.h"
#include "engine/solve/matrix/friction_map.h"

#include <stdint.h>

struct cn_newton_bodies {
    int dof, body_count;
    const int *body; /* 2 n: the bodies of a row's two sides, -1: does not move; the delassus's */
    double *G;       /* n x 2 x dof */
    double *W;       /* blocks: the groups' own parts of A */
    double *X, *Z;   /* blocks: X and inv(C) */
    double *y, *rest; /* n */
    double *w;       /* body_count x dof */
    /*
     * 7 for each body: the roots of the inverse mass and of the inverse inertia, the latter lower
     * triangular
     */
    double *root;
    int *edge;       /* the edge in lu of a group between two bodies; else -1 */
    struct cn_sparse_lu lu;
    double regular;  /* r of the last factor */
    int sign;        /* of the product of all det(C) */
    bool is_analysed, is_wide;
};

struct cn_newton_rows {
    double *entry; /* A, row after row, without zeros */
    int *column;
    size_t *start;     /* n + 1: where a row begins */
    size_t entry_max;  /* of A, and of the factor */
    int *first, *last; /* n: the range of a row's columns */
    double *W;         /* blocks: the groups' own parts of A */

    /* Working memory. */
    struct cn_lu lu;
    double *known; /* n: A d of the groups that part */
    double *x;
};

struct cn_newton_system {
    int n, group_count;
    bool by_bodies;
    int *order;  /* row i here is row order[i] of the problem */
    double *b;   /* n */
    double *root; /* n: 1 / sqrt(E) of a row's group */
    struct cn_friction_group *group;
    double unit;  /* a power of two: the unit of b and f here */
    double scale; /* the largest b: the judge's s without its minimum of 1 m/s^2 */
    int64_t work; /* multiply-adds, and other operations of about a nanosecond */
    double *by_f, *by_a; /* blocks: F_f and F_a */
    bool *active; /* by group: F_a is not zero */
    struct cn_newton_bodies bodies;
    struct cn_newton_rows rows;

    /* Working memory. */
    int *place; /* n + 1: rows of active groups before row i */
    int *queue, *start;
};

#endif
