#include "server/net/fanout.h"

#include "engine/base/assert.h"
#include "server/base/frame.h"
#include "server/base/limits.h"
#include "server/snapshot/publication.h"

#include <string.h>

#define HEADER_MESSAGE_SIZE_MAX 72 /* a TickHeader has five numbers of at most ten bytes */
#define PREFETCH_SEATS 8           /* seats are far apart in memory, and a send takes longer */

/* What a loop over clients counts, added to the metrics once. */
struct totals {
    uint64_t messages, bytes, skipped, left_out;
};

/* ---- baselines ---- */

static void
forget_baselines(struct sv_seat *seat)
{
    wire_state_unref(seat->baselines[0]);
    wire_state_unref(seat->baselines[1]);
    seat->baselines[0] = seat->baselines[1] = NULL;
}

static void
remember_baseline(struct sv_seat *seat, struct wire_state *state)
{
    wire_state_unref(seat->baselines[1]);
    seat->baselines[1] = seat->baselines[0];
    seat->baselines[0] = wire_state_ref(state);
}

/* What can not serve any more is let go, so that a client that stalls holds no old states. */
static void
drop_old_baselines(struct sv_seat *seat, const struct wire_state *now)
{
    struct wire_state **baselines = seat->baselines;
    if (baselines[1] != NULL && now->tick - baselines[1]->tick > SV_SECOND_BASELINE_AGE_MAX) {
        wire_state_unref(baselines[1]);
        baselines[1] = NULL;
    }
    if (baselines[0] != NULL && baselines[0] != now && !sv_view_may_serve(baselines[0], now)) {
        forget_baselines(seat);
    }
}

void
sv_fanout_restart(struct sv_seat *seat)
{
    forget_baselines(seat);
    sv_pace_restart(&seat->pace);
}

/* ---- one client ---- */

static void
add_span(struct sv_span *spans, int *count, const struct sv_buffer *message)
{
    if (message != NULL) {
        spans[(*count)++] = (struct sv_span){message->bytes, message->size};
    }
}

static void
remember_contacts(struct sv_seat *seat, struct sv_buffer *contacts)
{
    if (contacts != seat->contacts) {
        sv_buffer_unref(seat->contacts);
        seat->contacts = contacts != NULL ? sv_buffer_ref(contacts) : NULL;
    }
}

/* The client's own header, framed; returns its size. */
static size_t
write_header(struct sv_seat *seat, const struct sv_publication *publication,
    const struct sv_publication_member *member, uint8_t *out)
{
    double rate_hz = sv_pace_rate_hz(&seat->pace, publication->status.tick_rate);
    struct wire_tick_header header = {
        .tick = publication->status.tick,
        .applied_seq = member->applied_seq,
        .durable_seq = member->applied_seq, /* nothing is lost but with the process */
        .server_time_us = publication->time_ns / SV_NS_PER_US,
        .rate_hz = (uint32_t)(rate_hz + 0.5),
    };
    if (header.rate_hz == seat->told_rate_hz) {
        header.rate_hz = 0;
    }
    uint8_t message[HEADER_MESSAGE_SIZE_MAX];
    size_t size = wire_encode_tick_header(&header, message, sizeof(message));
    CN_ASSERT(size <= sizeof(message));
    size_t header_size = sv_frame_header_write(out, size);
    memcpy(out + header_size, message, size);
    return header_size + size;
}

/* Everything of the tick in one write. Without memory for its messages a tick is left out. */
static void
send_tick(struct sv_seat *seat, struct sv_publication *publication,
    const struct sv_publication_member *member, struct totals *totals)
{
    struct sv_gateway *gateway = seat->gateway;
    struct sv_view *view = &publication->view;
    uint8_t own[SV_FRAME_HEADER_SIZE_MAX + HEADER_MESSAGE_SIZE_MAX];
    struct sv_span spans[5];
    int count = 1;
    seat->is_behind = true;
    if (seat->is_busy || seat->queue_count > 0) {
        return;
    }
    struct sv_buffer *shown = sv_view_show(
        view, &gateway->tools, member->mode, seat->baselines[0], seat->baselines[1]);
    if (shown == NULL) {
        return;
    }
    spans[0] = (struct sv_span){own, write_header(seat, publication, member, own)};
    add_span(spans, &count, shown);
    struct sv_buffer *contacts = member->contacts ? publication->contacts : NULL;
    if (contacts != NULL) {
        add_span(spans, &count, contacts != seat->contacts ? contacts : NULL);
        add_span(spans, &count, publication->events);
    }
    if (member->energy) {
        add_span(spans, &count, publication->energy);
    }
    if (!gateway->transport.send(gateway->transport.context, seat->connection, spans, count)) {
        seat->is_busy = true;
        return;
    }
    seat->is_behind = false;
    seat->told_rate_hz =
        (uint32_t)(sv_pace_rate_hz(&seat->pace, publication->status.tick_rate) + 0.5);
    sv_pace_sent(&seat->pace, publication->status.tick);
    remember_contacts(seat, contacts);
    if (member->mode == WIRE_MODE_DELTA) {
        remember_baseline(seat, view->state);
    } else {
        forget_baselines(seat);
    }
    totals->messages += (uint64_t)count;
    for (int i = 0; i < count; i++) {
        totals->bytes += spans[i].size;
    }
}

/* Whether a publication is for this client: not of before it came, nor of before a reset. */
static bool
is_for(const struct sv_seat *seat, const struct sv_publication *publication,
    const struct sv_publication_member *member)
{
    return seat->is_joined && !seat->is_closing && member->session == seat->session.id &&
        publication->status.generation == seat->generation;
}

/* A world that does not go on shows its last state to everybody, whatever their pace. */
static bool
is_due(const struct sv_seat *seat, const struct wire_status *status)
{
    bool is_going_on = status->state == WIRE_WORLD_RUNNING && !status->idle;
    return !is_going_on || seat->is_behind ||
        sv_pace_is_due(&seat->pace, status->tick, status->tick_rate);
}

static void
add_totals(struct sv_gateway *gateway, const struct totals *totals)
{
    SV_COUNT(gateway->metrics, messages_out, totals->messages);
    SV_COUNT(gateway->metrics, bytes_out, totals->bytes);
    SV_COUNT(gateway->metrics, frames_skipped, totals->skipped);
    SV_COUNT(gateway->metrics, frames_left_out, totals->left_out);
}

void
sv_fanout_catch_up(struct sv_seat *seat)
{
    struct totals totals = {0};
    struct sv_publication *publication = seat->world->publication;
    const struct sv_publication_member *member =
        publication != NULL ? sv_publication_find(publication, seat->index) : NULL;
    if (member != NULL && is_for(seat, publication, member)) {
        send_tick(seat, publication, member, &totals);
        add_totals(seat->gateway, &totals);
    }
}

/* ---- everybody ---- */

void
sv_fanout_publish(struct sv_gateway *gateway, struct sv_host_world *world)
{
    struct sv_publication *publication = world->publication;
    struct totals totals = {0};
    uint64_t start_ns = sv_clock_now_ns(&gateway->clock);
    int sent_count = 0;
    for (int i = 0; i < publication->member_count; i++) {
        const struct sv_publication_member *member = &publication->members[i];
        if (i + PREFETCH_SEATS < publication->member_count) {
            __builtin_prefetch(gateway->seats[member[PREFETCH_SEATS].seat]);
        }
        struct sv_seat *seat = gateway->seats[member->seat];
        if (seat == NULL || seat->world != world || !is_for(seat, publication, member)) {
            continue;
        }
        drop_old_baselines(seat, publication->view.state);
        if (!is_due(seat, &publication->status)) {
            totals.left_out++;
            continue;
        }
        totals.skipped += seat->is_behind ? 1 : 0;
        send_tick(seat, publication, member, &totals);
        sent_count++;
    }
    add_totals(gateway, &totals);
    if (sent_count > 0) {
        uint64_t end_ns = sv_clock_now_ns(&gateway->clock);
        SV_OBSERVE(gateway->metrics, fanout_ns, end_ns - start_ns);
        SV_OBSERVE(gateway->metrics, sent_ns, end_ns - publication->time_ns);
    }
}

/* Two gauges: who is sent every second tick, and every third. */
static void
count_step(struct sv_metrics *metrics, unsigned before, unsigned after)
{
    if (before != after) {
        SV_UNCOUNT(metrics, clients_half_rate, before == 1 ? 1 : 0);
        SV_UNCOUNT(metrics, clients_third_rate, before == 2 ? 1 : 0);
        SV_COUNT(metrics, clients_half_rate, after == 1 ? 1 : 0);
        SV_COUNT(metrics, clients_third_rate, after == 2 ? 1 : 0);
    }
}

void
sv_fanout_set_rate(struct sv_seat *seat, uint32_t wish_hz)
{
    count_step(seat->gateway->metrics, seat->pace.step, 0);
    sv_pace_init(&seat->pace, wish_hz);
}

void
sv_fanout_acked(struct sv_seat *seat, uint64_t tick)
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
