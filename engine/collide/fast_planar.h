/*
 * fast_planar.h: the quick narrowphase of the plane; see fast.h for what a manifold is.
 */
#ifndef ENGINE_COLLIDE_FAST_PLANAR_H
#define ENGINE_COLLIDE_FAST_PLANAR_H

#include "engine/collide/fast.h"

#define CN_FAST_VERTICES_MAX 8 /* cores of more go through cn_collide */

enum cn_fast_form2 {
    CN_FAST2_CIRCLE,  /* a core of one vertex */
    CN_FAST2_CAPSULE, /* of two */
    CN_FAST2_POLYGON, /* of three to CN_FAST_VERTICES_MAX */
    CN_FAST2_PLANE,
    CN_FAST2_OTHER,   /* through cn_collide */
};

struct cn_fast_shape2 {
    uint8_t form; /* enum cn_fast_form2 */
    uint8_t vertex_count;
    float radius;
    float vertex[CN_FAST_VERTICES_MAX][2]; /* counter-clockwise; of a PLANE: normal, then offset */
    float normal[CN_FAST_VERTICES_MAX][2]; /* outward, of the edge from vertex i to i + 1 */
    const struct cn_shape *shape;          /* borrowed; read only of OTHER */
};

void cn_fast_planar_bake(const struct cn_shape *shape, struct cn_fast_shape2 *fast);

/*
 * Fills *manifold, point_count 0 where the shapes are further apart than `margin` [m].  `last` is
 * the pair's manifold of the last tick, NULL if there was none: impulses go over to points of the
 * same feature, others begin with zero.  Never a pair of two planes.
 */
void cn_fast_planar_collide(const struct cn_fast_shape2 *a, const struct cn_place2 *place_a,
    const struct cn_fast_shape2 *b, const struct cn_place2 *place_b, float margin,
    const struct cn_manifold2 *last, struct cn_manifold2 *manifold);

#endif
