/*
 * settings.c: commands that change a world's settings.
 */
#include "engine/world/command/inside.h"

#include "engine/model/life.h"
#include "engine/solve/table/solver_table.h"

#include <string.h>

enum cn_status
cn_check_set_gravity(
    const struct cn_world *world, const struct cn_set_vector *c, struct cn_defect *d)
{
    (void)world;
    return check_vector(d, "gravity", c->value, CN_GRAVITY_MAX, "m/s^2");
}

void
cn_apply_set_gravity(struct cn_world *world, const struct cn_set_vector *c)
{
    world->model.settings.gravity = cn_model_flat(&world->model, c->value);
    cn_model_wake_all(&world->model);
}

enum cn_status
cn_check_set_restitution(
    const struct cn_world *world, const struct cn_set_number *c, struct cn_defect *d)
{
    (void)world;
    return check_range(d, "restitution", c->value, 0.0, 1.0, "");
}

void
cn_apply_set_restitution(struct cn_world *world, const struct cn_set_number *c)
{
    for (int i = 0; i < world->model.material_count; i++) {
        world->model.material[i].restitution = c->value;
    }
}

enum cn_status
cn_check_set_resting_velocity(
    const struct cn_world *world, const struct cn_set_number *c, struct cn_defect *d)
{
    (void)world;
    return check_range(d, "restingVelocity", c->value, 0.0, CN_SPEED_MAX, "m/s");
}

void
cn_apply_set_resting_velocity(struct cn_world *world, const struct cn_set_number *c)
{
    world->model.settings.has_resting_velocity = true;
    world->model.settings.resting_velocity = c->value;
}

enum cn_status
cn_check_set_damping(
    const struct cn_world *world, const struct cn_set_damping *c, struct cn_defect *d)
{
    (void)world;
    CN_CHECK(check_range(d, "linearDamping", c->linear, 0.0, CN_DAMPING_MAX, "N s/m"));
    return check_range(d, "angularDamping", c->angular, 0.0, CN_DAMPING_MAX, "N m s");
}

void
cn_apply_set_damping(struct cn_world *world, const struct cn_set_damping *c)
{
    world->model.settings.damping_linear = c->linear;
    world->model.settings.damping_angular = c->angular;
}

enum cn_status
cn_check_set_time_rate(
    const struct cn_world *world, const struct cn_set_number *c, struct cn_defect *d)
{
    (void)world;
    return check_range(d, "timeRate", c->value, CN_TIME_RATE_MIN, CN_TIME_RATE_MAX,
        "simulated seconds per second");
}

void
cn_apply_set_time_rate(struct cn_world *world, const struct cn_set_number *c)
{
    struct cn_clock *clock = &world->model.clock;
    clock->rate_tick = clock->tick;
    clock->rate_time = clock->time;
    world->model.settings.time_rate = c->value;
}

enum cn_status
cn_check_set_collision(
    const struct cn_world *world, const struct cn_set_number *c, struct cn_defect *d)
{
    (void)world;
    if (!(c->value >= 0.0 && c->value < CN_COLLISION_COUNT) || c->value != floor(c->value)) {
        return cn_defect_set(d, CN_UNKNOWN, "collision",
            "is %g; 0 (SIMULTANEOUS), 1 (SERIAL) and 2 (HYBRID) are accepted", c->value);
    }
    return CN_OK;
}

void
cn_apply_set_collision(struct cn_world *world, const struct cn_set_number *c)
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

enum cn_status
cn_check_set_minimum_norm(
    const struct cn_world *world, const struct cn_set_number *c, struct cn_defect *d)
{
    (void)world;
    return check_truth("minimumNorm", c->value, d);
}

void
cn_apply_set_minimum_norm(struct cn_world *world, const struct cn_set_number *c)
{
    world->model.settings.minimum_norm = c->value == 1.0;
}

enum cn_status
cn_check_set_substeps(
    const struct cn_world *world, const struct cn_set_number *c, struct cn_defect *d)
{
    (void)world;
    CN_CHECK(check_range(d, "substeps", c->value, 1.0, CN_SUBSTEPS_MAX, "in a tick"));
    if (c->value != floor(c->value)) {
        return cn_defect_set(
            d, CN_RANGE, "substeps", "is %g; whole numbers are accepted", c->value);
    }
    return CN_OK;
}

void
cn_apply_set_substeps(struct cn_world *world, const struct cn_set_number *c)
{
    world->model.settings.substeps = (int32_t)c->value;
}

enum cn_status
cn_check_set_propagation(
    const struct cn_world *world, const struct cn_set_propagation *c, struct cn_defect *d)
{
    (void)world;
#define X(member, name, least, most, usual, text)                                                  \
    CN_CHECK(check_range(d, "propagation." name, c->value.member, least, most, text));
    CN_PROPAGATION_TABLE(X)
#undef X
    return CN_OK;
}

void
cn_apply_set_propagation(struct cn_world *world, const struct cn_set_propagation *c)
{
    world->model.settings.propagation = c->value;
}

enum cn_status
cn_check_set_sleep(const struct cn_world *world, const struct cn_set_number *c, struct cn_defect *d)
{
    (void)world;
    return check_truth("sleep", c->value, d);
}

void
cn_apply_set_sleep(struct cn_world *world, const struct cn_set_number *c)
{
    struct cn_model *model = &world->model;
    model->settings.sleep = c->value == 1.0;
    if (!model->settings.sleep) {
        cn_model_wake_all(model);
    }
}

/* Whether the names are in the tables and fit together; the defect's path is `path`. */
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
    for (int i = 0; i < world->model.shape_count; i++) {
        const struct cn_shape *shape = &world->model.shape[i];
        if (shape->body >= 0 && shape->kind == CN_SHAPE_MESH) {
            CN_CHECK(cn_world_check_meshes(solver_name, path, d));
            break;
        }
    }
    if (!solver->friction && cn_model_has_friction(&world->model)) {
        return cn_world_refuse_frictionless(d, path, solver_name);
    }
    if (cn_model_has_moments(&world->model)) {
        CN_CHECK(cn_world_check_moments(
            solver, path, "does not fit materials with rolling friction:", d));
    }
    for (int i = 0; i < world->model.body_count && solver->kind != CN_SOLVER_BODIES; i++) {
        if (world->model.body[i].locks & CN_LOCK_LINEAR) {
            return cn_world_refuse_locks(d, path, solver_name);
        }
    }
    if (solver->kind != CN_SOLVER_BODIES && cn_model_has_surface(&world->model)) {
        return cn_defect_set(d, CN_PAIR, path,
            "is \"%s\", which moves no surfaces, and a material of this world does; impulse does",
            solver_name);
    }
    return cn_world_check_method(world, stepper, solver, path, d);
}

static enum cn_status
check_name(const char *name, const char *path, struct cn_defect *d)
{
    if (memchr(name, '\0', CN_NAME_SIZE) == NULL) {
        return cn_defect_set(d, CN_LIMIT, path, "is a name of %d bytes or more", CN_NAME_SIZE);
    }
    return CN_OK;
}

enum cn_status
cn_check_set_solver(const struct cn_world *world, const struct cn_set_name *c, struct cn_defect *d)
{
    CN_CHECK(check_name(c->name, "solver", d));
    return check_pair(world, world->model.settings.stepper, c->name, "solver", d);
}

enum cn_status
cn_check_set_stepper(const struct cn_world *world, const struct cn_set_name *c, struct cn_defect *d)
{
    CN_CHECK(check_name(c->name, "stepper", d));
    return check_pair(world, c->name, world->model.settings.solver, "stepper", d);
}

void
cn_apply_set_solver(struct cn_world *world, const struct cn_set_name *c)
{
    memcpy(world->model.settings.solver, c->name, sizeof(c->name));
    cn_world_bind(world);
}

void
cn_apply_set_stepper(struct cn_world *world, const struct cn_set_name *c)
{
    memcpy(world->model.settings.stepper, c->name, sizeof(c->name));
    cn_world_bind(world);
}

/* The resulting name: the given one, or the present one where none is given. */
static const char *
given_or(const char *given, const char *present)
{
    return given[0] != '\0' ? given : present;
}

enum cn_status
cn_check_set_method(
    const struct cn_world *world, const struct cn_set_method *c, struct cn_defect *d)
{
    const struct cn_settings *now = &world->model.settings;
    CN_CHECK(check_name(c->stepper, "stepper", d));
    CN_CHECK(check_name(c->solver, "solver", d));
    if (c->stepper[0] != '\0' && cn_stepper_find(c->stepper) == NULL) {
        return cn_world_refuse_stepper(d, "stepper", c->stepper);
    }
    return check_pair(world, given_or(c->stepper, now->stepper), given_or(c->solver, now->solver),
        c->solver[0] != '\0' ? "solver" : "stepper", d);
}

void
cn_apply_set_method(struct cn_world *world, const struct cn_set_method *c)
{
    struct cn_settings *settings = &world->model.settings;
    memmove(settings->stepper, given_or(c->stepper, settings->stepper), CN_NAME_SIZE);
    memmove(settings->solver, given_or(c->solver, settings->solver), CN_NAME_SIZE);
    cn_world_bind(world);
}
