/* pipeline.c: the order of a tick. */
#include "engine/step/pipeline/pipeline.h"

#include "engine/base/assert.h"
#include "engine/step/pipeline/pipeline_inside.h"

#define WORK_PER_PAIR 60     /* operations of a tick, about 1 ns each, for the budget */
#define WORK_PER_CONTACT 300 /* likewise */
#define WORK_PER_BODY 100

#define MORE 8           /* a tick may need an eighth more than the last one, */
#define MORE_TOUCHING 16 /* and this many contacts more; */
#define FEW_TOUCHING 512 /* so few are found again faster than they get memory */

static const struct cn_pipeline_ops *
ops_of(const struct cn_model *model)
{
    return model->settings.dimension == CN_PLANAR ? &cn_pipeline_planar : &cn_pipeline_spatial;
}

struct cn_pipeline_room
cn_pipeline_room_of(const struct cn_model *model)
{
    return cn_pipeline_room_for(model, ops_of(model));
}

void
cn_pipeline_init(struct cn_pipeline *pipeline, struct cn_model *model)
{
    *pipeline = (struct cn_pipeline){
        .model = model,
        .ops = ops_of(model),
        .stale = true,
        .forget = true,
    };
}

/* Whether a call must be made again, with more room. */
static bool
lacks_room(const struct cn_pipeline *p)
{
    return p->pair_needed > 0 || p->sleep_needed > 0 || p->scratch_needed > 0 || p->body_needed;
}

/* The invariants of pipeline_state.h, as far as counts show them. */
static void
check_counts(const struct cn_pipeline *p)
{
    CN_ASSERT(p->ops == ops_of(p->model));
    CN_ASSERT(p->front == 0 || p->front == 1);
    CN_ASSERT(p->pair_count >= 0 && p->pair_count <= p->room.pair_max);
    CN_ASSERT(p->wide_count >= 0 && p->wide_count <= p->room.pair_max);
    CN_ASSERT(p->front_count >= 0 && p->front_count <= p->room.pair_max);
    CN_ASSERT(p->awake_count >= 0 && p->awake_count <= p->room.body_max);
    CN_ASSERT(p->back_count >= -1 && p->back_count <= p->room.body_max);
    CN_ASSERT(p->asleep.entry_count >= 0 && p->asleep.entry_count <= p->asleep.entry_max);
    CN_ASSERT(p->asleep.entry_max == p->room.sleep_max);
}

/*
 * Whether there is room for contacts to fall asleep.  All touching pairs may fall asleep, and
 * without room their contacts are found again.  So there must be room for as many as in the last
 * tick, and a few more.  A small world without meshes needs none: there are many such worlds, with
 * few contacts to find again.
 */
static bool
leaves_room_to_sleep(struct cn_pipeline *p)
{
    int expected = p->touching_count + p->touching_count / MORE + MORE_TOUCHING;
    bool is_cheap = p->touching_count <= FEW_TOUCHING && p->model->mesh_count == 0;
    if (!p->model->settings.sleep || is_cheap ||
        expected <= p->asleep.entry_max - p->asleep.entry_count) {
        return true;
    }
    p->sleep_needed = p->asleep.entry_count + expected;
    return false;
}

/* The part of a tick before the scratch is known to suffice; all of it may be done again. */
static bool
begin(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    if (!cn_pipeline_derive(p) || !leaves_room_to_sleep(p)) {
        return false;
    }
    size_t used = t->scratch.used;
    do {
        t->scratch.used = used;
        for (int k = 0; p->way != NULL && k < p->awake_count; k++) {
            cn_pipeline_put(p, p->awake[k]); /* its velocity may have changed */
        }
        if (!cn_pipeline_find_pairs(t) || !cn_pipeline_take_manifolds(t)) {
            return false;
        }
    } while (cn_pipeline_wake(t));
    cn_profile_mark(t->profile, CN_PHASE_PAIRS);
    if (!cn_pipeline_begin(t) || !cn_pipeline_begin_springs(t) || !cn_pipeline_begin_drags(t) ||
        !cn_pipeline_begin_attraction(t) || !cn_pipeline_begin_joints(t) ||
        !cn_pipeline_begin_energy(t) ||
        !cn_pipeline_ready_bounces(t)) {
        return false;
    }
    t->runaway = CN_PIPELINE_TAKE(t, bool, p->awake_count);
    t->hasty = CN_PIPELINE_TAKE(t, bool, p->awake_count);
    t->within = CN_PIPELINE_TAKE(t, bool, p->awake_count);
    if (t->within == NULL || !cn_pipeline_begin_continuous(t)) {
        return false;
    }
    cn_profile_mark(t->profile, CN_PHASE_BEGIN);
    cn_pipeline_collide(t);
    cn_profile_mark(t->profile, CN_PHASE_COLLIDE);
    return cn_pipeline_gather(t) && cn_pipeline_begin_calm(t) && cn_pipeline_color(t);
}

/* Of the batch with the most. */
static int
most_colors(const struct cn_pipeline_tick *t)
{
    int most = 0;
    for (int b = 0; b < t->batch_count; b++) {
        int count = t->batch[b].coloring.color_count;
        most = count > most ? count : most;
    }
    return most;
}

bool
cn_pipeline_step(struct cn_pipeline *p, const struct cn_pipeline_tools *tools,
    struct cn_arena scratch, int64_t *work)
{
    struct cn_pipeline_tick tick = {
        .p = p,
        .kernel = tools->kernel != NULL ? tools->kernel : cn_impulse_kernel_best(),
        .crew = tools->crew,
        .profile = tools->profile,
        .scratch = scratch,
    };
    struct cn_pipeline_tick *t = &tick;
    check_counts(p);
    cn_pipeline_set_tick(t);
    p->pair_needed = 0;
    p->sleep_needed = 0;
    p->scratch_needed = 0;
    p->body_needed = false;
    if (!begin(t)) {
        p->scratch_needed = t->scratch_needed;
        p->repeat_count += t->met_used > 0 ? 1 : 0;
        CN_ASSERT(lacks_room(p)); /* or the caller would try for ever */
        return false;
    }
    CN_ASSERT(t->contact_count <= p->touching_count && p->touching_count <= p->pair_count);
    cn_pipeline_turn(t);
    cn_profile_mark(t->profile, CN_PHASE_GATHER);
    cn_pipeline_find_standing(t);
    cn_pipeline_solve(t);
    cn_pipeline_calm(t);
    cn_pipeline_keep_manifolds(p);
    cn_pipeline_tell_forces(t);
    cn_pipeline_finish(t);
    p->beyond_size = t->met_used > 0 ? t->scratch.used - t->met_used : 0;
    cn_pipeline_doze(t);
    cn_profile_mark(t->profile, CN_PHASE_FINISH);
    CN_ASSERT(!lacks_room(p) && t->scratch_needed == 0);
    check_counts(p);
    p->color_count = most_colors(t);
    p->overflow_count = t->rest_count;
    *work += (int64_t)WORK_PER_PAIR * (p->pair_count + t->look_count) +
             (int64_t)WORK_PER_CONTACT * t->tick.substep_count *
                 (t->contact_count + t->again_count) +
             (int64_t)WORK_PER_BODY * p->awake_count;
    return true;
}
