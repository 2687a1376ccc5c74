/*
 * rooms_ask.c: requests for seats, rooms, locks and removals.
 */
#include "server/room/rooms.h"

#include "access/token.h"
#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/host/host.h"

#include <stdio.h>
#include <string.h>

#define ID_RANDOM_SIZE 10 /* bytes: 80 bits, which nobody guesses */

bool
sv_rooms_fits(
    const struct sv_room *room, const struct wire_room_filter *filter, const char *pattern)
{
    bool is_of_it = filter->template_name[0] == '\0' ||
        strcmp(filter->template_name, room->template_name) == 0;
    return is_of_it && room->state == SV_ROOM_OPEN && !room->is_private &&
        (!filter->is_open_only || sv_room_is_open(room)) && ac_pattern_fits(pattern, room->id) &&
        wire_room_properties_fit(&room->properties, &filter->properties);
}

/* ---- passwords ---- */

static bool
fits_password(
    const struct sv_rooms *rooms, const struct sv_room *room, const char *password)
{
    uint8_t hash[SV_ROOM_HASH_SIZE];
    if (!room->has_password) {
        return true;
    }
    sv_room_password_hash(rooms->key, room->salt, password, hash);
    return sv_room_password_fits(hash, room->hash);
}

/* Takes one of the guesses of all clients together; false with *error filled. */
static bool
may_guess(struct sv_rooms *rooms, struct wire_error *error)
{
    const uint64_t interval_ns = SV_NS_PER_S / SV_ROOM_GUESS_RATE;
    uint64_t now_ns = sv_clock_now_ns(&rooms->clock);
    uint64_t wait_ns =
        sv_rate_wait_ns(&rooms->guesses, now_ns, interval_ns, SV_ROOM_GUESS_BURST);
    if (wait_ns == 0) {
        return true;
    }
    wire_error_set(error, "RATE", "password", "too many passwords did not fit; try again later");
    error->retry_ms = (uint32_t)(wait_ns / SV_NS_PER_MS) + 1;
    return false;
}

static void
note_guess(struct sv_rooms *rooms)
{
    sv_rate_charge(&rooms->guesses, sv_clock_now_ns(&rooms->clock),
        SV_NS_PER_S / SV_ROOM_GUESS_RATE);
}

/* ---- choosing a room ---- */

static bool
pick_by_id(struct sv_rooms *rooms, const struct wire_room_request *request,
    const struct sv_room_who *who, struct sv_room **room, struct wire_error *error)
{
    struct sv_room *found = sv_rooms_find(rooms, request->room);
    *room = NULL;
    if (found == NULL || found->state == SV_ROOM_ENDING ||
        !ac_pattern_fits(who->world, found->id)) {
        wire_error_set(error, "ROOM", "room", "no room has this id");
        return false;
    }
    if (found->has_password && !may_guess(rooms, error)) {
        return false;
    }
    if (!fits_password(rooms, found, request->password)) {
        note_guess(rooms);
        wire_error_set(error, "RIGHTS", "password", "is not the one of this room");
        return false;
    }
    if (!sv_room_is_open(found)) {
        wire_error_set(error, "STATE", "room", "%s",
            found->is_locked ? "is locked" : "has no free seat");
        return false;
    }
    *room = found;
    return true;
}

/* Whether the request may be for this room, apart from its password. */
static bool
may_be_for(const struct sv_room *room, const struct wire_room_request *request,
    const struct sv_room_who *who)
{
    return strcmp(room->template_name, request->template_name) == 0 && room->of != NULL &&
        !room->is_private && sv_room_is_open(room) &&
        (request->name[0] == '\0' || strcmp(room->name, request->name) == 0) &&
        ac_pattern_fits(who->world, room->id) &&
        wire_room_properties_fit(&room->properties, &request->properties);
}

/* The fullest room that fits, and of these the oldest; NULL: none. */
static struct sv_room *
choose_room(const struct sv_rooms *rooms, const struct wire_room_request *request,
    const struct sv_room_who *who)
{
    struct sv_room *best = NULL;
    bool has_password = request->password[0] != '\0';
    for (int i = 0; i < rooms->count; i++) {
        struct sv_room *room = rooms->list[i];
        uint32_t used = room->taken + room->held;
        bool is_better = best == NULL || used > best->taken + best->held ||
            (used == best->taken + best->held && room->number < best->number);
        if (is_better && room->has_password == has_password && may_be_for(room, request, who) &&
            fits_password(rooms, room, request->password)) {
            best = room;
        }
    }
    return best;
}

/* Whether the values are of the template's properties, with their types. */
static bool
check_properties(const struct sv_room_template *of, const struct wire_room_request *request,
    struct wire_error *error)
{
    static const char *const names[] = {[WIRE_ROOM_TEXT] = "text",
        [WIRE_ROOM_INTEGER] = "integer",
        [WIRE_ROOM_NUMBER] = "number",
        [WIRE_ROOM_FLAG] = "flag"};
    for (int i = 0; i < request->properties.count; i++) {
        char path[32];
        const struct wire_room_property *given = &request->properties.list[i];
        const struct wire_room_property *known =
            wire_room_property_find(&of->is.properties, given->name);
        snprintf(path, sizeof(path), "properties[%d]", i);
        if (known == NULL) {
            wire_error_set(error, "REFERENCE", path, "is \"%s\", which the template %s has not",
                given->name, of->is.name);
            return false;
        }
        if (known->type != given->type) {
            wire_error_set(error, "FIELD", path, "%s has the type %s; the template says %s",
                given->name, names[given->type], names[known->type]);
            return false;
        }
    }
    return true;
}

bool
sv_rooms_pick(struct sv_rooms *rooms, const struct wire_room_request *request,
    const struct sv_room_who *who, struct sv_room **room, struct wire_error *error)
{
    *room = NULL;
    if (request->room[0] != '\0') {
        return pick_by_id(rooms, request, who, room, error);
    }
    const struct sv_room_template *of = sv_rooms_template(rooms, request->template_name);
    if (of == NULL) {
        wire_error_set(error, "ROOM", "template",
            "is \"%s\", which is no template; GET /v1/rooms/templates lists them",
            request->template_name);
        return false;
    }
    if (!check_properties(of, request, error)) {
        return false;
    }
    if (request->create == WIRE_ROOM_CREATE) {
        return true;
    }
    bool is_guess = request->password[0] != '\0';
    if (is_guess && !may_guess(rooms, error)) {
        return false;
    }
    *room = request->is_private ? NULL : choose_room(rooms, request, who);
    if (*room == NULL && is_guess) {
        note_guess(rooms);
    }
    if (*room == NULL && request->create == WIRE_ROOM_JOIN) {
        wire_error_set(error, "ROOM", "template", "no open room of %s fits", of->is.name);
        return false;
    }
    return true;
}

/* ---- seats ---- */

/* Whether the daemon can store the change, and tell the webhook of it. */
static bool
check_open(const struct sv_rooms *rooms, struct wire_error *error)
{
    if (!sv_notebook_is_open(&rooms->notebook)) {
        wire_error_set(error, "READONLY", "", "the data folder takes nothing now");
        error->retry_ms = SV_RETRY_MS;
        return false;
    }
    if (sv_hooks_are_used(&rooms->hooks) && !sv_hooks_have_room(&rooms->hooks)) {
        sv_host_refuse_load(rooms->host, "too many events wait for the webhook", error);
        return false;
    }
    return true;
}

/* Whether the sender's role is at least that of the seat. */
static bool
check_role(const struct sv_room_template *of, const struct sv_room_who *who,
    struct wire_error *error)
{
    static const int ranks[AC_ROLE_COUNT] = {[AC_ROLE_NONE] = 0,
        [AC_ROLE_OBSERVER] = 1,
        [AC_ROLE_LOGIC] = 1,
        [AC_ROLE_PLAYER] = 2,
        [AC_ROLE_INSTRUCTOR] = 3,
        [AC_ROLE_OPERATOR] = 4};
    CN_ASSERT(of->is.role < AC_ROLE_COUNT && (unsigned)who->role < AC_ROLE_COUNT);
    if (ranks[who->role] >= ranks[of->is.role]) {
        return true;
    }
    wire_error_set(error, "RIGHTS", "",
        "seats of %s are for the role %s and above; this one is %s", of->is.name,
        ac_role_name((enum ac_role)of->is.role), ac_role_name(who->role));
    return false;
}

/* Reserves the seat, and adds the wait for the answer; false without memory. */
static bool
take_place(struct sv_rooms *rooms, struct sv_room *room, uint32_t index, bool is_created,
    const struct sv_room_who *who)
{
    struct sv_place *place = &room->places[index];
    const struct sv_room_wait wait = {.asker = who->asker,
        .room = room->number,
        .kind = SV_WAIT_SEAT,
        .put = rooms->notebook.put_count + 1, /* of the save below */
        .place = index,
        .serial = place->serial + 1,
        .is_created = is_created};
    if (!sv_rooms_wait(rooms, &wait)) {
        return false;
    }
    CN_ASSERT(place->state == SV_PLACE_FREE && !place->was_joined && place->session == 0);
    sv_room_set_place(room, index, SV_PLACE_HELD);
    place->serial++;
    place->since_ns = sv_clock_now_ns(&rooms->clock);
    place->is_asked = true;
    place->owner = who->asker.owner;
    snprintf(place->subject, sizeof(place->subject), "%s", who->subject);
    sv_rooms_save(rooms, room, NULL, 0);
    CN_ASSERT(room->put == wait.put);
    return true;
}

bool
sv_rooms_seat(struct sv_rooms *rooms, struct sv_room *room, const struct sv_room_who *who,
    struct wire_error *error)
{
    if (room->of == NULL || !check_role(room->of, who, error) || !check_open(rooms, error)) {
        return false;
    }
    int index = sv_room_free_place(room);
    CN_ASSERT(index >= 0 && room->state != SV_ROOM_ENDING); /* as it was picked */
    if (!take_place(rooms, room, (uint32_t)index, false, who)) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    return true;
}

/* ---- new rooms ---- */

static int
count_of(const struct sv_rooms *rooms, const struct sv_room_template *of)
{
    int count = 0;
    for (int i = 0; i < rooms->count; i++) {
        count += rooms->list[i]->of == of ? 1 : 0;
    }
    return count;
}

static bool
check_room_for_room(const struct sv_rooms *rooms, const struct sv_room_template *of,
    struct wire_error *error)
{
    int used = count_of(rooms, of);
    if (used >= (int)of->is.rooms_max) {
        wire_error_set(error, "FULL", "template", "%d rooms of %s exist, which is the limit", used,
            of->is.name);
        return false;
    }
    int worlds = rooms->host->world_count, waiting = 0;
    for (int i = 0; i < rooms->count && rooms->making_count > 0; i++) {
        waiting += rooms->list[i]->is_world_due ? 1 : 0;
    }
    if (rooms->count == WIRE_ROOMS_MAX || worlds + waiting >= rooms->host->worlds_max) {
        wire_error_set(error, "FULL", "", "%d worlds exist or are being made, which is the limit",
            worlds + waiting);
        return false;
    }
    return true;
}

/* "arena-" and 16 letters and digits. */
static bool
make_id(const struct sv_rooms *rooms, const char *template_name, char id[WIRE_NAME_SIZE])
{
    static const char digits[] = "abcdefghijkmnpqrstuvwxyz23456789"; /* none looks like another */
    uint8_t random[ID_RANDOM_SIZE];
    char text[ID_RANDOM_SIZE * 8 / 5 + 1];
    if (!sv_random_fill(&rooms->random, random, sizeof(random))) {
        return false;
    }
    for (size_t i = 0; i < sizeof(text) - 1; i++) {
        unsigned value = 0;
        for (size_t bit = 5 * i; bit < 5 * i + 5; bit++) {
            value = value << 1 | ((unsigned)random[bit / 8] >> (7 - bit % 8) & 1U);
        }
        text[i] = digits[value];
    }
    text[sizeof(text) - 1] = '\0';
    snprintf(id, WIRE_NAME_SIZE, "%s-%s", template_name, text);
    return true;
}

_Static_assert(WIRE_ROOM_WORD_SIZE + 1 + 16 < WIRE_NAME_SIZE, "a room's id fits");

static bool
set_password(struct sv_rooms *rooms, struct sv_room *room, const char *password)
{
    room->has_password = password[0] != '\0';
    if (!room->has_password) {
        return true;
    }
    bool is_good = sv_random_fill(&rooms->random, room->salt, sizeof(room->salt));
    sv_room_password_hash(rooms->key, room->salt, password, room->hash);
    return is_good;
}

/* Copies the values, and from the template whether they are listed. */
static void
set_properties(struct sv_room *room, const struct wire_room_properties *given)
{
    room->properties = *given;
    for (int i = 0; i < room->properties.count; i++) {
        struct wire_room_property *property = &room->properties.list[i];
        const struct wire_room_property *known =
            wire_room_property_find(&room->of->is.properties, property->name);
        CN_ASSERT(known != NULL); /* as it was checked */
        property->is_listed = known->is_listed;
    }
}

/* NULL with *error filled. */
static struct sv_room *
create_room(struct sv_rooms *rooms, const struct sv_room_template *of,
    const struct wire_room_request *request, const struct sv_room_who *who,
    struct wire_error *error)
{
    uint64_t now_ns = sv_clock_now_ns(&rooms->clock);
    struct sv_room *room = sv_room_create(of->is.seats);
    bool is_good = room != NULL && make_id(rooms, of->is.name, room->id) &&
        set_password(rooms, room, request->password);
    if (!is_good) {
        wire_error_set(error, "MEMORY", "", "no memory, or no random numbers, for a room");
        sv_room_destroy(room);
        return NULL;
    }
    room->number = ++rooms->number_last;
    room->of = of;
    room->state = SV_ROOM_MAKING;
    room->is_private = request->is_private || of->is.is_private;
    room->is_started = of->is.seats_min == 0;
    room->is_world_due = true;
    room->owner = who->asker.owner;
    room->created_s = (uint64_t)sv_clock_wall_s(&rooms->clock);
    room->ends_ns = of->is.lifetime_s > 0 ? now_ns + of->is.lifetime_s * SV_NS_PER_S : 0;
    room->empty_ns = now_ns;
    snprintf(room->template_name, sizeof(room->template_name), "%s", of->is.name);
    snprintf(room->name, sizeof(room->name), "%s", request->name);
    snprintf(room->subject, sizeof(room->subject), "%s", who->subject);
    set_properties(room, &request->properties);
    return room;
}

bool
sv_rooms_make(struct sv_rooms *rooms, const struct wire_room_request *request,
    const struct sv_room_who *who, struct wire_error *error)
{
    const struct sv_room_template *of = sv_rooms_template(rooms, request->template_name);
    CN_ASSERT(of != NULL); /* as it was picked */
    if (!check_role(of, who, error) || !check_open(rooms, error) ||
        !check_room_for_room(rooms, of, error)) {
        return false;
    }
    struct sv_room *room = create_room(rooms, of, request, who, error);
    if (room == NULL) {
        return false;
    }
    if (!ac_pattern_fits(who->world, room->id)) {
        wire_error_set(error, "RIGHTS", "template",
            "makes worlds %s-..., which are not worlds of this token, which has %s", of->is.name,
            who->world);
        sv_room_destroy(room);
        return false;
    }
    bool is_added = sv_rooms_add(rooms, room);
    CN_ASSERT(is_added); /* there is room, as was checked */
    if (!take_place(rooms, room, 0, true, who)) {
        wire_error_set(error, "MEMORY", "", "no memory");
        sv_rooms_drop(rooms, room, false);
        return false;
    }
    return true;
}

/* ---- locks and removals ---- */

bool
sv_rooms_lock(struct sv_rooms *rooms, struct sv_room *room, bool is_locked,
    const struct sv_asker *asker, struct wire_error *error)
{
    const struct sv_room_wait wait = {.asker = *asker,
        .room = room->number,
        .kind = SV_WAIT_LOCK,
        .put = rooms->notebook.put_count + 1};
    if (room->state == SV_ROOM_ENDING) {
        wire_error_set(error, "STATE", "", "the room is ending");
        return false;
    }
    if (!sv_notebook_is_open(&rooms->notebook)) {
        return check_open(rooms, error);
    }
    if (!sv_rooms_wait(rooms, &wait)) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    room->is_locked = is_locked;
    sv_rooms_save(rooms, room, NULL, 0);
    CN_ASSERT(room->put == wait.put);
    return true;
}

bool
sv_rooms_remove(struct sv_rooms *rooms, struct sv_room *room, const struct sv_asker *asker,
    struct wire_error *error)
{
    const struct sv_room_wait wait = {
        .asker = *asker, .room = room->number, .kind = SV_WAIT_REMOVED};
    if (room->state == SV_ROOM_MAKING) {
        wire_error_set(error, "STATE", "", "the room is being made");
        return false;
    }
    if (!sv_rooms_wait(rooms, &wait)) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    sv_rooms_end(rooms, room, SV_ROOM_REASON_REMOVED);
    return true;
}

/* ---- counts ---- */

static bool
is_of(const struct sv_owner *owner, const struct sv_asker *asker, enum sv_principal principal)
{
    const struct sv_asker other = {.owner = *owner};
    return sv_asker_is(&other, asker, principal);
}

int
sv_rooms_made_count(
    const struct sv_rooms *rooms, const struct sv_asker *asker, enum sv_principal principal)
{
    int count = 0;
    for (int i = 0; i < rooms->count; i++) {
        count += is_of(&rooms->list[i]->owner, asker, principal) ? 1 : 0;
    }
    return count;
}

int
sv_rooms_seat_count(
    const struct sv_rooms *rooms, const struct sv_asker *asker, enum sv_principal principal)
{
    int count = 0;
    for (int i = 0; i < rooms->count; i++) {
        const struct sv_room *room = rooms->list[i];
        for (uint32_t k = 0; k < room->place_count && room->taken + room->held > 0; k++) {
            count += room->places[k].state != SV_PLACE_FREE &&
                    is_of(&room->places[k].owner, asker, principal)
                ? 1
                : 0;
        }
    }
    return count;
}
