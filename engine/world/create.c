/*
 * create.c: makes a world from its definition, and destroys it.
 */
#include "engine/base/assert.h"
#include "engine/world/history.h"
#include "engine/world/structure.h"
#include "engine/world/world_inside.h"

#include <stdlib.h>

#define HELD_START 16   /* room for held inputs at first */

/* Lays out the arrays of fixed size, and those for the originals of the scene. */
static void
layout_fixed(struct cn_world *world, struct cn_arena *arena)
{
    cn_model_layout(&world->model, arena);
    world->origin =
        CN_ARENA_TAKE(arena, struct cn_origin *, (size_t)world->model.body_count);
    world->joint_origin =
        CN_ARENA_TAKE(arena, struct cn_joint *, (size_t)world->model.joint_count);
}

static bool
allocate_fixed(struct cn_world *world)
{
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    layout_fixed(world, &arena);
    size_t size = (arena.used + 63) / 64 * 64;
    world->fixed = cn_world_allocate(size);
    world->fixed_size = size;
    if (world->fixed == NULL) {
        return false;
    }
    cn_arena_init(&arena, world->fixed, size);
    layout_fixed(world, &arena);
    CN_ASSERT(arena.used <= size); /* both layouts are one function */
    return true;
}

/* False: there is no memory, or *status gives another reason. */
static bool
create_parts(struct cn_world *world, const struct cn_world_def *def, enum cn_status *status,
    struct cn_defect *defect)
{
    struct cn_model *model = &world->model;
    model->settings = def->settings;
    model->settings.gravity = cn_model_flat(model, def->settings.gravity);
    model->tick_rate = def->tick_rate;
    model->seed = def->seed;
    world->memory_max = def->memory_max;
    cn_make_count(model, def);
    cn_world_bind(world);
    model->event_max = def->event_max > 0 ? def->event_max : CN_EVENTS_START;
    model->event = cn_world_allocate((size_t)model->event_max * sizeof(model->event[0]));
    if (model->event == NULL || !allocate_fixed(world) || !cn_structure_create(world) ||
        !cn_world_hold_room(world, HELD_START) ||
        !cn_world_attribute_room(world, def->attribute_count)) {
        return false;
    }
    for (int i = 0; i < model->mesh_count; i++) {
        model->mesh[i] = cn_mesh_keep(def->meshes[i]);
    }
    cn_make_all(world, def);
    *status = cn_world_check_method(
        world, world->stepper, world->solver, "world.solver", defect);
    return *status == CN_OK && cn_world_refit(world);
}

enum cn_status
cn_world_create(
    const struct cn_world_def *def, struct cn_defect *defect, struct cn_world **world)
{
    enum cn_status status = cn_world_def_check(def, defect);
    if (status != CN_OK) {
        return status;
    }
    struct cn_world *made = calloc(1, sizeof(*made));
    struct cn_view *view = calloc(1, sizeof(*view));
    if (made == NULL || view == NULL) {
        free(made);
        free(view);
        return cn_defect_set(defect, CN_MEMORY, "", "no memory for a world");
    }
    made->view = view;
    made->account.max = SIZE_MAX;
    view->world = made;
    if (!create_parts(made, def, &status, defect)) {
        cn_world_destroy(made);
        if (status != CN_OK) {
            return status;
        }
        return cn_defect_set(
            defect, CN_MEMORY, "", "no memory for a world of %d bodies", def->body_count);
    }
    CN_ASSERT(made->model.body_count == def->body_count && made->stepper != NULL);
    *world = made;
    return CN_OK;
}

void
cn_world_destroy(struct cn_world *world)
{
    if (world == NULL) {
        return;
    }
    for (int i = 0; i < world->scene_body_count; i++) {
        free(world->origin[i]);
    }
    for (int i = 0; i < world->scene_joint_count; i++) {
        free(world->joint_origin[i]);
    }
    cn_slice_give_up(world);
    cn_fiber_destroy(world->slice.idle);
    cn_history_destroy(world->history);
    cn_structure_destroy(world);
    free(world->ending);
    free(world->model.held);
    free(world->model.attribute);
    free(world->model.move);
    free(world->model.passage);
    free(world->model.event);
    free(world->model.change);
    free(world->model.within);
    cn_production_destroy(world->production);
    for (int i = 0; i < world->model.mesh_count && world->fixed != NULL; i++) {
        cn_mesh_drop(world->model.mesh[i]);
    }
    cn_account_give(&world->account, world->account.used);
    free(world->room);
    free(world->fixed);
    cn_view_forget_asleep(world->view);
    free(world->view->own);
    free(world->view);
    free(world);
}
