/*
 * pipeline_continuous.c: fast bodies do not pass through things (continuous.h).
 */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/step/pipeline/continuous.h"

#include <math.h>
#include <string.h>

#define CALM_TURN 0.25  /* rad in a tick */
#define CALM_LEAST 0.5

bool
cn_pipeline_begin_continuous(struct cn_pipeline_tick *t)
{
    t->start = CN_PIPELINE_TAKE(t, struct cn_start, t->p->awake_count);
    t->stop = CN_PIPELINE_TAKE(t, struct cn_stop, t->p->awake_count);
    return t->stop != NULL;
}

/*
 * Reduces the spin of a stopped body that rotates far in a tick.  Otherwise it would be stopped
 * again in every tick, by the next edge: contacts see how its points move now, not where they
 * rotate to.  The body keeps the part of its spin that it could use, and at least half.
 */
static void
calm(struct cn_pipeline_tick *t, int body, double fraction)
{
    struct cn_motion *motion = &t->p->model->motion[body];
    if (cn_vec3_length(motion->angular_velocity) * t->duration > CALM_TURN) {
        motion->angular_velocity =
            cn_vec3_scale(motion->angular_velocity, cn_max(fraction, CALM_LEAST));
    }
}

/*
 * Takes from a body the energy that gravity gave it on the path that it did not go.  Otherwise a
 * body that falls into something at high speed would gain it in the tick that stops it.
 */
static void
take_fall(struct cn_pipeline_tick *t, int body, cn_vec3 end)
{
    const struct cn_model *model = t->p->model;
    struct cn_motion *motion = &model->motion[body];
    cn_vec3 lost = cn_vec3_sub(end, motion->position);
    double work = model->body[body].gravity_scale * cn_vec3_dot(model->settings.gravity, lost);
    double square = cn_vec3_dot(motion->velocity, motion->velocity);
    if (work > 0.0 && square > 0.0) {
        double keep = sqrt(cn_max(1.0 - 2.0 * work / square, 0.0));
        motion->velocity = cn_vec3_scale(motion->velocity, keep);
    }
}

/* Lists the fast bodies in stop[]; returns how many.  *bullets: whether one is a bullet. */
static int
list_fast(struct cn_pipeline_tick *t, const struct cn_continuous *continuous, bool *bullets)
{
    const struct cn_pipeline *p = t->p;
    int count = 0;
    for (int k = 0; k < p->awake_count; k++) {
        if (!t->hasty[k]) {
            continue;
        }
        p->ops->start(t, k);
        if (cn_continuous_is_fast(continuous, k)) {
            t->stop[count++].mover = k;
            *bullets = *bullets || p->model->body[p->awake[k]].bullet;
        }
    }
    return count;
}

void
cn_pipeline_continuous(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    CN_ASSERT(t->start != NULL && t->stop != NULL);
    if (memchr(t->hasty, true, (size_t)p->awake_count) == NULL) {
        return;
    }
    struct cn_continuous continuous = {
        .model = p->model,
        .moving = p->awake,
        .start = t->start,
        .moving_count = p->awake_count,
        .proximity = p->proximity,
        .slop = cn_pipeline_slop(p->model),
    };
    bool bullets = false;
    int count = list_fast(t, &continuous, &bullets);
    for (int k = 0; bullets && k < p->awake_count; k++) {
        p->ops->start(t, k); /* bullets look at the motion of all */
    }
    cn_continuous_find(&continuous, t->stop, count, t->crew);
    for (int i = 0; i < count; i++) {
        if (t->stop[i].fraction < 1.0) {
            int body = p->awake[t->stop[i].mover];
            cn_vec3 end = p->model->motion[body].position;
            p->model->motion[body] = cn_continuous_motion(&continuous, &t->stop[i]);
            take_fall(t, body, end);
            calm(t, body, t->stop[i].fraction);
            p->ops->place(p, body);
        }
    }
}
