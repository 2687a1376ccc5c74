/*
 * history.h: where the bodies of a world were after each of its last ticks, for queries that name a
 * tick of the past.
 *
 * What a tick left is what its last step made of the world; what commands do to it then is of the
 * next one.  Frame k holds what must be undone to come from the state that tick k + 1 left to that
 * of tick k: of each body that moved, or was placed, removed or changed in between, where it was.
 * A body without a row in frames k and later is where it was after tick k.  So one at rest costs
 * nothing, and the pose after tick k of any other stands in the first of those rows.
 *
 *     row       the pose of the centre of mass, exactly, and a ball about it that holds the body
 *     starter   a row of a body without one in the frame before: a query of tick k looks at the
 *               rows of frame k and at later starters, which are few, whose last row was earlier
 *     grave     a body that is not there any more, or was given other filters: its shapes as they
 *               were, and the ticks through which they were there
 *
 * Nothing here is state: it is in no image, in no hash, and no tick looks at it.  It begins with
 * the world as it is, and again when an image is read; what finds no memory is forgotten.
 *
 * Memory: frames grow to what ticks move, at their end, and then stay as they are.  At
 * CN_REWIND_SIZE_MAX the oldest are forgotten.
 */
#ifndef ENGINE_WORLD_HISTORY_H
#define ENGINE_WORLD_HISTORY_H

#include "engine/base/status.h"
#include "engine/model/model.h"

struct cn_world;
struct cn_history;

/* Remembers so many ticks from now on; 0: none, and nothing is kept. False without memory. */
CN_MUST_USE bool cn_history_begin(struct cn_world *world, int tick_max);
void cn_history_destroy(struct cn_history *history);

/* Another state has been read: the past begins here. */
void cn_history_restart(struct cn_world *world);

/* A tick is done, just now. */
void cn_history_tick(struct cn_world *world);

/* A body was made, was placed, is about to be removed, or to be given other filters. */
void cn_history_made(struct cn_world *world, int body);
void cn_history_placed(struct cn_world *world, int body);
void cn_history_removes(struct cn_world *world, int body);
void cn_history_alters(struct cn_world *world, int body);

/* Ticks [first, the present one] are remembered; first is one more when none is. */
uint64_t cn_history_first(const struct cn_history *history);
uint64_t cn_history_start(const struct cn_history *history); /* where the past began, */
int cn_history_tick_max(const struct cn_history *history);
size_t cn_history_size(const struct cn_history *history); /* bytes; NULL: 0 */

/* ---- for queries: of a tick that is remembered ---- */

/* Whether the body of a slot is where it was, and what it was, since that tick. */
bool cn_history_is_same(const struct cn_history *history, int body, uint64_t tick);

/* Its pose then, if it is. */
cn_pose cn_history_pose(const struct cn_world *world, int body);
cn_vec3 cn_history_position(const struct cn_history *history, int body);

/* A ball that goes along a way. */
struct cn_history_way {
    cn_vec3 from, along;
    double radius;
    const double *fraction; /* how much of it is of interest; may shrink */
};

/* A body as it was. */
struct cn_past_body {
    int body, shape_first, shape_count;
    const struct cn_shape *shape;
    cn_pose pose;
};

/* Calls visit for those of all others that the ball may have met. */
typedef void cn_history_visit(void *context, const struct cn_past_body *body);
void cn_history_meet(const struct cn_world *world, uint64_t tick,
    const struct cn_history_way *way, cn_history_visit *visit, void *context);

#endif
