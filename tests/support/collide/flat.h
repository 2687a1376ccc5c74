/* flat.h: pairs of planar shapes for tests of the fast narrowphase, and their true separation. */
#ifndef TESTS_SUPPORT_COLLIDE_FLAT_H
#define TESTS_SUPPORT_COLLIDE_FLAT_H

#include "engine/collide/fast/fast_planar.h"
#include "engine/collide/fast/fast_planar_cut.h"

#include <math.h>

#include "tests/support/collide/shapes.h"

struct flat_body {
    struct test_shape shape;
    struct cn_fast_shape2 fast; /* of shapes of one piece */
    struct cn_place2 place;
    cn_pose pose; /* the same, exactly */
};

/* The pose uses the rounded cosine and sine of the place, so that both agree. */
static inline void
flat_put(struct flat_body *body, double x, double y, double angle)
{
    double s, c;
    cn_sin_cos(angle, &s, &c);
    body->place = (struct cn_place2){x, y, (float)c, (float)s};
    c = (double)body->place.cosine;
    s = (double)body->place.sine;
    double scale = 1.0 / sqrt(c * c + s * s);
    body->pose = (cn_pose){{x, y, 0.0}, cn_mat33_about_z(scale * s, scale * c)};
    static struct cn_fast_shape2 pieces[CN_CUT_VERTICES_MAX];
    cn_fast_planar_bake_pieces(&body->shape.shape, pieces);
    body->fast = pieces[0];
}

static inline struct cn_manifold2
flat_collide(const struct flat_body *a, const struct flat_body *b, float margin,
    const struct cn_manifold2 *last)
{
    struct cn_manifold2 manifold;
    cn_fast_planar_collide(&a->fast, &a->place, &b->fast, &b->place, margin, last, &manifold);
    return manifold;
}

static inline double
flat_lowest(const struct cn_manifold2 *manifold)
{
    double lowest = HUGE_VAL;
    for (int i = 0; i < manifold->point_count; i++) {
        lowest = fmin(lowest, (double)manifold->point[i].separation);
    }
    return lowest;
}

/* The least of direction . x over a shape, as seen from `origin`; -HUGE_VAL below most planes. */
static inline double
flat_support(const struct flat_body *body, cn_vec3 origin, cn_vec2 direction)
{
    const struct cn_shape *shape = &body->shape.shape;
    cn_vec3 at = cn_vec3_sub(body->pose.position, origin);
    double least = shape->vertex_count == 0 ? -HUGE_VAL : HUGE_VAL;
    for (int i = 0; i < shape->vertex_count; i++) {
        cn_vec3 v = {shape->vertex[i].x, shape->vertex[i].y, 0.0};
        v = cn_vec3_add(at, cn_pose_turn(&body->pose, v));
        least = fmin(least, direction.x * v.x + direction.y * v.y - shape->radius);
    }
    return least;
}

/* How far the two are apart along a direction from A to B; a plane's own normal is its. */
static inline double
flat_apart(const struct flat_body *a, const struct flat_body *b, cn_vec2 n)
{
    cn_vec3 origin = a->pose.position;
    const struct flat_body *plane = a->shape.shape.vertex_count == 0   ? a
                                    : b->shape.shape.vertex_count == 0 ? b
                                                                       : NULL;
    cn_vec2 back = {-n.x, -n.y};
    if (plane == NULL) {
        return flat_support(b, origin, n) + flat_support(a, origin, back);
    }
    const struct flat_body *other = plane == a ? b : a;
    cn_vec2 local = plane->shape.shape.plane_normal;
    cn_vec3 out = cn_pose_turn(&plane->pose, (cn_vec3){local.x, local.y, 0.0});
    return flat_support(other, plane->pose.position, (cn_vec2){out.x, out.y}) -
           plane->shape.shape.plane_offset;
}

#endif
