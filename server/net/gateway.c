#include "server/net/gateway.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/host/fork.h"
#include "server/net/away.h"
#include "server/net/fanout.h"
#include "server/net/lobby.h"
#include "server/net/seating.h"

#include <stdlib.h>
#include <string.h>

#define CLOSE_GOING_AWAY 1001
#define CLOSE_POLICY 1008

static void
on_published(void *context, struct sv_host_world *world)
{
    sv_fanout_publish(context, world);
}

static bool
on_returned(void *context, struct sv_host_world *world, const struct dd_kept *kept,
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
    if (seat->is_closing || !sv_seat_flush(seat)) {
        return;
    }
    if (seat->transfer != NULL) {
        sv_fanout_go_on(seat);
    } else if (seat->is_behind && seat->world != NULL) {
        sv_fanout_catch_up(seat);
    }
}

/* ---- connections ---- */

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
    CN_ASSERT(session > 0 && seat->world == NULL);
    sv_seat_await_hello(seat);
    SV_COUNT(gateway->metrics, clients, 1);
    return seat;
}

static void
on_closed(void *user)
{
    struct sv_seat *seat = user;
    CN_ASSERT(seat->connection != NULL && !seat->is_away);
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

/* ---- life ---- */

bool
sv_gateway_init(struct sv_gateway *gateway, struct sv_host *host, struct sv_clock clock,
    struct sv_log *log, struct sv_metrics *metrics, const char *server_name, int clients_max)
{
    CN_ASSERT(clients_max > 0);
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
    gateway->say_rate = SV_SAY_RATE;
    gateway->seats = calloc((size_t)clients_max, sizeof(struct sv_seat *));
    gateway->free_seats = calloc((size_t)clients_max, sizeof(gateway->free_seats[0]));
    host->events = (struct sv_host_events){.context = gateway,
        .published = on_published, .durable = on_durable, .returned = on_returned,
        .reported = sv_gateway_reported};
    return gateway->seats != NULL && gateway->free_seats != NULL;
}

void
sv_gateway_bound(struct sv_gateway *gateway, const struct sv_config *config)
{
    gateway->message_rate = config->message_rate;
    gateway->say_rate = config->say_rate;
    gateway->may_observers_say = config->observers_say;
    for (int i = 0; i < config->role_rate.count; i++) {
        bool is_good = sv_role_rates_add(&gateway->role_rates, config->role_rate.values[i]);
        CN_ASSERT(is_good); /* sv_config_check has read it */
    }
}

void
sv_gateway_finish(struct sv_gateway *gateway)
{
    for (int i = 0; i < gateway->seat_count; i++) {
        if (gateway->seats[i] != NULL) {
            sv_seat_destroy(gateway->seats[i]);
        }
    }
    CN_ASSERT(gateway->free_count == gateway->seat_count && gateway->transfers == NULL);
    CN_ASSERT(gateway->new_first == NULL && gateway->away_first == NULL);
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
    if (gateway->rooms != NULL) {
        sv_rooms_poll(gateway->rooms);
    }
    sv_fanout_go_on_all(gateway);
}

/*
 * Tells the session that its token has expired, and ends it when no new one came; returns when to
 * check again.
 */
static uint64_t
end_one_expired(struct sv_seat *seat, uint64_t now_ns)
{
    struct sv_session *session = &seat->session;
    uint64_t expires_ns = session->grant->expires_ns;
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
        if (seat == NULL || seat->is_closing || seat->session.grant->expires_ns == 0) {
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
        CN_ASSERT(seat->connection == NULL && seat->world != NULL);
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
        if (seat == NULL || seat->is_closing || seat->session.grant->role == AC_ROLE_NONE) {
            continue;
        }
        if (seat->session.grant->room != 0) {
            continue; /* the room decides about its seats */
        }
        if (!ac_keys_have(keys, seat->session.grant->key)) {
            end_session(seat, &gone);
        } else if (sv_grant_is_revoked(seat->session.grant, policy->revoked, now_s)) {
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
    if (gateway->rooms != NULL) {
        sv_rooms_tend(gateway->rooms);
        sv_lobbies_tend(gateway, now_ns);
    }
    while (gateway->new_first != NULL &&
        sv_session_is_overdue(&gateway->new_first->session, now_ns)) {
        struct sv_seat *seat = gateway->new_first;
        CN_ASSERT(seat->is_new && seat->connection != NULL);
        sv_seat_greeted(seat);
        sv_seat_close(seat, CLOSE_POLICY, "no Hello");
    }
    end_expired(gateway, now_ns);
    sv_away_end_overdue(gateway, now_ns);
    sv_seats_retry_leaves(gateway);
    catch_up_bound(gateway);
    sv_fanout_go_on_all(gateway);
}

void
sv_gateway_stop(struct sv_gateway *gateway)
{
    gateway->is_stopping = true;
    if (gateway->rooms != NULL) {
        gateway->rooms->is_stopping = true;
    }
    for (int i = 0; i < gateway->seat_count; i++) {
        if (gateway->seats[i] != NULL) {
            sv_seat_close(gateway->seats[i], CLOSE_GOING_AWAY, "the daemon is stopping");
        }
    }
}
