/*
 * server.c: encodes the messages of the daemon from plain values.
 */
#include "proto/codec.h"
#include "proto/codec/borrow.h"
#include "proto/codec/caps.h"

#include "engine/base/assert.h"
#include "proto/codec/attribute.h"
#include "proto/codec/check.h"
#include "proto/codec/world.h"
#include "proto/limits.h"
#include "proto/pack.h"
#include "proto/scene.h"

#include <cairn/v1/wire.pb-c.h>
#include <stdlib.h>
#include <string.h>

static size_t
encode_message(const Cairn__V1__ServerMessage *message, uint8_t *out, size_t out_size)
{
    return codec_pack(&message->base, out, out_size);
}

#define SERVER_MESSAGE(NAME, member, pointer)                                                      \
    {                                                                                              \
        PROTOBUF_C_MESSAGE_INIT(&cairn__v1__server_message__descriptor),                           \
            .message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_##NAME, .member = (pointer)         \
    }

size_t
wire_encode_welcome(const struct wire_welcome *welcome, uint8_t *out, size_t out_size)
{
    Cairn__V1__Welcome body = CAIRN__V1__WELCOME__INIT;
    body.version = WIRE_VERSION;
    body.session = welcome->session;
    body.server = codec_borrow(welcome->server);
    body.message_size_max = welcome->message_size_max;
    body.message_rate = welcome->message_rate;
    body.role = (Cairn__V1__Hello__Role)welcome->role;
    body.expires_s = welcome->expires_s;
    body.resume.data = codec_borrow(welcome->resume);
    body.resume.len = welcome->has_resume ? WIRE_RESUME_SIZE : 0;
    body.resumed = welcome->resumed;
    body.restarted = welcome->restarted;
    body.next_seq = welcome->next_seq;
    body.grace_s = welcome->grace_s;
    Cairn__V1__ServerMessage message = SERVER_MESSAGE(WELCOME, welcome, &body);
    return encode_message(&message, out, out_size);
}

/* The attributes that clients see.  False without memory. */
static bool
build_attributes(const struct wire_joined *joined, struct codec_attributes *out)
{
    size_t most = (size_t)joined->attribute_count;
    struct wire_attribute_change *changes = calloc(most + 1, sizeof(*changes));
    int count = 0;
    for (int i = 0; changes != NULL && i < joined->attribute_count; i++) {
        if (!cn_attribute_is_hidden(&joined->attributes[i])) {
            changes[count++].attribute = &joined->attributes[i];
        }
    }
    bool is_built = changes != NULL && codec_attributes_build(changes, count, out);
    free(changes);
    return is_built;
}

size_t
wire_encode_joined(const struct wire_joined *joined, uint8_t *out, size_t out_size)
{
    CN_ASSERT(joined->scene != NULL && joined->status != NULL);
    struct codec_status_message status;
    codec_status_build(&status, joined->status);
    Cairn__V1__Joined body = CAIRN__V1__JOINED__INIT;
    body.world = codec_borrow(joined->world);
    body.scene = codec_borrow(wire_scene_message(joined->scene));
    struct wire_precision precision = wire_scene_precision(joined->scene);
    body.position_scale = precision.position;
    body.angle_scale = precision.angle;
    body.turn_scale = precision.turn;
    body.status = &status.message;
    body.generation = joined->status->generation;
    body.gap_tolerance = joined->gap_tolerance;
    char hash[CODEC_HASH_SIZE];
    if (joined->image != NULL) {
        body.image.data = codec_borrow(joined->image);
        body.image.len = joined->image_size;
        body.image_tick = joined->image_tick;
        body.image_hash = codec_hash_text(hash, joined->image_hash);
        body.physics = joined->physics;
        body.engine_scene = joined->engine_scene != NULL
            ? codec_borrow(wire_scene_message(joined->engine_scene))
            : NULL;
    }
    struct codec_attributes attributes;
    if (!build_attributes(joined, &attributes)) {
        return 0;
    }
    body.attributes = attributes.changes;
    body.n_attributes = attributes.count;
    Cairn__V1__ServerMessage message = SERVER_MESSAGE(JOINED, joined, &body);
    size_t size = encode_message(&message, out, out_size);
    free(attributes.block);
    return size;
}

size_t
wire_encode_attributes(const struct wire_attribute_frame *frame, uint8_t *out, size_t out_size)
{
    struct codec_attributes attributes;
    CN_ASSERT(frame->change_count <= WIRE_ATTRIBUTE_ROWS_MAX);
    if (!codec_attributes_build(frame->changes, frame->change_count, &attributes)) {
        return 0;
    }
    Cairn__V1__AttributeFrame body = CAIRN__V1__ATTRIBUTE_FRAME__INIT;
    body.tick = frame->tick;
    body.generation = frame->generation;
    body.changes = attributes.changes;
    body.n_changes = attributes.count;
    body.full = frame->full;
    Cairn__V1__ServerMessage message = SERVER_MESSAGE(ATTRIBUTES, attributes, &body);
    size_t size = encode_message(&message, out, out_size);
    free(attributes.block);
    return size;
}

size_t
wire_encode_deeds(const struct wire_deeds *deeds, uint8_t *out, size_t out_size)
{
    CN_ASSERT(deeds->deeds != NULL || deeds->deeds_size == 0);
    char hash[CODEC_HASH_SIZE];
    Cairn__V1__Deeds body = CAIRN__V1__DEEDS__INIT;
    body.tick = deeds->tick;
    body.generation = deeds->generation;
    body.deeds.data = codec_borrow(deeds->deeds);
    body.deeds.len = deeds->deeds_size;
    if (deeds->has_hash) {
        body.hash = codec_hash_text(hash, deeds->hash);
    }
    Cairn__V1__ServerMessage message = SERVER_MESSAGE(DEEDS, deeds, &body);
    return encode_message(&message, out, out_size);
}

/* Lists the slots that were used before and are empty now; returns how many. */
static size_t
removed_bodies(const Cairn__V1__Scene *before, const Cairn__V1__Scene *now, uint32_t *slots)
{
    size_t count = 0;
    for (size_t i = 0; i < before->n_bodies && i < now->n_bodies; i++) {
        if (now->bodies[i]->absent && !before->bodies[i]->absent) {
            slots[count++] = (uint32_t)i;
        }
    }
    CN_ASSERT(count <= before->n_bodies);
    return count;
}

static size_t
removed_joints(const Cairn__V1__Scene *before, const Cairn__V1__Scene *now, uint32_t *slots)
{
    size_t count = 0;
    for (size_t i = 0; i < before->n_joints && i < now->n_joints; i++) {
        if (now->joints[i]->joint_case == CAIRN__V1__JOINT__JOINT__NOT_SET &&
            before->joints[i]->joint_case != CAIRN__V1__JOINT__JOINT__NOT_SET) {
            slots[count++] = (uint32_t)i;
        }
    }
    CN_ASSERT(count <= before->n_joints);
    return count;
}

/* Points the message to the new bodies and joints in the scene. */
static void
fill_made(Cairn__V1__Changed *body, const struct wire_changed *changed,
    const Cairn__V1__Scene *now, uint32_t *slots)
{
    body->body_slots = slots;
    body->n_body_slots = body->n_bodies = (size_t)changed->body_count;
    body->joint_slots = slots + changed->body_count;
    body->n_joint_slots = body->n_joints = (size_t)changed->joint_count;
    for (int k = 0; k < changed->body_count; k++) {
        body->body_slots[k] = (uint32_t)changed->body_slots[k];
        CN_ASSERT(changed->body_slots[k] >= 0 && body->body_slots[k] < now->n_bodies);
        body->bodies[k] = now->bodies[changed->body_slots[k]];
    }
    for (int k = 0; k < changed->joint_count; k++) {
        body->joint_slots[k] = (uint32_t)changed->joint_slots[k];
        CN_ASSERT(changed->joint_slots[k] >= 0 && body->joint_slots[k] < now->n_joints);
        body->joints[k] = now->joints[changed->joint_slots[k]];
    }
}

size_t
wire_encode_changed(const struct wire_changed *changed, uint8_t *out, size_t out_size)
{
    CN_ASSERT(changed->body_count >= 0 && changed->joint_count >= 0);
    const Cairn__V1__Scene *before = codec_borrow(wire_scene_message(changed->before));
    const Cairn__V1__Scene *now = codec_borrow(wire_scene_message(changed->now));
    size_t made = (size_t)(changed->body_count + changed->joint_count);
    uint32_t *slots = calloc(now->n_bodies + now->n_joints + made + 1, sizeof(*slots));
    Cairn__V1__Body **bodies = calloc((size_t)changed->body_count + 1, sizeof(*bodies));
    Cairn__V1__Joint **joints = calloc((size_t)changed->joint_count + 1, sizeof(*joints));
    size_t size = 0;
    if (slots != NULL && bodies != NULL && joints != NULL) {
        Cairn__V1__Changed body = CAIRN__V1__CHANGED__INIT;
        body.bodies = bodies;
        body.joints = joints;
        body.generation = changed->generation;
        body.body_count = (uint32_t)now->n_bodies;
        body.joint_count = (uint32_t)now->n_joints;
        body.removed_bodies = slots + made;
        body.n_removed_bodies = removed_bodies(before, now, body.removed_bodies);
        body.removed_joints = body.removed_bodies + body.n_removed_bodies;
        body.n_removed_joints = removed_joints(before, now, body.removed_joints);
        fill_made(&body, changed, now, slots);
        Cairn__V1__ServerMessage message = SERVER_MESSAGE(CHANGED, changed, &body);
        size = encode_message(&message, out, out_size);
    }
    free(slots);
    free(bodies);
    free(joints);
    return size;
}

static uint8_t *
put_number(uint8_t *at, uint32_t field, uint64_t value)
{
    return value != 0 ? wire_put_varint(wire_put_tag(at, field, WIRE_TYPE_VARINT), value) : at;
}

/* Encoded without protobuf-c, for speed: every client gets this message in every tick. */
size_t
wire_encode_tick_header(const struct wire_tick_header *header, uint8_t *out, size_t out_size)
{
    uint8_t body[64], *at = body;
    at = put_number(at, 1, header->tick);
    at = put_number(at, 2, header->applied_seq);
    at = put_number(at, 3, header->durable_seq);
    at = put_number(at, 4, header->server_time_us);
    at = put_number(at, 5, header->rate_hz);
    at = put_number(at, 6, header->durable_tick);
    size_t body_size = (size_t)(at - body);
    CN_ASSERT(body_size <= sizeof(body) && body_size < 128); /* a length of one byte */
    if (body_size + 2 <= out_size) {
        /* ServerMessage.tick, and a length of one byte. */
        uint8_t *end = wire_put_varint(wire_put_tag(out, 3, WIRE_TYPE_BYTES), body_size);
        memcpy(end, body, body_size);
    }
    return body_size + 2;
}

void
wire_status_name(struct wire_status *status, const struct wire_scene *scene)
{
    const Cairn__V1__Scene *message =
        (const Cairn__V1__Scene *)(const void *)wire_scene_message(scene);
    codec_text_copy(status->name, sizeof(status->name), wire_scene_name(scene));
    codec_text_copy(status->title, sizeof(status->title), message->title);
}

size_t
wire_encode_status(const struct wire_status *status, uint8_t *out, size_t out_size)
{
    struct codec_status_message body;
    codec_status_build(&body, status);
    Cairn__V1__ServerMessage message = SERVER_MESSAGE(STATUS, status, &body.message);
    return encode_message(&message, out, out_size);
}

size_t
wire_encode_worlds(
    const struct wire_status *const *worlds, size_t count, uint8_t *out, size_t out_size)
{
    struct codec_status_message *bodies = calloc(count + 1, sizeof(*bodies));
    Cairn__V1__WorldStatus **pointers = calloc(count + 1, sizeof(*pointers));
    Cairn__V1__WorldList list = CAIRN__V1__WORLD_LIST__INIT;
    size_t size = 0;
    if (bodies != NULL && pointers != NULL) {
        for (size_t i = 0; i < count; i++) {
            codec_status_build(&bodies[i], worlds[i]);
            pointers[i] = &bodies[i].message;
        }
        list.n_worlds = count;
        list.worlds = pointers;
        Cairn__V1__ServerMessage message = SERVER_MESSAGE(WORLDS, worlds, &list);
        size = encode_message(&message, out, out_size);
    }
    free(bodies);
    free(pointers);
    return size;
}

size_t
wire_encode_presence(const char *world, const struct wire_person *people, size_t count,
    uint8_t *out, size_t out_size)
{
    Cairn__V1__Presence__Person *bodies = calloc(count + 1, sizeof(*bodies));
    Cairn__V1__Presence__Person **pointers = calloc(count + 1, sizeof(*pointers));
    Cairn__V1__Presence body = CAIRN__V1__PRESENCE__INIT;
    body.world = codec_borrow(world);
    size_t size = 0;
    if (bodies != NULL && pointers != NULL) {
        for (size_t i = 0; i < count; i++) {
            cairn__v1__presence__person__init(&bodies[i]);
            bodies[i].session = people[i].session;
            bodies[i].name = codec_borrow(people[i].name);
            bodies[i].role = (Cairn__V1__Hello__Role)people[i].role;
            bodies[i].away = people[i].away;
            bodies[i].since_us = people[i].since_us;
            pointers[i] = &bodies[i];
        }
        body.n_people = count;
        body.people = pointers;
        Cairn__V1__ServerMessage message = SERVER_MESSAGE(PRESENCE, presence, &body);
        size = encode_message(&message, out, out_size);
    }
    free(bodies);
    free(pointers);
    return size;
}

size_t
wire_encode_pong(const struct wire_pong *pong, uint8_t *out, size_t out_size)
{
    Cairn__V1__Pong body = CAIRN__V1__PONG__INIT;
    body.client_time_us = pong->client_time_us;
    body.server_time_us = pong->server_time_us;
    body.early_count = pong->early_count;
    body.late_count = pong->late_count;
    body.margin = pong->margin;
    body.round_trip_us = pong->round_trip_us;
    Cairn__V1__ServerMessage message = SERVER_MESSAGE(PONG, pong, &body);
    return encode_message(&message, out, out_size);
}

size_t
wire_encode_control_done(
    uint32_t request, const char *world, uint32_t waiting, uint8_t *out, size_t out_size)
{
    Cairn__V1__ControlDone body = CAIRN__V1__CONTROL_DONE__INIT;
    body.request = request;
    body.world = codec_borrow(world);
    body.waiting = waiting;
    Cairn__V1__ServerMessage message = SERVER_MESSAGE(CONTROL_DONE, control_done, &body);
    return encode_message(&message, out, out_size);
}

size_t
wire_encode_forked(
    uint32_t request, const struct wire_status *status, uint8_t *out, size_t out_size)
{
    Cairn__V1__Forked body = CAIRN__V1__FORKED__INIT;
    body.request = request;
    body.world = codec_borrow(status->id);
    body.origin = codec_borrow(status->origin);
    body.tick = status->origin_tick;
    body.replay = status->state == WIRE_WORLD_REPLAY;
    Cairn__V1__ServerMessage message = SERVER_MESSAGE(FORKED, forked, &body);
    return encode_message(&message, out, out_size);
}

size_t
wire_encode_rejected(uint32_t request, uint64_t seq, const struct wire_error *error, uint8_t *out,
    size_t out_size)
{
    struct codec_error_message part;
    codec_error_build(&part, error);
    Cairn__V1__Rejected body = CAIRN__V1__REJECTED__INIT;
    body.request = request;
    body.seq = seq;
    body.error = &part.message;
    Cairn__V1__ServerMessage message = SERVER_MESSAGE(REJECTED, rejected, &body);
    return encode_message(&message, out, out_size);
}

static void
build_held(Cairn__V1__LeaseState__Held *out, const struct wire_held *held)
{
    CN_ASSERT(held->session_count > 0); /* the holder is the first */
    cairn__v1__lease_state__held__init(out);
    out->target_case = held->is_actuator ? CAIRN__V1__LEASE_STATE__HELD__TARGET_ACTUATOR
                                         : CAIRN__V1__LEASE_STATE__HELD__TARGET_BODY;
    if (held->is_actuator) {
        out->actuator = (uint32_t)held->index;
    } else {
        out->body = (uint32_t)held->index;
    }
    out->session = held->sessions[0];
    out->name = codec_borrow(held->name);
    out->until_tick = held->until_tick;
    out->taken = held->is_taken;
    out->waiting = codec_borrow(held->sessions + 1);
    out->n_waiting = (size_t)held->session_count - 1;
}

/* The parts of a LeaseState, in one block. */
struct lease_parts {
    Cairn__V1__LeaseState__Held *held, **held_pointers;
    Cairn__V1__LeaseState__Capped *capped, **capped_pointers;
    Cairn__V1__Caps *caps;
};

static bool
make_parts(struct lease_parts *parts, const struct wire_lease_state *state)
{
    size_t held = state->held_count + 1, capped = state->capped_count + 1;
    parts->held = calloc(held, sizeof(*parts->held));
    parts->held_pointers = calloc(held, sizeof(*parts->held_pointers));
    parts->capped = calloc(capped, sizeof(*parts->capped));
    parts->capped_pointers = calloc(capped, sizeof(*parts->capped_pointers));
    parts->caps = calloc(capped, sizeof(*parts->caps));
    return parts->held != NULL && parts->held_pointers != NULL && parts->capped != NULL &&
        parts->capped_pointers != NULL && parts->caps != NULL;
}

static void
free_parts(struct lease_parts *parts)
{
    free(parts->held);
    free(parts->held_pointers);
    free(parts->capped);
    free(parts->capped_pointers);
    free(parts->caps);
}

size_t
wire_encode_leases(const struct wire_lease_state *state, uint8_t *out, size_t out_size)
{
    struct lease_parts parts = {0};
    Cairn__V1__LeaseState body = CAIRN__V1__LEASE_STATE__INIT;
    body.generation = state->generation;
    body.tick = state->tick;
    size_t size = 0;
    if (make_parts(&parts, state)) {
        for (size_t i = 0; i < state->held_count; i++) {
            build_held(&parts.held[i], &state->held[i]);
            parts.held_pointers[i] = &parts.held[i];
        }
        for (size_t i = 0; i < state->capped_count; i++) {
            codec_caps_build(&state->capped[i].caps, &parts.caps[i]);
            cairn__v1__lease_state__capped__init(&parts.capped[i]);
            parts.capped[i].body = (uint32_t)state->capped[i].body;
            parts.capped[i].caps = &parts.caps[i];
            parts.capped_pointers[i] = &parts.capped[i];
        }
        body.n_held = state->held_count;
        body.held = parts.held_pointers;
        body.n_capped = state->capped_count;
        body.capped = parts.capped_pointers;
        Cairn__V1__ServerMessage message = SERVER_MESSAGE(LEASES, leases, &body);
        size = encode_message(&message, out, out_size);
    }
    free_parts(&parts);
    return size;
}
