/*
 * view.h: what a set of clients sees at one tick, and every message that shows it, made once.
 *
 * The worker makes the messages that its members want as a rule: whole states in each of their
 * modes, and the delta against the two states that were published before.  The network thread adds
 * what is missing: a delta against other baselines for a client that has skipped ticks, a keyframe
 * for one that has just come; whoever has the same baselines is sent the same bytes.
 *
 * Baselines are states, not numbers of ticks: a world that rests is shown again at the same tick,
 * and who has seen which of these states is what counts.
 *
 * Ownership: a view has a reference of its state, of every baseline that it has a delta against,
 * and of every message.
 * Threads: the worker's until it is published, then the network thread's.
 */
#ifndef SERVER_SNAPSHOT_VIEW_H
#define SERVER_SNAPSHOT_VIEW_H

#include "proto/codec.h"
#include "proto/delta.h"
#include "proto/state.h"
#include "server/base/buffer.h"
#include "server/base/limits.h"
#include "server/base/metrics.h"

struct sv_view_delta {
    struct wire_state *first, *second; /* second may be NULL */
    struct sv_buffer *message;
};

struct sv_view {
    struct wire_state *state;
    struct sv_buffer *whole[WIRE_MODE_COUNT]; /* framed; of DELTA the keyframe; NULL: not made */
    struct sv_view_delta *deltas; /* at most SV_DELTAS_MAX */
    int delta_count, delta_capacity;
    bool is_published; /* what is made now, the network thread makes */
};

/* What a thread makes messages with; zero-initialise but the metrics. */
struct sv_view_tools {
    struct wire_encoder encoder;
    struct sv_metrics *metrics;
    const struct cn_world *world; /* that the view is of; NULL on the network thread */
};
void sv_view_tools_finish(struct sv_view_tools *tools);

/* Keeps a reference of the state. */
void sv_view_init(struct sv_view *view, struct wire_state *state);
void sv_view_finish(struct sv_view *view);

/*
 * The message that shows the view in this mode, borrowed; made if need be.  Baselines are those of
 * the client, the newest first, and may be NULL; only DELTA looks at them, and one that is too old
 * or of another series is not used.  RAW is made from the world itself, on the worker alone.  NULL
 * when there is no memory.
 */
struct sv_buffer *sv_view_show(struct sv_view *view, struct sv_view_tools *tools,
    enum wire_mode mode, struct wire_state *first, struct wire_state *second);

/* Whether there is any tick in the future of `state` against which it could serve as a baseline. */
bool sv_view_may_serve(const struct wire_state *baseline, const struct wire_state *state);

#endif
