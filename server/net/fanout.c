#include "server/net/fanout.h"

#include "engine/base/assert.h"
#include "server/base/frame.h"
#include "server/base/limits.h"
#include "server/host/held.h"
#include "server/net/contacts.h"
#include "server/net/transfer.h"
#include "server/snapshot/publication.h"

#include <stdlib.h>
#include <string.h>

#define HEADER_MESSAGE_SIZE_MAX 72 /* a TickHeader has six numbers of at most ten bytes */
#define CLOSE_TRY_AGAIN 1013
#define LOST_MESSAGE_SIZE_MAX 32   /* an EventFrame of two numbers */
#define NEXT_SEATS 8               /* seats that are prefetched before the first is sent to */

/* The counts of a loop over clients, added to the metrics once. */
struct totals {
    uint64_t messages, bytes, skipped, left_out;
};

/* ---- baselines ---- */

static void
remember_baseline(struct sv_seat *seat, struct wire_state *state)
{
    wire_state_unref(seat->baselines[1]);
    seat->baselines[1] = seat->baselines[0];
    seat->baselines[0] = wire_state_ref(state);
}

/* Drops baselines that are too old, so that a stalled client holds no old states. */
static void
drop_old_baselines(struct sv_seat *seat, const struct wire_state *now)
{
    struct wire_state **baselines = seat->baselines;
    if (baselines[1] != NULL && now->tick - baselines[1]->tick > SV_SECOND_BASELINE_AGE_MAX) {
        wire_state_unref(baselines[1]);
        baselines[1] = NULL;
    }
    if (baselines[0] != NULL && baselines[0] != now && !sv_view_may_serve(baselines[0], now)) {
        sv_seat_forget_baselines(seat);
    }
    const struct wire_contacts *contacts = seat->contact_base;
    bool is_stalled = seat->is_behind && now->tick - seat->pace.sent_tick > WIRE_BASELINE_AGE_MAX;
    if (contacts != NULL && (contacts->series != now->series || is_stalled)) {
        sv_seat_set_contacts(seat, NULL);
    }
}

/* ---- one client ---- */

static size_t
size_of(const struct sv_span *spans, int count)
{
    size_t size = 0;
    for (int i = 0; i < count; i++) {
        size += spans[i].size;
    }
    return size;
}

/* Adds the messages to everybody that the client has not received; returns their number. */
static int
add_said(const struct sv_seat *seat, struct sv_span *spans)
{
    const struct sv_host_world *world = seat->world;
    CN_ASSERT(world->said_count <= SV_SAID_MAX);
    int count = seat->is_told ? 0 : world->said_count;
    for (int i = 0; i < count; i++) {
        spans[i] = (struct sv_span){world->said[i]->bytes, world->said[i]->size};
    }
    return count;
}

static void
add_span(struct sv_span *spans, int *count, const struct sv_buffer *message)
{
    if (message != NULL) {
        spans[(*count)++] = (struct sv_span){message->bytes, message->size};
    }
}

/*
 * Adds the events of this tick and of unsent ticks, and the number of events that will never be
 * sent.
 */
static void
add_events(const struct sv_seat *seat, const struct sv_publication *publication,
    struct sv_span *spans, int *count, uint8_t *lost_frame)
{
    const struct sv_events *events = &publication->events;
    uint64_t lost;
    int first = sv_events_first(
        events, seat->events_series, seat->events_seen, publication->status.tick, &lost);
    if (lost > 0) {
        uint8_t message[LOST_MESSAGE_SIZE_MAX];
        uint32_t said = lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX;
        uint64_t tick = first < events->count ? events->frames[first].tick
                                              : publication->status.tick;
        size_t size = wire_encode_events_lost(tick, said, message);
        size_t header_size = sv_frame_header_write(lost_frame, size);
        memcpy(lost_frame + header_size, message, size);
        spans[(*count)++] = (struct sv_span){lost_frame, header_size + size};
    }
    for (int i = first; i < events->count; i++) {
        add_span(spans, count, events->frames[i].message);
    }
}

/* Whether the client lacks attributes of the view that it subscribed to. */
static bool
lacks_attributes(const struct sv_seat *seat, const struct sv_publication *publication,
    const struct sv_publication_member *member)
{
    const struct sv_attributes *now = publication->views[member->view].attributes;
    return member->attributes && now != NULL && now != seat->attributes;
}

static void
remember_attributes(struct sv_seat *seat, struct sv_attributes *attributes)
{
    if (attributes != seat->attributes) {
        sv_attributes_unref(seat->attributes);
        seat->attributes = attributes != NULL ? sv_attributes_ref(attributes) : NULL;
    }
}

/*
 * The last input that no crash can lose.  A publication that waited for the disk says so itself;
 * for others this is known a little later.
 */
static uint64_t
durable_seq(struct sv_seat *seat, const struct sv_publication *publication,
    const struct sv_publication_member *member)
{
    struct sv_durable *durable = &seat->durable;
    if (publication->durability != WIRE_DURABILITY_SECOND) {
        bool is_tick = publication->durability == WIRE_DURABILITY_TICK;
        return durable->seq = is_tick ? member->applied_seq : 0;
    }
    int done = 0, *count = &durable->next_count;
    CN_ASSERT(0 <= *count && *count <= SV_DURABLE_NEXT_MAX);
    uint64_t last = *count > 0 ? durable->next[*count - 1].seq : durable->seq;
    bool is_new = member->applied_seq > last && !publication->is_uncovered;
    if (is_new && durable->next == NULL) { /* without memory the next tick tries again */
        durable->next = calloc(SV_DURABLE_NEXT_MAX, sizeof(durable->next[0]));
    }
    if (is_new && durable->next != NULL && *count < SV_DURABLE_NEXT_MAX) {
        durable->next[*count].ticket = publication->ticket;
        durable->next[(*count)++].seq = member->applied_seq;
    }
    while (done < *count && durable->next[done].ticket <= seat->world->durable) {
        durable->seq = durable->next[done++].seq;
    }
    *count -= done;
    if (done == 0) {
        return durable->seq;
    }
    memmove(durable->next, durable->next + done, (size_t)*count * sizeof(durable->next[0]));
    return durable->seq;
}

static size_t
encode_header(const struct wire_tick_header *header, uint8_t *out)
{
    uint8_t message[HEADER_MESSAGE_SIZE_MAX];
    size_t size = wire_encode_tick_header(header, message, sizeof(message));
    CN_ASSERT(size <= sizeof(message));
    size_t header_size = sv_frame_header_write(out, size);
    memcpy(out + header_size, message, size);
    return header_size + size;
}

/*
 * Writes the client's own header, framed; returns its size.  The rate is sent when it has changed.
 */
static size_t
write_header(struct sv_seat *seat, const struct sv_publication *publication,
    const struct sv_publication_member *member, uint32_t rate_hz, uint8_t *out)
{
    struct wire_tick_header header = {
        .tick = publication->status.tick,
        .applied_seq = member->applied_seq,
        .durable_seq = durable_seq(seat, publication, member),
        .server_time_us = publication->time_ns / SV_NS_PER_US,
        .rate_hz = rate_hz != seat->told_rate_hz ? rate_hz : 0,
        .durable_tick = sv_held_durable_tick(seat->world, publication),
    };
    seat->durable.tick = header.durable_tick;
    return encode_header(&header, out);
}

/*
 * Sends a header alone when inputs or ticks have become durable since the last.  A client that is
 * behind gets it with its next tick.
 */
static void
tell_durable(struct sv_seat *seat, const struct sv_publication *publication,
    const struct sv_publication_member *member, struct totals *totals)
{
    CN_ASSERT(seat->connection != NULL && seat->transfer == NULL);
    struct sv_gateway *gateway = seat->gateway;
    uint8_t head[SV_FRAME_HEADER_SIZE_MAX + HEADER_MESSAGE_SIZE_MAX];
    const struct wire_tick_header header = {
        .tick = publication->status.tick,
        .applied_seq = member->applied_seq,
        .durable_seq = durable_seq(seat, publication, member),
        .server_time_us = sv_clock_now_ns(&gateway->clock) / SV_NS_PER_US,
        .durable_tick = sv_held_durable_tick(seat->world, publication),
    };
    bool is_news = !member->is_quiet && (header.durable_seq > seat->durable.told ||
        header.durable_tick > seat->durable.told_tick);
    if (seat->is_behind || !is_news) {
        return;
    }
    const struct sv_span span = {head, encode_header(&header, head)};
    if (seat->is_busy || seat->queue_count > 0 ||
        !gateway->transport.send(gateway->transport.context, seat->connection, &span, 1)) {
        seat->is_busy = seat->is_behind = true;
        return;
    }
    seat->durable.told = header.durable_seq;
    seat->durable.told_tick = header.durable_tick;
    sv_seat_charge_sent(seat, span.size);
    totals->messages++;
    totals->bytes += span.size;
}

/*
 * Counts a tick that is for the client.  At the end of a window of time returns whether it got too
 * little for too long; only refusals of the transport can cause that.
 */
static bool
is_too_slow(struct sv_seat *seat, uint64_t now_ns)
{
    const unsigned least = SV_SLOW_RATE * (unsigned)(SV_SLOW_WINDOW_NS / SV_NS_PER_S);
    if (seat->window_ns == 0 || now_ns - seat->window_ns >= SV_SLOW_WINDOW_NS) {
        bool is_short = seat->sent_count < least && seat->due_count >= 2 * least;
        bool is_next = now_ns - seat->window_ns < 2 * SV_SLOW_WINDOW_NS;
        seat->slow_count = is_short && is_next ? (uint8_t)(seat->slow_count + 1) : 0;
        seat->window_ns = now_ns;
        seat->due_count = seat->sent_count = 0;
    }
    seat->due_count++;
    return seat->slow_count >= SV_SLOW_WINDOWS;
}

static void
end_slow(struct sv_seat *seat)
{
    SV_COUNT(seat->gateway->metrics, slow_closed, 1);
    seat->is_slow = true;
    sv_seat_close(seat, CLOSE_TRY_AGAIN, "too slow");
}

/* Whether there is a message for a client with a budget whose baseline it still has. */
static bool
has_own(const struct sv_seat *seat, const struct sv_publication_member *member)
{
    return member->own != NULL && member->own->epoch == seat->epoch &&
        atomic_load_explicit(&member->own->sent_size, memory_order_relaxed) == 0;
}

/* Ticks per second for the client; the earnings of a budget do not depend on its lag. */
static uint32_t
meant_rate_hz(const struct sv_seat *seat, const struct sv_publication *publication,
    const struct sv_publication_member *member)
{
    struct sv_pace pace = seat->pace;
    pace.step = member->has_budget ? 0 : pace.step;
    return (uint32_t)(sv_pace_rate_hz(&pace, publication->status.tick_rate) + 0.5);
}

/* Stores the baseline of the next tick: the state and events that the client has now. */
static void
remember_shown(struct sv_seat *seat, struct sv_publication *publication,
    const struct sv_publication_member *member)
{
    seat->durable.told = seat->durable.seq;
    seat->durable.told_tick = seat->durable.tick;
    struct sv_view *view = &publication->views[member->view];
    remember_attributes(seat, member->attributes ? view->attributes : NULL);
    seat->events_series = member->contacts ? publication->events.series : 0;
    seat->events_seen = publication->events.total;
    if (member->mode == WIRE_MODE_DELTA && !member->has_budget) {
        remember_baseline(seat, view->state);
    } else {
        sv_seat_forget_baselines(seat);
    }
}

/*
 * Whether a client in mode DEEDS wants nothing of this tick: a header comes at some ticks, and when
 * it confirms an input.
 */
static bool
is_quiet(const struct sv_seat *seat, const struct sv_publication *publication,
    const struct sv_publication_member *member)
{
    const struct wire_status *status = &publication->status;
    bool is_going_on = status->state == WIRE_WORLD_RUNNING && !status->idle;
    return member->mode == WIRE_MODE_DEEDS && is_going_on && !member->contacts &&
        !member->energy && !member->actions && status->tick % SV_DEEDS_TICKS != 0 &&
        !lacks_attributes(seat, publication, member) &&
        member->applied_seq == seat->told_applied;
}

/*
 * Adds the frames that the client has subscribed to; `contacts` is what it then has of them.  False
 * without memory.
 */
static bool
add_frames(struct sv_seat *seat, struct sv_publication *publication,
    const struct sv_publication_member *member, struct sv_span *spans, int *count,
    uint8_t *lost_frame, struct sv_shown_contacts *contacts)
{
    *contacts = sv_contacts_show(seat, publication, member);
    add_span(spans, count, contacts->message);
    if (member->contacts && !member->has_budget) {
        add_events(seat, publication, spans, count, lost_frame);
    }
    if (member->energy) {
        add_span(spans, count, publication->energy);
    }
    if (member->actions) {
        add_span(spans, count, publication->actions);
    }
    if (!lacks_attributes(seat, publication, member)) {
        return true;
    }
    struct sv_buffer *attributes =
        sv_view_show_attributes(&publication->views[member->view], seat->attributes);
    add_span(spans, count, attributes);
    return attributes != NULL;
}

/*
 * Sends a tick in one write, after the messages to everybody.  Without memory for its messages the
 * tick is left out.
 */
static void
send_tick(struct sv_seat *seat, struct sv_publication *publication,
    const struct sv_publication_member *member, struct totals *totals)
{
    CN_ASSERT(seat->connection != NULL && seat->transfer == NULL); /* as is_for saw it */
    struct sv_gateway *gateway = seat->gateway;
    struct sv_view *view = &publication->views[member->view];
    uint8_t head[SV_FRAME_HEADER_SIZE_MAX + HEADER_MESSAGE_SIZE_MAX];
    struct sv_span all[SV_SAID_MAX + 7 + SV_EVENT_FRAMES_MAX], *spans = all;
    uint8_t lost[SV_FRAME_HEADER_SIZE_MAX + LOST_MESSAGE_SIZE_MAX];
    int count = 1;
    if (member->is_quiet || (member->has_budget && !has_own(seat, member)) ||
        is_quiet(seat, publication, member)) {
        seat->is_behind = false;
        return;
    }
    seat->is_behind = true;
    if (!sv_seat_may_send(seat)) {
        SV_COUNT(gateway->metrics, quota_ticks, 1);
        return;
    }
    if (is_too_slow(seat, publication->time_ns)) {
        end_slow(seat);
        return;
    }
    if (seat->is_busy || seat->queue_count > 0) {
        return;
    }
    bool has_bodies = member->mode != WIRE_MODE_DEEDS;
    struct sv_buffer *shown = member->has_budget
        ? member->own->message
        : has_bodies ? sv_view_show(view, &gateway->tools, member->mode, seat->baselines[0],
                           seat->baselines[1])
                     : NULL;
    if (shown == NULL && has_bodies && !member->has_budget) {
        return;
    }
    uint32_t rate_hz = meant_rate_hz(seat, publication, member);
    spans += add_said(seat, spans);
    spans[0] = (struct sv_span){head, write_header(seat, publication, member, rate_hz, head)};
    add_span(spans, &count, shown);
    add_span(spans, &count, member->has_budget ? member->own->contact_message : NULL);
    struct sv_shown_contacts contacts;
    if (!add_frames(seat, publication, member, spans, &count, lost, &contacts)) {
        return;
    }
    int all_count = count + (int)(spans - all);
    CN_ASSERT(all_count <= (int)(sizeof(all) / sizeof(all[0])));
    if (!gateway->transport.send(gateway->transport.context, seat->connection, all, all_count)) {
        seat->is_busy = true;
        return;
    }
    seat->is_behind = false;
    seat->told_applied = member->applied_seq;
    seat->is_told = seat->world->said_count > 0;
    seat->told_rate_hz = rate_hz;
    seat->sent_count++;
    sv_pace_sent(&seat->pace, publication->status.tick);
    remember_shown(seat, publication, member);
    sv_contacts_remember(seat, &contacts, publication->status.tick);
    size_t size = size_of(spans, count);
    if (member->has_budget) {
        atomic_store_explicit(&member->own->sent_size, (uint32_t)size, memory_order_release);
    }
    size += size_of(all, all_count - count);
    sv_seat_charge_sent(seat, size);
    totals->messages += (uint64_t)all_count;
    totals->bytes += size;
}

/* Whether a publication is for this client: not from before it came, nor from before a reset. */
static bool
is_for(const struct sv_seat *seat, const struct sv_publication *publication,
    const struct sv_publication_member *member)
{
    return seat->is_joined && !seat->is_closing && member->session == seat->session.id &&
        publication->status.generation == seat->generation;
}

/* A world that does not run shows its last state to every client, whatever its pace. */
static bool
is_due(const struct sv_seat *seat, const struct wire_status *status,
    const struct sv_publication_member *member)
{
    bool is_going_on = status->state == WIRE_WORLD_RUNNING && !status->idle;
    return !is_going_on || seat->is_behind || member->has_budget ||
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
    CN_ASSERT(seat->world != NULL);
    struct totals totals = {0};
    struct sv_publication *publication = seat->world->publication;
    const struct sv_publication_member *member =
        publication != NULL ? sv_publication_find(publication, seat->index) : NULL;
    if (member != NULL && is_for(seat, publication, member)) {
        send_tick(seat, publication, member, &totals);
        tell_durable(seat, publication, member, &totals);
        add_totals(seat->gateway, &totals);
    }
}

/* ---- after a Joined ---- */

/*
 * The Joined has been sent.  Ticks meanwhile skipped this client.  If no other tick is about to be
 * sent, the last of them is sent now.
 */
static void
begin_ticks(struct sv_seat *seat)
{
    CN_ASSERT(seat->is_joined && seat->transfer == NULL);
    if (seat->world->fresh == NULL) {
        sv_fanout_catch_up(seat);
    }
}

void
sv_fanout_join(struct sv_seat *seat, struct sv_buffer *joined)
{
    if (sv_transfer_join(seat, joined)) {
        begin_ticks(seat);
    }
}

void
sv_fanout_go_on(struct sv_seat *seat)
{
    if (sv_transfer_go_on(seat->transfer)) {
        begin_ticks(seat);
    }
}

void
sv_fanout_go_on_all(struct sv_gateway *gateway)
{
    struct sv_transfer *next;
    for (struct sv_transfer *transfer = gateway->transfers; transfer != NULL; transfer = next) {
        next = transfer->next;
        CN_ASSERT(transfer->seat->transfer == transfer);
        sv_fanout_go_on(transfer->seat);
    }
}

/* ---- everybody ---- */

void
sv_fanout_say(struct sv_host_world *world)
{
    if (world->said_count == 0) {
        return;
    }
    for (struct sv_seat *seat = world->seats; seat != NULL; seat = seat->world_next) {
        bool is_inside = seat->is_joined || seat->transfer != NULL;
        for (int i = 0; is_inside && !seat->is_told && i < world->said_count; i++) {
            sv_transfer_say(seat, sv_buffer_ref(world->said[i]));
        }
        seat->is_told = false;
    }
    for (int i = 0; i < world->said_count; i++) {
        sv_buffer_unref(world->said[i]);
    }
    CN_ASSERT(world->said_count <= SV_SAID_MAX);
    world->said_count = 0;
}

/*
 * Prefetch the data that the sends to the next seats will read.  Seats and their data are far apart
 * in memory; here their cache misses overlap.
 */
static void
expect_next(const struct sv_gateway *gateway, const struct sv_publication *publication, int first)
{
    const struct sv_publication_member *members = publication->members;
    int count = publication->member_count - first;
    int near = count < NEXT_SEATS ? count : NEXT_SEATS;
    int far = count < 2 * NEXT_SEATS ? count : 2 * NEXT_SEATS;
    for (int i = first + near; i < first + far; i++) {
        const char *seat = (const char *)gateway->seats[members[i].seat];
        for (size_t at = 0; seat != NULL && at <= offsetof(struct sv_seat, session); at += 64) {
            __builtin_prefetch(seat + at, 1);
        }
    }
    for (int i = first; i < first + near && gateway->transport.expect != NULL; i++) {
        const struct sv_seat *seat = gateway->seats[members[i].seat];
        if (seat != NULL && seat->connection != NULL) {
            gateway->transport.expect(seat->connection);
        }
    }
}

void
sv_fanout_publish(struct sv_gateway *gateway, struct sv_host_world *world)
{
    struct sv_publication *publication = world->publication;
    struct totals totals = {0};
    uint64_t start_ns = sv_clock_now_ns(&gateway->clock);
    int sent_count = 0;
    for (int i = 0; i < publication->member_count; i++) {
        const struct sv_publication_member *member = &publication->members[i];
        if (i % NEXT_SEATS == 0) {
            expect_next(gateway, publication, i);
        }
        struct sv_seat *seat = gateway->seats[member->seat];
        if (seat == NULL || seat->world != world || !is_for(seat, publication, member)) {
            continue;
        }
        drop_old_baselines(seat, publication->views[member->view].state);
        if (!is_due(seat, &publication->status, member)) {
            totals.left_out++;
            continue;
        }
        totals.skipped += seat->is_behind ? 1 : 0;
        send_tick(seat, publication, member, &totals);
        sent_count++;
    }
    sv_fanout_say(world); /* also for clients that were not sent this tick */
    add_totals(gateway, &totals);
    if (sent_count > 0) {
        uint64_t end_ns = sv_clock_now_ns(&gateway->clock);
        SV_OBSERVE(gateway->metrics, fanout_ns, end_ns - start_ns);
        SV_OBSERVE(gateway->metrics, sent_ns, end_ns - publication->time_ns);
    }
}

void
sv_fanout_tell_durable(struct sv_gateway *gateway, struct sv_host_world *world)
{
    struct sv_publication *publication = world->publication;
    struct totals totals = {0};
    for (int i = 0; i < publication->member_count; i++) {
        const struct sv_publication_member *member = &publication->members[i];
        struct sv_seat *seat = gateway->seats[member->seat];
        if (seat != NULL && seat->world == world && is_for(seat, publication, member)) {
            tell_durable(seat, publication, member, &totals);
        }
    }
    add_totals(gateway, &totals);
}
