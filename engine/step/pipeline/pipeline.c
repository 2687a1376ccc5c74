/* pipeline.c: memory, derived data, and the order of a tick. */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <stdint.h>
#include <string.h>

#define WORK_PER_PAIR 60     /* operations of a tick, about 1 ns each, for the budget */
#define WORK_PER_CONTACT 300 /* likewise */
#define WORK_PER_BODY 100

#define MORE 8           /* a tick may need an eighth more than the last one, */
#define MORE_TOUCHING 16 /* and this many contacts more; */
#define FEW_TOUCHING 512 /* so few are found again faster than they get memory */

/* The field's values; lengths shrink with the smallest body. */
#define SLOP 0.005         /* m, */
#define SLOP_FRACTION 0.01 /* or this part of the smallest width */
#define SPECULATIVE 4.0    /* slops within which a contact is made */

/*
 * Up to this many bytes manifolds are copied, so that there need not be room for those of two
 * ticks.
 */
#define COPIED_MAX 65536

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
        .joint_max = model->joint_max,
    };
    room.piece_max = room.shape_max;
    for (int i = 0; i < model->shape_count; i++) {
        if (model->shape[i].body >= 0) {
            int pieces = ops->placed_size > 0 ? ops->pieces(&model->shape[i]) : 1;
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
        .ops = model->settings.dimension == CN_PLANAR ? &cn_pipeline_planar : &cn_pipeline_spatial,
        .stale = true,
        .forget = true,
    };
}

/* Whether this tick's manifolds are in the scratch until the tick is done. */
static bool
is_small(const struct cn_pipeline *p)
{
    return (size_t)p->room.pair_max * p->ops->manifold_size <= COPIED_MAX;
}

void
cn_pipeline_room_set(
    struct cn_pipeline_room *to, const struct cn_pipeline_room *from, enum cn_pipeline_part part)
{
    struct cn_pipeline_room before = *to;
    switch (part) {
    case CN_PIPELINE_PAIRS:
        to->pair_max = from->pair_max;
        break;
    case CN_PIPELINE_ASLEEP:
        to->sleep_max = from->sleep_max;
        break;
    case CN_PIPELINE_BODIES:
        *to = *from;
        to->pair_max = before.pair_max;
        to->sleep_max = before.sleep_max;
        break;
    }
}

bool
cn_pipeline_room_is(
    const struct cn_pipeline_room *a, const struct cn_pipeline_room *b, enum cn_pipeline_part part)
{
    switch (part) {
    case CN_PIPELINE_PAIRS:
        return a->pair_max == b->pair_max;
    case CN_PIPELINE_ASLEEP:
        return a->sleep_max == b->sleep_max;
    case CN_PIPELINE_BODIES:
        break;
    }
    return a->body_max == b->body_max && a->shape_max == b->shape_max &&
           a->joint_max == b->joint_max && a->piece_max == b->piece_max &&
           a->hull_size == b->hull_size;
}

static void
layout_bodies(struct cn_pipeline *p, struct cn_arena *arena)
{
    size_t bodies = (size_t)p->room.body_max, shapes = (size_t)p->room.shape_max;
    p->piece_first = CN_ARENA_TAKE(arena, int32_t, shapes);
    p->piece_count = CN_ARENA_TAKE(arena, int32_t, shapes);
    p->way = p->model->mesh_count > 0 ? CN_ARENA_TAKE(arena, cn_aabb, shapes) : NULL;
    p->shape = cn_arena_take(arena, (size_t)p->room.piece_max * p->ops->shape_size);
    p->placed = cn_arena_take(arena, (size_t)p->room.piece_max * p->ops->placed_size);
    p->shape_body = CN_ARENA_TAKE(arena, int32_t, shapes);
    for (size_t i = 0; p->shape_body != NULL && i < shapes; i++) {
        p->shape_body[i] = -1;
    }
    p->hot = CN_ARENA_TAKE(arena, struct cn_shape_hot, shapes);
    p->hull = cn_arena_take(arena, p->room.hull_size);
    p->place = cn_arena_take(arena, bodies * p->ops->place_size);
    p->solver_body = CN_ARENA_TAKE(arena, int32_t, bodies);
    for (size_t i = 0; p->solver_body != NULL && i < bodies; i++) {
        p->solver_body[i] = CN_IMPULSE_FIXED;
    }
    p->awake = CN_ARENA_TAKE(arena, int32_t, bodies);
    p->back = CN_ARENA_TAKE(arena, int32_t, bodies);
    p->shapes_of = CN_ARENA_TAKE(arena, struct cn_span, bodies);
    p->joint_ends = CN_ARENA_TAKE(arena, struct cn_joint_ends, (size_t)p->room.joint_max);
    p->proximity = cn_proximity_make(arena, p->room.shape_max);
    cn_sleep_make(&p->sleep, arena, p->room.body_max);
}

static void
layout_pairs(struct cn_pipeline *p, struct cn_arena *arena)
{
    size_t pairs = (size_t)p->room.pair_max;
    p->pair = CN_ARENA_TAKE(arena, struct cn_touch, pairs);
    p->pair_spare = is_small(p) ? NULL : CN_ARENA_TAKE(arena, struct cn_touch, pairs);
    p->manifold[0] = cn_arena_take(arena, pairs * p->ops->manifold_size);
    p->manifold[1] = is_small(p) ? NULL : cn_arena_take(arena, pairs * p->ops->manifold_size);
    bool sets_aside = p->ops->placed_size > 0 || p->model->mesh_count > 0;
    p->wide = CN_ARENA_TAKE(arena, struct cn_pair, sets_aside ? pairs : 0);
    bool meshes = p->model->settings.dimension == CN_SPATIAL && p->model->mesh_count > 0;
    p->clear = meshes ? CN_ARENA_TAKE(arena, struct cn_fast_mesh_clear, pairs) : NULL;
}

void
cn_pipeline_layout(struct cn_pipeline *p, enum cn_pipeline_part part, struct cn_arena *arena)
{
    bool planar = p->model->settings.dimension == CN_PLANAR;
    switch (part) {
    case CN_PIPELINE_PAIRS:
        layout_pairs(p, arena);
        break;
    case CN_PIPELINE_ASLEEP:
        cn_asleep_make(&p->asleep, arena, p->room.sleep_max,
            planar ? sizeof(struct cn_kept2) : sizeof(struct cn_kept3));
        break;
    case CN_PIPELINE_BODIES:
        layout_bodies(p, arena);
        break;
    }
}

/* Moves manifolds to the positions of their pairs. */
static void
take_over_pairs(struct cn_pipeline *p, const struct cn_pipeline *before)
{
    CN_ASSERT(p->room.pair_max >= before->pair_count);
    CN_ASSERT(p->room.pair_max >= before->wide_count);
    p->front = 0;
    p->front_count = p->pair_count;
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
    if (p->wide_count > 0) {
        memcpy(p->wide, before->wide, (size_t)p->wide_count * sizeof(p->wide[0]));
        if (p->clear != NULL) {
            memcpy(p->clear, before->clear, (size_t)p->wide_count * sizeof(p->clear[0]));
        }
    }
}

void
cn_pipeline_take_over(
    struct cn_pipeline *p, const struct cn_pipeline *before, enum cn_pipeline_part part)
{
    size_t bodies = (size_t)before->room.body_max;
    switch (part) {
    case CN_PIPELINE_PAIRS:
        take_over_pairs(p, before);
        break;
    case CN_PIPELINE_ASLEEP:
        cn_asleep_move(&p->asleep, &before->asleep);
        break;
    case CN_PIPELINE_BODIES:
        p->stale = true;
        if (before->proximity != NULL) {
            cn_proximity_move(p->proximity, before->proximity);
            memcpy(p->solver_body, before->solver_body, bodies * sizeof(p->solver_body[0]));
            memcpy(p->back, before->back, bodies * sizeof(p->back[0]));
        }
        break;
    }
}

/*
 * Whether the scratch has room for more.  After the first failure all takes fail, so that
 * scratch_needed sums what several takes need.
 */
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

/* Takes the manifolds of the pairs found.  Bodies that wake may add pairs later. */
static bool
take_manifolds(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    if (is_small(p)) {
        p->manifold[1] = cn_pipeline_take(t, (size_t)p->pair_count * p->ops->manifold_size);
    }
    return p->manifold[1] != NULL;
}

static void
keep_manifolds(struct cn_pipeline *p)
{
    if (is_small(p)) {
        memcpy(p->manifold[0], p->manifold[1], (size_t)p->pair_count * p->ops->manifold_size);
        p->manifold[1] = NULL;
        p->front = 0;
    }
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
        if (!cn_pipeline_find_pairs(t) || !take_manifolds(t)) {
            return false;
        }
    } while (cn_pipeline_wake(t));
    cn_profile_mark(t->profile, CN_PHASE_PAIRS);
    if (!cn_pipeline_begin(t) || !cn_pipeline_begin_springs(t) || !cn_pipeline_begin_drags(t) ||
        !cn_pipeline_begin_attraction(t) || !cn_pipeline_begin_joints(t) ||
        !cn_pipeline_ready_bounces(t)) {
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
    return cn_pipeline_gather(t) && cn_pipeline_begin_calm(t) && cn_pipeline_color(t);
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
    p->pair_needed = 0;
    p->sleep_needed = 0;
    p->scratch_needed = 0;
    p->body_needed = false;
    if (!begin(t)) {
        p->scratch_needed = t->scratch_needed;
        p->repeat_count += t->met_used > 0 ? 1 : 0;
        return false;
    }
    cn_pipeline_turn(t);
    cn_profile_mark(t->profile, CN_PHASE_GATHER);
    cn_pipeline_find_standing(t);
    cn_pipeline_solve(t);
    cn_pipeline_calm(t);
    keep_manifolds(p);
    cn_pipeline_finish(t);
    p->beyond_size = t->met_used > 0 ? t->scratch.used - t->met_used : 0;
    cn_pipeline_doze(t);
    cn_profile_mark(t->profile, CN_PHASE_FINISH);
    p->color_count = t->coloring.color_count;
    p->overflow_count = t->rest_count;
    *work += (int64_t)WORK_PER_PAIR * (p->pair_count + t->look_count) +
             (int64_t)WORK_PER_CONTACT * t->tick.substep_count * t->contact_count +
             (int64_t)WORK_PER_BODY * p->awake_count;
    return true;
}
