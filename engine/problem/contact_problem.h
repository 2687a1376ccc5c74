/*
 * contact_problem.h: the one statement of the contact problem, a = A f + b with A = J inv(M) J'.
 *
 *     f   forces along the rows       [N]      what a solver finds
 *     a   accelerations of the rows   [m/s^2]  of a normal row: the gap's, > 0 when bodies part
 *     J   rows of the constraints, sparse: each row touches at most two bodies
 *     M   the bodies' masses and inertias, block diagonal
 *     b   accelerations of the rows at f = 0: external and inertial forces, and the terms of
 *         Baraff 1989, appendix A (his b is the negative of ours)
 *
 * The same problem at velocity level has impulses [N s] for f and velocities [m/s] for a and b.  At
 * position level it has mass times length for f and lengths for a and b.
 *
 * The conditions, by the row's tag:
 *     NORMAL      f >= 0,  a >= 0,  f a = 0
 *     BILATERAL   f free,  a = 0
 *     BOUNDED     lower <= f <= upper;  a = 0 within, a >= 0 at lower, a <= 0 at upper
 *     TANGENT     Coulomb's law.  f_T the forces of a contact's one or two tangent rows, f_N the
 *                 force of its normal row, mu its coefficient, d = slip the unit direction in which
 *                 the contact already slides, zero where it does not:
 *                     d = 0     |f_T| <= mu f_N;  a_T = 0 within, a_T = -k f_T, k >= 0 at the rim
 *                     d != 0    f_T = -mu f_N d
 *                 The first is not associated (De Saxce): sliding does not change the condition on
 *                 a_N.  So where mu > 0 the problem is not a convex program.
 *     ROLLING     the same law for the moments [N m] of a contact's one or two rolling rows, about
 *                 axes across the normal: a is the relative angular acceleration [rad/s^2], and the
 *                 coefficient mu_r is a length [m], |m_R| <= mu_r f_N.
 *     SPINNING    the same law for the moment about the normal, |m_N| <= mu_s f_N
 *
 * The rows of one law are called a disc: a contact has a normal row and up to three discs.
 *
 * Signs: the normal points from A to B, f >= 0 pushes the bodies apart.
 *
 * A is never formed here.  Products with A go through the bodies, in O(row_count):
 *
 *     wrenches h = J' f,  accelerations x = inv(M) h,  rates J x,  so  A f = J inv(M) J' f
 *
 * The judge.  cn_residual_measure is the one measure of every solver's answer, called the judge.
 * It is the natural map of the conditions,
 *
 *     r_i = |a_i|                   BILATERAL rows
 *     r_i = |min(a_i, A_ii f_i)|    NORMAL rows
 *     r_i = |A_ii f_i - P[A_ii lower, A_ii upper](A_ii f_i - a_i)|    BOUNDED rows
 *     r_T = |D f_T - P{|x| <= D mu f_N+}(D f_T - a_T)|                a disc, d = 0
 *     r_T = D |f_T + mu f_N+ d|                                       a disc, d != 0
 *     r   = max_i r_i / s,          s = max(1, max_i |b_i|)
 *
 * with P the projection on a set, f_N+ = max(f_N, 0) and D the largest A_ii of the disc's rows.
 * A_ii f_i is the acceleration that the force causes at its own row, so both arguments of min() are
 * accelerations.  Division by s makes the result a pure number.  The 1 in s
 * is 1 m/s^2 (or m/s, or m): where nothing presses, b is rounding noise, which must not be scaled
 * up to size 1.  r is exactly 0 when f solves the problem.
 *
 * Source of the moments: Acary and Bourrier, Coulomb friction with rolling resistance as a cone
 * complementarity problem, European Journal of Mechanics A 85 (2021).  Their cone of five
 * dimensions with De Saxce's term, mu |u_T| + mu_r |u_R| added to u_N, states the same conditions.
 *
 * Invariants: 1. The rows of a contact follow each other and touch the same bodies: one NORMAL row,
 * then up to two TANGENT rows, up to two ROLLING rows, and up to one SPINNING row.  2. lower and
 * upper are there where a row is BOUNDED, friction where a contact has a disc.  3. A row names
 * bodies below body_count, or -1.
 */
#ifndef ENGINE_PROBLEM_CONTACT_PROBLEM_H
#define ENGINE_PROBLEM_CONTACT_PROBLEM_H

#include "engine/constraint/row.h"
#include "engine/math/mat33.h"

#include <stdbool.h>

/* One block of inv(M), world axes. */
struct cn_mass_inverse {
    double linear;    /* 1/kg */
    cn_mat33 angular; /* 1/(kg m^2) */
};

struct cn_contact_problem {
    int row_count;
    int body_count;
    const struct cn_row *rows;
    const struct cn_mass_inverse *mass; /* body_count */
    const double *b;                    /* row_count */
    const unsigned char *tag;           /* enum cn_row_tag, row_count */
    /* Arrays of row_count entries; NULL where no row needs them. */
    const double *lower, *upper; /* BOUNDED: least and largest force [N]; may be infinite */
    /* NORMAL rows with tangent rows: mu >= 0; the first ROLLING row: mu_r; SPINNING: mu_s */
    const double *friction;
    const double *slip; /* rows of discs: d, the row's component; NULL: nothing slides */
};

/* The coefficient of the disc whose first row is row i. */
static inline double
cn_friction_limit(const unsigned char *tag, const double *friction, int i)
{
    return tag[i] == CN_ROW_TANGENT ? friction[i - 1] : friction[i];
}

/* Six numbers of one body: a wrench [N, N m], a velocity or an acceleration. */
struct cn_twist {
    cn_vec3 linear, angular;
};

/* Whether a body can move at all.  One whose inv(M) is 0 couples no rows, like the body -1. */
bool cn_problem_body_moves(const struct cn_contact_problem *problem, int body);

/* J_i x: the rate of one row under the bodies' rates x[body_count]. */
double cn_row_rate(const struct cn_row *row, const struct cn_twist *x);

/* x = inv(M) J' f, the accelerations that the forces alone cause. x has body_count entries. */
void cn_problem_accelerate(const struct cn_contact_problem *problem, const double *f,
    struct cn_twist *x);

/* a = A f + b. work has body_count entries; on return it holds inv(M) J' f. */
void cn_problem_rates(const struct cn_contact_problem *problem, const double *f,
    struct cn_twist *work, double *a);

/* A_ij */
double cn_delassus_entry(const struct cn_contact_problem *problem, int i, int j);

/* A dense view of A on the rows index[0 .. count-1], row major: A[p stride + q]. */
void cn_delassus_fill(const struct cn_contact_problem *problem, const int *index, int count,
    double *A, int stride);

/* The judge's scale s. */
double cn_residual_scale(const double *b, int row_count);

/* The unscaled residual of one NORMAL or BILATERAL row. */
double cn_residual_row(enum cn_row_tag tag, double a, double diagonal, double f);

/* The same for a BOUNDED row. */
double cn_residual_bounded(double a, double diagonal, double f, double lower, double upper);

/* The same for a disc of `count` (1 or 2) rows.  rim = mu f_N+; slip may be NULL. */
double cn_residual_tangent(
    const double *a, double diagonal, const double *f, double rim, const double *slip, int count);

/* The residual r of f. work has body_count entries.  Infinite when f is not finite. */
double cn_residual_measure(const struct cn_contact_problem *problem, const double *f,
    struct cn_twist *work);

#endif
