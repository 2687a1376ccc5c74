/* pipeline_finish.c: the end of a tick: poses, fast bodies, runaway bodies. */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/model/life.h"

#include <string.h>

#define BODY_GRAIN 128    /* bodies that one worker takes at once */

static void
finish_task(void *context, int first, int end, int worker)
{
    struct cn_pipeline_tick *t = context;
    (void)worker;
    CN_ASSERT(first <= end && end <= t->p->awake_count);
    t->p->ops->finish(t, first, end);
    for (int k = first; k < end; k++) {
        t->hasty[k] = !t->runaway[k] && t->p->ops->is_hasty(t, k);
        /*
         * One worker alone looks at the boxes later, once.  Runaway bodies are removed from the
         * trees, and hasty ones may be moved again.
         */
        t->within[k] = cn_crew_size(t->crew) > 1 && !t->runaway[k] && !t->hasty[k] &&
                       cn_pipeline_is_within(t->p, t->p->awake[k]);
    }
}

/*
 * Clears the forces of joints at a runaway body: they may not be finite either, and are warm
 * starts.
 */
static void
forget_forces(struct cn_model *model, int body)
{
    for (int32_t end = model->joints_of[body].first; end >= 0; end = model->joint_link[end].next) {
        struct cn_joint_state *joint = &model->joint_state[end / 2];
        memset(joint->force, 0, sizeof(joint->force));
    }
}

static bool
is_held(const struct cn_pipeline *p, int32_t shape)
{
    int32_t body = p->shape_body[shape];
    return body >= 0 && p->model->body[body].quarantined;
}

static void
forget_impulses(struct cn_pipeline *p)
{
    for (int i = 0; i < p->pair_count; i++) {
        const struct cn_touch *pair = &p->pair[i];
        CN_ASSERT(pair->manifold < p->front_count);
        if (pair->manifold >= 0 && (is_held(p, pair->a) || is_held(p, pair->b))) {
            p->ops->forget(p, pair->manifold);
        }
    }
}

/* Quarantines runaway bodies; they stay where they were. */
static void
hold_runaways(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    bool found = false;
    if (memchr(t->runaway, true, (size_t)p->awake_count) == NULL) {
        return;
    }
    for (int k = 0; k < p->awake_count; k++) {
        if (!t->runaway[k]) {
            continue;
        }
        int body = p->awake[k];
        CN_ASSERT(cn_impulse_index(p->solver_body[body]) == k);
        found = true;
        forget_forces(p->model, body);
        p->model->motion[body].velocity = (cn_vec3){0.0, 0.0, 0.0};
        p->model->motion[body].angular_velocity = (cn_vec3){0.0, 0.0, 0.0};
        cn_model_quarantine(p->model, body);
        cn_model_event(p->model, CN_EVENT_QUARANTINE, body, -1, 0.0);
        cn_pipeline_tell_held(p, body);
        cn_model_note(p->model, CN_CHANGE_BODY, body);
    }
    if (found) {
        forget_impulses(p);
    }
}

void
cn_pipeline_finish(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    cn_task_run(t->crew, finish_task, t, p->awake_count, BODY_GRAIN);
    hold_runaways(t);
    cn_profile_mark(t->profile, CN_PHASE_FINISH);
    for (int k = 0; t->deep != NULL && k < p->awake_count; k++) {
        p->ops->start(t, k); /* before any body is stopped */
    }
    cn_pipeline_continuous(t);
    t->look_count = cn_pipeline_stop_deep(t);
    cn_profile_mark(t->profile, CN_PHASE_CONTINUOUS);
    for (int k = 0; k < p->awake_count; k++) {
        CN_ASSERT(k == 0 || p->awake[k - 1] < p->awake[k]);
        if (!t->within[k]) {
            cn_pipeline_put(p, p->awake[k]);
        }
    }
    cn_proximity_order(p->proximity); /* for queries; otherwise the next find would do it */
}
