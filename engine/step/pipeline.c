/*
 * pipeline.c: memory, what is derived, and the order of a tick.
 */
#include "engine/step/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <stdint.h>
#include <string.h>

#define WORK_PER_PAIR 60     /* operations a tick spends, about 1 ns each, */
#define WORK_PER_CONTACT 300 /* for the budget */
#define WORK_PER_BODY 100

/* The field's values; lengths shrink with the smallest body. */
#define SLOP 0.005         /* m, */
#define SLOP_FRACTION 0.01 /* or this part of the smallest width */
#define SPECULATIVE 4.0    /* slops within which a contact is made */

double
cn_pipeline_slop(const struct cn_model *model)
{
    return cn_min(SLOP, SLOP_FRACTION * model->length_min);
}

double
cn_pipeline_margin(const struct cn_model *model)
{
    return SPECULATIVE * cn_pipeline_slop(model);
}

/* ---- memory ---- */

struct cn_pipeline_room
cn_pipeline_room_of(const struct cn_model *model)
{
    const struct cn_pipeline_ops *ops =
        model->settings.dimension == CN_PLANAR ? &cn_pipeline_planar : &cn_pipeline_spatial;
    struct cn_pipeline_room room = {
        .body_max = model->body_max,
        .shape_max = model->shape_max,
    };
    room.piece_max = room.shape_max;
    for (int i = 0; i < model->shape_count; i++) {
        if (model->shape[i].body >= 0) {
            int pieces = ops->pieces(&model->shape[i]);
            room.hull_size += ops->hull_room(&model->shape[i]);
            room.piece_max += pieces == 1 ? 0 : pieces;
        }
    }
    return room;
}

void
cn_pipeline_init(struct cn_pipeline *pipeline, struct cn_model *model)
{
    *pipeline = (struct cn_pipeline){
        .model = model,
        .ops = model->settings.dimension == CN_PLANAR ? &cn_pipeline_planar
                                                      : &cn_pipeline_spatial,
        .stale = true,
        .forget = true,
        .room = cn_pipeline_room_of(model),
    };
}

void
cn_pipeline_layout(struct cn_pipeline *p, struct cn_arena *arena)
{
    size_t bodies = (size_t)p->room.body_max, shapes = (size_t)p->room.shape_max;
    size_t pairs = (size_t)p->room.pair_max;
    p->pair = CN_ARENA_TAKE(arena, struct cn_touch, pairs);
    p->pair_spare = CN_ARENA_TAKE(arena, struct cn_touch, pairs);
    p->manifold[0] = cn_arena_take(arena, pairs * p->ops->manifold_size);
    p->manifold[1] = cn_arena_take(arena, pairs * p->ops->manifold_size);
    p->wide = CN_ARENA_TAKE(arena, struct cn_pair, p->ops->placed_size > 0 ? pairs : 0);
    p->piece_first = CN_ARENA_TAKE(arena, int32_t, shapes);
    p->piece_count = CN_ARENA_TAKE(arena, int32_t, shapes);
    p->shape = cn_arena_take(arena, (size_t)p->room.piece_max * p->ops->shape_size);
    p->placed = cn_arena_take(arena, (size_t)p->room.piece_max * p->ops->placed_size);
    p->shape_body = CN_ARENA_TAKE(arena, int32_t, shapes);
    for (size_t i = 0; p->shape_body != NULL && i < shapes; i++) {
        p->shape_body[i] = -1;
    }
    p->hull = cn_arena_take(arena, p->room.hull_size);
    p->place = cn_arena_take(arena, bodies * p->ops->place_size);
    p->solver_body = CN_ARENA_TAKE(arena, int32_t, bodies);
    p->awake = CN_ARENA_TAKE(arena, int32_t, bodies);
    p->proximity = cn_proximity_make(arena, p->room.shape_max);
    cn_sleep_make(&p->sleep, arena, p->room.body_max);
    cn_slumber_make(&p->slumber, arena, p->room.sleep_max,
        p->model->settings.dimension == CN_PLANAR ? sizeof(struct cn_kept2)
                                                  : sizeof(struct cn_kept3));
}

void
cn_pipeline_take_over(struct cn_pipeline *p, const struct cn_pipeline *before)
{
    CN_ASSERT(p->room.pair_max >= before->pair_count);
    p->pair_count = before->pair_count;
    p->front = 0;
    const unsigned char *from = before->manifold[before->front];
    unsigned char *to = p->manifold[0];
    size_t size = p->ops->manifold_size;
    for (int i = 0; i < p->pair_count; i++) {
        p->pair[i] = before->pair[i];
        if (p->pair[i].manifold >= 0) {
            memcpy(to + (size_t)i * size, from + (size_t)p->pair[i].manifold * size, size);
            p->pair[i].manifold = i;
        }
    }
    p->gone_count = before->gone_count;
    p->wide_count = before->wide_count;
    if (p->wide_count > 0) {
        memcpy(p->wide, before->wide, (size_t)p->wide_count * sizeof(p->wide[0]));
    }
    p->front_count = p->pair_count;
    p->rest_version = before->rest_version;
    p->version = before->version;
    if (before->pair != NULL) {
        cn_proximity_move(p->proximity, before->proximity);
        p->forget = before->forget;
        cn_sleep_move(&p->sleep, &before->sleep);
        cn_slumber_move(&p->slumber, &before->slumber);
    }
    p->stale = true;
}

/* Once too much was asked for, all is: so what is needed adds up over several takes. */
bool
cn_pipeline_has(struct cn_pipeline_tick *t, size_t size)
{
    struct cn_arena next = {.used = t->scratch.used, .size = SIZE_MAX};
    cn_arena_take(&next, size);
    if (next.used <= t->scratch.size) {
        return true;
    }
    t->scratch_needed = next.used;
    t->scratch.used = next.used;
    return false;
}

void *
cn_pipeline_take(struct cn_pipeline_tick *t, size_t size)
{
    return cn_pipeline_has(t, size) ? cn_arena_take(&t->scratch, size) : NULL;
}

/* ---- the tick ---- */

/* What is done until the scratch is known to be enough; all of it may be done again. */
static bool
begin(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    if (!cn_pipeline_derive(p)) {
        return false;
    }
    size_t used = t->scratch.used;
    do {
        t->scratch.used = used;
        if (!cn_pipeline_find_pairs(t)) {
            return false;
        }
    } while (cn_pipeline_wake(t));
    cn_profile_mark(t->profile, CN_PHASE_PAIRS);
    if (!cn_pipeline_begin(t) || !cn_pipeline_begin_joints(t)) {
        return false;
    }
    t->runaway = CN_PIPELINE_TAKE(t, bool, p->awake_count);
    t->hasty = CN_PIPELINE_TAKE(t, bool, p->awake_count);
    if (t->hasty == NULL || !cn_pipeline_begin_continuous(t)) {
        return false;
    }
    cn_profile_mark(t->profile, CN_PHASE_BEGIN);
    cn_pipeline_collide(t);
    cn_profile_mark(t->profile, CN_PHASE_COLLIDE);
    return cn_pipeline_gather(t) && cn_pipeline_color(t);
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
    cn_pipeline_set_tick(t);
    if (p->starved) {
        cn_model_event(p->model, CN_EVENT_CONTACT_LIMIT, -1, -1, p->pair_needed);
        p->starved = false;
        return true;
    }
    p->pair_needed = 0;
    p->sleep_needed = 0;
    p->scratch_needed = 0;
    if (!begin(t)) {
        p->scratch_needed = t->scratch_needed;
        return false;
    }
    cn_pipeline_turn(t);
    cn_profile_mark(t->profile, CN_PHASE_GATHER);
    cn_pipeline_solve(t);
    cn_pipeline_finish(t);
    cn_pipeline_doze(t);
    cn_profile_mark(t->profile, CN_PHASE_FINISH);
    p->color_count = t->coloring.color_count;
    p->overflow_count = t->rest_count;
    *work += (int64_t)WORK_PER_PAIR * p->pair_count +
             (int64_t)WORK_PER_CONTACT * t->tick.substep_count * t->contact_count +
             (int64_t)WORK_PER_BODY * p->awake_count;
    return true;
}
