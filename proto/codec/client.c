/*
 * client.c: decodes the messages of clients to plain values.
 *
 * More than 600 lines: one function for each message, and nothing is shared by fewer of them.
 */
#include "proto/codec.h"
#include "proto/codec/caps.h"

#include "proto/codec/attribute.h"
#include "proto/codec/check.h"
#include "proto/codec/input.h"
#include "proto/codec/logic.h"
#include "proto/codec/room.h"
#include "proto/codec/world.h"
#include "proto/codec_query.h"

#include "engine/base/assert.h"
#include "engine/base/limits.h"

#include <cairn/v1/wire.pb-c.h>
#include <stdlib.h>
#include <string.h>

/* The tag of a LogicDone: field 23, of the wire type of messages. */
#define TAG_LOGIC_DONE_0 0xBA
#define TAG_LOGIC_DONE_1 0x01

static bool
read_hello(const Cairn__V1__Hello *in, struct wire_hello *out, struct wire_error *error)
{
    out->version = in->version;
    out->role = (uint32_t)in->role;
    out->keep = in->keep;
    out->has_resume = in->resume.len == WIRE_RESUME_SIZE; /* another size is no valid token */
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

/* An index of a body or a thruster; the world checks later whether it exists. */
static bool
read_index(uint32_t in, int32_t *out, const char *path, struct wire_error *error)
{
    if (in > INT32_MAX) {
        wire_error_set(error, "REFERENCE", path, "is %u; there is no such thing", in);
        return false;
    }
    *out = (int32_t)in;
    CN_ASSERT(*out >= 0);
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

bool
codec_input_read(const Cairn__V1__Input *in, struct wire_input *out, struct wire_error *error)
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
read_caps(const Cairn__V1__Lease *in, struct wire_lease *out, struct wire_error *error)
{
    struct codec_caps_refused refused;
    if (!codec_caps(in->cap, &out->caps, &refused)) {
        wire_error_set(error, "RANGE", refused.path, "is %g; from 0 to %g %s is accepted",
            refused.value, CN_FORCE_MAX, refused.unit);
        wire_error_prefix(error, "lease.cap.");
        return false;
    }
    if (in->target_case == CAIRN__V1__LEASE__TARGET_ACTUATOR) {
        wire_error_set(error, "FIELD", "lease.actuator",
            "has the limits that its scene gives it; caps are of bodies");
        return false;
    }
    return true;
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
    case CAIRN__V1__LEASE__ACTION_CAP:
        out->action = WIRE_LEASE_CAP;
        if (!read_caps(in, out, error)) {
            return false;
        }
        break;
    default:
        wire_error_set(error, "FIELD", "lease",
            "has no action; acquire, release, override or cap is needed");
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

/* ---- subscriptions ---- */

/* Reaches are 0 or more, and at least one is above 0; points and reaches are within range. */
static bool
read_area(const Cairn__V1__Interest__Area *in, struct wire_interest *out,
    struct wire_error *error)
{
    out->reach = codec_vec3(in->reach);
    switch (in->around_case) {
    case CAIRN__V1__INTEREST__AREA__AROUND_POINT:
        out->around = WIRE_AROUND_POINT;
        out->point = codec_vec3(in->point);
        break;
    case CAIRN__V1__INTEREST__AREA__AROUND_BODY:
        out->around = WIRE_AROUND_BODY;
        out->body = in->body;
        break;
    default:
        wire_error_set(error, "FIELD", "subscribe.interest.area",
            "is around nothing; point or body is needed");
        return false;
    }
    const double reach[3] = {out->reach.x, out->reach.y, out->reach.z};
    const double point[3] = {out->point.x, out->point.y, out->point.z};
    for (int i = 0; i < 3; i++) {
        if (!(reach[i] >= 0.0 && reach[i] <= WIRE_REACH_MAX)) {
            wire_error_set(error, "RANGE", "subscribe.interest.area.reach",
                "has a component of %g m; 0 to %g are accepted", reach[i], WIRE_REACH_MAX);
            return false;
        }
        if (!(point[i] >= -WIRE_REACH_MAX && point[i] <= WIRE_REACH_MAX)) {
            wire_error_set(error, "RANGE", "subscribe.interest.area.point",
                "has a component of %g m; -%g to %g are accepted", point[i], WIRE_REACH_MAX,
                WIRE_REACH_MAX);
            return false;
        }
    }
    if (reach[0] == 0.0 && reach[1] == 0.0 && reach[2] == 0.0) {
        wire_error_set(error, "FIELD", "subscribe.interest.area.reach",
            "is 0 along every axis, which is all of the world; leave interest out for that");
        return false;
    }
    return true;
}

static bool
read_interest(
    const Cairn__V1__Interest *in, struct wire_interest *out, struct wire_error *error)
{
    out->is_part = true;
    if (in->area != NULL && !read_area(in->area, out, error)) {
        return false;
    }
    for (size_t i = 0; i < in->n_tags; i++) {
        size_t size = strlen(in->tags[i]);
        if (size == 0 || !codec_text_is_clean(in->tags[i], WIRE_TAG_SIZE_MAX)) {
            wire_error_set(error, "NAME", "subscribe.interest.tags",
                "number %zu has %zu bytes; a tag has 1 to %d, and no control characters", i, size,
                WIRE_TAG_SIZE_MAX);
            return false;
        }
        if (!wire_interest_tag(out, in->tags[i])) {
            wire_error_set(error, "LIMIT", "subscribe.interest.tags",
                "are more than %d different ones", WIRE_INTEREST_TAGS_MAX);
            return false;
        }
    }
    CN_ASSERT(out->tag_count <= WIRE_INTEREST_TAGS_MAX);
    return true;
}

/* A budget requires mode DELTA, because only Deltas can be made smaller. */
static bool
check_budget(const Cairn__V1__Subscribe *in, struct wire_error *error)
{
    static const char path[] = "subscribe.bytesPerSecond";
    if (in->bytes_per_second == 0) {
        return true;
    }
    if (in->bytes_per_second < WIRE_BUDGET_MIN) {
        wire_error_set(error, "RANGE", path, "is %u; 0, which is no budget, or at least %d",
            in->bytes_per_second, WIRE_BUDGET_MIN);
        return false;
    }
    if (in->mode != CAIRN__V1__SUBSCRIBE__MODE__DELTA ||
        (in->contacts && in->contact_rate == 0) || in->energy || in->actions) {
        wire_error_set(error, "FIELD", path,
            "goes with mode DELTA alone, without energy and actions, and with contacts only if "
            "contactRate is set");
        return false;
    }
    return true;
}

static bool
check_contact_rate(const Cairn__V1__Subscribe *in, struct wire_error *error)
{
    static const char path[] = "subscribe.contactRate";
    if (in->contact_rate > 0 && !in->contacts) {
        wire_error_set(error, "FIELD", path, "is the rate of contacts, which are not asked for");
        return false;
    }
    if (in->contact_rate > WIRE_CONTACT_RATE_MAX) {
        wire_error_set(error, "RANGE", path, "is %u; at most %d", in->contact_rate,
            WIRE_CONTACT_RATE_MAX);
        return false;
    }
    return true;
}

/* Mode DEEDS is of the whole world, for an engine whose version the client names. */
static bool
check_deeds(const Cairn__V1__Subscribe *in, struct wire_error *error)
{
    if (in->mode != CAIRN__V1__SUBSCRIBE__MODE__DEEDS) {
        return true;
    }
    if (in->interest != NULL) {
        wire_error_set(error, "FIELD", "subscribe.interest",
            "is a part of the world; mode DEEDS needs the whole world: leave interest out");
        return false;
    }
    if (in->physics == 0) {
        wire_error_set(error, "FIELD", "subscribe.physics",
            "is 0; mode DEEDS needs the version of the physics of the client's engine");
        return false;
    }
    return true;
}

static bool
read_subscribe(const Cairn__V1__Subscribe *in, struct wire_client_message *out,
    struct wire_error *error)
{
    out->subscribe.contacts = in->contacts;
    out->subscribe.energy = in->energy;
    out->subscribe.actions = in->actions;
    out->subscribe.attributes = in->attributes;
    out->subscribe.mode = (enum wire_mode)in->mode;
    out->subscribe.rate_hz = in->rate;
    out->subscribe.bytes_per_second = in->bytes_per_second;
    out->subscribe.physics = in->physics;
    out->subscribe.contact_rate_hz = in->contact_rate;
    return check_budget(in, error) && check_contact_rate(in, error) && check_deeds(in, error) &&
        (in->interest == NULL || read_interest(in->interest, &out->subscribe.interest, error));
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
    case CAIRN__V1__CONTROL__ACTION_BODIES:
        out->kind = WIRE_CONTROL_BODIES;
        return codec_body_commands_read(in->bodies, &out->bodies, error);
    case CAIRN__V1__CONTROL__ACTION_ATTRIBUTES:
        out->kind = WIRE_CONTROL_ATTRIBUTES;
        return codec_attributes_read(in->attributes, out, error);
    case CAIRN__V1__CONTROL__ACTION_LIST:
        out->kind = WIRE_CONTROL_LIST;
        return true;
    default:
        wire_error_set(error, "FIELD", "control", "has no action");
        return false;
    }
}

static bool
read_fork(const Cairn__V1__Fork *in, struct wire_fork *out, struct wire_error *error)
{
    out->request = in->request;
    out->has_tick = in->tick_set_case == CAIRN__V1__FORK__TICK_SET_TICK;
    out->tick = out->has_tick ? in->tick : 0;
    out->paused = in->paused;
    out->each = in->each;
    out->replay = in->replay;
    out->speed = in->speed_set_case == CAIRN__V1__FORK__SPEED_SET_SPEED ? in->speed : 1.0;
    if (in->request == 0) {
        wire_error_set(error, "FIELD", "fork.request", "is 0; it names the answer");
        return false;
    }
    return codec_name_read(out->world, sizeof(out->world), in->world, "fork.world", error) &&
        codec_name_read(out->id, sizeof(out->id), in->id, "fork.id", error) &&
        codec_fork_check(out, "fork.", error);
}

static bool
read_seek(const Cairn__V1__Seek *in, struct wire_seek *out, struct wire_error *error)
{
    out->request = in->request;
    out->has_tick = in->tick_set_case == CAIRN__V1__SEEK__TICK_SET_TICK;
    out->tick = out->has_tick ? in->tick : 0;
    out->has_speed = in->speed_set_case == CAIRN__V1__SEEK__SPEED_SET_SPEED;
    out->speed = out->has_speed ? in->speed : 1.0;
    if (in->request == 0) {
        wire_error_set(error, "FIELD", "seek.request", "is 0; it names the answer");
        return false;
    }
    if (!out->has_tick && !out->has_speed) {
        wire_error_set(error, "FIELD", "seek", "has neither tick nor speed");
        return false;
    }
    return codec_speed_check(out->speed, "seek.speed", error);
}

static bool
read_desync(const Cairn__V1__Desync *in, struct wire_desync *out, struct wire_error *error)
{
    out->tick = in->tick;
    if (!codec_hash_read(in->hash, &out->hash)) {
        wire_error_set(error, "FIELD", "desync.hash", "is not 16 digits of 0 to 9 and a to f");
        return false;
    }
    return true;
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
        return codec_input_read(in->input, &out->input, error);
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_SUBSCRIBE:
        out->kind = WIRE_CLIENT_SUBSCRIBE;
        return read_subscribe(in->subscribe, out, error);
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
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_FORK:
        out->kind = WIRE_CLIENT_FORK;
        return read_fork(in->fork, &out->fork, error);
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_SEEK:
        out->kind = WIRE_CLIENT_SEEK;
        return read_seek(in->seek, &out->seek, error);
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_QUERY:
        out->kind = WIRE_CLIENT_QUERY;
        out->query.request = in->query->request;
        out->query.take = codec_query_read(in->query, "query.", error);
        return out->query.take != NULL;
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_DESYNC:
        out->kind = WIRE_CLIENT_DESYNC;
        return read_desync(in->desync, &out->desync, error);
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LOBBY:
        out->kind = WIRE_CLIENT_LOBBY;
        out->lobby.is_end = in->lobby->stop;
        return codec_lobby_read(in->lobby, &out->lobby.filter, error);
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_SAY:
        out->kind = WIRE_CLIENT_SAY;
        out->say.request = in->say->request;
        out->say.take = codec_say_read(in->say, "say.", error);
        return out->say.take != NULL;
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LOGIC:
        out->kind = WIRE_CLIENT_LOGIC;
        return codec_logic_start_read(in->logic, &out->logic, error);
    case CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LOGIC_DONE:
        out->kind = WIRE_CLIENT_LOGIC_DONE;
        out->logic_done_take = codec_logic_done_read(in->logic_done, error);
        return out->logic_done_take != NULL;
    default:
        wire_error_set(error, "FIELD", "", "the message is empty");
        return false;
    }
}

/* The answer to a refused message needs only its kind, seq and request. */
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
    } else if (in->message_case == CAIRN__V1__CLIENT_MESSAGE__MESSAGE_FORK) {
        out->kind = WIRE_CLIENT_FORK;
        out->fork.request = in->fork->request;
    } else if (in->message_case == CAIRN__V1__CLIENT_MESSAGE__MESSAGE_SEEK) {
        out->kind = WIRE_CLIENT_SEEK;
        out->seek.request = in->seek->request;
    } else if (in->message_case == CAIRN__V1__CLIENT_MESSAGE__MESSAGE_DESYNC) {
        out->kind = WIRE_CLIENT_DESYNC;
    } else if (in->message_case == CAIRN__V1__CLIENT_MESSAGE__MESSAGE_SAY) {
        out->kind = WIRE_CLIENT_SAY;
        out->say.request = in->say->request;
    } else if (in->message_case == CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LOGIC) {
        out->kind = WIRE_CLIENT_LOGIC;
        out->logic.request = in->logic->request;
    } else if (in->message_case == CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LOGIC_DONE) {
        out->kind = WIRE_CLIENT_LOGIC_DONE;
    }
}

enum wire_decode_result
wire_client_decode(const uint8_t *bytes, size_t size, struct wire_client_message *message,
    struct wire_error *error)
{
    memset(message, 0, sizeof(*message));
    struct codec_arena arena;
    /* a LogicDone has many small effects: their messages are mostly pointers */
    const bool is_wide = size > 1 && bytes[0] == TAG_LOGIC_DONE_0 && bytes[1] == TAG_LOGIC_DONE_1;
    if (!(is_wide ? codec_arena_init_scene : codec_arena_init)(&arena, size)) {
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
    } else if (message->kind == WIRE_CLIENT_CONTROL &&
        message->control.kind == WIRE_CONTROL_BODIES) {
        wire_body_commands_finish(&message->control.bodies);
    } else if (message->kind == WIRE_CLIENT_CONTROL &&
        message->control.kind == WIRE_CONTROL_ATTRIBUTES) {
        free(message->control.attributes.take);
        message->control.attributes.take = NULL;
    } else if (message->kind == WIRE_CLIENT_QUERY) {
        free(message->query.take);
        message->query.take = NULL;
    } else if (message->kind == WIRE_CLIENT_SAY) {
        free(message->say.take);
        message->say.take = NULL;
    } else if (message->kind == WIRE_CLIENT_LOGIC_DONE) {
        wire_logic_done_destroy(message->logic_done_take);
        message->logic_done_take = NULL;
    } else if (message->kind == WIRE_CLIENT_HELLO) {
        free(message->hello.token);
        message->hello.token = NULL;
    }
}
