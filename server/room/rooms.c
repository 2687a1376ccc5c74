#include "server/room/rooms.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/host/host.h"

#include <stdlib.h>
#include <string.h>

/* ---- answers ---- */

static void
give_answer(struct sv_rooms *rooms, const struct sv_room_answer *answer)
{
    CN_ASSERT(rooms->answer != NULL);
    rooms->answer(rooms->answer_context, answer);
}

static void
answer_seat(struct sv_rooms *rooms, const struct sv_room_wait *wait, struct sv_room *room)
{
    struct sv_place *place = &room->places[wait->place];
    CN_ASSERT(place->is_asked && place->state == SV_PLACE_HELD && place->serial == wait->serial);
    place->is_asked = false;
    place->since_ns = sv_clock_now_ns(&rooms->clock);
    char text[SV_SEAT_TOKEN_SIZE];
    struct sv_seat_token token = {.seat = wait->place, .serial = wait->serial};
    memcpy(token.room, room->id, sizeof(token.room));
    sv_seat_token_write(rooms->key, &token, text);
    const struct wire_room_seat seat = {.room = room->id,
        .seat = wait->place,
        .token = text,
        .expires_s = room->of != NULL ? room->of->is.hold_s : WIRE_ROOM_HOLD_S,
        .is_created = wait->is_created};
    const struct sv_room_answer answer = {.asker = wait->asker, .seat = &seat, .room = room};
    give_answer(rooms, &answer);
    SV_COUNT(rooms->metrics, seats_given, 1);
}

/* Answers the request if it can be answered now. */
static bool
answer_wait(struct sv_rooms *rooms, const struct sv_room_wait *wait)
{
    struct sv_room *room = sv_rooms_by_number(rooms, wait->room);
    struct sv_room_answer answer = {.asker = wait->asker, .room = room};
    struct wire_error error;
    if (wait->kind == SV_WAIT_REMOVED) {
        bool is_done = wait->put > 0 && sv_notebook_is_durable(&rooms->notebook, wait->put);
        if (is_done) {
            give_answer(rooms, &answer);
        }
        return is_done;
    }
    if (room == NULL || room->state == SV_ROOM_ENDING) {
        wire_error_set(&error, "ROOM", "", "the room has ended");
        answer.error = &error;
        give_answer(rooms, &answer);
        return true;
    }
    uint64_t put = wait->kind == SV_WAIT_SEAT && wait->put < room->open_put ? room->open_put
                                                                             : wait->put;
    if (room->state != SV_ROOM_OPEN || !sv_notebook_is_durable(&rooms->notebook, put)) {
        return false;
    }
    if (wait->kind == SV_WAIT_SEAT) {
        answer_seat(rooms, wait, room);
    } else {
        give_answer(rooms, &answer);
    }
    return true;
}

/* The room could not be made: tells all that wait for a seat in it. */
static void
refuse_waits(struct sv_rooms *rooms, const struct sv_room *room, const struct wire_error *error)
{
    int kept = 0;
    for (int i = 0; i < rooms->wait_count; i++) {
        const struct sv_room_wait wait = rooms->waits[i];
        if (wait.room != room->number || wait.kind == SV_WAIT_REMOVED) {
            rooms->waits[kept++] = wait;
            continue;
        }
        const struct sv_room_answer answer = {.asker = wait.asker, .error = error};
        give_answer(rooms, &answer);
    }
    rooms->wait_count = kept;
}

static void
answer_waits(struct sv_rooms *rooms)
{
    int kept = 0;
    for (int i = 0; i < rooms->wait_count; i++) {
        const struct sv_room_wait wait = rooms->waits[i];
        if (!answer_wait(rooms, &wait)) {
            rooms->waits[kept++] = wait;
        }
    }
    CN_ASSERT(kept <= rooms->wait_count);
    rooms->wait_count = kept;
}

/* ---- worlds ---- */

static void
make_world(struct sv_rooms *rooms, struct sv_room *room)
{
    struct wire_error error;
    const struct sv_asker nobody = {0};
    const struct sv_growth how = {
        .scene_take = sv_scene_ref(room->of->scene), .room = room->number};
    room->is_world_due = false;
    if (sv_host_grow_world(rooms->host, room->id, &how, &nobody, &error)) {
        room->world = rooms->host->worlds[rooms->host->world_count - 1];
        CN_ASSERT(room->world->room == room->number);
        return;
    }
    refuse_waits(rooms, room, &error);
    sv_rooms_drop(rooms, room, false);
}

static void
make_worlds(struct sv_rooms *rooms)
{
    for (int i = rooms->count - 1; i >= 0 && rooms->making_count > 0; i--) {
        struct sv_room *room = rooms->list[i];
        if (room->is_world_due && sv_notebook_is_durable(&rooms->notebook, room->put)) {
            make_world(rooms, room);
        }
    }
}

static void
open_room(struct sv_rooms *rooms, struct sv_room *room)
{
    const struct sv_room_news created = {"created", -1, SV_ROOM_REASON_NONE, NULL};
    sv_rooms_set_state(rooms, room, SV_ROOM_OPEN);
    room->is_pause_due = !room->is_started;
    sv_rooms_save(rooms, room, &created, 1);
    room->open_put = room->put;
    SV_COUNT(rooms->metrics, rooms_made, 1);
}

void
sv_rooms_reported(struct sv_rooms *rooms, const struct sv_host_world *world,
    const struct sv_report *report)
{
    struct sv_room *room = sv_rooms_by_number(rooms, world->room);
    if (room == NULL) {
        return;
    }
    if (report->kind == SV_REPORT_CREATED && room->state == SV_ROOM_MAKING) {
        open_room(rooms, room);
    } else if (report->kind == SV_REPORT_REFUSED && room->state == SV_ROOM_MAKING) {
        struct wire_error error;
        wire_error_set(&error, "MEMORY", "", "no memory for the room's world");
        refuse_waits(
            rooms, room, report->outcome_take != NULL ? &report->outcome_take->error : &error);
    } else if (report->kind == SV_REPORT_REFUSED && room->state == SV_ROOM_ENDING) {
        room->is_remove_due = true; /* it stays for now */
    } else if (report->kind == SV_REPORT_REMOVED) {
        bool was_open = room->state != SV_ROOM_MAKING && !room->is_untold;
        room->reason = room->state == SV_ROOM_ENDING ? room->reason : SV_ROOM_REASON_REMOVED;
        sv_rooms_drop(rooms, room, was_open);
    }
}

/* ---- sessions ---- */

/* The seat of that serial; NULL: it is not its client's any more. */
static struct sv_place *
find_place(const struct sv_rooms *rooms, uint64_t number, uint32_t place, uint32_t serial,
    struct sv_room **room)
{
    *room = number != 0 ? sv_rooms_by_number(rooms, number) : NULL;
    if (*room == NULL || place >= (*room)->place_count) {
        return NULL;
    }
    struct sv_place *found = &(*room)->places[place];
    return found->state != SV_PLACE_FREE && found->serial == serial ? found : NULL;
}

bool
sv_rooms_admit(const struct sv_rooms *rooms, const char *token, struct sv_room_pass *pass,
    struct wire_error *error)
{
    struct sv_seat_token read;
    if (!rooms->has_key || !sv_seat_token_read(rooms->key, token, &read)) {
        wire_error_set(error, "TOKEN", "", "the token is not of a seat of this daemon");
        return false;
    }
    struct sv_room *room = sv_rooms_find(rooms, read.room);
    const struct sv_place *place = room != NULL
        ? find_place(rooms, room->number, read.seat, read.serial, &room)
        : NULL;
    if (place == NULL || room->state != SV_ROOM_OPEN || room->of == NULL) {
        wire_error_set(error, "EXPIRED", "",
            "the room has ended, or the seat was not used in time; ask for another one");
        return false;
    }
    *pass = (struct sv_room_pass){.room = room->number,
        .place = read.seat,
        .serial = read.serial,
        .id = room->id,
        .subject = place->subject,
        .of = &room->of->is};
    return true;
}

bool
sv_rooms_is_current(
    const struct sv_rooms *rooms, uint64_t room, uint32_t place, uint32_t serial)
{
    struct sv_room *found;
    return find_place(rooms, room, place, serial, &found) != NULL &&
        found->state == SV_ROOM_OPEN;
}

void
sv_rooms_entered(
    struct sv_rooms *rooms, uint64_t room, uint32_t place, uint32_t serial, uint64_t session)
{
    struct sv_room *found;
    struct sv_place *taken = find_place(rooms, room, place, serial, &found);
    if (taken == NULL) {
        return;
    }
    const struct sv_room_news joined = {"joined", (int)place, SV_ROOM_REASON_NONE, NULL};
    bool is_first = !taken->was_joined, is_changed = is_first;
    sv_room_set_place(found, place, SV_PLACE_TAKEN);
    taken->session = session;
    taken->was_joined = true;
    if (!found->is_started && found->taken >= found->of->is.seats_min) {
        found->is_started = found->is_start_due = is_changed = true;
    }
    if (is_changed) {
        sv_rooms_save(rooms, found, &joined, is_first ? 1 : 0);
    }
    found->version = ++rooms->version_last;
}

void
sv_rooms_left(
    struct sv_rooms *rooms, uint64_t room, uint32_t place, uint32_t serial, uint64_t session)
{
    struct sv_room *found;
    struct sv_place *left = find_place(rooms, room, place, serial, &found);
    if (left == NULL || left->state != SV_PLACE_TAKEN || left->session != session ||
        rooms->is_stopping) {
        return;
    }
    sv_room_set_place(found, place, SV_PLACE_HELD);
    left->session = 0;
    left->since_ns = sv_clock_now_ns(&rooms->clock);
    found->version = ++rooms->version_last;
}

/* ---- ends ---- */

static void
free_place(struct sv_rooms *rooms, struct sv_room *room, uint32_t place, uint64_t now_ns)
{
    const struct sv_room_news news[SV_ROOM_NEWS_MAX] = {
        {"left", (int)place, SV_ROOM_REASON_NONE, NULL},
        {"emptied", -1, SV_ROOM_REASON_NONE, NULL}};
    bool was_joined = room->places[place].was_joined;
    sv_room_set_place(room, place, SV_PLACE_FREE);
    room->places[place].was_joined = false;
    bool is_empty = room->taken + room->held == 0;
    room->empty_ns = is_empty ? now_ns : room->empty_ns;
    sv_rooms_save(rooms, room, news, !was_joined ? 0 : is_empty ? 2 : 1);
    memset(room->places[place].subject, 0, sizeof(room->places[place].subject));
    memset(&room->places[place].owner, 0, sizeof(room->places[place].owner));
}

/* Frees the seats that were not used in time. */
static void
free_places(struct sv_rooms *rooms, struct sv_room *room, uint64_t now_ns)
{
    uint32_t hold_s = room->of != NULL ? room->of->is.hold_s : WIRE_ROOM_HOLD_S;
    for (uint32_t i = 0; i < room->place_count && room->held > 0; i++) {
        const struct sv_place *place = &room->places[i];
        if (place->state == SV_PLACE_HELD && !place->is_asked &&
            now_ns > place->since_ns + hold_s * SV_NS_PER_S) {
            free_place(rooms, room, i, now_ns);
        }
    }
}

/* Sends an order to the room's world; it is sent again while it finds no room. */
static void
send_order(
    struct sv_rooms *rooms, struct sv_room *room, enum wire_control_kind kind, bool *is_due)
{
    struct wire_error ignored;
    struct sv_order *order_take = calloc(1, sizeof(*order_take));
    if (order_take == NULL) {
        return;
    }
    order_take->kind = kind;
    struct sv_message message = {.kind = SV_MESSAGE_ORDER, .order_take = order_take};
    *is_due = !sv_host_send(rooms->host, room->world, &message, &ignored);
}

static void
tend_open(struct sv_rooms *rooms, struct sv_room *room, uint64_t now_ns)
{
    bool is_ready = room->world != NULL && room->world->is_ready;
    free_places(rooms, room, now_ns);
    if (room->is_pause_due && is_ready) {
        send_order(rooms, room, WIRE_CONTROL_PAUSE, &room->is_pause_due);
    }
    if (room->is_start_due && is_ready && !room->is_pause_due) {
        send_order(rooms, room, WIRE_CONTROL_RESUME, &room->is_start_due);
    }
    uint32_t empty_s = room->of != NULL ? room->of->is.empty_s : 0;
    if (room->ends_ns > 0 && now_ns >= room->ends_ns) {
        sv_rooms_end(rooms, room, SV_ROOM_REASON_LIFETIME);
    } else if (room->taken + room->held == 0 && now_ns > room->empty_ns + empty_s * SV_NS_PER_S) {
        sv_rooms_end(rooms, room, SV_ROOM_REASON_EMPTY);
    }
}

/* Removes the world of a room that ends; its REMOVED ends the room. */
static void
tend_ending(struct sv_rooms *rooms, struct sv_room *room)
{
    const struct sv_asker nobody = {0};
    struct wire_error ignored; /* it is tried again */
    if (room->world == NULL) {
        sv_rooms_drop(rooms, room, !room->is_untold);
    } else if (room->is_remove_due && sv_host_is_listed(room->world) &&
        !room->world->is_removing &&
        sv_notebook_is_durable(&rooms->notebook, room->put)) {
        room->is_remove_due =
            !sv_host_remove_world(rooms->host, room->world, &nobody, &ignored);
    }
}

void
sv_rooms_poll(struct sv_rooms *rooms)
{
    sv_notebook_poll(&rooms->notebook);
    if (rooms->making_count > 0) {
        make_worlds(rooms);
    }
    if (rooms->wait_count > 0) {
        answer_waits(rooms);
    }
    sv_hooks_poll(&rooms->hooks);
}

void
sv_rooms_tend(struct sv_rooms *rooms)
{
    sv_rooms_poll(rooms); /* before the time is taken: it sets times of seats */
    uint64_t now_ns = sv_clock_now_ns(&rooms->clock);
    for (int i = rooms->count - 1; i >= 0 && !rooms->is_stopping; i--) {
        struct sv_room *room = rooms->list[i];
        if (room->state == SV_ROOM_OPEN) {
            tend_open(rooms, room, now_ns);
        } else if (room->state == SV_ROOM_ENDING) {
            tend_ending(rooms, room);
        }
    }
}
