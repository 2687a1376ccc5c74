/*
 * body.c: commands that move bodies or change their properties.
 */
#include "engine/world/command/inside.h"
#include "engine/world/history.h"
#include "engine/world/make.h"

#include "engine/model/life.h"
#include "engine/model/move_table.h"

/* ---- checks ---- */

enum cn_status
cn_command_check_present(
    const struct cn_model *model, struct cn_defect *defect, int32_t body)
{
    if (body < 0 || body >= model->body_count) {
        return cn_defect_set(defect, CN_REFERENCE, "body",
            "is %d; this world has bodies 0 to %d", body, model->body_count - 1);
    }
    if (model->body[body].absent) {
        return cn_defect_set(defect, CN_REFERENCE, "body", "is %d, which was removed", body);
    }
    return CN_OK;
}

static enum cn_status
check_moving(const struct cn_model *model, struct cn_defect *defect, int32_t body)
{
    CN_CHECK(cn_command_check_present(model, defect, body));
    if (model->body[body].type == CN_STATIC) {
        return cn_defect_set(defect, CN_REFERENCE, "body",
            "is %d, which is static; a dynamic or kinematic one is accepted", body);
    }
    return CN_OK;
}

/* ---- motion ---- */

/*
 * Sets the velocities without their locked components.  In the plane it also drops components out
 * of the plane.
 */
static void
set_velocities(struct cn_model *model, int body, cn_vec3 velocity, cn_vec3 spin)
{
    struct cn_motion *motion = &model->motion[body];
    uint8_t locks = model->body[body].locks;
    bool planar = model->settings.dimension == CN_PLANAR;
    velocity.x = locks & CN_LOCK_LINEAR_X ? 0.0 : velocity.x;
    velocity.y = locks & CN_LOCK_LINEAR_Y ? 0.0 : velocity.y;
    velocity.z = planar || locks & CN_LOCK_LINEAR_Z ? 0.0 : velocity.z;
    if (planar) {
        spin = cn_vec3_make(0.0, 0.0, locks & CN_LOCK_ANGULAR_Z ? 0.0 : spin.z);
    } else if (locks & CN_LOCK_ANGULAR) {
        cn_mat33 turn = cn_quat_to_mat33(motion->orientation);
        spin = cn_mat33_apply_back(&turn, spin);
        spin.x = locks & CN_LOCK_ANGULAR_X ? 0.0 : spin.x;
        spin.y = locks & CN_LOCK_ANGULAR_Y ? 0.0 : spin.y;
        spin.z = locks & CN_LOCK_ANGULAR_Z ? 0.0 : spin.z;
        spin = cn_mat33_apply(&turn, spin);
    }
    motion->velocity = velocity;
    motion->angular_velocity = spin;
}

bool
cn_command_has_plane(const struct cn_model *model, int32_t body)
{
    const struct cn_body *of = &model->body[body];
    for (int k = 0; k < of->shape_count; k++) {
        if (model->shape[of->shape_first + k].kind == CN_SHAPE_PLANE) {
            return true;
        }
    }
    return false;
}

static enum cn_status
check_spin(const struct cn_model *model, int32_t body, cn_vec3 spin, struct cn_defect *d)
{
    CN_CHECK(check_vector(d, "angularVelocity", spin, CN_SPIN_MAX, "rad/s"));
    if (cn_vec3_length(spin) > 0.0 && cn_command_has_plane(model, body)) {
        return cn_defect_set(d, CN_RANGE, "angularVelocity",
            "is not 0, and the body has a plane; what has no end moves, and does not turn");
    }
    return CN_OK;
}

enum cn_status
cn_check_place_body(
    const struct cn_world *world, const struct cn_place_body *c, struct cn_defect *d)
{
    const struct cn_model *model = &world->model;
    CN_CHECK(check_moving(model, d, c->body));
    CN_CHECK(check_vector(d, "position", c->position, CN_COORDINATE_MAX, "m"));
    double turned = cn_quat_length(c->orientation);
    if (model->settings.dimension == CN_SPATIAL && !(turned >= 0.5 && turned <= 2.0)) {
        return cn_defect_set(d, CN_RANGE, "orientation",
            "has length %g; about 1 is accepted, from 0.5 to 2", turned);
    }
    CN_CHECK(check_range(d, "angle", c->angle, -CN_ANGLE_MAX, CN_ANGLE_MAX, "rad"));
    CN_CHECK(check_vector(d, "velocity", c->velocity, CN_SPEED_MAX, "m/s"));
    return check_spin(model, c->body, c->angular_velocity, d);
}

void
cn_apply_place_body(struct cn_world *world, const struct cn_place_body *c)
{
    struct cn_model *model = &world->model;
    struct cn_motion *motion = &model->motion[c->body];
    cn_model_drop_move(model, c->body);
    cn_model_drop_passages(model, c->body);
    cn_world_disturb(world, c->body);
    if (model->body[c->body].quarantined) {
        cn_model_release(model, c->body);
    }
    bool planar = model->settings.dimension == CN_PLANAR;
    motion->angle = planar ? c->angle : 0.0;
    motion->orientation =
        planar ? cn_quat_about_z(c->angle) : cn_quat_normalize(c->orientation);
    cn_pose pose = cn_motion_pose(motion, model->settings.dimension);
    cn_vec3 offset = cn_pose_turn(&pose, model->body[c->body].center);
    motion->position = cn_vec3_add(cn_model_flat(model, c->position), offset);
    cn_history_placed(world, c->body);
    set_velocities(model, c->body, c->velocity, c->angular_velocity);
    cn_model_wake(model, c->body);
    cn_model_note(model, CN_CHANGE_BODY, c->body);
}

enum cn_status
cn_check_set_velocity(
    const struct cn_world *world, const struct cn_set_velocity *c, struct cn_defect *d)
{
    CN_CHECK(check_moving(&world->model, d, c->body));
    if (world->model.body[c->body].quarantined) {
        return cn_defect_set(d, CN_REFERENCE, "body",
            "is %d, which ran away and is held; placing it sets it free", c->body);
    }
    CN_CHECK(check_vector(d, "velocity", c->velocity, CN_SPEED_MAX, "m/s"));
    return check_spin(&world->model, c->body, c->angular_velocity, d);
}

void
cn_apply_set_velocity(struct cn_world *world, const struct cn_set_velocity *c)
{
    cn_model_drop_move(&world->model, c->body);
    set_velocities(&world->model, c->body, c->velocity, c->angular_velocity);
    cn_model_wake(&world->model, c->body);
}

/* ---- type and filters ---- */

enum cn_status
cn_check_set_body_type(
    const struct cn_world *world, const struct cn_set_body_type *c, struct cn_defect *d)
{
    const struct cn_model *model = &world->model;
    CN_CHECK(cn_command_check_present(model, d, c->body));
    const struct cn_body *body = &model->body[c->body];
    if ((int)c->type < CN_DYNAMIC || c->type > CN_KINEMATIC) {
        return cn_defect_set(d, CN_UNKNOWN, "type",
            "is %d; 0 (DYNAMIC), 1 (STATIC) and 2 (KINEMATIC) are accepted", (int)c->type);
    }
    double trace = body->inertia.cx.x + body->inertia.cy.y + body->inertia.cz.z;
    if (c->type == CN_DYNAMIC && !(trace > 0.0 && body->mass > 0.0)) {
        return cn_defect_set(d, CN_MASS, "type",
            "is DYNAMIC, which the body was not when it was made: it has no inertia");
    }
    return CN_OK;
}

/* Marks the body as fresh: contacts of the last tick belong to an earlier form of it. */
static void
freshen_body(struct cn_model *model, int32_t body)
{
    cn_model_freshen(model, body);
    cn_model_wake(model, body);
    cn_model_note(model, CN_CHANGE_BODY, body);
}

void
cn_apply_set_body_type(struct cn_world *world, const struct cn_set_body_type *c)
{
    cn_world_tell_ends(world, c->body, -1);
    cn_world_disturb(world, c->body);
    cn_make_type(world, c->body, c->type);
    struct cn_made *made = world->made[c->body];
    if (made != NULL && made->def.type == CN_STATIC && c->type != CN_STATIC) {
        made->def.type = CN_KINEMATIC; /* from now on it may be elsewhere (cn_body_place) */
        made->hash = 0;
    }
    if (c->type != CN_DYNAMIC) {
        cn_command_drop_body(&world->model, c->body);
    }
    if (c->type != CN_KINEMATIC) {
        cn_model_drop_move(&world->model, c->body);
    }
    freshen_body(&world->model, c->body);
}

enum cn_status
cn_check_set_filter(
    const struct cn_world *world, const struct cn_set_filter *c, struct cn_defect *d)
{
    const struct cn_model *model = &world->model;
    CN_CHECK(cn_command_check_present(model, d, c->body));
    if (c->shape < -1 || c->shape >= model->body[c->body].shape_count) {
        return cn_defect_set(d, CN_REFERENCE, "shape",
            "is %d; the body has shapes 0 to %d, and -1 names all", c->shape,
            model->body[c->body].shape_count - 1);
    }
    return CN_OK;
}

void
cn_apply_set_filter(struct cn_world *world, const struct cn_set_filter *c)
{
    struct cn_model *model = &world->model;
    const struct cn_body *body = &model->body[c->body];
    struct cn_made *made = world->made[c->body];
    cn_world_tell_ends(world, c->body, -1);
    cn_world_disturb(world, c->body);
    cn_history_alters(world, c->body);
    for (int k = 0; k < body->shape_count; k++) {
        if (c->shape >= 0 && c->shape != k) {
            continue;
        }
        model->shape[body->shape_first + k].filter = c->filter;
        if (made != NULL) {
            made->shapes[k].has_filter = true;
            made->shapes[k].filter = c->filter;
            made->hash = 0;
        }
    }
    if (world->source[c->body] == CN_SOURCE_SCENE) {
        world->source[c->body] = CN_SOURCE_CHANGED;
    }
    freshen_body(model, c->body);
}

/* ---- sleep ---- */

enum cn_status
cn_check_sleep_body(
    const struct cn_world *world, const struct cn_sleep_body *c, struct cn_defect *d)
{
    const struct cn_model *model = &world->model;
    CN_CHECK(cn_command_check_present(model, d, c->body));
    if (c->asleep && !model->settings.sleep) {
        return cn_defect_set(d, CN_RANGE, "asleep", "is true in a world whose sleep is off");
    }
    if (c->asleep && (model->body[c->body].type != CN_DYNAMIC || model->body[c->body].sleepless)) {
        return cn_defect_set(d, CN_REFERENCE, "body",
            "is %d, which does not sleep: it is not dynamic, or sleepless", c->body);
    }
    return CN_OK;
}

void
cn_apply_sleep_body(struct cn_world *world, const struct cn_sleep_body *c)
{
    struct cn_model *model = &world->model;
    if (!c->asleep) {
        cn_model_wake(model, c->body);
        return;
    }
    if (model->rest[c->body].island < 0) {
        cn_model_lull(model, c->body);
    }
}
