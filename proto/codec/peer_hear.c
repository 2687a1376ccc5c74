/*
 * peer_hear.c: decodes the daemon's messages to plain values, for clients.
 */
#include "proto/peer.h"

#include "engine/base/assert.h"
#include "proto/codec/attribute.h"
#include "proto/codec/check.h"
#include "proto/codec/logic.h"
#include "proto/codec/world.h"

#include <cairn/v1/wire.pb-c.h>

#include <stdlib.h>
#include <string.h>

/* ---- worlds ---- */

static bool
read_status(
    const Cairn__V1__WorldStatus *in, struct wire_status *out, struct wire_error *error)
{
    memset(out, 0, sizeof(*out));
    out->state = (enum wire_world_state)in->state;
    out->idle = in->idle;
    out->tick = in->tick;
    out->time = in->time;
    out->tick_rate = in->tick_rate;
    out->body_count = in->body_count;
    out->contact_count = in->contact_count;
    out->client_count = in->client_count;
    out->hash = strtoull(in->hash, NULL, 16);
    out->real_time_factor = in->real_time_factor;
    out->frozen_count = in->frozen_count;
    out->tick_duration_us = in->tick_duration_us;
    out->generation = in->generation;
    out->durability = in->durability > CAIRN__V1__WORLD__DURABILITY__AS_DAEMON
                          ? (enum wire_durability)(in->durability - 1)
                          : WIRE_DURABILITY_NONE; /* the daemon did not say */
    out->stalled_ms = in->stalled_ms;
    out->origin_tick = in->origin_tick;
    out->speed = in->speed;
    out->end_tick = in->end_tick;
    return codec_name_read(out->id, sizeof(out->id), in->id, "status.id", error) &&
        codec_name_read(out->name, sizeof(out->name), in->name, "status.name", error) &&
        codec_name_read(out->title, sizeof(out->title), in->title, "status.title", error) &&
        codec_name_read(out->origin, sizeof(out->origin), in->origin, "status.origin", error) &&
        codec_name_read(
            out->failure, sizeof(out->failure), in->failure, "status.failure", error) &&
        (in->settings == NULL || codec_settings_read(in->settings, &out->settings, error));
}

static bool
no_memory(struct wire_error *error)
{
    wire_error_set(error, "MEMORY", "", "no memory");
    return false;
}

static void
read_bodies(const Cairn__V1__Scene *scene, struct wire_heard_joined *out)
{
    for (size_t i = 0; i < scene->n_bodies; i++) {
        const Cairn__V1__Body *body = scene->bodies[i];
        if (body->absent || body->type != CAIRN__V1__BODY__TYPE__DYNAMIC) {
            continue;
        }
        bool has_mass = body->mass_set_case == CAIRN__V1__BODY__MASS_SET_MASS;
        CN_ASSERT(out->body_count <= i);
        out->bodies[out->body_count++] = (struct wire_heard_body){
            .slot = (uint32_t)i,
            .position = codec_vec3(body->position),
            .mass = has_mass ? body->mass : 1.0,
        };
    }
}

static bool
pack_scene(const Cairn__V1__Scene *scene, struct wire_heard_bytes *out)
{
    out->size = cairn__v1__scene__get_packed_size(scene);
    out->bytes = malloc(out->size + 1);
    if (out->bytes != NULL) {
        size_t written = cairn__v1__scene__pack(scene, out->bytes);
        CN_ASSERT(written == out->size); /* as it was measured */
    }
    return out->bytes != NULL;
}

/* The image, the packed scene that its engine was made from, and the present one if it differs. */
static bool
read_image(const Cairn__V1__Joined *in, struct wire_heard_joined *out, struct wire_error *error)
{
    const bool is_changed = in->engine_scene != NULL;
    if (in->image.len == 0) {
        return true;
    }
    if (!codec_hash_read(in->image_hash, &out->image_hash)) {
        wire_error_set(error, "FIELD", "joined.imageHash", "is not 16 hex digits");
        return false;
    }
    out->image_tick = in->image_tick;
    out->physics = in->physics;
    out->image.size = in->image.len;
    out->image.bytes = malloc(in->image.len);
    if (out->image.bytes == NULL ||
        !pack_scene(is_changed ? in->engine_scene : in->scene, &out->scene) ||
        (is_changed && !pack_scene(in->scene, &out->shown))) {
        return no_memory(error);
    }
    memcpy(out->image.bytes, in->image.data, in->image.len);
    return true;
}

static bool
read_deeds(const Cairn__V1__Deeds *in, struct wire_heard_deeds *out, struct wire_error *error)
{
    out->tick = in->tick;
    out->generation = in->generation;
    out->has_hash = in->hash[0] != '\0';
    if (out->has_hash && !codec_hash_read(in->hash, &out->hash)) {
        wire_error_set(error, "FIELD", "deeds.hash", "is not 16 hex digits");
        return false;
    }
    out->deeds_size = in->deeds.len;
    if (in->deeds.len > 0) {
        out->deeds = malloc(in->deeds.len);
        if (out->deeds == NULL) {
            return no_memory(error);
        }
        memcpy(out->deeds, in->deeds.data, in->deeds.len);
    }
    return true;
}

/* Reads changes into heap memory. */
static bool
read_attributes(Cairn__V1__AttributeChange *const *in, size_t count, struct cn_attribute **out,
    int *out_count, struct wire_error *error)
{
    *out = calloc(count + 1, sizeof(**out));
    if (*out == NULL || count > INT32_MAX) {
        return no_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        if (!codec_attribute_read(in[i], &(*out)[i], error)) {
            return false;
        }
        ++*out_count;
    }
    return true;
}

static bool
read_attribute_frame(const Cairn__V1__AttributeFrame *in, struct wire_heard_attributes *out,
    struct wire_error *error)
{
    out->tick = in->tick;
    out->generation = in->generation;
    out->full = in->full;
    return read_attributes(in->changes, in->n_changes, &out->changes, &out->count, error);
}

static bool
read_joined(const Cairn__V1__Joined *in, struct wire_server_message *message,
    struct wire_error *error)
{
    struct wire_heard_joined *out = calloc(1, sizeof(*out));
    message->joined = out;
    if (out == NULL) {
        return no_memory(error);
    }
    if (in->scene == NULL || in->status == NULL) {
        wire_error_set(error, "FIELD", "joined", "has no scene or no status");
        return false;
    }
    out->generation = in->generation;
    out->position_scale = in->position_scale;
    out->angle_scale = in->angle_scale;
    out->turn_scale = in->turn_scale;
    out->is_spatial = in->scene->world != NULL &&
        in->scene->world->dimension == CAIRN__V1__WORLD__DIMENSION__SPATIAL;
    out->bodies = calloc(in->scene->n_bodies + 1, sizeof(out->bodies[0]));
    if (out->bodies == NULL) {
        return no_memory(error);
    }
    read_bodies(in->scene, out);
    return read_image(in, out, error) &&
        read_attributes(in->attributes, in->n_attributes, &out->attributes,
            &out->attribute_count, error) &&
        codec_name_read(out->world, sizeof(out->world), in->world, "joined.world", error) &&
        read_status(in->status, &out->status, error);
}

static bool
read_worlds(const Cairn__V1__WorldList *in, struct wire_server_message *message,
    struct wire_error *error)
{
    message->worlds.statuses = calloc(in->n_worlds + 1, sizeof(struct wire_status));
    if (message->worlds.statuses == NULL) {
        return no_memory(error);
    }
    message->worlds.count = in->n_worlds;
    for (size_t i = 0; i < in->n_worlds; i++) {
        if (!read_status(in->worlds[i], &message->worlds.statuses[i], error)) {
            return false;
        }
    }
    return true;
}

/* ---- ticks ---- */

/* Whether the columns have equal lengths and those of the other dimension are empty. */
static bool
has_columns(const Cairn__V1__Snapshot *in)
{
    size_t n = in->n_x;
    bool is_good = n <= INT32_MAX && in->n_y == n && (in->n_body == 0 || in->n_body == n);
    if (in->n_z > 0) {
        return is_good && in->n_z == n && in->n_turn_largest == n && in->n_turn_a == n &&
            in->n_turn_b == n && in->n_turn_c == n && in->n_angle == 0;
    }
    return is_good && in->n_angle == n && in->n_turn_largest == 0 && in->n_turn_a == 0 &&
        in->n_turn_b == 0 && in->n_turn_c == 0;
}

/* Whether the hash matches the columns; computed from a state that borrows them. */
static bool
is_whole(const Cairn__V1__Snapshot *in)
{
    struct wire_state state = {.count = (int)in->n_x, .is_spatial = in->n_z > 0, .body = in->body,
        .x = in->x, .y = in->y, .z = in->z, .angle = in->angle, .turn_largest = in->turn_largest,
        .turn_a = in->turn_a, .turn_b = in->turn_b, .turn_c = in->turn_c};
    uint32_t *slots = NULL;
    if (!has_columns(in)) {
        return false;
    }
    if (in->n_body == 0) {
        slots = calloc(in->n_x + 1, sizeof(*slots));
        for (size_t i = 0; slots != NULL && i < in->n_x; i++) {
            slots[i] = (uint32_t)i;
        }
        state.body = slots;
    }
    bool is_good = state.body != NULL && wire_state_hash(&state) == in->view_hash;
    free(slots);
    return is_good;
}

static void
read_snapshot(const Cairn__V1__Snapshot *in, struct wire_heard_snapshot *out)
{
    out->tick = in->tick;
    out->generation = in->generation;
    out->time = in->time;
    out->count = in->n_x;
    for (size_t i = 0; i < in->asleep.len; i++) {
        for (unsigned bits = in->asleep.data[i]; bits != 0; bits &= bits - 1) {
            out->asleep_count++;
        }
    }
    out->view_hash = in->view_hash;
    out->is_whole = is_whole(in);
    if (out->is_whole && in->n_turn_largest > 0) {
        out->turn_largest = calloc(in->n_turn_largest, sizeof(*out->turn_largest));
        out->is_whole = out->turn_largest != NULL;
    }
    for (size_t i = 0; out->turn_largest != NULL && i < in->n_turn_largest; i++) {
        out->turn_largest[i] = in->turn_largest[i];
    }
}

static bool
read_contacts(const Cairn__V1__ContactFrame *in, struct wire_heard_contacts *out,
    struct wire_error *error)
{
    out->tick = in->tick;
    out->count = in->n_body_a + in->left_out;
    out->is_judged = in->residual_set_case == CAIRN__V1__CONTACT_FRAME__RESIDUAL_SET_RESIDUAL;
    out->residual = out->is_judged ? in->residual : 0.0;
    out->iteration_count = in->iteration_count;
    out->row_count = in->row_count;
    return codec_name_read(
        out->solver, sizeof(out->solver), in->solver, "contacts.solver", error);
}

static void
read_rejected(const Cairn__V1__Rejected *in, struct wire_server_message *message)
{
    message->rejected.request = in->request;
    message->rejected.seq = in->seq;
    if (in->error != NULL) {
        struct wire_error *error = &message->rejected.error;
        codec_text_copy(error->code, sizeof(error->code), in->error->code);
        codec_text_copy(error->path, sizeof(error->path), in->error->path);
        codec_text_copy(error->text, sizeof(error->text), in->error->text);
        error->line = in->error->line;
        error->retry_ms = in->error->retry_ms;
    }
}

/* ---- messages ---- */

void
wire_heard_begin_decoder(const struct wire_heard_joined *joined, struct wire_decoder *decoder)
{
    wire_ring_clear(&decoder->ring);
    decoder->is_spatial = joined->is_spatial;
    decoder->precision = (struct wire_precision){
        joined->position_scale, joined->angle_scale, joined->turn_scale};
}

void
wire_heard_begin_contacts(
    const struct wire_heard_joined *joined, struct wire_contact_decoder *decoder)
{
    wire_contact_decoder_clear(decoder);
    decoder->is_spatial = joined->is_spatial;
    decoder->position_scale = joined->position_scale;
}

struct wire_heard_contacts
wire_heard_contacts(const struct wire_contacts *contacts)
{
    const struct wire_contact_report *report = &contacts->report;
    struct wire_heard_contacts heard = {
        .tick = contacts->tick,
        .is_judged = report->is_judged,
        .residual = wire_magnitude(report->residual),
        .iteration_count = report->iteration_count,
        .row_count = report->row_count,
    };
    for (int i = 0; i < contacts->count; i++) {
        heard.count += !wire_contact_is_load(&contacts->contacts[i]);
    }
    _Static_assert(sizeof(heard.solver) >= sizeof(report->solver), "a name fits");
    memcpy(heard.solver, report->solver, sizeof(report->solver));
    return heard;
}

static void
read_tick(const Cairn__V1__TickHeader *in, struct wire_tick_header *out)
{
    out->tick = in->tick;
    out->applied_seq = in->applied_seq;
    out->durable_seq = in->durable_seq;
    out->server_time_us = in->server_time_us;
    out->rate_hz = in->rate;
    out->durable_tick = in->durable_tick;
}

static void
read_pong(const Cairn__V1__Pong *in, struct wire_pong *out)
{
    out->client_time_us = in->client_time_us;
    out->server_time_us = in->server_time_us;
    out->early_count = in->early_count;
    out->late_count = in->late_count;
    out->margin = in->margin;
    out->round_trip_us = in->round_trip_us;
}

static bool
read_forked(const Cairn__V1__Forked *in, struct wire_server_message *out, struct wire_error *error)
{
    out->forked.request = in->request;
    out->forked.tick = in->tick;
    out->forked.replay = in->replay;
    return codec_name_read(
               out->forked.world, sizeof(out->forked.world), in->world, "forked.world", error) &&
        codec_name_read(
            out->forked.origin, sizeof(out->forked.origin), in->origin, "forked.origin", error);
}

static bool
read_message(const Cairn__V1__ServerMessage *in, struct wire_server_message *out,
    struct wire_error *error)
{
    switch (out->kind) {
    case WIRE_SERVER_WELCOME:
        out->welcome.version = in->welcome->version;
        out->welcome.session = in->welcome->session;
        out->welcome.message_size_max = in->welcome->message_size_max;
        out->welcome.message_rate = in->welcome->message_rate;
        out->welcome.role = (uint32_t)in->welcome->role;
        out->welcome.expires_s = in->welcome->expires_s;
        codec_text_copy(out->welcome.server, sizeof(out->welcome.server), in->welcome->server);
        return true;
    case WIRE_SERVER_JOINED:
        return read_joined(in->joined, out, error);
    case WIRE_SERVER_TICK:
        read_tick(in->tick, &out->tick);
        return true;
    case WIRE_SERVER_SNAPSHOT:
        read_snapshot(in->snapshot, &out->snapshot);
        return true;
    case WIRE_SERVER_CONTACTS:
        return read_contacts(in->contacts, &out->contacts, error);
    case WIRE_SERVER_ENERGY:
        out->energy.tick = in->energy->tick;
        out->energy.time = in->energy->time;
        out->energy.kinetic = in->energy->kinetic;
        out->energy.potential = in->energy->potential;
        out->energy.total = in->energy->total;
        return true;
    case WIRE_SERVER_STATUS:
        out->status = calloc(1, sizeof(*out->status));
        return out->status != NULL ? read_status(in->status, out->status, error)
                                   : no_memory(error);
    case WIRE_SERVER_WORLDS:
        return read_worlds(in->worlds, out, error);
    case WIRE_SERVER_PRESENCE:
        out->presence.people_count = in->presence->n_people;
        return true;
    case WIRE_SERVER_PONG:
        read_pong(in->pong, &out->pong);
        return true;
    case WIRE_SERVER_DONE:
        out->done.request = in->control_done->request;
        out->done.waiting = in->control_done->waiting;
        return codec_name_read(out->done.world, sizeof(out->done.world), in->control_done->world,
            "controlDone.world", error);
    case WIRE_SERVER_REJECTED:
        read_rejected(in->rejected, out);
        return true;
    case WIRE_SERVER_CHANGED:
        out->changed_generation = in->changed->generation;
        return true;
    case WIRE_SERVER_FORKED:
        return read_forked(in->forked, out, error);
    case WIRE_SERVER_DEEDS:
        return read_deeds(in->deeds, &out->deeds, error);
    case WIRE_SERVER_ATTRIBUTES:
        return read_attribute_frame(in->attributes, &out->attributes, error);
    case WIRE_SERVER_SAID:
        out->said = codec_said_hear(in->said, error);
        return out->said != NULL;
    case WIRE_SERVER_LOGIC_TICK:
        codec_logic_tick_hear(in->logic_tick, &out->logic_tick);
        return true;
    default:
        return true;
    }
}

bool
wire_server_decode(const uint8_t *bytes, size_t size, struct wire_server_message *message,
    struct wire_error *error)
{
    memset(message, 0, sizeof(*message));
    struct codec_arena arena;
    enum wire_server_kind kind = wire_server_kind(bytes, size);
    bool has_scene = kind == WIRE_SERVER_JOINED || kind == WIRE_SERVER_CHANGED ||
        kind == WIRE_SERVER_LOGIC_TICK;
    if (!(has_scene ? codec_arena_init_scene : codec_arena_init)(&arena, size)) {
        return no_memory(error);
    }
    bool is_good = false;
    ProtobufCMessage *unpacked =
        codec_unpack(&arena, &cairn__v1__server_message__descriptor, bytes, size, error);
    if (unpacked != NULL && codec_check_values(unpacked, "", error)) {
        const Cairn__V1__ServerMessage *in = (const Cairn__V1__ServerMessage *)unpacked;
        if (wire_server_kind_name((enum wire_server_kind)in->message_case) != NULL) {
            message->kind = (enum wire_server_kind)in->message_case;
            is_good = read_message(in, message, error);
        } else {
            wire_error_set(error, "FIELD", "", "the message is empty");
        }
    }
    if (!is_good) {
        wire_server_message_finish(message);
        message->kind = WIRE_SERVER_NONE;
    }
    codec_arena_finish(&arena);
    return is_good;
}

void
wire_server_message_finish(struct wire_server_message *message)
{
    if (message->kind == WIRE_SERVER_JOINED && message->joined != NULL) {
        free(message->joined->bodies);
        free(message->joined->scene.bytes);
        free(message->joined->shown.bytes);
        free(message->joined->image.bytes);
        free(message->joined->attributes);
        free(message->joined);
        message->joined = NULL;
    } else if (message->kind == WIRE_SERVER_STATUS) {
        free(message->status);
        message->status = NULL;
    } else if (message->kind == WIRE_SERVER_SNAPSHOT) {
        free(message->snapshot.turn_largest);
        message->snapshot.turn_largest = NULL;
    } else if (message->kind == WIRE_SERVER_DEEDS) {
        free(message->deeds.deeds);
        message->deeds.deeds = NULL;
    } else if (message->kind == WIRE_SERVER_ATTRIBUTES) {
        free(message->attributes.changes);
        message->attributes.changes = NULL;
    } else if (message->kind == WIRE_SERVER_SAID) {
        free(message->said);
        message->said = NULL;
    } else if (message->kind == WIRE_SERVER_WORLDS) {
        free(message->worlds.statuses);
        message->worlds.statuses = NULL;
    }
}
