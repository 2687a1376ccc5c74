#include "server/room/hooks.h"

#include "engine/base/assert.h"
#include "engine/base/little_endian.h"
#include "server/base/limits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_AT 0
#define ID_AT 8
#define BODY_AT (ID_AT + SV_EVENT_ID_SIZE - 1)

/* Its bytes are those of the note: room, id and body. */
struct sv_hook_event {
    struct sv_hook_event *next;
    uint64_t number;
    uint64_t put; /* its number in the notebook; UINT64_MAX: not known yet */
    size_t size; /* of the bytes */
    unsigned char bytes[];
};

void
sv_hooks_init(struct sv_hooks *hooks, struct sv_notebook *notebook, struct sv_clock clock,
    struct sv_random random, struct sv_log *log, struct sv_metrics *metrics)
{
    memset(hooks, 0, sizeof(*hooks));
    hooks->notebook = notebook;
    hooks->clock = clock;
    hooks->random = random;
    hooks->log = log;
    hooks->metrics = metrics;
}

void
sv_hooks_finish(struct sv_hooks *hooks)
{
    while (hooks->lines != NULL) {
        struct sv_hook_line *line = hooks->lines;
        hooks->lines = line->next;
        while (line->first != NULL) {
            struct sv_hook_event *event = line->first;
            line->first = event->next;
            free(event);
        }
        free(line);
    }
    hooks->last_line = NULL;
    hooks->event_count = 0;
}

bool
sv_hooks_are_used(const struct sv_hooks *hooks)
{
    return hooks->poster.send != NULL;
}

bool
sv_hooks_have_room(const struct sv_hooks *hooks)
{
    return hooks->event_count < SV_HOOKS_MAX && hooks->size < SV_HOOKS_SIZE_MAX;
}

bool
sv_hooks_make_id(const struct sv_hooks *hooks, char id[SV_EVENT_ID_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[(SV_EVENT_ID_SIZE - 1) / 2];
    bool is_good = sv_random_fill(&hooks->random, bytes, sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i++) {
        id[2 * i] = digits[bytes[i] >> 4];
        id[2 * i + 1] = digits[bytes[i] & 15];
    }
    id[SV_EVENT_ID_SIZE - 1] = '\0';
    return is_good;
}

/* ---- lines ---- */

static struct sv_hook_line *
find_line(const struct sv_hooks *hooks, uint64_t room)
{
    struct sv_hook_line *line = hooks->lines;
    while (line != NULL && line->room != room) {
        line = line->next;
    }
    return line;
}

/* NULL without memory. */
static struct sv_hook_line *
make_line(struct sv_hooks *hooks, uint64_t room)
{
    struct sv_hook_line *line = calloc(1, sizeof(*line));
    if (line == NULL) {
        return NULL;
    }
    line->room = room;
    if (hooks->last_line != NULL) {
        hooks->last_line->next = line;
    } else {
        hooks->lines = line;
    }
    hooks->last_line = line;
    return line;
}

static void
remove_line(struct sv_hooks *hooks, struct sv_hook_line *line)
{
    CN_ASSERT(line->first == NULL && !line->is_sending);
    struct sv_hook_line *before = NULL;
    for (struct sv_hook_line *at = hooks->lines; at != line; at = at->next) {
        before = at;
    }
    if (before != NULL) {
        before->next = line->next;
    } else {
        hooks->lines = line->next;
    }
    hooks->last_line = hooks->last_line == line ? before : hooks->last_line;
    free(line);
}

/* ---- events ---- */

static void
show_counts(const struct sv_hooks *hooks)
{
    atomic_store_explicit(
        &hooks->metrics->hooks_waiting, (uint64_t)hooks->event_count, memory_order_relaxed);
}

/* Puts an event at the end of its room's line.  False without memory. */
static bool
append_event(struct sv_hooks *hooks, struct sv_hook_event *event_take)
{
    uint64_t room = cn_get_u64(event_take->bytes + ROOM_AT);
    struct sv_hook_line *line = find_line(hooks, room);
    line = line != NULL ? line : make_line(hooks, room);
    if (line == NULL) {
        free(event_take);
        return false;
    }
    CN_ASSERT(line->last == NULL || line->last->number < event_take->number);
    event_take->next = NULL;
    if (line->last != NULL) {
        line->last->next = event_take;
    } else {
        line->first = event_take;
    }
    line->last = event_take;
    hooks->event_count++;
    hooks->size += event_take->size;
    show_counts(hooks);
    return true;
}

struct sv_hook_event *
sv_hooks_add(struct sv_hooks *hooks, uint64_t room, const char id[SV_EVENT_ID_SIZE],
    char *body_take, struct sv_note *note)
{
    size_t body_size = strlen(body_take), size = BODY_AT + body_size;
    struct sv_hook_event *event = malloc(sizeof(*event) + size + 1);
    CN_ASSERT(event != NULL); /* an event that is lost in silence is worse than a restart */
    event->number = ++hooks->number_last;
    event->put = UINT64_MAX;
    event->size = size;
    cn_put_u64(event->bytes + ROOM_AT, room);
    memcpy(event->bytes + ID_AT, id, SV_EVENT_ID_SIZE - 1);
    memcpy(event->bytes + BODY_AT, body_take, body_size + 1);
    free(body_take);
    *note = (struct sv_note){
        .shelf = SV_SHELF_HOOK, .number = event->number, .bytes = event->bytes, .size = size};
    bool is_added = append_event(hooks, event);
    CN_ASSERT(is_added);
    return event;
}

void
sv_hooks_put(struct sv_hook_event *event, uint64_t number)
{
    CN_ASSERT(event->put == UINT64_MAX);
    event->put = number;
}

bool
sv_hooks_load(struct sv_hooks *hooks, const struct sv_note *note)
{
    CN_ASSERT(note->shelf == SV_SHELF_HOOK);
    if (note->size < BODY_AT) {
        return false;
    }
    struct sv_hook_event *event = malloc(sizeof(*event) + note->size + 1);
    if (event == NULL) {
        return false;
    }
    event->number = note->number;
    event->put = 0;
    event->size = note->size;
    memcpy(event->bytes, note->bytes, note->size);
    event->bytes[note->size] = '\0';
    hooks->number_last = note->number > hooks->number_last ? note->number : hooks->number_last;
    return append_event(hooks, event);
}

/* ---- sending ---- */

/* The line whose first event has this number, and is on its way; NULL: none. */
static struct sv_hook_line *
find_sending(const struct sv_hooks *hooks, uint64_t number)
{
    struct sv_hook_line *line = hooks->lines;
    while (line != NULL && !(line->is_sending && line->first->number == number)) {
        line = line->next;
    }
    return line;
}

static void
finish_event(struct sv_hooks *hooks, struct sv_hook_line *line)
{
    struct sv_hook_event *event = line->first;
    const struct sv_note gone = {.shelf = SV_SHELF_HOOK, .number = event->number};
    line->first = event->next;
    line->last = line->first != NULL ? line->last : NULL;
    line->attempts = 0;
    line->next_ns = 0;
    hooks->event_count--;
    CN_ASSERT(hooks->size >= event->size && hooks->event_count >= 0);
    hooks->size -= event->size;
    free(event);
    (void)sv_notebook_put(hooks->notebook, &gone, 1); /* without a flush: a second is soon enough */
    if (line->first == NULL) {
        remove_line(hooks, line);
    }
    SV_COUNT(hooks->metrics, hooks_delivered, 1);
    show_counts(hooks);
}

/* The time before the next attempt. */
static uint64_t
pause_of(const struct sv_hooks *hooks, unsigned attempts)
{
    uint64_t pause_ns = SV_HOOK_RETRY_MAX_NS;
    uint8_t random[2] = {0, 0};
    if (attempts < 16 && (SV_HOOK_RETRY_NS << attempts) < SV_HOOK_RETRY_MAX_NS) {
        pause_ns = SV_HOOK_RETRY_NS << attempts;
    }
    if (hooks->random.fill != NULL) {
        (void)!sv_random_fill(&hooks->random, random, sizeof(random));
    }
    uint64_t part = (uint64_t)random[0] << 8 | random[1];
    return pause_ns - pause_ns / 2 * part / 65536;
}

static void
put_event_off(struct sv_hooks *hooks, struct sv_hook_line *line, const char *reason)
{
    SV_COUNT(hooks->metrics, hooks_failed, 1);
    line->next_ns = sv_clock_now_ns(&hooks->clock) + pause_of(hooks, line->attempts);
    line->attempts++;
    if (!hooks->is_failing) {
        hooks->is_failing = true;
        sv_log(hooks->log, SV_LOG_WARN, "the webhook did not take an event: %s; it is tried again",
            reason);
    }
}

static void
take_results(struct sv_hooks *hooks)
{
    struct sv_post_result result;
    while (hooks->poster.take(hooks->poster.context, &result)) {
        struct sv_hook_line *line = find_sending(hooks, result.number);
        CN_ASSERT(line != NULL && hooks->sending_count > 0); /* a post has one result */
        hooks->sending_count--;
        line->is_sending = false;
        if (!result.is_delivered) {
            put_event_off(hooks, line, result.text);
            continue;
        }
        if (hooks->is_failing) {
            hooks->is_failing = false;
            sv_log(hooks->log, SV_LOG_INFO, "the webhook takes events again; %d wait",
                hooks->event_count - 1);
        }
        finish_event(hooks, line);
    }
}

void
sv_hooks_poll(struct sv_hooks *hooks)
{
    if (!sv_hooks_are_used(hooks)) {
        return;
    }
    take_results(hooks);
    uint64_t now_ns = sv_clock_now_ns(&hooks->clock);
    struct sv_hook_line *line = hooks->lines;
    for (; line != NULL && hooks->sending_count < SV_HOOKS_AT_ONCE; line = line->next) {
        const struct sv_hook_event *event = line->first;
        bool is_due = !line->is_sending && line->next_ns <= now_ns &&
            sv_notebook_is_durable(hooks->notebook, event->put);
        if (!is_due) {
            continue;
        }
        struct sv_post post = {.number = event->number,
            .body = (const char *)event->bytes + BODY_AT,
            .size = event->size - BODY_AT};
        memcpy(post.id, event->bytes + ID_AT, SV_EVENT_ID_SIZE - 1);
        post.id[SV_EVENT_ID_SIZE - 1] = '\0';
        if (!hooks->poster.send(hooks->poster.context, &post)) {
            break;
        }
        line->is_sending = true;
        hooks->sending_count++;
    }
}
