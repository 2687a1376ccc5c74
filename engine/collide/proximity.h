/*
 * proximity.h: which shapes of a large world may touch, kept up from tick to tick.
 *
 * Every shape has a box that is larger than it (fat): while the shape stays within, nothing has to
 * be done.  A shape that leaves it gets a new one and is searched for new neighbours.  Two trees
 * hold the fat boxes, one of shapes that do not move, one of the others.
 *
 * What is proposed depends on the past (fat boxes, the trees' forms); results of a world may not.
 * So a pair proposed only means that the narrowphase looks at it; and every pair whose shapes are
 * within the margin given to cn_proximity_put is proposed, at the latest by the next find.
 *
 * Boxes are of float, rounded outward from double.  Planar boxes have z from 0 to 0.
 *
 * Ownership: the memory is the arena's; nothing here allocates.
 */
#ifndef ENGINE_COLLIDE_PROXIMITY_H
#define ENGINE_COLLIDE_PROXIMITY_H

#include "engine/base/arena.h"
#include "engine/collide/broadphase.h"
#include "engine/math/aabb.h"

#include <stdbool.h>
#include <stdint.h>

struct cn_proximity;

/*
 * Lays one out on an arena (NULL from a measuring one): room for shapes 0 .. shape_max - 1, none of
 * them in.
 */
struct cn_proximity *cn_proximity_make(struct cn_arena *arena, int shape_max);

/* Takes over what is in `from`, whose room is no larger: so room grows, between ticks. */
void cn_proximity_move(struct cn_proximity *to, const struct cn_proximity *from);

/*
 * Puts a shape in, or follows it.  `tight` are its bounds with the speculative margin, `extra` [m]
 * by how much a new fat box is larger on every side.  `fixed`: among those that do not move, which
 * are not paired with each other.  A shape that is in and stays within its fat box costs a compare.
 */
void cn_proximity_put(
    struct cn_proximity *proximity, int shape, const cn_aabb *tight, double extra, bool fixed);
void cn_proximity_remove(struct cn_proximity *proximity, int shape);

/* Whether a put of these bounds, in the plane and among those that move, would do nothing. */
bool cn_proximity_holds(const struct cn_proximity *proximity, int shape, double low_x,
    double low_y, double high_x, double high_y);

/* The next find gives all pairs of this shape, as if it had just been put in; its box stays. */
void cn_proximity_renew(struct cn_proximity *proximity, int shape);

/* Whether both are in and their fat boxes overlap. */
bool cn_proximity_overlaps(const struct cn_proximity *proximity, int shape_a, int shape_b);

/*
 * Pairs of shapes whose fat boxes overlap now and did not at the last find, once each, ascending by
 * (a, b), a < b, those that the filter admits.  A shape that was put in since overlapped nothing
 * before.  So who keeps a pair until cn_proximity_overlaps denies it meets all pairs, and none
 * twice; one whose filter changes its mind renews the shape.  When there are
 * more than pair_max the result is above pair_max, nothing is forgotten, and a call with room
 * gives them all.
 */
int cn_proximity_find(struct cn_proximity *proximity, cn_pair_filter *filter, const void *context,
    struct cn_pair *pairs, int pair_max);

/*
 * Brings the trees up to date with all boxes, which a find does, too, and need not do again.
 * Queries and casts ask trees that are: is_ordered.
 */
void cn_proximity_order(struct cn_proximity *proximity);
bool cn_proximity_is_ordered(const struct cn_proximity *proximity);

/* Calls visit for every shape whose fat box overlaps `box`, until it answers false. */
typedef bool cn_proximity_visit(void *context, int shape);
void cn_proximity_query(const struct cn_proximity *proximity, const cn_aabb *box,
    cn_proximity_visit *visit, void *context);

/* The same for those that do not move. */
void cn_proximity_query_fixed(const struct cn_proximity *proximity, const cn_aabb *box,
    cn_proximity_visit *visit, void *context);

/*
 * Calls visit for shapes whose fat box, grown by `radius`, the segment from + t along, 0 <= t <=
 * fraction meets; visit answers the new fraction (0 ends it).
 */
typedef double cn_proximity_visit_ray(void *context, int shape, double fraction);
void cn_proximity_cast(const struct cn_proximity *proximity, cn_vec3 from, cn_vec3 along,
    double radius, cn_proximity_visit_ray *visit, void *context);

#endif
