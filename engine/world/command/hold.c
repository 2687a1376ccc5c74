/*
 * hold.c: commands that hold inputs, and release them.
 */
#include "engine/world/command/inside.h"

#include "engine/base/assert.h"
#include "engine/model/attribute_table.h"
#include "engine/model/life.h"

/* ---- checks ---- */

static enum cn_status
check_body(const struct cn_model *model, struct cn_defect *defect, int32_t body)
{
    if (body < 0 || body >= model->body_count) {
        return cn_defect_set(defect, CN_REFERENCE, "body", "is %d; this world has bodies 0 to %d",
            body, model->body_count - 1);
    }
    if (model->body[body].absent) {
        return cn_defect_set(defect, CN_REFERENCE, "body", "is %d, which was removed", body);
    }
    if (model->body[body].type != CN_DYNAMIC) {
        return cn_defect_set(defect, CN_REFERENCE, "body",
            "is %d, which is not dynamic and can not be moved by forces", body);
    }
    return CN_OK;
}

/* The index of (source, slot) in the sorted table, or where it would be inserted. */
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
store_held(struct cn_model *model, struct cn_held held)
{
    bool found;
    int place = held_place(model, held.holder.source, held.holder.slot, &found);
    if (!found) {
        CN_ASSERT(model->held_count < model->held_max);
        for (int i = model->held_count; i > place; i--) {
            model->held[i] = model->held[i - 1];
        }
        model->held_count++;
    }
    model->held[place] = held;
    if (held.kind != CN_HELD_ACTUATOR) {
        cn_model_wake(model, held.target);
    }
}

enum cn_status
cn_check_hold_force(
    const struct cn_world *world, const struct cn_hold_force *c, struct cn_defect *d)
{
    CN_CHECK(check_holder(&world->model, d, &c->holder));
    CN_CHECK(check_body(&world->model, d, c->body));
    CN_CHECK(check_vector(d, "point", c->point, CN_SIZE_MAX, "m"));
    if (c->frame != CN_FRAME_WORLD && c->frame != CN_FRAME_BODY) {
        return cn_defect_set(
            d, CN_UNKNOWN, "frame", "is %d; 0 (WORLD) and 1 (BODY) are accepted", (int)c->frame);
    }
    return check_vector(d, "force", c->force, CN_FORCE_MAX, "N");
}

void
cn_apply_hold_force(struct cn_world *world, const struct cn_hold_force *c)
{
    store_held(&world->model, (struct cn_held){
                                  .holder = c->holder,
                                  .kind = CN_HELD_FORCE,
                                  .target = c->body,
                                  .frame = c->frame,
                                  .point = from_center(&world->model, c->body, c->point),
                                  .vector = cn_model_flat(&world->model, c->force),
                              });
}

enum cn_status
cn_check_hold_torque(
    const struct cn_world *world, const struct cn_hold_torque *c, struct cn_defect *d)
{
    CN_CHECK(check_holder(&world->model, d, &c->holder));
    CN_CHECK(check_body(&world->model, d, c->body));
    return check_vector(d, "torque", c->torque, CN_FORCE_MAX, "N m");
}

void
cn_apply_hold_torque(struct cn_world *world, const struct cn_hold_torque *c)
{
    cn_vec3 torque = c->torque;
    if (world->model.settings.dimension == CN_PLANAR) {
        torque.x = torque.y = 0.0;
    }
    store_held(&world->model,
        (struct cn_held){
            .holder = c->holder, .kind = CN_HELD_TORQUE, .target = c->body, .vector = torque});
}

enum cn_status
cn_check_hold_drag(const struct cn_world *world, const struct cn_hold_drag *c, struct cn_defect *d)
{
    CN_CHECK(check_holder(&world->model, d, &c->holder));
    CN_CHECK(check_body(&world->model, d, c->body));
    CN_CHECK(check_vector(d, "point", c->point, CN_SIZE_MAX, "m"));
    CN_CHECK(check_vector(d, "target", c->target, 2.0 * CN_COORDINATE_MAX, "m"));
    CN_CHECK(check_range(d, "stiffness", c->stiffness, 0.0, CN_STIFFNESS_MAX, "N/m"));
    CN_CHECK(check_range(d, "force_max", c->force_max, 0.0, CN_FORCE_MAX, "N"));
    return check_range(d, "damping", c->damping, 0.0, CN_DAMPING_MAX, "N s/m");
}

void
cn_apply_hold_drag(struct cn_world *world, const struct cn_hold_drag *c)
{
    store_held(&world->model, (struct cn_held){
                                  .holder = c->holder,
                                  .kind = CN_HELD_DRAG,
                                  .target = c->body,
                                  .point = from_center(&world->model, c->body, c->point),
                                  .vector = cn_model_flat(&world->model, c->target),
                                  .stiffness = c->stiffness,
                                  .damping = c->damping,
                                  .force_max = c->force_max,
                              });
}

enum cn_status
cn_check_hold_actuator(
    const struct cn_world *world, const struct cn_hold_actuator *c, struct cn_defect *d)
{
    CN_CHECK(check_holder(&world->model, d, &c->holder));
    if (!cn_model_has_actuator(&world->model, c->actuator)) {
        return cn_defect_set(d, CN_REFERENCE, "actuator",
            "is %d; this world has %d actuators in its scene, and not this one", c->actuator,
            world->model.thruster_count + world->model.motor_count);
    }
    return check_range(
        d, "level", c->level, -1.0, 1.0, "(of the thruster's force, or the motor's speed)");
}

void
cn_apply_hold_actuator(struct cn_world *world, const struct cn_hold_actuator *c)
{
    store_held(&world->model, (struct cn_held){.holder = c->holder,
                                  .kind = CN_HELD_ACTUATOR,
                                  .target = c->actuator,
                                  .stiffness = c->level});
    int joint = cn_model_actuator_joint(&world->model, c->actuator);
    if (joint < 0) {
        cn_model_wake(&world->model, world->model.thruster[c->actuator].body);
        return;
    }
    for (int side = 0; side < 2; side++) {
        const struct cn_joint *driven = &world->model.joint[joint];
        int body = side == 0 ? driven->body_a : driven->body_b;
        if (body >= 0) {
            cn_model_wake(&world->model, body);
        }
    }
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

void
cn_command_drop_body(struct cn_model *model, int32_t body)
{
    int kept = 0;
    for (int i = 0; i < model->held_count; i++) {
        if (model->held[i].kind == CN_HELD_ACTUATOR || model->held[i].target != body) {
            model->held[kept] = model->held[i];
            kept++;
        }
    }
    model->held_count = kept;
}

void
cn_command_drop_actuator(struct cn_model *model, int32_t actuator)
{
    int kept = 0;
    for (int i = 0; i < model->held_count; i++) {
        if (model->held[i].kind != CN_HELD_ACTUATOR || model->held[i].target != actuator) {
            model->held[kept] = model->held[i];
            kept++;
        }
    }
    model->held_count = kept;
}

/* Releasing an input that is not held is no error: it may have expired meanwhile. */
enum cn_status
cn_check_release(const struct cn_world *world, const struct cn_release *c, struct cn_defect *d)
{
    (void)world, (void)c, (void)d;
    return CN_OK;
}

void
cn_apply_release(struct cn_world *world, const struct cn_release *c)
{
    drop_held(&world->model, c->source, false, c->slot);
}

enum cn_status
cn_check_release_source(
    const struct cn_world *world, const struct cn_release_source *c, struct cn_defect *d)
{
    (void)world, (void)c, (void)d;
    return CN_OK;
}

void
cn_apply_release_source(struct cn_world *world, const struct cn_release_source *c)
{
    drop_held(&world->model, c->source, true, 0);
    cn_model_drop_attributes(&world->model, (struct cn_owner){CN_OWNER_SESSION, c->source});
}
