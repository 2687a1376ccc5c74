/*
 * gateway_reports.c: handles the reports of worlds: answers, and messages to all their members.
 */
#include "server/net/gateway.h"

#include "engine/base/assert.h"
#include "server/base/frame.h"
#include "server/net/fanout.h"
#include "server/net/seating.h"
#include "server/net/transfer.h"
#include "server/snapshot/framing.h"

#define TAG_JOINED 0x12 /* of a ServerMessage, field 2 */

/* The seat of the session that asked; NULL when the session has ended. */
static struct sv_seat *
find_asker(const struct sv_gateway *gateway, const struct sv_asker *asker)
{
    struct sv_seat *seat =
        (int)asker->seat < gateway->seats_max ? gateway->seats[asker->seat] : NULL;
    return seat != NULL && seat->session.id == asker->session ? seat : NULL;
}

/* Whether the message is a Joined.  Else it is a Changed, which must follow the Joined. */
static bool
is_joined_message(const struct sv_buffer *message)
{
    return message->bytes[sv_frame_header_size_of(message->bytes)] == TAG_JOINED;
}

/* Messages to everybody that come with a tick about to be sent are sent together with it. */
static bool
put_off(struct sv_host_world *world, const struct sv_report *report)
{
    bool is_put_off = report->kind == SV_REPORT_SAY && world->fresh != NULL &&
        report->message_take != NULL && world->said_count < SV_SAID_MAX;
    if (is_put_off) {
        CN_ASSERT(world->said_count >= 0);
        world->said[world->said_count++] = sv_buffer_ref(report->message_take);
    }
    return is_put_off;
}

static void
say_to_world(struct sv_host_world *world, const struct sv_report *report)
{
    for (struct sv_seat *seat = world->seats; seat != NULL; seat = seat->world_next) {
        bool is_inside = seat->is_joined || seat->transfer != NULL;
        struct sv_buffer *message = report->message_take;
        CN_ASSERT(seat->world == world);
        if (!is_inside || message == NULL) {
            continue;
        }
        if (report->kind == SV_REPORT_RELOADED) {
            seat->generation = report->generation;
        }
        if (report->kind == SV_REPORT_RELOADED && is_joined_message(message)) {
            seat->has_image = false; /* one of the new generation comes */
            sv_fanout_join(seat, message);
        } else {
            sv_transfer_say(seat, sv_buffer_ref(message));
        }
    }
}

/* Deeds go to the members that have an image: now, or after the Joined that is being sent. */
static void
say_deeds(struct sv_host_world *world, const struct sv_report *report)
{
    for (struct sv_seat *seat = world->seats; seat != NULL; seat = seat->world_next) {
        bool is_inside = seat->is_joined || seat->transfer != NULL;
        CN_ASSERT(seat->world == world && report->message_take != NULL);
        if (is_inside && seat->has_image) {
            sv_transfer_say(seat, sv_buffer_ref(report->message_take));
        }
    }
}

static void
on_joined(struct sv_seat *seat, struct sv_host_world *world, const struct sv_report *report)
{
    if (seat->world != world || report->message_take == NULL) {
        return; /* it has left meanwhile */
    }
    if (seat->connection == NULL) {
        return; /* it is away, and gets a new one when it returns */
    }
    seat->generation = report->generation;
    seat->has_image = report->has_image && seat->session.mode == WIRE_MODE_DEEDS;
    sv_fanout_join(seat, report->message_take);
}

static void
empty_world(struct sv_gateway *gateway, struct sv_host_world *world)
{
    struct wire_error error;
    wire_error_set(&error, "WORLD", "", "the world was removed");
    while (world->seats != NULL) {
        struct sv_seat *seat = world->seats;
        CN_ASSERT(seat->world == world);
        sv_seat_enter(seat, NULL);
        seat->session.state = SV_SESSION_READY;
        sv_seat_reject(seat, 0, 0, &error);
    }
    int kept = 0;
    for (int i = 0; i < gateway->owed_count; i++) {
        if (gateway->owed[i].world != world) {
            gateway->owed[kept++] = gateway->owed[i];
        }
    }
    gateway->owed_count = kept;
}

static void
on_refused(struct sv_seat *seat, struct sv_host_world *world, const struct sv_report *report)
{
    struct wire_error error;
    wire_error_set(&error, "MEMORY", "", "no memory");
    const struct wire_error *reason =
        report->outcome_take != NULL ? &report->outcome_take->error : &error;
    bool is_join = report->kind == SV_REPORT_REFUSED && report->asker.request == 0 &&
        seat->session.state == SV_SESSION_JOINING && seat->world == world &&
        seat->transfer == NULL;
    if (is_join) {
        CN_ASSERT(!seat->is_joined); /* it has been sent no Joined */
        sv_seat_enter(seat, NULL);
        seat->session.state = SV_SESSION_READY;
    }
    sv_seat_reject(seat, report->asker.request, report->seq, reason);
}

struct forked {
    uint32_t request;
    const struct wire_status *status;
};

static size_t
encode_forked(const void *context, uint8_t *out, size_t out_size)
{
    const struct forked *forked = context;
    return wire_encode_forked(forked->request, forked->status, out, out_size);
}

/*
 * For a world made from another world's past, its asker, or the session that is to receive it, gets
 * more data.
 */
static void
on_created(struct sv_seat *seat, const struct sv_host_world *world, const struct sv_report *report)
{
    if (world->status.origin[0] == '\0') {
        sv_seat_done(seat, report->asker.request, world->mailbox.id, 0);
        return;
    }
    if (seat->is_away) {
        seat->given = world->serial;
        return;
    }
    struct forked forked = {report->asker.request, &world->status};
    sv_seat_send(seat, sv_frame_message(encode_forked, &forked));
}

void
sv_seat_tell_given(struct sv_seat *seat)
{
    CN_ASSERT(!seat->is_away);
    const struct sv_host *host = seat->gateway->host;
    for (int i = 0; i < host->world_count && seat->given != 0; i++) {
        if (host->worlds[i]->serial == seat->given && host->worlds[i]->is_ready) {
            struct forked forked = {0, &host->worlds[i]->status};
            sv_seat_send(seat, sv_frame_message(encode_forked, &forked));
        }
    }
    seat->given = 0;
}

/* The session that receives a world may have a different seat since it asked. */
static struct sv_seat *
find_session(const struct sv_gateway *gateway, uint64_t session)
{
    for (int i = 0; i < gateway->seat_count; i++) {
        if (gateway->seats[i] != NULL && gateway->seats[i]->session.id == session) {
            return gateway->seats[i];
        }
    }
    return NULL;
}

/* Answers the order in the audit, also if the session that asked has ended. */
static void
answer_order(struct sv_gateway *gateway, const struct sv_report *report)
{
    bool is_refused =
        report->kind == SV_REPORT_REFUSED || report->kind == SV_REPORT_REJECTED;
    const char *code = !is_refused      ? "ok"
        : report->outcome_take != NULL ? report->outcome_take->error.code
                                       : "MEMORY";
    if (report->asker.order != 0 && gateway->audit != NULL) {
        sv_audit_answer(gateway->audit, report->asker.session, report->asker.order, code);
    }
}

void
sv_gateway_reported(void *context, struct sv_host_world *world, const struct sv_report *report)
{
    struct sv_gateway *gateway = context;
    if (put_off(world, report)) {
        return;
    }
    if (report->kind == SV_REPORT_DEEDS) {
        say_deeds(world, report);
        return;
    }
    if (world != NULL) { /* the refusal of a past tick has no world */
        sv_fanout_say(world); /* these messages came before this report */
    }
    if (report->kind == SV_REPORT_SAY || report->kind == SV_REPORT_RELOADED) {
        say_to_world(world, report);
        return;
    }
    answer_order(gateway, report);
    if (report->kind == SV_REPORT_REMOVED) {
        empty_world(gateway, world);
    }
    if (gateway->rooms != NULL && world != NULL && world->room != 0) {
        sv_rooms_reported(gateway->rooms, world, report);
    }
    if (report->asker.session == 0) {
        if (gateway->http_reported != NULL) {
            gateway->http_reported(gateway->http_context, world, report);
        }
        return;
    }
    struct sv_seat *seat = find_asker(gateway, &report->asker);
    if (seat == NULL && report->kind == SV_REPORT_CREATED) {
        seat = find_session(gateway, report->asker.session);
    }
    if (seat == NULL) {
        return;
    }
    switch (report->kind) {
    case SV_REPORT_JOINED:
        on_joined(seat, world, report);
        break;
    case SV_REPORT_REJECTED:
    case SV_REPORT_REFUSED:
        on_refused(seat, world, report);
        break;
    case SV_REPORT_ANSWERED:
        if (report->message_take != NULL) {
            sv_transfer_say(seat, sv_buffer_ref(report->message_take));
        }
        break;
    case SV_REPORT_CREATED:
        on_created(seat, world, report);
        break;
    default:
        sv_seat_done(seat, report->asker.request, world->mailbox.id, (uint32_t)report->seq);
    }
}
