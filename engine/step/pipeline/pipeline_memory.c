/* pipeline_memory.c: the memory of a pipeline and of its ticks. */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <stdint.h>
#include <string.h>

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

struct cn_pipeline_room
cn_pipeline_room_for(const struct cn_model *model, const struct cn_pipeline_ops *ops)
{
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
    CN_ASSERT(p->room.shape_max <= CN_ASLEEP_SHAPES_MAX);
    CN_ASSERT(p->room.piece_max >= p->room.shape_max); /* a shape of one piece has its own place */
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
    CN_ASSERT(p->room.pair_max >= 0);
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
        CN_ASSERT(p->pair[i].manifold < before->front_count);
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
        CN_ASSERT(p->room.body_max >= before->room.body_max);
        CN_ASSERT(p->room.shape_max >= before->room.shape_max);
        p->stale = true;
        if (before->proximity != NULL) {
            cn_proximity_move(p->proximity, before->proximity);
            memcpy(p->solver_body, before->solver_body, bodies * sizeof(p->solver_body[0]));
            memcpy(p->back, before->back, bodies * sizeof(p->back[0]));
        }
        break;
    }
}

/* ---- one tick ---- */

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

bool
cn_pipeline_take_manifolds(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    if (is_small(p)) {
        CN_ASSERT(p->front == 0);
        p->manifold[1] = cn_pipeline_take(t, (size_t)p->pair_count * p->ops->manifold_size);
    }
    return p->manifold[1] != NULL;
}

void
cn_pipeline_keep_manifolds(struct cn_pipeline *p)
{
    CN_ASSERT(p->front_count == p->pair_count);
    if (is_small(p)) {
        CN_ASSERT(p->front == 1);
        memcpy(p->manifold[0], p->manifold[1], (size_t)p->pair_count * p->ops->manifold_size);
        p->manifold[1] = NULL;
        p->front = 0;
    }
}
