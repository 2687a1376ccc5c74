#include "server/snapshot/contact_budget.h"

#include "engine/base/assert.h"
#include "server/base/frame.h"
#include "server/snapshot/framing.h"
#include "server/snapshot/ticks.h"

#define TRIES_MAX 5 /* encodings of one message until it fits */

void
sv_contact_budget_forget(struct sv_contact_budget *budget)
{
    wire_contacts_unref(budget->known);
    budget->known = NULL;
    budget->has_made = false;
}

void
sv_contact_budget_learn(struct sv_contact_budget *budget, struct wire_contacts *contacts)
{
    if (budget->known == NULL || budget->known->number < contacts->number) {
        wire_contacts_unref(budget->known);
        budget->known = wire_contacts_ref(contacts);
    }
}

static bool
is_due(const struct sv_contact_budget *budget, uint64_t tick, double tick_rate_hz)
{
    return !budget->has_made ||
        sv_rate_has_tick(budget->rate_hz, budget->made_tick, tick, tick_rate_hz);
}

/*
 * Encodes the client's contacts with at most `count` differences more.  Returns the framed size; 0
 * without memory.
 */
static size_t
try_count(struct sv_contact_budget *budget, struct wire_contact_encoder *encoder,
    struct wire_contacts *now, int count, struct wire_contacts_mix *mix)
{
    wire_contacts_unref(mix->contacts);
    *mix = wire_contacts_mix(budget->known, now, &budget->after, count);
    if (mix->contacts == NULL) {
        return 0;
    }
    mix->contacts->number = budget->number + 1;
    return wire_encode_contact_delta(encoder, mix->contacts, budget->known)
        ? sv_frame_header_size(encoder->size) + encoder->size
        : 0;
}

struct sv_contact_part
sv_contact_budget_make(struct sv_contact_budget *budget, struct sv_view *view,
    struct sv_view_tools *tools, double tick_rate_hz, bool is_going_on, bool is_waiting,
    size_t room)
{
    struct sv_contact_part part = {.is_whole = true};
    struct wire_contacts *now = view->contacts;
    if (budget->rate_hz == 0 || now == NULL ||
        (budget->known != NULL && wire_contacts_are_equal(budget->known, now))) {
        return part;
    }
    part.is_whole = false;
    if (is_waiting || (is_going_on && !is_due(budget, view->state->tick, tick_rate_hz))) {
        return part;
    }
    struct wire_contacts_mix mix = {0};
    int count = now->count;
    size_t size = try_count(budget, &tools->contact_encoder, now, count, &mix);
    for (int i = 0; i < TRIES_MAX && size > room && count > 0; i++) {
        int fewer = (int)((double)room / (double)size * mix.taken_count);
        count = fewer - fewer / 8;
        size = try_count(budget, &tools->contact_encoder, now, count, &mix);
    }
    if (size > 0 && size <= room) {
        part.message =
            sv_frame_bytes(tools->contact_encoder.bytes, tools->contact_encoder.size);
    }
    if (part.message == NULL) {
        wire_contacts_unref(mix.contacts);
        return part;
    }
    SV_OBSERVE(tools->metrics, contact_bytes, part.message->size);
    CN_ASSERT(part.message->size <= room);
    part.contacts = mix.contacts;
    part.is_whole = mix.is_whole;
    budget->after = mix.last;
    budget->number++;
    budget->has_made = true;
    budget->made_tick = view->state->tick;
    return part;
}
