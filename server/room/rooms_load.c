/*
 * rooms_load.c: the templates, and the rooms after a restart.
 */
#include "server/room/rooms.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/host/host.h"

#include <stdio.h>
#include <string.h>

/* ---- templates ---- */

static bool
add_template(void *context, struct wire_room_template *template_take, struct wire_error *error)
{
    struct sv_rooms *rooms = context;
    if (sv_rooms_template(rooms, template_take->name) != NULL) {
        wire_error_set(
            error, "NAME", "name", "is \"%s\", as another template's is", template_take->name);
        return false;
    }
    if (rooms->template_count == WIRE_ROOM_TEMPLATES_MAX) {
        wire_error_set(
            error, "LIMIT", "", "is one more than %d templates", WIRE_ROOM_TEMPLATES_MAX);
        return false;
    }
    struct sv_scene *scene = sv_host_scene(rooms->host, &template_take->source, error);
    if (scene == NULL) {
        return false;
    }
    struct sv_room_template *added = &rooms->templates[rooms->template_count++];
    added->is = *template_take;
    added->is.source = (struct wire_source){.kind = WIRE_SOURCE_NONE};
    added->scene = scene;
    return true;
}

bool
sv_rooms_add_templates(
    struct sv_rooms *rooms, const char *text, size_t size, struct wire_error *error)
{
    CN_ASSERT(rooms->count == 0); /* rooms point to their templates */
    return wire_room_templates_parse(text, size, add_template, rooms, error);
}

/* ---- after a restart ---- */

static bool
see_key(void *context, const struct sv_note *note)
{
    struct sv_rooms *rooms = context;
    if (note->size == sizeof(rooms->key)) {
        memcpy(rooms->key, note->bytes, sizeof(rooms->key));
        rooms->has_key = true;
    }
    return false;
}

/* The world of that id, ready or not; NULL: it does not exist. */
static struct sv_host_world *
find_world(const struct sv_host *host, const char *id)
{
    for (int i = 0; i < host->world_count; i++) {
        if (strcmp(host->worlds[i]->mailbox.id, id) == 0) {
            return host->worlds[i];
        }
    }
    return NULL;
}

/*
 * A room whose world was being made is removed, with its world: its request has no answer yet.  An
 * open one stays, unless its world or its template is missing.
 */
static void
settle_room(struct sv_rooms *rooms, struct sv_room *room)
{
    bool is_lost = room->state != SV_ROOM_ENDING &&
        (room->world == NULL || room->world->is_failed || room->of == NULL);
    if (room->world != NULL) {
        room->world->room = room->number;
    }
    if (room->state == SV_ROOM_MAKING) {
        room->is_untold = true;
        sv_rooms_end(rooms, room, SV_ROOM_REASON_LOST);
        return;
    }
    room->is_remove_due = room->state == SV_ROOM_ENDING;
    room->is_pause_due = !room->is_started;
    room->is_start_due = room->is_started && room->of != NULL && room->of->is.seats_min > 0;
    if (is_lost) {
        sv_rooms_end(rooms, room,
            room->of == NULL ? SV_ROOM_REASON_REMOVED : SV_ROOM_REASON_LOST);
    }
}

static bool
see_room(void *context, const struct sv_note *note)
{
    struct sv_rooms *rooms = context;
    uint64_t now_ns = sv_clock_now_ns(&rooms->clock);
    struct sv_room *room =
        sv_room_unpack(note->bytes, note->size, sv_clock_wall_s(&rooms->clock), now_ns);
    if (room == NULL || room->number != note->number ||
        sv_rooms_find(rooms, room->id) != NULL) {
        sv_log(rooms->log, SV_LOG_ERROR, "a stored room can not be read, and is left out");
        sv_room_destroy(room);
        return true;
    }
    room->of = sv_rooms_template(rooms, room->template_name);
    room->world = find_world(rooms->host, room->id);
    rooms->number_last =
        room->number > rooms->number_last ? room->number : rooms->number_last;
    (void)sv_rooms_add(rooms, room);
    return true;
}

static bool
see_event(void *context, const struct sv_note *note)
{
    struct sv_rooms *rooms = context;
    if (!sv_hooks_load(&rooms->hooks, note)) {
        sv_log(rooms->log, SV_LOG_ERROR, "a stored event can not be read, and is left out");
    }
    return true;
}

/* The key is made once for a data folder, so that tokens stay good over a restart. */
static bool
make_key(struct sv_rooms *rooms, struct sv_fault *fault)
{
    if (rooms->has_key) {
        return true;
    }
    rooms->has_key = sv_random_fill(&rooms->random, rooms->key, sizeof(rooms->key));
    const struct sv_note note = {
        .shelf = SV_SHELF_KEY, .number = 1, .bytes = rooms->key, .size = sizeof(rooms->key)};
    (void)sv_notebook_put(&rooms->notebook, &note, 1);
    return rooms->has_key ||
        sv_fault_set(fault, SV_FAULT_IO, "the system has no random numbers for the key of seats");
}

bool
sv_rooms_load(struct sv_rooms *rooms, struct sv_store *store, int lane, struct sv_fault *fault)
{
    CN_ASSERT(rooms->count == 0);
    sv_notebook_init(&rooms->notebook, store, lane);
    bool is_read = store == NULL ||
        (sv_store_notes(store, SV_SHELF_KEY, see_key, rooms, fault) &&
            sv_store_notes(store, SV_SHELF_ROOM, see_room, rooms, fault) &&
            sv_store_notes(store, SV_SHELF_HOOK, see_event, rooms, fault));
    if (!is_read) {
        return false;
    }
    if (rooms->template_count == 0 && rooms->count == 0) {
        return true; /* no rooms are used, so no key is needed */
    }
    for (int i = rooms->count - 1; i >= 0; i--) {
        settle_room(rooms, rooms->list[i]);
    }
    if (rooms->count > 0) {
        sv_log(rooms->log, SV_LOG_INFO, "%d rooms are back", rooms->count);
    }
    return make_key(rooms, fault);
}
