/*
 * history.h: the poses of a world's bodies after each of its last ticks, for queries that name a
 * past tick.
 *
 * The state of a tick is the one that its last step leaves; commands applied after that belong to
 * the next tick.  Frame k holds the data that takes the state of tick k + 1 back to that of tick k:
 * the pose of each body that moved, or was placed, removed or changed in between.  A body without a
 * row in frames k and later is where it was after tick k.  So a body at rest costs nothing.  For
 * any other body the pose after tick k is in the first of its rows from frame k on.
 *
 *     row       the pose of the centre of mass, exactly, and a ball about it that contains the body
 *     starter   a row of a body without one in the frame before: a query of tick k looks at the
 *               rows of frame k and at later starters, which are few, whose last row was earlier
 *     grave     a removed body, or one that was given other filters: its shapes as they
 *               were, and the ticks through which they were there
 *
 * The history is not state: it is in no image and no hash, and no tick reads it.  It begins with
 * the present world, and begins again when an image is read.  Data for which there is no memory is
 * forgotten.
 *
 * Memory: frames grow at the end of a tick to the size of its motion, and then keep that size.  At
 * CN_REWIND_SIZE_MAX the oldest are forgotten.
 */
#ifndef ENGINE_WORLD_HISTORY_H
#define ENGINE_WORLD_HISTORY_H

#include "engine/base/status.h"
#include "engine/model/model.h"

struct cn_world;
struct cn_history;

/* Remembers `tick_max` ticks from now on; 0: nothing is kept.  False without memory. */
CN_MUST_USE bool cn_history_begin(struct cn_world *world, int tick_max);
void cn_history_destroy(struct cn_history *history);

/* To be called when another state was read: the history begins here. */
void cn_history_restart(struct cn_world *world);

/* To be called when a tick has just ended. */
void cn_history_tick(struct cn_world *world);

/* To be called when a body was made or placed, or before it is removed or gets other filters. */
void cn_history_made(struct cn_world *world, int body);
void cn_history_placed(struct cn_world *world, int body);
void cn_history_removes(struct cn_world *world, int body);
void cn_history_alters(struct cn_world *world, int body);

/*
 * Returns the first remembered tick; the last one is the present tick.  When none is remembered, it
 * returns the present tick + 1.
 */
uint64_t cn_history_first(const struct cn_history *history);
uint64_t cn_history_start(const struct cn_history *history); /* where the history began, */
int cn_history_tick_max(const struct cn_history *history);
size_t cn_history_size(const struct cn_history *history); /* bytes; NULL: 0 */

/* ---- for queries: of a tick that is remembered ---- */

/* Whether the body of a slot has the same pose, shapes and filters as at the end of that tick. */
bool cn_history_is_same(const struct cn_history *history, int body, uint64_t tick);

/* The body's pose at the end of that tick, if cn_history_is_same. */
cn_pose cn_history_pose(const struct cn_world *world, int body);
cn_vec3 cn_history_position(const struct cn_history *history, int body);

/* A ball that moves along a straight path. */
struct cn_history_way {
    cn_vec3 from, along;
    double radius;
    const double *fraction; /* the part of the path that matters; may shrink */
};

/* A body as it was in the past. */
struct cn_past_body {
    int body, shape_first, shape_count;
    const struct cn_shape *shape;
    cn_pose pose;
};

/* Calls visit for all other bodies that the ball may have met. */
typedef void cn_history_visit(void *context, const struct cn_past_body *body);
void cn_history_meet(const struct cn_world *world, uint64_t tick,
    const struct cn_history_way *way, cn_history_visit *visit, void *context);

#endif
