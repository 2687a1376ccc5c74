/* alike.c: finds shapes that bake into the same data, so that they can share it. */
#include "engine/base/assert.h"
#include "engine/shape/shape.h"

#include <string.h>

/* Compares bit by bit: equal shapes must bake into the same numbers. */
static bool
same_bytes(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

static bool
same_points(const cn_vec3 *a, int a_count, const cn_vec3 *b, int b_count)
{
    CN_ASSERT(a_count >= 0 && b_count >= 0);
    return a_count == b_count && (a == b || same_bytes(a, b, (size_t)a_count * sizeof(*a)));
}

static bool
same_form(const struct cn_shape_def *a, const struct cn_shape_def *b)
{
    switch (a->kind) {
    case CN_SHAPE_CIRCLE:
        return same_bytes(&a->circle, &b->circle, sizeof(a->circle));
    case CN_SHAPE_CAPSULE:
        return same_bytes(&a->capsule, &b->capsule, sizeof(a->capsule));
    case CN_SHAPE_BOX:
        return same_bytes(&a->box, &b->box, sizeof(a->box));
    case CN_SHAPE_PLANE:
        return same_bytes(&a->plane, &b->plane, sizeof(a->plane));
    case CN_SHAPE_SPHERE:
        return same_bytes(&a->sphere, &b->sphere, sizeof(a->sphere));
    case CN_SHAPE_POLYGON:
        return same_points(a->polygon.vertices, a->polygon.vertex_count, b->polygon.vertices,
            b->polygon.vertex_count);
    case CN_SHAPE_HULL:
        return same_points(
            a->hull.vertices, a->hull.vertex_count, b->hull.vertices, b->hull.vertex_count);
    case CN_SHAPE_OUTLINE:
    case CN_SHAPE_CHAIN:
        return a->boundary.closed == b->boundary.closed &&
               same_points(a->boundary.points, a->boundary.point_count, b->boundary.points,
                   b->boundary.point_count);
    case CN_SHAPE_MESH:
        return a->mesh.index == b->mesh.index && a->mesh.mesh == b->mesh.mesh;
    case CN_SHAPE_KIND_COUNT:
        break;
    }
    return false;
}

bool
cn_shape_def_is_alike(const struct cn_shape_def *a, const struct cn_shape_def *b)
{
    return a->kind == b->kind && a->sensor == b->sensor &&
           same_bytes(&a->density, &b->density, sizeof(a->density)) &&
           same_bytes(&a->position, &b->position, sizeof(a->position)) &&
           same_bytes(&a->angle, &b->angle, sizeof(a->angle)) &&
           same_bytes(&a->orientation, &b->orientation, sizeof(a->orientation)) && same_form(a, b);
}
