#include "server/net/gateway.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/host/fork.h"
#include "server/net/away.h"
#include "server/net/fanout.h"
#include "server/net/transfer.h"

#include <stdlib.h>
#include <string.h>

#define CLOSE_GOING_AWAY 1001
#define CLOSE_POLICY 1008
#define CLOSE_TRY_AGAIN 1013

#define SPANS_MAX 32

/* ---- sending ---- */

void
sv_seat_close(struct sv_seat *seat, uint16_t code, const char *reason)
{
    if (seat->connection != NULL && !seat->is_closing) {
        struct sv_gateway *gateway = seat->gateway;
        seat->is_closing = true;
        SV_COUNT(gateway->metrics, closed_by_us, 1);
        gateway->transport.close(gateway->transport.context, seat->connection, code, reason);
    }
}

bool
sv_seat_may_send(const struct sv_seat *seat)
{
    const struct sv_asker asker = sv_seat_asker(seat, 0);
    return !seat->is_sent_bound ||
        sv_quotas_may(seat->gateway->quotas, AC_QUOTA_SENT, &seat->session.grant, &asker);
}

void
sv_seat_charge_sent(const struct sv_seat *seat, size_t size)
{
    const struct sv_asker asker = sv_seat_asker(seat, 0);
    if (seat->is_sent_bound) {
        sv_quotas_charge(seat->gateway->quotas, AC_QUOTA_SENT, &asker, size);
    }
}

static bool
transport_send(struct sv_seat *seat, const struct sv_span *spans, int count)
{
    struct sv_gateway *gateway = seat->gateway;
    if (seat->is_busy ||
        !gateway->transport.send(gateway->transport.context, seat->connection, spans, count)) {
        seat->is_busy = true;
        return false;
    }
    size_t size = 0;
    for (int i = 0; i < count; i++) {
        size += spans[i].size;
    }
    SV_COUNT(gateway->metrics, bytes_out, size);
    sv_seat_charge_sent(seat, size);
    SV_COUNT(gateway->metrics, messages_out, count);
    return true;
}

/* Sends the queue's oldest messages, as many as fit into one write. */
static bool
flush_queue(struct sv_seat *seat)
{
    while (seat->queue_count > 0) {
        struct sv_span spans[SPANS_MAX];
        int count = seat->queue_count < SPANS_MAX ? seat->queue_count : SPANS_MAX;
        for (int i = 0; i < count; i++) {
            spans[i] = (struct sv_span){seat->queue[i]->bytes, seat->queue[i]->size};
        }
        if (!transport_send(seat, spans, count)) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            seat->queue_size -= seat->queue[i]->size;
            sv_buffer_unref(seat->queue[i]);
        }
        seat->queue_count -= count;
        memmove(seat->queue, seat->queue + count,
            (size_t)seat->queue_count * sizeof(struct sv_buffer *));
    }
    return true;
}

static bool
enqueue_message(struct sv_seat *seat, struct sv_buffer *message)
{
    if (seat->queue_count > 0 && seat->queue_size + message->size > SV_QUEUE_SIZE_MAX) {
        return false;
    }
    if (seat->queue_count == seat->queue_capacity) {
        int capacity = seat->queue_capacity * 2 + 8;
        struct sv_buffer **queue =
            realloc(seat->queue, (size_t)capacity * sizeof(struct sv_buffer *));
        if (queue == NULL) {
            return false;
        }
        seat->queue = queue;
        seat->queue_capacity = capacity;
    }
    seat->queue[seat->queue_count++] = message;
    seat->queue_size += message->size;
    return true;
}

void
sv_seat_send(struct sv_seat *seat, struct sv_buffer *message_take)
{
    if (message_take == NULL || seat->is_closing || seat->connection == NULL) {
        sv_buffer_unref(message_take);
        return;
    }
    struct sv_span span = {message_take->bytes, message_take->size};
    if (seat->queue_count == 0 && transport_send(seat, &span, 1)) {
        sv_buffer_unref(message_take);
    } else if (!enqueue_message(seat, message_take)) {
        sv_buffer_unref(message_take);
        sv_seat_close(seat, CLOSE_TRY_AGAIN, "too far behind");
    }
}

static void
on_published(void *context, struct sv_host_world *world)
{
    sv_fanout_publish(context, world);
}

static bool
on_returned(void *context, struct sv_host_world *world, const struct sv_kept *kept,
    uint64_t applied_seq, uint32_t *seat)
{
    return sv_away_restore(context, world, kept, applied_seq, seat);
}

static void
on_durable(void *context, struct sv_host_world *world)
{
    sv_fanout_tell_durable(context, world);
}

static void
on_writable(void *user)
{
    struct sv_seat *seat = user;
    seat->is_busy = false;
    if (seat->is_closing || !flush_queue(seat)) {
        return;
    }
    if (seat->transfer != NULL) {
        sv_transfer_go_on(seat->transfer);
    } else if (seat->is_behind && seat->world != NULL) {
        sv_fanout_catch_up(seat);
    }
}

/* ---- connections ---- */

/* The index of a free seat; -1 when all are taken. */
static int
take_index(struct sv_gateway *gateway)
{
    if (gateway->free_count > 0) {
        return (int)gateway->free_seats[--gateway->free_count];
    }
    return gateway->seat_count < gateway->seats_max ? gateway->seat_count++ : -1;
}

static void
await_hello(struct sv_gateway *gateway, struct sv_seat *seat)
{
    seat->is_new = true;
    seat->new_previous = gateway->new_last;
    if (gateway->new_last != NULL) {
        gateway->new_last->new_next = seat;
    } else {
        gateway->new_first = seat;
    }
    gateway->new_last = seat;
}

void
sv_seat_greeted(struct sv_seat *seat)
{
    struct sv_gateway *gateway = seat->gateway;
    if (!seat->is_new) {
        return;
    }
    seat->is_new = false;
    if (seat->new_previous != NULL) {
        seat->new_previous->new_next = seat->new_next;
    } else {
        gateway->new_first = seat->new_next;
    }
    if (seat->new_next != NULL) {
        seat->new_next->new_previous = seat->new_previous;
    } else {
        gateway->new_last = seat->new_previous;
    }
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
    gateway->seats[index] = seat;
    seat->gateway = gateway;
    seat->index = (uint32_t)index;
    sv_session_init(&seat->session, session, sv_clock_now_ns(&gateway->clock));
    seat->session.message_rate = gateway->message_rate;
    sv_pace_init(&seat->pace, 0);
    return seat;
}

static void *
on_opened(void *context, struct sv_connection *connection)
{
    struct sv_gateway *gateway = context;
    uint64_t session = gateway->host->session_last + 1;
    if (gateway->is_stopping) {
        return NULL;
    }
    struct sv_seat *seat = sv_seat_create(gateway, session);
    if (seat == NULL && sv_away_end_one(gateway)) {
        seat = sv_seat_create(gateway, session);
    }
    if (seat == NULL) {
        return NULL;
    }
    gateway->host->session_last = session;
    seat->connection = connection;
    await_hello(gateway, seat);
    SV_COUNT(gateway->metrics, clients, 1);
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
}

void
sv_seat_destroy(struct sv_seat *seat)
{
    struct sv_gateway *gateway = seat->gateway;
    sv_seat_drop_queue(seat);
    sv_away_forget(seat);
    sv_fanout_set_rate(seat, 0);
    sv_seat_greeted(seat);
    sv_seat_enter(seat, NULL);
    gateway->seats[seat->index] = NULL;
    gateway->free_seats[gateway->free_count++] = seat->index;
    free(seat);
}

static void
on_closed(void *user)
{
    struct sv_seat *seat = user;
    SV_UNCOUNT(seat->gateway->metrics, clients, 1);
    if (seat->gateway->is_stopping) { /* when the daemon stops, no client leaves */
        sv_seat_enter(seat, NULL);
        sv_seat_destroy(seat);
    } else if (!sv_away_keep(seat)) {
        sv_seat_leave(seat);
        sv_seat_destroy(seat);
    }
}

static void
on_message(void *user, const uint8_t *bytes, size_t size)
{
    struct sv_seat *seat = user;
    if (!seat->is_closing) {
        sv_seat_receive(seat, bytes, size);
    }
}

struct sv_transport_events
sv_gateway_events(struct sv_gateway *gateway)
{
    return (struct sv_transport_events){
        .context = gateway,
        .opened = on_opened,
        .message = on_message,
        .writable = on_writable,
        .closed = on_closed,
    };
}

/* ---- worlds ---- */

void
sv_seat_enter(struct sv_seat *seat, struct sv_host_world *world)
{
    sv_transfer_drop(seat);
    if (seat->world != NULL) {
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
    seat->durable = (struct sv_durable){0};
    sv_fanout_restart(seat);
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

static void
retry_leaves(struct sv_gateway *gateway)
{
    int kept = 0;
    for (int i = 0; i < gateway->owed_count; i++) {
        struct sv_owed_leave leave = gateway->owed[i];
        if (!leave.world->is_removing && !send_leave(gateway, &leave)) {
            gateway->owed[kept++] = leave;
        }
    }
    gateway->owed_count = kept;
}

/* ---- life ---- */

bool
sv_gateway_init(struct sv_gateway *gateway, struct sv_host *host, struct sv_clock clock,
    struct sv_log *log, struct sv_metrics *metrics, const char *server_name, int clients_max)
{
    memset(gateway, 0, sizeof(*gateway));
    gateway->host = host;
    gateway->clock = clock;
    gateway->log = log;
    gateway->metrics = metrics;
    gateway->tools.metrics = metrics;
    gateway->server_name = server_name;
    gateway->access.clock = clock;
    gateway->random = sv_random_real();
    gateway->access.random = sv_random_real();
    gateway->seats_max = clients_max;
    gateway->message_rate = SV_MESSAGE_RATE;
    gateway->seats = calloc((size_t)clients_max, sizeof(struct sv_seat *));
    gateway->free_seats = calloc((size_t)clients_max, sizeof(gateway->free_seats[0]));
    host->events = (struct sv_host_events){.context = gateway,
        .published = on_published, .durable = on_durable, .returned = on_returned,
        .reported = sv_gateway_reported};
    return gateway->seats != NULL && gateway->free_seats != NULL;
}

void
sv_gateway_finish(struct sv_gateway *gateway)
{
    for (int i = 0; i < gateway->seat_count; i++) {
        if (gateway->seats[i] != NULL) {
            sv_seat_destroy(gateway->seats[i]);
        }
    }
    free(gateway->seats);
    free(gateway->free_seats);
    free(gateway->owed);
    sv_view_tools_finish(&gateway->tools);
    gateway->seats = NULL;
    gateway->free_seats = NULL;
    gateway->owed = NULL;
    gateway->seat_count = 0;
}

void
sv_gateway_poll(struct sv_gateway *gateway)
{
    sv_host_poll(gateway->host);
    sv_transfer_go_on_all(gateway);
}

/*
 * Tells the session that its token has expired, and ends it when no new one came; returns when to
 * check again.
 */
static uint64_t
end_one_expired(struct sv_seat *seat, uint64_t now_ns)
{
    struct sv_session *session = &seat->session;
    uint64_t expires_ns = session->grant.expires_ns;
    if (now_ns < expires_ns) {
        return expires_ns;
    }
    struct wire_error error;
    wire_error_set(&error, "EXPIRED", "", "the token has expired; say Hello with a new one");
    if (!session->is_end_told) {
        session->is_end_told = true;
        sv_seat_reject(seat, 0, 0, &error);
    }
    if (now_ns - expires_ns >= SV_REAUTH_NS) {
        sv_seat_close(seat, CLOSE_POLICY, error.code);
    }
    return expires_ns + SV_REAUTH_NS;
}

/* Ends the sessions whose tokens have expired; searches all sessions only when one has. */
static void
end_expired(struct sv_gateway *gateway, uint64_t now_ns)
{
    if (gateway->expires_ns == 0 || now_ns < gateway->expires_ns) {
        return;
    }
    gateway->expires_ns = 0;
    for (int i = 0; i < gateway->seat_count; i++) {
        struct sv_seat *seat = gateway->seats[i];
        if (seat == NULL || seat->is_closing || seat->session.grant.expires_ns == 0) {
            continue;
        }
        uint64_t next_ns = end_one_expired(seat, now_ns);
        if (gateway->expires_ns == 0 || next_ns < gateway->expires_ns) {
            gateway->expires_ns = next_ns;
        }
    }
}

/* The message is lost where the connection is dead: the session leaves all the same. */
static void
end_session(struct sv_seat *seat, const struct wire_error *error)
{
    if (seat->is_away) {
        sv_seat_leave(seat);
        sv_seat_destroy(seat);
        return;
    }
    sv_seat_reject(seat, 0, 0, error);
    sv_seat_close(seat, CLOSE_POLICY, error->code);
    sv_seat_leave(seat); /* its inputs end now, not when the peer has answered the Close */
}

void
sv_gateway_rekey(struct sv_gateway *gateway, const struct ac_keys *keys,
    const struct ac_policy *policy)
{
    struct wire_error gone, revoked;
    int64_t now_s = sv_clock_wall_s(&gateway->clock);
    wire_error_set(&gone, "TOKEN", "", "the token is of a key that is no longer in force");
    wire_error_set(&revoked, "TOKEN", "", "the token has been revoked");
    gateway->access.keys = keys;
    gateway->access.policy = *policy;
    for (int i = 0; i < gateway->seat_count; i++) {
        struct sv_seat *seat = gateway->seats[i];
        if (seat == NULL || seat->is_closing || seat->session.grant.role == AC_ROLE_NONE) {
            continue;
        }
        if (!ac_keys_have(keys, seat->session.grant.key)) {
            end_session(seat, &gone);
        } else if (sv_grant_is_revoked(&seat->session.grant, policy->revoked, now_s)) {
            end_session(seat, &revoked);
        }
    }
}

/* Shows a world that does not run to clients whose quota was used up before. */
static void
catch_up_bound(struct sv_gateway *gateway)
{
    for (int i = 0; i < gateway->seat_count && gateway->quotas != NULL; i++) {
        struct sv_seat *seat = gateway->seats[i];
        if (seat != NULL && seat->is_sent_bound && seat->is_behind && !seat->is_busy &&
            seat->world != NULL && seat->connection != NULL && !seat->is_closing) {
            sv_fanout_catch_up(seat);
        }
    }
}

void
sv_gateway_tend(struct sv_gateway *gateway)
{
    uint64_t now_ns = sv_clock_now_ns(&gateway->clock);
    sv_host_poll(gateway->host); /* status changes of unwatched worlds wake no thread */
    sv_host_tend(gateway->host, now_ns);
    sv_fork_tend(gateway->host, now_ns);
    while (gateway->new_first != NULL &&
        sv_session_is_overdue(&gateway->new_first->session, now_ns)) {
        struct sv_seat *seat = gateway->new_first;
        sv_seat_greeted(seat);
        sv_seat_close(seat, CLOSE_POLICY, "no Hello");
    }
    end_expired(gateway, now_ns);
    sv_away_end_overdue(gateway, now_ns);
    retry_leaves(gateway);
    catch_up_bound(gateway);
    sv_transfer_go_on_all(gateway);
}

void
sv_gateway_stop(struct sv_gateway *gateway)
{
    gateway->is_stopping = true;
    for (int i = 0; i < gateway->seat_count; i++) {
        if (gateway->seats[i] != NULL) {
            sv_seat_close(gateway->seats[i], CLOSE_GOING_AWAY, "the daemon is stopping");
        }
    }
}
