/*
 * peer_say.c: encodes the messages of a client from plain values.
 */
#include "engine/base/assert.h"
#include "proto/codec/attribute.h"
#include "proto/codec/check.h"
#include "proto/limits.h"
#include "proto/peer.h"

#include <cairn/v1/wire.pb-c.h>

#include <stdlib.h>
#include <string.h>

/* A message with room for its parts; it points into itself and into the encoded values. */
struct said {
    Cairn__V1__ClientMessage message;
    union {
        Cairn__V1__Hello hello;
        Cairn__V1__Join join;
        Cairn__V1__Leave leave;
        struct {
            Cairn__V1__Subscribe message;
            Cairn__V1__Interest interest;
            Cairn__V1__Interest__Area area;
            Cairn__V1__Vec3 point, reach;
            char *tags[WIRE_INTEREST_TAGS_MAX];
        } subscribe;
        Cairn__V1__Ping ping;
        Cairn__V1__Ack ack;
        struct {
            Cairn__V1__Desync message;
            char hash[CODEC_HASH_SIZE];
        } desync;
        struct {
            Cairn__V1__Input message;
            Cairn__V1__Vec3 vectors[2];
            union {
                Cairn__V1__Input__Force force;
                Cairn__V1__Input__Torque torque;
                Cairn__V1__Input__Drag drag;
                Cairn__V1__Input__Actuator actuator;
                Cairn__V1__Input__Release release;
            };
        } input;
        struct {
            Cairn__V1__Control message;
            union {
                Cairn__V1__Control__Pause pause;
                Cairn__V1__Control__Resume resume;
                Cairn__V1__Control__Step step;
                Cairn__V1__Control__Reset reset;
                Cairn__V1__CreateWorld create;
                Cairn__V1__SetAttributes attributes;
            };
        } control;
    };
    struct codec_attributes attributes; /* of a control; its block is freed at the end */
};

/* protobuf-c declares texts as char *, but only reads them. */
static char *
borrow_text(const char *text)
{
    union {
        const char *in;
        char *out;
    } cast = {.in = text};
    return cast.out;
}

static Cairn__V1__Vec3 *
fill_vector(Cairn__V1__Vec3 *out, cn_vec3 value)
{
    cairn__v1__vec3__init(out);
    out->x = value.x;
    out->y = value.y;
    out->z = value.z;
    return out;
}

static Cairn__V1__Vec3 *
vector(struct said *said, int i, cn_vec3 value)
{
    CN_ASSERT(i >= 0 && i < 2);
    return fill_vector(&said->input.vectors[i], value);
}

static uint32_t
fill_force(struct said *said, Cairn__V1__Input *out, const struct cn_hold_force *in)
{
    Cairn__V1__Input__Force *force = &said->input.force;
    cairn__v1__input__force__init(force);
    force->body = (uint32_t)in->body;
    force->frame = in->frame == CN_FRAME_WORLD ? CAIRN__V1__INPUT__FRAME__WORLD
                                               : CAIRN__V1__INPUT__FRAME__BODY;
    force->point = vector(said, 0, in->point);
    force->force = vector(said, 1, in->force);
    out->action_case = CAIRN__V1__INPUT__ACTION_FORCE;
    out->force = force;
    return in->holder.slot;
}

static uint32_t
fill_torque(struct said *said, Cairn__V1__Input *out, const struct cn_hold_torque *in)
{
    Cairn__V1__Input__Torque *torque = &said->input.torque;
    cairn__v1__input__torque__init(torque);
    torque->body = (uint32_t)in->body;
    torque->torque = vector(said, 0, in->torque);
    out->action_case = CAIRN__V1__INPUT__ACTION_TORQUE;
    out->torque = torque;
    return in->holder.slot;
}

static uint32_t
fill_drag(struct said *said, Cairn__V1__Input *out, const struct cn_hold_drag *in)
{
    Cairn__V1__Input__Drag *drag = &said->input.drag;
    cairn__v1__input__drag__init(drag);
    drag->body = (uint32_t)in->body;
    drag->point = vector(said, 0, in->point);
    drag->target = vector(said, 1, in->target);
    drag->stiffness = in->stiffness;
    drag->damping = in->damping;
    out->action_case = CAIRN__V1__INPUT__ACTION_DRAG;
    out->drag = drag;
    return in->holder.slot;
}

static uint32_t
fill_actuator(struct said *said, Cairn__V1__Input *out, const struct cn_hold_actuator *in)
{
    Cairn__V1__Input__Actuator *actuator = &said->input.actuator;
    cairn__v1__input__actuator__init(actuator);
    actuator->actuator = (uint32_t)in->actuator;
    actuator->level = in->level;
    out->action_case = CAIRN__V1__INPUT__ACTION_ACTUATOR;
    out->actuator = actuator;
    return in->holder.slot;
}

static bool
fill_input(struct said *said, const struct wire_input *in)
{
    Cairn__V1__Input *out = &said->input.message;
    cairn__v1__input__init(out);
    out->seq = in->seq;
    out->client_tick = in->client_tick;
    out->hold_ticks = in->hold_ticks;
    switch (in->command.kind) {
    case CN_COMMAND_HOLD_FORCE:
        out->slot = fill_force(said, out, &in->command.hold_force);
        break;
    case CN_COMMAND_HOLD_TORQUE:
        out->slot = fill_torque(said, out, &in->command.hold_torque);
        break;
    case CN_COMMAND_HOLD_DRAG:
        out->slot = fill_drag(said, out, &in->command.hold_drag);
        break;
    case CN_COMMAND_HOLD_ACTUATOR:
        out->slot = fill_actuator(said, out, &in->command.hold_actuator);
        break;
    case CN_COMMAND_RELEASE:
        cairn__v1__input__release__init(&said->input.release);
        out->action_case = CAIRN__V1__INPUT__ACTION_RELEASE;
        out->release = &said->input.release;
        out->slot = in->command.release.slot;
        break;
    default:
        return false;
    }
    said->message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_INPUT;
    said->message.input = out;
    return true;
}

#define CONTROL(said, name, NAME)                                                                  \
    do {                                                                                           \
        cairn__v1__control__##name##__init(&(said)->control.name);                                 \
        (said)->control.message.action_case = CAIRN__V1__CONTROL__ACTION_##NAME;                   \
        (said)->control.message.name = &(said)->control.name;                                      \
    } while (0)

/* A kind NONE removes an attribute.  False without memory. */
static bool
fill_attributes(struct said *said, const struct wire_control *in)
{
    struct wire_attribute_change changes[WIRE_ATTRIBUTE_CHANGES_MAX] = {{0}};
    CN_ASSERT(in->attributes.count <= WIRE_ATTRIBUTE_CHANGES_MAX);
    for (int i = 0; i < in->attributes.count; i++) {
        changes[i].attribute = &in->attributes.take[i];
    }
    cairn__v1__set_attributes__init(&said->control.attributes);
    said->control.message.action_case = CAIRN__V1__CONTROL__ACTION_ATTRIBUTES;
    said->control.message.attributes = &said->control.attributes;
    bool is_built = codec_attributes_build(changes, in->attributes.count, &said->attributes);
    said->control.attributes.changes = said->attributes.changes;
    said->control.attributes.n_changes = said->attributes.count;
    return is_built;
}

static bool
fill_control(struct said *said, const struct wire_control *in)
{
    Cairn__V1__Control *out = &said->control.message;
    cairn__v1__control__init(out);
    out->request = in->request;
    switch (in->kind) {
    case WIRE_CONTROL_PAUSE:
        CONTROL(said, pause, PAUSE);
        break;
    case WIRE_CONTROL_RESUME:
        CONTROL(said, resume, RESUME);
        break;
    case WIRE_CONTROL_STEP:
        CONTROL(said, step, STEP);
        said->control.step.ticks = in->step_ticks;
        break;
    case WIRE_CONTROL_RESET:
        CONTROL(said, reset, RESET);
        break;
    case WIRE_CONTROL_CREATE:
        cairn__v1__create_world__init(&said->control.create);
        said->control.create.id = borrow_text(in->source.id);
        said->control.create.source_case = CAIRN__V1__CREATE_WORLD__SOURCE_SCENE_NAME;
        said->control.create.scene_name = borrow_text(in->source.name);
        out->action_case = CAIRN__V1__CONTROL__ACTION_CREATE;
        out->create = &said->control.create;
        break;
    case WIRE_CONTROL_REMOVE:
        out->action_case = CAIRN__V1__CONTROL__ACTION_REMOVE;
        out->remove = borrow_text(in->world);
        break;
    case WIRE_CONTROL_LIST:
        out->action_case = CAIRN__V1__CONTROL__ACTION_LIST;
        out->list = true;
        break;
    case WIRE_CONTROL_ATTRIBUTES:
        if (!fill_attributes(said, in)) {
            return false;
        }
        break;
    default:
        return false;
    }
    said->message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_CONTROL;
    said->message.control = out;
    return true;
}

#define SAY(said, name, NAME)                                                                      \
    do {                                                                                           \
        cairn__v1__##name##__init(&(said)->name);                                                  \
        (said)->message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_##NAME;                  \
        (said)->message.name = &(said)->name;                                                      \
    } while (0)

static void
fill_area(struct said *said, const struct wire_interest *in)
{
    Cairn__V1__Interest__Area *area = &said->subscribe.area;
    cairn__v1__interest__area__init(area);
    said->subscribe.interest.area = area;
    area->reach = fill_vector(&said->subscribe.reach, in->reach);
    if (in->around == WIRE_AROUND_BODY) {
        area->around_case = CAIRN__V1__INTEREST__AREA__AROUND_BODY;
        area->body = in->body;
    } else {
        area->around_case = CAIRN__V1__INTEREST__AREA__AROUND_POINT;
        area->point = fill_vector(&said->subscribe.point, in->point);
    }
}

static void
fill_subscribe(struct said *said, const struct wire_client_message *in)
{
    Cairn__V1__Subscribe *out = &said->subscribe.message;
    cairn__v1__subscribe__init(out);
    said->message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_SUBSCRIBE;
    said->message.subscribe = out;
    out->contacts = in->subscribe.contacts;
    out->energy = in->subscribe.energy;
    out->attributes = in->subscribe.attributes;
    out->mode = (Cairn__V1__Subscribe__Mode)in->subscribe.mode;
    out->rate = in->subscribe.rate_hz;
    out->bytes_per_second = in->subscribe.bytes_per_second;
    out->physics = in->subscribe.physics;
    out->contact_rate = in->subscribe.contact_rate_hz;
    const struct wire_interest *wanted = &in->subscribe.interest;
    if (!wanted->is_part) {
        return;
    }
    Cairn__V1__Interest *interest = &said->subscribe.interest;
    cairn__v1__interest__init(interest);
    out->interest = interest;
    CN_ASSERT(wanted->tag_count <= WIRE_INTEREST_TAGS_MAX);
    for (int i = 0; i < wanted->tag_count; i++) {
        said->subscribe.tags[i] = borrow_text(wanted->tags[i]);
    }
    interest->tags = said->subscribe.tags;
    interest->n_tags = (size_t)wanted->tag_count;
    if (wanted->around != WIRE_AROUND_NOTHING) {
        fill_area(said, wanted);
    }
}

static bool
fill_message(struct said *said, const struct wire_client_message *in)
{
    switch (in->kind) {
    case WIRE_CLIENT_HELLO:
        SAY(said, hello, HELLO);
        said->hello.version = in->hello.version;
        said->hello.name = borrow_text(in->hello.name);
        said->hello.client = borrow_text(in->hello.client);
        if (in->hello.token != NULL) {
            said->hello.token = in->hello.token;
        }
        said->hello.role = (Cairn__V1__Hello__Role)in->hello.role;
        return true;
    case WIRE_CLIENT_JOIN:
        SAY(said, join, JOIN);
        said->join.world = borrow_text(in->join_world);
        return true;
    case WIRE_CLIENT_LEAVE:
        SAY(said, leave, LEAVE);
        return true;
    case WIRE_CLIENT_INPUT:
        return fill_input(said, &in->input);
    case WIRE_CLIENT_SUBSCRIBE:
        fill_subscribe(said, in);
        return true;
    case WIRE_CLIENT_CONTROL:
        return fill_control(said, &in->control);
    case WIRE_CLIENT_PING:
        SAY(said, ping, PING);
        said->ping.client_time_us = in->ping_client_time_us;
        return true;
    case WIRE_CLIENT_ACK:
        SAY(said, ack, ACK);
        said->ack.tick = in->ack_tick;
        return true;
    case WIRE_CLIENT_DESYNC:
        cairn__v1__desync__init(&said->desync.message);
        said->message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_DESYNC;
        said->message.desync = &said->desync.message;
        said->desync.message.tick = in->desync.tick;
        said->desync.message.hash = codec_hash_text(said->desync.hash, in->desync.hash);
        return true;
    default:
        return false;
    }
}

size_t
wire_client_encode(const struct wire_client_message *message, uint8_t *out, size_t out_size)
{
    struct said said;
    if (message->kind == WIRE_CLIENT_SAY) {
        return wire_encode_say(message->say.take, out, out_size);
    }
    if (message->kind == WIRE_CLIENT_LOGIC) {
        return wire_encode_logic_start(&message->logic, out, out_size);
    }
    if (message->kind == WIRE_CLIENT_LOGIC_DONE) {
        return wire_encode_logic_done(message->logic_done_take, out, out_size);
    }
    memset(&said, 0, sizeof(said));
    cairn__v1__client_message__init(&said.message);
    if (!fill_message(&said, message)) {
        free(said.attributes.block);
        return 0;
    }
    size_t size = cairn__v1__client_message__get_packed_size(&said.message);
    if (size <= out_size) {
        size_t written = cairn__v1__client_message__pack(&said.message, out);
        CN_ASSERT(written == size); /* as it was measured */
    }
    free(said.attributes.block);
    return size;
}
