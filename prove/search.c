#include "prove/search.h"

#include "engine/base/assert.h"
#include "prove/limits.h"

#include <math.h>
#include <string.h>

#define K PV_CONE_MAX
#define CLEAR 1e3 /* least eigenvalue of x over the largest of z (or z over x), to tell the part */

static void
read_vec(double *out, const pv_vec *v)
{
    for (int k = 0; k < 3; k++) {
        out[k] = pv_double(v->c[k]);
    }
}

static void
cross(double *out, const double *u, const double *v)
{
    for (int k = 0; k < 3; k++) {
        out[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    }
}

static void
find_axes(struct pv_search *s, int c)
{
    const struct pv_contact *contact = &s->r->contact[c];
    double(*axis)[3] = s->axis[c];
    double mu = pv_double(contact->friction);
    read_vec(axis[0], &contact->normal);
    s->conic.size[c] = mu == 0.0 ? 1 : s->r->dimension;
    if (s->r->dimension == 2) {
        axis[1][0] = -mu * axis[0][1];
        axis[1][1] = mu * axis[0][0];
        return;
    }
    double away[3] = {0.0, 0.0, 0.0};
    int least = 0;
    for (int k = 1; k < 3; k++) {
        least = fabs(axis[0][k]) < fabs(axis[0][least]) ? k : least;
    }
    away[least] = 1.0;
    cross(axis[1], axis[0], away);
    double size = sqrt(axis[1][0] * axis[1][0] + axis[1][1] * axis[1][1] +
                       axis[1][2] * axis[1][2]);
    for (int k = 0; k < 3; k++) {
        axis[1][k] *= mu / size;
    }
    cross(axis[2], axis[0], axis[1]);
}

/*
 * Fills the column of a contact without friction, rounded from the exact one.  A force through the
 * centre of a disc does not turn it.  A rounded arm would give it a small moment, which the method
 * would take for a movement.
 */
static void
fill_smooth_arm(struct pv_search *s, int c)
{
    struct pv_arm *arm = &s->conic.arm[K * c];
    const struct pv_column *column = &s->column[K * c];
    int dof = s->conic.dof;
    for (int e = 0; e < column->count; e++) {
        int body = column->row[e] / dof;
        CN_ASSERT(arm->body[0] == body || arm->body[1] == body);
        int side = arm->body[0] == body ? 0 : 1;
        arm->part[side][column->row[e] % dof] = pv_double(column->value[e]);
    }
}

/* Fills column k of a contact in doubles: force and moment on its two bodies. */
static void
fill_arm(struct pv_search *s, int c, int k)
{
    const struct pv_contact *contact = &s->r->contact[c];
    struct pv_arm *arm = &s->conic.arm[K * c + k];
    const double *force = s->axis[c][k];
    int d = s->r->dimension, side = 0;
    const int body[2] = {contact->a, contact->b};
    arm->body[0] = arm->body[1] = -1;
    for (int i = 0; i < 2; i++) {
        int row = s->balance->row[body[i]];
        if (row < 0) {
            continue;
        }
        CN_ASSERT(row % s->conic.dof == 0); /* a body's rows are a block */
        double at[3], center[3], moment[3], sign = i == 0 ? -1.0 : 1.0;
        read_vec(at, &contact->point);
        read_vec(center, &s->r->body[body[i]].center);
        for (int m = 0; m < 3; m++) {
            at[m] -= center[m];
        }
        cross(moment, at, force);
        arm->body[side] = row / s->conic.dof;
        for (int m = 0; m < s->conic.dof; m++) {
            double value = m < d ? force[m] : d == 2 ? moment[2] : moment[m - 3];
            arm->part[side][m] = k < s->conic.size[c] ? sign * value : 0.0;
        }
        side++;
    }
    if (s->conic.size[c] == 1) {
        memset(arm->part, 0, sizeof(arm->part));
        if (k == 0) {
            fill_smooth_arm(s, c);
        }
    }
}

/* The mean lever arm, rounded to a power of two so that dividing by it is exact. */
static double
usual_arm(const struct pv_search *s)
{
    double sum = 0.0;
    int count = 0, d = s->r->dimension;
    for (int j = 0; j < K * s->conic.count; j++) {
        for (int k = 0; k < 2 * PV_DOF_MAX; k++) {
            double value = s->conic.arm[j].part[k / PV_DOF_MAX][k % PV_DOF_MAX];
            sum += k % PV_DOF_MAX >= d ? fabs(value) : 0.0;
            count += k % PV_DOF_MAX >= d && value != 0.0;
        }
    }
    return sum > 0.0 ? exp2(nearbyint(log2(sum / count))) : 1.0;
}

static void
scale_cone(struct pv_search *s, int c)
{
    struct pv_arm *arm = &s->conic.arm[K * c];
    double sum = 0.0;
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < 2 * s->conic.dof; i++) {
            int side = i / s->conic.dof, m = i % s->conic.dof;
            arm[k].part[side][m] *= s->row_scale[m];
            sum += k == 0 ? arm[k].part[side][m] * arm[k].part[side][m] : 0.0;
        }
    }
    s->cone_scale[c] = sum > 0.0 ? 1.0 / sqrt(sum) : 1.0;
    for (int side = 0; side < 2 && arm[0].body[side] >= 0 && s->r->contact[c].bears; side++) {
        for (int m = 0; m < s->conic.dof; m++) {
            s->conic.a[s->conic.dof * arm[0].body[side] + m] += arm[0].part[side][m];
        }
    }
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < 2 * PV_DOF_MAX; i++) {
            arm[k].part[i / PV_DOF_MAX][i % PV_DOF_MAX] *= s->cone_scale[c];
        }
    }
}

static void
fill_conic(struct pv_search *s)
{
    struct pv_conic *p = &s->conic;
    for (int c = 0; c < p->count; c++) {
        find_axes(s, c);
        for (int k = 0; k < K; k++) {
            fill_arm(s, c, k);
        }
    }
    double arm = usual_arm(s);
    for (int m = 0; m < p->dof; m++) {
        s->row_scale[m] = m < s->r->dimension ? 1.0 : 1.0 / arm;
    }
    for (int c = 0; c < p->count; c++) {
        scale_cone(s, c);
    }
    for (int i = 0; i < s->balance->rows; i++) {
        p->b[i] = pv_double(s->balance->b[i]) * s->row_scale[i % p->dof];
        s->weight = fmax(s->weight, fabs(p->b[i]));
        s->margin_scale = fmax(s->margin_scale, fabs(p->a[i]));
    }
    s->margin_scale = s->margin_scale > 0.0 ? s->margin_scale : 1.0;
    s->weight = s->weight > 0.0 ? s->weight : 1.0;
    for (int i = 0; i < s->balance->rows; i++) {
        p->a[i] /= s->margin_scale;
        p->b[i] /= s->weight;
    }
}

/* Fills the exact columns of the contacts' forces. */
static void
fill_columns(struct pv_search *s)
{
    pv_vec force;
    pv_vec_init(&force);
    for (int c = 0; c < s->conic.count; c++) {
        const struct pv_contact *contact = &s->r->contact[c];
        bool is_rough = mpq_sgn(contact->friction) > 0;
        s->column_count[c] = is_rough ? s->r->dimension : 1;
        CN_ASSERT(s->column_count[c] <= K);
        for (int k = 0; k < K; k++) {
            struct pv_column *column = &s->column[K * c + k];
            pv_column_init(column, PV_WRENCH_ROOM);
            for (int m = 0; m < 3; m++) {
                mpq_set_ui(force.c[m], m == k, 1);
            }
            if (k < s->column_count[c]) {
                pv_wrench_add(s->r, s->balance->row, column, contact,
                    is_rough ? &force : &contact->normal);
            }
        }
    }
    pv_vec_clear(&force);
}

/* The least (sign 1) or largest (sign -1) eigenvalue of v.  Least >= 0: v is inside of its cone. */
static double
eigenvalue_of(const double *v, double sign)
{
    return v[0] - sign * sqrt(v[1] * v[1] + v[2] * v[2]);
}

void
pv_search_tell_parts(struct pv_search *s)
{
    for (int c = 0; c < s->conic.count; c++) {
        const double *x = &s->conic.x[K * c], *z = &s->conic.z[K * c];
        s->part[c] = eigenvalue_of(x, 1.0) > CLEAR * eigenvalue_of(z, -1.0)   ? PV_PRESSES
                     : eigenvalue_of(z, 1.0) > CLEAR * eigenvalue_of(x, -1.0) ? PV_PARTS
                                                                : PV_SLIDES;
    }
}

double
pv_search_room(const struct pv_search *s, int contact)
{
    CN_ASSERT(0 <= contact && contact < s->conic.count);
    return eigenvalue_of(&s->conic.x[K * contact], 1.0) * s->cone_scale[contact];
}

void
pv_search_init(struct pv_search *s, const struct pv_balance *balance)
{
    const struct pv_arrangement *r = balance->arrangement;
    size_t n = (size_t)r->contact_count;
    int dof = pv_dof(r);
    CN_ASSERT(balance->rows % dof == 0);
    *s = (struct pv_search){.balance = balance, .r = r, .work_max = PV_BOUNDS_WORK_MAX};
    pv_conic_init(&s->conic, r->contact_count, balance->rows / dof, dof);
    s->column = pv_alloc(K * n, sizeof(*s->column));
    s->column_count = pv_alloc(n, sizeof(*s->column_count));
    s->axis = pv_alloc(n, sizeof(*s->axis));
    s->cone_scale = pv_alloc(n, sizeof(*s->cone_scale));
    s->part = pv_alloc(n, sizeof(*s->part));
    fill_columns(s);
    fill_conic(s);
}

void
pv_search_finish(struct pv_search *s)
{
    for (int j = 0; j < K * s->conic.count; j++) {
        pv_column_finish(&s->column[j], PV_WRENCH_ROOM);
    }
    pv_free(s->column);
    pv_free(s->column_count);
    pv_free(s->axis);
    pv_free(s->cone_scale);
    pv_free(s->part);
    pv_conic_finish(&s->conic);
}
