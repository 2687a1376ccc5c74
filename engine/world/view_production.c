/*
 * view_production.c: the view of a world with a production solver.
 *
 * Nothing is solved for the view.  Contacts are the manifolds of the last tick; their forces are
 * the impulses of the last substep divided by its duration.  Contacts whose bodies all sleep come
 * after them (view_asleep.c).
 */
#include "engine/world/world_inside.h"

#include "engine/constraint/contact_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
layout_view(struct cn_view *view, struct cn_arena *arena, int body_count, int contact_max)
{
    view->pose = CN_ARENA_TAKE(arena, cn_pose, (size_t)body_count);
    view->contact = CN_ARENA_TAKE(arena, struct cn_contact_view, (size_t)contact_max);
    view->acceleration = NULL;
}

/* Makes room for the view of contact_max contacts; false without memory. */
static bool
reserve_view(struct cn_view *view, const struct cn_model *model, int contact_max)
{
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    layout_view(view, &arena, model->body_count, contact_max);
    size_t size = (arena.used + 63) / 64 * 64 + 64;
    if (size > view->own_size) {
        void *own = aligned_alloc(64, size);
        if (own == NULL) {
            return false;
        }
        free(view->own);
        view->own = own;
        view->own_size = size;
    }
    cn_arena_init(&arena, view->own, view->own_size);
    layout_view(view, &arena, model->body_count, contact_max);
    return true;
}

static void
show_contacts(struct cn_view *view, const struct cn_pipeline *p)
{
    const struct cn_model *model = p->model;
    bool planar = model->settings.dimension == CN_PLANAR;
    const void *front = p->manifold[p->front];
    for (int i = 0; i < p->pair_count; i++) {
        const struct cn_touch *pair = &p->pair[i];
        if (pair->manifold < 0 || (pair->flags & CN_TOUCH_SENSOR) != 0) {
            continue;
        }
        struct cn_contact_view *to = &view->contact[view->contact_count];
        int found = p->stale ? cn_view_find_again(view, p, pair, to)
                    : planar ? cn_view_show2(to, model, pair,
                                   &((const struct cn_manifold2 *)front)[pair->manifold])
                             : cn_view_show3(to, model, pair,
                                   &((const struct cn_manifold3 *)front)[pair->manifold]);
        view->contact_count += found > 0 ? found : 0;
    }
}

void
cn_view_update_production(struct cn_view *view, const struct cn_world *world)
{
    const struct cn_model *model = &world->model;
    const struct cn_pipeline *p = &world->production->pipeline;
    int per_pair = model->settings.dimension == CN_PLANAR ? CN_POINTS_PLANAR_MAX
                                                          : CN_POINTS_SPATIAL_MAX;
    view->contact_count = 0;
    const struct cn_contact_view *asleep;
    int asleep_count = cn_view_asleep(view, world, &asleep);
    view->is_current =
        asleep_count >= 0 && reserve_view(view, model, per_pair * p->pair_count + asleep_count);
    view->summary = (struct cn_solve_summary){.outcome = CN_SOLVE_INEXACT};
    if (!view->is_current) {
        return;
    }
    for (int i = 0; i < model->body_count; i++) {
        view->pose[i] = cn_motion_pose(&model->motion[i], model->settings.dimension);
    }
    show_contacts(view, p);
    if (asleep_count > 0) {
        memcpy(&view->contact[view->contact_count], asleep,
            (size_t)asleep_count * sizeof(*asleep));
        view->contact_count += asleep_count;
    }
    view->summary.iteration_count = model->settings.substeps;
    view->summary.row_count = view->contact_count;
}

int
cn_view_count_production(const struct cn_world *world)
{
    if (world->view->is_current) {
        return world->view->contact_count;
    }
    const struct cn_pipeline *p = &world->production->pipeline;
    bool planar = world->model.settings.dimension == CN_PLANAR;
    int count = cn_view_count_asleep(world);
    for (int i = 0; i < p->pair_count; i++) {
        const struct cn_touch *pair = &p->pair[i];
        if (pair->manifold < 0 || (pair->flags & CN_TOUCH_SENSOR) != 0) {
            continue;
        }
        const void *front = p->manifold[p->front];
        count += planar ? ((const struct cn_manifold2 *)front)[pair->manifold].point_count
                        : ((const struct cn_manifold3 *)front)[pair->manifold].point_count;
    }
    return count;
}

cn_pose *
cn_view_poses(struct cn_world *world)
{
    struct cn_view *view = world->view;
    if (world->production != NULL && !reserve_view(view, &world->model, 0)) {
        return NULL;
    }
    return view->pose;
}
