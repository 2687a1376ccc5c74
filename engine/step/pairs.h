/* pairs.h: what the steppers share in their search: who may touch, and whether there is room. */
#ifndef ENGINE_STEP_PAIRS_H
#define ENGINE_STEP_PAIRS_H

#include "engine/model/model.h"

/*
 * Whether two shapes may touch: of two bodies, one of which can move, and which no joint keeps from
 * colliding; no sensors, and the filters let them.  A cn_pair_filter; the context is the model.
 */
bool cn_pairs_may_touch(const void *model, int32_t shape_a, int32_t shape_b);

/*
 * Whether `count` entries found room.  Without room it asks for more; where there is no more to be
 * had, it cuts the count and says so.
 */
bool cn_pairs_have_room(struct cn_model *model, int *count, int *room_needed);

#endif
