#include "server/world/state/world_news.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/snapshot/framing.h"
#include "server/world/data/env.h"
#include "server/world/state/world_clock.h"
#include "server/world/state/world_member_table.h"
#include "server/world/state/world_say.h"

#include <stdlib.h>
#include <string.h>

void
sv_world_note_events(struct sv_world *world)
{
    struct sv_logic *logic = world->logic;
    const struct cn_event *events;
    if (logic == NULL || !logic->events) {
        return;
    }
    CN_ASSERT(!cn_world_is_mid_tick(world->engine));
    int count = cn_world_events(world->engine, &events);
    for (int i = 0; i < count; i++) {
        sv_logic_add_event(logic, cn_world_tick(world->engine), &events[i]);
    }
    uint32_t lost = (uint32_t)cn_world_events_dropped(world->engine);
    logic->dropped = lost < UINT32_MAX - logic->dropped ? logic->dropped + lost : UINT32_MAX;
}

static void
switch_off(struct sv_world *world)
{
    if (world->logic->is_on) {
        SV_UNCOUNT(world->env->metrics, logics, 1);
    }
    sv_logic_restart(world->logic);
}

void
sv_world_drop_logic(struct sv_world *world)
{
    if (world->logic != NULL) {
        switch_off(world);
        sv_logic_destroy(world->logic);
        world->logic = NULL;
    }
}

void
sv_world_logic_gone(struct sv_world *world, uint64_t session)
{
    if (world->logic != NULL && world->logic->is_on && world->logic->asker.session == session) {
        switch_off(world);
    }
}

/* ---- LogicTicks ---- */

/* The attributes that have changed, and those that the logic has with this LogicTick. */
struct attribute_news {
    struct wire_attribute_change changes[SV_LOGIC_TICK_ATTRIBUTES_MAX];
    int count;
    bool is_all; /* else the next LogicTick has more */
    struct sv_attributes *now, *told; /* references; NULL: nothing has changed */
};

/* False without memory. */
static bool
compare_attributes(const struct sv_world *world, struct attribute_news *news)
{
    static const struct wire_state whole = {.series = 1}; /* rows are compared by slot */
    const struct sv_logic *logic = world->logic;
    uint64_t version = cn_world_attribute_version(world->engine);
    news->count = 0;
    news->is_all = true;
    news->now = news->told = NULL;
    if (logic->attributes != NULL && logic->attributes->version == version) {
        return true;
    }
    news->now = sv_attributes_take(world->engine, &whole, &whole, NULL);
    if (news->now == NULL) {
        return false;
    }
    news->count = sv_attributes_compare(
        logic->attributes, news->now, news->changes, SV_LOGIC_TICK_ATTRIBUTES_MAX);
    news->is_all = news->count < SV_LOGIC_TICK_ATTRIBUTES_MAX;
    news->told = news->is_all ? sv_attributes_ref(news->now)
                              : sv_attributes_advance(logic->attributes, news->now,
                                    news->changes[news->count - 1].attribute);
    return news->told != NULL;
}

static void
finish_attributes(struct attribute_news *news)
{
    sv_attributes_unref(news->now);
    sv_attributes_unref(news->told);
}

/* The logic has been sent these. */
static void
note_attributes(struct sv_world *world, const struct attribute_news *news)
{
    struct sv_logic *logic = world->logic;
    if (news->told != NULL) {
        sv_attributes_unref(logic->attributes);
        logic->attributes = sv_attributes_ref(news->told);
    }
    if (news->is_all) {
        logic->attribute_version = cn_world_attribute_version(world->engine);
    }
}

/* The parts of a LogicTick, in one block of memory. */
struct parts {
    struct wire_logic_event *events;
    struct wire_logic_member *members;
    struct wire_said *messages;
    struct wire_person *people;
};

/* How many of the unsent news fit into one LogicTick. */
static int
count_fitting(const struct sv_logic *logic)
{
    size_t size = 0;
    int begin = (int)(logic->cursor - logic->first), i = begin, messages = 0;
    CN_ASSERT(begin >= 0 && begin <= logic->count);
    for (; i < logic->count && size < SV_LOGIC_TICK_SIZE_MAX; i++) {
        bool is_message = logic->news[i].kind == SV_NEWS_SAID;
        if (is_message && messages == SV_LOGIC_TICK_MESSAGES_MAX) {
            break;
        }
        size += is_message ? logic->news[i].heard->size : 0;
        messages += is_message ? 1 : 0;
    }
    return i - begin;
}

static void
fill_member(struct sv_world *world, const struct sv_news *news, struct wire_logic_member *out)
{
    const struct sv_member *member = sv_world_member(world, news->session);
    *out = (struct wire_logic_member){
        .session = news->session, .left = news->kind == SV_NEWS_LEFT, .name = ""};
    if (member != NULL) {
        out->name = member->name;
        out->role = member->role;
    }
}

static void
fill_news(struct sv_world *world, int count, const struct parts *parts,
    struct wire_logic_tick *tick)
{
    const struct sv_logic *logic = world->logic;
    const struct sv_news *news = count > 0 ? &logic->news[logic->cursor - logic->first] : NULL;
    for (int i = 0; i < count; i++) {
        if (news[i].kind == SV_NEWS_EVENT) {
            parts->events[tick->event_count++] =
                (struct wire_logic_event){.tick = news[i].tick, .event = &news[i].event};
        } else if (news[i].kind == SV_NEWS_SAID) {
            const struct sv_heard *heard = news[i].heard;
            parts->messages[tick->message_count++] = (struct wire_said){
                .tick = news[i].tick + 1,
                .session = heard->session,
                .channel = heard->channel,
                .content = heard->content,
                .size = heard->size,
                .is_text = heard->is_text,
                .is_direct = true};
        } else if (news[i].session != logic->asker.session) {
            fill_member(world, &news[i], &parts->members[tick->member_count++]);
        }
    }
}

/* All members but the logic itself. */
static void
fill_people(const struct sv_world *world, const struct parts *parts, struct wire_logic_tick *tick)
{
    for (int i = 0; i < world->member_count && tick->first; i++) {
        const struct sv_member *member = &world->members[i];
        if (member->session == world->logic->asker.session) {
            continue;
        }
        struct wire_person *person = &parts->people[tick->people_count++];
        *person = (struct wire_person){.session = member->session,
            .role = member->role,
            .away = member->is_away,
            .since_us = member->since_ns / SV_NS_PER_US};
        memcpy(person->name, member->name, sizeof(person->name));
    }
}

static size_t
encode_tick(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_logic_tick(context, out, out_size);
}

/* NULL without memory. */
static struct sv_buffer *
frame_tick(struct sv_world *world, int count, const struct attribute_news *attributes)
{
    const struct sv_logic *logic = world->logic;
    const size_t room = (size_t)count + 1, people = (size_t)world->member_count + 1;
    const struct parts parts = {.events = calloc(room, sizeof(parts.events[0])),
        .members = calloc(room, sizeof(parts.members[0])),
        .messages = calloc(room, sizeof(parts.messages[0])),
        .people = calloc(people, sizeof(parts.people[0]))};
    struct sv_buffer *message = NULL;
    const uint64_t now = cn_world_tick(world->engine);
    if (parts.events != NULL && parts.members != NULL && parts.messages != NULL &&
        parts.people != NULL) {
        struct wire_logic_tick tick = {.number = logic->number + 1,
            .tick = now,
            .answered = logic->acted,
            .has_hash = now % SV_DEEDS_HASH_TICKS == 0,
            .first = logic->is_first,
            .generation = world->generation,
            .late_count = logic->late_count,
            .dropped = logic->dropped - logic->told_dropped,
            .events = parts.events,
            .members = parts.members,
            .messages = parts.messages,
            .people = parts.people,
            .refused = logic->refused,
            .refused_count = (size_t)logic->refused_count,
            .attributes = attributes->changes,
            .attribute_count = attributes->count};
        tick.hash = tick.has_hash ? cn_world_hash(world->engine) : 0;
        fill_news(world, count, &parts, &tick);
        fill_people(world, &parts, &tick);
        message = sv_frame_message(encode_tick, &tick);
    }
    free(parts.events);
    free(parts.members);
    free(parts.messages);
    free(parts.people);
    return message;
}

bool
sv_world_has_news(const struct sv_world *world)
{
    const struct sv_logic *logic = world->logic;
    if (logic == NULL || !logic->is_on || sv_world_is_mid_tick(world)) {
        return false;
    }
    bool is_new = logic->cursor < logic->first + (uint64_t)logic->count ||
        logic->refused_count > 0 ||
        logic->attribute_version != cn_world_attribute_version(world->engine);
    return logic->is_first || logic->is_ask_due || (is_new && !sv_world_is_running(world));
}

void
sv_world_ask_logic(struct sv_world *world)
{
    struct sv_logic *logic = world->logic;
    CN_ASSERT(logic != NULL && logic->is_on && !cn_world_is_mid_tick(world->engine));
    if (logic->asked_count == SV_LOGIC_ASKED_MAX) {
        logic->is_ask_due = false; /* an answer makes room, and the next tick asks again */
        return;
    }
    int count = count_fitting(logic);
    struct attribute_news attributes;
    attributes.now = attributes.told = NULL;
    bool has_room = sv_env_has_room(world->env) && compare_attributes(world, &attributes);
    struct sv_buffer *message = has_room ? frame_tick(world, count, &attributes) : NULL;
    logic->is_ask_due = message == NULL;
    if (message != NULL) {
        note_attributes(world, &attributes);
    }
    finish_attributes(&attributes);
    if (message == NULL) {
        return;
    }
    logic->number++;
    logic->cursor += (uint64_t)count;
    logic->asked[logic->asked_count++] = (struct sv_asked){.number = logic->number,
        .until = logic->cursor,
        .asked_ns = sv_clock_now_ns(&world->env->clock)};
    logic->is_awaited = logic->how.mode == WIRE_LOGIC_BARRIER;
    logic->is_first = false;
    logic->refused_count = 0;
    logic->told_dropped = logic->dropped;
    SV_COUNT(world->env->metrics, logic_ticks, 1);
    sv_world_say(world, &logic->asker, message);
}

void
sv_world_ask_logic_tick(struct sv_world *world)
{
    const struct sv_logic *logic = world->logic;
    if (logic != NULL && logic->is_on && cn_world_tick(world->engine) % logic->how.every == 0) {
        sv_world_ask_logic(world);
    }
}
