#include "server/net/lobby.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/net/seating.h"
#include "server/snapshot/framing.h"

#include <stdlib.h>
#include <string.h>

#define CLOSE_POLICY 1008

/* ---- seats ---- */

bool
sv_lobby_may_join(
    const struct sv_seat *seat, const struct sv_host_world *world, struct wire_error *error)
{
    const struct sv_grant *grant = seat->session.grant;
    const struct sv_rooms *rooms = seat->gateway->rooms;
    if (world == NULL || !sv_grant_covers_world(grant, world)) {
        wire_error_set(error, "WORLD", "join.world", "is no world's id");
        return false;
    }
    if (rooms != NULL && grant->room != 0 && grant->room == world->room &&
        !sv_rooms_is_current(rooms, grant->room, grant->seat, grant->seat_serial)) {
        wire_error_set(error, "EXPIRED", "join.world",
            "the seat was not used in time, and is free again; ask for another one");
        return false;
    }
    return true;
}

/* Ends the session: the newest connection of a seat has it. */
static void
end_other(struct sv_seat *other)
{
    sv_seat_leave(other);
    if (other->is_away) {
        sv_seat_destroy(other);
    } else {
        other->session.state = SV_SESSION_READY;
        sv_seat_close(other, CLOSE_POLICY, "the seat is used on another connection");
    }
}

void
sv_lobby_joined(struct sv_seat *seat)
{
    const struct sv_grant *grant = seat->session.grant;
    struct sv_rooms *rooms = seat->gateway->rooms;
    CN_ASSERT(seat->world != NULL);
    if (rooms == NULL || grant->room == 0 || grant->room != seat->world->room) {
        return;
    }
    struct sv_seat *next;
    for (struct sv_seat *other = seat->world->seats; other != NULL; other = next) {
        const struct sv_grant *its = other->session.grant;
        next = other->world_next;
        if (other != seat && its->room == grant->room && its->seat == grant->seat) {
            end_other(other);
        }
    }
    sv_rooms_entered(rooms, grant->room, grant->seat, grant->seat_serial, seat->session.id);
}

/* ---- lobbies ---- */

struct sv_lobby {
    struct wire_room_filter filter;
    uint64_t version; /* of the rooms, at the last message */
    int count;
    struct {
        uint64_t number;
        char id[WIRE_NAME_SIZE];
        bool is_there; /* within one update */
    } shown[SV_LOBBY_ROOMS_MAX];
};

/* The rooms of one message. */
struct update {
    struct wire_room_list list;
    struct wire_room rooms[SV_LOBBY_ROOMS_MAX];
    const char *removed[SV_LOBBY_ROOMS_MAX];
    char removed_ids[SV_LOBBY_ROOMS_MAX][WIRE_NAME_SIZE];
};

static int
find_shown(const struct sv_lobby *lobby, uint64_t number)
{
    for (int i = 0; i < lobby->count; i++) {
        if (lobby->shown[i].number == number) {
            return i;
        }
    }
    return -1;
}

/* Notes the rooms that are shown and match, and puts those that have changed into the message. */
static void
update_shown(const struct sv_seat *seat, struct sv_lobby *lobby, struct update *update)
{
    const struct sv_rooms *rooms = seat->gateway->rooms;
    uint64_t now_ns = sv_clock_now_ns(&seat->gateway->clock);
    for (int i = 0; i < rooms->count && lobby->count > 0; i++) {
        const struct sv_room *room = rooms->list[i];
        int at = find_shown(lobby, room->number);
        if (at < 0 || !sv_rooms_fits(room, &lobby->filter, seat->session.grant->world)) {
            continue;
        }
        lobby->shown[at].is_there = true;
        if (room->version > lobby->version) {
            update->rooms[update->list.count++] = sv_room_show(room, now_ns);
        }
    }
}

/* Forgets the shown rooms that are gone, and puts their ids into the message. */
static void
remove_gone(struct sv_lobby *lobby, struct update *update)
{
    int kept = 0;
    for (int i = 0; i < lobby->count; i++) {
        if (lobby->shown[i].is_there) {
            lobby->shown[kept] = lobby->shown[i];
            lobby->shown[kept++].is_there = false;
            continue;
        }
        size_t at = update->list.removed_count++;
        memcpy(update->removed_ids[at], lobby->shown[i].id, WIRE_NAME_SIZE);
        update->removed[at] = update->removed_ids[at];
    }
    lobby->count = kept;
}

/* Adds rooms that match and are not shown yet. */
static void
add_new(const struct sv_seat *seat, struct sv_lobby *lobby, struct update *update)
{
    const struct sv_rooms *rooms = seat->gateway->rooms;
    uint64_t now_ns = sv_clock_now_ns(&seat->gateway->clock);
    for (int i = 0; i < rooms->count && lobby->count < SV_LOBBY_ROOMS_MAX; i++) {
        const struct sv_room *room = rooms->list[i];
        if (find_shown(lobby, room->number) >= 0 ||
            !sv_rooms_fits(room, &lobby->filter, seat->session.grant->world)) {
            continue;
        }
        lobby->shown[lobby->count].number = room->number;
        lobby->shown[lobby->count].is_there = false;
        memcpy(lobby->shown[lobby->count++].id, room->id, WIRE_NAME_SIZE);
        update->rooms[update->list.count++] = sv_room_show(room, now_ns);
    }
}

static size_t
encode_list(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_rooms(context, out, out_size);
}

/* `is_full`: the first message, which is sent even if no room matches. */
static void
send_update(struct sv_seat *seat, bool is_full)
{
    struct sv_lobby *lobby = seat->lobby;
    struct update *update = calloc(1, sizeof(*update));
    if (update == NULL) {
        return; /* it is tried again */
    }
    update->list = (struct wire_room_list){.rooms = update->rooms,
        .next = "",
        .is_full = is_full,
        .removed = update->removed};
    update_shown(seat, lobby, update);
    remove_gone(lobby, update);
    CN_ASSERT(update->list.count <= (size_t)lobby->count);
    add_new(seat, lobby, update);
    lobby->version = seat->gateway->rooms->version_last;
    if (is_full || update->list.count > 0 || update->list.removed_count > 0) {
        sv_seat_send(seat, sv_frame_message(encode_list, &update->list));
    }
    free(update);
}

void
sv_lobby_ask(struct sv_seat *seat, const struct wire_lobby *lobby)
{
    struct wire_error error;
    free(seat->lobby);
    seat->lobby = NULL;
    if (lobby->is_end) {
        return;
    }
    if (seat->gateway->rooms == NULL) {
        wire_error_set(&error, "STATE", "lobby", "this daemon has no rooms; see --rooms");
        sv_seat_reject(seat, 0, 0, &error);
        return;
    }
    seat->lobby = calloc(1, sizeof(*seat->lobby));
    if (seat->lobby == NULL) {
        wire_error_set(&error, "MEMORY", "lobby", "no memory");
        sv_seat_reject(seat, 0, 0, &error);
        return;
    }
    seat->lobby->filter = lobby->filter;
    send_update(seat, true);
}

void
sv_lobbies_tend(struct sv_gateway *gateway, uint64_t now_ns)
{
    if (now_ns - gateway->lobbies_ns < SV_LOBBY_PERIOD_NS) {
        return;
    }
    gateway->lobbies_ns = now_ns;
    for (int i = 0; i < gateway->seat_count; i++) {
        struct sv_seat *seat = gateway->seats[i];
        bool is_shown = seat != NULL && seat->lobby != NULL && seat->connection != NULL &&
            !seat->is_closing && !seat->is_busy && seat->transfer == NULL;
        if (is_shown && seat->lobby->version != gateway->rooms->version_last) {
            send_update(seat, false);
        }
    }
}
