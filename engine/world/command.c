/*
 * command.c: one check and one apply for each command of the table.
 */
#include "engine/world/world_inside.h"

#include "engine/base/assert.h"

#include <math.h>
#include <string.h>

/* ---- small checks ---- */

static enum cn_status
check_range(struct cn_defect *defect, const char *path, double value, double low, double high,
    const char *unit)
{
    if (!isfinite(value)) {
        return cn_defect_set(defect, CN_FINITE, path, "is not a finite number");
    }
    if (value < low || value > high) {
        return cn_defect_set(defect, CN_RANGE, path, "is %g; from %g to %g %s is accepted", value,
            low, high, unit);
    }
    return CN_OK;
}

static enum cn_status
check_vector(
    struct cn_defect *defect, const char *path, cn_vec3 value, double length_max, const char *unit)
{
    if (!cn_vec3_is_finite(value)) {
        return cn_defect_set(defect, CN_FINITE, path, "has a member that is not finite");
    }
    double length = cn_vec3_length(value);
    if (!(length <= length_max)) {
        return cn_defect_set(defect, CN_RANGE, path, "has length %g; at most %g %s is accepted",
            length, length_max, unit);
    }
    return CN_OK;
}

static enum cn_status
check_body(const struct cn_model *model, struct cn_defect *defect, int32_t body)
{
    if (body < 0 || body >= model->body_count) {
        return cn_defect_set(defect, CN_REFERENCE, "body",
            "is %d; this world has bodies 0 to %d", body, model->body_count - 1);
    }
    if (model->body[body].type != CN_DYNAMIC) {
        return cn_defect_set(defect, CN_REFERENCE, "body",
            "is %d, which is not dynamic and can not be moved by forces", body);
    }
    return CN_OK;
}

/* The place of (source, slot) in the sorted table, or where it would stand. */
static int
held_place(const struct cn_model *model, uint64_t source, uint32_t slot, bool *found)
{
    int place = 0;
    while (place < model->held_count) {
        const struct cn_holder *holder = &model->held[place].holder;
        if (holder->source > source || (holder->source == source && holder->slot >= slot)) {
            break;
        }
        place++;
    }
    *found = place < model->held_count && model->held[place].holder.source == source &&
             model->held[place].holder.slot == slot;
    return place;
}

static enum cn_status
check_holder(const struct cn_model *model, struct cn_defect *defect, const struct cn_holder *holder)
{
    bool found;
    held_place(model, holder->source, holder->slot, &found);
    if (!found && model->held_count >= CN_HELD_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "slot",
            "would be input %d held in this world; at most %d are", model->held_count + 1,
            CN_HELD_MAX);
    }
    if (holder->until_tick != 0 && holder->until_tick <= model->clock.tick) {
        return cn_defect_set(defect, CN_RANGE, "untilTick",
            "is %llu, which is past; the world is at tick %llu",
            (unsigned long long)holder->until_tick, (unsigned long long)model->clock.tick);
    }
    return CN_OK;
}

/* ---- held inputs ---- */

/* A point of the body's frame, in the frame of its centre of mass; planar: z is 0. */
static cn_vec3
from_center(const struct cn_model *model, int32_t body, cn_vec3 point)
{
    return cn_model_flat(model, cn_vec3_sub(point, model->body[body].center));
}

static void
hold(struct cn_model *model, struct cn_held held)
{
    bool found;
    int place = held_place(model, held.holder.source, held.holder.slot, &found);
    if (!found) {
        CN_ASSERT(model->held_count < CN_HELD_MAX);
        for (int i = model->held_count; i > place; i--) {
            model->held[i] = model->held[i - 1];
        }
        model->held_count++;
    }
    model->held[place] = held;
}

static enum cn_status
check_hold_force(const struct cn_world *world, const struct cn_hold_force *c, struct cn_defect *d)
{
    CN_CHECK(check_holder(&world->model, d, &c->holder));
    CN_CHECK(check_body(&world->model, d, c->body));
    CN_CHECK(check_vector(d, "point", c->point, CN_SIZE_MAX, "m"));
    if (c->frame != CN_FRAME_WORLD && c->frame != CN_FRAME_BODY) {
        return cn_defect_set(d, CN_UNKNOWN, "frame",
            "is %d; 0 (WORLD) and 1 (BODY) are accepted", (int)c->frame);
    }
    return check_vector(d, "force", c->force, CN_FORCE_MAX, "N");
}

static void
apply_hold_force(struct cn_world *world, const struct cn_hold_force *c)
{
    hold(&world->model, (struct cn_held){
                            .holder = c->holder,
                            .kind = CN_HELD_FORCE,
                            .target = c->body,
                            .frame = c->frame,
                            .point = from_center(&world->model, c->body, c->point),
                            .vector = cn_model_flat(&world->model, c->force),
                        });
}

static enum cn_status
check_hold_torque(const struct cn_world *world, const struct cn_hold_torque *c, struct cn_defect *d)
{
    CN_CHECK(check_holder(&world->model, d, &c->holder));
    CN_CHECK(check_body(&world->model, d, c->body));
    return check_vector(d, "torque", c->torque, CN_FORCE_MAX, "N m");
}

static void
apply_hold_torque(struct cn_world *world, const struct cn_hold_torque *c)
{
    cn_vec3 torque = c->torque;
    if (world->model.settings.dimension == CN_PLANAR) {
        torque.x = torque.y = 0.0;
    }
    hold(&world->model, (struct cn_held){.holder = c->holder, .kind = CN_HELD_TORQUE,
                            .target = c->body, .vector = torque});
}

static enum cn_status
check_hold_drag(const struct cn_world *world, const struct cn_hold_drag *c, struct cn_defect *d)
{
    CN_CHECK(check_holder(&world->model, d, &c->holder));
    CN_CHECK(check_body(&world->model, d, c->body));
    CN_CHECK(check_vector(d, "point", c->point, CN_SIZE_MAX, "m"));
    CN_CHECK(check_vector(d, "target", c->target, 2.0 * CN_COORDINATE_MAX, "m"));
    CN_CHECK(check_range(d, "stiffness", c->stiffness, 0.0, CN_STIFFNESS_MAX, "N/m"));
    return check_range(d, "damping", c->damping, 0.0, CN_DAMPING_MAX, "N s/m");
}

static void
apply_hold_drag(struct cn_world *world, const struct cn_hold_drag *c)
{
    hold(&world->model, (struct cn_held){
                            .holder = c->holder,
                            .kind = CN_HELD_DRAG,
                            .target = c->body,
                            .point = from_center(&world->model, c->body, c->point),
                            .vector = cn_model_flat(&world->model, c->target),
                            .stiffness = c->stiffness,
                            .damping = c->damping,
                        });
}

static enum cn_status
check_hold_actuator(
    const struct cn_world *world, const struct cn_hold_actuator *c, struct cn_defect *d)
{
    CN_CHECK(check_holder(&world->model, d, &c->holder));
    int count = world->model.thruster_count + world->model.motor_count;
    if (c->actuator < 0 || c->actuator >= count) {
        return cn_defect_set(d, CN_REFERENCE, "actuator", "is %d; this world has %d actuators",
            c->actuator, count);
    }
    return check_range(
        d, "level", c->level, -1.0, 1.0, "(of the thruster's force, or the motor's speed)");
}

static void
apply_hold_actuator(struct cn_world *world, const struct cn_hold_actuator *c)
{
    hold(&world->model, (struct cn_held){.holder = c->holder, .kind = CN_HELD_ACTUATOR,
                            .target = c->actuator, .stiffness = c->level});
}

static void
drop_held(struct cn_model *model, uint64_t source, bool every_slot, uint32_t slot)
{
    int kept = 0;
    for (int i = 0; i < model->held_count; i++) {
        const struct cn_holder *holder = &model->held[i].holder;
        if (holder->source != source || (!every_slot && holder->slot != slot)) {
            model->held[kept] = model->held[i];
            kept++;
        }
    }
    model->held_count = kept;
}

/* Letting go of what is not held is not an error: it may have expired on the way. */
static enum cn_status
check_release(const struct cn_world *world, const struct cn_release *c, struct cn_defect *d)
{
    (void)world, (void)c, (void)d;
    return CN_OK;
}

static void
apply_release(struct cn_world *world, const struct cn_release *c)
{
    drop_held(&world->model, c->source, false, c->slot);
}

static enum cn_status
check_release_source(
    const struct cn_world *world, const struct cn_release_source *c, struct cn_defect *d)
{
    (void)world, (void)c, (void)d;
    return CN_OK;
}

static void
apply_release_source(struct cn_world *world, const struct cn_release_source *c)
{
    drop_held(&world->model, c->source, true, 0);
}

/* ---- settings ---- */

static enum cn_status
check_set_gravity(const struct cn_world *world, const struct cn_set_vector *c, struct cn_defect *d)
{
    (void)world;
    return check_vector(d, "gravity", c->value, CN_GRAVITY_MAX, "m/s^2");
}

static void
apply_set_gravity(struct cn_world *world, const struct cn_set_vector *c)
{
    world->model.settings.gravity = cn_model_flat(&world->model, c->value);
}

static enum cn_status
check_set_restitution(
    const struct cn_world *world, const struct cn_set_number *c, struct cn_defect *d)
{
    (void)world;
    return check_range(d, "restitution", c->value, 0.0, 1.0, "");
}

static void
apply_set_restitution(struct cn_world *world, const struct cn_set_number *c)
{
    for (int i = 0; i < world->model.material_count; i++) {
        world->model.material[i].restitution = c->value;
    }
}

static enum cn_status
check_set_damping(
    const struct cn_world *world, const struct cn_set_damping *c, struct cn_defect *d)
{
    (void)world;
    CN_CHECK(check_range(d, "linearDamping", c->linear, 0.0, CN_DAMPING_MAX, "N s/m"));
    return check_range(d, "angularDamping", c->angular, 0.0, CN_DAMPING_MAX, "N m s");
}

static void
apply_set_damping(struct cn_world *world, const struct cn_set_damping *c)
{
    world->model.settings.damping_linear = c->linear;
    world->model.settings.damping_angular = c->angular;
}

static enum cn_status
check_set_time_rate(
    const struct cn_world *world, const struct cn_set_number *c, struct cn_defect *d)
{
    (void)world;
    return check_range(d, "timeRate", c->value, CN_TIME_RATE_MIN, CN_TIME_RATE_MAX,
        "simulated seconds per second");
}

static void
apply_set_time_rate(struct cn_world *world, const struct cn_set_number *c)
{
    struct cn_clock *clock = &world->model.clock;
    clock->rate_tick = clock->tick;
    clock->rate_time = clock->time;
    world->model.settings.time_rate = c->value;
}

static enum cn_status
check_set_collision(
    const struct cn_world *world, const struct cn_set_number *c, struct cn_defect *d)
{
    (void)world;
    if (!(c->value >= 0.0 && c->value < CN_COLLISION_COUNT) || c->value != floor(c->value)) {
        return cn_defect_set(d, CN_UNKNOWN, "collision",
            "is %g; 0 (SIMULTANEOUS), 1 (SERIAL) and 2 (HYBRID) are accepted", c->value);
    }
    return CN_OK;
}

static void
apply_set_collision(struct cn_world *world, const struct cn_set_number *c)
{
    world->model.settings.collision = (enum cn_collision_handling)c->value;
}

static enum cn_status
check_truth(const char *path, double value, struct cn_defect *d)
{
    if (value != 0.0 && value != 1.0) {
        return cn_defect_set(d, CN_RANGE, path, "is %g; 0 (no) and 1 (yes) are accepted", value);
    }
    return CN_OK;
}

static enum cn_status
check_set_minimum_norm(
    const struct cn_world *world, const struct cn_set_number *c, struct cn_defect *d)
{
    (void)world;
    return check_truth("minimumNorm", c->value, d);
}

static void
apply_set_minimum_norm(struct cn_world *world, const struct cn_set_number *c)
{
    world->model.settings.minimum_norm = c->value == 1.0;
}

static enum cn_status
check_set_substeps(const struct cn_world *world, const struct cn_set_number *c, struct cn_defect *d)
{
    (void)world;
    CN_CHECK(check_range(d, "substeps", c->value, 1.0, CN_SUBSTEPS_MAX, "in a tick"));
    if (c->value != floor(c->value)) {
        return cn_defect_set(
            d, CN_RANGE, "substeps", "is %g; whole numbers are accepted", c->value);
    }
    return CN_OK;
}

static void
apply_set_substeps(struct cn_world *world, const struct cn_set_number *c)
{
    world->model.settings.substeps = (int32_t)c->value;
}

static enum cn_status
check_set_sleep(const struct cn_world *world, const struct cn_set_number *c, struct cn_defect *d)
{
    (void)world;
    return check_truth("sleep", c->value, d);
}

static void
apply_set_sleep(struct cn_world *world, const struct cn_set_number *c)
{
    struct cn_model *model = &world->model;
    model->settings.sleep = c->value == 1.0;
    for (int i = 0; i < model->body_count && !model->settings.sleep; i++) {
        model->rest[i] = (struct cn_rest){.island = -1};
    }
}

/* Whether the names are in the tables and fit; the defect lies at `path`. */
static enum cn_status
check_pair(const struct cn_world *world, const char *stepper_name, const char *solver_name,
    const char *path, struct cn_defect *d)
{
    const struct cn_stepper *stepper = cn_stepper_find(stepper_name);
    const struct cn_solver *solver = cn_solver_find(solver_name);
    if (stepper == NULL) {
        return cn_world_refuse_stepper(d, path, stepper_name);
    }
    if (solver == NULL) {
        return cn_world_refuse_solver(d, path, solver_name);
    }
    bool planar = world->model.settings.dimension == CN_PLANAR;
    if (!cn_stepper_fits(stepper, solver) || !(planar ? stepper->planar : stepper->spatial)) {
        return cn_defect_set(d, CN_PAIR, path, "stepper %s and solver %s do not fit this world",
            stepper_name, solver_name);
    }
    if (!solver->friction && cn_model_has_friction(&world->model)) {
        return cn_world_refuse_frictionless(d, path, solver_name);
    }
    return CN_OK;
}

static enum cn_status
check_name(const struct cn_set_name *c, const char *path, struct cn_defect *d)
{
    if (memchr(c->name, '\0', sizeof(c->name)) == NULL) {
        return cn_defect_set(d, CN_LIMIT, path, "is a name of %d bytes or more", CN_NAME_SIZE);
    }
    return CN_OK;
}

static enum cn_status
check_set_solver(const struct cn_world *world, const struct cn_set_name *c, struct cn_defect *d)
{
    CN_CHECK(check_name(c, "solver", d));
    return check_pair(world, world->model.settings.stepper, c->name, "solver", d);
}

static enum cn_status
check_set_stepper(const struct cn_world *world, const struct cn_set_name *c, struct cn_defect *d)
{
    CN_CHECK(check_name(c, "stepper", d));
    return check_pair(world, c->name, world->model.settings.solver, "stepper", d);
}

static void
apply_set_solver(struct cn_world *world, const struct cn_set_name *c)
{
    memcpy(world->model.settings.solver, c->name, sizeof(c->name));
    cn_world_bind(world);
}

static void
apply_set_stepper(struct cn_world *world, const struct cn_set_name *c)
{
    memcpy(world->model.settings.stepper, c->name, sizeof(c->name));
    cn_world_bind(world);
}

/* ---- bodies ---- */

static enum cn_status
check_place_body(const struct cn_world *world, const struct cn_place_body *c, struct cn_defect *d)
{
    const struct cn_model *model = &world->model;
    if (c->body < 0 || c->body >= model->body_count || model->body[c->body].type == CN_STATIC) {
        return cn_defect_set(d, CN_REFERENCE, "body",
            "is %d; a dynamic or kinematic body from 0 to %d is accepted", c->body,
            model->body_count - 1);
    }
    CN_CHECK(check_vector(d, "position", c->position, CN_COORDINATE_MAX, "m"));
    double turned = cn_quat_length(c->orientation);
    if (model->settings.dimension == CN_SPATIAL && !(turned >= 0.5 && turned <= 2.0)) {
        return cn_defect_set(d, CN_RANGE, "orientation",
            "has length %g; about 1 is accepted, from 0.5 to 2", turned);
    }
    CN_CHECK(check_range(d, "angle", c->angle, -CN_ANGLE_MAX, CN_ANGLE_MAX, "rad"));
    CN_CHECK(check_vector(d, "velocity", c->velocity, CN_SPEED_MAX, "m/s"));
    return check_vector(d, "angularVelocity", c->angular_velocity, CN_SPIN_MAX, "rad/s");
}

static void
apply_place_body(struct cn_world *world, const struct cn_place_body *c)
{
    struct cn_motion *motion = &world->model.motion[c->body];
    if (world->model.body[c->body].quarantined) {
        cn_model_release(&world->model, c->body);
    }
    bool planar = world->model.settings.dimension == CN_PLANAR;
    motion->angle = planar ? c->angle : 0.0;
    motion->orientation =
        planar ? cn_quat_about_z(c->angle) : cn_quat_normalize(c->orientation);
    cn_pose pose = cn_motion_pose(motion, world->model.settings.dimension);
    cn_vec3 offset = cn_pose_turn(&pose, world->model.body[c->body].center);
    motion->position = cn_vec3_add(cn_model_flat(&world->model, c->position), offset);
    motion->velocity = cn_model_flat(&world->model, c->velocity);
    motion->angular_velocity =
        planar ? cn_vec3_make(0.0, 0.0, c->angular_velocity.z) : c->angular_velocity;
}

/* ---- the table ---- */

static const char *const names[] = {
#define X(NAME, type, member, text) #member,
    CN_COMMAND_TABLE(X)
#undef X
};

static const char *const texts[] = {
#define X(NAME, type, member, text) text,
    CN_COMMAND_TABLE(X)
#undef X
};

const char *
cn_command_name(enum cn_command_kind kind)
{
    CN_ASSERT(kind < CN_COMMAND_KIND_COUNT);
    return names[kind];
}

const char *
cn_command_text(enum cn_command_kind kind)
{
    CN_ASSERT(kind < CN_COMMAND_KIND_COUNT);
    return texts[kind];
}

enum cn_status
cn_world_command_check(
    const struct cn_world *world, const struct cn_command *command, struct cn_defect *defect)
{
    CN_ASSERT(!world->model.clock.mid_tick);
    switch (command->kind) {
#define X(NAME, type, member, text)                                                                \
    case CN_COMMAND_##NAME:                                                                        \
        return check_##member(world, &command->member, defect);
        CN_COMMAND_TABLE(X)
#undef X
    case CN_COMMAND_KIND_COUNT:
        break;
    }
    return cn_defect_set(
        defect, CN_UNKNOWN, "kind", "is %d, which is no command", (int)command->kind);
}

enum cn_status
cn_world_command_apply(
    struct cn_world *world, const struct cn_command *command, struct cn_defect *defect)
{
    CN_CHECK(cn_world_command_check(world, command, defect));
    struct cn_settings before = world->model.settings;
    switch (command->kind) {
#define X(NAME, type, member, text)                                                                \
    case CN_COMMAND_##NAME:                                                                        \
        apply_##member(world, &command->member);                                                   \
        break;
        CN_COMMAND_TABLE(X)
#undef X
    case CN_COMMAND_KIND_COUNT:
        CN_ASSERT(false);
    }
    world->view->is_current = false;
    bool rebound =
        command->kind == CN_COMMAND_SET_SOLVER || command->kind == CN_COMMAND_SET_STEPPER;
    if (rebound && !cn_world_refit(world)) {
        world->model.settings = before; /* the old room still fits the old pair */
        cn_world_bind(world);
        return cn_defect_set(defect, CN_MEMORY, "solver", "no memory for its scratch");
    }
    return CN_OK;
}
