#include "prove/wrench.h"

#include "engine/base/assert.h"

void
pv_wrench_add(const struct pv_arrangement *arrangement, const int *row, struct pv_column *column,
    const struct pv_contact *contact, const pv_vec *force)
{
    CN_ASSERT(contact->a < contact->b && contact->b < arrangement->body_count);
    mpq_t w[6];
    pv_vec arm;
    pv_vec_init(&arm);
    for (int k = 0; k < 6; k++) {
        mpq_init(w[k]);
    }
    int dof = pv_dof(arrangement);
    for (int side = 0; side < 2; side++) {
        int body = side == 0 ? contact->b : contact->a;
        if (row[body] < 0) {
            continue;
        }
        pv_vec_sub(&arm, &contact->point, &arrangement->body[body].center);
        pv_wrench(arrangement, w, force, &arm);
        for (int k = 0; k < dof; k++) {
            if (side == 1) {
                mpq_neg(w[k], w[k]);
            }
            pv_column_add(column, row[body] + k, w[k]);
        }
    }
    for (int k = 0; k < 6; k++) {
        mpq_clear(w[k]);
    }
    pv_vec_clear(&arm);
}

int
pv_force_parts(const struct pv_arrangement *arrangement, const struct pv_contact *contact)
{
    bool is_rough = mpq_sgn(contact->friction) > 0;
    return arrangement->dimension == 2 ? 2 : is_rough ? 3 : 1;
}

/* Whether v is in the round cone of forces, or (is_force false) of velocities, about the normal. */
static bool
is_steep(const pv_vec *v, const pv_vec *normal, const mpq_t friction, bool is_force)
{
    mpq_t along, whole, size, one;
    mpq_inits(along, whole, size, one, NULL);
    pv_dot(along, v, normal);
    bool good = mpq_sgn(along) >= 0;
    mpq_mul(along, along, along);
    pv_dot(whole, v, v);
    pv_dot(size, normal, normal);
    mpq_mul(whole, whole, size);
    mpq_mul(size, friction, friction);
    mpq_set_ui(one, 1, 1);
    mpq_add(one, one, size);
    /* A force has (1 + mu^2) (v n)^2 >= (n n) (v v), a velocity >= mu^2 (n n) (v v). */
    mpq_mul(along, along, one);
    if (!is_force) {
        mpq_mul(whole, whole, size);
    }
    good = good && mpq_cmp(along, whole) >= 0;
    mpq_clears(along, whole, size, one, NULL);
    return good;
}

bool
pv_force_is_in_cone(const struct pv_arrangement *arrangement, const struct pv_contact *contact,
    mpq_t *force, const mpq_t margin)
{
    int parts = pv_force_parts(arrangement, contact);
    mpq_t least, side;
    pv_vec rest;
    mpq_inits(least, side, NULL);
    pv_vec_init(&rest);
    bool good = false;
    if (parts < 3) {
        mpq_sub(least, force[0], margin);
        good = mpq_sgn(least) >= 0;
        mpq_mul(least, least, contact->friction);
        if (parts == 2) {
            mpq_abs(side, force[1]);
        }
        good = good && mpq_cmp(side, least) <= 0;
    } else {
        mpq_neg(side, margin);
        for (int k = 0; k < 3; k++) {
            mpq_set(rest.c[k], force[k]);
        }
        pv_vec_add_scaled(&rest, &rest, side, &contact->normal);
        good = is_steep(&rest, &contact->normal, contact->friction, true);
    }
    mpq_clears(least, side, NULL);
    pv_vec_clear(&rest);
    return good;
}

bool
pv_rate_is_in_cone(const struct pv_contact *contact, const pv_vec *rate)
{
    return is_steep(rate, &contact->normal, contact->friction, false);
}
