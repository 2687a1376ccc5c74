#include "server/net/seat.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/snapshot/framing.h"

#include <stdlib.h>
#include <string.h>

#define CLOSE_TRY_AGAIN 1013

#define SPANS_MAX 32

struct sv_asker
sv_seat_asker(const struct sv_seat *seat, uint32_t request)
{
    return (struct sv_asker){
        .session = seat->session.id,
        .seat = seat->index,
        .request = request,
        .order = seat->gateway->order,
        .owner = seat->owner};
}

const char *
sv_seat_from(const struct sv_seat *seat)
{
    const struct sv_transport *transport = &seat->gateway->transport;
    return transport->from != NULL && seat->connection != NULL ? transport->from(seat->connection)
                                                               : NULL;
}

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
        sv_quotas_may(seat->gateway->quotas, AC_QUOTA_SENT, seat->session.grant, &asker);
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
    CN_ASSERT(seat->connection != NULL && count > 0 && count <= SPANS_MAX);
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

bool
sv_seat_flush(struct sv_seat *seat)
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
            CN_ASSERT(seat->queue[i]->size <= seat->queue_size);
            seat->queue_size -= seat->queue[i]->size;
            sv_buffer_unref(seat->queue[i]);
        }
        seat->queue_count -= count;
        memmove(seat->queue, seat->queue + count,
            (size_t)seat->queue_count * sizeof(struct sv_buffer *));
    }
    CN_ASSERT(seat->queue_count == 0 && seat->queue_size == 0); /* both count the same */
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
    CN_ASSERT(seat->queue_count < seat->queue_capacity);
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

/* ---- answers ---- */

struct rejection {
    uint32_t request;
    uint64_t seq;
    const struct wire_error *error;
};

static size_t
encode_rejected(const void *context, uint8_t *out, size_t out_size)
{
    const struct rejection *rejection = context;
    return wire_encode_rejected(
        rejection->request, rejection->seq, rejection->error, out, out_size);
}

void
sv_seat_reject(
    struct sv_seat *seat, uint32_t request, uint64_t seq, const struct wire_error *error)
{
    struct rejection rejection = {request, seq, error};
    SV_COUNT(seat->gateway->metrics, rejected[wire_code_index(error->code)], 1);
    if (seat->gateway->order != 0) {
        sv_audit_answer(
            seat->gateway->audit, seat->session.id, seat->gateway->order, error->code);
    }
    sv_seat_send(seat, sv_frame_message(encode_rejected, &rejection));
}

struct done {
    uint32_t request;
    const char *world;
    uint32_t waiting;
};

static size_t
encode_done(const void *context, uint8_t *out, size_t out_size)
{
    const struct done *done = context;
    return wire_encode_control_done(done->request, done->world, done->waiting, out, out_size);
}

void
sv_seat_done(struct sv_seat *seat, uint32_t request, const char *world, uint32_t waiting)
{
    struct done done = {request, world, waiting};
    sv_seat_send(seat, sv_frame_message(encode_done, &done));
}

/* ---- the lists of new seats and of those away ---- */

static void
append_seat(struct sv_seat **first, struct sv_seat **last, struct sv_seat *seat)
{
    CN_ASSERT(seat->new_previous == NULL && seat->new_next == NULL); /* it is on no list */
    CN_ASSERT((*first == NULL) == (*last == NULL));
    seat->new_next = NULL;
    seat->new_previous = *last;
    if (*last != NULL) {
        (*last)->new_next = seat;
    } else {
        *first = seat;
    }
    *last = seat;
}

static void
remove_seat(struct sv_seat **first, struct sv_seat **last, struct sv_seat *seat)
{
    CN_ASSERT((seat->new_next != NULL ? seat->new_next->new_previous : *last) == seat);
    CN_ASSERT((seat->new_previous != NULL ? seat->new_previous->new_next : *first) == seat);
    if (seat->new_previous != NULL) {
        seat->new_previous->new_next = seat->new_next;
    } else {
        *first = seat->new_next;
    }
    if (seat->new_next != NULL) {
        seat->new_next->new_previous = seat->new_previous;
    } else {
        *last = seat->new_previous;
    }
    seat->new_previous = seat->new_next = NULL;
}

void
sv_seat_await_hello(struct sv_seat *seat)
{
    CN_ASSERT(!seat->is_new && !seat->is_away);
    struct sv_gateway *gateway = seat->gateway;
    seat->is_new = true;
    append_seat(&gateway->new_first, &gateway->new_last, seat);
}

void
sv_seat_greeted(struct sv_seat *seat)
{
    struct sv_gateway *gateway = seat->gateway;
    if (seat->is_new) {
        seat->is_new = false;
        remove_seat(&gateway->new_first, &gateway->new_last, seat);
    }
}

void
sv_seat_await_return(struct sv_seat *seat)
{
    CN_ASSERT(!seat->is_away && !seat->is_new && seat->connection == NULL);
    struct sv_gateway *gateway = seat->gateway;
    seat->is_away = true;
    seat->away_ns = sv_clock_now_ns(&gateway->clock);
    append_seat(&gateway->away_first, &gateway->away_last, seat);
    SV_COUNT(gateway->metrics, clients_away, 1);
}

void
sv_seat_returned(struct sv_seat *seat)
{
    struct sv_gateway *gateway = seat->gateway;
    if (!seat->is_away) {
        return;
    }
    seat->is_away = false;
    SV_UNCOUNT(gateway->metrics, clients_away, 1);
    remove_seat(&gateway->away_first, &gateway->away_last, seat);
}

/* ---- the states that a client has, and its rate ---- */

void
sv_seat_forget_baselines(struct sv_seat *seat)
{
    wire_state_unref(seat->baselines[0]);
    wire_state_unref(seat->baselines[1]);
    seat->baselines[0] = seat->baselines[1] = NULL;
}

void
sv_seat_set_contacts(struct sv_seat *seat, struct wire_contacts *contacts)
{
    if (seat->contact_base != contacts) {
        wire_contacts_unref(seat->contact_base);
        seat->contact_base = contacts != NULL ? wire_contacts_ref(contacts) : NULL;
    }
}

void
sv_seat_forget_shown(struct sv_seat *seat)
{
    sv_seat_forget_baselines(seat);
    sv_attributes_unref(seat->attributes);
    seat->attributes = NULL;
    sv_seat_set_contacts(seat, NULL);
    sv_pace_restart(&seat->pace);
}

/* Two gauges: the clients that are sent every second tick, and every third. */
static void
count_step(struct sv_metrics *metrics, unsigned before, unsigned after)
{
    CN_ASSERT(before < SV_PACE_STEPS && after < SV_PACE_STEPS);
    if (before != after) {
        SV_UNCOUNT(metrics, clients_half_rate, before == 1 ? 1 : 0);
        SV_UNCOUNT(metrics, clients_third_rate, before == 2 ? 1 : 0);
        SV_COUNT(metrics, clients_half_rate, after == 1 ? 1 : 0);
        SV_COUNT(metrics, clients_third_rate, after == 2 ? 1 : 0);
    }
}

void
sv_seat_set_rate(struct sv_seat *seat, uint32_t wish_hz)
{
    count_step(seat->gateway->metrics, seat->pace.step, 0);
    sv_pace_init(&seat->pace, wish_hz);
}

void
sv_seat_acked(struct sv_seat *seat, uint64_t tick)
{
    uint64_t time_ns = seat->world != NULL ? sv_host_shown_ns(seat->world, tick) : 0;
    if (time_ns == 0 || !seat->is_joined) {
        return;
    }
    uint64_t now_ns = sv_clock_now_ns(&seat->gateway->clock);
    unsigned before = seat->pace.step;
    sv_pace_acked(&seat->pace, now_ns - time_ns, now_ns);
    count_step(seat->gateway->metrics, before, seat->pace.step);
}
