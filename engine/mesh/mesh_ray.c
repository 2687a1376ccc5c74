/*
 * Rays, and normals for contacts.
 *
 * The sign of a triple product tells on which side of an edge a ray passes.  For the triangle on
 * the edge's other side it is exactly the opposite, so no ray passes between two triangles.
 */
#include "engine/base/assert.h"
#include "engine/mesh/mesh_build.h"

#define STACK 64

struct ray {
    cn_vec3 from, along;
    double fraction; /* of the first entry so far */
    int triangle;
};

static bool
meets_slab(double from, double along, double low, double high, double *enter, double *leave)
{
    if (along == 0.0) {
        return from >= low && from <= high;
    }
    double a = (low - from) / along, b = (high - from) / along;
    *enter = fmax(*enter, fmin(a, b));
    *leave = fmin(*leave, fmax(a, b));
    return *enter <= *leave + 1e-12; /* rounding may separate them by this much */
}

/* Whether the ray meets a box before its first entry so far. */
static bool
meets_box(const struct ray *ray, const struct cn_mesh_node *node)
{
    double enter = 0.0, leave = ray->fraction;
    return meets_slab(ray->from.x, ray->along.x, (double)node->low[0], (double)node->high[0],
               &enter, &leave) &&
           meets_slab(ray->from.y, ray->along.y, (double)node->low[1], (double)node->high[1],
               &enter, &leave) &&
           meets_slab(ray->from.z, ray->along.z, (double)node->low[2], (double)node->high[2],
               &enter, &leave);
}

static void
try_triangle(const struct cn_mesh *mesh, int t, struct ray *ray)
{
    const int32_t *v = mesh->triangle[t];
    cn_vec3 a = cn_vec3_sub(mesh->vertex[v[0]], ray->from);
    cn_vec3 b = cn_vec3_sub(mesh->vertex[v[1]], ray->from);
    cn_vec3 c = cn_vec3_sub(mesh->vertex[v[2]], ray->from);
    double u = cn_vec3_dot(cn_vec3_cross(c, b), ray->along);
    double w = cn_vec3_dot(cn_vec3_cross(a, c), ray->along);
    double s = cn_vec3_dot(cn_vec3_cross(b, a), ray->along);
    if (u < 0.0 || w < 0.0 || s < 0.0 || !(u + w + s > 0.0)) {
        return;
    }
    cn_vec3 hit = cn_vec3_scale(a, u);
    hit = cn_vec3_add_scaled(cn_vec3_add_scaled(hit, w, b), s, c);
    double length = cn_vec3_dot(ray->along, ray->along);
    double fraction = cn_vec3_dot(hit, ray->along) / ((u + w + s) * length);
    if (!(fraction >= 0.0 && fraction <= ray->fraction)) {
        return; /* also if it is not a number, because the ray is far away */
    }
    if (fraction < ray->fraction || ray->triangle < 0 || t < ray->triangle) {
        ray->fraction = fraction;
        ray->triangle = t;
    }
}

int
cn_mesh_ray(const struct cn_mesh *mesh, cn_vec3 from, cn_vec3 along, double *fraction,
    cn_vec3 *normal)
{
    struct ray ray = {from, along, 1.0, -1};
    int32_t stack[STACK];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        int32_t at = stack[--top];
        const struct cn_mesh_node *node = &mesh->node[at];
        if (!meets_box(&ray, node)) {
            continue;
        }
        if (node->count == 0) {
            CN_ASSERT(top + 2 <= STACK); /* mesh_build.h, invariant 4 */
            stack[top++] = node->right;
            stack[top++] = at + 1;
            continue;
        }
        for (int i = 0; i < node->count; i++) {
            try_triangle(mesh, mesh->tree_triangle[-1 - node->right + i], &ray);
        }
    }
    if (ray.triangle < 0) {
        return -1;
    }
    CN_ASSERT(0.0 <= ray.fraction && ray.fraction <= 1.0);
    *fraction = ray.fraction;
    *normal = mesh->triangle_normal[ray.triangle];
    return ray.triangle;
}

cn_vec3
cn_mesh_normal(const struct cn_mesh *mesh, cn_vec3 p)
{
    cn_vec3 normal, nearest;
    int triangle = 0;
    double distance = cn_field_sample(&mesh->field, p, &normal);
    if (!mesh->sharp) {
        return normal;
    }
    cn_mesh_nearest(mesh, cn_vec3_add_scaled(p, -distance, normal), &nearest, &triangle);
    return mesh->triangle_normal[triangle];
}
