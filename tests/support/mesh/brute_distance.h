/*
 * brute_distance.h: the signed distance to a closed surface, computed over every triangle.  It is
 * slow and independent of the code that it tests.
 *
 * The distance of a triangle is that of its plane if p projects into it, else that of its edges.
 * The sign comes from the solid angle of the surface as seen from p.
 */
#ifndef TESTS_SUPPORT_MESH_BRUTE_DISTANCE_H
#define TESTS_SUPPORT_MESH_BRUTE_DISTANCE_H

#include "engine/mesh/mesh.h"

static inline double
brute_segment(cn_vec3 p, cn_vec3 a, cn_vec3 b)
{
    cn_vec3 along = cn_vec3_sub(b, a), to = cn_vec3_sub(p, a);
    double t = cn_vec3_dot(to, along) / cn_vec3_dot(along, along);
    t = fmin(fmax(t, 0.0), 1.0);
    return cn_vec3_length(cn_vec3_sub(to, cn_vec3_scale(along, t)));
}

static inline double
brute_triangle(cn_vec3 p, const cn_vec3 corner[3])
{
    cn_vec3 normal = cn_vec3_cross(
        cn_vec3_sub(corner[1], corner[0]), cn_vec3_sub(corner[2], corner[0]));
    bool above = true;
    double least = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        cn_vec3 a = corner[k], b = corner[(k + 1) % 3];
        least = fmin(least, brute_segment(p, a, b));
        cn_vec3 inward = cn_vec3_cross(normal, cn_vec3_sub(b, a));
        above = above && cn_vec3_dot(inward, cn_vec3_sub(p, a)) > 0.0;
    }
    double plane = cn_vec3_dot(normal, cn_vec3_sub(p, corner[0])) / cn_vec3_length(normal);
    return above ? fmin(least, fabs(plane)) : least;
}

/* How many times the surface is around p, and so whether p is inside. */
static inline double
brute_winding(const struct cn_mesh *mesh, cn_vec3 p)
{
    double sum = 0.0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        cn_vec3 v[3];
        double length[3];
        for (int k = 0; k < 3; k++) {
            v[k] = cn_vec3_sub(mesh->vertex[mesh->triangle[i][k]], p);
            length[k] = cn_vec3_length(v[k]);
        }
        double cosine = length[0] * length[1] * length[2];
        for (int k = 0; k < 3; k++) {
            cosine += cn_vec3_dot(v[k], v[(k + 1) % 3]) * length[(k + 2) % 3];
        }
        sum += 2.0 * atan2(cn_vec3_dot(v[0], cn_vec3_cross(v[1], v[2])), cosine);
    }
    return sum / (16.0 * atan(1.0));
}

static inline double
brute_distance(const struct cn_mesh *mesh, cn_vec3 p)
{
    double least = HUGE_VAL;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int32_t *v = mesh->triangle[i];
        const cn_vec3 corner[3] = {mesh->vertex[v[0]], mesh->vertex[v[1]], mesh->vertex[v[2]]};
        least = fmin(least, brute_triangle(p, corner));
    }
    return brute_winding(mesh, p) > 0.5 ? -least : least;
}

#endif
