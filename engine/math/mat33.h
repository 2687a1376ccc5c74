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

/* Transpose of m, times v. */
static inline cn_vec3
cn_mat33_apply_back(const cn_mat33 *m, cn_vec3 v)
{
    return (cn_vec3){cn_vec3_dot(m->cx, v), cn_vec3_dot(m->cy, v), cn_vec3_dot(m->cz, v)};
}

/* R m R': the matrix m, given in the axes of R's columns, in world axes. */
static inline cn_mat33
cn_mat33_turn(const cn_mat33 *R, const cn_mat33 *m)
{
    cn_mat33 turned = cn_mat33_multiply(R, m), back = cn_mat33_transpose(R);
    return cn_mat33_multiply(&turned, &back);
}

static inline double
cn_mat33_determinant(const cn_mat33 *m)
{
    return cn_vec3_dot(m->cx, cn_vec3_cross(m->cy, m->cz));
}

/* Inverse of a symmetric m with determinant > 0; the result is symmetric to the last bit. */
static inline cn_mat33
cn_mat33_invert_symmetric(const cn_mat33 *m)
{
    double inverse = 1.0 / cn_mat33_determinant(m);
    cn_vec3 x = cn_vec3_scale(cn_vec3_cross(m->cy, m->cz), inverse);
    cn_vec3 y = cn_vec3_scale(cn_vec3_cross(m->cz, m->cx), inverse);
    cn_vec3 z = cn_vec3_scale(cn_vec3_cross(m->cx, m->cy), inverse);
    return (cn_mat33){{x.x, x.y, x.z}, {x.y, y.y, y.z}, {x.z, y.z, z.z}};
}

#endif
