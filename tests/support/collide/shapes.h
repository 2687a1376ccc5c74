/*
 * shapes.h: baked shapes for tests, and shapes that are valid by construction from few numbers.
 *
 * Every body has its centre of mass at the shape's centroid, as in a world.
 */
#ifndef TESTS_SUPPORT_COLLIDE_SHAPES_H
#define TESTS_SUPPORT_COLLIDE_SHAPES_H

#include "engine/base/assert.h"
#include "engine/collide/exact/manifold.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"
#include "engine/shape/shape.h"

struct test_shape {
    struct cn_shape shape;
    cn_vec3 corner[CN_POLYGON_VERTICES_MAX];
    cn_vec2 vertex[CN_POLYGON_VERTICES_MAX], normal[CN_POLYGON_VERTICES_MAX];
    double bulge[CN_POLYGON_VERTICES_MAX];
};

/* Checks and bakes; `shape` must stay where it is, because it points into itself. */
static inline void
test_shape_bake(struct test_shape *shape, const struct cn_shape_def *def)
{
    struct cn_defect defect = {0};
    enum cn_status status = cn_shape_check(def, CN_PLANAR, &defect);
    CN_ASSERT(status == CN_OK);
    struct cn_mass_properties mass = cn_shape_mass(def, CN_PLANAR, 1.0);
    struct cn_shape_store store = {
        .vertex = shape->vertex, .normal = shape->normal, .bulge = shape->bulge};
    cn_shape_bake(def, CN_PLANAR, 0, mass.center, &store, &shape->shape);
}

static inline void
test_shape_circle(struct test_shape *shape, double radius)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_CIRCLE};
    def.circle.radius = radius;
    test_shape_bake(shape, &def);
}

static inline void
test_shape_capsule(struct test_shape *shape, double radius, double length)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_CAPSULE};
    def.capsule.radius = radius;
    def.capsule.length = length;
    test_shape_bake(shape, &def);
}

static inline void
test_shape_box(struct test_shape *shape, double x, double y)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_BOX};
    def.box.size = (cn_vec3){x, y, 0.0};
    test_shape_bake(shape, &def);
}

static inline void
test_shape_plane(struct test_shape *shape, double angle, double offset)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_PLANE};
    cn_sin_cos(angle, &def.plane.normal.y, &def.plane.normal.x);
    def.plane.offset = offset;
    test_shape_bake(shape, &def);
}

/*
 * A polygon with corners at those of 16 equal angles on an ellipse whose bit in `mask` is set; bits
 * are added until there are three.
 */
static inline void
test_shape_polygon(struct test_shape *shape, double radius, double aspect, unsigned mask)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_POLYGON};
    mask &= 0xffff;
    for (int k = 0; k < 3; k++) {
        mask |= (mask & (mask - 1)) == 0 || (mask & (mask - 1) & ((mask & (mask - 1)) - 1)) == 0
                    ? 1U << (5 * k)
                    : 0U;
    }
    for (int i = 0; i < 16; i++) {
        if (mask >> i & 1) {
            double s, c;
            cn_sin_cos(CN_PI / 8.0 * i, &s, &c);
            shape->corner[def.polygon.vertex_count++] =
                (cn_vec3){radius * c, radius * aspect * s, 0.0};
        }
    }
    def.polygon.vertices = shape->corner;
    test_shape_bake(shape, &def);
}

static inline void
test_shape_regular(struct test_shape *shape, double radius, int count, double phase)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_POLYGON};
    for (int i = 0; i < count; i++) {
        double s, c;
        cn_sin_cos(phase + 2.0 * CN_PI * i / count, &s, &c);
        shape->corner[i] = (cn_vec3){radius * c, radius * s, 0.0};
    }
    def.polygon.vertices = shape->corner;
    def.polygon.vertex_count = count;
    test_shape_bake(shape, &def);
}

/*
 * A star of `count` points at equal angles, at radii and with bulges from the bits of `shape_bits`
 * and `bulge_bits`: rarely convex.  False if the outline would come too near to itself.
 */
static inline bool
test_shape_star(struct test_shape *shape, int count, unsigned shape_bits, unsigned bulge_bits)
{
    static const double bulges[] = {0.0, 0.0, 0.4, -0.4, 0.1, -0.2, 0.8, 0.0};
    struct cn_shape_def def = {.kind = CN_SHAPE_OUTLINE};
    for (int i = 0; i < count; i++) {
        double s, c, radius = 0.4 + 0.2 * (shape_bits >> 2 * i & 3);
        cn_sin_cos(2.0 * CN_PI * i / count, &s, &c);
        shape->corner[i] =
            (cn_vec3){radius * c, radius * s, bulges[bulge_bits >> 3 * i & 7]};
    }
    def.boundary.points = shape->corner;
    def.boundary.point_count = count;
    def.boundary.closed = true;
    if (cn_shape_check(&def, CN_PLANAR, NULL) != CN_OK) {
        return false;
    }
    test_shape_bake(shape, &def);
    return true;
}

static inline cn_pose
test_pose(double x, double y, double angle)
{
    double s, c;
    cn_sin_cos(angle, &s, &c);
    return (cn_pose){{x, y, 0.0}, cn_mat33_about_z(s, c)};
}

#endif
