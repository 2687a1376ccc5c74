/*
 * friction_map.h: the conditions of one contact (or one single row) as an equation F(f, a) = 0, and
 * its derivatives.
 *
 *     rows of a group: a contact's normal row and the rows of its discs, or any other single row
 *     disc: the tangent rows of a contact, or its rolling rows, or its spinning row
 *     E   effect of a force at its own row, A_ii;  D the larger one of a disc's rows
 *     mu  the disc's coefficient,  d the direction of a disc that slides already
 *
 *     e   width over which kinks are rounded off [m/s^2]; 0: not at all
 *
 *     NORMAL      F = min(a, E f)
 *     BILATERAL   F = a
 *     BOUNDED     F = E f - P[E lower, E upper](E f - a)
 *     a disc      d = 0:   F_T = D f_T - P{|x| <= D mu y+}(D f_T - a_T)
 *                 d != 0:  F_T = D (f_T + mu f_N+ d)               not smoothed
 *
 * with y = f_N - a_N / E_N.  That is Alart and Curnier's function.  At a solution y+ = f_N, and it
 * is the judge's natural map, whose rim is mu f_N+.  Away from a solution y+ is zero exactly where
 * the normal row counts as parting, so that a whole contact drops out of the linear system.  All
 * parts of F are accelerations, and F is piecewise smooth: it has a derivative in every piece.
 *
 * Smoothed, with x+ the positive part and R = D mu y+, p = D f_T - a_T:
 *
 *     x+         becomes   (x + sqrt(x^2 + 4 e^2)) / 2,     min(a, E f) = E f - (E f - a)+
 *     |p|        becomes   sqrt(|p|^2 + e^2)
 *     P[l, u](x) = x + (l - x)+ - (x - u)+
 *     P(p) = p R / max(|p|, R),     max(|p|, R) = R + (|p| - R)+
 *
 * Source: Alart and Curnier, A mixed formulation for frictional contact problems prone to Newton
 * like solution methods, Computer Methods in Applied Mechanics and Engineering 92 (1991).
 */
#ifndef ENGINE_SOLVE_MATRIX_FRICTION_MAP_H
#define ENGINE_SOLVE_MATRIX_FRICTION_MAP_H

#include "engine/problem/matrix_problem.h"

#include <stdbool.h>

/* Rows of a contact with one limit: the length of their forces is at most friction times f_N. */
struct cn_friction_disc {
    int first, count; /* rows of the group; 1 or 2 */
    double friction;  /* mu, or a length [m] for moments */
    double effect;    /* D, > 0 */
    double slip[2];
    bool slips;
};

#define CN_FRICTION_DISCS_MAX 3

/* Invariant: the discs cover the rows 1 .. count - 1 in order. */
struct cn_friction_group {
    int row;   /* the first */
    int count; /* 1 to CN_ROWS_PER_CONTACT */
    int block; /* where its count x count entries begin in arrays of such blocks */
    int disc_count;
    enum cn_row_tag tag; /* of the first row; with discs NORMAL */
    double lower, upper;
    double effect; /* E of the first row, > 0 */
    struct cn_friction_disc disc[CN_FRICTION_DISCS_MAX];
};

/* The entries of one block: a matrix of count x count, row major. */
#define CN_FRICTION_BLOCK_MAX (CN_ROWS_PER_CONTACT * CN_ROWS_PER_CONTACT)

/*
 * Reads the group that begins at row i of the problem, and writes its first row's number as `row`.
 * Limits are divided by `unit`.
 */
struct cn_friction_group cn_friction_group_read(const struct cn_matrix_problem *problem, int i,
    int row, double unit);

/* E or D of row k of the group. */
static inline double
cn_friction_effect(const struct cn_friction_group *group, int k)
{
    for (int m = group->disc_count - 1; m >= 0; m--) {
        if (k >= group->disc[m].first) {
            return group->disc[m].effect;
        }
    }
    return group->effect;
}

/* Shortens the forces of every disc to its limit. */
void cn_friction_shorten(const struct cn_friction_group *group, double *f);

/* F_e of a group; f, a and F have count entries. */
void cn_friction_map(const struct cn_friction_group *group, double e, const double *f,
    const double *a, double *F);

/*
 * The derivative, or at e = 0 an element of the generalised derivative: dF = by_f df + by_a da,
 * both count x count, row major.  Returns false when by_a is zero and by_f lower triangular: the
 * contact counts as parting.
 */
bool cn_friction_derive(const struct cn_friction_group *group, double e, const double *f,
    const double *a, double *by_f, double *by_a);

#endif
