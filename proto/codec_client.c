/*
 * codec_client.c: what clients say, from bytes to plain values.
 */
#include "proto/codec.h"

#include "proto/codec_check.h"
#include "proto/codec_query.h"
#include "proto/codec_world.h"

#include <cairn/v1/wire.pb-c.h>
#include <stdlib.h>
#include <string.h>

static bool
read_hello(const Cairn__V1__Hello *in, struct wire_hello *out, struct wire_error *error)
{
    out->version = in->version;
    out->role = (uint32_t)in->role;
    out->keep = in->keep;
    out->has_resume = in->resume.len == WIRE_RESUME_SIZE; /* what is no token is no good one */
    if (out->has_resume) {
        memcpy(out->resume, in->resume.data, WIRE_RESUME_SIZE);
    }
    if (!codec_name_read(out->name, sizeof(out->name), in->name, "hello.name", error) ||
        !codec_name_read(out->client, sizeof(out->client), in->client, "hello.client", error)) {
        return false;
    }
    size_t size = strlen(in->token) + 1;
    if (size == 1) {
        return true;
    }
    out->token = malloc(size);
    if (out->token == NULL) {
        wire_error_set(error, "MEMORY", "hello.token", "no memory");
        return false;
    }
    memcpy(out->token, in->token, size);
    return true;
}

/* A body's or a thruster's index: the world says whether it exists. */
static bool
read_index(uint32_t in, int32_t *out, const char *path, struct wire_error *error)
{
    if (in > INT32_MAX) {
        wire_error_set(error, "REFERENCE", path, "is %u; there is no such thing", in);
        return false;
    }
    *out = (int32_t)in;
    return true;
}

static bool
read_force(const Cairn__V1__Input__Force *in, struct cn_holder holder, struct cn_command *out,
    struct wire_error *error)
{
    out->kind = CN_COMMAND_HOLD_FORCE;
    out->hold_force = (struct cn_hold_force){
        .holder = holder,
        .frame = in->frame == CAIRN__V1__INPUT__FRAME__WORLD ? CN_FRAME_WORLD : CN_FRAME_BODY,
        .point = codec_vec3(in->point),
        .force = codec_vec3(in->force),
    };
    return read_index(in->body, &out->hold_force.body, "input.force.body", error);
}

static bool
read_torque(const Cairn__V1__Input__Torque *in, struct cn_holder holder, struct cn_command *out,
    struct wire_error *error)
{
    out->kind = CN_COMMAND_HOLD_TORQUE;
    out->hold_torque =
        (struct cn_hold_torque){.holder = holder, .torque = codec_vec3(in->torque)};
    return read_index(in->body, &out->hold_torque.body, "input.torque.body", error);
}

static bool
read_drag(const Cairn__V1__Input__Drag *in, struct cn_holder holder, struct cn_command *out,
    struct wire_error *error)
{
    out->kind = CN_COMMAND_HOLD_DRAG;
    out->hold_drag = (struct cn_hold_drag){
        .holder = holder,
        .point = codec_vec3(in->point),
        .target = codec_vec3(in->target),
        .stiffness = in->stiffness,
        .damping = in->damping,
    };
    return read_index(in->body, &out->hold_drag.body, "input.drag.body", error);
}

static bool
read_actuator(const Cairn__V1__Input__Actuator *in, struct cn_holder holder,
    struct cn_command *out, struct wire_error *error)
{
    out->kind = CN_COMMAND_HOLD_ACTUATOR;
    out->hold_actuator = (struct cn_hold_actuator){.holder = holder, .level = in->level};
    return read_index(
        in->actuator, &out->hold_actuator.actuator, "input.actuator.actuator", error);
}

static bool
read_input(const Cairn__V1__Input *in, struct wire_input *out, struct wire_error *error)
{
    struct cn_holder holder = {.slot = in->slot};
    out->seq = in->seq;
    out->client_tick = in->client_tick;
    out->at_tick = in->at_tick;
    out->hold_ticks = in->hold_ticks;
    switch (in->action_case) {
    case CAIRN__V1__INPUT__ACTION_FORCE:
        return read_force(in->force, holder, &out->command, error);
    case CAIRN__V1__INPUT__ACTION_TORQUE:
        return read_torque(in->torque, holder, &out->command, error);
    case CAIRN__V1__INPUT__ACTION_DRAG:
        return read_drag(in->drag, holder, &out->command, error);
    case CAIRN__V1__INPUT__ACTION_ACTUATOR:
        return read_actuator(in->actuator, holder, &out->command, error);
    case CAIRN__V1__INPUT__ACTION_RELEASE:
        out->command.kind = CN_COMMAND_RELEASE;
        out->command.release = (struct cn_release){.slot = in->slot};
        return true;
    default:
        wire_error_set(error, "FIELD", "input",
            "has no action; force, torque, drag, actuator or release is needed");
        return false;
    }
}

static bool
read_lease(const Cairn__V1__Lease *in, struct wire_lease *out, struct wire_error *error)
{
    out->request = in->request;
    switch (in->action_case) {
    case CAIRN__V1__LEASE__ACTION_ACQUIRE:
        out->action = WIRE_LEASE_ACQUIRE;
        out->queue = in->acquire->queue;
        out->ticks = in->acquire->ticks;
        break;
    case CAIRN__V1__LEASE__ACTION_RELEASE:
        out->action = WIRE_LEASE_RELEASE;
        break;
    case CAIRN__V1__LEASE__ACTION_OVERRIDE:
        out->action = in->override->revoke ? WIRE_LEASE_REVOKE : WIRE_LEASE_OVERRIDE;
        out->ticks = in->override->ticks;
        break;
    default:
        wire_error_set(
            error, "FIELD", "lease", "has no action; acquire, release or override is needed");
        return false;
    }
    switch (in->target_case) {
    case CAIRN__V1__LEASE__TARGET_BODY:
        return read_index(in->body, &out->index, "lease.body", error);
    case CAIRN__V1__LEASE__TARGET_ACTUATOR:
        out->is_actuator = true;
        return read_index(in->actuator, &out->index, "lease.actuator", error);
    default:
        wire_error_set(error, "FIELD", "lease", "has no target; body or actuator is needed");
        return false;
    }
}

static bool
read_control(const Cairn__V1__Control *in, struct wire_control *out, struct wire_error *error)
{
    out->request = in->request;
    switch (in->action_case) {
    case CAIRN__V1__CONTROL__ACTION_SETTINGS:
        out->kind = WIRE_CONTROL_SETTINGS;
        return codec_settings_read(in->settings, &out->settings, error);
    case CAIRN__V1__CONTROL__ACTION_PAUSE:
        out->kind = WIRE_CONTROL_PAUSE;
        return true;
    case CAIRN__V1__CONTROL__ACTION_RESUME:
        out->kind = WIRE_CONTROL_RESUME;
        return true;
    case CAIRN__V1__CONTROL__ACTION_STEP:
        out->kind = WIRE_CONTROL_STEP;
        out->step_ticks = in->step->ticks;
        return true;
    case CAIRN__V1__CONTROL__ACTION_RESET:
        out->kind = WIRE_CONTROL_RESET;
        return true;
    case CAIRN__V1__CONTROL__ACTION_LOAD:
        out->kind = WIRE_CONTROL_LOAD;
        return codec_load_read(in->load, &out->source, error);
    case CAIRN__V1__CONTROL__ACTION_CREATE:
        out->kind = WIRE_CONTROL_CREATE;
        return codec_create_read(in->create, &out->source, error);
    case CAIRN__V1__CONTROL__ACTION_REMOVE:
        out->kind = WIRE_CONTROL_REMOVE;
        return codec_name_read(
            out->world, sizeof(out->world), in->remove, "control.remove", error);
    case CAIRN__V1__CONTROL__ACTION_CHANGE:
        out->kind = WIRE_CONTROL_CHANGE;
        return codec_change_read(in->change, &out->source, error);
    case CAIRN__V1__CONTROL__ACTION_LIST:
        out->kind = WIRE_CONTROL_LIST;
        return true;
    default:
        wire_error_set(error, "FIELD", "control", "has no action");
        return false;
    }
}

static bool
read_message(const Cairn__V1__ClientMessage *in, struct wire_client_message *out,
    struct wire_error *error)
{
    switch (in->message_case) {
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_HELLO:
        out->kind = WIRE_CLIENT_HELLO;
        return read_hello(in->hello, &out->hello, error);
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_JOIN:
        out->kind = WIRE_CLIENT_JOIN;
        return codec_name_read(
            out->join_world, sizeof(out->join_world), in->join->world, "join.world", error);
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LEAVE:
        out->kind = WIRE_CLIENT_LEAVE;
        return true;
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_INPUT:
        out->kind = WIRE_CLIENT_INPUT;
        return read_input(in->input, &out->input, error);
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_SUBSCRIBE:
        out->kind = WIRE_CLIENT_SUBSCRIBE;
        out->subscribe.contacts = in->subscribe->contacts;
        out->subscribe.energy = in->subscribe->energy;
        out->subscribe.mode = (enum wire_mode)in->subscribe->mode;
        out->subscribe.rate_hz = in->subscribe->rate;
        return true;
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_CONTROL:
        out->kind = WIRE_CLIENT_CONTROL;
        return read_control(in->control, &out->control, error);
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_PING:
        out->kind = WIRE_CLIENT_PING;
        out->ping_client_time_us = in->ping->client_time_us;
        return true;
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_ACK:
        out->kind = WIRE_CLIENT_ACK;
        out->ack_tick = in->ack->tick;
        return true;
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LEASE:
        out->kind = WIRE_CLIENT_LEASE;
        return read_lease(in->lease, &out->lease, error);
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_QUERY:
        out->kind = WIRE_CLIENT_QUERY;
        out->query.request = in->query->request;
        out->query.take = codec_query_read(in->query, "query.", error);
        return out->query.take != NULL;
    default:
        wire_error_set(error, "FIELD", "", "the message is empty");
        return false;
    }
}

/* Of a message whose values are refused the answer needs only kind, seq and request. */
static void
name_refused(const Cairn__V1__ClientMessage *in, struct wire_client_message *out)
{
    memset(out, 0, sizeof(*out));
    if (in->message_case == CAIRN__V1__CLIENT_MESSAGE__MESSAGE_INPUT) {
        out->kind = WIRE_CLIENT_INPUT;
        out->input.seq = in->input->seq;
    } else if (in->message_case == CAIRN__V1__CLIENT_MESSAGE__MESSAGE_CONTROL) {
        out->kind = WIRE_CLIENT_CONTROL;
        out->control.request = in->control->request;
    } else if (in->message_case == CAIRN__V1__CLIENT_MESSAGE__MESSAGE_QUERY) {
        out->kind = WIRE_CLIENT_QUERY;
        out->query.request = in->query->request;
    } else if (in->message_case == CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LEASE) {
        out->kind = WIRE_CLIENT_LEASE;
        out->lease.request = in->lease->request;
    }
}

enum wire_decode_result
wire_client_decode(const uint8_t *bytes, size_t size, struct wire_client_message *message,
    struct wire_error *error)
{
    memset(message, 0, sizeof(*message));
    struct codec_arena arena;
    if (!codec_arena_init(&arena, size)) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return WIRE_DECODE_BAD;
    }
    enum wire_decode_result result = WIRE_DECODE_BAD;
    ProtobufCMessage *unpacked =
        codec_unpack(&arena, &cairn__v1__client_message__descriptor, bytes, size, error);
    if (unpacked != NULL) {
        const Cairn__V1__ClientMessage *in = (const Cairn__V1__ClientMessage *)unpacked;
        result = WIRE_DECODE_OK;
        if (!codec_check_values(unpacked, "", error) || !read_message(in, message, error)) {
            wire_client_message_finish(message);
            name_refused(in, message);
            result = WIRE_DECODE_REFUSED;
        }
    }
    codec_arena_finish(&arena);
    return result;
}

void
wire_client_message_finish(struct wire_client_message *message)
{
    if (message->kind == WIRE_CLIENT_CONTROL &&
        (message->control.kind == WIRE_CONTROL_LOAD ||
            message->control.kind == WIRE_CONTROL_CREATE ||
            message->control.kind == WIRE_CONTROL_CHANGE)) {
        wire_source_finish(&message->control.source);
    } else if (message->kind == WIRE_CLIENT_QUERY) {
        free(message->query.take);
        message->query.take = NULL;
    } else if (message->kind == WIRE_CLIENT_HELLO) {
        free(message->hello.token);
        message->hello.token = NULL;
    }
}
