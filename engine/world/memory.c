/*
 * memory.c: the memory for a world's contacts and scratch: its limits, its layout, its growth.
 *
 * There are two limits.  `memory_max` of the definition (memoryMib of a scene) is part of the
 * world, like gravity.  It decides how many contacts there is room for (the ceiling).  Beyond the
 * ceiling the last ones in order are left out, with an event, and the bits are the same wherever
 * the world runs.  The program that runs the world lends the account.  Another run may lend another
 * account, because it changes no bit: when it is spent, the tick waits.
 *
 * Both are checked before a world is made or gets another method.  The memory for its contacts
 * follows from the layout of the scratch (room_for), before anything is allocated.  The first limit
 * refuses with CN_LIMIT on every machine.  The second refuses with CN_MEMORY, like an empty heap.
 */
#include "engine/world/world_inside.h"

#include "engine/base/assert.h"
#include "engine/base/limits.h"
#include "engine/solve/table/solver_table.h"

#include <stdlib.h>
#include <string.h>

#define MIB ((size_t)1 << 20)

/*
 * A change of method needs this much more room than the present contacts, because contacts come and
 * go.
 */
#define CONTACTS_SPARE 4 /* a part of them */
#define CONTACTS_LEAST 16

/* Contacts for each remaining body that a world keeps room for when bodies were removed. */
#define CONTACTS_PER_BODY 6

/* Contacts that each moving shape will certainly have in a heap. */
#define CONTACTS_PER_SHAPE_PLANAR 2
#define CONTACTS_PER_SHAPE_SPATIAL 4

/* Room for contacts at the start: this many pairs for each shape, and a few more. */
#define PAIRS_PER_SHAPE 6
#define CONTACTS_START_MAX 4096 /* it grows when needed: many shapes may have few contacts */
#define CONTACTS_BASE 16

/* ---- layout ---- */

static void
layout_view(struct cn_view *view, struct cn_arena *arena, const struct cn_model *model)
{
    view->pose = CN_ARENA_TAKE(arena, cn_pose, (size_t)model->body_max);
    view->acceleration =
        CN_ARENA_TAKE(arena, struct cn_acceleration, (size_t)model->body_max);
    view->joint_max = model->joint_max;
    view->joint_force =
        CN_ARENA_TAKE(arena, double, CN_JOINT_PARTS * (size_t)model->joint_max);
    view->contact =
        CN_ARENA_TAKE(arena, struct cn_contact_view, 2 * (size_t)model->contact_max);
}

static void
layout_room(struct cn_world *world, struct cn_arena *arena)
{
    cn_model_layout_contacts(&world->model, arena);
    if (world->solver->kind != CN_SOLVER_BODIES) {
        layout_view(world->view, arena, &world->model);
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
    CN_ASSERT(full.joint_spare >= 0); /* model.h, invariant 4 */
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    arena.used = used;
    world->stepper->layout(&arena, &full, world->solver);
    return arena.used;
}

/* Bytes of `room` for model.contact_max contacts. */
static size_t
room_size(const struct cn_world *world)
{
    struct cn_world measured = *world;
    struct cn_view view = {0};
    measured.view = &view;
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    layout_room(&measured, &arena);
    return world->solver->kind != CN_SOLVER_BODIES ? scratch_size(world, arena.used) : arena.used;
}

/* ---- limits ---- */

static size_t
memory_max(const struct cn_world *world)
{
    return world->memory_max > 0 ? world->memory_max : CN_WORLD_MEMORY;
}

/*
 * The memory for contact_max contacts, with the present bodies only: slots laid out in advance must
 * not affect any result.
 */
static size_t
room_for(const struct cn_world *world, int contact_max)
{
    struct cn_world measured = *world;
    struct cn_model *model = &measured.model;
    model->body_max = model->body_count;
    model->shape_max = model->shape_count;
    model->joint_max = model->joint_count;
    model->joint_live = model->joint_count;
    model->contact_max = contact_max;
    return room_size(&measured);
}

/* The number of contacts that fit into `size` bytes, up to CN_CONTACTS_MAX. */
static int
contacts_within(const struct cn_world *world, size_t size)
{
    int low = 0, high = CN_CONTACTS_MAX;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (room_for(world, middle) <= size) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    CN_ASSERT(0 <= low && low <= CN_CONTACTS_MAX);
    return low;
}

/* The number of contacts that the world has, or will certainly have, under any method. */
static int
contacts_wanted(const struct cn_world *world)
{
    const struct cn_model *model = &world->model;
    int count = model->warm_count;
    if (world->production != NULL) {
        count = cn_view_count_production(world);
    }
    int per_shape = model->settings.dimension == CN_PLANAR ? CONTACTS_PER_SHAPE_PLANAR
                                                           : CONTACTS_PER_SHAPE_SPATIAL;
    int64_t sure = 0;
    for (int i = 0; i < model->body_count && world->model.clock.tick == 0; i++) {
        bool moves = model->body[i].mass_inverse > 0.0 && !model->body[i].absent;
        sure += moves ? (int64_t)per_shape * model->body[i].shape_count : 0;
    }
    sure = sure < CN_CONTACTS_MAX ? sure : CN_CONTACTS_MAX;
    count = count > (int)sure ? count : (int)sure;
    int wanted = count + count / CONTACTS_SPARE + CONTACTS_LEAST;
    return wanted < CN_CONTACTS_MAX ? wanted : CN_CONTACTS_MAX;
}

void
cn_world_set_ceiling(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    struct cn_ceiling_key key = {.solver = world->solver, .stepper = world->stepper,
        .body_count = model->body_count, .shape_count = model->shape_count,
        .joint_count = model->joint_count};
    const struct cn_ceiling_key *last = &world->ceiling_key;
    bool is_same = key.solver == last->solver && key.stepper == last->stepper &&
                   key.body_count == last->body_count && key.shape_count == last->shape_count &&
                   key.joint_count == last->joint_count;
    if (is_same) {
        return;
    }
    world->ceiling_key = key;
    model->contact_ceiling = world->solver->kind == CN_SOLVER_BODIES
                                 ? CN_CONTACTS_MAX
                                 : contacts_within(world, memory_max(world));
}

/* The bytes that the account will have left once the world has freed its present room. */
static size_t
left_of(const struct cn_world *world)
{
    size_t left = cn_account_left(&world->account);
    return left > (size_t)-1 - world->room_size ? left : left + world->room_size;
}

enum cn_status
cn_world_check_method(const struct cn_world *world, const struct cn_stepper *stepper,
    const struct cn_solver *solver, const char *path, struct cn_defect *defect)
{
    if (solver->kind == CN_SOLVER_BODIES) {
        return CN_OK;
    }
    struct cn_world tried = *world;
    tried.stepper = stepper;
    tried.solver = solver;
    int wanted = contacts_wanted(world);
    size_t needed = room_for(&tried, wanted), max = memory_max(world), left = left_of(world);
    size_t allowed = max < left ? max : left;
    if (needed <= allowed) {
        return CN_OK;
    }
    return cn_defect_set(defect, max <= left ? CN_LIMIT : CN_MEMORY, path,
        "is \"%s\", which with the stepper %s needs %zu MiB for this world's %d contacts; %s %zu "
        "MiB, enough for %d contacts",
        solver->name, stepper->name, (needed + MIB - 1) / MIB, wanted,
        max <= left ? "a world may have (memoryMib)" : "the memory of worlds has left",
        allowed / MIB, contacts_within(&tried, allowed));
}

/* ---- growth ---- */

bool
cn_world_grow(struct cn_world *world, int contact_max)
{
    struct cn_model *model = &world->model;
    CN_ASSERT(contact_max >= model->warm_count && contact_max >= model->impulse_count);
    struct cn_world before = *world;
    model->contact_max = contact_max;
    size_t size = (room_size(world) + 63) / 64 * 64;
    bool is_granted = cn_world_take_memory(world, before.room_size, size);
    void *room = is_granted ? aligned_alloc(64, size > 0 ? size : 64) : NULL;
    if (room == NULL) {
        if (is_granted) {
            (void)!cn_world_take_memory(world, size, before.room_size);
        }
        model->contact_max = before.model.contact_max;
        return false;
    }
    cn_slice_give_up(world); /* stops only a view: a piece has its memory when it begins */
    struct cn_arena arena;
    cn_arena_init(&arena, room, size > 0 ? size : 64);
    layout_room(world, &arena);
    CN_ASSERT(arena.used <= arena.size); /* both layouts are one function */
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
    world->room_body_count = cn_slots_count(&world->model.body_slots);
    CN_ASSERT(model->warm_count <= model->contact_max);
    free(before.room);
    return true;
}

bool
cn_world_make_room(struct cn_world *world, int needed)
{
    CN_ASSERT(needed >= 0 && world->model.contact_ceiling >= 0);
    int ceiling = world->model.contact_ceiling;
    int least = needed < ceiling ? needed : ceiling;
    int wanted = needed + needed / 2 < ceiling ? needed + needed / 2 : ceiling;
    return cn_world_grow(world, wanted) || (least < wanted && cn_world_grow(world, least));
}

void
cn_world_shrink(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    if (world->production != NULL || world->room_size < CN_ROOM_SHRINKS_FROM) {
        return; /* before the count, which visits all slots */
    }
    int present = cn_slots_count(&world->model.body_slots);
    if (present >= world->room_body_count / 2) {
        return;
    }
    int least = CONTACTS_LEAST + CONTACTS_PER_BODY * present;
    least = model->warm_count > least ? model->warm_count : least;
    least = model->impulse_count > least ? model->impulse_count : least;
    if (least < model->contact_max) {
        (void)!cn_world_grow(world, least); /* without memory it keeps its size */
    }
    world->room_body_count = present;
}

/* ---- methods ---- */

/* Room for contacts at the start; a production has its own memory. */
static int
contacts_at_start(const struct cn_world *world)
{
    if (world->solver->kind == CN_SOLVER_BODIES) {
        return 0;
    }
    int contact_max = CONTACTS_BASE + PAIRS_PER_SHAPE * world->model.shape_count;
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
