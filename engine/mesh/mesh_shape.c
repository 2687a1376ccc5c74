/* Normals, bounds and volume. */
#include "engine/base/assert.h"
#include "engine/base/limits.h"
#include "engine/math/trig.h"
#include "engine/mesh/mesh_build.h"

static cn_vec3
unit(cn_vec3 v)
{
    double length = cn_vec3_length(v);
    return length > 0.0 ? cn_vec3_scale(v, 1.0 / length) : (cn_vec3){0.0, 0.0, 1.0};
}

static double
angle_between(cn_vec3 a, cn_vec3 b)
{
    return cn_atan2(cn_vec3_length(cn_vec3_cross(a, b)), cn_vec3_dot(a, b));
}

static void
make_normals(const struct cn_mesh_build *build, cn_vec3 *triangle, cn_vec3 *vertex)
{
    CN_ASSERT(triangle != vertex);
    const struct cn_mesh *mesh = build->mesh;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int32_t *v = mesh->triangle[i];
        cn_vec3 side[3];
        for (int k = 0; k < 3; k++) {
            side[k] = cn_vec3_sub(mesh->vertex[v[(k + 1) % 3]], mesh->vertex[v[k]]);
        }
        triangle[i] = unit(cn_vec3_cross(side[0], side[1]));
        for (int k = 0; k < 3; k++) {
            double angle = angle_between(side[k], cn_vec3_negate(side[(k + 2) % 3]));
            vertex[v[k]] = cn_vec3_add_scaled(vertex[v[k]], angle, triangle[i]);
        }
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        vertex[i] = unit(vertex[i]);
    }
}

enum cn_status
cn_mesh_shape(struct cn_mesh_build *build)
{
    struct cn_mesh *mesh = build->mesh;
    cn_vec3 *triangle = cn_mesh_take(build, mesh->triangle_count, sizeof(*triangle));
    cn_vec3 *vertex = cn_mesh_take(build, mesh->vertex_count, sizeof(*vertex));
    if (triangle == NULL || vertex == NULL) {
        return cn_mesh_no_memory(build);
    }
    make_normals(build, triangle, vertex);
    mesh->triangle_normal = triangle;
    mesh->vertex_normal = vertex;
    mesh->bounds = cn_aabb_empty();
    for (int i = 0; i < mesh->vertex_count; i++) {
        cn_vec3 v = mesh->vertex[i], *low = &mesh->bounds.low, *high = &mesh->bounds.high;
        *low = (cn_vec3){fmin(low->x, v.x), fmin(low->y, v.y), fmin(low->z, v.z)};
        *high = (cn_vec3){fmax(high->x, v.x), fmax(high->y, v.y), fmax(high->z, v.z)};
        CN_ASSERT(cn_vec3_is_finite(v) && cn_vec3_is_finite(vertex[i]));
    }
    return CN_OK;
}

enum cn_status
cn_mesh_weigh(struct cn_mesh_build *build)
{
    struct cn_mesh *mesh = build->mesh;
    mesh->volume = cn_mesh_volume(mesh->vertex, mesh->triangle, mesh->triangle_count);
    cn_vec3 extent = cn_vec3_sub(mesh->bounds.high, mesh->bounds.low);
    double longest = fmax(extent.x, fmax(extent.y, extent.z));
    if (!(mesh->volume.volume > 1e-9 * longest * longest * longest)) {
        return cn_defect_set(build->defect, CN_GEOMETRY, "triangles",
            "enclose %g m^3; a body of this length encloses more than %g", mesh->volume.volume,
            1e-9 * longest * longest * longest);
    }
    return CN_OK;
}
