/*
 * life.c: commands that make and remove bodies and joints.
 *
 * All memory is allocated first, so that applying can not fail half way.
 */
#include "engine/world/command/inside.h"
#include "engine/world/history.h"
#include "engine/world/make.h"

#include "engine/base/assert.h"
#include "engine/model/attribute_table.h"
#include "engine/model/life.h"
#include "engine/model/move_table.h"
#include "engine/step/sensor.h"
#include "engine/step/stepper_table.h"

#include <stdlib.h>

/* A definition with the fields that the check of one body or joint reads. */
static struct cn_world_def
as_def(const struct cn_world *world)
{
    return (struct cn_world_def){
        .settings = world->model.settings,
        .material_count = world->model.material_count,
        .body_count = world->model.body_count,
        .curve_count = world->model.curve_count,
        .meshes = world->model.mesh,
        .mesh_count = world->model.mesh_count,
    };
}

/* ---- bodies ---- */

enum cn_status
cn_check_make_body(const struct cn_world *world, const struct cn_make_body *c, struct cn_defect *d)
{
    struct cn_world_def def = as_def(world);
    CN_CHECK(cn_body_def_check(&def, &c->def, d));
    if ((c->def.locks & CN_LOCK_LINEAR) && world->solver->kind != CN_SOLVER_BODIES) {
        return cn_world_refuse_locks(d, "locks", world->solver->name);
    }
    if (cn_make_body_slot(world) >= CN_BODIES_MAX) {
        return cn_defect_set(
            d, CN_LIMIT, "", "would be one of more than %d bodies of a world", CN_BODIES_MAX);
    }
    int shape_end = cn_make_shape_slot(world, c->def.shape_count) + c->def.shape_count;
    if (shape_end > CN_SHAPES_MAX) {
        return cn_defect_set(d, CN_LIMIT, "shapes",
            "would be some of more than %d shapes of a world", CN_SHAPES_MAX);
    }
    return CN_OK;
}

static enum cn_status
ready_make_body(struct cn_world *world, const struct cn_make_body *c, struct cn_defect *d)
{
    int shape_end = cn_make_shape_slot(world, c->def.shape_count) + c->def.shape_count;
    world->ready = cn_made_create(&c->def, world->model.settings.dimension);
    if (world->ready == NULL || !cn_make_room(world, cn_make_body_slot(world) + 1, shape_end, 0)) {
        free(world->ready);
        world->ready = NULL;
        return cn_defect_set(d, CN_MEMORY, "", "no memory for one more body");
    }
    cn_world_change_room(world, 1);
    return CN_OK;
}

void
cn_apply_make_body(struct cn_world *world, const struct cn_make_body *c)
{
    int slot = cn_make_body_slot(world);
    int shape_first = cn_make_shape_slot(world, c->def.shape_count);
    cn_make_body_at(world, world->ready, &c->def, slot, shape_first);
    world->ready = NULL;
    cn_history_made(world, slot);
    cn_model_freshen(&world->model, slot);
    cn_model_note_made(&world->model, CN_CHANGE_BODY, slot);
    cn_model_event(&world->model, CN_EVENT_BODY_MADE, slot, -1, world->model.body[slot].generation);
}

enum cn_status
cn_check_remove_body(const struct cn_world *world, const struct cn_remove *c, struct cn_defect *d)
{
    const struct cn_model *model = &world->model;
    if (c->slot < 0 || c->slot >= model->body_count) {
        return cn_defect_set(d, CN_REFERENCE, "body", "is %d; this world has bodies 0 to %d",
            c->slot, model->body_count - 1);
    }
    if (model->body[c->slot].absent || model->body[c->slot].generation != c->generation) {
        return cn_defect_set(d, CN_REFERENCE, "body",
            "is %d of generation %u, which was removed", c->slot, c->generation);
    }
    return CN_OK;
}

static enum cn_status
ready_remove_body(struct cn_world *world, const struct cn_remove *c, struct cn_defect *d)
{
    const struct cn_model *model = &world->model;
    bool kept = cn_make_keep_body(world, c->slot);
    for (int end = model->joints_of[c->slot].first; end >= 0 && kept;
         end = cn_joint_next(model, end)) {
        kept = cn_make_keep_joint(world, end / 2);
    }
    if (!kept || !cn_world_ready_ends(world, c->slot, -1)) {
        return cn_defect_set(d, CN_MEMORY, "body", "no memory to keep what the scene had");
    }
    cn_world_change_room(world, 1 + model->joints_of[c->slot].count);
    return CN_OK;
}

static void
wake_ends(struct cn_model *model, const struct cn_joint *joint)
{
    if (joint->body_a >= 0) {
        cn_model_wake(model, joint->body_a);
    }
    if (joint->body_b >= 0) {
        cn_model_wake(model, joint->body_b);
    }
}

void
cn_command_joint_goes(struct cn_world *world, int joint)
{
    struct cn_model *model = &world->model;
    wake_ends(model, &model->joint[joint]);
    if (model->joint[joint].actuator >= 0) {
        cn_command_drop_actuator(model, model->joint[joint].actuator);
    }
    cn_make_joint_gone(world, joint);
    cn_model_note_removed(model, CN_CHANGE_JOINT, joint);
}

/* Removes the springs, thrusters and constant forces of the body. */
static void
forces_go(struct cn_model *model, int body)
{
    for (int i = 0; i < model->spring_count; i++) {
        struct cn_spring *spring = &model->spring[i];
        if (!spring->absent && (spring->body_a == body || spring->body_b == body)) {
            spring->absent = true;
            int other = spring->body_a == body ? spring->body_b : spring->body_a;
            if (other >= 0) {
                cn_model_wake(model, other);
            }
        }
    }
    for (int i = 0; i < model->thruster_count; i++) {
        if (!model->thruster[i].absent && model->thruster[i].body == body) {
            model->thruster[i].absent = true;
            cn_command_drop_actuator(model, i);
        }
    }
    for (int i = 0; i < model->constant_force_count; i++) {
        struct cn_constant_force *force = &model->constant_force[i];
        force->absent = force->absent || force->body == body;
    }
}

/*
 * Removes the cached contacts of the body, because a later body in the same slot has other
 * contacts.
 */
static void
contacts_go(struct cn_model *model, int slot)
{
    const struct cn_stepper *stepper = cn_stepper_find(model->settings.stepper);
    if (stepper->tell_ends != NULL) {
        stepper->tell_ends(model, slot);
    }
    const struct cn_body *body = &model->body[slot];
    uint64_t first = (uint64_t)body->shape_first, count = (uint64_t)body->shape_count;
    int kept = 0;
    for (int i = 0; i < model->warm_count; i++) {
        uint64_t id = model->warm[i].id, a = id >> 44, b = id >> 24 & 0xfffff;
        if (a - first >= count && b - first >= count) {
            model->warm[kept++] = model->warm[i];
        }
    }
    model->warm_count = kept;
    kept = 0;
    for (int i = 0; i < model->impulse_count; i++) {
        if (model->impulse[i].body_a != slot && model->impulse[i].body_b != slot) {
            model->impulse[kept++] = model->impulse[i];
        }
    }
    model->impulse_count = kept;
}

void
cn_apply_remove_body(struct cn_world *world, const struct cn_remove *c)
{
    struct cn_model *model = &world->model;
    cn_world_tell_ends(world, c->slot, -1);
    cn_world_disturb(world, c->slot);
    cn_model_wake(model, c->slot);
    while (model->joints_of[c->slot].first >= 0) {
        cn_command_joint_goes(world, model->joints_of[c->slot].first / 2);
    }
    forces_go(model, c->slot);
    cn_command_drop_body(model, c->slot);
    cn_model_drop_attributes(model, (struct cn_owner){CN_OWNER_BODY, (uint64_t)c->slot});
    cn_model_drop_move(model, c->slot);
    contacts_go(model, c->slot);
    cn_sensor_forget(model, c->slot);
    cn_model_drop_passages(model, c->slot);
    cn_model_event(model, CN_EVENT_BODY_REMOVED, c->slot, -1, c->generation);
    cn_history_removes(world, c->slot);
    cn_make_body_gone(world, c->slot);
    cn_model_note_removed(model, CN_CHANGE_BODY, c->slot);
}

/* ---- joints ---- */

enum cn_status
cn_check_make_joint(
    const struct cn_world *world, const struct cn_make_joint *c, struct cn_defect *d)
{
    struct cn_world_def def = as_def(world);
    CN_CHECK(cn_joint_def_check(&def, &world->model, &c->def, d));
    if (cn_make_joint_slot(world) >= CN_JOINTS_MAX) {
        return cn_defect_set(
            d, CN_LIMIT, "", "would be one of more than %d joints of a world", CN_JOINTS_MAX);
    }
    return CN_OK;
}

/*
 * Whether the joint keeps its two bodies from touching: it joins two bodies that must not collide.
 */
static bool
forbids_contact(const struct cn_joint_def *joint)
{
    return !joint->collide && joint->body_a >= 0 && joint->body_b >= 0;
}

/*
 * The scratch is measured for a joint with all possible rows in every empty slot, so that making
 * one needs no more memory.  A joint that was removed may have had fewer rows.
 */
static enum cn_status
ready_make_joint(struct cn_world *world, const struct cn_joint_def *def, struct cn_defect *d)
{
    bool measured = !world->joint_gone || cn_world_fits(world) || cn_world_refit(world);
    if (!measured || !cn_make_room(world, 0, 0, cn_make_joint_slot(world) + 1) ||
        (forbids_contact(def) && !cn_world_ready_ends(world, def->body_b, def->body_a))) {
        return cn_defect_set(d, CN_MEMORY, "", "no memory for one more joint");
    }
    world->joint_gone = false;
    cn_world_change_room(world, 1);
    return CN_OK;
}

void
cn_apply_make_joint(struct cn_world *world, const struct cn_make_joint *c)
{
    struct cn_model *model = &world->model;
    struct cn_joint joint;
    int slot = cn_make_joint_slot(world);
    cn_world_tell_ends(world, c->def.body_b, c->def.body_a);
    cn_joint_make(model, &c->def, &joint, &model->joint_state[slot]);
    if (joint.has_motor) {
        joint.actuator = model->thruster_count + model->motor_count + slot;
    }
    cn_make_joint_at(world, &joint, slot);
    wake_ends(model, &joint);
    cn_model_note_made(model, CN_CHANGE_JOINT, slot);
}

enum cn_status
cn_check_remove_joint(const struct cn_world *world, const struct cn_remove *c, struct cn_defect *d)
{
    const struct cn_model *model = &world->model;
    if (c->slot < 0 || c->slot >= model->joint_count) {
        return cn_defect_set(d, CN_REFERENCE, "joint", "is %d; this world has joints 0 to %d",
            c->slot, model->joint_count - 1);
    }
    if (model->joint[c->slot].absent || model->joint[c->slot].generation != c->generation) {
        return cn_defect_set(d, CN_REFERENCE, "joint",
            "is %d of generation %u, which was removed or broke", c->slot, c->generation);
    }
    return CN_OK;
}

void
cn_apply_remove_joint(struct cn_world *world, const struct cn_remove *c)
{
    cn_command_joint_goes(world, c->slot);
}

/* ---- memory ---- */

/* Saves a body of the scene before it changes. */
static enum cn_status
ready_change(struct cn_world *world, int32_t body, struct cn_defect *d)
{
    if (!cn_make_keep_body(world, body) || !cn_world_ready_ends(world, body, -1)) {
        return cn_defect_set(d, CN_MEMORY, "body", "no memory to keep what the scene had");
    }
    cn_world_change_room(world, 1);
    return CN_OK;
}

static enum cn_status
ready_remove_joint(struct cn_world *world, int joint, struct cn_defect *d)
{
    if (!cn_make_keep_joint(world, joint)) {
        return cn_defect_set(d, CN_MEMORY, "joint", "no memory to keep what the scene had");
    }
    cn_world_change_room(world, 1);
    return CN_OK;
}

enum cn_status
cn_command_ready(
    struct cn_world *world, const struct cn_command *command, struct cn_defect *defect)
{
    switch (command->kind) {
    case CN_COMMAND_HOLD_FORCE:
    case CN_COMMAND_HOLD_TORQUE:
    case CN_COMMAND_HOLD_DRAG:
    case CN_COMMAND_HOLD_ACTUATOR:
        if (!cn_world_hold_room(world, world->model.held_count + 1)) {
            return cn_defect_set(defect, CN_MEMORY, "slot", "no memory for one more held input");
        }
        return CN_OK;
    case CN_COMMAND_SET_ATTRIBUTE:
        if (!cn_world_attribute_room(world, world->model.attribute_count + 1)) {
            return cn_defect_set(defect, CN_MEMORY, "name", "no memory for one more attribute");
        }
        return CN_OK;
    case CN_COMMAND_MOVE_BODY:
        if (!cn_world_move_room(world, world->model.move_count + 1)) {
            return cn_defect_set(defect, CN_MEMORY, "body", "no memory for one more move");
        }
        return CN_OK;
    case CN_COMMAND_PLACE_BODY:
        cn_world_change_room(world, 1);
        return CN_OK;
    case CN_COMMAND_SET_BODY_TYPE:
        return ready_change(world, command->set_body_type.body, defect);
    case CN_COMMAND_SET_FILTER:
        return ready_change(world, command->set_filter.body, defect);
    case CN_COMMAND_MAKE_BODY:
        return ready_make_body(world, &command->make_body, defect);
    case CN_COMMAND_REMOVE_BODY:
        return ready_remove_body(world, &command->remove_body, defect);
    case CN_COMMAND_MAKE_JOINT:
        return ready_make_joint(world, &command->make_joint.def, defect);
    case CN_COMMAND_REMOVE_JOINT:
        return ready_remove_joint(world, command->remove_joint.slot, defect);
    default:
        return CN_OK;
    }
}
