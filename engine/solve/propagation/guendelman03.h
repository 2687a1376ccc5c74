/*
 * guendelman03.h: the impulse of one contact between two bodies, with friction.
 *
 * The solver of the stepper `propagation` (step/propagation/propagation.h), which visits pairs of
 * bodies one after the other; this file treats one contact.
 *
 *     n     unit normal, from A to B          rA, rB   from the centres of mass to the contact
 *     u     velocity of B's material there relative to A's           u_n = n . u, u_t = u - u_n n
 *     j     impulse on B; A gets -j [N s]
 *     K     K_A + K_B, K_X = 1/m + r*' inv(I) r*  (0 of a body that nothing moves):  u' = u + K j
 *     c     the wanted velocity along n after the impulse; -e u_n, e the restitution
 *
 * First the contact is assumed to stick: u' = c n gives j.  If j is in the friction cone, |j_t| <=
 * mu_s j_n, it is the impulse.  Otherwise the contact slides, with d = n - mu T and T the unit
 * direction of u_t:
 *
 *     j = j_n d,    j_n = (c - u_n) / (n . K d)                               sections 6 and 7
 *
 * Departures; all except the first two are off in literal mode:
 *   - c is given instead of e: the gradual restitutions of the contact phase are velocities that
 *     stay the same during the sweeps over a pair (step/propagation/propagation.h).
 *   - two coefficients: mu_s decides whether the contact sticks, mu is that of sliding.  The paper
 *     has one.
 *   - n . K d may be 0 or negative (a rod at its tip, mu > 4/3).  The formula then pulls, or its
 *     result is not finite (G-pitfall-den).  Instead, on the line from the impulse without
 *     friction to the one that sticks, the point on the cone is taken.  It reaches c, pushes, and
 *     opposes sliding as much as the cone allows.
 *   - the kinetic energy may grow, by 2.8 times and more (G-energy-gain*): by sliding that
 *     reverses within the impulse, or by restitution where the contact sticks.  Then the impulse
 *     is moved towards the one without friction, which never adds energy while |c| <= |u_n|, until
 *     no energy is added.  Both ends reach c and are in the cone, so all points between do.
 *   - impulses accumulated in the contact phase may be reduced, down to zero: the caller removes
 *     the contact's earlier impulse, u0 = u - K j_before, and computes the whole impulse again.  If
 *     they could only grow, bodies would part at a speed that no condition requires (G-overimpulse:
 *     0.22 of the approach).  Sliding is then against  u - j_before / rho,  rho [kg] the mean mass
 *     across: its fixed point is Coulomb's law, while u0 may point anywhere where other contacts
 *     hold.
 *
 * Rolling and spinning (section 9).  The angular velocity w of B relative to A has a part along n
 * and a part across n.  Both are to lose some of their size and keep their direction.  The impulse
 * is one on an area: j, and an angular impulse q on B about the origin O (A gets -q).  With x from
 * O to the centre of mass
 *
 *     u' = u + K1 j + K2 q        K1 = 1/m + r* inv(I) x*    K2 = -r* inv(I)
 *     w' = w + K3 j + K4 q        K3 = -inv(I) x*            K4 = inv(I)        summed over A and B
 *
 * and u' = c n, w' give j and q.  With O at the contact x = -r, and the system is symmetric.
 *
 * Units of rolling and spinning friction.  In the paper w loses mu_r j_n, so mu_r is in 1/(kg m)
 * and depends on the body (G-rollfric).  But a material needs one number for all sizes.  So here,
 * as with the solver `impulse`, the coefficient k is a length [m]: how far the force may act from
 * the contact's middle.  The couple is at most k j_n, and w loses  k j_n (T . S T)  with S = K4 -
 * K3 inv(K1) K2 the response of w to a couple while u is held.  Conversion: mu_r = k (T . S T); for
 * a sphere that rolls on the ground k / (7/5 m R^2), for one that spins there k / (2/5 m R^2).  In
 * literal mode the number is mu_r itself.
 *
 * Source: Guendelman, Bridson and Fedkiw, Nonconvex Rigid Bodies with Stacking, SIGGRAPH 2003,
 * sections 6, 7 and 9; Hahn 1988, Moore and Wilhelms 1988.
 */
#ifndef ENGINE_SOLVE_PROPAGATION_GUENDELMAN03_H
#define ENGINE_SOLVE_PROPAGATION_GUENDELMAN03_H

#include "engine/problem/contact_problem.h"
#include "engine/solve/propagation/guendelman03_strike.h"

#include <stdbool.h>

/* K of one body. */
cn_mat33 cn_guendelman03_response(const struct cn_mass_inverse *mass, cn_vec3 arm);

/* The four matrices of section 9. */
struct cn_area {
    cn_mat33 K1, K2, K3, K4;
};

/* Adds the matrices of one body; x is its centre of mass, from the origin. */
void cn_guendelman03_area_add(
    struct cn_area *area, const struct cn_mass_inverse *mass, cn_vec3 arm, cn_vec3 x);

/*
 * Solves K1 j + K2 q = du, K3 j + K4 q = dw.  False where the solution is not unique: a body that
 * can not turn.
 */
bool cn_guendelman03_area_solve(
    const struct cn_area *area, cn_vec3 du, cn_vec3 dw, cn_vec3 *j, cn_vec3 *q);

/* A contact that sticks, and rolls or spins. */
struct cn_roll {
    const struct cn_area *area; /* with its origin at the contact */
    cn_vec3 normal, u;
    cn_vec3 w;                /* of B relative to A [rad/s] */
    double target;            /* c */
    double resting;           /* mu_s */
    double rolling, spinning; /* k [m]; mu_r and mu_s of the paper if literal */
    double normal_impulse;    /* j_n of the sticking contact [N s] */
    bool literal;
};

/*
 * Finds j and q, about the contact.  False, with neither set, when nothing rolls, or when the
 * result does not push within the friction cone, or adds energy.
 */
bool cn_guendelman03_roll(const struct cn_roll *roll, cn_vec3 *j, cn_vec3 *q);

/*
 * The restitution of the paper in each of `count` iterations of the contact phase: -0.9, -0.8, ...
 * 0 for ten.
 */
double cn_guendelman03_restitution(int iteration, int count);

/* r*, the matrix of the cross product r x. */
cn_mat33 cn_mat33_cross(cn_vec3 r);

#endif
