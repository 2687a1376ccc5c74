/*
 * view.h: the state of one tick for a set of clients, and every message that shows it, made once.
 *
 * The worker makes the messages that members usually want: whole states in each of their modes, and
 * the delta against the last two published states.  The network thread makes the others: a delta
 * against other baselines for a client that has skipped ticks, a keyframe for one that has just
 * joined.  Clients with the same baselines are sent the same bytes.
 *
 * Baselines are states, not tick numbers: an idle world is published again at the same tick, and a
 * client may have seen any of these states.
 *
 * Ownership: a view has a reference of its state and contacts, of every baseline that it has a
 * delta against, and of every message.
 * Threads: the worker's until it is published, then the network thread's.
 */
#ifndef SERVER_SNAPSHOT_VIEW_H
#define SERVER_SNAPSHOT_VIEW_H

#include "proto/codec.h"
#include "proto/contact_delta.h"
#include "proto/delta.h"
#include "proto/state.h"
#include "server/base/buffer.h"
#include "server/base/limits.h"
#include "server/base/metrics.h"
#include "server/snapshot/attributes.h"

struct sv_view_delta {
    struct wire_state *first, *second; /* second may be NULL */
    struct sv_buffer *message;
};

/* AttributeFrames for clients that were sent `from` last; NULL: nothing yet. */
struct sv_view_attributes {
    struct sv_attributes *from;
    struct sv_buffer *message;
};
#define SV_VIEW_ATTRIBUTES_MAX 4 /* clients that skipped ticks differently are sent all */

struct sv_view_contact_delta {
    struct wire_contacts *base; /* NULL: a keyframe */
    struct sv_buffer *message;
};

struct sv_view {
    struct wire_state *state;
    struct sv_attributes *attributes; /* NULL: no client of the view wants them */
    struct sv_view_attributes attribute_frames[SV_VIEW_ATTRIBUTES_MAX];
    int attribute_frame_count;
    struct wire_contacts *contacts; /* NULL: no member wants them as deltas in this tick */
    struct sv_view_contact_delta *contact_deltas; /* at most SV_DELTAS_MAX */
    int contact_delta_count;
    struct sv_buffer *whole[WIRE_MODE_COUNT]; /* framed; for DELTA the keyframe; NULL: not made */
    struct sv_view_delta *deltas; /* at most SV_DELTAS_MAX */
    int delta_count, delta_capacity;
    bool is_published; /* from now on the network thread makes missing messages */
};

/* The tools of a thread for making messages; zero-initialise all except the metrics. */
struct sv_view_tools {
    struct wire_encoder encoder;
    struct wire_contact_encoder contact_encoder;
    struct sv_metrics *metrics;
    const struct cn_world *world; /* the world of the view; NULL on the network thread */
};
void sv_view_tools_finish(struct sv_view_tools *tools);

/* Holds a reference to the state. */
void sv_view_init(struct sv_view *view, struct wire_state *state);
void sv_view_finish(struct sv_view *view);

/*
 * The message of the view in this mode, borrowed; made if necessary.  The baselines are those of
 * the client, newest first, and may be NULL.  Only DELTA uses them, and only if they are recent and
 * of the same series.  RAW is made from the world itself, only by the worker.  NULL without memory.
 */
struct sv_buffer *sv_view_show(struct sv_view *view, struct sv_view_tools *tools,
    enum wire_mode mode, struct wire_state *first, struct wire_state *second);

/*
 * The AttributeFrames for a client that was sent `from` last, which may be NULL; borrowed, made if
 * necessary.  The view has attributes, and they are not `from`.  NULL without memory.
 */
struct sv_buffer *sv_view_show_attributes(struct sv_view *view, struct sv_attributes *from);

/*
 * The ContactDelta from `base`, which may be NULL, to the view's contacts, borrowed; made if
 * necessary.  NULL without memory.
 */
struct sv_buffer *sv_view_show_contacts(
    struct sv_view *view, struct sv_view_tools *tools, struct wire_contacts *base);

/* Whether `state` could be a baseline for any future tick. */
bool sv_view_may_serve(const struct wire_state *baseline, const struct wire_state *state);

#endif
