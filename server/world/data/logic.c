#include "server/world/data/logic.h"

#include "engine/base/assert.h"
#include "engine/base/little_endian.h"

#include <stdlib.h>
#include <string.h>

#define PART_VERSION 1
#define EVENT_NAME_SIZE 16
#define NEWS_HEAD_SIZE 9
#define PART_HEAD_SIZE 29

struct sv_logic *
sv_logic_create(void)
{
    return calloc(1, sizeof(struct sv_logic));
}

static void
finish_news(struct sv_news *news)
{
    if (news->kind == SV_NEWS_SAID) {
        free(news->heard);
    }
}

static void
drop_early(struct sv_logic *logic)
{
    CN_ASSERT(logic->early_count >= 0 && logic->early_count <= SV_LOGIC_ASKED_MAX);
    for (int i = 0; i < logic->early_count; i++) {
        wire_logic_done_destroy(logic->early[i].done);
    }
    logic->early_count = 0;
}

void
sv_logic_destroy(struct sv_logic *logic)
{
    if (logic == NULL) {
        return;
    }
    for (int i = 0; i < logic->count; i++) {
        finish_news(&logic->news[i]);
    }
    drop_early(logic);
    sv_attributes_unref(logic->attributes);
    free(logic->news);
    free(logic->refused);
    free(logic);
}

/* ---- news ---- */

static bool
add_news(struct sv_logic *logic, const struct sv_news *news)
{
    CN_ASSERT(logic->count <= logic->capacity);
    if (logic->count == logic->capacity) {
        int capacity = logic->capacity * 2 + 16;
        struct sv_news *larger = realloc(logic->news, (size_t)capacity * sizeof(*larger));
        if (larger == NULL) {
            return false;
        }
        logic->news = larger;
        logic->capacity = capacity;
    }
    logic->news[logic->count++] = *news;
    return true;
}

/* Adds an event or a member, or counts it as dropped. */
static void
add_other(struct sv_logic *logic, const struct sv_news *news)
{
    CN_ASSERT(logic->said_count <= logic->count);
    bool has_room = logic->count - logic->said_count < SV_LOGIC_NEWS_MAX;
    if (!has_room || !add_news(logic, news)) {
        logic->dropped += logic->dropped < UINT32_MAX ? 1 : 0;
    }
}

void
sv_logic_add_event(struct sv_logic *logic, uint64_t tick, const struct cn_event *event)
{
    CN_ASSERT(logic->events && event->kind < CN_EVENT_KIND_COUNT);
    const struct sv_news news = {.kind = SV_NEWS_EVENT, .tick = tick, .event = *event};
    add_other(logic, &news);
}

void
sv_logic_add_member(struct sv_logic *logic, uint64_t tick, uint64_t session, bool has_left)
{
    const struct sv_news news = {.kind = has_left ? SV_NEWS_LEFT : SV_NEWS_JOINED,
        .tick = tick, .session = session};
    add_other(logic, &news);
}

bool
sv_logic_has_room(const struct sv_logic *logic, size_t size)
{
    return logic->said_count < SV_LOGIC_SAID_MAX &&
        logic->said_size + size <= SV_LOGIC_SAID_SIZE_MAX;
}

bool
sv_logic_add_said(struct sv_logic *logic, uint64_t tick, const struct dd_entry *entry)
{
    size_t size = entry->said.size;
    struct sv_heard *heard = calloc(1, sizeof(*heard) + size + 1);
    CN_ASSERT(size <= WIRE_SAY_SIZE_MAX);
    if (heard == NULL) {
        return false;
    }
    heard->session = entry->said.session;
    heard->is_text = entry->said.is_text;
    memcpy(heard->channel, entry->said.channel, sizeof(heard->channel));
    heard->size = (uint32_t)size;
    if (size > 0) {
        memcpy(heard->content, entry->said.bytes, size);
    }
    const struct sv_news news = {.kind = SV_NEWS_SAID, .tick = tick, .heard = heard};
    if (!add_news(logic, &news)) {
        free(heard);
        return false;
    }
    logic->said_count++;
    logic->said_size += size;
    return true;
}

void
sv_logic_answer(struct sv_logic *logic, uint64_t number, uint64_t until)
{
    uint64_t end = logic->first + (uint64_t)logic->count;
    int done = until <= logic->first ? 0 : (int)((until < end ? until : end) - logic->first);
    for (int i = 0; i < done; i++) {
        if (logic->news[i].kind == SV_NEWS_SAID) {
            CN_ASSERT(logic->said_count > 0 && logic->said_size >= logic->news[i].heard->size);
            logic->said_count--;
            logic->said_size -= logic->news[i].heard->size;
        }
        finish_news(&logic->news[i]);
    }
    logic->count -= done;
    if (logic->count > 0) {
        memmove(logic->news, logic->news + done, (size_t)logic->count * sizeof(logic->news[0]));
    }
    logic->first += (uint64_t)done;
    logic->answered = number;
    logic->cursor = logic->cursor > logic->first ? logic->cursor : logic->first;
}

void
sv_logic_rewind(struct sv_logic *logic)
{
    logic->cursor = logic->first;
    logic->asked_count = 0;
    logic->is_awaited = false;
    logic->is_ask_due = logic->is_on;
}

void
sv_logic_restart(struct sv_logic *logic)
{
    drop_early(logic);
    logic->is_on = logic->is_first = false;
    sv_logic_rewind(logic);
    sv_attributes_unref(logic->attributes);
    logic->attributes = NULL;
    logic->attribute_version = 0;
    logic->late_count = 0;
    logic->refused_count = 0;
    logic->number = logic->number > logic->answered ? logic->number : logic->answered;
    logic->acted = logic->answered;
}

/* ---- the section of a checkpoint ---- */

static bool
write_event(const struct cn_event *event, struct dd_entries *out)
{
    unsigned char bytes[EVENT_NAME_SIZE + 16] = {0};
    uint64_t bits;
    memcpy(&bits, &event->value, sizeof(bits));
    strncpy((char *)bytes, cn_event_name(event->kind), EVENT_NAME_SIZE - 1);
    cn_put_u32(bytes + EVENT_NAME_SIZE, (uint32_t)event->body_a);
    cn_put_u32(bytes + EVENT_NAME_SIZE + 4, (uint32_t)event->body_b);
    cn_put_u64(bytes + EVENT_NAME_SIZE + 8, bits);
    return dd_entries_add_bytes(out, bytes, sizeof(bytes));
}

static bool
write_news(const struct sv_news *news, struct dd_entries *out)
{
    unsigned char head[NEWS_HEAD_SIZE] = {(unsigned char)news->kind};
    cn_put_u64(head + 1, news->tick);
    if (!dd_entries_add_bytes(out, head, sizeof(head))) {
        return false;
    }
    if (news->kind == SV_NEWS_EVENT) {
        return write_event(&news->event, out);
    }
    if (news->kind != SV_NEWS_SAID) {
        return dd_entries_add_u64(out, news->session);
    }
    const struct sv_heard *heard = news->heard;
    struct dd_entry entry = {.kind = DD_ENTRY_SAID,
        .said = {.session = heard->session,
            .is_text = heard->is_text,
            .bytes = heard->content,
            .size = heard->size}};
    memcpy(entry.said.channel, heard->channel, sizeof(entry.said.channel));
    return dd_entries_add(out, &entry);
}

bool
sv_logic_write(const struct sv_logic *logic, struct dd_entries *out)
{
    unsigned char head[PART_HEAD_SIZE];
    cn_put_u32(head, PART_VERSION);
    head[4] = logic->events ? 1 : 0;
    cn_put_u64(head + 5, logic->answered);
    cn_put_u64(head + 13, logic->first);
    cn_put_u32(head + 21, logic->dropped);
    cn_put_u32(head + 25, (uint32_t)logic->count);
    bool is_good = dd_entries_add_bytes(out, head, sizeof(head));
    for (int i = 0; i < logic->count && is_good; i++) {
        is_good = write_news(&logic->news[i], out);
    }
    return is_good;
}

/* The kind of that name; COUNT: another version has it. */
static enum cn_event_kind
find_event(const char *name)
{
    int kind = 0;
    while (kind < CN_EVENT_KIND_COUNT &&
        strcmp(cn_event_name((enum cn_event_kind)kind), name) != 0) {
        kind++;
    }
    return (enum cn_event_kind)kind;
}

static bool
read_event(const unsigned char *bytes, size_t size, size_t *at, struct sv_news *news)
{
    char name[EVENT_NAME_SIZE];
    if (size - *at < EVENT_NAME_SIZE + 16 || bytes[*at + EVENT_NAME_SIZE - 1] != '\0') {
        return false;
    }
    memcpy(name, bytes + *at, sizeof(name));
    const unsigned char *numbers = bytes + *at + EVENT_NAME_SIZE;
    uint64_t bits = cn_get_u64(numbers + 8);
    *at += EVENT_NAME_SIZE + 16;
    news->event = (struct cn_event){.kind = find_event(name),
        .body_a = (int32_t)cn_get_u32(numbers),
        .body_b = (int32_t)cn_get_u32(numbers + 4)};
    memcpy(&news->event.value, &bits, sizeof(bits));
    return news->event.kind < CN_EVENT_KIND_COUNT;
}

static bool
read_said(struct sv_logic *logic, const unsigned char *bytes, size_t size, size_t *at,
    uint64_t tick)
{
    struct dd_entry entry;
    return dd_entry_read(bytes, size, at, &entry) && entry.kind == DD_ENTRY_SAID &&
        sv_logic_has_room(logic, entry.said.size) && sv_logic_add_said(logic, tick, &entry);
}

static bool
read_news(struct sv_logic *logic, const unsigned char *bytes, size_t size, size_t *at)
{
    if (size - *at < NEWS_HEAD_SIZE || bytes[*at] >= SV_NEWS_KIND_COUNT) {
        return false;
    }
    struct sv_news news = {
        .kind = (enum sv_news_kind)bytes[*at], .tick = cn_get_u64(bytes + *at + 1)};
    *at += NEWS_HEAD_SIZE;
    if (news.kind == SV_NEWS_SAID) {
        return read_said(logic, bytes, size, at, news.tick);
    }
    if (logic->count - logic->said_count >= SV_LOGIC_NEWS_MAX) {
        return false;
    }
    if (news.kind == SV_NEWS_EVENT) {
        return read_event(bytes, size, at, &news) && add_news(logic, &news);
    }
    if (size - *at < 8) {
        return false;
    }
    news.session = cn_get_u64(bytes + *at);
    *at += 8;
    return add_news(logic, &news);
}

struct sv_logic *
sv_logic_read(const unsigned char *bytes, size_t size)
{
    size_t at = PART_HEAD_SIZE;
    if (size < at || cn_get_u32(bytes) != PART_VERSION || bytes[4] > 1) {
        return NULL;
    }
    struct sv_logic *logic = sv_logic_create();
    if (logic == NULL) {
        return NULL;
    }
    logic->events = bytes[4] == 1;
    logic->answered = cn_get_u64(bytes + 5);
    logic->first = cn_get_u64(bytes + 13);
    logic->dropped = cn_get_u32(bytes + 21);
    bool is_good = logic->first < UINT64_MAX / 2;
    for (uint32_t left = cn_get_u32(bytes + 25); left > 0 && is_good; left--) {
        is_good = read_news(logic, bytes, size, &at);
    }
    if (!is_good || at != size) {
        sv_logic_destroy(logic);
        return NULL;
    }
    sv_logic_restart(logic);
    return logic;
}
