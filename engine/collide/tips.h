/*
 * tips.h: sharp features that meet and have no normal of their own.
 *
 * Two corners, a corner and an edge, or two parallel edges.  As in Baraff 1989, section 4.1, the
 * average of the adjacent face normals is chosen, across the edges, and one body is imagined
 * extended by the plane across it: A's at a corner or at its edge, B's where only B has an edge.
 *
 * Where the two lie on each other over some area there is no tip; nor where a face of the one faces
 * one of the other up to SEAM_ANGLE and both are nearly level or nearly upright: so blocks and
 * walls, which have their corners and edges in common, slide over their seams.
 */
#ifndef ENGINE_COLLIDE_TIPS_H
#define ENGINE_COLLIDE_TIPS_H

#include "engine/collide/region.h"

/*
 * Replaces the contacts of the manifold by those of tips that meet, up to TIP_RATIO of the width.
 * Leaves them as they are where there is no tip.
 */
void cn_tips_resolve(const struct cn_meeting *meeting, const struct cn_axis *axis);

#endif
