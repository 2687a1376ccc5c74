/*
 * proximity.h: finds the shapes of a large world that may touch, updated from tick to tick.
 *
 * Every shape has a box that is larger than the shape (fat): while the shape stays within it,
 * nothing has to be done.  A shape that leaves its box gets a new one and is searched for new
 * neighbours.  Two forests hold the fat boxes, one for shapes that do not move, one for the others.
 *
 * The proposed pairs depend on the past (fat boxes, the forms of the trees), but the results of a
 * world may not.  So proposing a pair only means that the narrowphase looks at it.  Every pair
 * whose shapes are within the margin given to cn_proximity_put is proposed, at the latest by the
 * next find.
 *
 * Boxes are of float, rounded outward from double.  Planar boxes have z from 0 to 0.
 *
 * Ownership: the memory is the arena's; nothing here allocates.
 */
#ifndef ENGINE_COLLIDE_QUERY_PROXIMITY_H
#define ENGINE_COLLIDE_QUERY_PROXIMITY_H

#include "engine/base/arena.h"
#include "engine/collide/broad/broadphase.h"
#include "engine/math/aabb.h"

#include <stdbool.h>
#include <stdint.h>

struct cn_proximity;

/*
 * Lays out a proximity on an arena (NULL from a measuring one), with room for shapes 0 .. shape_max
 * - 1, none of them in.
 */
struct cn_proximity *cn_proximity_make(struct cn_arena *arena, int shape_max);

/*
 * Moves the contents of `from`, whose capacity is no larger, to `to`: so the capacity grows between
 * ticks.
 */
void cn_proximity_move(struct cn_proximity *to, const struct cn_proximity *from);

/*
 * Adds or updates a shape.  `tight` are its bounds with the speculative margin; a new fat box is
 * larger by `extra` [m] on every side.  `fixed` shapes do not move and are not paired with each
 * other.  For a shape that stays within its fat box the cost is one comparison.
 */
void cn_proximity_put(
    struct cn_proximity *proximity, int shape, const cn_aabb *tight, double extra, bool fixed);
void cn_proximity_remove(struct cn_proximity *proximity, int shape);

/* Whether a put of these bounds, in the plane and for a shape that moves, would change nothing. */
bool cn_proximity_holds(const struct cn_proximity *proximity, int shape, double low_x,
    double low_y, double high_x, double high_y);

/* The same for a box in space or in the plane. */
bool cn_proximity_is_within(
    const struct cn_proximity *proximity, int shape, const cn_aabb *tight);

/* Makes the next find give all pairs of this shape, as if it had just been added; its box stays. */
void cn_proximity_renew(struct cn_proximity *proximity, int shape);

/* Whether both shapes are in and their fat boxes overlap. */
bool cn_proximity_overlaps(const struct cn_proximity *proximity, int shape_a, int shape_b);

/*
 * Pairs of shapes whose fat boxes overlap now and did not at the last find, once each, ascending by
 * (a, b), a < b, if the filter accepts them.  A shape added since the last find overlapped nothing
 * before.  So a caller that keeps each pair until cn_proximity_overlaps is false sees all pairs,
 * and each once.  If the filter changes for a shape, the caller renews the shape.  When there are
 * more than pair_max pairs the result is above pair_max, nothing is forgotten, and a call with
 * enough room gives them all.
 */
int cn_proximity_find(struct cn_proximity *proximity, cn_pair_filter *filter, const void *context,
    struct cn_pair *pairs, int pair_max);

/*
 * Updates the trees with all boxes.  A find does this too, and then need not do it again.  Queries
 * and casts need updated trees: is_ordered.
 */
void cn_proximity_order(struct cn_proximity *proximity);
bool cn_proximity_is_ordered(const struct cn_proximity *proximity);

/* Calls visit for every shape whose fat box overlaps `box`, until it returns false. */
typedef bool cn_proximity_visit(void *context, int shape);
void cn_proximity_query(const struct cn_proximity *proximity, const cn_aabb *box,
    cn_proximity_visit *visit, void *context);

/* The same for shapes that do not move. */
void cn_proximity_query_fixed(const struct cn_proximity *proximity, const cn_aabb *box,
    cn_proximity_visit *visit, void *context);

/*
 * Calls visit for shapes whose fat box, grown by `radius`, is met by the segment from + t along, 0
 * <= t <= fraction; visit returns the new fraction (0 ends it).
 */
typedef double cn_proximity_visit_ray(void *context, int shape, double fraction);
void cn_proximity_cast(const struct cn_proximity *proximity, cn_vec3 from, cn_vec3 along,
    double radius, cn_proximity_visit_ray *visit, void *context);

#endif
