#include "server/net/seating.h"

#include "engine/base/assert.h"
#include "server/net/transfer.h"

#include <stdlib.h>

/* ---- seats ---- */

/* The index of a free seat; -1 when all are taken. */
static int
take_index(struct sv_gateway *gateway)
{
    CN_ASSERT(gateway->free_count <= gateway->seat_count &&
              gateway->seat_count <= gateway->seats_max);
    if (gateway->free_count > 0) {
        return (int)gateway->free_seats[--gateway->free_count];
    }
    return gateway->seat_count < gateway->seats_max ? gateway->seat_count++ : -1;
}

struct sv_seat *
sv_seat_create(struct sv_gateway *gateway, uint64_t session)
{
    struct sv_seat *seat = calloc(1, sizeof(*seat));
    int index = seat != NULL ? take_index(gateway) : -1;
    if (index < 0) {
        free(seat);
        return NULL;
    }
    CN_ASSERT(gateway->seats[index] == NULL);
    gateway->seats[index] = seat;
    seat->gateway = gateway;
    seat->index = (uint32_t)index;
    sv_session_init(&seat->session, session, sv_clock_now_ns(&gateway->clock));
    seat->session.message_rate = gateway->message_rate;
    seat->session.say_most = gateway->say_rate;
    seat->session.role_rates = &gateway->role_rates;
    seat->session.may_observers_say = gateway->may_observers_say;
    sv_pace_init(&seat->pace, 0);
    return seat;
}

void
sv_seat_drop_queue(struct sv_seat *seat)
{
    sv_transfer_drop(seat);
    for (int i = 0; i < seat->queue_count; i++) {
        sv_buffer_unref(seat->queue[i]);
    }
    free(seat->queue);
    seat->queue = NULL;
    seat->queue_count = seat->queue_capacity = 0;
    seat->queue_size = 0;
    sv_buffer_unref(seat->contacts);
    seat->contacts = NULL;
    sv_attributes_unref(seat->attributes);
    seat->attributes = NULL;
}

void
sv_seat_destroy(struct sv_seat *seat)
{
    struct sv_gateway *gateway = seat->gateway;
    sv_seat_drop_queue(seat);
    free(seat->lobby);
    seat->lobby = NULL;
    sv_seat_returned(seat);
    sv_seat_set_rate(seat, 0);
    sv_seat_greeted(seat);
    sv_seat_enter(seat, NULL);
    CN_ASSERT(gateway->seats[seat->index] == seat && gateway->free_count < gateway->seat_count);
    CN_ASSERT(seat->transfer == NULL && !seat->is_new && !seat->is_away); /* it is on no list */
    gateway->seats[seat->index] = NULL;
    gateway->free_seats[gateway->free_count++] = seat->index;
    sv_session_finish(&seat->session);
    free(seat);
}

/* ---- worlds ---- */

/* The session leaves its world: its seat in a room waits for it. */
static void
leave_room(const struct sv_seat *seat)
{
    const struct sv_grant *grant = seat->session.grant;
    struct sv_rooms *rooms = seat->gateway->rooms;
    if (rooms != NULL && grant->room != 0 && grant->room == seat->world->room) {
        sv_rooms_left(rooms, grant->room, grant->seat, grant->seat_serial, seat->session.id);
    }
}

void
sv_seat_enter(struct sv_seat *seat, struct sv_host_world *world)
{
    sv_transfer_drop(seat);
    if (seat->world != NULL) {
        leave_room(seat);
        CN_ASSERT((seat->world_previous != NULL ? seat->world_previous->world_next :
                  seat->world->seats) == seat);
        if (seat->world_previous != NULL) {
            seat->world_previous->world_next = seat->world_next;
        } else {
            seat->world->seats = seat->world_next;
        }
        if (seat->world_next != NULL) {
            seat->world_next->world_previous = seat->world_previous;
        }
    }
    seat->world = world;
    seat->is_joined = false;
    seat->is_behind = false;
    seat->has_image = false;
    seat->told_applied = 0;
    free(seat->durable.next);
    seat->durable = (struct sv_durable){0};
    sv_seat_forget_shown(seat);
    seat->world_previous = seat->world_next = NULL;
    if (world != NULL) {
        seat->world_next = world->seats;
        if (world->seats != NULL) {
            world->seats->world_previous = seat;
        }
        world->seats = seat;
    }
}

static void
owe_leave(struct sv_gateway *gateway, struct sv_owed_leave leave)
{
    if (gateway->owed_count == gateway->owed_capacity) {
        int capacity = gateway->owed_capacity * 2 + 8;
        struct sv_owed_leave *owed =
            realloc(gateway->owed, (size_t)capacity * sizeof(gateway->owed[0]));
        CN_ASSERT(owed != NULL); /* a body held for ever by a missing session is worse than a
                                    restart */
        gateway->owed = owed;
        gateway->owed_capacity = capacity;
    }
    CN_ASSERT(gateway->owed_count < gateway->owed_capacity);
    gateway->owed[gateway->owed_count++] = leave;
}

static bool
send_leave(struct sv_gateway *gateway, const struct sv_owed_leave *leave)
{
    struct wire_error ignored;
    struct sv_message message = {.kind = SV_MESSAGE_LEAVE,
        .asker = {.session = leave->session, .seat = leave->seat}};
    return sv_host_send(gateway->host, leave->world, &message, &ignored);
}

void
sv_seat_leave(struct sv_seat *seat)
{
    if (seat->world == NULL) {
        return;
    }
    struct sv_owed_leave leave = {
        .world = seat->world, .session = seat->session.id, .seat = seat->index};
    sv_seat_enter(seat, NULL);
    if (!leave.world->is_removing && !send_leave(seat->gateway, &leave)) {
        owe_leave(seat->gateway, leave);
    }
}

void
sv_seats_retry_leaves(struct sv_gateway *gateway)
{
    int kept = 0;
    for (int i = 0; i < gateway->owed_count; i++) {
        struct sv_owed_leave leave = gateway->owed[i];
        if (!leave.world->is_removing && !send_leave(gateway, &leave)) {
            gateway->owed[kept++] = leave;
        }
    }
    CN_ASSERT(kept <= gateway->owed_count);
    gateway->owed_count = kept;
}
