/*
 * region.h: the contacts of a face and the features of the other core that lie on it.
 *
 * Where a core lies on a face of another, only the vertices of the region in which they touch
 * matter (Baraff 1989, section 4.2).  Seen along the face's normal these are
 *
 *     vertices of the other core over the face                          contact of vertex and face
 *     corners of the face under faces of the other core                 the same, turned around
 *     crossings of the face's edges with edges of the other core        contact of two edges
 *
 * so that a face on a face, an edge on a face and a vertex on a face are one case.  Each contact
 * has the normal of its own features, not that of the face, so that gap and motion are exact where
 * the two are not quite parallel.  Contacts whose gap is above the margin are left out.  Where
 * vertices of both cores coincide B's is taken, whichever core has the face: names must not
 * flicker.
 *
 * Edges that cross at a small angle have a normal that hardly depends on the position of the
 * crossing.  Their crossing is treated as a point of B's edge on A's face, or of A's edge on B's
 * face.
 */
#ifndef ENGINE_COLLIDE_EXACT_REGION_H
#define ENGINE_COLLIDE_EXACT_REGION_H

#include "engine/collide/exact/core.h"
#include "engine/collide/exact/pair.h"

struct cn_meeting {
    const struct cn_pair_input *in;
    struct cn_manifold *manifold;
    const struct cn_core *a, *b;
    double width; /* the smaller of both [m] */
};

/*
 * Adds the contacts of a face of A (owner_is_a) or of B whose gap is at least `gap_min`.  If there
 * are too many it adds the deepest, and those that span the largest region.
 */
void cn_region_add(const struct cn_meeting *meeting, bool owner_is_a, int face, double gap_min);

/* Keeps at most `room` of `count` contacts, chosen as above, in their order. */
int cn_region_reduce(
    const cn_vec3 *place, const double *gap, int count, int room, cn_vec3 normal, int *kept);

#endif
