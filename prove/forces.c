#include "prove/forces.h"

#include "engine/base/assert.h"
#include "prove/exact/lift.h"

#include <math.h>

#define K PV_CONE_MAX

mpq_t *
pv_forces_right(struct pv_search *s, bool loads, const bool *is_left_out, const mpq_t t)
{
    mpq_t *right = pv_numbers((size_t)s->balance->rows);
    struct pv_column part;
    pv_column_init(&part, PV_WRENCH_ROOM);
    for (int i = 0; i < s->balance->rows && loads; i++) {
        mpq_set(right[i], s->balance->b[i]);
    }
    for (int c = 0; c < s->conic.count; c++) {
        const struct pv_contact *contact = &s->r->contact[c];
        if (is_left_out != NULL && is_left_out[c] && contact->bears) {
            part.count = 0;
            pv_wrench_add(s->r, s->balance->row, &part, contact, &contact->normal);
            for (int k = 0; k < part.count; k++) {
                pv_sub_product(right[part.row[k]], part.value[k], t);
            }
        }
    }
    pv_column_finish(&part, PV_WRENCH_ROOM);
    return right;
}

/* Splits a force in the world into its parts along the normal and the tangent. */
static void
tell_planar(const struct pv_contact *contact, const pv_vec *f, mpq_t *force)
{
    mpq_t size;
    mpq_init(size);
    pv_dot(size, &contact->normal, &contact->normal);
    CN_ASSERT(mpq_sgn(size) > 0);
    pv_dot(force[0], f, &contact->normal);
    mpq_mul(force[1], f->c[1], contact->normal.c[0]);
    pv_sub_product(force[1], f->c[0], contact->normal.c[1]);
    mpq_div(force[0], force[0], size);
    mpq_div(force[1], force[1], size);
    mpq_clear(size);
}

/*
 * Fills the parts of a contact's force from v, the values of its columns.  v is NULL if the contact
 * was left out: its force is then t along the normal if it bears, else 0.
 */
static void
tell_force(struct pv_search *s, int c, mpq_t *v, const mpq_t t, mpq_t *force)
{
    const struct pv_contact *contact = &s->r->contact[c];
    pv_vec f;
    pv_vec_init(&f);
    for (int k = 0; k < PV_FORCE_MAX; k++) {
        mpq_set_ui(force[k], 0, 1);
    }
    bool is_rough = s->column_count[c] > 1;
    if (!is_rough && v != NULL) {
        mpq_set(force[0], v[0]);
    } else if (!is_rough && contact->bears) {
        mpq_set(force[0], t);
    } else if (is_rough) {
        for (int k = 0; k < s->column_count[c] && v != NULL; k++) {
            mpq_set(f.c[k], v[k]);
        }
        if (v == NULL && contact->bears) {
            pv_vec_add_scaled(&f, &f, t, &contact->normal);
        }
        if (s->r->dimension == 2) {
            tell_planar(contact, &f, force);
        } else {
            for (int k = 0; k < 3; k++) {
                mpq_set(force[k], f.c[k]);
            }
        }
    }
    pv_vec_clear(&f);
}

/* The value of column k of a contact in doubles: `scale` x, plus t along the normal if it bears. */
static double
near_of(const struct pv_search *s, int c, int k, double scale, double t)
{
    CN_ASSERT(0 <= k && k < s->column_count[c]);
    const double *x = &s->conic.x[K * c];
    double along = scale * s->cone_scale[c] * x[0] + (s->r->contact[c].bears ? t : 0.0);
    if (s->column_count[c] == 1) {
        return along;
    }
    double sum = along * s->axis[c][0][k];
    for (int m = 1; m < K; m++) {
        sum += scale * s->cone_scale[c] * x[m] * s->axis[c][m][k];
    }
    return sum;
}

void
pv_forces_round(const struct pv_search *s, double scale, double t, mpq_t *force)
{
    double most = 0.0;
    for (int c = 0; c < s->conic.count; c++) {
        for (int k = 0; k < s->column_count[c]; k++) {
            most = fmax(most, fabs(near_of(s, c, k, scale, t)));
        }
    }
    int shift = PV_FORCE_BITS - (most > 0.0 ? ilogb(most) : 0);
    for (int c = 0; c < s->conic.count; c++) {
        for (int k = 0; k < PV_FORCE_MAX; k++) {
            double near = k < s->column_count[c] ? near_of(s, c, k, scale, t) : 0.0;
            mpq_set_d(force[PV_FORCE_MAX * c + k], ldexp(rint(ldexp(near, shift)), -shift));
        }
    }
}

bool
pv_forces_find(struct pv_search *s, bool loads, const bool *is_left_out, const mpq_t t_exact,
    double scale, double t, mpq_t *force)
{
    size_t room = (size_t)(K * s->conic.count);
    const struct pv_column **list = pv_alloc(room, sizeof(*list));
    double *near = pv_alloc(room, sizeof(*near)), *slack = pv_alloc(room, sizeof(*slack));
    mpq_t *v = pv_numbers(room);
    int n = 0;
    for (int c = 0; c < s->conic.count; c++) {
        for (int k = 0; k < s->column_count[c] && !(is_left_out != NULL && is_left_out[c]); k++) {
            list[n] = &s->column[K * c + k];
            slack[n] = pv_search_room(s, c);
            near[n++] = near_of(s, c, k, scale, t);
        }
    }
    mpq_t *right = pv_forces_right(s, loads, is_left_out, t_exact);
    bool good = pv_lift_solve(
        list, n, s->balance->rows, right, near, PV_FORCE_BITS, slack, v, &s->work, s->work_max);
    int solved = n;
    n = 0;
    for (int c = 0; c < s->conic.count && good; c++) {
        bool is_out = is_left_out != NULL && is_left_out[c];
        tell_force(s, c, is_out ? NULL : &v[n], t_exact, &force[PV_FORCE_MAX * c]);
        n += is_out ? 0 : s->column_count[c];
    }
    CN_ASSERT(!good || n == solved); /* every value belongs to a contact */
    pv_numbers_free(right, (size_t)s->balance->rows);
    pv_numbers_free(v, room);
    pv_free(list);
    pv_free(near);
    pv_free(slack);
    return good;
}
