/*
 * pipeline_calm.c: slow bodies that rest on contacts that persist lose their speed.
 *
 * A pass over the contacts takes an impulse from a body to the next one.  The slowest sway of a
 * stack of N bodies needs some N^4 passes to end.  A settled stack would sway for hours.  So a body
 * loses CALM_RATE of its speed a second while all of this holds:
 *
 *     gravity acts on it, and it is slower than the threshold of sleep (step/sleep.h);
 *     a contact of it persists (collide/fast_base.h), bears a load, and sticks: its friction is
 *     below CALM_STICK of what the load allows.
 *
 * Bodies that fall, fly, slide or roll keep their speed.  On a support that itself moves slower
 * than the threshold, friction carries the body on, with up to 0.05 m/s^2.
 */
#include "engine/step/pipeline_inside.h"

#define CALM_RATE 1.0 /* 1/s */
#define CALM_STICK 0.9F

enum { FAST, SLOW, RESTS };

static void
find_slow(struct cn_pipeline_tick *t, double threshold)
{
    const struct cn_model *model = t->p->model;
    for (int k = 0; k < t->p->awake_count; k++) {
        const struct cn_body *body = &model->body[t->p->awake[k]];
        bool is_heavy = body->mass_inverse > 0.0 && body->gravity_scale != 0.0;
        t->calm[k] = is_heavy && t->p->ops->speed(t, k) < threshold ? SLOW : FAST;
    }
}

static bool
is_slow(const struct cn_pipeline_tick *t, int32_t body)
{
    return body >= 0 && t->calm[body] == SLOW;
}

bool
cn_pipeline_begin_calm(struct cn_pipeline_tick *t)
{
    t->calm = CN_PIPELINE_TAKE(t, uint8_t, t->p->awake_count);
    return t->calm != NULL;
}

void
cn_pipeline_calm(struct cn_pipeline_tick *t)
{
    const struct cn_pipeline *p = t->p;
    cn_vec3 gravity = p->model->settings.gravity;
    if (cn_vec3_dot(gravity, gravity) == 0.0) {
        return;
    }
    find_slow(t, cn_sleep_threshold(p->model));
    for (int i = 0; i < t->contact_count; i++) {
        const struct cn_impulse_contact *contact = &t->contact[i];
        bool asks = is_slow(t, contact->body_a) || is_slow(t, contact->body_b);
        if (!asks || (p->pair[contact->manifold].flags & CN_TOUCH_KEPT) == 0 ||
            !p->ops->sticks(t, contact->manifold, CALM_STICK * contact->friction)) {
            continue;
        }
        if (is_slow(t, contact->body_a)) {
            t->calm[contact->body_a] = RESTS;
        }
        if (is_slow(t, contact->body_b)) {
            t->calm[contact->body_b] = RESTS;
        }
    }
    float keep = (float)(1.0 / (1.0 + CALM_RATE * t->duration));
    for (int k = 0; k < p->awake_count; k++) {
        if (t->calm[k] == RESTS) {
            p->ops->slow(t, k, keep);
        }
    }
}
