/*
 * border.h: the edges of planar outlines, straight lines or arcs.
 *
 * An edge leads from one point to the next with the solid on its left, so its outward normal points
 * to the right.  bulge = tan(turn / 4) makes it an arc that turns by `turn`.  A positive bulge
 * turns to the left and bulges out of the solid, a negative one bulges into it, and 0 is straight.
 * With chord c from `from` to `to`, its length L and half = turn / 2,
 *
 *     cos half = (1 - bulge^2) / (1 + bulge^2)      radius = L (1 + bulge^2) / (4 |bulge|)
 *     sin half = 2 bulge / (1 + bulge^2)
 *     center = middle + left(c) (1 - bulge^2) / (4 bulge)
 *
 * so that neither needs a transcendental function.  Bulges are within +-1: at most half a circle.
 */
#ifndef ENGINE_SHAPE_BORDER_H
#define ENGINE_SHAPE_BORDER_H

#include "engine/math/vec2.h"

#include <stdbool.h>

struct cn_border {
    cn_vec2 from, to;
    double bulge;
};

/* An arc's centre, its radius > 0, and its turn [rad], which has the bulge's sign. */
cn_vec2 cn_border_center(const struct cn_border *border);
double cn_border_radius(const struct cn_border *border);
double cn_border_turn(const struct cn_border *border);

/* The unit outward normals at both ends. */
cn_vec2 cn_border_normal_from(const struct cn_border *border);
cn_vec2 cn_border_normal_to(const struct cn_border *border);

/* The largest distance of the arc from its chord [m]; 0 for a straight edge. */
double cn_border_sagitta(const struct cn_border *border);

/* Whether a direction from an arc's centre points at the arc, within the sine `tie` of its ends. */
bool cn_border_faces(const struct cn_border *border, cn_vec2 center, cn_vec2 direction, double tie);

/* The region between the edge and the origin: area, first moments and second polar moment. */
struct cn_border_moments {
    double area;
    cn_vec2 first;
    double second;
};
struct cn_border_moments cn_border_sweep(const struct cn_border *border);

/* Bounds of the edge. */
void cn_border_bounds(const struct cn_border *border, cn_vec2 *low, cn_vec2 *high);

/* A lower bound of the distance of two edges; exact where both are straight, 0 where they cross. */
double cn_border_distance(const struct cn_border *a, const struct cn_border *b);

#endif
