/*
 * world.c: makes a world from its definition, and steps it.
 */
#include "engine/world/world_inside.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/model/life.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room for contacts at the start: this many pairs for each shape, and a few more. */
#define CONTACTS_PER_SHAPE 6
#define CONTACTS_START_MAX 4096 /* it grows when needed: many shapes may have few contacts */
#define CONTACTS_BASE 16

#define HELD_START 16   /* room for held inputs at first */
#define CHANGES_START 64

/* ---- memory ---- */

void *
cn_world_allocate(size_t size)
{
    size_t rounded = (size + 63) / 64 * 64;
    void *block = aligned_alloc(64, rounded > 0 ? rounded : 64);
    if (block != NULL) {
        memset(block, 0, rounded);
    }
    return block;
}

static void
layout_room(struct cn_world *world, struct cn_arena *arena)
{
    cn_model_layout_contacts(&world->model, arena);
    if (world->solver->kind != CN_SOLVER_BODIES) {
        cn_view_layout(world->view, arena, &world->model);
    } else { /* it gets its own memory when it is read */
        world->view->pose = NULL;
        world->view->contact = NULL;
        world->view->acceleration = NULL;
    }
}

/*
 * The scratch that the stepper needs when every slot is taken; a joint yet to be made has all rows.
 */
static size_t
scratch_size(const struct cn_world *world, size_t used)
{
    struct cn_model full = world->model;
    full.body_count = full.body_max;
    full.shape_count = full.shape_max;
    full.joint_spare = full.joint_max - full.joint_live;
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    arena.used = used;
    world->stepper->layout(&arena, &full, world->solver);
    return arena.used;
}

size_t
cn_world_room_size(const struct cn_world *world)
{
    struct cn_world measured = *world;
    struct cn_view view = {0};
    measured.view = &view;
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    layout_room(&measured, &arena);
    return world->solver->kind != CN_SOLVER_BODIES ? scratch_size(world, arena.used) : arena.used;
}

bool
cn_world_grow(struct cn_world *world, int contact_max)
{
    struct cn_model *model = &world->model;
    CN_ASSERT(contact_max >= model->warm_count && contact_max >= model->impulse_count);
    struct cn_world before = *world;
    model->contact_max = contact_max;
    size_t size = (cn_world_room_size(world) + 63) / 64 * 64;
    bool is_granted = cn_world_take_memory(world, before.room_size, size);
    void *room = is_granted ? aligned_alloc(64, size > 0 ? size : 64) : NULL;
    if (room == NULL) {
        if (is_granted) {
            (void)!cn_world_take_memory(world, size, before.room_size);
        }
        model->contact_max = before.model.contact_max;
        return false;
    }
    cn_slice_give_up(world); /* stops only a view: the memory of a piece is known before it
                                begins */
    struct cn_arena arena;
    cn_arena_init(&arena, room, size > 0 ? size : 64);
    layout_room(world, &arena);
    memset(room, 0, arena.used); /* touch the memory now, not in a tick */
    if (before.room != NULL) {
        memcpy(model->warm, before.model.warm, (size_t)model->warm_count * sizeof(model->warm[0]));
        memcpy(model->impulse, before.model.impulse,
            (size_t)model->impulse_count * sizeof(model->impulse[0]));
    }
    cn_arena_init(&world->scratch, arena.memory + arena.used, arena.size - arena.used);
    world->room = room;
    world->room_size = size;
    world->view->is_current = false;
    world->room_body_count = cn_world_present_count(world);
    free(before.room);
    return true;
}

/* A larger block for an array of `count` entries of `size`; false without memory. */
static bool
enlarge(void **array, int count, int count_max, size_t size)
{
    void *larger = cn_world_allocate((size_t)count_max * size);
    if (larger == NULL) {
        return false;
    }
    if (count > 0) {
        memcpy(larger, *array, (size_t)count * size);
    }
    free(*array);
    *array = larger;
    return true;
}

bool
cn_world_hold_room(struct cn_world *world, int count)
{
    struct cn_model *model = &world->model;
    if (count <= model->held_max) {
        return true;
    }
    int max = count > 2 * model->held_max ? count : 2 * model->held_max;
    void *held = model->held;
    if (!enlarge(&held, model->held_count, max, sizeof(model->held[0]))) {
        return false;
    }
    model->held = held;
    model->held_max = max;
    return true;
}

/* Makes room for `count` changes; without memory the older changes are forgotten sooner. */
void
cn_world_change_room(struct cn_world *world, int count)
{
    struct cn_model *model = &world->model;
    int max = model->change_max > 0 ? model->change_max : CHANGES_START;
    while (max < model->change_count + count && max < CN_CHANGES_MAX) {
        max *= 2;
    }
    if (max == model->change_max) {
        return;
    }
    void *change = model->change;
    if (enlarge(&change, model->change_count, max, sizeof(model->change[0]))) {
        model->change = change;
        model->change_max = max;
    }
}

/* When the last tick's events did not fit, doubles the room for this one. */
static void
event_room(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    int max = 2 * model->event_max < CN_EVENTS_MAX ? 2 * model->event_max : CN_EVENTS_MAX;
    void *event = model->event;
    if (model->event_dropped > 0 && max > model->event_max &&
        enlarge(&event, model->event_count, max, sizeof(model->event[0]))) {
        model->event = event;
        model->event_max = max;
    }
}

/* Room for contacts at the start; a production has its own memory. */
static int
contacts_at_start(const struct cn_world *world)
{
    if (world->solver->kind == CN_SOLVER_BODIES) {
        return 0;
    }
    int contact_max = CONTACTS_BASE + CONTACTS_PER_SHAPE * world->model.shape_count;
    contact_max = contact_max < CONTACTS_START_MAX ? contact_max : CONTACTS_START_MAX;
    int ceiling = world->model.contact_ceiling;
    return contact_max < ceiling ? contact_max : ceiling;
}

bool
cn_world_refit(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    cn_world_set_ceiling(world);
    int contact_max = contacts_at_start(world);
    if (world->solver->kind == CN_SOLVER_BODIES) {
        model->warm_count = model->impulse_count = 0;
    } else if (model->contact_max > contact_max) { /* the old size, as far as there is memory */
        int ceiling = model->contact_ceiling;
        contact_max = model->contact_max < ceiling ? model->contact_max : ceiling;
        contact_max = model->warm_count > contact_max ? model->warm_count : contact_max;
        contact_max = model->impulse_count > contact_max ? model->impulse_count : contact_max;
    }
    return cn_world_fit_production(world) && cn_world_grow(world, contact_max);
}

bool
cn_world_fits(const struct cn_world *world)
{
    if (world->solver->kind == CN_SOLVER_BODIES || world->production != NULL) {
        return world->solver->kind == CN_SOLVER_BODIES && world->production != NULL;
    }
    return scratch_size(world, 0) <= world->scratch.size;
}

void
cn_world_bind(struct cn_world *world)
{
    world->stepper = cn_stepper_find(world->model.settings.stepper);
    world->solver = cn_solver_find(world->model.settings.solver);
    CN_ASSERT(cn_stepper_fits(world->stepper, world->solver));
}

/* ---- from the definition ---- */

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
    return true;
}

/* False: there is no memory, or *status gives another reason. */
static bool
create(struct cn_world *world, const struct cn_world_def *def, enum cn_status *status,
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
        !cn_world_hold_room(world, HELD_START)) {
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
    if (!create(made, def, &status, defect)) {
        cn_world_destroy(made);
        if (status != CN_OK) {
            return status;
        }
        return cn_defect_set(
            defect, CN_MEMORY, "", "no memory for a world of %d bodies", def->body_count);
    }
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
    free(world->model.held);
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
    cn_view_forget_slumber(world->view);
    free(world->view->own);
    free(world->view);
    free(world);
}

/* ---- stepping ---- */

static void
drop_expired(struct cn_model *model)
{
    int kept = 0;
    for (int i = 0; i < model->held_count; i++) {
        uint64_t until = model->held[i].holder.until_tick;
        if (until != 0 && until <= model->clock.tick) {
            cn_model_event(model, CN_EVENT_EXPIRED, -1, -1, model->held[i].holder.slot);
            continue;
        }
        model->held[kept] = model->held[i];
        kept++;
    }
    model->held_count = kept;
}

static void
begin_tick(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    event_room(world);
    cn_world_shrink(world);
    if (world->production == NULL) {
        cn_world_set_ceiling(world);
    }
    int kept = model->event_count - model->event_shown; /* events of commands since the last tick */
    for (int i = 0; i < kept; i++) {
        model->event[i] = model->event[model->event_shown + i];
    }
    model->event_count = kept;
    model->event_dropped = 0;
    model->impulse_count = 0;
    model->clock.elapsed = 0.0;
    model->clock.impacts = 0;
    model->clock.pieces = 0;
    model->clock.inelastic = false;
    model->clock.unsearched = false;
    model->clock.coarse = false;
    model->clock.spent = 0;
    model->clock.mid_tick = true;
    drop_expired(model);
}

/*
 * Undoes the begin of a tick of which no piece is done, so that commands may be applied first.
 * Expired inputs stay expired, and their events stay with those of commands since the last tick.
 */
static void
take_back_begin(struct cn_model *model)
{
    if (model->clock.pieces == 0 && model->clock.elapsed == 0.0) {
        model->clock.mid_tick = false;
        model->event_shown = 0;
    }
}

static void
end_tick(struct cn_model *model)
{
    model->clock.tick++;
    double ticks = (double)(model->clock.tick - model->clock.rate_tick);
    model->clock.time = model->clock.rate_time + ticks * cn_model_tick_duration(model);
    model->clock.elapsed = 0.0;
    model->clock.mid_tick = false;
    model->event_shown = model->event_count;
    cn_model_settle(model);
}

bool
cn_world_make_room(struct cn_world *world, int needed)
{
    int ceiling = world->model.contact_ceiling;
    int least = needed < ceiling ? needed : ceiling;
    int wanted = needed + needed / 2 < ceiling ? needed + needed / 2 : ceiling;
    return cn_world_grow(world, wanted) || (least < wanted && cn_world_grow(world, least));
}

static struct cn_arena
scratch_of(const struct cn_world *world)
{
    struct cn_arena scratch = world->scratch;
    if (world->production != NULL) {
        const struct cn_scratch *memory = cn_world_scratch(world);
        scratch = (struct cn_arena){.memory = memory->memory, .size = memory->size};
    }
    return scratch;
}

static bool
make_room(struct cn_world *world, int needed)
{
    return world->production == NULL ? cn_world_make_room(world, needed)
                                     : cn_production_make_room(world);
}

/* Whether all pieces of the tick are done, and closing the tick is left. */
static bool
is_closing(const struct cn_model *model)
{
    return model->clock.mid_tick && model->clock.elapsed >= cn_model_tick_duration(model);
}

/* Closes the tick after its last piece. */
static enum cn_step_result
close_tick(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    model->clock.elapsed = cn_model_tick_duration(model);
    if (!cn_world_break_joints(world)) {
        return CN_STEP_MEMORY;
    }
    /* A pipeline finds the pairs of its sensors itself. */
    if (world->production == NULL && !cn_world_sense(world)) {
        return CN_STEP_MEMORY;
    }
    end_tick(model);
    cn_history_tick(world);
    return CN_STEP_DONE;
}

enum cn_step_result
cn_world_step(struct cn_world *world, int64_t work)
{
    struct cn_model *model = &world->model;
    struct cn_slice *slice = &world->slice;
    world->view->is_current = false;
    if (slice->kind == CN_SLICE_LOOK) {
        cn_slice_give_up(world); /* a view that was stopped reads data that is about to change */
    }
    if (work < CN_WORK_UNLIMITED && !cn_slice_ready(world)) {
        return CN_STEP_MEMORY;
    }
    if (!model->clock.mid_tick) {
        begin_tick(world);
    }
    if (slice->kind == CN_SLICE_NONE && is_closing(model)) {
        return close_tick(world);
    }
    if (world->production != NULL && !cn_production_begin(world)) {
        take_back_begin(model);
        return CN_STEP_MEMORY;
    }
    for (;;) { /* bounded: the stepper limits the pieces of a tick, the ceiling the growth */
        if (slice->kind == CN_SLICE_NONE) {
            slice->context = (struct cn_step_context){.model = model, .solver = world->solver,
                .scratch = scratch_of(world)};
            if (world->production != NULL) {
                slice->context.pipeline = &world->production->pipeline;
                slice->context.tools = &world->tools;
            }
        }
        if (!cn_slice_advance(world, work)) {
            return CN_STEP_MORE;
        }
        switch (slice->advance) {
        case CN_ADVANCE_ROOM:
            if (!make_room(world, slice->context.room_needed)) {
                take_back_begin(model);
                return CN_STEP_MEMORY;
            }
            break;
        case CN_ADVANCE_TICK:
            return close_tick(world);
        case CN_ADVANCE_PIECE:
            return CN_STEP_MORE;
        }
    }
}

bool
cn_world_is_mid_tick(const struct cn_world *world)
{
    return world->model.clock.mid_tick;
}
