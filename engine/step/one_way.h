/*
 * one_way.h: one-way shapes, through which others pass from behind.
 *
 * A one-way shape has a normal, fixed in its body.  It holds a shape that comes against the normal.
 * It lets pass a shape that comes from behind or from a side, or that overlaps at first, until the
 * two have parted.  Then it holds it, if it is in front.
 *
 * At the begin of each tick every pair of a one-way shape and another one that may meet within the
 * tick is judged:
 *
 *     it passed, and has not parted: the gap is at most the gap tolerance     passes
 *     it was held                                                             is held
 *     else, deeper than DEEP_FRACTION of the smaller width                    passes
 *     else, contact normal . n > FRONT_COSINE, and it does not leave fast     is held
 *     else                                                                    passes
 *
 * Of two one-way shapes both must hold.  The pairs are state, because the first two rows need the
 * last tick.  A pair that passes has no contact in the tick (cn_pairs_may_touch).
 *
 * Cost: all shapes are tested for each one-way shape, first by their reach.
 */
#ifndef ENGINE_STEP_ONE_WAY_H
#define ENGINE_STEP_ONE_WAY_H

#include "engine/model/model.h"

/*
 * Judges all pairs, ascending, for a tick that begins now.  A result above passage_max means that
 * the list is cut.
 */
int cn_one_way_judge(const struct cn_model *model, struct cn_passage *passage, int passage_max);

#endif
