/*
 * publication.h: all that a world shows after a tick, made once on its worker.
 *
 * The frames are framed messages (server/base/frame.h), the same bytes for every client; what is
 * one client's own is its line in `members`.
 *
 * Ownership: passed from worker to network thread through sv_post; who holds it destroys it.
 */
#ifndef SERVER_SNAPSHOT_PUBLICATION_H
#define SERVER_SNAPSHOT_PUBLICATION_H

#include "server/mail/letter.h"
#include "server/snapshot/view.h"

struct sv_publication_member {
    uint64_t session;
    uint64_t applied_seq;
    uint32_t early_count, late_count;
    int32_t margin; /* of its inputs, sixteenths of a tick */
    uint32_t seat;
    enum wire_mode mode;
    bool contacts, energy; /* what it has subscribed to */
};

struct sv_publication {
    struct wire_status status;
    uint64_t time_ns; /* monotonic, of publishing */
    struct sv_view view;
    struct sv_buffer *contacts, *events; /* NULL when nobody wants them; see sv_world.resting */
    struct sv_buffer *energy;
    int member_count;
    struct sv_publication_member members[]; /* in ascending order of seats */
};

/* What the members of a world want to be shown, all together. */
struct sv_wants {
    bool mode[WIRE_MODE_COUNT];
    bool contacts, energy;
};

/*
 * Makes the messages that are wanted; members are left to the caller.  Deltas are against the
 * states that were published before, `before[0]` the newest, which may be NULL.  Contacts are those
 * of `resting`, borrowed, where that is not NULL.  NULL without memory.
 */
struct sv_publication *sv_publication_create(const struct cn_world *world,
    struct wire_state *state, struct wire_state *const before[2], const struct sv_wants *wants,
    struct sv_buffer *resting, struct sv_view_tools *tools, int member_count);
void sv_publication_destroy(struct sv_publication *publication); /* takes NULL */

/* The member in that seat, or NULL. */
const struct sv_publication_member *sv_publication_find(
    const struct sv_publication *publication, uint32_t seat);

#endif
