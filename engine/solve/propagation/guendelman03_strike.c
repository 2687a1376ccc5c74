#include "engine/solve/propagation/guendelman03_strike.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

/* The impulse without friction. */
static cn_vec3
smooth_of(const struct cn_strike *s)
{
    cn_vec3 K_n = cn_mat33_apply(s->K, s->normal);
    double closing = s->target - cn_vec3_dot(s->u, s->normal);
    return cn_vec3_scale(s->normal, closing / cn_vec3_dot(K_n, s->normal));
}

struct cn_struck
cn_guendelman03_take_back(struct cn_strike s, struct cn_struck to)
{
    CN_ASSERT(!s.literal && to.kind != CN_STRIKE_NONE); /* the paper has no guards */
    double noise;
    cn_vec3 from = smooth_of(&s), way = cn_vec3_sub(to.impulse, from);
    cn_vec3 K_way = cn_mat33_apply(s.K, way), K_from = cn_mat33_apply(s.K, from);
    double a = 0.5 * cn_vec3_dot(way, K_way);
    double b = cn_vec3_dot(way, s.u) + cn_vec3_dot(from, K_way);
    double c = cn_min(cn_guendelman03_energy(&s, from, K_from, &noise), 0.0);
    /* a s^2 + b s + c = 0 has one root from 0 to 1: c <= 0 < a + b + c.  No terms cancel in it. */
    double root = sqrt(cn_max(b * b - 4.0 * a * c, 0.0));
    double part = b > 0.0 ? -2.0 * c / (b + root) : (root - b) / (2.0 * a);
    to.impulse = cn_vec3_add_scaled(from, cn_clamp(part, 0.0, 1.0), way);
    to.guarded = true;
    return to;
}

struct cn_struck
cn_guendelman03_at_cone(struct cn_strike s, cn_vec3 stick)
{
    CN_ASSERT(!s.literal);
    cn_vec3 smooth = smooth_of(&s);
    double from = cn_vec3_dot(smooth, s.normal), to = cn_vec3_dot(stick, s.normal);
    cn_vec3 across = cn_vec3_add_scaled(stick, -to, s.normal);
    double mu = s.sliding, outside = cn_vec3_length(across) - mu * to;
    double part = outside > 0.0 ? mu * from / (outside + mu * from) : 1.0;
    /* Summed from its two parts, so that rounding does not put it outside. */
    double along = (1.0 - part) * from + part * to;
    cn_vec3 impulse = cn_vec3_add_scaled(cn_vec3_scale(s.normal, along), part, across);
    return (struct cn_struck){CN_STRIKE_SLIDE, impulse, true};
}

struct cn_struck
cn_guendelman03_strike(const struct cn_strike *strike)
{
    return cn_guendelman03_strike_at_once(strike);
}
