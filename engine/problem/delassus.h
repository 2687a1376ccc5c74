/*
 * delassus.h: A = J inv(M) J' of one island, kept as its rows and never formed.
 *
 * The rows are packed for the inner loops.  Only the degrees of freedom that J uses are stored: x,
 * y and the rotation about z where the island is planar, else six.  Bodies are numbered within the
 * island, and each half row of J is stored with its column of inv(M) J'.  An entry of A then costs
 * one short inner product for each movable body that two rows share, and a product A f costs
 * O(rows).
 *
 * A row that can move nothing, e.g. one that turns a body about a locked axis, is exactly zero
 * here: A_ii = 0.
 */
#ifndef ENGINE_PROBLEM_DELASSUS_H
#define ENGINE_PROBLEM_DELASSUS_H

#include "engine/base/arena.h"
#include "engine/problem/contact_problem.h"

struct cn_delassus {
    int row_count;
    int body_count; /* movable bodies */
    int dof;        /* 3 or 6 */
    int *body;      /* 2 row_count: the bodies of sides A and B; -1: can not move */
    double *J;      /* row_count x 2 x dof */
    double *T;      /* row_count x 2 x dof: inv(M) J' */
    int *half_start; /* body_count + 1: the half rows of a body, as 2 row + side, ascending */
    int *half;
    struct cn_mass_inverse *mass; /* body_count */
    double *x;        /* body_count x dof: inv(M) J' f, working memory */
    int *body_number; /* working memory, one for each body of the problem; -1 between calls */
};

/* Takes the memory for row_max rows of a problem of body_max bodies. */
void cn_delassus_take(struct cn_delassus *A, struct cn_arena *arena, int row_max, int body_max);

/* To be called once before the first cn_delassus_pack from a problem of body_count bodies. */
void cn_delassus_reset(struct cn_delassus *A, int body_count);

/* Packs rows row[0 .. row_count-1] of the problem as rows 0 .. row_count-1 of A. */
void cn_delassus_pack(struct cn_delassus *A, const struct cn_contact_problem *problem,
    const int *row, int row_count);

double cn_delassus_diagonal(const struct cn_delassus *A, int i);

/* y = A f */
void cn_delassus_multiply(const struct cn_delassus *A, const double *f, double *y);

/*
 * Writes A_ij to out[place[j]] for every j with place[j] >= 0.  Places are 0 .. count-1.  Returns
 * the lowest place that may not be zero, or count when all are zero; `out` is written only from
 * that place on.
 */
int cn_delassus_column(const struct cn_delassus *A, int i, const int *place, int count,
    double *out);

#endif
