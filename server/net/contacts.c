#include "server/net/contacts.h"

#include "server/snapshot/ticks.h"

struct sv_shown_contacts
sv_contacts_show(struct sv_seat *seat, struct sv_publication *publication,
    const struct sv_publication_member *member)
{
    const struct wire_status *status = &publication->status;
    struct sv_view *view = &publication->views[member->view];
    if (!member->contacts || member->has_budget) {
        return (struct sv_shown_contacts){0};
    }
    bool is_delta = sv_wants_contact_deltas(true, member->contact_rate_hz, member->mode);
    struct sv_shown_contacts shown = {
        .base = is_delta ? seat->contact_base : NULL,
        .frame = is_delta ? NULL : seat->contacts,
    };
    bool has_any = shown.base != NULL || shown.frame != NULL;
    bool is_going_on = status->state == WIRE_WORLD_RUNNING && !status->idle;
    shown.is_due = (!is_delta || view->contacts != NULL) &&
        (!is_going_on || !has_any ||
            sv_rate_has_tick(
                member->contact_rate_hz, seat->contact_tick, status->tick, status->tick_rate));
    if (shown.is_due && !is_delta && publication->contacts != shown.frame) {
        shown.frame = shown.message = publication->contacts;
    } else if (shown.is_due && is_delta && view->contacts != shown.base) {
        shown.message = sv_view_show_contacts(view, &seat->gateway->tools, shown.base);
        shown.base = shown.message != NULL ? view->contacts : shown.base;
    }
    return shown;
}

void
sv_contacts_remember(struct sv_seat *seat, const struct sv_shown_contacts *shown, uint64_t tick)
{
    if (shown->frame != seat->contacts) {
        sv_buffer_unref(seat->contacts);
        seat->contacts = shown->frame != NULL ? sv_buffer_ref(shown->frame) : NULL;
    }
    sv_seat_set_contacts(seat, shown->base);
    seat->contact_tick = shown->is_due ? tick : seat->contact_tick;
}
