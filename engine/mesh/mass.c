#include "engine/mesh/mass.h"

#include "engine/base/assert.h"

/* Adds s v v' to a symmetric matrix. */
static void
add_square(cn_mat33 *m, double s, cn_vec3 v)
{
    m->cx = cn_vec3_add_scaled(m->cx, s * v.x, v);
    m->cy = cn_vec3_add_scaled(m->cy, s * v.y, v);
    m->cz = cn_vec3_add_scaled(m->cz, s * v.z, v);
}

struct cn_volume
cn_mesh_volume(const cn_vec3 *vertex, const int (*triangle)[3], int triangle_count)
{
    double volume = 0.0;
    cn_vec3 first = {0.0, 0.0, 0.0};
    cn_mat33 second = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    CN_ASSERT(triangle_count >= 0);
    if (triangle_count == 0) {
        return (struct cn_volume){0};
    }
    cn_vec3 origin = vertex[triangle[0][0]];
    for (int i = 0; i < triangle_count; i++) {
        cn_vec3 a = cn_vec3_sub(vertex[triangle[i][0]], origin);
        cn_vec3 b = cn_vec3_sub(vertex[triangle[i][1]], origin);
        cn_vec3 c = cn_vec3_sub(vertex[triangle[i][2]], origin);
        cn_vec3 s = cn_vec3_add(cn_vec3_add(a, b), c);
        double part = cn_vec3_dot(a, cn_vec3_cross(b, c)) / 6.0;
        volume += part;
        first = cn_vec3_add_scaled(first, 0.25 * part, s);
        add_square(&second, part / 20.0, a);
        add_square(&second, part / 20.0, b);
        add_square(&second, part / 20.0, c);
        add_square(&second, part / 20.0, s);
    }
    if (!(volume > 0.0)) {
        return (struct cn_volume){0};
    }
    cn_vec3 center = cn_vec3_scale(first, 1.0 / volume);
    add_square(&second, -volume, center);
    double trace = second.cx.x + second.cy.y + second.cz.z;
    return (struct cn_volume){
        .volume = volume,
        .center = cn_vec3_add(origin, center),
        .inertia = {{trace - second.cx.x, -second.cx.y, -second.cx.z},
            {-second.cy.x, trace - second.cy.y, -second.cy.z},
            {-second.cz.x, -second.cz.y, trace - second.cz.z}},
    };
}
