/*
 * pairs.h: shared by the searches of the steppers: which pairs may touch, and whether there is
 * room.
 */
#ifndef ENGINE_STEP_PAIRS_H
#define ENGINE_STEP_PAIRS_H

#include "engine/model/model.h"

/*
 * Whether two shapes may meet: they belong to two bodies, at least one of which can move, no joint
 * keeps these from colliding, neither shape is a sensor, and the filters allow it.  Shapes of two
 * materials that ignore each other do not meet.
 */
bool cn_pairs_may_meet(const struct cn_model *model, int32_t shape_a, int32_t shape_b);

/*
 * Whether they may touch: they may meet, and do not pass through a one-way shape now.  A
 * cn_pair_filter; the context is the model.
 */
bool cn_pairs_may_touch(const void *model, int32_t shape_a, int32_t shape_b);

/*
 * Whether `count` entries found room.  Without room it asks for more; where the limit is reached,
 * it cuts the count and reports an event.
 */
bool cn_pairs_have_room(struct cn_model *model, int *count, int *room_needed);

#endif
