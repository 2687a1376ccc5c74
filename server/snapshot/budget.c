#include "server/snapshot/budget.h"

#include "engine/base/assert.h"
#include "server/base/frame.h"
#include "server/snapshot/framing.h"
#include "server/snapshot/weigher.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRIES_MAX 8    /* encodings of one message until it fills its bytes well */
#define WASTE_PARTS 32 /* part of the room that may stay unused; it is kept for the next message */

/* ---- messages ---- */

struct sv_own *
sv_own_ref(struct sv_own *own)
{
    CN_ASSERT(atomic_load_explicit(&own->ref_count, memory_order_relaxed) > 0);
    atomic_fetch_add_explicit(&own->ref_count, 1, memory_order_relaxed);
    return own;
}

void
sv_own_unref(struct sv_own *own)
{
    if (own != NULL &&
        atomic_fetch_sub_explicit(&own->ref_count, 1, memory_order_acq_rel) == 1) {
        sv_buffer_unref(own->contact_message);
        wire_contacts_unref(own->contacts);
        sv_buffer_unref(own->message);
        wire_state_unref(own->state);
        free(own);
    }
}

/* Makes a message with a reference to the state; takes the message, also without memory. */
static struct sv_own *
own_create(struct sv_buffer *message_take, struct wire_state *state, int slot_count)
{
    struct sv_own *own = message_take != NULL
        ? calloc(1, sizeof(*own) + (size_t)slot_count * sizeof(own->slots[0]))
        : NULL;
    if (own == NULL) {
        sv_buffer_unref(message_take);
        return NULL;
    }
    atomic_init(&own->ref_count, 1);
    atomic_init(&own->sent_size, 0);
    own->message = message_take;
    own->state = wire_state_ref(state);
    own->slot_count = slot_count;
    return own;
}

/* ---- budgets ---- */

struct sv_budget *
sv_budget_create(uint64_t now_ns)
{
    struct sv_budget *budget = calloc(1, sizeof(*budget));
    if (budget != NULL) {
        budget->time_ns = now_ns;
    }
    return budget;
}

static void
forget_baselines(struct sv_budget *budget)
{
    for (int i = 0; i < 2; i++) {
        wire_state_unref(budget->known[i]);
        budget->known[i] = NULL;
        budget->is_whole[i] = false;
    }
    sv_contact_budget_forget(&budget->contacts);
}

void
sv_budget_destroy(struct sv_budget *budget)
{
    if (budget != NULL) {
        for (int i = 0; i < budget->pending_count; i++) {
            sv_own_unref(budget->pending[i]);
        }
        forget_baselines(budget);
        free(budget->waits.waited);
        free(budget);
    }
}

/* Messages on their way belong to the old epoch: they confirm nothing, but their bytes are paid. */
void
sv_budget_restart(struct sv_budget *budget)
{
    forget_baselines(budget);
    for (int i = 0; i < budget->pending_count; i++) {
        budget->pending[i]->epoch = budget->epoch - 1;
    }
}

void
sv_budget_set(struct sv_budget *budget, uint32_t bytes_per_second, uint32_t rate_hz,
    uint32_t contact_rate_hz, uint32_t epoch)
{
    budget->bytes_per_second = bytes_per_second;
    budget->contacts.rate_hz = contact_rate_hz;
    budget->rate_hz = rate_hz;
    budget->has_made = false;
    if (budget->epoch != epoch) {
        budget->epoch = epoch;
        forget_baselines(budget);
    }
}

uint64_t
sv_budget_wanted_ns(const struct sv_budget *budget)
{
    uint64_t owed = budget->owed * SV_NS_PER_S;
    if (owed == 0) {
        return UINT64_MAX;
    }
    uint64_t missing = owed > budget->earned ? owed - budget->earned : 0;
    return budget->time_ns + missing / budget->bytes_per_second + 1;
}

/* ---- earning and learning ---- */

/* The most bytes that are kept. */
static uint64_t
kept_size(const struct sv_budget *budget)
{
    return budget->bytes_per_second / SV_BUDGET_PARTS;
}

static void
earn_bytes(struct sv_budget *budget, uint64_t now_ns)
{
    CN_ASSERT(budget->bytes_per_second > 0);
    uint64_t elapsed_ns = now_ns - budget->time_ns;
    uint64_t longest_ns = UINT64_MAX / 4 / budget->bytes_per_second;
    uint64_t kept = kept_size(budget);
    kept = (kept > budget->owed ? kept : budget->owed) * SV_NS_PER_S;
    elapsed_ns = elapsed_ns < longest_ns ? elapsed_ns : longest_ns;
    budget->earned += elapsed_ns * budget->bytes_per_second;
    budget->earned = budget->earned < kept ? budget->earned : kept;
    budget->time_ns = now_ns;
}

static void
learn_message(struct sv_budget *budget, const struct sv_own *own)
{
    struct sv_waits *waits = &budget->waits;
    const struct wire_state *newest = budget->known[0];
    bool is_one_series = newest != NULL && newest->series == own->state->series;
    if (is_one_series && own->state->tick < newest->tick) {
        return; /* a later message was acknowledged before it */
    }
    if (is_one_series && own->state->tick == newest->tick) {
        /* The client has this state instead of the one before. */
        wire_state_unref(budget->known[0]);
    } else {
        wire_state_unref(budget->known[1]);
        budget->known[1] = budget->known[0];
        budget->is_whole[1] = budget->is_whole[0];
    }
    budget->known[0] = wire_state_ref(own->state);
    budget->is_whole[0] = own->is_whole;
    for (int i = 0; i < own->slot_count; i++) {
        CN_ASSERT(own->slots[i] < (uint32_t)waits->slot_count);
        waits->waited[own->slots[i]] = 0;
    }
    if (own->is_whole && waits->slot_count > 0) {
        memset(waits->waited, 0, (size_t)waits->slot_count * sizeof(waits->waited[0]));
    }
}

/* Checks which messages on their way have arrived; the bytes of an unsent one are returned. */
static void
settle_acks(struct sv_budget *budget)
{
    int kept = 0;
    for (int i = 0; i < budget->pending_count; i++) {
        struct sv_own *own = budget->pending[i];
        bool is_over = atomic_load_explicit(&own->ref_count, memory_order_acquire) == 1;
        uint32_t sent_size = atomic_load_explicit(&own->sent_size, memory_order_acquire);
        if (!is_over && sent_size == 0) {
            budget->pending[kept++] = own;
            continue;
        }
        CN_ASSERT(sent_size <= own->charge);
        budget->earned += (uint64_t)(own->charge - sent_size) * SV_NS_PER_S;
        if (sent_size > 0 && own->epoch == budget->epoch) {
            learn_message(budget, own);
            if (own->contacts != NULL) {
                sv_contact_budget_learn(&budget->contacts, own->contacts);
            }
        }
        sv_own_unref(own);
    }
    CN_ASSERT(kept <= budget->pending_count);
    budget->pending_count = kept;
}

/* Ticks of a lower rate are the same as those of server/net/pace.h. */
static bool
is_due(const struct sv_budget *budget, const struct wire_state *now,
    const struct sv_moment *moment)
{
    if (budget->rate_hz == 0 || budget->rate_hz >= moment->tick_rate_hz || !budget->has_made ||
        !moment->is_going_on || now->tick < budget->made_tick) {
        return true;
    }
    double part = budget->rate_hz / moment->tick_rate_hz;
    return floor((double)now->tick * part) > floor((double)budget->made_tick * part);
}

/* ---- making ---- */

/* The contents of one message, and the data for making it. */
struct making {
    struct sv_budget *budget;
    struct sv_view *view;
    struct sv_view_tools *tools;
    const struct sv_moment *moment;
    struct sv_weighing weighing;
    struct wire_state *known; /* the baseline; may be NULL */
    struct wire_state *mix;
    size_t room; /* largest size of the framed message */
};

static size_t
framed_size(size_t size)
{
    return sv_frame_header_size(size) + size;
}

/* The client's newest state that can be a baseline; a state of the same tick cannot. */
static struct wire_state *
baseline_of(const struct sv_budget *budget, const struct wire_state *now)
{
    for (int i = 0; i < 2; i++) {
        if (budget->known[i] != NULL && sv_view_may_serve(budget->known[i], now)) {
            return budget->known[i];
        }
    }
    return NULL;
}

static struct sv_own *
whole_create(struct sv_buffer *message_take, struct wire_state *state)
{
    struct sv_own *own = own_create(message_take, state, 0);
    if (own != NULL) {
        own->is_whole = true;
    }
    return own;
}

/*
 * Makes a message of the whole view from states that the client has.  NULL if it has none, or the
 * message does not fit.  Clients with the same baselines share the message, as long as the view has
 * room for more messages.
 */
static struct sv_own *
share_message(const struct making *making)
{
    const struct sv_budget *budget = making->budget;
    struct sv_view *view = making->view;
    struct wire_state *first = budget->known[0];
    if (first == NULL || !budget->is_whole[0] || !sv_view_may_serve(first, view->state)) {
        return NULL;
    }
    struct wire_state *second = budget->is_whole[1] ? budget->known[1] : NULL;
    uint64_t age = second != NULL ? view->state->tick - second->tick : 0;
    bool is_shared =
        view->delta_count < SV_DELTAS_MAX / 2 && age <= SV_SECOND_BASELINE_AGE_MAX;
    struct sv_buffer *message = NULL;
    if (is_shared) {
        message = sv_view_show(view, making->tools, WIRE_MODE_DELTA, first, second);
        message = message != NULL ? sv_buffer_ref(message) : NULL;
    } else if (wire_encode_delta(&making->tools->encoder, view->state, first, second)) {
        message = sv_frame_bytes(
            making->tools->encoder.bytes, making->tools->encoder.size);
    }
    if (message == NULL || message->size > making->room) {
        sv_buffer_unref(message);
        return NULL;
    }
    return whole_create(message, view->state);
}

/* Whether the budget suffices for the view's own delta in every tick. */
static bool
is_affordable(const struct making *making, const struct sv_scope *scope)
{
    const struct sv_budget *budget = making->budget;
    double rate_hz = making->moment->tick_rate_hz;
    rate_hz = budget->rate_hz > 0 && budget->rate_hz < rate_hz ? budget->rate_hz : rate_hz;
    struct wire_state *first = scope->shown_last[0], *second = scope->shown_last[1];
    if (first == NULL || second == NULL || !sv_view_may_serve(first, making->view->state)) {
        return false;
    }
    struct sv_buffer *message =
        sv_view_show(making->view, making->tools, WIRE_MODE_DELTA, first, second);
    size_t size = message != NULL ? message->size + making->moment->header_size : 0;
    return size > 0 && (double)size * rate_hz <= budget->bytes_per_second;
}

/*
 * Encodes the state that the client has after `count` bodies were sent.  Returns the size; 0
 * without memory.
 */
static size_t
encode_bodies(struct making *making, int count)
{
    const struct wire_state *state = making->view->state;
    if (count < making->weighing.order_count) {
        sv_mix(&making->weighing, making->mix, count);
        state = making->mix;
    }
    return wire_encode_delta(&making->tools->encoder, state, making->known, NULL)
        ? framed_size(making->tools->encoder.size)
        : 0;
}

/* Returns the last encoding as a message. */
static struct sv_own *
finish_message(struct making *making, int count)
{
    CN_ASSERT(count >= 0 && count <= making->weighing.order_count);
    const struct sv_weigher *weigher = making->weighing.weigher;
    bool is_whole = count == making->weighing.order_count;
    struct sv_buffer *message = sv_frame_bytes(
        making->tools->encoder.bytes, making->tools->encoder.size);
    struct sv_own *own = is_whole ? whole_create(message, making->view->state)
                                  : own_create(message, making->mix, count);
    for (int i = 0; own != NULL && i < own->slot_count; i++) {
        own->slots[i] = weigher->items[weigher->order[i]].slot;
    }
    if (own != NULL) {
        SV_OBSERVE(making->tools->metrics, snapshot_bytes, message->size);
    }
    return own;
}

/* The next number of bodies to try, by linear interpolation of the sizes. */
static int
next_count(int fits, size_t fits_size, int over, size_t over_size, size_t room)
{
    CN_ASSERT(over - fits > 1 && fits_size <= room && room < over_size);
    double part = (double)(room - fits_size) / (double)(over_size - fits_size);
    int count = fits + (int)(part * (over - fits));
    count = count > fits ? count : fits + 1;
    return count < over ? count : over - 1;
}

/*
 * Fills the message with as many of the most urgent bodies as fit.  If the budget would suffice for
 * all bodies after the client has everything once, bytes are saved for that.
 */
static struct sv_own *
fill_message(struct making *making, const struct sv_scope *scope)
{
    int count = making->weighing.order_count;
    int fits = 0, over = count, last = -1;
    size_t over_size = encode_bodies(making, count);
    if (over_size == 0 || over_size <= making->room) {
        return over_size == 0 ? NULL : finish_message(making, count);
    }
    bool may_wait = over_size + making->moment->header_size <= kept_size(making->budget);
    size_t fits_size = encode_bodies(making, 0);
    if ((may_wait && is_affordable(making, scope)) || fits_size == 0 ||
        fits_size > making->room) {
        return NULL;
    }
    size_t body_size = (over_size - fits_size) / (size_t)count + 1;
    sv_weigh_order(&making->weighing, scope, (int)(making->room / 2 / body_size));
    for (int i = 0; i < TRIES_MAX && over - fits > 1; i++) {
        if (i > 0 && (making->room - fits_size) * WASTE_PARTS <= making->room) {
            break;
        }
        int next = next_count(fits, fits_size, over, over_size, making->room);
        size_t size = encode_bodies(making, next);
        last = next;
        if (size == 0) {
            return NULL;
        }
        if (size > making->room) {
            over = next;
            over_size = size;
        } else {
            fits = next;
            fits_size = size;
        }
    }
    return last == fits || encode_bodies(making, fits) > 0 ? finish_message(making, fits) : NULL;
}

/* Whether the client has all of this tick; it may have been shown before. */
static bool
is_shown(const struct sv_budget *budget, const struct wire_state *state)
{
    const struct wire_state *newest = budget->known[0];
    return newest != NULL && newest->tick == state->tick && newest->series == state->series &&
        budget->is_whole[0] && newest->view_hash == state->view_hash;
}

/* Completes a world that does not run, once the budget suffices; until then bytes are saved. */
static struct sv_own *
complete_message(struct making *making)
{
    int count = making->weighing.order_count;
    bool has_all = is_shown(making->budget, making->view->state);
    if (has_all && making->known == NULL) {
        return NULL; /* the client has everything: the message would only repeat it */
    }
    size_t size = encode_bodies(making, count);
    if (size > making->room && !has_all) {
        making->budget->owed = size + making->moment->header_size;
    }
    return size == 0 || size > making->room ? NULL : finish_message(making, count);
}

static struct sv_own *
make_private(struct making *making, const struct sv_scope *scope, struct sv_weigher *weigher)
{
    making->known = baseline_of(making->budget, making->view->state);
    if (!sv_weigh(&making->weighing, weigher, &making->budget->waits, scope,
            making->known, making->view->state)) {
        return NULL;
    }
    making->mix = sv_mix_create(&making->weighing);
    struct sv_own *own = NULL;
    if (making->mix != NULL) {
        own = making->moment->is_going_on ? fill_message(making, scope) : complete_message(making);
    }
    wire_state_unref(making->mix);
    return own;
}

/* ---- contacts ---- */

/* Whether a keyframe of contacts may be on its way. */
static bool
is_waiting(const struct sv_budget *budget)
{
    bool is_under_way = false;
    for (int i = 0; i < budget->pending_count && budget->contacts.known == NULL; i++) {
        const struct sv_own *own = budget->pending[i];
        is_under_way = is_under_way || (own->contacts != NULL && own->epoch == budget->epoch);
    }
    return is_under_way;
}

/*
 * Puts the contacts into the client's message.  Those of a world that does not run are sent without
 * bodies, if the client has all of these; `own` is then NULL.  Takes the part and returns `own`.
 */
static struct sv_own *
put_contacts(const struct making *making, struct sv_own *own, struct sv_contact_part part)
{
    struct sv_budget *budget = making->budget;
    bool is_alone = own == NULL && part.message != NULL && !making->moment->is_going_on &&
        is_shown(budget, making->view->state);
    if (is_alone) {
        own = own_create(part.message, making->view->state, 0);
        part.message = NULL;
        if (own != NULL) {
            own->is_whole = true;
            own->contact_message = own->message;
            own->message = NULL;
            own->contacts = part.contacts;
            return own;
        }
    }
    if (own == NULL) {
        sv_buffer_unref(part.message);
        wire_contacts_unref(part.contacts);
        return NULL;
    }
    own->contact_message = part.message;
    own->contacts = part.contacts;
    return own;
}

static size_t
size_of(const struct sv_own *own)
{
    return (own->message != NULL ? own->message->size : 0) +
        (own->contact_message != NULL ? own->contact_message->size : 0);
}

struct sv_own *
sv_budget_make(struct sv_budget *budget, const struct sv_scope *scope, struct sv_view *view,
    struct sv_view_tools *tools, struct sv_weigher *weigher, const struct sv_moment *moment)
{
    struct making making = {
        .budget = budget, .view = view, .tools = tools, .moment = moment};
    settle_acks(budget);
    earn_bytes(budget, moment->now_ns);
    uint64_t bytes = budget->earned / SV_NS_PER_S;
    bool is_poor = bytes <= moment->header_size;
    bool is_late = is_poor && !moment->is_going_on && !is_shown(budget, view->state);
    budget->owed = is_late ? SV_BUDGET_MESSAGE_MIN : 0;
    if (budget->pending_count == SV_BUDGET_PENDING_MAX || is_poor ||
        !is_due(budget, view->state, moment)) {
        return NULL;
    }
    size_t room = (size_t)bytes - moment->header_size;
    struct sv_contact_part part = sv_contact_budget_make(&budget->contacts, view, tools,
        moment->tick_rate_hz, moment->is_going_on, is_waiting(budget),
        room / SV_BUDGET_CONTACT_PARTS);
    making.room = room - (part.message != NULL ? part.message->size : 0);
    struct sv_own *own = share_message(&making);
    if (own == NULL && (bytes >= SV_BUDGET_MESSAGE_MIN || !moment->is_going_on)) {
        own = make_private(&making, scope, weigher);
    }
    bool is_whole = part.is_whole;
    own = put_contacts(&making, own, part);
    if (!is_whole && !moment->is_going_on && budget->owed < SV_BUDGET_MESSAGE_MIN) {
        budget->owed = SV_BUDGET_MESSAGE_MIN; /* the rest is due when it can be paid */
    }
    if (own == NULL) {
        return NULL;
    }
    CN_ASSERT(size_of(own) <= room);
    own->epoch = budget->epoch;
    own->charge = (uint32_t)(moment->header_size + size_of(own));
    CN_ASSERT(budget->earned >= (uint64_t)own->charge * SV_NS_PER_S);
    budget->earned -= (uint64_t)own->charge * SV_NS_PER_S;
    CN_ASSERT(budget->pending_count < SV_BUDGET_PENDING_MAX);
    budget->pending[budget->pending_count++] = sv_own_ref(own);
    budget->has_made = true;
    budget->made_tick = view->state->tick;
    return own;
}
