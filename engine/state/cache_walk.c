/*
 * cache_walk.c: the contact cache of a production solver.
 */
#include "engine/state/walk_inside.h"

WALK_STRUCT(walk_touch, struct cn_touch, CN_FIELDS_TOUCH)
WALK_STRUCT(walk_manifold2, struct cn_manifold2, CN_FIELDS_MANIFOLD2)
WALK_STRUCT(walk_point2, struct cn_point2, CN_FIELDS_POINT2)
WALK_STRUCT(walk_manifold3, struct cn_manifold3, CN_FIELDS_MANIFOLD3)
WALK_STRUCT(walk_rolling3, struct cn_manifold3, CN_FIELDS_ROLLING3)
WALK_STRUCT(walk_point3, struct cn_point3, CN_FIELDS_POINT3)

/* One manifold; false when what was read has more points than there may be. */
static bool
walk_manifold(struct cn_walk *walk, struct cn_pipeline *p, int index, bool rolls)
{
    if (p->model->settings.dimension == CN_PLANAR) {
        struct cn_manifold2 *m = (struct cn_manifold2 *)p->manifold[p->front] + index;
        walk_manifold2(walk, m);
        for (int i = 0; i < m->point_count && i < CN_POINTS_PLANAR_MAX; i++) {
            walk_point2(walk, &m->point[i]);
        }
        return m->point_count >= 1 && m->point_count <= CN_POINTS_PLANAR_MAX;
    }
    struct cn_manifold3 *m = (struct cn_manifold3 *)p->manifold[p->front] + index;
    walk_manifold3(walk, m);
    if (rolls) {
        walk_rolling3(walk, m);
    }
    for (int i = 0; i < m->point_count && i < CN_POINTS_SPATIAL_MAX; i++) {
        walk_point3(walk, &m->point[i]);
    }
    return m->point_count >= 1 && m->point_count <= CN_POINTS_SPATIAL_MAX;
}

/* Pairs of the cache, ascending, of shapes that there are. */
static bool
touch_is_valid(const struct cn_pipeline *p, int i)
{
    const struct cn_touch *pair = &p->pair[i];
    const struct cn_model *model = p->model;
    return pair->a >= 0 && pair->a < pair->b && pair->b < model->shape_count &&
           model->shape[pair->a].body >= 0 && model->shape[pair->b].body >= 0 &&
           (i == 0 || p->pair[i - 1].a < pair->a ||
               (p->pair[i - 1].a == pair->a && p->pair[i - 1].b < pair->b));
}

static int
count_touching(const struct cn_pipeline *p)
{
    int count = 0;
    for (int i = 0; i < p->pair_count; i++) {
        count += p->pair[i].manifold >= 0 ? 1 : 0;
    }
    return count;
}

static bool
has_rolling(const struct cn_model *model)
{
    bool rolls = false;
    for (int i = 0; i < model->material_count; i++) {
        rolls = rolls || model->material[i].rolling_friction > 0.0;
    }
    return rolls;
}

/* The contact cache of a production: written as it stands, read as if nothing else were there. */
bool
cn_walk_cache(struct cn_walk *walk, struct cn_world *world)
{
    if (walk->mode == CN_WALK_READ && !cn_world_fit_production(world)) {
        return false;
    }
    if (world->production == NULL) {
        return true;
    }
    struct cn_pipeline *p = &world->production->pipeline;
    bool rolls = has_rolling(p->model);
    int count = count_touching(p);
    if (!walk_count(walk, &count, CN_CONTACTS_MAX)) {
        return false;
    }
    if (walk->mode == CN_WALK_READ) {
        p->pair_count = 0;
        if (count > p->room.pair_max && !cn_production_grow(world->production, count)) {
            return false;
        }
        p->pair_count = count;
        p->stale = p->forget = true;
    }
    for (int i = 0; i < p->pair_count; i++) {
        struct cn_touch *pair = &p->pair[i];
        if (walk->mode == CN_WALK_READ) {
            *pair = (struct cn_touch){.manifold = i};
        } else if (pair->manifold < 0) {
            continue;
        }
        walk_touch(walk, pair);
        if (!walk_manifold(walk, p, pair->manifold, rolls) || !touch_is_valid(p, i)) {
            p->pair_count = walk->mode == CN_WALK_READ ? 0 : p->pair_count;
            return false;
        }
        const struct cn_shape *shape = p->model->shape;
        if (shape[pair->a].sensor || shape[pair->b].sensor) {
            pair->flags |= CN_TOUCH_SENSOR;
        }
    }
    return true;
}
