/*
 * make.c: makes bodies from their definitions, in slots.
 */
#include "engine/world/make.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/model/attribute_table.h"
#include "engine/model/life.h"
#include "engine/world/world_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tolerances as parts of the smallest width of movable bodies, and of that width per second. */
#define GAP_FRACTION 1e-5
#define VELOCITY_FRACTION 1e-5

#define SPARE_PART 64 /* free slots to begin with, as a part of the taken ones */
#define KINDS_MAX 8 /* earlier bodies that a body is compared with; more would take longer */

/* ---- one body ---- */

/*
 * Bakes the body's shapes.  If there is a twin (a body with equal shapes, which are baked), they
 * borrow from the twin and the store is not used.
 */
static void
bake_shapes(struct cn_model *model, const struct cn_body_def *def, int slot, int twin,
    struct cn_shape_store *store)
{
    struct cn_body *body = &model->body[slot];
    CN_ASSERT(body->shape_first + def->shape_count <= model->shape_max && twin != slot);
    for (int k = 0; k < def->shape_count; k++) {
        struct cn_shape *shape = &model->shape[body->shape_first + k];
        if (twin >= 0) {
            const struct cn_shape *alike = &model->shape[model->body[twin].shape_first + k];
            cn_shape_bake_alike(&def->shapes[k], slot, alike, shape);
        } else {
            cn_shape_bake(
                &def->shapes[k], model->settings.dimension, slot, body->center, store, shape);
        }
        model->one_way_count += shape->one_way;
        if (shape->sensor) {
            model->sensor_count++;
            continue;
        }
        body->reach = cn_max(body->reach, shape->reach);
        if (body->type == CN_DYNAMIC) {
            model->length_min = cn_min(model->length_min, shape->width);
        }
    }
}

static void
place_body(struct cn_model *model, const struct cn_body_def *def, int slot)
{
    bool planar = model->settings.dimension == CN_PLANAR;
    struct cn_motion *motion = &model->motion[slot];
    *motion = (struct cn_motion){.angle = planar ? def->angle : 0.0};
    motion->orientation =
        planar ? cn_quat_about_z(def->angle) : cn_quat_normalize(def->orientation);
    cn_pose frame = cn_motion_pose(motion, model->settings.dimension);
    frame.position = cn_model_flat(model, def->position);
    motion->position = cn_pose_apply(&frame, model->body[slot].center);
    if (def->type != CN_STATIC) {
        motion->velocity = cn_model_flat(model, def->velocity);
        motion->angular_velocity =
            planar ? cn_vec3_make(0.0, 0.0, def->angular_velocity.z) : def->angular_velocity;
    }
}

/* Makes everything of the body except its shapes; shape_first is set. */
static void
make_body(struct cn_model *model, const struct cn_body_def *def, int slot)
{
    struct cn_body *body = &model->body[slot];
    body->type = def->type;
    body->shape_count = def->shape_count;
    body->gravity_scale = def->gravity_scale;
    body->damping_linear = def->damping_linear;
    body->damping_angular = def->damping_angular;
    body->locks = def->locks;
    body->bullet = def->bullet;
    body->sleepless = def->sleepless;
    bool planar = model->settings.dimension == CN_PLANAR;
    if (def->type == CN_DYNAMIC) {
        struct cn_mass_properties mass = cn_body_def_weigh(def, model->settings.dimension);
        body->mass = mass.mass;
        body->inertia = planar ? cn_mat33_diagonal(0.0, 0.0, mass.inertia.cz.z) : mass.inertia;
        body->center = mass.center;
        cn_model_release(model, slot);
    } else {
        body->mass = def->mass; /* its mass attracts others, but nothing moves it */
        body->center = def->has_center ? cn_model_flat(model, def->center_of_mass)
                                       : (cn_vec3){0.0, 0.0, 0.0};
    }
    model->rest[slot] = (struct cn_rest){.island = -1};
    model->joints_of[slot] = (struct cn_joint_list){.first = -1};
    place_body(model, def, slot);
}

/* The largest radius of gyration of the body [m]. */
static double
gyration_radius(const struct cn_body *body)
{
    double trace = body->inertia.cx.x + body->inertia.cy.y + body->inertia.cz.z;
    return body->mass > 0.0 ? sqrt(trace / body->mass) : 0.0;
}

/*
 * The size of a body without solid shapes follows from its inertia; it scales errors of rotation.
 */
static void
size_shapeless(struct cn_model *model, int slot, bool sets_length)
{
    struct cn_body *body = &model->body[slot];
    if (body->reach > 0.0 || body->type != CN_DYNAMIC) {
        return;
    }
    body->reach = gyration_radius(body);
    if (sets_length && body->reach > 0.0) {
        model->length_min = cn_min(model->length_min, 2.0 * body->reach);
    }
}

void
cn_make_tolerances(struct cn_model *model)
{
    CN_ASSERT(model->length_min > 0.0);
    model->gap_tolerance = GAP_FRACTION * model->length_min;
    model->velocity_tolerance = VELOCITY_FRACTION * model->length_min;
}

/* ---- from the definition ---- */

/*
 * The number of slots to begin with: as many as asked for.  A large world gets some free ones
 * besides the taken, because growing its long columns takes noticeable time.
 */
static int
room_for(int count, int wanted, int limit)
{
    CN_ASSERT(0 <= count && count <= limit);
    int spare = count / SPARE_PART < limit - count ? count / SPARE_PART : limit - count;
    return count + spare > wanted ? count + spare : wanted;
}

/*
 * The last few bodies of the definition with shapes that no earlier body has.  Bodies with equal
 * shapes share them, so a wall stores one brick.
 */
struct kinds {
    int body[KINDS_MAX];
    int count, next;
};

static bool
is_twin(const struct cn_body_def *a, const struct cn_body_def *b)
{
    if (a->shape_count != b->shape_count || (a->type == CN_DYNAMIC) != (b->type == CN_DYNAMIC)) {
        return false; /* the shapes decide the centre of mass only of DYNAMIC bodies */
    }
    cn_vec3 between = cn_vec3_sub(a->center_of_mass, b->center_of_mass);
    if (a->has_center != b->has_center ||
        (a->has_center && cn_vec3_dot(between, between) != 0.0)) {
        return false;
    }
    for (int k = 0; k < a->shape_count; k++) {
        if (!cn_shape_def_is_alike(&a->shapes[k], &b->shapes[k])) {
            return false;
        }
    }
    return true;
}

/*
 * An earlier body with equal shapes; -1: not found, and the body is added to the list.
 */
static int
find_twin(struct kinds *kinds, const struct cn_world_def *def, int body)
{
    for (int i = 0; i < kinds->count; i++) {
        if (is_twin(&def->bodies[kinds->body[i]], &def->bodies[body])) {
            return kinds->body[i];
        }
    }
    kinds->body[kinds->next] = body;
    kinds->next = (kinds->next + 1) % KINDS_MAX;
    kinds->count += kinds->count < KINDS_MAX ? 1 : 0;
    return -1;
}

void
cn_make_count(struct cn_model *model, const struct cn_world_def *def)
{
    model->body_count = def->body_count;
    model->material_count = def->material_count > 0 ? def->material_count : 1;
    model->material_pair_count = def->material_pair_count;
    model->spring_count = def->spring_count;
    model->thruster_count = def->thruster_count;
    model->constant_force_count = def->constant_force_count;
    model->mesh_count = def->mesh_count;
    cn_world_count_joints(model, def);
    struct kinds kinds = {.count = 0};
    for (int i = 0; i < def->body_count; i++) {
        const struct cn_body_def *body = &def->bodies[i];
        bool is_new = find_twin(&kinds, def, i) < 0;
        model->shape_count += body->shape_count;
        for (int k = 0; k < body->shape_count && is_new; k++) {
            cn_shape_measure(&body->shapes[k], def->settings.dimension, &model->shape_room);
        }
    }
    model->body_max = room_for(model->body_count, def->body_room, CN_BODIES_MAX);
    model->shape_max = room_for(model->shape_count, def->shape_room, CN_SHAPES_MAX);
    model->joint_max =
        model->joint_count > def->joint_room ? model->joint_count : def->joint_room;
    CN_ASSERT(model->body_count <= model->body_max && model->shape_count <= model->shape_max);
}

static void
make_bodies(struct cn_model *model, const struct cn_world_def *def)
{
    int shape_next = 0;
    struct cn_shape_store store = model->shape_store;
    struct kinds kinds = {.count = 0};
    model->length_min = HUGE_VAL;
    for (int i = 0; i < def->body_count; i++) {
        model->body[i] = (struct cn_body){.shape_first = shape_next};
        make_body(model, &def->bodies[i], i);
        bake_shapes(model, &def->bodies[i], i, find_twin(&kinds, def, i), &store);
        shape_next += def->bodies[i].shape_count;
    }
    CN_ASSERT(shape_next == model->shape_count);
    for (int i = 0; i < model->shape_count; i++) {
        model->shape_order[i] = i;
    }
    bool sets_length = !isfinite(model->length_min);
    for (int i = 0; i < model->body_count; i++) {
        size_shapeless(model, i, sets_length);
    }
    if (!isfinite(model->length_min)) {
        model->length_min = 1.0;
    }
    cn_make_tolerances(model);
}

/* A point of a body's frame, in the frame of its centre of mass. */
static cn_vec3
from_center(const struct cn_model *model, int body, cn_vec3 point)
{
    return cn_model_flat(model, cn_vec3_sub(point, model->body[body].center));
}

static void
make_constant_forces(struct cn_model *model, const struct cn_world_def *def)
{
    bool planar = model->settings.dimension == CN_PLANAR;
    for (int i = 0; i < def->constant_force_count; i++) {
        const struct cn_constant_force_def *of = &def->constant_forces[i];
        cn_vec3 at = of->has_at ? of->at : model->body[of->body].center;
        model->constant_force[i] = (struct cn_constant_force){
            .body = of->body,
            .frame = of->frame,
            .at = from_center(model, of->body, at),
            .force = cn_model_flat(model, of->force),
            .torque = planar ? cn_vec3_make(0.0, 0.0, of->torque.z) : of->torque,
        };
    }
}

/* Inserts each pair where it belongs in the order; a pair with one friction has it at rest, too. */
static void
make_material_pairs(struct cn_model *model, const struct cn_world_def *def)
{
    for (int i = 0; i < def->material_pair_count; i++) {
        struct cn_material_pair pair = def->material_pairs[i];
        if ((pair.has & CN_PAIR_STATIC_FRICTION) == 0) {
            pair.static_friction = pair.friction;
        }
        pair.surface_velocity = cn_model_flat(model, pair.surface_velocity);
        int to = i;
        for (; to > 0 && cn_material_pair_compare(&model->material_pair[to - 1], &pair) > 0; to--) {
            model->material_pair[to] = model->material_pair[to - 1];
        }
        model->material_pair[to] = pair;
    }
    CN_ASSERT(model->material_pair_count == def->material_pair_count);
}

static void
make_rest(struct cn_model *model, const struct cn_world_def *def)
{
    make_constant_forces(model, def);
    make_material_pairs(model, def);
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

/* Takes the slots of the scene; the other slots of the columns are empty. */
static void
take_slots(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    for (int i = 0; i < model->body_count; i++) {
        world->source[i] = CN_SOURCE_SCENE;
    }
    for (int i = 0; i < model->joint_count; i++) {
        world->joint_source[i] = CN_SOURCE_SCENE;
    }
    cn_slots_take(&model->body_slots, 0, model->body_count);
    cn_slots_take(&model->shape_slots, 0, model->shape_count);
    cn_slots_take(&model->joint_slots, 0, model->joint_count);
}

void
cn_make_all(struct cn_world *world, const struct cn_world_def *def)
{
    struct cn_model *model = &world->model;
    take_slots(world);
    make_bodies(model, def);
    make_rest(model, def);
    cn_world_make_joints(model, def);
    for (int i = 0; i < def->attribute_count; i++) {
        cn_model_set_attribute(model, &def->attributes[i]);
    }
    world->scene_body_count = model->body_count;
    world->scene_shape_count = model->shape_count;
    world->scene_joint_count = model->joint_count;
    world->scene_length_min = model->length_min;
}

/* ---- the block of a body made later ---- */

/* The points that a shape's definition borrows; NULL: it borrows none. */
static const cn_vec3 **
points_of(struct cn_shape_def *shape, int *count)
{
    switch (shape->kind) {
    case CN_SHAPE_POLYGON:
        *count = shape->polygon.vertex_count;
        return &shape->polygon.vertices;
    case CN_SHAPE_HULL:
        *count = shape->hull.vertex_count;
        return &shape->hull.vertices;
    case CN_SHAPE_OUTLINE:
    case CN_SHAPE_CHAIN:
        *count = shape->boundary.point_count;
        return &shape->boundary.points;
    default:
        *count = 0;
        return NULL;
    }
}

/*
 * Lays out the block after `made`, and copies the definition's arrays where the block is a real
 * one.
 */
static void
layout_made(struct cn_made *made, const struct cn_body_def *def, const struct cn_shape_room *room,
    struct cn_arena *arena)
{
    (void)CN_ARENA_TAKE(arena, struct cn_made, 1);
    struct cn_shape_def *shapes =
        CN_ARENA_TAKE(arena, struct cn_shape_def, (size_t)def->shape_count);
    for (int k = 0; k < def->shape_count; k++) {
        struct cn_shape_def shape = def->shapes[k];
        int count;
        const cn_vec3 **points = points_of(&shape, &count);
        if (points != NULL) {
            cn_vec3 *copy = CN_ARENA_TAKE(arena, cn_vec3, (size_t)count);
            if (copy != NULL) {
                memcpy(copy, *points, (size_t)count * sizeof(*copy));
            }
            *points = copy;
        }
        if (shapes != NULL) {
            shapes[k] = shape;
        }
    }
    made->def.shapes = made->shapes = shapes;
    cn_model_layout_store(room, &made->room, arena);
}

struct cn_made *
cn_made_create(const struct cn_body_def *def, enum cn_dimension dimension)
{
    struct cn_shape_room room = {0};
    for (int k = 0; k < def->shape_count; k++) {
        cn_shape_measure(&def->shapes[k], dimension, &room);
    }
    struct cn_made measured;
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    layout_made(&measured, def, &room, &arena);
    size_t size = arena.used;
    struct cn_made *made = cn_world_allocate(size);
    if (made == NULL) {
        return NULL;
    }
    cn_arena_init(&arena, made, (size + 63) / 64 * 64);
    made->def = *def;
    made->def.position = made->def.velocity = made->def.angular_velocity = (cn_vec3){0.0, 0.0, 0.0};
    made->def.angle = 0.0;
    made->def.orientation = cn_quat_identity();
    layout_made(made, def, &room, &arena);
    return made;
}

/* ---- slots ---- */

int
cn_make_body_slot(const struct cn_world *world)
{
    return cn_slots_find(&world->model.body_slots, 1);
}

int
cn_make_shape_slot(const struct cn_world *world, int shape_count)
{
    CN_ASSERT(shape_count >= 0);
    return shape_count > 0 ? cn_slots_find(&world->model.shape_slots, shape_count) : 0;
}

int
cn_make_joint_slot(const struct cn_world *world)
{
    return cn_slots_find(&world->model.joint_slots, 1);
}

void
cn_make_body_at(struct cn_world *world, struct cn_made *made_take, const struct cn_body_def *def,
    int slot, int shape_first)
{
    struct cn_model *model = &world->model;
    CN_ASSERT(slot < model->body_max && shape_first + def->shape_count <= model->shape_max);
    cn_slots_take(&model->body_slots, slot, 1);
    cn_slots_take(&model->shape_slots, shape_first, def->shape_count);
    model->body_count = slot >= model->body_count ? slot + 1 : model->body_count;
    for (; model->shape_count < shape_first + def->shape_count; model->shape_count++) {
        model->shape_order[model->shape_count] = model->shape_count;
    }
    uint32_t generation = model->body[slot].generation;
    model->body[slot] = (struct cn_body){
        .shape_first = shape_first, .generation = generation};
    make_body(model, def, slot);
    struct cn_shape_store store = made_take->room;
    bake_shapes(model, &made_take->def, slot, -1, &store);
    size_shapeless(model, slot, true);
    cn_make_tolerances(model);
    world->made[slot] = made_take;
    world->source[slot] = CN_SOURCE_MADE;
}

void
cn_make_body_gone(struct cn_world *world, int slot)
{
    struct cn_model *model = &world->model;
    const struct cn_body *body = &model->body[slot];
    CN_ASSERT(cn_slots_has(&model->body_slots, slot) && !body->absent);
    for (int k = 0; k < body->shape_count; k++) {
        cn_model_clear_shape(model, body->shape_first + k);
    }
    cn_slots_give(&model->shape_slots, body->shape_first, body->shape_count);
    cn_slots_give(&model->body_slots, slot, 1);
    model->body[slot].generation++;
    cn_model_clear_body(model, slot);
    free(world->made[slot]);
    world->made[slot] = NULL;
    world->source[slot] = CN_SOURCE_NONE;
}

void
cn_make_joint_at(struct cn_world *world, const struct cn_joint *joint, int slot)
{
    struct cn_model *model = &world->model;
    CN_ASSERT(0 <= slot && slot < model->joint_max);
    cn_slots_take(&model->joint_slots, slot, 1);
    model->joint_count = slot >= model->joint_count ? slot + 1 : model->joint_count;
    uint32_t generation = model->joint[slot].generation;
    model->joint[slot] = *joint;
    model->joint[slot].generation = generation;
    cn_model_link_joint(model, slot);
    world->joint_source[slot] = CN_SOURCE_MADE;
}

void
cn_make_joint_gone(struct cn_world *world, int slot)
{
    struct cn_model *model = &world->model;
    CN_ASSERT(cn_slots_has(&model->joint_slots, slot) && !model->joint[slot].absent);
    cn_model_unlink_joint(model, slot);
    cn_slots_give(&model->joint_slots, slot, 1);
    model->joint[slot].generation++;
    cn_model_clear_joint(model, slot);
    world->joint_source[slot] = CN_SOURCE_NONE;
    world->joint_gone = true;
}

void
cn_make_type(struct cn_world *world, int slot, enum cn_body_type type)
{
    CN_ASSERT(cn_slots_has(&world->model.body_slots, slot));
    struct cn_model *model = &world->model;
    struct cn_body *body = &model->body[slot];
    body->type = type;
    body->mass_inverse = 0.0;
    body->inertia_inverse = cn_mat33_diagonal(0.0, 0.0, 0.0);
    if (type == CN_STATIC) {
        model->motion[slot].velocity = model->motion[slot].angular_velocity =
            (cn_vec3){0.0, 0.0, 0.0};
    }
    if (!body->quarantined) {
        cn_model_release(model, slot);
    }
    if (world->source[slot] == CN_SOURCE_SCENE) {
        world->source[slot] = CN_SOURCE_CHANGED;
    }
}

/* ---- originals of the scene ---- */

bool
cn_make_keep_body(struct cn_world *world, int slot)
{
    CN_ASSERT(0 <= slot && slot < world->model.body_count);
    const struct cn_model *model = &world->model;
    if (slot >= world->scene_body_count || world->origin[slot] != NULL) {
        return true;
    }
    const struct cn_body *body = &model->body[slot];
    size_t shapes = (size_t)body->shape_count * sizeof(struct cn_shape);
    struct cn_origin *origin = cn_world_allocate(sizeof(*origin) + shapes);
    if (origin == NULL) {
        return false;
    }
    origin->body = *body;
    memcpy(origin->shape, &model->shape[body->shape_first], shapes);
    world->origin[slot] = origin;
    return true;
}

bool
cn_make_keep_joint(struct cn_world *world, int slot)
{
    CN_ASSERT(0 <= slot && slot < world->model.joint_count);
    if (slot >= world->scene_joint_count || world->joint_origin[slot] != NULL) {
        return true;
    }
    struct cn_joint *origin = cn_world_allocate(sizeof(*origin));
    if (origin == NULL) {
        return false;
    }
    *origin = world->model.joint[slot];
    world->joint_origin[slot] = origin;
    return true;
}
