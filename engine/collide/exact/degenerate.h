/*
 * degenerate.h: sharp features that meet and have no normal of their own.
 *
 * These are two corners, a corner and an edge, or two parallel edges.  As in Baraff 1989, section
 * 4.1, the average of the adjacent face normals is used, across the edges, and one body is imagined
 * extended by the plane across it: A's at a corner or at its edge, B's where only B has an edge.
 *
 * Where the two lie on each other over some area there is no tip.  Neither is there one where faces
 * of both are opposite up to SEAM_ANGLE and nearly level or nearly upright: so blocks and walls
 * that share corners and edges slide over their seams.
 */
#ifndef ENGINE_COLLIDE_EXACT_DEGENERATE_H
#define ENGINE_COLLIDE_EXACT_DEGENERATE_H

#include "engine/collide/exact/region.h"

/*
 * Replaces the contacts of the manifold by those of tips that meet, up to TIP_RATIO of the width.
 * Changes nothing where there is no tip.
 */
void cn_degenerate_resolve(const struct cn_meeting *meeting, const struct cn_axis *axis);

#endif
