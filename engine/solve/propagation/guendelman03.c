#include "engine/solve/propagation/guendelman03.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>

/* A slower spin has no direction [rad/s]. */
#define SPIN_MIN 1e-300

/* ---- matrices ---- */

cn_mat33
cn_mat33_cross(cn_vec3 r)
{
    return (cn_mat33){{0.0, r.z, -r.y}, {-r.z, 0.0, r.x}, {r.y, -r.x, 0.0}};
}

static cn_mat33
mat33_add(const cn_mat33 *a, const cn_mat33 *b, double scale)
{
    return (cn_mat33){cn_vec3_add_scaled(a->cx, scale, b->cx),
        cn_vec3_add_scaled(a->cy, scale, b->cy), cn_vec3_add_scaled(a->cz, scale, b->cz)};
}

static cn_mat33
mat33_multiply(cn_mat33 a, cn_mat33 b)
{
    return cn_mat33_multiply(&a, &b);
}

/* The inverse by cofactors, for any matrix with a nonzero determinant. */
static cn_mat33
mat33_invert(const cn_mat33 *m)
{
    double inverse = 1.0 / cn_mat33_determinant(m);
    cn_mat33 rows = {cn_vec3_scale(cn_vec3_cross(m->cy, m->cz), inverse),
        cn_vec3_scale(cn_vec3_cross(m->cz, m->cx), inverse),
        cn_vec3_scale(cn_vec3_cross(m->cx, m->cy), inverse)};
    return cn_mat33_transpose(&rows);
}

cn_mat33
cn_guendelman03_response(const struct cn_mass_inverse *mass, cn_vec3 arm)
{
    cn_mat33 cross = cn_mat33_cross(arm), back = cn_mat33_transpose(&cross);
    cn_mat33 K = mat33_multiply(mat33_multiply(back, mass->angular), cross);
    K.cx.x += mass->linear;
    K.cy.y += mass->linear;
    K.cz.z += mass->linear;
    return K;
}

/* ---- restitution ---- */

double
cn_guendelman03_restitution(int iteration, int count)
{
    CN_ASSERT(0 <= iteration && iteration < count);
    return -(double)(count - 1 - iteration) / count;
}

/* ---- rolling and spinning ---- */

void
cn_guendelman03_area_add(
    struct cn_area *area, const struct cn_mass_inverse *mass, cn_vec3 arm, cn_vec3 x)
{
    cn_mat33 r = cn_mat33_cross(arm), away = cn_mat33_cross(x);
    cn_mat33 turned = mat33_multiply(mass->angular, away);
    cn_mat33 arm_turned = mat33_multiply(r, mass->angular);
    cn_mat33 K1 = mat33_multiply(arm_turned, away);
    area->K1 = mat33_add(&area->K1, &K1, 1.0);
    area->K1.cx.x += mass->linear;
    area->K1.cy.y += mass->linear;
    area->K1.cz.z += mass->linear;
    area->K2 = mat33_add(&area->K2, &arm_turned, -1.0);
    area->K3 = mat33_add(&area->K3, &turned, -1.0);
    area->K4 = mat33_add(&area->K4, &mass->angular, 1.0);
}

/* S, and inv(K1) K2. */
static cn_mat33
answer_of(const struct cn_area *area, cn_mat33 *K1_inverse)
{
    *K1_inverse = mat33_invert(&area->K1);
    cn_mat33 held = mat33_multiply(mat33_multiply(area->K3, *K1_inverse), area->K2);
    return mat33_add(&area->K4, &held, -1.0);
}

/* Whether a matrix has an inverse, judged by the size of its columns. */
static bool
is_regular(const cn_mat33 *m)
{
    double size =
        cn_vec3_length(m->cx) * cn_vec3_length(m->cy) * cn_vec3_length(m->cz);
    return fabs(cn_mat33_determinant(m)) > 1e-9 * size;
}

bool
cn_guendelman03_area_solve(
    const struct cn_area *area, cn_vec3 du, cn_vec3 dw, cn_vec3 *j, cn_vec3 *q)
{
    cn_mat33 K1_inverse, S = answer_of(area, &K1_inverse);
    if (!is_regular(&S)) {
        return false;
    }
    cn_mat33 S_inverse = mat33_invert(&S);
    cn_vec3 free = cn_mat33_apply(&K1_inverse, du);
    cn_vec3 rest = cn_vec3_sub(dw, cn_mat33_apply(&area->K3, free));
    *q = cn_mat33_apply(&S_inverse, rest);
    cn_vec3 back = cn_vec3_sub(du, cn_mat33_apply(&area->K2, *q));
    *j = cn_mat33_apply(&K1_inverse, back);
    return true;
}

/* The loss of `part` of the spin, which never exceeds its size. */
static cn_vec3
loss_of(const struct cn_roll *roll, const cn_mat33 *S, cn_vec3 part, double coefficient)
{
    double size = cn_vec3_length(part);
    if (!(size > SPIN_MIN) || coefficient <= 0.0) {
        return (cn_vec3){0.0, 0.0, 0.0};
    }
    double rate = coefficient;
    if (!roll->literal) {
        rate *= cn_vec3_dot(part, cn_mat33_apply(S, part)) / (size * size);
    }
    return cn_vec3_scale(part, -cn_min(rate * roll->normal_impulse / size, 1.0));
}

/* Whether j and q push within the cone and add no energy. */
static bool
is_sound(const struct cn_roll *roll, cn_vec3 j, cn_vec3 q, cn_vec3 du, cn_vec3 dw)
{
    double along = cn_vec3_dot(j, roll->normal);
    cn_vec3 across = cn_vec3_add_scaled(j, -along, roll->normal);
    double first = cn_vec3_dot(j, roll->u) + cn_vec3_dot(q, roll->w);
    double second = 0.5 * (cn_vec3_dot(j, du) + cn_vec3_dot(q, dw));
    return along > 0.0 && cn_vec3_length(across) <= roll->resting * along &&
           first + second <= CN_ENERGY_NOISE * (fabs(first) + fabs(second));
}

bool
cn_guendelman03_roll(const struct cn_roll *roll, cn_vec3 *j, cn_vec3 *q)
{
    CN_ASSERT(j != q);
    cn_mat33 K1_inverse, S = answer_of(roll->area, &K1_inverse);
    cn_vec3 spin = cn_vec3_scale(roll->normal, cn_vec3_dot(roll->w, roll->normal));
    cn_vec3 turn = cn_vec3_sub(roll->w, spin);
    cn_vec3 dw = cn_vec3_add(
        loss_of(roll, &S, spin, roll->spinning), loss_of(roll, &S, turn, roll->rolling));
    cn_vec3 du = cn_vec3_sub(cn_vec3_scale(roll->normal, roll->target), roll->u);
    cn_vec3 impulse, couple;
    if (cn_vec3_dot(dw, dw) == 0.0 ||
        !cn_guendelman03_area_solve(roll->area, du, dw, &impulse, &couple) ||
        (!roll->literal && !is_sound(roll, impulse, couple, du, dw))) {
        return false;
    }
    *j = impulse;
    *q = couple;
    return true;
}
