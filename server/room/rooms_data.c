/*
 * rooms_data.c: the list of rooms, their notes in the store, and the requests that wait.
 */
#include "server/room/rooms.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <stdlib.h>
#include <string.h>

void
sv_rooms_init(struct sv_rooms *rooms, struct sv_host *host, struct sv_clock clock,
    struct sv_random random, struct sv_log *log, struct sv_metrics *metrics)
{
    memset(rooms, 0, sizeof(*rooms));
    rooms->host = host;
    rooms->clock = clock;
    rooms->random = random;
    rooms->log = log;
    rooms->metrics = metrics;
    sv_hooks_init(&rooms->hooks, &rooms->notebook, clock, random, log, metrics);
}

void
sv_rooms_finish(struct sv_rooms *rooms)
{
    for (int i = 0; i < rooms->count; i++) {
        sv_room_destroy(rooms->list[i]);
    }
    for (int i = 0; i < rooms->template_count; i++) {
        wire_source_finish(&rooms->templates[i].is.source);
        sv_scene_unref(rooms->templates[i].scene);
    }
    free(rooms->waits);
    sv_hooks_finish(&rooms->hooks);
    sv_notebook_finish(&rooms->notebook);
    rooms->count = rooms->template_count = rooms->wait_count = 0;
    rooms->waits = NULL;
}

/* ---- the list ---- */

struct sv_room *
sv_rooms_find(const struct sv_rooms *rooms, const char *id)
{
    for (int i = 0; i < rooms->count; i++) {
        if (strcmp(rooms->list[i]->id, id) == 0) {
            return rooms->list[i];
        }
    }
    return NULL;
}

const struct sv_room_template *
sv_rooms_template(const struct sv_rooms *rooms, const char *name)
{
    for (int i = 0; i < rooms->template_count; i++) {
        if (strcmp(rooms->templates[i].is.name, name) == 0) {
            return &rooms->templates[i];
        }
    }
    return NULL;
}

struct sv_room *
sv_rooms_by_number(const struct sv_rooms *rooms, uint64_t number)
{
    for (int i = 0; i < rooms->count; i++) {
        if (rooms->list[i]->number == number) {
            return rooms->list[i];
        }
    }
    return NULL;
}

bool
sv_rooms_add(struct sv_rooms *rooms, struct sv_room *room_take)
{
    if (rooms->count == WIRE_ROOMS_MAX) {
        sv_room_destroy(room_take);
        return false;
    }
    CN_ASSERT(sv_rooms_by_number(rooms, room_take->number) == NULL);
    room_take->index = rooms->count;
    rooms->list[rooms->count++] = room_take;
    rooms->making_count += room_take->state == SV_ROOM_MAKING ? 1 : 0;
    SV_COUNT(rooms->metrics, rooms, 1);
    return true;
}

/* The last room takes its place in the list. */
static void
remove_room(struct sv_rooms *rooms, struct sv_room *room)
{
    CN_ASSERT(rooms->count > 0 && rooms->list[room->index] == room);
    struct sv_room *last = rooms->list[--rooms->count];
    rooms->list[room->index] = last;
    last->index = room->index;
    rooms->making_count -= room->state == SV_ROOM_MAKING ? 1 : 0;
    CN_ASSERT(rooms->making_count >= 0);
    SV_UNCOUNT(rooms->metrics, rooms, 1);
    sv_room_destroy(room);
}

void
sv_rooms_set_state(struct sv_rooms *rooms, struct sv_room *room, enum sv_room_state state)
{
    rooms->making_count -= room->state == SV_ROOM_MAKING ? 1 : 0;
    rooms->making_count += state == SV_ROOM_MAKING ? 1 : 0;
    room->state = state;
}

/* ---- storing ---- */

/* Adds the event to those that wait; *note is to be put with the room. */
static struct sv_hook_event *
add_event(struct sv_rooms *rooms, struct sv_room *room, const struct sv_room_news *news,
    struct sv_note *note)
{
    char id[SV_EVENT_ID_SIZE];
    struct wire_room_event event = {.id = id,
        .event = news->event,
        .sequence = ++room->event_sequence,
        .time_s = (uint64_t)sv_clock_wall_s(&rooms->clock),
        .room = sv_room_show(room, sv_clock_now_ns(&rooms->clock)),
        .has_seat = news->place >= 0,
        .seat = news->place >= 0 ? (uint32_t)news->place : 0,
        .subject = news->place >= 0 ? room->places[news->place].subject : "",
        .reason = sv_room_reason_text(news->reason),
        .result = news->result};
    bool has_id = sv_hooks_make_id(&rooms->hooks, id);
    event.room.has_all_properties = true;
    char *body = wire_room_event_print(&event);
    /* An event that is lost in silence is worse than a restart, which loses none. */
    CN_ASSERT(has_id && body != NULL);
    return sv_hooks_add(&rooms->hooks, room->number, id, body, note);
}

/* Puts the room's note, or its removal, together with the events. */
static void
put_room(struct sv_rooms *rooms, struct sv_room *room, bool is_gone,
    const struct sv_room_news *news, int count)
{
    struct sv_note notes[1 + SV_ROOM_NEWS_MAX];
    struct sv_hook_event *events[SV_ROOM_NEWS_MAX];
    CN_ASSERT(count >= 0 && count <= SV_ROOM_NEWS_MAX);
    int event_count = sv_hooks_are_used(&rooms->hooks) ? count : 0;
    for (int i = 0; i < event_count; i++) {
        events[i] = add_event(rooms, room, &news[i], &notes[1 + i]);
    }
    notes[0] = (struct sv_note){.shelf = SV_SHELF_ROOM, .number = room->number};
    if (!is_gone) {
        notes[0].size = sv_room_pack(room, sv_clock_wall_s(&rooms->clock),
            sv_clock_now_ns(&rooms->clock), rooms->bytes);
        notes[0].bytes = rooms->bytes;
    }
    room->put = sv_notebook_put(&rooms->notebook, notes, 1 + event_count);
    for (int i = 0; i < event_count; i++) {
        sv_hooks_put(events[i], room->put);
    }
    sv_notebook_flush(&rooms->notebook);
}

void
sv_rooms_save(
    struct sv_rooms *rooms, struct sv_room *room, const struct sv_room_news *news, int count)
{
    put_room(rooms, room, false, news, count);
    room->version = ++rooms->version_last;
}

/* The result that the room's world has now; NULL: it has none. */
static const struct cn_value *
result_of(const struct sv_room *room)
{
    const struct sv_host_world *world = room->world;
    return world != NULL && world->status.result.kind != CN_VALUE_NONE ? &world->status.result
                                                                       : NULL;
}

void
sv_rooms_drop(struct sv_rooms *rooms, struct sv_room *room, bool is_told)
{
    const struct sv_room_news news[SV_ROOM_NEWS_MAX] = {
        {"result", -1, SV_ROOM_REASON_NONE, result_of(room)},
        {"ended", -1, room->reason, NULL}};
    /* A room that ended by itself has stored its result already. */
    bool has_result = room->state == SV_ROOM_OPEN && news[0].result != NULL;
    put_room(rooms, room, true, has_result ? news : news + 1,
        !is_told ? 0 : has_result ? 2 : 1);
    for (int i = 0; i < rooms->wait_count; i++) {
        struct sv_room_wait *wait = &rooms->waits[i];
        if (wait->room == room->number && wait->kind == SV_WAIT_REMOVED) {
            wait->put = room->put;
        }
    }
    if (room->world != NULL) {
        room->world->room = 0;
    }
    rooms->version_last++;
    remove_room(rooms, room);
}

void
sv_rooms_end(struct sv_rooms *rooms, struct sv_room *room, enum sv_room_reason reason)
{
    if (room->state == SV_ROOM_ENDING) {
        return;
    }
    const struct sv_room_news result = {"result", -1, SV_ROOM_REASON_NONE, result_of(room)};
    bool has_result = room->state == SV_ROOM_OPEN && result.result != NULL;
    sv_rooms_set_state(rooms, room, SV_ROOM_ENDING);
    room->reason = reason;
    room->is_remove_due = true;
    sv_rooms_save(rooms, room, &result, has_result ? 1 : 0);
    sv_log(rooms->log, SV_LOG_INFO, "room %s ends: %s", room->id, sv_room_reason_text(reason));
}

/* ---- waits ---- */

bool
sv_rooms_wait(struct sv_rooms *rooms, const struct sv_room_wait *wait)
{
    if (rooms->wait_count == rooms->wait_capacity) {
        int capacity = 2 * rooms->wait_capacity + 16;
        struct sv_room_wait *larger =
            realloc(rooms->waits, (size_t)capacity * sizeof(rooms->waits[0]));
        if (larger == NULL) {
            return false;
        }
        rooms->waits = larger;
        rooms->wait_capacity = capacity;
    }
    rooms->waits[rooms->wait_count++] = *wait;
    return true;
}
