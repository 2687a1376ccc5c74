#include "engine/collide/mesh/sampling_distance.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>

#define LENGTH_MIN 1e-12 /* m: a shorter vector has no direction */

static double
mesh_distance(const struct cn_shape *shape, cn_vec3 p, cn_vec3 *normal)
{
    const struct cn_placed_mesh *placed = shape->mesh;
    cn_vec3 local = cn_pose_invert(&placed->pose, p), n;
    double phi = cn_field_sample(&placed->mesh->field, local, &n);
    if (placed->mesh->sharp) {
        n = cn_mesh_normal(placed->mesh, local);
    }
    *normal = cn_pose_turn(&placed->pose, n);
    return phi;
}

/* The distance from a core of one or two vertices. */
static double
round_distance(const struct cn_shape *shape, cn_vec3 p, cn_vec3 *normal)
{
    CN_ASSERT(shape->core.vertex_count == 1 || shape->core.vertex_count == 2);
    const cn_vec3 *v = shape->core.vertex;
    cn_vec3 nearest = v[0];
    if (shape->core.vertex_count == 2) {
        cn_vec3 along = cn_vec3_sub(v[1], v[0]);
        double square = cn_vec3_dot(along, along);
        double part = square > 0.0 ? cn_vec3_dot(cn_vec3_sub(p, v[0]), along) / square : 0.0;
        nearest = cn_vec3_add_scaled(v[0], cn_clamp(part, 0.0, 1.0), along);
    }
    cn_vec3 way = cn_vec3_sub(p, nearest);
    double length = cn_vec3_length(way);
    *normal = length > LENGTH_MIN ? cn_vec3_scale(way, 1.0 / length) : (cn_vec3){0.0, 1.0, 0.0};
    return length - shape->radius;
}

static double
faces_distance(const struct cn_shape *shape, cn_vec3 p, cn_vec3 *normal)
{
    double largest = -HUGE_VAL;
    for (int i = 0; i < shape->core.face_count; i++) {
        const struct cn_face *face = &shape->core.face[i];
        double distance = cn_vec3_dot(face->normal, p) - face->offset;
        if (distance > largest) {
            largest = distance;
            *normal = face->normal;
        }
    }
    return largest - shape->radius;
}

double
cn_sampling_distance(const struct cn_shape *shape, cn_vec3 p, cn_vec3 *normal)
{
    if (shape->kind == CN_SHAPE_MESH) {
        return mesh_distance(shape, p, normal);
    }
    return shape->core.face_count > 0 ? faces_distance(shape, p, normal)
                                      : round_distance(shape, p, normal);
}

bool
cn_sampling_is_beside(const cn_aabb *box, cn_vec3 center, double room)
{
    return center.x + room < box->low.x || center.x - room > box->high.x ||
           center.y + room < box->low.y || center.y - room > box->high.y ||
           center.z + room < box->low.z || center.z - room > box->high.z;
}

bool
cn_sampling_is_apart(const struct cn_shape *shape, cn_vec3 center, double radius, double margin)
{
    cn_vec3 unused;
    if (shape->kind != CN_SHAPE_MESH) {
        return cn_sampling_distance(shape, center, &unused) > radius + margin;
    }
    const struct cn_placed_mesh *placed = shape->mesh;
    cn_vec3 local = cn_pose_invert(&placed->pose, center);
    if (cn_sampling_is_beside(&placed->mesh->bounds, local, radius + margin)) {
        return true;
    }
    return cn_field_bound(&placed->mesh->field, local) > radius + margin &&
           !cn_field_is_inside(&placed->mesh->field, local);
}
