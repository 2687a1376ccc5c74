/* solo_say.c: the messages of a world without a daemon to its client. */
#include "wasm/solo_inside.h"

#include "deed/settings.h"
#include "engine/base/assert.h"
#include "proto/limits.h"
#include "proto/snapshot_codec.h"

#include <stdlib.h>
#include <string.h>

typedef size_t encoder(const void *context, uint8_t *out, size_t out_size);

/* Without memory a message is lost: the client sees the next state. */
static void
say(struct solo *solo, encoder *encode, const void *context)
{
    if (solo->message_count == solo->message_capacity) {
        int capacity = solo->message_capacity * 2 + 16;
        struct message *messages =
            realloc(solo->messages, (size_t)capacity * sizeof(*messages));
        if (messages == NULL) {
            return;
        }
        solo->messages = messages;
        solo->message_capacity = capacity;
    }
    size_t size = encode(context, NULL, 0);
    uint8_t *bytes = size > 0 ? malloc(size) : NULL;
    if (bytes == NULL) {
        return;
    }
    size_t written = encode(context, bytes, size);
    CN_ASSERT(written <= size && solo->message_count < solo->message_capacity);
    solo->messages[solo->message_count++] = (struct message){bytes, written};
}

EXPORT(cairn_solo_next) const uint8_t *
cairn_solo_next(struct solo *solo)
{
    if (solo->taken < solo->message_count) {
        return solo->messages[solo->taken++].bytes;
    }
    for (int i = 0; i < solo->message_count; i++) {
        free(solo->messages[i].bytes);
    }
    solo->message_count = solo->taken = 0;
    return NULL;
}

EXPORT(cairn_solo_next_size) size_t
cairn_solo_next_size(const struct solo *solo)
{
    return solo->taken > 0 ? solo->messages[solo->taken - 1].size : 0;
}

#define ENCODER(name, type)                                                                        \
    static size_t encode_##name(const void *context, uint8_t *out, size_t out_size)                \
    {                                                                                              \
        const type *value = context;                                                               \
        return wire_encode_##name(value, out, out_size);                                           \
    }
ENCODER(welcome, struct wire_welcome)
ENCODER(joined, struct wire_joined)
ENCODER(changed, struct wire_changed)
ENCODER(status, struct wire_status)
ENCODER(tick_header, struct wire_tick_header)
ENCODER(pong, struct wire_pong)
ENCODER(query_result, struct wire_query_result)
ENCODER(snapshot, struct wire_state)
ENCODER(energy, struct cn_world)
ENCODER(attributes, struct wire_attribute_frame)
ENCODER(actions, struct cn_world)
ENCODER(contacts, struct cn_world)
ENCODER(events, struct cn_world)

static size_t
encode_done(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_control_done(*(const uint32_t *)context, WORLD_ID, 0, out, out_size);
}

static size_t
encode_worlds(const void *context, uint8_t *out, size_t out_size)
{
    const struct wire_status *status = context;
    return wire_encode_worlds(&status, 1, out, out_size);
}

static size_t
encode_presence(const void *context, uint8_t *out, size_t out_size)
{
    (void)context;
    const struct wire_person person = {
        .session = SESSION, .name = "you", .role = ROLE_OPERATOR};
    return wire_encode_presence(WORLD_ID, &person, 1, out, out_size);
}

struct refusal {
    uint32_t request;
    uint64_t seq;
    const struct wire_error *error;
};

static size_t
encode_rejected(const void *context, uint8_t *out, size_t out_size)
{
    const struct refusal *refusal = context;
    return wire_encode_rejected(refusal->request, refusal->seq, refusal->error, out, out_size);
}

void
solo_refuse(struct solo *solo, uint32_t request, uint64_t seq, const struct wire_error *error)
{
    const struct refusal refusal = {request, seq, error};
    say(solo, encode_rejected, &refusal);
}

static void
fill_status(const struct solo *solo, struct wire_status *status)
{
    memset(status, 0, sizeof(*status));
    memcpy(status->id, WORLD_ID, sizeof(WORLD_ID));
    wire_status_name(status, solo->scene);
    status->state = solo->run_state;
    status->tick = cn_world_tick(solo->engine);
    status->time = cn_world_time(solo->engine);
    status->tick_rate = cn_world_tick_rate(solo->engine);
    status->body_count = (uint32_t)cn_world_present_count(solo->engine);
    status->contact_count = cn_world_is_looked_at(solo->engine)
        ? (uint32_t)cn_world_contact_count(solo->engine)
        : 0;
    status->client_count = 1;
    status->hash = cn_world_hash(solo->engine);
    dd_settings_of(solo->engine, &status->settings);
    status->real_time_factor = solo->real_time_factor;
    status->tick_duration_us = solo->tick_us;
    status->durability = WIRE_DURABILITY_NONE;
    status->generation = solo->generation;
}

void
solo_forget_state(struct solo *solo)
{
    wire_state_unref(solo->state);
    solo->state = NULL;
    solo->is_dirty = true;
}

void
solo_say_joined(struct solo *solo)
{
    struct wire_status status;
    fill_status(solo, &status);
    struct wire_joined joined = {.world = WORLD_ID, .scene = solo->shown,
        .status = &status, .gap_tolerance = cn_world_gap_tolerance(solo->engine)};
    joined.attribute_count = cn_world_attributes(solo->engine, &joined.attributes);
    say(solo, encode_joined, &joined);
    solo_forget_state(solo);
}

void
solo_say_status(struct solo *solo)
{
    struct wire_status status;
    fill_status(solo, &status);
    say(solo, encode_status, &status);
    solo->is_status_due = false;
    solo->status_us = solo->now_us;
}

void
solo_say_welcome(struct solo *solo)
{
    const struct wire_welcome welcome = {.session = SESSION, .server = SERVER_NAME,
        .message_size_max = MESSAGE_SIZE_MAX, .message_rate = MESSAGE_RATE,
        .role = ROLE_OPERATOR};
    say(solo, encode_welcome, &welcome);
}

void
solo_say_changed(struct solo *solo, const struct wire_changed *changed)
{
    say(solo, encode_changed, changed);
}

void
solo_say_presence(struct solo *solo)
{
    say(solo, encode_presence, NULL);
}

void
solo_say_worlds(struct solo *solo)
{
    struct wire_status status;
    fill_status(solo, &status);
    say(solo, encode_worlds, &status);
}

void
solo_say_pong(struct solo *solo, uint64_t client_time_us)
{
    const struct wire_pong pong = {
        .client_time_us = client_time_us, .server_time_us = (uint64_t)solo->now_us};
    say(solo, encode_pong, &pong);
}

void
solo_say_done(struct solo *solo, uint32_t request)
{
    say(solo, encode_done, &request);
}

void
solo_say_result(struct solo *solo, const struct wire_query_result *result)
{
    say(solo, encode_query_result, result);
}

/* All attributes, when some have changed. */
static void
say_attributes(struct solo *solo)
{
    const struct cn_attribute *rows;
    int count = cn_world_attributes(solo->engine, &rows), shown = 0;
    uint64_t version = cn_world_attribute_version(solo->engine);
    struct wire_attribute_change *changes = calloc((size_t)count + 1, sizeof(*changes));
    for (int i = 0; changes != NULL && i < count; i++) {
        if (!cn_attribute_is_hidden(&rows[i])) {
            changes[shown++].attribute = &rows[i];
        }
    }
    for (int first = 0; changes != NULL && (first < shown || first == 0);
         first += WIRE_ATTRIBUTE_ROWS_MAX) {
        int left = shown - first;
        const struct wire_attribute_frame frame = {.tick = cn_world_tick(solo->engine),
            .generation = solo->generation, .changes = changes + first,
            .change_count = left < WIRE_ATTRIBUTE_ROWS_MAX ? left : WIRE_ATTRIBUTE_ROWS_MAX,
            .full = first == 0};
        say(solo, encode_attributes, &frame);
    }
    if (changes != NULL) {
        solo->is_attribute_due = false;
        solo->attribute_version = version;
    }
    free(changes);
}

void
solo_say_frames(struct solo *solo)
{
    const struct wire_tick_header header = {.tick = cn_world_tick(solo->engine),
        .applied_seq = solo->applied_seq, .durable_seq = 0,
        .server_time_us = (uint64_t)solo->now_us};
    struct wire_precision precision = wire_scene_precision(solo->shown);
    struct wire_state *state =
        wire_state_take(solo->engine, solo->generation, &precision, solo->state);
    if (state == NULL) {
        return;
    }
    wire_state_unref(solo->state);
    solo->state = state;
    say(solo, encode_tick_header, &header);
    say(solo, encode_snapshot, state);
    if (solo->contacts) {
        (void)cn_world_look(solo->engine, CN_WORK_UNLIMITED);
        say(solo, encode_contacts, solo->engine);
        say(solo, encode_events, solo->engine);
    }
    if (solo->energy) {
        say(solo, encode_energy, solo->engine);
    }
    if (solo->actions) {
        say(solo, encode_actions, solo->engine);
    }
    if (solo->attributes && (solo->is_attribute_due ||
            solo->attribute_version != cn_world_attribute_version(solo->engine))) {
        say_attributes(solo);
    }
    solo->is_dirty = false;
}
