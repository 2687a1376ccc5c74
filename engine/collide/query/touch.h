/*
 * touch.h: the depth of overlap of two convex cores for which gjk.h finds no distance.
 *
 * Where the distance is 0 the two may just touch.  The axes that can separate them give the depth
 * of the overlap, and the normal of a touching pair.  They are the normals of edges in the plane,
 * of faces and of pairs of edges in space (collide/exact/core.h).
 */
#ifndef ENGINE_COLLIDE_QUERY_TOUCH_H
#define ENGINE_COLLIDE_QUERY_TOUCH_H

#include "engine/collide/query/convex.h"

/*
 * The largest side of B's core from A's along an axis [m], at most 0 up to rounding, and that axis,
 * unit, from A to B, in A's frame.  Arcs count as their chords.  A core of one point, or of two in
 * space, deep within the other gives -HUGE_VAL.
 */
double cn_touch_axis(
    const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a, cn_vec3 *axis);

#endif
