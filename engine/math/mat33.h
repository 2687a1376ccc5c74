/* mat33.h: 3 x 3 matrices by columns; symmetric ones are inertia tensors [kg m^2]. */
#ifndef ENGINE_MATH_MAT33_H
#define ENGINE_MATH_MAT33_H

#include "engine/math/vec3.h"

typedef struct {
    cn_vec3 cx, cy, cz; /* columns */
} cn_mat33;

static inline cn_vec3
cn_mat33_apply(const cn_mat33 *m, cn_vec3 v)
{
    cn_vec3 sum = cn_vec3_scale(m->cx, v.x);
    sum = cn_vec3_add_scaled(sum, v.y, m->cy);
    return cn_vec3_add_scaled(sum, v.z, m->cz);
}

static inline cn_mat33
cn_mat33_diagonal(double x, double y, double z)
{
    return (cn_mat33){{x, 0.0, 0.0}, {0.0, y, 0.0}, {0.0, 0.0, z}};
}

static inline cn_mat33
cn_mat33_multiply(const cn_mat33 *a, const cn_mat33 *b)
{
    return (cn_mat33){cn_mat33_apply(a, b->cx), cn_mat33_apply(a, b->cy), cn_mat33_apply(a, b->cz)};
}

static inline cn_mat33
cn_mat33_transpose(const cn_mat33 *a)
{
    return (cn_mat33){{a->cx.x, a->cy.x, a->cz.x}, {a->cx.y, a->cy.y, a->cz.y},
        {a->cx.z, a->cy.z, a->cz.z}};
}

#endif
