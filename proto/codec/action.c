/*
 * action.c: encodes the held inputs of all sessions as an ActionFrame.
 */
#include "proto/snapshot_codec.h"

#include "engine/base/assert.h"
#include "proto/limits.h"

#include <cairn/v1/wire.pb-c.h>
#include <math.h>

struct action {
    Cairn__V1__ActionFrame__Action message;
    Cairn__V1__Vec3 point, vector, to;
};

static Cairn__V1__Vec3 *
put(Cairn__V1__Vec3 *out, cn_vec3 value)
{
    cairn__v1__vec3__init(out);
    out->x = value.x;
    out->y = value.y;
    out->z = value.z;
    return out;
}

/* The force of a drag's spring, as engine/model/held.h defines it. */
static cn_vec3
pull_at(const struct cn_held *held, const struct cn_body_view *body, cn_vec3 arm, cn_vec3 point)
{
    cn_vec3 velocity = cn_vec3_add(body->velocity, cn_vec3_cross(body->angular_velocity, arm));
    cn_vec3 force = cn_vec3_scale(cn_vec3_sub(held->vector, point), held->stiffness);
    force = cn_vec3_add_scaled(force, -held->damping, velocity);
    double size = sqrt(cn_vec3_dot(force, force));
    bool is_less = held->force_max > 0.0 && size > held->force_max;
    return is_less ? cn_vec3_scale(force, held->force_max / size) : force;
}

static void
fill_action(struct action *action, const struct cn_world *world, const struct cn_held *held)
{
    CN_ASSERT(held->target >= 0);
    Cairn__V1__ActionFrame__Action *out = &action->message;
    cairn__v1__action_frame__action__init(out);
    out->session = held->holder.source;
    out->kind = (Cairn__V1__ActionFrame__Kind)held->kind;
    out->target = (uint32_t)held->target;
    if (held->kind == CN_HELD_ACTUATOR) {
        out->level = held->stiffness;
        return;
    }
    struct cn_body_view body;
    cn_world_body_state(world, held->target, &body);
    cn_mat33 turn = cn_quat_to_mat33(body.orientation);
    cn_vec3 arm = cn_mat33_apply(&turn, held->point);
    cn_vec3 point = cn_vec3_add(body.center, arm), vector = held->vector;
    if (held->kind == CN_HELD_DRAG) {
        out->to = put(&action->to, held->vector);
        vector = pull_at(held, &body, arm, point);
    } else if (held->kind == CN_HELD_FORCE && held->frame == CN_FRAME_BODY) {
        vector = cn_mat33_apply(&turn, vector);
    }
    if (held->kind != CN_HELD_TORQUE) {
        out->point = put(&action->point, point);
    }
    out->vector = put(&action->vector, vector);
}

size_t
wire_encode_actions(const struct cn_world *world, uint8_t *out, size_t out_size)
{
    struct action actions[WIRE_ACTIONS_MAX];
    Cairn__V1__ActionFrame__Action *pointers[WIRE_ACTIONS_MAX];
    const struct cn_held *held;
    int count = cn_world_held(world, &held);
    int shown = count < WIRE_ACTIONS_MAX ? count : WIRE_ACTIONS_MAX;
    CN_ASSERT(shown >= 0 && shown <= count);
    for (int i = 0; i < shown; i++) {
        fill_action(&actions[i], world, &held[i]);
        pointers[i] = &actions[i].message;
    }
    Cairn__V1__ActionFrame body = CAIRN__V1__ACTION_FRAME__INIT;
    body.tick = cn_world_tick(world);
    body.n_actions = (size_t)shown;
    body.actions = pointers;
    body.left_out = (uint32_t)(count - shown);
    Cairn__V1__ServerMessage message = CAIRN__V1__SERVER_MESSAGE__INIT;
    message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_ACTIONS;
    message.actions = &body;
    size_t size = cairn__v1__server_message__get_packed_size(&message);
    if (size <= out_size) {
        size_t written = cairn__v1__server_message__pack(&message, out);
        CN_ASSERT(written == size); /* as it was measured */
    }
    return size;
}
