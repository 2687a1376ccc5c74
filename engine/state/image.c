/*
 * image.c: a world's persistent state as bytes, and its hash.
 *
 *     "CNIM"  u32 physics version  u64 size of the body  u64 hash of the body  body (fields.h)
 */
#include "engine/state/image.h"

#include "engine/base/assert.h"
#include "engine/model/life.h"
#include "engine/solve/table/solver_table.h"
#include "engine/state/walk.h"
#include "engine/world/history.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_SIZE 24

/* A walk that does not read changes nothing, so a const world may be walked. */
static struct cn_world *
walkable(const struct cn_world *world)
{
    return world->view->world;
}

uint64_t
cn_world_hash(const struct cn_world *world)
{
    struct cn_walk walk = {.mode = CN_WALK_HASH};
    cn_slice_finish_piece(world);
    cn_hash_init(&walk.hash);
    bool walked = cn_walk_world(&walk, walkable(world));
    CN_ASSERT(walked);
    return walk.hash.state;
}

size_t
cn_world_image_size(const struct cn_world *world)
{
    struct cn_walk walk = {.mode = CN_WALK_MEASURE};
    cn_slice_finish_piece(world);
    bool walked = cn_walk_world(&walk, walkable(world));
    CN_ASSERT(walked);
    return HEADER_SIZE + walk.used;
}

static void
put_bytes(unsigned char *bytes, uint64_t value, size_t size)
{
    CN_ASSERT(size <= sizeof(value));
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
}

static uint64_t
get_bytes(const unsigned char *bytes, size_t size)
{
    CN_ASSERT(size <= sizeof(uint64_t));
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

static uint64_t
body_hash(const unsigned char *bytes, size_t size)
{
    struct cn_hash hash;
    cn_hash_init(&hash);
    cn_hash_bytes(&hash, bytes, size);
    return hash.state;
}

static void
put_header(unsigned char *bytes, size_t size)
{
    memcpy(bytes, "CNIM", 4);
    put_bytes(bytes + 4, cn_physics_version(), 4);
    put_bytes(bytes + 8, size, 8);
    put_bytes(bytes + 16, body_hash(bytes + HEADER_SIZE, size), 8);
}

size_t
cn_world_image_write(const struct cn_world *world, void *buffer, size_t size)
{
    unsigned char *bytes = buffer;
    if (size < HEADER_SIZE) {
        return 0;
    }
    cn_slice_finish_piece(world);
    struct cn_walk walk = {
        .mode = CN_WALK_WRITE, .write = bytes + HEADER_SIZE, .size = size - HEADER_SIZE};
    bool walked = cn_walk_world(&walk, walkable(world));
    CN_ASSERT(walked);
    if (walk.used > walk.size) {
        return 0;
    }
    put_header(bytes, walk.used);
    return HEADER_SIZE + walk.used;
}

uint32_t
cn_image_physics(const void *image, size_t size)
{
    bool begins = size >= HEADER_SIZE && memcmp(image, "CNIM", 4) == 0;
    return begins ? (uint32_t)get_bytes((const unsigned char *)image + 4, 4) : 0;
}

static enum cn_status
check_header(const unsigned char *bytes, size_t size, struct cn_defect *defect)
{
    if (size < HEADER_SIZE || memcmp(bytes, "CNIM", 4) != 0) {
        return cn_defect_set(defect, CN_IMAGE, "image", "does not begin as an image does");
    }
    if (get_bytes(bytes + 4, 4) != cn_physics_version()) {
        return cn_defect_set(defect, CN_IMAGE, "image", "is of physics version %u; this is %u",
            (unsigned)get_bytes(bytes + 4, 4), (unsigned)cn_physics_version());
    }
    uint64_t body_size = get_bytes(bytes + 8, 8);
    if (body_size != size - HEADER_SIZE) {
        return cn_defect_set(defect, CN_IMAGE, "image", "has %zu bytes where %llu were written",
            size - HEADER_SIZE, (unsigned long long)body_size);
    }
    if (get_bytes(bytes + 16, 8) != body_hash(bytes + HEADER_SIZE, (size_t)body_size)) {
        return cn_defect_set(defect, CN_IMAGE, "image", "is damaged: its checksum does not match");
    }
    return CN_OK;
}

/* ---- validity of the state that was read ---- */

/* False for NaN too. */
static bool
is_within(double value, double low, double high)
{
    return value >= low && value <= high;
}

static bool
held_is_valid(const struct cn_model *model, int i)
{
    const struct cn_held *held = &model->held[i];
    if (i > 0) {
        const struct cn_holder *before = &model->held[i - 1].holder, *here = &held->holder;
        if (before->source > here->source ||
            (before->source == here->source && before->slot >= here->slot)) {
            return false;
        }
    }
    bool actuator = held->kind == CN_HELD_ACTUATOR;
    bool aimed = actuator ? cn_model_has_actuator(model, held->target)
                          : held->target >= 0 && held->target < model->body_count &&
                                !model->body[held->target].absent;
    return held->kind <= CN_HELD_ACTUATOR && held->frame <= CN_FRAME_BODY && aimed &&
           cn_vec3_is_finite(held->point) && cn_vec3_is_finite(held->vector) &&
           is_within(held->stiffness, actuator ? -1.0 : 0.0, actuator ? 1.0 : CN_STIFFNESS_MAX) &&
           is_within(held->damping, 0.0, CN_DAMPING_MAX) &&
           is_within(held->force_max, 0.0, CN_FORCE_MAX);
}

static bool
settings_are_valid(const struct cn_model *model)
{
    const struct cn_settings *settings = &model->settings;
    bool planar = settings->dimension == CN_PLANAR;
    bool named =
        memchr(settings->stepper, '\0', CN_NAME_SIZE) != NULL &&
        memchr(settings->solver, '\0', CN_NAME_SIZE) != NULL &&
        cn_stepper_fits(cn_stepper_find(settings->stepper), cn_solver_find(settings->solver));
    bool solves =
        named && (cn_solver_find(settings->solver)->friction || !cn_model_has_friction(model));
    const cn_vec3 *gravity = &settings->gravity;
    return solves && is_within(gravity->x, -CN_GRAVITY_MAX, CN_GRAVITY_MAX) &&
           is_within(gravity->y, -CN_GRAVITY_MAX, CN_GRAVITY_MAX) &&
           (planar ? gravity->z == 0.0 : is_within(gravity->z, -CN_GRAVITY_MAX, CN_GRAVITY_MAX)) &&
           is_within(settings->damping_linear, 0.0, CN_DAMPING_MAX) &&
           is_within(settings->damping_angular, 0.0, CN_DAMPING_MAX) &&
           is_within(settings->time_rate, CN_TIME_RATE_MIN, CN_TIME_RATE_MAX) &&
           is_within(settings->gravitation, 0.0, CN_GRAVITATION_MAX) &&
           settings->collision < CN_COLLISION_COUNT && settings->substeps >= 1 &&
           settings->substeps <= CN_SUBSTEPS_MAX &&
           settings->combine_restitution <= CN_COMBINE_MULTIPLY &&
           settings->combine_friction <= CN_COMBINE_MULTIPLY
#define X(member, name, least, most, usual, text)                                                  \
    &&settings->propagation.member >= (least) && settings->propagation.member <= (most)
               CN_PROPAGATION_TABLE(X)
#undef X
        ;
}

/*
 * In mid tick the elapsed time is at most the duration of the tick; it is equal when only closing
 * the tick is left.  Between ticks it is 0.
 */
static bool
clock_is_valid(const struct cn_model *model)
{
    const struct cn_clock *clock = &model->clock;
    double tick = cn_model_tick_duration(model);
    bool in_tick =
        clock->mid_tick ? clock->elapsed >= 0.0 && clock->elapsed <= tick : clock->elapsed == 0.0;
    return in_tick && isfinite(clock->time) && isfinite(clock->rate_time) &&
           clock->rate_tick <= clock->tick && isfinite(clock->step_next) && clock->step_next >= 0.0;
}

static bool
material_is_valid(const struct cn_material *material)
{
    return is_within(material->restitution, 0.0, 1.0) &&
           is_within(material->friction, 0.0, CN_FRICTION_MAX) &&
           is_within(material->static_friction, material->friction, CN_FRICTION_MAX) &&
           is_within(material->rolling_friction, 0.0, CN_FRICTION_MAX) &&
           is_within(material->spinning_friction, 0.0, CN_FRICTION_MAX) &&
           cn_vec3_length(material->surface_velocity) <= 2.0 * CN_SPEED_MAX;
}

/* Whether the motion is within bounds, and zero where the body can not move. */
static bool
body_is_valid(const struct cn_body *body, const struct cn_motion *motion)
{
    bool rests = cn_vec3_dot(motion->velocity, motion->velocity) == 0.0 &&
                 cn_vec3_dot(motion->angular_velocity, motion->angular_velocity) == 0.0;
    bool may_move = body->type != CN_STATIC && !body->quarantined;
    double turned = cn_quat_length(motion->orientation); /* planar: not read, the world's own */
    return cn_motion_is_bounded(motion) && (may_move || rests) && fabs(turned - 1.0) < 1e-9;
}

/* An island is named by its first body, which must sleep in it. */
static bool
rest_is_valid(const struct cn_model *model, int i)
{
    const struct cn_rest *rest = &model->rest[i];
    bool timed = rest->still_time >= 0.0F && rest->still_time <= FLT_MAX;
    return timed && rest->island >= -1 && rest->island <= i &&
           (rest->island < 0 || model->rest[rest->island].island == rest->island);
}

static bool
joint_is_valid(const struct cn_joint_state *joint)
{
    bool valid = is_within(joint->place, -CN_MOTION_MAX, CN_MOTION_MAX);
    for (int part = 0; part < CN_JOINT_PARTS; part++) {
        valid = valid && isfinite(joint->force[part]);
    }
    return valid;
}

static bool
state_is_valid(const struct cn_model *model)
{
    bool valid = settings_are_valid(model) && clock_is_valid(model);
    for (int i = 0; i < model->material_count && valid; i++) {
        valid = material_is_valid(&model->material[i]);
    }
    for (int i = 0; i < model->body_count && valid; i++) {
        valid = body_is_valid(&model->body[i], &model->motion[i]) && rest_is_valid(model, i);
    }
    for (int i = 0; i < model->joint_count && valid; i++) {
        valid = joint_is_valid(&model->joint_state[i]);
    }
    for (int i = 0; i < model->held_count && valid; i++) {
        valid = held_is_valid(model, i);
    }
    for (int i = 0; i < model->warm_count && valid; i++) {
        const struct cn_warm_start *warm = &model->warm[i];
        valid = isfinite(warm->force) && warm->force >= 0.0 && isfinite(warm->across[0]) &&
                isfinite(warm->across[1]) && (i == 0 || model->warm[i - 1].id < warm->id);
    }
    return valid;
}

/* Whether these are ascending pairs of a sensor and another shape, or of two that touch. */
static bool
within_is_valid(const struct cn_model *model)
{
    for (int i = 0; i < model->within_count; i++) {
        uint64_t sensor = model->within[i] >> 32, visitor = model->within[i] & UINT32_MAX;
        if ((i > 0 && model->within[i - 1] >= model->within[i]) ||
            sensor >= (uint64_t)model->shape_count || visitor >= (uint64_t)model->shape_count ||
            (!model->shape[sensor].sensor && sensor >= visitor) || model->shape[visitor].sensor ||
            model->shape[sensor].body < 0 || model->shape[visitor].body < 0) {
            return false;
        }
    }
    return true;
}

/* Whether every attribute is one that a command could have set, and they ascend. */
static bool
attributes_are_valid(const struct cn_model *model)
{
    int of_owner = 0;
    for (int i = 0; i < model->attribute_count; i++) {
        const struct cn_attribute *row = &model->attribute[i];
        const struct cn_owner *owner = &row->owner;
        bool owned = owner->kind == CN_OWNER_WORLD     ? owner->id == 0
                     : owner->kind == CN_OWNER_SESSION ? true
                                                       : owner->kind == CN_OWNER_BODY &&
                                                     owner->id < (uint64_t)model->body_count &&
                                                     !model->body[owner->id].absent;
        bool same = i > 0 && row[-1].owner.kind == owner->kind && row[-1].owner.id == owner->id;
        of_owner = same ? of_owner + 1 : 1;
        if (!owned || of_owner > CN_ATTRIBUTES_PER_OWNER_MAX || row->value.kind == CN_VALUE_NONE ||
            cn_attribute_check(row, NULL) != CN_OK ||
            (i > 0 && cn_attribute_compare(row - 1, row) >= 0)) {
            return false;
        }
    }
    return true;
}

/* Whether every move is one that a command could have made, and they ascend. */
static bool
moves_are_valid(const struct cn_model *model)
{
    for (int i = 0; i < model->move_count; i++) {
        const struct cn_move *move = &model->move[i];
        if (move->body < 0 || move->body >= model->body_count ||
            (i > 0 && model->move[i - 1].body >= move->body) ||
            model->body[move->body].type != CN_KINEMATIC ||
            model->body[move->body].locks != 0 || move->until_tick <= model->clock.tick ||
            move->until_tick - model->clock.tick > CN_MOVE_TICKS_MAX ||
            !(cn_vec3_length(move->position) <= 2.0 * CN_COORDINATE_MAX) ||
            !is_within(move->angle, -CN_ANGLE_MAX, CN_ANGLE_MAX) ||
            !(fabs(cn_quat_length(move->orientation) - 1.0) < 1e-9)) {
            return false;
        }
    }
    return true;
}

static bool
is_shape(const struct cn_model *model, int32_t shape)
{
    return shape >= 0 && shape < model->shape_count && model->shape[shape].body >= 0;
}

/* Whether these are ascending pairs of a one-way shape and another one. */
static bool
passages_are_valid(const struct cn_model *model)
{
    for (int i = 0; i < model->passage_count; i++) {
        const struct cn_passage *it = &model->passage[i], *last = it - 1;
        if (!is_shape(model, it->a) || !is_shape(model, it->b) || it->a >= it->b ||
            (!model->shape[it->a].one_way && !model->shape[it->b].one_way) ||
            (i > 0 && (last->a > it->a || (last->a == it->a && last->b >= it->b)))) {
            return false;
        }
    }
    return true;
}

/* Whether the bodies of all present springs, thrusters and constant forces exist. */
static bool
forces_are_valid(const struct cn_model *model)
{
    for (int i = 0; i < model->spring_count; i++) {
        const struct cn_spring *spring = &model->spring[i];
        bool whole = (spring->body_a < 0 || !model->body[spring->body_a].absent) &&
                     !model->body[spring->body_b].absent;
        if (!spring->absent && !whole) {
            return false;
        }
    }
    for (int i = 0; i < model->thruster_count; i++) {
        const struct cn_thruster *thruster = &model->thruster[i];
        if (!thruster->absent && model->body[thruster->body].absent) {
            return false;
        }
    }
    for (int i = 0; i < model->constant_force_count; i++) {
        const struct cn_constant_force *force = &model->constant_force[i];
        if (!force->absent && model->body[force->body].absent) {
            return false;
        }
    }
    return true;
}

/*
 * Reads the fields and restores the data derived from them.  False: the world is in no valid state.
 */
static bool
read_body(struct cn_world *world, struct cn_walk *walk)
{
    struct cn_model *model = &world->model;
    if (!cn_walk_world(walk, world) || walk->used != walk->size || !state_is_valid(model) ||
        !forces_are_valid(model) || !within_is_valid(model) || !attributes_are_valid(model) ||
        !moves_are_valid(model) || !passages_are_valid(model)) {
        return false;
    }
    cn_model_count(model);
    CN_ASSERT(model->held_count <= model->held_max && model->warm_count <= model->contact_max);
    CN_ASSERT(model->within_count <= model->within_max);
    for (int i = 0; i < model->body_count; i++) {
        if (model->settings.dimension == CN_PLANAR) {
            model->motion[i].orientation = cn_quat_about_z(model->motion[i].angle);
        }
        if (model->body[i].quarantined) {
            cn_model_quarantine(model, i);
        } else if (model->body[i].type == CN_DYNAMIC) {
            cn_model_release(model, i);
        }
    }
    model->event_count = model->event_shown = model->event_dropped = model->impulse_count = 0;
    cn_model_note_all(model);
    const struct cn_stepper *stepper = world->stepper;
    const struct cn_solver *solver = world->solver;
    cn_world_bind(world);
    if (cn_world_fits(world) || cn_world_refit(world)) {
        return true;
    }
    world->stepper = stepper; /* the memory still fits the old stepper and solver */
    world->solver = solver;
    return false;
}

enum cn_status
cn_image_copy(struct cn_world *world, struct cn_world *from, struct cn_defect *defect)
{
    struct cn_walk walk = {.mode = CN_WALK_MEASURE};
    bool walked = cn_walk_world(&walk, from);
    size_t size = HEADER_SIZE + walk.used;
    unsigned char *bytes = walked ? malloc(size) : NULL;
    if (bytes == NULL) {
        return cn_defect_set(defect, CN_MEMORY, "image", "no memory to copy a state");
    }
    walk = (struct cn_walk){
        .mode = CN_WALK_WRITE, .write = bytes + HEADER_SIZE, .size = size - HEADER_SIZE};
    walked = cn_walk_world(&walk, from);
    CN_ASSERT(walked && walk.used == walk.size);
    put_header(bytes, walk.used);
    enum cn_status status = cn_world_image_read(world, bytes, size, defect);
    free(bytes);
    return status;
}

enum cn_status
cn_world_image_read(
    struct cn_world *world, const void *image, size_t size, struct cn_defect *defect)
{
    const unsigned char *bytes = image;
    enum cn_status status = check_header(bytes, size, defect);
    if (status != CN_OK) {
        return status;
    }
    size_t backup_size = cn_world_image_size(world);
    cn_slice_give_up(world); /* stops only a view: measuring has finished any piece */
    unsigned char *backup = malloc(backup_size);
    if (backup == NULL) {
        return cn_defect_set(defect, CN_MEMORY, "image", "no memory to read it");
    }
    size_t written = cn_world_image_write(world, backup, backup_size);
    CN_ASSERT(written == backup_size); /* measuring and writing are one walk */
    struct cn_walk walk = {
        .mode = CN_WALK_READ, .read = bytes + HEADER_SIZE, .size = size - HEADER_SIZE};
    if (read_body(world, &walk)) {
        cn_structure_done(world, &walk.aside);
        cn_history_restart(world);
    } else {
        cn_structure_back(world, &walk.aside);
        walk = (struct cn_walk){
            .mode = CN_WALK_READ, .read = backup + HEADER_SIZE, .size = backup_size - HEADER_SIZE};
        bool restored = read_body(world, &walk); /* the same slots: needs no memory */
        CN_ASSERT(restored && walk.aside.columns == NULL);
        status = cn_defect_set(defect, CN_IMAGE, "image", "is of another scene, or not a state");
    }
    world->view->is_current = false;
    free(backup);
    return status;
}
