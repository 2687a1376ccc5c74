/* logic.c: the codec of messages of members, and of the exchange with a logic. */
#include "proto/codec/logic.h"

#include "engine/base/assert.h"
#include "engine/model/event.h"
#include "proto/codec/attribute.h"
#include "proto/codec/borrow.h"
#include "proto/codec/check.h"
#include "proto/codec/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

struct wire_say *
wire_say_create(const char *channel, bool is_text, const void *content, size_t size)
{
    CN_ASSERT(size <= WIRE_SAY_SIZE_MAX && strlen(channel) < WIRE_CHANNEL_SIZE);
    struct wire_say *say = calloc(1, sizeof(*say) + size + 1);
    if (say != NULL) {
        snprintf(say->channel, sizeof(say->channel), "%s", channel);
        say->is_text = is_text;
        say->size = (uint32_t)size;
        if (size > 0) {
            memcpy(say->content, content, size);
        }
    }
    return say;
}

void
wire_logic_done_destroy(struct wire_logic_done *done)
{
    if (done == NULL) {
        return;
    }
    for (int i = 0; i < done->effect_count; i++) {
        if (done->effects[i].kind == WIRE_EFFECT_CHANGE) {
            wire_source_finish(&done->effects[i].change);
        }
    }
    for (int i = 0; i < done->say_count; i++) {
        free(done->says[i]);
    }
    free(done->effects);
    free(done->says);
    free(done);
}

/* ---- from clients ---- */

static bool
refuse_say(
    const char *path, const char *member, const char *code, const char *text,
    struct wire_error *error)
{
    wire_error_set(error, code, member, "%s", text);
    wire_error_prefix(error, path);
    return false;
}

static bool
is_channel(const char *channel)
{
    size_t size = strlen(channel);
    return size > 0 && size < WIRE_CHANNEL_SIZE &&
        codec_text_is_clean(channel, WIRE_CHANNEL_SIZE - 1);
}

bool
wire_said_is_good(const char *channel, bool is_text, const unsigned char *content, size_t size)
{
    char text[WIRE_SAY_SIZE_MAX + 1];
    if (size > WIRE_SAY_SIZE_MAX || !is_channel(channel)) {
        return false;
    }
    if (!is_text || size == 0) {
        return true;
    }
    memcpy(text, content, size);
    text[size] = '\0';
    return strlen(text) == size && codec_text_is_clean(text, WIRE_SAY_SIZE_MAX);
}

static bool
read_to(const Cairn__V1__Say *in, struct wire_say *out, const char *path,
    struct wire_error *error)
{
    switch (in->to_case) {
    case CAIRN__V1__SAY__TO_ALL:
        out->to = WIRE_SAY_ALL;
        return in->all || refuse_say(path, "all", "FIELD", "is false", error);
    case CAIRN__V1__SAY__TO_SESSION:
        out->to = WIRE_SAY_SESSION;
        out->session = in->session;
        return true;
    case CAIRN__V1__SAY__TO_LOGIC:
        out->to = WIRE_SAY_LOGIC;
        return in->logic || refuse_say(path, "logic", "FIELD", "is false", error);
    default:
        return refuse_say(
            path, "to", "FIELD", "is missing; all, session or logic is needed", error);
    }
}

struct wire_say *
codec_say_read(const Cairn__V1__Say *in, const char *path, struct wire_error *error)
{
    bool is_text = in->content_case == CAIRN__V1__SAY__CONTENT_TEXT;
    if (in->content_case == CAIRN__V1__SAY__CONTENT__NOT_SET) {
        refuse_say(path, "content", "FIELD", "is missing; text or bytes is needed", error);
        return NULL;
    }
    size_t size = is_text ? strlen(in->text) : in->bytes.len;
    if (size > WIRE_SAY_SIZE_MAX) {
        wire_error_set(error, "SIZE", is_text ? "text" : "bytes",
            "has %zu bytes; at most %d are accepted", size, WIRE_SAY_SIZE_MAX);
        wire_error_prefix(error, path);
        return NULL;
    }
    if (!is_channel(in->channel)) {
        wire_error_set(error, "NAME", "channel",
            "has %zu bytes; a channel has 1 to %d, and no control characters",
            strlen(in->channel), WIRE_CHANNEL_SIZE - 1);
        wire_error_prefix(error, path);
        return NULL;
    }
    struct wire_say *say = wire_say_create(
        in->channel, is_text, is_text ? (const void *)in->text : in->bytes.data, size);
    if (say == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return NULL;
    }
    say->request = in->request;
    if (!read_to(in, say, path, error)) {
        free(say);
        return NULL;
    }
    return say;
}

bool
codec_logic_start_read(
    const Cairn__V1__LogicStart *in, struct wire_logic_start *out, struct wire_error *error)
{
    if (in->deadline_us > WIRE_LOGIC_DEADLINE_US_MAX) {
        wire_error_set(error, "RANGE", "logic.deadlineUs", "is %u us; at most %d are accepted",
            in->deadline_us, WIRE_LOGIC_DEADLINE_US_MAX);
        return false;
    }
    if (in->every > WIRE_LOGIC_EVERY_MAX) {
        wire_error_set(error, "RANGE", "logic.every", "is %u ticks; at most %d are accepted",
            in->every, WIRE_LOGIC_EVERY_MAX);
        return false;
    }
    *out = (struct wire_logic_start){
        .request = in->request,
        .mode = (enum wire_logic_mode)in->mode,
        .every = in->every > 0 ? in->every : 1,
        .deadline_us = in->deadline_us > 0 ? in->deadline_us : WIRE_LOGIC_DEADLINE_US_MAX,
        .events = in->events,
        .frames = in->frames,
        .take = in->take,
    };
    return true;
}

static bool
read_push(const Cairn__V1__Effect__Push *in, struct wire_effect *out, struct wire_error *error)
{
    out->kind = WIRE_EFFECT_PUSH;
    out->push.body = (int32_t)in->body;
    out->push.impulse = codec_vec3(in->impulse);
    if (in->body > INT32_MAX) {
        wire_error_set(error, "REFERENCE", "body", "is %u; there is no such body", in->body);
    }
    return in->body <= INT32_MAX;
}

/* The name of an effect whose errors have paths inside it; "": they begin with it. */
static const char *
effect_part(enum wire_effect_kind kind)
{
    return kind == WIRE_EFFECT_BODY      ? ".body"
        : kind == WIRE_EFFECT_ATTRIBUTE ? ".attribute"
        : kind == WIRE_EFFECT_PUSH      ? ".push"
                                        : "";
}

static bool
read_effect(const Cairn__V1__Effect *in, size_t index, struct wire_effect *out,
    struct wire_error *error)
{
    char path[64];
    bool is_good = false;
    switch (in->effect_case) {
    case CAIRN__V1__EFFECT__EFFECT_CHANGE:
        out->kind = WIRE_EFFECT_CHANGE;
        is_good = codec_change_read(in->change, &out->change, error);
        break;
    case CAIRN__V1__EFFECT__EFFECT_BODY:
        out->kind = WIRE_EFFECT_BODY;
        is_good = codec_body_command_read(in->body, &out->body, error);
        break;
    case CAIRN__V1__EFFECT__EFFECT_ATTRIBUTE:
        out->kind = WIRE_EFFECT_ATTRIBUTE;
        is_good = codec_attribute_read(in->attribute, &out->attribute, error);
        break;
    case CAIRN__V1__EFFECT__EFFECT_PUSH:
        is_good = read_push(in->push, out, error);
        break;
    case CAIRN__V1__EFFECT__EFFECT_SETTINGS:
        is_good = codec_settings_read(in->settings, &out->settings, error);
        out->kind = WIRE_EFFECT_SETTINGS;
        break;
    case CAIRN__V1__EFFECT__EFFECT_RESET:
        out->kind = WIRE_EFFECT_RESET;
        return true;
    default:
        wire_error_set(error, "FIELD", "effect", "is missing");
    }
    if (!is_good) {
        bool is_whole = error->path[0] == '\0'; /* an empty path takes no prefix */
        snprintf(path, sizeof(path), "logicDone.effects[%zu]%s%s", index, effect_part(out->kind),
            is_whole ? "" : ".");
        if (is_whole) {
            snprintf(error->path, sizeof(error->path), "%s", path);
        } else {
            wire_error_prefix(error, path);
        }
    }
    return is_good;
}

static bool
read_says(const Cairn__V1__LogicDone *in, struct wire_logic_done *out, struct wire_error *error)
{
    for (size_t i = 0; i < in->n_messages; i++) {
        char path[64];
        snprintf(path, sizeof(path), "logicDone.messages[%zu].", i);
        struct wire_say *say = codec_say_read(in->messages[i], path, error);
        if (say == NULL) {
            return false;
        }
        out->says[out->say_count++] = say;
        if (say->to == WIRE_SAY_LOGIC) {
            return refuse_say(path, "logic", "FIELD", "is the sender itself", error);
        }
    }
    return true;
}

static bool
is_within(size_t count, int most, const char *path, struct wire_error *error)
{
    if (count > (size_t)most) {
        wire_error_set(error, "LIMIT", path, "are %zu; at most %d are accepted", count, most);
    }
    return count <= (size_t)most;
}

struct wire_logic_done *
codec_logic_done_read(const Cairn__V1__LogicDone *in, struct wire_error *error)
{
    if (!is_within(in->n_effects, WIRE_LOGIC_EFFECTS_MAX, "logicDone.effects", error) ||
        !is_within(in->n_messages, WIRE_LOGIC_SAYS_MAX, "logicDone.messages", error)) {
        return NULL;
    }
    struct wire_logic_done *out = calloc(1, sizeof(*out));
    if (out != NULL) {
        out->effects = calloc(in->n_effects + 1, sizeof(out->effects[0]));
        out->says = calloc(in->n_messages + 1, sizeof(struct wire_say *));
    }
    if (out == NULL || out->effects == NULL || out->says == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        wire_logic_done_destroy(out);
        return NULL;
    }
    out->number = in->number;
    out->at_tick = in->at_tick;
    out->generation = in->generation;
    bool is_good = true;
    for (size_t i = 0; i < in->n_effects && is_good; i++) {
        is_good = read_effect(in->effects[i], i, &out->effects[out->effect_count++], error);
    }
    if (!is_good || !read_says(in, out, error)) {
        wire_logic_done_destroy(out);
        return NULL;
    }
    return out;
}

/* ---- messages ---- */

static void
fill_said(Cairn__V1__Said *out, const struct wire_said *said)
{
    cairn__v1__said__init(out);
    out->tick = said->tick;
    out->session = said->session;
    out->channel = codec_borrow(said->channel);
    out->direct = said->is_direct;
    if (said->is_text) {
        CN_ASSERT(said->content[said->size] == '\0');
        out->content_case = CAIRN__V1__SAID__CONTENT_TEXT;
        out->text = codec_borrow(said->content);
    } else {
        out->content_case = CAIRN__V1__SAID__CONTENT_BYTES;
        out->bytes.data = codec_borrow(said->content);
        out->bytes.len = said->size;
    }
}

size_t
wire_encode_said(const struct wire_said *said, uint8_t *out, size_t out_size)
{
    Cairn__V1__Said body;
    Cairn__V1__ServerMessage message = CAIRN__V1__SERVER_MESSAGE__INIT;
    fill_said(&body, said);
    message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_SAID;
    message.said = &body;
    return codec_pack(&message.base, out, out_size);
}

/* The messages of a LogicTick, in one block of memory. */
struct tick_parts {
    Cairn__V1__Event *events;
    Cairn__V1__Event **event_pointers;
    Cairn__V1__EventFrame *frames;
    Cairn__V1__EventFrame **frame_pointers;
    Cairn__V1__LogicTick__Member *members;
    Cairn__V1__LogicTick__Member **member_pointers;
    Cairn__V1__Said *messages;
    Cairn__V1__Said **message_pointers;
    Cairn__V1__LogicTick__Refused *refused;
    Cairn__V1__LogicTick__Refused **refused_pointers;
    struct codec_error_message *errors;
    Cairn__V1__Presence__Person *people;
    Cairn__V1__Presence__Person **people_pointers;
};

/* Lays the parts out in `memory`, or only measures them where it is NULL. */
static size_t
lay_out(const struct wire_logic_tick *tick, struct tick_parts *parts, unsigned char *memory)
{
    size_t at = 0;
#define PLACE(member, count)                                                                       \
    do {                                                                                           \
        parts->member = memory != NULL ? (void *)(memory + at) : NULL;                             \
        at += (((count) * sizeof(parts->member[0])) + 15) & ~(size_t)15;                           \
    } while (0)
    PLACE(events, tick->event_count);
    PLACE(event_pointers, tick->event_count);
    PLACE(frames, tick->event_count);
    PLACE(frame_pointers, tick->event_count);
    PLACE(members, tick->member_count);
    PLACE(member_pointers, tick->member_count);
    PLACE(messages, tick->message_count);
    PLACE(message_pointers, tick->message_count);
    PLACE(refused, tick->refused_count);
    PLACE(refused_pointers, tick->refused_count);
    PLACE(errors, tick->refused_count);
    PLACE(people, tick->people_count);
    PLACE(people_pointers, tick->people_count);
#undef PLACE
    return at;
}

static void
fill_events(Cairn__V1__LogicTick *body, const struct wire_logic_tick *tick,
    struct tick_parts *parts)
{
    for (size_t i = 0; i < tick->event_count; i++) {
        const struct cn_event *in = tick->events[i].event;
        Cairn__V1__Event *out = &parts->events[i];
        cairn__v1__event__init(out);
        out->kind = codec_borrow(cn_event_name(in->kind));
        out->body_a = in->body_a;
        out->body_b = in->body_b;
        out->value = in->value;
        parts->event_pointers[i] = out;
        if (i == 0 || tick->events[i].tick != tick->events[i - 1].tick) {
            Cairn__V1__EventFrame *frame = &parts->frames[body->n_events];
            cairn__v1__event_frame__init(frame);
            frame->tick = tick->events[i].tick;
            frame->events = &parts->event_pointers[i];
            parts->frame_pointers[body->n_events++] = frame;
        }
        parts->frames[body->n_events - 1].n_events++;
    }
    body->events = parts->frame_pointers;
}

static void
fill_members(Cairn__V1__LogicTick *body, const struct wire_logic_tick *tick,
    struct tick_parts *parts)
{
    for (size_t i = 0; i < tick->member_count; i++) {
        Cairn__V1__LogicTick__Member *out = parts->member_pointers[i] = &parts->members[i];
        cairn__v1__logic_tick__member__init(out);
        out->session = tick->members[i].session;
        out->left = tick->members[i].left;
        out->name = codec_borrow(tick->members[i].name);
        out->role = (Cairn__V1__Hello__Role)tick->members[i].role;
    }
    for (size_t i = 0; i < tick->people_count; i++) {
        Cairn__V1__Presence__Person *out = parts->people_pointers[i] = &parts->people[i];
        cairn__v1__presence__person__init(out);
        out->session = tick->people[i].session;
        out->name = codec_borrow(tick->people[i].name);
        out->role = (Cairn__V1__Hello__Role)tick->people[i].role;
        out->away = tick->people[i].away;
        out->since_us = tick->people[i].since_us;
    }
    body->members = parts->member_pointers;
    body->n_members = tick->member_count;
    body->people = parts->people_pointers;
    body->n_people = tick->people_count;
}

static void
fill_messages(Cairn__V1__LogicTick *body, const struct wire_logic_tick *tick,
    struct tick_parts *parts)
{
    for (size_t i = 0; i < tick->message_count; i++) {
        parts->message_pointers[i] = &parts->messages[i];
        fill_said(&parts->messages[i], &tick->messages[i]);
    }
    for (size_t i = 0; i < tick->refused_count; i++) {
        Cairn__V1__LogicTick__Refused *out = parts->refused_pointers[i] = &parts->refused[i];
        cairn__v1__logic_tick__refused__init(out);
        out->number = tick->refused[i].number;
        out->index = tick->refused[i].index;
        codec_error_build(&parts->errors[i], &tick->refused[i].error);
        out->error = &parts->errors[i].message;
    }
    body->messages = parts->message_pointers;
    body->n_messages = tick->message_count;
    body->refused = parts->refused_pointers;
    body->n_refused = tick->refused_count;
}

size_t
wire_encode_logic_tick(const struct wire_logic_tick *tick, uint8_t *out, size_t out_size)
{
    struct tick_parts parts;
    char hash[CODEC_HASH_SIZE];
    struct codec_attributes attributes;
    size_t size = lay_out(tick, &parts, NULL);
    unsigned char *memory = malloc(size + 16);
    if (memory == NULL ||
        !codec_attributes_build(tick->attributes, tick->attribute_count, &attributes)) {
        free(memory);
        return 0;
    }
    size_t used = lay_out(tick, &parts, memory);
    CN_ASSERT(used == size);
    Cairn__V1__LogicTick body = CAIRN__V1__LOGIC_TICK__INIT;
    body.number = tick->number;
    body.tick = tick->tick;
    body.generation = tick->generation;
    body.answered = tick->answered;
    body.late_count = tick->late_count;
    body.dropped = tick->dropped;
    body.first = tick->first;
    if (tick->has_hash) {
        body.hash = codec_hash_text(hash, tick->hash);
    }
    fill_events(&body, tick, &parts);
    fill_members(&body, tick, &parts);
    fill_messages(&body, tick, &parts);
    body.attributes = attributes.changes;
    body.n_attributes = attributes.count;
    Cairn__V1__ServerMessage message = CAIRN__V1__SERVER_MESSAGE__INIT;
    message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_LOGIC_TICK;
    message.logic_tick = &body;
    size = codec_pack(&message.base, out, out_size);
    free(attributes.block);
    free(memory);
    return size;
}
