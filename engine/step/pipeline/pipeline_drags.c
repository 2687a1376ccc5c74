/*
 * pipeline_drags.c: forces that act in every substep besides springs: drags, which are springs of
 * sessions to moving points, and gravity between all bodies.
 *
 * A drag is a spring without a direction of its own.  e leads from its target to its point, v is
 * that point's velocity, and K is the matrix that takes an impulse there to a change of v.  A
 * substep of h gives the impulse
 *
 *     l = -(I + W K)^-1 (h k e + W v),   W = h (c + h k T),  T = S (I + S)^-1,  S = h^2 k K
 *
 * In each direction of K this is the rule of pipeline_springs.c, so it is stable for any stiffness.
 * |l| is at most h force_max.  Drags and springs that share bodies are solved in repeated sweeps.
 *
 * Gravity between bodies is that of force_gravitation.c at the start of each substep: semi-implicit
 * Euler, which keeps an orbit's energy within a bound.
 *
 * Source: as pipeline_springs.c.
 */
#include "engine/step/pipeline/pipeline_moving.h"

#include "engine/base/assert.h"

#include <math.h>
#include <string.h>

#define SWEEPS_MAX 16 /* over drags and springs that share bodies */

struct cn_pipeline_drag {
    int32_t name;        /* see CN_IMPULSE_FIXED; >= 0 */
    cn_vec3 center, arm; /* of the tick's start */
    cn_vec3 target;
    double stiffness, damping, force_max;

    /* Of the substep: r turned, l, h k e, and the matrices W and (I + W K)^-1. */
    cn_vec3 turned, impulse, bias;
    cn_mat33 drag, ease;
};

/* ---- drags ---- */

bool
cn_pipeline_begin_drags(struct cn_pipeline_tick *t)
{
    const struct cn_pipeline *p = t->p;
    const struct cn_model *model = p->model;
    t->drag_count = 0;
    t->drag = CN_PIPELINE_TAKE(t, struct cn_pipeline_drag, model->held_count);
    if (t->drag == NULL) {
        return false;
    }
    for (int i = 0; i < model->held_count; i++) {
        const struct cn_held *held = &model->held[i];
        if (held->kind != CN_HELD_DRAG || p->solver_body[held->target] < 0) {
            continue;
        }
        CN_ASSERT(held->target < model->body_count && t->drag_count < model->held_count);
        const struct cn_motion *motion = &model->motion[held->target];
        cn_pose pose = cn_motion_pose(motion, model->settings.dimension);
        t->drag[t->drag_count++] = (struct cn_pipeline_drag){
            .name = p->solver_body[held->target],
            .center = motion->position,
            .arm = cn_pose_turn(&pose, held->point),
            .target = held->vector,
            .stiffness = held->stiffness,
            .damping = held->damping,
            .force_max = held->force_max,
        };
    }
    return true;
}

int32_t
cn_pipeline_drag_end(const struct cn_pipeline_tick *t, int drag)
{
    CN_ASSERT(drag >= 0 && drag < t->drag_count);
    return t->drag[drag].name;
}

/* The change of the velocity at `arm` by an impulse there. */
static cn_mat33
response_at(const struct cn_pipeline_moving *moving, cn_vec3 arm)
{
    const cn_vec3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    cn_vec3 column[3];
    for (int k = 0; k < 3; k++) {
        struct cn_pipeline_push push = cn_pipeline_push_of(moving, arm, axis[k]);
        column[k] = cn_vec3_add(push.linear, cn_vec3_cross(push.angular, arm));
    }
    return (cn_mat33){column[0], column[1], column[2]};
}

/* scale m + add I. */
static cn_mat33
scale_add(const cn_mat33 *m, double scale, double add)
{
    cn_mat33 sum = {cn_vec3_scale(m->cx, scale), cn_vec3_scale(m->cy, scale),
        cn_vec3_scale(m->cz, scale)};
    sum.cx.x += add;
    sum.cy.y += add;
    sum.cz.z += add;
    return sum;
}

/* Computes the drag's present position, and the data that depends only on that. */
static void
aim(const struct cn_pipeline_tick *t, struct cn_pipeline_drag *drag)
{
    double h = t->duration / t->tick.substep_count, k = drag->stiffness;
    struct cn_pipeline_moving moving = cn_pipeline_moving_at(t, drag->name);
    drag->turned = cn_mat33_apply(&moving.turn, drag->arm);
    cn_vec3 point = cn_vec3_add(cn_vec3_add(drag->center, moving.moved), drag->turned);
    cn_mat33 K = response_at(&moving, drag->turned);
    cn_mat33 S = scale_add(&K, h * h * k, 0.0), more = scale_add(&S, 1.0, 1.0);
    more = cn_mat33_invert_symmetric(&more);
    cn_mat33 T = cn_mat33_multiply(&S, &more);
    drag->drag = scale_add(&T, h * h * k, h * drag->damping);
    cn_mat33 sum = cn_mat33_multiply(&drag->drag, &K);
    sum = scale_add(&sum, 1.0, 1.0);
    drag->ease = cn_mat33_invert_symmetric(&sum);
    drag->bias = cn_vec3_scale(cn_vec3_sub(point, drag->target), h * k);
    drag->impulse = (cn_vec3){0.0, 0.0, 0.0};
}

/* Applies the drag.  Whether its change is worth another sweep. */
static bool
pull(struct cn_pipeline_tick *t, struct cn_pipeline_drag *drag)
{
    struct cn_pipeline_moving now = cn_pipeline_moving_at(t, drag->name);
    cn_vec3 v = cn_vec3_add(now.v, cn_vec3_cross(now.w, drag->turned));
    cn_vec3 lack = cn_vec3_add(drag->bias, cn_mat33_apply(&drag->drag, v));
    lack = cn_vec3_add(lack, drag->impulse);
    cn_vec3 before = drag->impulse;
    cn_vec3 after = cn_vec3_sub(before, cn_mat33_apply(&drag->ease, lack));
    double size = cn_vec3_length(after), most = drag->force_max * t->duration;
    most /= t->tick.substep_count;
    if (most > 0.0 && size > most) {
        after = cn_vec3_scale(after, most / size);
    }
    cn_vec3 change = cn_vec3_sub(after, before);
    double amount = cn_vec3_length(change);
    drag->impulse = after;
    struct cn_pipeline_push push = cn_pipeline_push_of(&now, drag->turned, change);
    cn_pipeline_give(t, drag->name, &push, 1.0);
    return amount > CN_PIPELINE_ENOUGH * cn_vec3_length(after);
}

static bool
pull_all(struct cn_pipeline_tick *t, bool back)
{
    bool goes_on = false;
    for (int i = 0; i < t->drag_count; i++) {
        bool did = pull(t, &t->drag[back ? t->drag_count - 1 - i : i]);
        goes_on = goes_on || did;
    }
    return goes_on;
}

/* ---- gravity between bodies ---- */

bool
cn_pipeline_begin_attraction(struct cn_pipeline_tick *t)
{
    const struct cn_model *model = t->p->model;
    t->attracted = NULL;
    if (model->settings.gravitation == 0.0) {
        return true;
    }
    t->attracted = CN_PIPELINE_TAKE(t, struct cn_motion, model->body_count);
    t->attraction = CN_PIPELINE_TAKE(t, struct cn_wrench, model->body_count);
    if (t->attraction == NULL) {
        return false;
    }
    memcpy(t->attracted, model->motion, (size_t)model->body_count * sizeof(t->attracted[0]));
    return true;
}

static void
attract(struct cn_pipeline_tick *t)
{
    const struct cn_pipeline *p = t->p;
    const struct cn_model *model = p->model;
    if (t->attracted == NULL) {
        return;
    }
    double h = t->duration / t->tick.substep_count;
    memset(t->attraction, 0, (size_t)model->body_count * sizeof(t->attraction[0]));
    for (int k = 0; k < p->awake_count; k++) {
        int body = p->awake[k];
        struct cn_pipeline_moving moving = cn_pipeline_moving_at(t, k);
        t->attracted[body].position = cn_vec3_add(model->motion[body].position, moving.moved);
    }
    cn_force_gravitation.apply(model, t->attracted, NULL, t->attraction);
    for (int k = 0; k < p->awake_count; k++) {
        struct cn_pipeline_moving moving = cn_pipeline_moving_at(t, k);
        struct cn_pipeline_push push = cn_pipeline_push_of(
            &moving, (cn_vec3){0.0, 0.0, 0.0}, t->attraction[p->awake[k]].force);
        cn_pipeline_give(t, k, &push, h);
    }
}

/* ---- all ---- */

void
cn_pipeline_pull(struct cn_pipeline_tick *t)
{
    CN_ASSERT(t->spring != NULL && t->drag != NULL);
    attract(t);
    cn_pipeline_aim_springs(t);
    for (int i = 0; i < t->drag_count; i++) {
        aim(t, &t->drag[i]);
    }
    bool goes_on = t->spring_count + t->drag_count > 0;
    for (int sweep = 0; goes_on && sweep < SWEEPS_MAX; sweep++) { /* forward, backward, ... */
        goes_on = cn_pipeline_pull_springs(t, sweep % 2 != 0);
        bool did = pull_all(t, sweep % 2 != 0);
        goes_on = goes_on || did;
    }
}
