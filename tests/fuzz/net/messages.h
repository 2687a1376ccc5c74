/*
 * messages.h: messages of a client, valid or nearly so, from a fuzz target's bytes.
 */
#ifndef TESTS_FUZZ_NET_MESSAGES_H
#define TESTS_FUZZ_NET_MESSAGES_H

#include "engine/base/assert.h"
#include "engine/cairn.h"
#include "tests/fuzz/take.h"

#include <cairn/v1/wire.pb-c.h>

/* Values that a client has learnt, so that its messages may be admitted. */
struct messages_hints {
    uint64_t next_seq, tick;
    uint8_t resume[64];
    size_t resume_size;
};

static const char *const messages_worlds[] = {
    "pair", "pair", "pair", "drop", "pair-2", "drop-2", "", "no such world", "../pair"};
static const char *const messages_scenes[] = {"pair", "drop", "drop", "none"};
static const char *const messages_names[] = {"ann", "bob", "",
    "a name of more than thirty-two bytes", "tab\there", "\xc3\xa4", "\xff"};
static const char *const messages_solvers[] = {"dantzig", "impulse", "guendelman03", "none", ""};
static const char *const messages_steppers[] = {"event", "time", "propagation", "none", ""};
static const char *const messages_bodies[] = {"floor", "left", "right", "new", "new-2",
    "ball", "none"};

#define MESSAGES_TEXT(in, some, out)                                                               \
    take_text(in, some, (unsigned)(sizeof(some) / sizeof((some)[0])), out, sizeof(out))

static inline Cairn__V1__Vec3 *
messages_vec3(struct take *in, Cairn__V1__Vec3 *out)
{
    cairn__v1__vec3__init(out);
    unsigned byte = take_byte(in);
    if (byte % 8 == 0) {
        return NULL;
    }
    out->x = take_double(in);
    out->y = take_double(in);
    out->z = byte % 8 < 4 ? 0.0 : take_double(in);
    return out;
}

/* Mostly a slot that exists. */
static inline uint32_t
messages_slot(struct take *in)
{
    unsigned byte = take_byte(in);
    return byte < 240 ? byte % 4 : take_number(in);
}

static inline size_t
messages_pack(const Cairn__V1__ClientMessage *message, uint8_t *out, size_t size)
{
    size_t packed = cairn__v1__client_message__get_packed_size(message);
    CN_ASSERT(packed <= size);
    return cairn__v1__client_message__pack(message, out);
}

static inline size_t
messages_hello(struct take *in, const struct messages_hints *hints, uint8_t *out, size_t size)
{
    char name[64], token[64];
    uint8_t resume[64];
    Cairn__V1__Hello hello = CAIRN__V1__HELLO__INIT;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    unsigned flags = take_byte(in);
    hello.version = (flags & 1) != 0 && (flags & 64) != 0 ? take_number(in) : 1;
    hello.name = MESSAGES_TEXT(in, messages_names, name);
    hello.keep = (flags & 2) != 0;
    hello.role = (flags & 4) != 0 ? (Cairn__V1__Hello__Role)(take_byte(in) % 6) : 0;
    hello.token = (flags & 8) != 0 ? MESSAGES_TEXT(in, messages_names, token) : hello.token;
    if ((flags & 16) != 0) {
        hello.resume.data = resume;
        hello.resume.len = hints->resume_size;
        memcpy(resume, hints->resume, hints->resume_size);
        if ((flags & 32) != 0 && hello.resume.len > 0) {
            resume[take_byte(in) % hello.resume.len] ^= (uint8_t)take_byte(in);
            hello.resume.len -= take_byte(in) % 2;
        }
    }
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_HELLO;
    message.hello = &hello;
    return messages_pack(&message, out, size);
}

static inline size_t
messages_input(struct take *in, struct messages_hints *hints, uint8_t *out, size_t size)
{
    Cairn__V1__Vec3 a, b;
    Cairn__V1__Input__Force force = CAIRN__V1__INPUT__FORCE__INIT;
    Cairn__V1__Input__Torque torque = CAIRN__V1__INPUT__TORQUE__INIT;
    Cairn__V1__Input__Drag drag = CAIRN__V1__INPUT__DRAG__INIT;
    Cairn__V1__Input__Actuator actuator = CAIRN__V1__INPUT__ACTUATOR__INIT;
    Cairn__V1__Input__Release release = CAIRN__V1__INPUT__RELEASE__INIT;
    Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    unsigned flags = take_byte(in);
    input.seq = flags < 224 ? hints->next_seq++ : take_number(in);
    input.slot = flags % 4 == 3 ? take_number(in) : flags % 4;
    input.hold_ticks = take_number(in);
    input.client_tick = hints->tick;
    input.at_tick = (flags & 16) != 0 ? hints->tick + take_number(in) : 0;
    input.action_case = (Cairn__V1__Input__ActionCase)(5 + take_byte(in) % 5);
    switch (input.action_case) {
    case CAIRN__V1__INPUT__ACTION_FORCE:
        force.body = messages_slot(in);
        force.frame = (Cairn__V1__Input__Frame)(take_byte(in) % 3);
        force.point = messages_vec3(in, &a);
        force.force = messages_vec3(in, &b);
        input.force = &force;
        break;
    case CAIRN__V1__INPUT__ACTION_TORQUE:
        torque.body = messages_slot(in);
        torque.torque = messages_vec3(in, &a);
        input.torque = &torque;
        break;
    case CAIRN__V1__INPUT__ACTION_DRAG:
        drag.body = messages_slot(in);
        drag.point = messages_vec3(in, &a);
        drag.target = messages_vec3(in, &b);
        drag.stiffness = take_double(in);
        drag.damping = take_double(in);
        input.drag = &drag;
        break;
    case CAIRN__V1__INPUT__ACTION_ACTUATOR:
        actuator.actuator = take_byte(in) % 3;
        actuator.level = take_double(in);
        input.actuator = &actuator;
        break;
    default:
        input.release = &release;
    }
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_INPUT;
    message.input = &input;
    return messages_pack(&message, out, size);
}

static inline size_t
messages_lease(struct take *in, uint8_t *out, size_t size)
{
    Cairn__V1__Lease__Acquire acquire = CAIRN__V1__LEASE__ACQUIRE__INIT;
    Cairn__V1__Lease__Release release = CAIRN__V1__LEASE__RELEASE__INIT;
    Cairn__V1__Lease__Override override = CAIRN__V1__LEASE__OVERRIDE__INIT;
    Cairn__V1__Lease lease = CAIRN__V1__LEASE__INIT;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    unsigned flags = take_byte(in);
    lease.request = flags < 250 ? 1 + flags % 7 : 0;
    lease.target_case = (flags & 8) != 0 ? CAIRN__V1__LEASE__TARGET_ACTUATOR
                                         : CAIRN__V1__LEASE__TARGET_BODY;
    lease.body = messages_slot(in);
    switch (take_byte(in) % 4) {
    case 0:
    case 1:
        lease.action_case = CAIRN__V1__LEASE__ACTION_ACQUIRE;
        lease.acquire = &acquire;
        acquire.queue = (flags & 16) != 0;
        acquire.ticks = take_number(in);
        break;
    case 2:
        lease.action_case = CAIRN__V1__LEASE__ACTION_RELEASE;
        lease.release = &release;
        break;
    default:
        lease.action_case = CAIRN__V1__LEASE__ACTION_OVERRIDE;
        lease.override = &override;
        override.revoke = (flags & 16) != 0;
        override.ticks = take_number(in);
    }
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LEASE;
    message.lease = &lease;
    return messages_pack(&message, out, size);
}

static inline void
messages_settings(struct take *in, Cairn__V1__Settings *settings, Cairn__V1__Vec3 *gravity,
    char solver[32], char stepper[32])
{
    unsigned flags = take_byte(in);
    settings->gravity = (flags & 1) != 0 ? messages_vec3(in, gravity) : NULL;
    if ((flags & 2) != 0) {
        settings->restitution_set_case = CAIRN__V1__SETTINGS__RESTITUTION_SET_RESTITUTION;
        settings->restitution = take_double(in);
    }
    if ((flags & 4) != 0) {
        settings->time_rate_set_case = CAIRN__V1__SETTINGS__TIME_RATE_SET_TIME_RATE;
        settings->time_rate = take_double(in);
    }
    if ((flags & 8) != 0) {
        settings->solver =
            take_text(in, messages_solvers, sizeof(messages_solvers) / sizeof(char *), solver, 32);
        settings->stepper = take_text(
            in, messages_steppers, sizeof(messages_steppers) / sizeof(char *), stepper, 32);
    }
    if ((flags & 16) != 0) {
        settings->substeps_set_case = CAIRN__V1__SETTINGS__SUBSTEPS_SET_SUBSTEPS;
        settings->substeps = take_number(in);
    }
    if ((flags & 32) != 0) {
        settings->resting_velocity_set_case =
            CAIRN__V1__SETTINGS__RESTING_VELOCITY_SET_RESTING_VELOCITY;
        settings->resting_velocity = take_double(in);
    }
}

/* A Change that adds a body, mostly a valid box. */
static inline size_t
messages_change(struct take *in, uint32_t request, uint8_t *out, size_t size)
{
    char removed[32], name[32];
    char *removes[1];
    Cairn__V1__Vec3 position, extent;
    Cairn__V1__Shape__Box box = CAIRN__V1__SHAPE__BOX__INIT;
    Cairn__V1__Shape shape = CAIRN__V1__SHAPE__INIT;
    Cairn__V1__Body body = CAIRN__V1__BODY__INIT;
    Cairn__V1__Change change = CAIRN__V1__CHANGE__INIT;
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    Cairn__V1__Shape *shapes[1] = {&shape};
    Cairn__V1__Body *bodies[1] = {&body};
    unsigned flags = take_byte(in);
    if ((flags & 1) != 0) {
        removes[0] = MESSAGES_TEXT(in, messages_bodies, removed);
        change.n_remove = 1;
        change.remove = removes;
    }
    if ((flags & 2) != 0) {
        body.name = MESSAGES_TEXT(in, messages_bodies, name);
        body.position = messages_vec3(in, &position);
        box.size = messages_vec3(in, &extent);
        shape.shape_case = CAIRN__V1__SHAPE__SHAPE_BOX;
        shape.box = &box;
        body.n_shapes = 1;
        body.shapes = shapes;
        change.n_bodies = 1;
        change.bodies = bodies;
    }
    control.request = request;
    control.action_case = CAIRN__V1__CONTROL__ACTION_CHANGE;
    control.change = &change;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_CONTROL;
    message.control = &control;
    return messages_pack(&message, out, size);
}

static inline size_t
messages_control(struct take *in, uint8_t *out, size_t size)
{
    char text[32], id[32], solver[32], stepper[32];
    Cairn__V1__Vec3 gravity;
    Cairn__V1__Settings settings = CAIRN__V1__SETTINGS__INIT;
    Cairn__V1__Control__Pause pause = CAIRN__V1__CONTROL__PAUSE__INIT;
    Cairn__V1__Control__Resume resume = CAIRN__V1__CONTROL__RESUME__INIT;
    Cairn__V1__Control__Step step = CAIRN__V1__CONTROL__STEP__INIT;
    Cairn__V1__Control__Reset reset = CAIRN__V1__CONTROL__RESET__INIT;
    Cairn__V1__LoadScene load = CAIRN__V1__LOAD_SCENE__INIT;
    Cairn__V1__CreateWorld create = CAIRN__V1__CREATE_WORLD__INIT;
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    control.request = take_byte(in) % 5;
    unsigned kind = 2 + take_byte(in) % 10;
    control.action_case = (Cairn__V1__Control__ActionCase)kind;
    switch (control.action_case) {
    case CAIRN__V1__CONTROL__ACTION_SETTINGS:
        messages_settings(in, &settings, &gravity, solver, stepper);
        control.settings = &settings;
        break;
    case CAIRN__V1__CONTROL__ACTION_PAUSE:
        control.pause = &pause;
        break;
    case CAIRN__V1__CONTROL__ACTION_RESUME:
        control.resume = &resume;
        break;
    case CAIRN__V1__CONTROL__ACTION_STEP:
        step.ticks = take_number(in);
        control.step = &step;
        break;
    case CAIRN__V1__CONTROL__ACTION_RESET:
        control.reset = &reset;
        break;
    case CAIRN__V1__CONTROL__ACTION_LOAD:
        load.source_case = CAIRN__V1__LOAD_SCENE__SOURCE_SCENE_NAME;
        load.scene_name = MESSAGES_TEXT(in, messages_scenes, text);
        control.load = &load;
        break;
    case CAIRN__V1__CONTROL__ACTION_CREATE:
        create.id = MESSAGES_TEXT(in, messages_worlds, id);
        create.source_case = CAIRN__V1__CREATE_WORLD__SOURCE_SCENE_NAME;
        create.scene_name = MESSAGES_TEXT(in, messages_scenes, text);
        control.create = &create;
        break;
    case CAIRN__V1__CONTROL__ACTION_REMOVE:
        control.remove = MESSAGES_TEXT(in, messages_worlds, text);
        break;
    case CAIRN__V1__CONTROL__ACTION_CHANGE:
        return messages_change(in, control.request, out, size);
    default:
        control.list = true;
    }
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_CONTROL;
    message.control = &control;
    return messages_pack(&message, out, size);
}

static inline size_t
messages_query(struct take *in, uint8_t *out, size_t size)
{
    Cairn__V1__Vec3 position, along, extent;
    Cairn__V1__Shape__Box box = CAIRN__V1__SHAPE__BOX__INIT;
    Cairn__V1__Shape shape = CAIRN__V1__SHAPE__INIT;
    Cairn__V1__Query query = CAIRN__V1__QUERY__INIT;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    unsigned flags = take_byte(in);
    query.request = flags < 250 ? 1 : 0;
    query.kind = (Cairn__V1__Query__Kind)(flags % 4);
    query.position = messages_vec3(in, &position);
    query.along = messages_vec3(in, &along);
    query.hit_max = take_number(in);
    query.angle = take_double(in);
    if (flags / 4 % 4 == 1) { /* of a tick in the past */
        query.at_set_case = CAIRN__V1__QUERY__AT_SET_TICK;
        query.tick = take_number(in);
    } else if (flags / 4 % 4 == 2) {
        query.at_set_case = CAIRN__V1__QUERY__AT_SET_AGE_MS;
        query.age_ms = take_number(in) % 1100;
    }
    if (flags % 4 != 0) {
        box.size = messages_vec3(in, &extent);
        shape.shape_case = CAIRN__V1__SHAPE__SHAPE_BOX;
        shape.box = &box;
        query.shape = &shape;
    }
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_QUERY;
    message.query = &query;
    return messages_pack(&message, out, size);
}

static inline size_t
messages_small(struct take *in, const struct messages_hints *hints, uint8_t *out, size_t size)
{
    char world[32];
    Cairn__V1__Join join = CAIRN__V1__JOIN__INIT;
    Cairn__V1__Leave leave = CAIRN__V1__LEAVE__INIT;
    Cairn__V1__Subscribe subscribe = CAIRN__V1__SUBSCRIBE__INIT;
    Cairn__V1__Ping ping = CAIRN__V1__PING__INIT;
    Cairn__V1__Ack ack = CAIRN__V1__ACK__INIT;
    Cairn__V1__Desync desync = CAIRN__V1__DESYNC__INIT;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    unsigned flags = take_byte(in);
    switch (flags % 8) {
    case 0:
    case 1:
        join.world = MESSAGES_TEXT(in, messages_worlds, world);
        message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_JOIN;
        message.join = &join;
        break;
    case 2:
        message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LEAVE;
        message.leave = &leave;
        break;
    case 3:
        message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_PING;
        message.ping = &ping;
        ping.client_time_us = take_u32(in);
        break;
    case 5:
        message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_DESYNC;
        message.desync = &desync;
        desync.tick = take_number(in);
        desync.hash = (flags & 8) != 0 ? (char[]){"0123456789abcdef"} : (char[]){"0x12"};
        break;
    case 4:
        message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_ACK;
        message.ack = &ack;
        ack.tick = flags < 200 ? hints->tick : take_number(in);
        break;
    default:
        subscribe.contacts = (flags & 8) != 0;
        subscribe.energy = (flags & 16) != 0;
        subscribe.mode = (Cairn__V1__Subscribe__Mode)(take_byte(in) % 6);
        subscribe.physics = (flags & 64) != 0 ? cn_physics_version() : take_number(in);
        subscribe.rate = take_number(in);
        message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_SUBSCRIBE;
        message.subscribe = &subscribe;
    }
    return messages_pack(&message, out, size);
}

#define MESSAGES_SIZE_MAX 2048

/* A message; returns its size. */
static inline size_t
messages_make(struct take *in, struct messages_hints *hints, uint8_t *out, size_t size)
{
    switch (take_byte(in) % 8) {
    case 0:
        return messages_hello(in, hints, out, size);
    case 1:
    case 2:
        return messages_input(in, hints, out, size);
    case 3:
        return messages_lease(in, out, size);
    case 4:
        return messages_control(in, out, size);
    case 5:
        return messages_query(in, out, size);
    default:
        return messages_small(in, hints, out, size);
    }
}

#endif
