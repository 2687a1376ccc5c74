/* world_walk.c: walks a world: settings, materials, bodies, forces, and calls the other walks. */
#include "engine/state/walk_inside.h"

/* ---- structs ---- */

WALK_STRUCT(walk_settings, struct cn_settings, CN_FIELDS_SETTINGS)
WALK_STRUCT(walk_clock, struct cn_clock, CN_FIELDS_CLOCK)
WALK_STRUCT(walk_material, struct cn_material, CN_FIELDS_MATERIAL)
WALK_STRUCT(walk_motion_planar, struct cn_motion, CN_FIELDS_MOTION_PLANAR)
WALK_STRUCT(walk_motion_spatial, struct cn_motion, CN_FIELDS_MOTION_SPATIAL)
WALK_STRUCT(walk_body, struct cn_body, CN_FIELDS_BODY)
WALK_STRUCT(walk_rest, struct cn_rest, CN_FIELDS_REST)
WALK_STRUCT(walk_joint, struct cn_joint_state, CN_FIELDS_JOINT)
WALK_STRUCT(walk_spring, struct cn_spring, CN_FIELDS_SPRING)
WALK_STRUCT(walk_thruster, struct cn_thruster, CN_FIELDS_THRUSTER)
WALK_STRUCT(walk_constant_force, struct cn_constant_force, CN_FIELDS_CONSTANT_FORCE)
WALK_STRUCT(walk_held, struct cn_held, CN_FIELDS_HELD)
WALK_STRUCT(walk_warm_start, struct cn_warm_start, CN_FIELDS_WARM_START)
WALK_STRUCT(walk_warm_across, struct cn_warm_start, CN_FIELDS_WARM_ACROSS)

/* ---- the world ---- */

/* Walks a count that the definition fixes; false when the image is of another scene. */
static bool
walk_fixed(struct cn_walk *walk, int count)
{
    int32_t value = count;
    walk_I32(walk, &value);
    return value == count;
}

#define BODY_SIZE_MAX 128
_Static_assert(walk_body_size + walk_motion_planar_size + walk_rest_size <= BODY_SIZE_MAX &&
        walk_body_size + walk_motion_spatial_size + walk_rest_size <= BODY_SIZE_MAX,
    "a row has room for a body");

static void
walk_one(struct cn_walk *walk, struct cn_model *model, int i, bool planar)
{
    unsigned char *start = row_begin(walk, BODY_SIZE_MAX), *to = start;
    if (start != NULL) {
        to = walk_body_put(to, &model->body[i]);
        to = planar ? walk_motion_planar_put(to, &model->motion[i])
                    : walk_motion_spatial_put(to, &model->motion[i]);
        row_end(walk, start, walk_rest_put(to, &model->rest[i]));
        return;
    }
    walk_body(walk, &model->body[i]);
    if (planar) {
        walk_motion_planar(walk, &model->motion[i]);
    } else {
        walk_motion_spatial(walk, &model->motion[i]);
    }
    walk_rest(walk, &model->rest[i]);
}

/* Walks the bodies.  Absent slots all have the same content, so they are not written. */
static void
walk_bodies(struct cn_walk *walk, struct cn_model *model)
{
    bool planar = model->settings.dimension == CN_PLANAR;
    if (walk->mode == CN_WALK_MEASURE) {
        size_t motion = planar ? walk_motion_planar_size : walk_motion_spatial_size;
        for (int i = 0; i < model->body_count; i++) {
            walk->used += model->body[i].absent ? 0 : walk_body_size + motion + walk_rest_size;
        }
        return;
    }
    for (int i = 0; i < model->body_count; i++) {
        if (!model->body[i].absent) {
            walk_one(walk, model, i, planar);
        }
    }
}

static void
walk_forces(struct cn_walk *walk, struct cn_model *model)
{
    for (int i = 0; i < model->spring_count; i++) {
        walk_spring(walk, &model->spring[i]);
    }
    for (int i = 0; i < model->thruster_count; i++) {
        walk_thruster(walk, &model->thruster[i]);
    }
    for (int i = 0; i < model->constant_force_count; i++) {
        walk_constant_force(walk, &model->constant_force[i]);
    }
    for (int i = 0; i < model->joint_count; i++) {
        if (!model->joint[i].absent) {
            walk_joint(walk, &model->joint_state[i]);
        }
    }
}

static bool
walk_held_inputs(struct cn_walk *walk, struct cn_world *world)
{
    struct cn_model *model = &world->model;
    int count = model->held_count;
    if (!walk_count(walk, &count, CN_HELD_MAX) || !cn_world_hold_room(world, count)) {
        return false;
    }
    CN_ASSERT(count <= model->held_max);
    model->held_count = count;
    for (int i = 0; i < model->held_count; i++) {
        walk_held(walk, &model->held[i]);
    }
    return true;
}

static bool
walk_within(struct cn_walk *walk, struct cn_world *world)
{
    struct cn_model *model = &world->model;
    int count = model->within_count;
    bool fits = walk->mode != CN_WALK_READ ||
                walk->used + 4 <= walk->size; /* the count is one of the following data */
    if (!fits || !walk_count(walk, &count, INT32_MAX / 16) ||
        (walk->mode == CN_WALK_READ && (size_t)count > (walk->size - walk->used) / 8) ||
        !cn_world_within_room(world, count)) {
        return false;
    }
    CN_ASSERT(count <= model->within_max);
    model->within_count = count;
    for (int i = 0; i < count; i++) {
        walk_U64(walk, &model->within[i]);
    }
    return true;
}

static bool
walk_warm_starts(struct cn_walk *walk, struct cn_world *world)
{
    struct cn_model *model = &world->model;
    int warm_count = model->warm_count;
    if (!walk_count(walk, &warm_count, CN_CONTACTS_MAX)) {
        return false;
    }
    if (warm_count > model->contact_max && !cn_world_grow(world, warm_count)) {
        return false;
    }
    CN_ASSERT(warm_count <= model->contact_max);
    model->warm_count = warm_count;
    for (int i = 0; i < model->warm_count; i++) {
        walk_warm_start(walk, &model->warm[i]);
        if (cn_model_has_friction(model)) {
            walk_warm_across(walk, &model->warm[i]);
        }
    }
    return true;
}

static bool
walk_world(struct cn_walk *walk, struct cn_world *world)
{
    struct cn_model *model = &world->model;
    int dimension = (int)model->settings.dimension;
    if (!walk_fixed(walk, dimension) || !walk_fixed(walk, world->scene_body_count) ||
        !walk_fixed(walk, world->scene_shape_count) ||
        !walk_fixed(walk, world->scene_joint_count) || !walk_fixed(walk, model->material_count) ||
        !walk_fixed(walk, model->spring_count) || !walk_fixed(walk, model->thruster_count) ||
        !walk_fixed(walk, model->constant_force_count)) {
        return false;
    }
    if (!cn_walk_structure(walk, world)) {
        return false;
    }
    walk_settings(walk, &model->settings);
    walk_clock(walk, &model->clock);
    for (int i = 0; i < model->material_count; i++) {
        walk_material(walk, &model->material[i]);
    }
    walk_bodies(walk, model);
    walk_forces(walk, model);
    return walk_held_inputs(walk, world) && walk_within(walk, world) &&
           walk_warm_starts(walk, world) && cn_walk_cache(walk, world) &&
           cn_walk_sections(walk, world);
}

bool
cn_walk_world(struct cn_walk *walk, struct cn_world *world)
{
    walk->staged = 0;
    bool whole = walk_world(walk, world);
    if (walk->mode == CN_WALK_HASH) {
        hash_stage(walk);
    }
    CN_ASSERT(walk->staged == 0); /* nothing is left that was not hashed */
    return whole;
}
