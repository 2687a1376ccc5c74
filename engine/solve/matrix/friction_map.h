/*
 * friction_map.h: the conditions of one contact (or one single row) as an equation F(f, a) = 0, its
 * derivatives, and the exact solution of a single contact.
 *
 *     rows of a group: a contact's normal row and its tangent rows, or any other single row
 *     E   effect of a force at its own row, A_ii;  D the larger one of a contact's tangent rows
 *     mu  Coulomb's coefficient,  d the direction of a contact that slides already
 *
 *     e   width over which kinks are rounded off [m/s^2]; 0: not at all
 *
 *     NORMAL      F = min(a, E f)
 *     BILATERAL   F = a
 *     BOUNDED     F = E f - P[E lower, E upper](E f - a)
 *     TANGENT     d = 0:   F_T = D f_T - P{|x| <= D mu y+}(D f_T - a_T)
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

#include "engine/constraint/row.h"

#include <stdbool.h>

struct cn_friction_group {
    int row;   /* the first */
    int count; /* 1 to 3 */
    enum cn_row_tag tag; /* of the first row; with count > 1 NORMAL */
    bool slips;
    double friction, slip[2];
    double lower, upper;
    double effect;         /* E of the first row, > 0 */
    double tangent_effect; /* D, > 0 */
};

/* F_e of a group; f, a and F have count entries. */
void cn_friction_map(const struct cn_friction_group *group, double e, const double *f,
    const double *a, double *F);

/*
 * The derivative, or at e = 0 an element of the generalised derivative: dF = by_f df + by_a da,
 * both 3 x 3, row major.  Returns false when by_a is zero and by_f lower triangular: the contact
 * counts as parting.
 */
bool cn_friction_derive(const struct cn_friction_group *group, double e, const double *f,
    const double *a, double by_f[9], double by_a[9]);

/*
 * Solves a group alone: a = W f + q, W 3 x 3 row major with positive diagonal.  f holds an old
 * value on entry, which stays where W is too ill-conditioned.
 *
 * A contact that neither parts nor sticks slides with a_T = -k f_T for some k >= 0.  That is (W + k
 * I_T) f = -q and |f_T| = mu f_N.  The first equation makes f a continuous function of k.  |f_T| is
 * more than mu f_N at k = 0 and less for large k, and bisection finds where they are equal.
 */
void cn_friction_solve(const struct cn_friction_group *group, const double W[9], const double *q,
    double *f);

#endif
