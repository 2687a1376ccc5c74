/*
 * solid.h: faces and edges of a convex solid in space, in exact numbers.
 *
 * The faces of a hull are those of the exact points: a plane through three points is the plane of a
 * face if no point lies beyond it.  So corners that were rounded, such as those of a regular
 * pentagon, may make several faces that are nearly in one plane.  Contacts do not depend on that:
 * the corners that lie near a face's plane (touch_solid.h) are the same for all of them.
 *
 * The normal of a hull's face is the vector of coprime integers, divided by its length (pv_root).
 * docs/certificates.md states the same rules.
 *
 * Invariants: 1. facet_count >= 4; every edge joins two different corners, the lower one first.
 * 2. has[] is facet_count x corner_count: whether a corner lies on a face.
 */
#ifndef PROVE_SOLID_H
#define PROVE_SOLID_H

#include "prove/place.h"

#include <stdbool.h>

struct pv_facet {
    pv_vec normal; /* outward, of length 1 as far as pv_root goes */
    int corner;    /* one that lies on it */
};

struct pv_solid {
    int facet_count, edge_count, corner_count;
    struct pv_facet *facet; /* in the order of their first three points that are not on a line */
    int (*edge)[2];         /* corners; in ascending order */
    bool *has;
};

/*
 * The hull of `count` points, which span a volume.  The corners are moved to the beginning of
 * point[], in their order.
 */
void pv_solid_init_hull(struct pv_solid *solid, pv_vec *point, int count);

/* A cuboid: bit k of i tells the side of corner i along axis k. */
void pv_solid_init_cuboid(struct pv_solid *solid);

void pv_solid_finish(struct pv_solid *solid); /* accepts one that is all zeros */

/* Turns the normals into the outer frame. */
void pv_solid_turn(struct pv_solid *solid, const struct pv_place *place);

#endif
