/*
 * touch.h: how deep two convex cores overlap that gjk.h finds no distance between.
 *
 * Where the distance is 0 the two may just touch: by the axes that can part them (normals of edges
 * in the plane, of faces and of pairs of edges in space, collide/core.h) the overlap is measured,
 * and the normal found that a touching pair has.
 */
#ifndef ENGINE_COLLIDE_TOUCH_H
#define ENGINE_COLLIDE_TOUCH_H

#include "engine/collide/convex.h"

/*
 * The largest side of B's core from A's along an axis [m], at most 0 up to rounding, and that axis,
 * unit, from A to B, in A's frame.  Arcs count as their chords; a core of one point, or of two in
 * space, as deep within the other: -HUGE_VAL.
 */
double cn_touch_axis(
    const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a, cn_vec3 *axis);

#endif
