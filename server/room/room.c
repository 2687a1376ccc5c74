#include "server/room/room.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <stdlib.h>

const char *
sv_room_reason_text(enum sv_room_reason reason)
{
    static const char *const texts[] = {
#define X(NAME, text) text,
        SV_ROOM_REASON_TABLE(X)
#undef X
    };
    CN_ASSERT(reason < SV_ROOM_REASON_COUNT);
    return texts[reason];
}

struct sv_room *
sv_room_create(uint32_t place_count)
{
    CN_ASSERT(place_count > 0 && place_count <= WIRE_ROOM_SEATS_MAX);
    struct sv_room *room = calloc(1, sizeof(*room));
    if (room == NULL) {
        return NULL;
    }
    room->places = calloc(place_count, sizeof(room->places[0]));
    room->place_count = place_count;
    if (room->places == NULL) {
        free(room);
        return NULL;
    }
    return room;
}

void
sv_room_destroy(struct sv_room *room)
{
    if (room != NULL) {
        free(room->places);
    }
    free(room);
}

void
sv_room_set_place(struct sv_room *room, uint32_t place, enum sv_place_state state)
{
    CN_ASSERT(place < room->place_count);
    enum sv_place_state before = room->places[place].state;
    CN_ASSERT(before != SV_PLACE_TAKEN || room->taken > 0); /* invariant 1 */
    CN_ASSERT(before != SV_PLACE_HELD || room->held > 0);
    room->taken -= before == SV_PLACE_TAKEN ? 1 : 0;
    room->held -= before == SV_PLACE_HELD ? 1 : 0;
    room->taken += state == SV_PLACE_TAKEN ? 1 : 0;
    room->held += state == SV_PLACE_HELD ? 1 : 0;
    room->places[place].state = state;
    CN_ASSERT(room->taken + room->held <= room->place_count);
}

int
sv_room_free_place(const struct sv_room *room)
{
    for (uint32_t i = 0; i < room->place_count; i++) {
        if (room->places[i].state == SV_PLACE_FREE) {
            return (int)i;
        }
    }
    return -1;
}

bool
sv_room_is_open(const struct sv_room *room)
{
    return room->state != SV_ROOM_ENDING && !room->is_locked &&
        room->taken + room->held < room->place_count;
}

struct wire_room
sv_room_show(const struct sv_room *room, uint64_t now_ns)
{
    uint64_t left_ns = room->ends_ns > now_ns ? room->ends_ns - now_ns : 0;
    return (struct wire_room){.id = room->id,
        .template_name = room->template_name,
        .name = room->name,
        .is_private = room->is_private,
        .is_locked = room->is_locked,
        .has_password = room->has_password,
        .seats = room->place_count,
        .taken = room->taken,
        .held = room->held,
        .properties = &room->properties,
        .created_s = room->created_s,
        .expires_s = room->ends_ns == 0
            ? 0
            : (uint32_t)((left_ns + SV_NS_PER_S - 1) / SV_NS_PER_S)};
}
