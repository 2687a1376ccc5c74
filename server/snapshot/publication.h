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

#include "proto/snapshot_codec.h"
#include "server/mail/letter.h"

struct sv_publication_member {
    uint64_t session;
    uint64_t applied_seq;
    uint32_t seat;
    bool contacts, energy; /* what it has subscribed to */
};

struct sv_publication {
    struct wire_status status;
    uint64_t time_ns; /* monotonic, of publishing */
    struct sv_buffer *snapshot;
    struct sv_buffer *contacts, *events; /* NULL when nobody wants them; see sv_world.resting */
    struct sv_buffer *energy;
    int member_count;
    struct sv_publication_member members[]; /* in ascending order of seats */
};

/*
 * Frames the world's view and channels; members are left to the caller.  NULL without memory.
 * Contacts are those of `resting`, borrowed, where that is not NULL.
 */
struct sv_publication *sv_publication_create(const struct cn_world *world,
    const struct wire_state *state, bool contacts, struct sv_buffer *resting, bool energy,
    int member_count);
void sv_publication_destroy(struct sv_publication *publication); /* takes NULL */

/* The member in that seat, or NULL. */
const struct sv_publication_member *sv_publication_find(
    const struct sv_publication *publication, uint32_t seat);

/*
 * Frames one message: measures with (NULL, 0), then writes.  `encode` is called with `context`.
 * NULL when there is no memory.
 */
typedef size_t sv_encode(const void *context, uint8_t *out, size_t out_size);
struct sv_buffer *sv_message_frame(sv_encode *encode, const void *context);

#endif
