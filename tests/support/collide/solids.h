/*
 * solids.h: baked spatial shapes for tests, each with its centre of mass at the origin.
 */
#ifndef TESTS_SUPPORT_COLLIDE_SOLIDS_H
#define TESTS_SUPPORT_COLLIDE_SOLIDS_H

#include "engine/base/assert.h"
#include "engine/base/rng.h"
#include "engine/collide/exact/manifold.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"
#include "engine/shape/shape.h"

struct test_solid {
    struct cn_shape shape;
    cn_vec3 point[CN_HULL_POINTS_MAX];
    cn_vec3 vertex[CN_HULL_VERTICES_MAX];
    struct cn_edge edge[CN_HULL_EDGES_MAX];
    struct cn_face face[CN_HULL_FACES_MAX];
    struct cn_corner corner[2 * CN_HULL_EDGES_MAX];
};

/* Bakes what passes the check; `solid` must stay where it is, because it points into itself. */
static inline bool
test_solid_bake(struct test_solid *solid, const struct cn_shape_def *def)
{
    if (cn_shape_check(def, CN_SPATIAL, NULL) != CN_OK) {
        return false;
    }
    struct cn_mass_properties mass = cn_shape_mass(def, CN_SPATIAL, 1.0);
    struct cn_shape_store store = {
        .core = {solid->vertex, solid->edge, solid->face, solid->corner}};
    cn_shape_bake(def, CN_SPATIAL, 0, mass.center, &store, &solid->shape);
    return true;
}

static inline void
test_solid_sphere(struct test_solid *solid, double radius)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_SPHERE};
    def.sphere.radius = radius;
    bool baked = test_solid_bake(solid, &def);
    CN_ASSERT(baked);
}

static inline void
test_solid_capsule(struct test_solid *solid, double radius, double length)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_CAPSULE};
    def.capsule.radius = radius;
    def.capsule.length = length;
    bool baked = test_solid_bake(solid, &def);
    CN_ASSERT(baked);
}

static inline void
test_solid_box(struct test_solid *solid, double x, double y, double z)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_BOX};
    def.box.size = (cn_vec3){x, y, z};
    bool baked = test_solid_bake(solid, &def);
    CN_ASSERT(baked);
}

static inline void
test_solid_plane(struct test_solid *solid, cn_vec3 normal, double offset)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_PLANE};
    def.plane.normal = normal;
    def.plane.offset = offset;
    bool baked = test_solid_bake(solid, &def);
    CN_ASSERT(baked);
}

/* False where the points have no hull. */
static inline bool
test_solid_hull(struct test_solid *solid, int count)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_HULL};
    def.hull.vertices = solid->point;
    def.hull.vertex_count = count;
    return test_solid_bake(solid, &def);
}

/* A prism of `sides` faces about y. */
static inline void
test_solid_prism(struct test_solid *solid, int sides, double radius, double height)
{
    for (int i = 0; i < sides; i++) {
        double s, c;
        cn_sin_cos(2.0 * CN_PI * i / sides, &s, &c);
        solid->point[2 * i] = (cn_vec3){radius * c, -0.5 * height, radius * s};
        solid->point[2 * i + 1] = (cn_vec3){radius * c, 0.5 * height, radius * s};
    }
    bool baked = test_solid_hull(solid, 2 * sides);
    CN_ASSERT(baked);
}

static inline cn_pose
test_solid_pose(cn_vec3 position, cn_vec3 axis, double angle)
{
    double s, c, length = cn_vec3_length(axis);
    cn_sin_cos(0.5 * angle, &s, &c);
    s = length > 0.0 ? s / length : 0.0;
    cn_quat q = {c, s * axis.x, s * axis.y, s * axis.z};
    return (cn_pose){position, cn_quat_to_mat33(cn_quat_normalize(q))};
}

static inline cn_vec3
test_random_vector(struct cn_rng *rng, double size)
{
    double x = cn_rng_uniform(rng, -size, size), y = cn_rng_uniform(rng, -size, size);
    return cn_vec3_make(x, y, cn_rng_uniform(rng, -size, size));
}

#endif
