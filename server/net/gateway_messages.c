/*
 * gateway_messages.c: handles messages from clients.
 */
#include "server/net/gateway.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/host/bake.h"
#include "server/host/fork.h"
#include "server/net/away.h"
#include "server/net/hello.h"
#include "server/net/lobby.h"
#include "server/net/seating.h"
#include "server/session/rights.h"
#include "server/snapshot/framing.h"
#include "server/snapshot/publication.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE_POLICY 1008

/* ---- answers ---- */

static size_t
encode_welcome(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_welcome(context, out, out_size);
}

static void
say_welcome(struct sv_seat *seat, bool resumed)
{
    CN_ASSERT(seat->connection != NULL && !seat->is_new);
    const struct sv_grant *grant = seat->session.grant;
    uint64_t now_ns = sv_clock_now_ns(&seat->gateway->clock);
    struct wire_welcome welcome = {
        .session = seat->session.id,
        .server = seat->gateway->server_name,
        .message_size_max = SV_MESSAGE_SIZE_MAX,
        .message_rate = sv_session_message_rate(&seat->session),
        .role = (uint32_t)grant->role,
        .expires_s = sv_grant_left_s(grant, now_ns),
        .resumed = resumed,
        .next_seq = resumed ? seat->session.next_seq : 0,
        .restarted = resumed && seat->session.is_restored,
    };
    seat->session.is_restored = false;
    welcome.has_resume = sv_away_token(seat, welcome.resume);
    welcome.grace_s = welcome.has_resume ? SV_GRACE_NS / SV_NS_PER_S : 0;
    sv_seat_send(seat, sv_frame_message(encode_welcome, &welcome));
}

static size_t
encode_pong(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_pong(context, out, out_size);
}

static void
say_pong(struct sv_seat *seat, uint64_t client_time_us)
{
    const struct sv_publication *publication =
        seat->world != NULL ? seat->world->publication : NULL;
    const struct sv_publication_member *member =
        publication != NULL ? sv_publication_find(publication, seat->index) : NULL;
    struct wire_pong pong = {
        .client_time_us = client_time_us,
        .server_time_us = sv_clock_now_ns(&seat->gateway->clock) / SV_NS_PER_US,
        .round_trip_us = sv_pace_round_trip_us(&seat->pace),
    };
    if (member != NULL && member->session == seat->session.id) {
        pong.early_count = member->early_count;
        pong.late_count = member->late_count;
        pong.margin = member->margin;
    }
    sv_seat_send(seat, sv_frame_message(encode_pong, &pong));
}

struct worlds {
    const struct wire_status **statuses;
    size_t count;
};

static size_t
encode_worlds(const void *context, uint8_t *out, size_t out_size)
{
    const struct worlds *worlds = context;
    return wire_encode_worlds(worlds->statuses, worlds->count, out, out_size);
}

static void
say_worlds(struct sv_seat *seat)
{
    const struct sv_host *host = seat->gateway->host;
    struct worlds worlds = {0};
    worlds.statuses =
        calloc((size_t)host->world_count + 1, sizeof(const struct wire_status *));
    if (worlds.statuses == NULL) {
        return;
    }
    for (int i = 0; i < host->world_count; i++) {
        if (sv_host_is_listed(host->worlds[i]) &&
            sv_grant_covers_world(seat->session.grant, host->worlds[i])) {
            worlds.statuses[worlds.count++] = &host->worlds[i]->status;
        }
    }
    CN_ASSERT(worlds.count <= (size_t)host->world_count);
    sv_seat_send(seat, sv_frame_message(encode_worlds, &worlds));
    free(worlds.statuses);
}

/* ---- messages ---- */

static bool
send_message(struct sv_seat *seat, struct sv_message *mail, struct wire_error *error)
{
    return sv_host_send(seat->gateway->host, seat->world, mail, error);
}

/* Sends the session's subscription to its world. */
static void
send_subscription(struct sv_seat *seat)
{
    struct wire_error error;
    const struct sv_session *session = &seat->session;
    struct sv_message mail = {.kind = SV_MESSAGE_SUBSCRIBE,
        .asker = sv_seat_asker(seat, 0),
        .subscribe = {.contacts = session->contacts,
            .energy = session->energy,
            .actions = session->actions,
            .attributes = session->attributes,
            .mode = session->mode,
            .physics = session->physics,
            .rate_hz = session->rate_hz,
            .contact_rate_hz = session->contact_rate_hz,
            .bytes_per_second = session->bytes_per_second,
            .epoch = seat->epoch}};
    if (seat->world == NULL) {
        return;
    }
    seat->has_image = seat->has_image && session->mode == WIRE_MODE_DEEDS;
    if (session->interest != NULL) {
        mail.subscribe.interest_take = malloc(sizeof(*session->interest));
        if (mail.subscribe.interest_take == NULL) {
            wire_error_set(&error, "MEMORY", "subscribe.interest", "no memory");
            sv_seat_reject(seat, 0, 0, &error);
            return;
        }
        *mail.subscribe.interest_take = *session->interest;
    }
    if (!send_message(seat, &mail, &error)) {
        sv_seat_reject(seat, 0, 0, &error);
    }
}

/* Whether the subscription differs from the default. */
static bool
has_subscribed(const struct sv_seat *seat)
{
    const struct sv_session *session = &seat->session;
    return session->contacts || session->energy || session->actions || session->attributes ||
        session->mode != WIRE_MODE_QUANTISED ||
        session->interest != NULL || session->bytes_per_second > 0;
}

static void
join_by_id(struct sv_seat *seat, const char *id)
{
    struct wire_error error;
    sv_seat_leave(seat);
    CN_ASSERT(seat->world == NULL && seat->transfer == NULL);
    struct sv_host_world *world = sv_host_find(seat->gateway->host, id);
    bool is_sent = false;
    if (!sv_lobby_may_join(seat, world, &error)) {
        /* it is rejected below */
    } else if (sv_host_is_overrun(world) && seat->session.grant->role < AC_ROLE_INSTRUCTOR) {
        sv_host_refuse_load(
            seat->gateway->host, "the world can not keep up with those it has", &error);
        SV_COUNT(seat->gateway->metrics, joins_refused, 1);
    } else {
        struct sv_message mail = {.kind = SV_MESSAGE_JOIN, .asker = sv_seat_asker(seat, 0)};
        memcpy(mail.join.name, seat->session.name, sizeof(mail.join.name));
        mail.join.role = (uint32_t)seat->session.grant->role;
        mail.join.kept_take = sv_away_pack(&seat->session);
        sv_seat_enter(seat, world);
        is_sent = send_message(seat, &mail, &error);
    }
    if (!is_sent) {
        sv_seat_enter(seat, NULL);
        seat->session.state = SV_SESSION_READY;
        sv_seat_reject(seat, 0, 0, &error);
        return;
    }
    sv_lobby_joined(seat);
    if (has_subscribed(seat)) {
        send_subscription(seat);
    }
}

static void
send_input(struct sv_seat *seat, const struct wire_input *in)
{
    struct wire_error error;
    struct sv_message mail = {
        .kind = SV_MESSAGE_INPUT, .asker = sv_seat_asker(seat, 0), .input = sv_input_pack(in)};
    if (!send_message(seat, &mail, &error)) {
        sv_seat_reject(seat, 0, in->seq, &error);
    }
}

static void
send_desync(struct sv_seat *seat, const struct wire_desync *desync)
{
    struct wire_error error;
    struct sv_message mail = {
        .kind = SV_MESSAGE_DESYNC, .asker = sv_seat_asker(seat, 0), .desync = *desync};
    if (!send_message(seat, &mail, &error)) {
        sv_seat_reject(seat, 0, 0, &error);
    }
}

static void
send_order(struct sv_seat *seat, struct wire_control *control)
{
    struct wire_error error;
    struct sv_order *order_take = calloc(1, sizeof(*order_take));
    if (order_take == NULL) {
        wire_error_set(&error, "MEMORY", "", "no memory");
        sv_seat_reject(seat, control->request, 0, &error);
        return;
    }
    order_take->kind = control->kind;
    if (control->kind == WIRE_CONTROL_SETTINGS) {
        order_take->settings = control->settings;
    } else if (control->kind == WIRE_CONTROL_STEP) {
        order_take->step_ticks = control->step_ticks;
    } else if (control->kind == WIRE_CONTROL_BODIES) {
        order_take->bodies = control->bodies;
        control->bodies = (struct wire_body_commands){0};
    } else if (control->kind == WIRE_CONTROL_ATTRIBUTES) {
        order_take->attributes = control->attributes.take;
        order_take->attribute_count = control->attributes.count;
        control->attributes.take = NULL;
    } else if (control->kind == WIRE_CONTROL_CHANGE) {
        order_take->origin = seat->world->scene->origin;
        order_take->change = sv_host_change(seat->world, &control->source, &error);
        if (order_take->change == NULL) {
            sv_order_destroy(order_take);
            sv_seat_reject(seat, control->request, 0, &error);
            return;
        }
    }
    struct sv_message mail = {.kind = SV_MESSAGE_ORDER,
        .asker = sv_seat_asker(seat, control->request),
        .order_take = order_take};
    if (!send_message(seat, &mail, &error)) {
        sv_seat_reject(seat, control->request, 0, &error);
    }
}

/* Whether the sender's quotas allow `count` more worlds. */
static bool
may_make(struct sv_seat *seat, enum sv_made made, int count, struct wire_error *error)
{
    const struct sv_gateway *gateway = seat->gateway;
    const struct sv_asker asker = sv_seat_asker(seat, 0);
    return gateway->quotas == NULL ||
        sv_quotas_allow_made(gateway->quotas, gateway->host, made, seat->session.grant, &asker,
            count, error);
}

static bool
create_world(struct sv_seat *seat, struct wire_control *control, struct wire_error *error)
{
    struct sv_asker asker = sv_seat_asker(seat, control->request);
    return may_make(seat, SV_MADE_WORLD, 1, error) &&
        sv_bake_create(seat->gateway->host, &control->source, &asker, error);
}

static bool
load_scene(struct sv_seat *seat, struct wire_control *control, struct wire_error *error)
{
    struct sv_asker asker = sv_seat_asker(seat, control->request);
    return sv_bake_load(seat->gateway->host, seat->world, &control->source, &asker, error);
}

static bool
remove_world(struct sv_seat *seat, const struct wire_control *control, struct wire_error *error)
{
    struct sv_host *host = seat->gateway->host;
    struct sv_asker asker = sv_seat_asker(seat, control->request);
    struct sv_host_world *world = sv_host_find_listed(host, control->world);
    if (world == NULL) {
        wire_error_set(error, "WORLD", "control.remove", "is no world's id");
        return false;
    }
    return sv_host_remove_world(host, world, &asker, error);
}

static void
control_world(struct sv_seat *seat, struct wire_control *in)
{
    struct wire_error error;
    bool is_good = true;
    switch (in->kind) {
    case WIRE_CONTROL_LIST:
        say_worlds(seat);
        sv_seat_done(seat, in->request, "", 0);
        break;
    case WIRE_CONTROL_CREATE:
        is_good = create_world(seat, in, &error);
        break;
    case WIRE_CONTROL_LOAD:
        is_good = load_scene(seat, in, &error);
        break;
    case WIRE_CONTROL_REMOVE:
        is_good = remove_world(seat, in, &error);
        break;
    default:
        send_order(seat, in);
    }
    if (!is_good) {
        sv_seat_reject(seat, in->request, 0, &error);
    }
}

static void
send_query(struct sv_seat *seat, struct wire_client_message *message)
{
    struct wire_error error;
    struct sv_message mail = {.kind = SV_MESSAGE_QUERY,
        .asker = sv_seat_asker(seat, message->query.request),
        .query_take = message->query.take};
    message->query.take = NULL;
    if (!send_message(seat, &mail, &error)) {
        sv_seat_reject(seat, message->query.request, 0, &error);
    }
}

static void
send_lease(struct sv_seat *seat, const struct wire_lease *in)
{
    struct wire_error error;
    struct sv_message mail = {.kind = SV_MESSAGE_LEASE,
        .asker = sv_seat_asker(seat, in->request),
        .lease = *in};
    if (!send_message(seat, &mail, &error)) {
        sv_seat_reject(seat, in->request, 0, &error);
    }
}

void
sv_gateway_gather(const struct sv_host_world *world, struct sv_crowd *crowd)
{
    crowd->count = 0;
    for (struct sv_seat *seat = world->seats; seat != NULL; seat = seat->world_next) {
        enum ac_role role = seat->session.grant->role;
        if (sv_role_covers(role, AC_ROLE_INSTRUCTOR) || role == AC_ROLE_LOGIC) {
            continue;
        }
        if (crowd->count < SV_FORK_EACH_MAX) {
            crowd->asker[crowd->count] = /* the order belongs to another session */
                (struct sv_asker){.session = seat->session.id, .seat = seat->index};
        }
        crowd->count++;
    }
}

static void
fork_world(struct sv_seat *seat, const struct wire_fork *fork)
{
    struct wire_error error;
    struct sv_crowd crowd;
    struct sv_host *host = seat->gateway->host;
    struct sv_asker asker = sv_seat_asker(seat, fork->request);
    struct sv_host_world *world =
        fork->world[0] != '\0' ? sv_host_find(host, fork->world) : seat->world;
    bool is_good = world != NULL;
    if (!is_good) {
        wire_error_set(&error, "WORLD", "fork.world", "is no world's id");
    } else if (!sv_rights_fork_name(seat->session.grant, fork, world->mailbox.id, &error)) {
        is_good = false;
    } else {
        sv_gateway_gather(world, &crowd);
        is_good = may_make(seat, fork->replay ? SV_MADE_REPLAY : SV_MADE_FORK,
                      fork->each ? crowd.count : 1, &error) &&
            sv_fork_begin(host, world, fork, &crowd, &asker, &error);
    }
    if (!is_good) {
        sv_seat_reject(seat, fork->request, 0, &error);
    }
}

static void
send_seek(struct sv_seat *seat, const struct wire_seek *in)
{
    struct wire_error error;
    struct sv_asker asker = sv_seat_asker(seat, in->request);
    if (!sv_fork_seek(seat->gateway->host, seat->world, in, &asker, &error)) {
        sv_seat_reject(seat, in->request, 0, &error);
    }
}

static void
act_on_message(struct sv_seat *seat, struct wire_client_message *message)
{
    switch (message->kind) {
    case WIRE_CLIENT_HELLO:
        say_welcome(
            seat, !seat->session.is_renewing && sv_away_resume(seat, &message->hello));
        sv_seat_tell_given(seat);
        break;
    case WIRE_CLIENT_JOIN:
        join_by_id(seat, message->join_world);
        break;
    case WIRE_CLIENT_LEAVE:
        sv_seat_leave(seat);
        break;
    case WIRE_CLIENT_INPUT:
        send_input(seat, &message->input);
        break;
    case WIRE_CLIENT_SUBSCRIBE:
        if (seat->session.is_said_again) { /* it has lost a baseline and wants a keyframe */
            sv_seat_forget_shown(seat);
            seat->epoch++;
        } else if (seat->session.is_contact_new) { /* the client may have dropped its contacts */
            sv_seat_set_contacts(seat, NULL);
            seat->epoch++;
        }
        sv_seat_set_rate(seat, seat->session.rate_hz);
        send_subscription(seat);
        break;
    case WIRE_CLIENT_CONTROL:
        control_world(seat, &message->control);
        break;
    case WIRE_CLIENT_PING:
        say_pong(seat, message->ping_client_time_us);
        break;
    case WIRE_CLIENT_QUERY:
        send_query(seat, message);
        break;
    case WIRE_CLIENT_LEASE:
        send_lease(seat, &message->lease);
        break;
    case WIRE_CLIENT_FORK:
        fork_world(seat, &message->fork);
        break;
    case WIRE_CLIENT_SEEK:
        send_seek(seat, &message->seek);
        break;
    case WIRE_CLIENT_DESYNC:
        send_desync(seat, &message->desync);
        break;
    case WIRE_CLIENT_SAY:
    case WIRE_CLIENT_LOGIC:
    case WIRE_CLIENT_LOGIC_DONE:
        sv_seat_pass_on(seat, message);
        break;
    case WIRE_CLIENT_ACK:
        sv_seat_acked(seat, message->ack_tick);
        break;
    case WIRE_CLIENT_LOBBY:
        sv_lobby_ask(seat, &message->lobby);
        break;
    case WIRE_CLIENT_NONE:
        break;
    }
}

/* The origin of the named world if it is a replay, else NULL. */
static const char *
find_replay_of(const struct sv_seat *seat, const struct wire_client_message *message)
{
    bool is_remove = message->kind == WIRE_CLIENT_CONTROL &&
        message->control.kind == WIRE_CONTROL_REMOVE;
    const char *id = message->kind == WIRE_CLIENT_JOIN ? message->join_world
        : is_remove                                    ? message->control.world
                                                       : "";
    const struct sv_host_world *world =
        id[0] != '\0' ? sv_host_find(seat->gateway->host, id) : NULL;
    return world != NULL ? sv_replay_of(world) : NULL;
}

static enum sv_verdict
admit_message(struct sv_seat *seat, struct wire_client_message *message, uint64_t now_ns,
    struct wire_error *error, uint16_t *close_code)
{
    seat->session.replay_of = find_replay_of(seat, message);
    enum sv_verdict verdict =
        sv_session_admit(&seat->session, message, now_ns, error, close_code);
    if (verdict == SV_ADMIT && message->kind == WIRE_CLIENT_HELLO &&
        !sv_hello_let_in(seat, &message->hello, error, close_code)) {
        return seat->session.is_renewing ? SV_REJECT : SV_CLOSE;
    }
    return verdict;
}

/* Whether the session's quotas allow a message of this size; then charges it. */
static bool
may_receive(struct sv_seat *seat, size_t size, struct wire_error *error)
{
    const struct sv_asker asker = sv_seat_asker(seat, 0);
    return !seat->is_received_bound ||
        sv_quotas_take(seat->gateway->quotas, AC_QUOTA_RECEIVED, seat->session.grant, &asker,
            size, error);
}

/* Logs an order before it is admitted or refused; 0: the message is not an order. */
static uint32_t
begin_order(struct sv_seat *seat, const struct wire_client_message *message, bool is_whole)
{
    CN_ASSERT(seat->gateway->audit != NULL);
    struct sv_audit_words words;
    sv_audit_describe(message, is_whole, &words);
    if (words.op == NULL) {
        return 0;
    }
    const struct sv_audit_order order = {.op = words.op,
        .world = words.world != NULL  ? words.world
            : seat->world != NULL ? seat->world->mailbox.id
                                  : NULL,
        .arguments = words.arguments,
        .arguments_size = strlen(words.arguments),
        .from = sv_seat_from(seat),
        .session = seat->session.id,
        .grant = seat->session.grant};
    uint32_t number = sv_audit_number(seat->gateway->audit);
    sv_audit_begin(seat->gateway->audit, &order, number);
    return number;
}

void
sv_seat_receive(struct sv_seat *seat, const uint8_t *bytes, size_t size)
{
    CN_ASSERT(seat->connection != NULL && !seat->is_closing);
    struct sv_gateway *gateway = seat->gateway;
    CN_ASSERT(gateway->order == 0); /* each message ends its order */
    struct wire_client_message message;
    struct wire_error error;
    uint16_t close_code = CLOSE_POLICY;
    enum sv_verdict verdict;
    uint64_t now_ns = sv_clock_now_ns(&gateway->clock);
    SV_COUNT(gateway->metrics, messages_in, 1);
    SV_COUNT(gateway->metrics, bytes_in, size);
    enum wire_decode_result result = wire_client_decode(bytes, size, &message, &error);
    if (gateway->audit != NULL && result != WIRE_DECODE_BAD) {
        gateway->order = begin_order(seat, &message, result == WIRE_DECODE_OK);
    }
    if (result == WIRE_DECODE_OK && !may_receive(seat, size, &error)) {
        verdict = sv_session_refuse(
            &seat->session, WIRE_DECODE_REFUSED, &message, now_ns, &close_code);
    } else if (result == WIRE_DECODE_OK) {
        verdict = admit_message(seat, &message, now_ns, &error, &close_code);
    } else {
        verdict = sv_session_refuse(&seat->session, result, &message, now_ns, &close_code);
    }
    if (verdict == SV_ADMIT) {
        if (seat->is_new) { /* the first admitted message is a Hello */
            gateway->transport.judge(gateway->transport.context, seat->connection, true);
        }
        sv_seat_greeted(seat);
        act_on_message(seat, &message);
    } else if (verdict != SV_IGNORE) {
        uint32_t request = message.kind == WIRE_CLIENT_CONTROL ? message.control.request
                           : message.kind == WIRE_CLIENT_QUERY ? message.query.request
                           : message.kind == WIRE_CLIENT_LEASE ? message.lease.request
                           : message.kind == WIRE_CLIENT_FORK  ? message.fork.request
                           : message.kind == WIRE_CLIENT_SEEK  ? message.seek.request
                           : message.kind == WIRE_CLIENT_SAY   ? message.say.request
                           : message.kind == WIRE_CLIENT_LOGIC ? message.logic.request
                                                               : 0;
        uint64_t seq = message.kind == WIRE_CLIENT_INPUT ? message.input.seq : 0;
        sv_seat_reject(seat, request, seq, &error);
    }
    if (verdict == SV_ADMIT && message.kind == WIRE_CLIENT_SEEK && gateway->order != 0) {
        sv_audit_answer(gateway->audit, seat->session.id, gateway->order, "ok");
    }
    gateway->order = 0;
    if (verdict == SV_CLOSE) {
        sv_seat_close(seat, close_code, error.code);
    }
    if (result == WIRE_DECODE_OK) {
        wire_client_message_finish(&message);
    }
}
