/*
 * guendelman03_strike.h: the impulse of one contact that sticks or slides; guendelman03.h is the
 * manual.
 *
 * It is inlined into callers that compute many, so that numbers stay in registers.  Rare cases are
 * function calls.
 */
#ifndef ENGINE_SOLVE_PROPAGATION_GUENDELMAN03_STRIKE_H
#define ENGINE_SOLVE_PROPAGATION_GUENDELMAN03_STRIKE_H

#include "engine/problem/contact_problem.h"

#include <math.h>
#include <stdbool.h>

enum cn_strike_kind { CN_STRIKE_NONE, CN_STRIKE_STICK, CN_STRIKE_SLIDE };

/* The data from which an impulse is found. */
struct cn_strike {
    const cn_mat33 *K;         /* symmetric, positive definite [1/kg] */
    const cn_mat33 *K_inverse;
    cn_vec3 normal;
    cn_vec3 u;      /* before [m/s] */
    cn_vec3 slip;   /* sliding opposes its part across n; u, unless impulses add up [m/s] */
    double target;  /* c [m/s]; there is no impulse unless u_n < c */
    double resting; /* mu_s */
    double sliding; /* mu <= mu_s */
    bool literal;
};

struct cn_struck {
    enum cn_strike_kind kind;
    cn_vec3 impulse; /* on B [N s] */
    bool guarded;    /* it differs from the paper's */
};

/* n . K d below this part of n . K n can not be a divisor. */
#define CN_DIVISOR_MIN 1e-6

/* Allowed growth of energy, in parts of the terms that cancel in it: rounding. */
#define CN_ENERGY_NOISE 1e-12

/* The energy that an impulse adds, given K j [J]; `noise` is the possible rounding error of it. */
static inline double
cn_guendelman03_energy(const struct cn_strike *s, cn_vec3 j, cn_vec3 K_j, double *noise)
{
    double first = cn_vec3_dot(j, s->u);
    double second = 0.5 * cn_vec3_dot(j, K_j);
    *noise = CN_ENERGY_NOISE * (fabs(first) + second);
    return first + second;
}

/*
 * from + s (to - from) with the largest s up to 1 that adds no energy, where `to` adds some; `from`
 * is the impulse without friction, which adds none.
 */
struct cn_struck cn_guendelman03_take_back(struct cn_strike s, struct cn_struck to);

/* Where the line from the impulse without friction to the one that sticks leaves the cone. */
struct cn_struck cn_guendelman03_at_cone(struct cn_strike s, cn_vec3 stick);

static inline __attribute__((always_inline)) struct cn_struck
cn_guendelman03_slide(const struct cn_strike *s, double closing, cn_vec3 stick)
{
    cn_vec3 across =
        cn_vec3_add_scaled(s->slip, -cn_vec3_dot(s->slip, s->normal), s->normal);
    double speed = cn_vec3_length(across);
    cn_vec3 direction = s->normal;
    if (speed > 0.0) {
        direction = cn_vec3_add_scaled(s->normal, -s->sliding / speed, across);
    } else if (!s->literal) {
        return cn_guendelman03_at_cone(*s, stick);
    }
    cn_vec3 K_n = cn_mat33_apply(s->K, s->normal);
    double divisor = cn_vec3_dot(K_n, direction);
    if (s->literal && divisor == 0.0) {
        return (struct cn_struck){.kind = CN_STRIKE_NONE};
    }
    if (!s->literal && !(divisor > CN_DIVISOR_MIN * cn_vec3_dot(K_n, s->normal))) {
        return cn_guendelman03_at_cone(*s, stick);
    }
    cn_vec3 impulse = cn_vec3_scale(direction, closing / divisor);
    return (struct cn_struck){CN_STRIKE_SLIDE, impulse, false};
}

/* The impulse of the contact. */
static inline __attribute__((always_inline)) struct cn_struck
cn_guendelman03_strike_at_once(const struct cn_strike *s)
{
    double closing = s->target - cn_vec3_dot(s->u, s->normal), noise;
    if (!(closing > 0.0)) {
        return (struct cn_struck){.kind = CN_STRIKE_NONE};
    }
    if (s->resting <= 0.0 && s->sliding <= 0.0) {
        cn_vec3 K_n = cn_mat33_apply(s->K, s->normal);
        cn_vec3 smooth = cn_vec3_scale(s->normal, closing / cn_vec3_dot(K_n, s->normal));
        return (struct cn_struck){CN_STRIKE_SLIDE, smooth, false};
    }
    cn_vec3 wanted = cn_vec3_sub(cn_vec3_scale(s->normal, s->target), s->u);
    cn_vec3 stick = cn_mat33_apply(s->K_inverse, wanted);
    double along = cn_vec3_dot(stick, s->normal);
    cn_vec3 across = cn_vec3_add_scaled(stick, -along, s->normal);
    struct cn_struck struck = {CN_STRIKE_STICK, stick, false};
    double most = s->resting * along;
    if (!(along > 0.0 && cn_vec3_dot(across, across) <= most * most)) {
        struck = cn_guendelman03_slide(s, closing, stick);
    }
    if (s->literal) {
        return struck;
    }
    cn_vec3 K_j = cn_mat33_apply(s->K, struck.impulse);
    return cn_guendelman03_energy(s, struck.impulse, K_j, &noise) <= noise
               ? struck
               : cn_guendelman03_take_back(*s, struck);
}

/* The same as a function. */
struct cn_struck cn_guendelman03_strike(const struct cn_strike *strike);

#endif
