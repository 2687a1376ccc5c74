/*
 * publication.h: all that a world shows after a tick, made once on its worker.
 *
 * The frames are framed messages (server/base/frame.h), the same bytes for every client; the facts
 * of one client are in its element of `members`.
 *
 * Ownership: passed from worker to network thread through sv_mailbox; its holder destroys it.
 */
#ifndef SERVER_SNAPSHOT_PUBLICATION_H
#define SERVER_SNAPSHOT_PUBLICATION_H

#include "server/mail/message.h"
#include "server/snapshot/budget.h"
#include "server/snapshot/events.h"
#include "server/snapshot/view.h"

/* One for every member and tick, so it is as small as possible. */
struct sv_publication_member {
    uint64_t session;
    uint64_t applied_seq;
    struct sv_own *own;
    uint32_t seat;
    uint32_t view; /* index in the publication's views */
    uint32_t early_count, late_count;
    int32_t margin; /* of its inputs, in sixteenths of a tick */
    uint16_t contact_rate_hz; /* 0: a ContactFrame with every tick */
    uint8_t mode;   /* an enum wire_mode */
    bool contacts : 1, energy : 1, actions : 1, attributes : 1; /* subscribed frames */
    bool is_quiet : 1; /* it is sent no ticks */
    bool has_budget : 1; /* it gets only `own`; if that is NULL, nothing this time */
};
_Static_assert(sizeof(struct sv_publication_member) <= 48, "see above");

struct sv_publication {
    struct wire_status status;
    uint64_t time_ns; /* when it was published, monotonic */
    bool is_overrun;  /* its world has lost ticks for SV_OVERRUN_NS */
    enum wire_durability durability; /* TICK: do not show it before ... */
    uint64_t ticket;                 /* ... this ticket of the lane is durable */
    bool is_uncovered; /* a recovery after a crash would not reach this tick */
    struct sv_view *views; /* the first is the whole world */
    int view_count;
    bool has_owns; /* some member has a message of its own */
    struct sv_buffer *contacts; /* a ContactFrame; NULL if no member wants it; see
                                 * sv_world.resting */
    struct sv_events events;    /* of this tick and earlier ones; only with contacts */
    struct sv_buffer *energy;
    struct sv_buffer *actions; /* NULL also if no input acts */
    int member_count;
    struct sv_publication_member members[]; /* in ascending order of seats */
};

/*
 * A publication whose views, messages and members are zeros, for the caller to fill.  NULL without
 * memory.
 */
struct sv_publication *sv_publication_create(int member_count, int view_count);

/* Whether a member is sent ContactDeltas, with the contacts of its view; not a ContactFrame. */
static inline bool
sv_wants_contact_deltas(bool contacts, uint32_t contact_rate_hz, enum wire_mode mode)
{
    return contacts && contact_rate_hz > 0 && mode != WIRE_MODE_RAW && mode != WIRE_MODE_JSON;
}

/*
 * Adds a ContactFrame.  If `resting` is not NULL, it is that frame, and is borrowed.  False without
 * memory.
 */
bool sv_publication_add_contacts(struct sv_publication *publication,
    const struct cn_world *world, struct sv_buffer *resting);
bool sv_publication_add_energy(
    struct sv_publication *publication, const struct cn_world *world);

/* Adds the actions of members, if any input acts.  False without memory. */
bool sv_publication_add_actions(
    struct sv_publication *publication, const struct cn_world *world);
void sv_publication_destroy(struct sv_publication *publication); /* takes NULL */

/* The member in that seat, or NULL. */
const struct sv_publication_member *sv_publication_find(
    const struct sv_publication *publication, uint32_t seat);

#endif
