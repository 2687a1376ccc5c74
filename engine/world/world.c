/*
 * world.c: makes a world from its definition and steps it.
 */
#include "engine/world/world_inside.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room for contacts at the start: pairs that may touch, for each shape, and a few. */
#define CONTACTS_PER_SHAPE 6
#define CONTACTS_BASE 16

/* Tolerances in parts of the smallest width of what can move, and of that width a second. */
#define GAP_FRACTION 1e-5
#define VELOCITY_FRACTION 1e-5

/* ---- memory ---- */

static void *
allocate(size_t size)
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
    cn_view_layout(world->view, arena, &world->model);
}

static size_t
room_size(const struct cn_world *world)
{
    struct cn_world measured = *world;
    struct cn_view view = {0};
    measured.view = &view;
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    layout_room(&measured, &arena);
    world->stepper->layout(&arena, &measured.model, world->solver);
    return arena.used;
}

bool
cn_world_grow(struct cn_world *world, int contact_max)
{
    struct cn_model *model = &world->model;
    CN_ASSERT(contact_max >= model->warm_count && contact_max >= model->impulse_count);
    struct cn_world before = *world;
    model->contact_max = contact_max;
    size_t size = room_size(world);
    void *room = allocate(size);
    if (room == NULL) {
        model->contact_max = before.model.contact_max;
        return false;
    }
    struct cn_arena arena;
    cn_arena_init(&arena, room, (size + 63) / 64 * 64);
    layout_room(world, &arena);
    if (before.room != NULL) {
        memcpy(model->warm, before.model.warm, (size_t)model->warm_count * sizeof(model->warm[0]));
        memcpy(model->impulse, before.model.impulse,
            (size_t)model->impulse_count * sizeof(model->impulse[0]));
    }
    cn_arena_init(&world->scratch, arena.memory + arena.used, arena.size - arena.used);
    world->room = room;
    world->view->is_current = false;
    free(before.room);
    return true;
}

bool
cn_world_refit(struct cn_world *world)
{
    return cn_world_grow(world, world->model.contact_max);
}

bool
cn_world_fits(const struct cn_world *world)
{
    struct cn_arena need;
    cn_arena_init_measure(&need);
    world->stepper->layout(&need, &world->model, world->solver);
    return need.used <= world->scratch.size;
}

void
cn_world_bind(struct cn_world *world)
{
    world->stepper = cn_stepper_find(world->model.settings.stepper);
    world->solver = cn_solver_find(world->model.settings.solver);
    CN_ASSERT(cn_stepper_fits(world->stepper, world->solver));
}

/* ---- from the definition ---- */

static void
count(struct cn_model *model, const struct cn_world_def *def)
{
    model->body_count = def->body_count;
    model->material_count = def->material_count > 0 ? def->material_count : 1;
    model->spring_count = def->spring_count;
    model->thruster_count = def->thruster_count;
    cn_world_count_joints(model, def);
    for (int i = 0; i < def->body_count; i++) {
        const struct cn_body_def *body = &def->bodies[i];
        model->shape_count += body->shape_count;
        for (int k = 0; k < body->shape_count; k++) {
            cn_shape_measure(
                &body->shapes[k], def->settings.dimension, &model->shape_room);
        }
    }
}

static void
make_shapes(struct cn_model *model, const struct cn_body_def *def, int index,
    struct cn_shape_store *store)
{
    struct cn_body *body = &model->body[index];
    for (int k = 0; k < def->shape_count; k++) {
        struct cn_shape *shape = &model->shape[body->shape_first + k];
        cn_shape_bake(&def->shapes[k], model->settings.dimension, index, body->center, store,
            shape);
        if (shape->sensor) {
            continue;
        }
        body->reach = cn_max(body->reach, shape->reach);
        if (body->type == CN_DYNAMIC) {
            model->length_min = cn_min(model->length_min, shape->width);
        }
    }
}

static void
make_body(struct cn_model *model, const struct cn_body_def *def, int index)
{
    struct cn_body *body = &model->body[index];
    body->type = def->type;
    body->shape_count = def->shape_count;
    body->gravity_scale = def->gravity_scale;
    body->damping_linear = def->damping_linear;
    body->damping_angular = def->damping_angular;
    body->locks = def->locks;
    body->bullet = def->bullet;
    body->sleepless = def->sleepless;
    model->rest[index].island = -1;
    bool planar = model->settings.dimension == CN_PLANAR;
    if (def->type == CN_DYNAMIC) {
        struct cn_mass_properties mass = cn_body_def_weigh(def, model->settings.dimension);
        body->mass = mass.mass;
        body->inertia = planar ? cn_mat33_diagonal(0.0, 0.0, mass.inertia.cz.z) : mass.inertia;
        body->center = mass.center;
        cn_model_release(model, index);
    } else {
        body->mass = def->mass; /* what it attracts by; nothing moves it */
    }
    struct cn_motion *motion = &model->motion[index];
    motion->angle = planar ? def->angle : 0.0;
    motion->orientation =
        planar ? cn_quat_about_z(def->angle) : cn_quat_normalize(def->orientation);
    cn_pose frame = cn_motion_pose(motion, model->settings.dimension);
    frame.position = cn_model_flat(model, def->position);
    motion->position = cn_pose_apply(&frame, body->center);
    if (def->type != CN_STATIC) {
        motion->velocity = cn_model_flat(model, def->velocity);
        motion->angular_velocity =
            planar ? cn_vec3_make(0.0, 0.0, def->angular_velocity.z) : def->angular_velocity;
    }
}

/* The radius at which the mass would turn as heavily about the stiffest axis [m]. */
static double
gyration(const struct cn_body *body)
{
    double trace = body->inertia.cx.x + body->inertia.cy.y + body->inertia.cz.z;
    return body->mass > 0.0 ? sqrt(trace / body->mass) : 0.0;
}

/* A body without solid shapes has the size of its inertia: by it errors of turning are measured. */
static void
size_shapeless(struct cn_model *model)
{
    bool has_length = isfinite(model->length_min);
    for (int i = 0; i < model->body_count; i++) {
        struct cn_body *body = &model->body[i];
        if (body->reach > 0.0 || body->type != CN_DYNAMIC) {
            continue;
        }
        body->reach = gyration(body);
        if (!has_length && body->reach > 0.0) {
            model->length_min = cn_min(model->length_min, 2.0 * body->reach);
        }
    }
}

static void
make_bodies(struct cn_model *model, const struct cn_world_def *def)
{
    int shape_next = 0;
    struct cn_shape_store store = model->shape_store;
    model->length_min = HUGE_VAL;
    for (int i = 0; i < def->body_count; i++) {
        model->body[i] = (struct cn_body){.shape_first = shape_next};
        make_body(model, &def->bodies[i], i);
        make_shapes(model, &def->bodies[i], i, &store);
        shape_next += def->bodies[i].shape_count;
    }
    for (int i = 0; i < model->shape_count; i++) {
        model->shape_order[i] = i;
    }
    size_shapeless(model);
    if (!isfinite(model->length_min)) {
        model->length_min = 1.0;
    }
    model->gap_tolerance = GAP_FRACTION * model->length_min;
    model->velocity_tolerance = VELOCITY_FRACTION * model->length_min;
}

/* A point of a body's frame, in the frame of its centre of mass. */
static cn_vec3
from_center(const struct cn_model *model, int body, cn_vec3 point)
{
    return cn_model_flat(model, cn_vec3_sub(point, model->body[body].center));
}

static void
make_rest(struct cn_model *model, const struct cn_world_def *def)
{
    for (int i = 0; i < model->material_count; i++) {
        struct cn_material_def material;
        cn_material_def_init(&material);
        if (i < def->material_count) {
            material = def->materials[i];
        }
        model->material[i] = (struct cn_material){material.friction, material.static_friction,
            material.restitution, material.rolling_friction, material.spinning_friction,
            cn_model_flat(model, material.surface_velocity)};
    }
    for (int i = 0; i < def->spring_count; i++) {
        const struct cn_spring_def *spring = &def->springs[i];
        cn_vec3 fixed = cn_model_flat(model, spring->anchor_a);
        model->spring[i] = (struct cn_spring){
            .body_a = spring->body_a,
            .body_b = spring->body_b,
            .anchor_a = spring->body_a < 0 ? fixed
                                           : from_center(model, spring->body_a, spring->anchor_a),
            .anchor_b = from_center(model, spring->body_b, spring->anchor_b),
            .stiffness = spring->stiffness,
            .damping = spring->damping,
            .rest_length = spring->rest_length,
        };
    }
    for (int i = 0; i < def->thruster_count; i++) {
        const struct cn_thruster_def *thruster = &def->thrusters[i];
        model->thruster[i] = (struct cn_thruster){
            .body = thruster->body,
            .at = from_center(model, thruster->body, thruster->at),
            .force = cn_model_flat(model, thruster->force),
        };
    }
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
    struct cn_model *model = &made->model;
    made->view = view;
    view->world = made;
    model->settings = def->settings;
    model->settings.gravity = cn_model_flat(model, def->settings.gravity);
    model->tick_rate = def->tick_rate;
    model->seed = def->seed;
    model->contact_ceiling = CN_CONTACTS_MAX;
    model->event_max = def->event_max > 0 ? def->event_max : CN_EVENTS_START;
    count(model, def);
    cn_world_bind(made);

    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    cn_model_layout(model, &arena);
    size_t size = (arena.used + 63) / 64 * 64;
    made->fixed = allocate(size);
    int contact_max = CONTACTS_BASE + CONTACTS_PER_SHAPE * model->shape_count;
    if (contact_max > CN_CONTACTS_MAX) {
        contact_max = CN_CONTACTS_MAX;
    }
    if (made->fixed == NULL) {
        cn_world_destroy(made);
        return cn_defect_set(defect, CN_MEMORY, "", "no memory for %zu bytes of bodies", size);
    }
    cn_arena_init(&arena, made->fixed, size);
    cn_model_layout(model, &arena);
    make_bodies(model, def);
    make_rest(model, def);
    cn_world_make_joints(model, def);
    if (!cn_world_grow(made, contact_max)) {
        cn_world_destroy(made);
        return cn_defect_set(defect, CN_MEMORY, "", "no memory for %d contacts", contact_max);
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
    free(world->room);
    free(world->fixed);
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
begin_tick(struct cn_model *model)
{
    model->event_count = 0;
    model->event_dropped = 0;
    model->impulse_count = 0;
    model->clock.elapsed = 0.0;
    model->clock.impacts = 0;
    model->clock.pieces = 0;
    model->clock.inelastic = false;
    model->clock.unsearched = false;
    model->clock.mid_tick = true;
    drop_expired(model);
}

static void
end_tick(struct cn_model *model)
{
    model->clock.tick++;
    double ticks = (double)(model->clock.tick - model->clock.rate_tick);
    model->clock.time = model->clock.rate_time + ticks * cn_model_tick_duration(model);
    model->clock.elapsed = 0.0;
    model->clock.mid_tick = false;
}

void
cn_world_make_room(struct cn_world *world, int needed)
{
    struct cn_model *model = &world->model;
    int wanted = needed + needed / 2;
    if (wanted > model->contact_ceiling) {
        wanted = model->contact_ceiling;
    }
    if (!cn_world_grow(world, wanted)) {
        model->contact_ceiling = model->contact_max;
    }
}

enum cn_step_result
cn_world_step(struct cn_world *world, int64_t work)
{
    struct cn_model *model = &world->model;
    struct cn_step_context context = {.model = model, .solver = world->solver};
    world->view->is_current = false;
    if (!model->clock.mid_tick) {
        begin_tick(model);
    }
    for (;;) { /* bounded: the stepper bounds the pieces of a tick, the ceiling the growth */
        context.scratch = world->scratch;
        switch (world->stepper->advance(&context)) {
        case CN_ADVANCE_ROOM:
            cn_world_make_room(world, context.room_needed);
            break;
        case CN_ADVANCE_TICK:
            end_tick(model);
            return CN_STEP_DONE;
        case CN_ADVANCE_PIECE:
            if (context.work >= work) {
                return CN_STEP_MORE;
            }
            break;
        }
    }
}

bool
cn_world_is_mid_tick(const struct cn_world *world)
{
    return world->model.clock.mid_tick;
}
