/*
 * mesh_low.h: the deepest points of edges.
 *
 * Two surfaces of few triangles may cross edge on edge between all samples.  Along an edge the
 * distance phi from another surface then has a minimum (a "low"), which is searched between
 * neighbouring points of the edge:
 *
 *     p(t) = from + t (to - from),  d its direction
 *     a low is within where phi falls at `from` and rises at `to`; the next t is where the tangents
 *     at both ends of what is left meet, which is the low itself where the two are planes
 *
 * At a low where two faces meet, the gradients g before and h after it differ.  Between them is the
 * one across the edge,
 *
 *     s = (1 - u) g + u h,   s . d = 0
 *
 * which is across the other surface's edge as well, since both faces contain it.  Its direction is
 * the normal of the contact, and the depth along it is phi / |s|.  Where boxes cross edge on edge
 * this is the overlap of the two edges, although the point's distance from a face is only sin 45
 * degrees of that.
 *
 * Distances are those of the true triangles, because a field is rounded where faces meet, by up to
 * a third of a cell.
 *
 * Only creases, edges that turn by more than 60 degrees, are searched.  Flatter edges hide no more
 * depth than their samples may miss (mesh_sample.c).
 *
 * Source: Guendelman, Bridson and Fedkiw 2003, section 4, the deepest points of edges.  Departure:
 * they find them by the zeros of the distance along the edge, and take their normals from the
 * distance.
 */
#ifndef ENGINE_MESH_MESH_LOW_H
#define ENGINE_MESH_MESH_LOW_H

#include "engine/mesh/mesh.h"

/* The distance of p from a surface, and its gradient, unit. */
typedef double cn_low_distance(void *context, cn_vec3 p, cn_vec3 *slope);

struct cn_low {
    cn_vec3 at;
    cn_vec3 normal; /* unit, out of the surface, across the segment */
    double gap;     /* along the normal [m] */
};

/* Whether the segment has a low whose gap is at most `reach`. */
bool cn_low_find(cn_low_distance *distance, void *context, cn_vec3 from, cn_vec3 to, double reach,
    struct cn_low *low);

/* The context of the distance from a mesh, in its frame. */
struct cn_in_mesh {
    const struct cn_mesh *mesh;
    int32_t triangle; /* near which the next point may be; -1: unknown */
};
double cn_mesh_low_distance(void *in_mesh, cn_vec3 p, cn_vec3 *slope);

/* Like cn_low_find, for the distance from a mesh. */
bool cn_mesh_low_find(const struct cn_mesh *mesh, cn_vec3 from, cn_vec3 to, double reach,
    struct cn_low *low);

/* Whether an edge is a crease with points along it. */
bool cn_mesh_is_crease(const struct cn_mesh *mesh, int edge);

/*
 * A part of a crease beside a sample, numbered along the edge from its tail. cn_mesh_parts fills
 * the parts in which a low may be and returns their number, 0 to 2. slope is the gradient of the
 * other surface's field at the sample; it is shorter than 1 where faces meet.
 */
struct cn_mesh_part {
    int32_t edge, part;
    cn_vec3 from, to; /* in the mesh's frame */
};
int cn_mesh_parts(
    const struct cn_mesh *mesh, int sample, cn_vec3 slope, struct cn_mesh_part part[2]);

#endif
