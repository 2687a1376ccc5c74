#include "prove/touch_solid.h"

#include "engine/base/assert.h"
#include "prove/patch.h"

#include <math.h>

#define BLUR 1e-11     /* bound of the error of a height in doubles, in sizes of the pair */
#define SINE_ZERO 5e-10 /* edges with a smaller sine are parallel by SINE_PARTS, */
#define SINE_SURE 2e-9  /* those with a larger one are not */
#define SINE_PARTS 1000000000ul
#define SLACK_PARTS 1000000ul

/* A direction from a to b: of a face of a or b, or across an edge of each. */
struct direction {
    int owner;       /* 0: face of a, 1: face of b, 2: edges */
    int i, j, sign;  /* face i; or edge i of a, edge j of b, and the sign of their cross product */
    double gap, blur; /* in doubles; blur bounds the error */
};

struct meeting {
    const struct pv_shape *shape[2];
    const pv_vec *gravity;
    mpq_t near, sunk; /* the tolerance, and minus it */
    mpq_t slack;      /* of patches: near / SLACK_PARTS */
    double reach, blur, size;
    double (*at[2])[3]; /* corners relative to the first of a */
    struct direction *direction;
    int count;
    struct pv_patch best; /* on a parting face */
    pv_vec best_normal;
    mpq_t best_steep;
    bool has_best;
};

static void
cross(double *out, const double *u, const double *v)
{
    for (int k = 0; k < 3; k++) {
        out[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    }
}

static double
dot(const double *u, const double *v)
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

static void
meeting_init(struct meeting *m, const struct pv_shape *a, const struct pv_shape *b,
    const mpq_t near, const pv_vec *gravity)
{
    pv_vec d;
    *m = (struct meeting){.shape = {a, b}, .gravity = gravity};
    mpq_inits(m->near, m->sunk, m->slack, m->best_steep, NULL);
    mpq_set(m->near, near);
    mpq_neg(m->sunk, near);
    mpq_set_ui(m->slack, 1, SLACK_PARTS);
    mpq_mul(m->slack, m->slack, near);
    pv_vec_init(&m->best_normal);
    pv_vec_init(&d);
    for (int s = 0; s < 2; s++) {
        m->at[s] = pv_alloc((size_t)m->shape[s]->vertex_count, sizeof(*m->at[s]));
        for (int i = 0; i < m->shape[s]->vertex_count; i++) {
            pv_vec_sub(&d, &m->shape[s]->vertex[i], &a->vertex[0]);
            for (int k = 0; k < 3; k++) {
                m->at[s][i][k] = pv_double(d.c[k]);
                m->size = fmax(m->size, fabs(m->at[s][i][k]));
            }
        }
    }
    m->reach = pv_double(near);
    m->blur = BLUR * m->size;
    size_t edges = 2 * (size_t)a->solid.edge_count * (size_t)b->solid.edge_count;
    m->direction = pv_alloc((size_t)(a->solid.facet_count + b->solid.facet_count) + edges,
        sizeof(*m->direction));
    pv_vec_clear(&d);
}

static void
meeting_finish(struct meeting *m)
{
    if (m->has_best) {
        pv_patch_finish(&m->best);
    }
    pv_vec_clear(&m->best_normal);
    mpq_clears(m->near, m->sunk, m->slack, m->best_steep, NULL);
    pv_free(m->at[0]);
    pv_free(m->at[1]);
    pv_free(m->direction);
}

/* The farthest reach of a shape's corners along n (sign 1), or the least (sign -1). */
static double
reach_along(const struct meeting *m, int s, const double *n, double sign)
{
    double most = -HUGE_VAL;
    for (int i = 0; i < m->shape[s]->vertex_count; i++) {
        most = fmax(most, sign * dot(n, m->at[s][i]));
    }
    return sign * most;
}

static void
add_direction(struct meeting *m, int owner, int i, int j, int sign, const double *n, double blur)
{
    struct direction *d = &m->direction[m->count++];
    *d = (struct direction){.owner = owner, .i = i, .j = j, .sign = sign, .blur = blur};
    d->gap = reach_along(m, 1, n, -1.0) - reach_along(m, 0, n, 1.0);
}

/* Whether the sine between two edges of a and b is at most 1 / SINE_PARTS. */
static bool
are_parallel(const struct meeting *m, int i, int j)
{
    pv_vec edge[2], n;
    mpq_t size, part;
    mpq_inits(size, part, NULL);
    pv_vec_init(&n);
    mpq_set_ui(part, 1, SINE_PARTS);
    mpq_mul(part, part, part);
    for (int s = 0; s < 2; s++) {
        const int *of = m->shape[s]->solid.edge[s == 0 ? i : j];
        pv_vec_init(&edge[s]);
        pv_vec_sub(&edge[s], &m->shape[s]->vertex[of[1]], &m->shape[s]->vertex[of[0]]);
        pv_dot(size, &edge[s], &edge[s]);
        mpq_mul(part, part, size);
    }
    pv_cross(&n, &edge[0], &edge[1]);
    pv_dot(size, &n, &n);
    bool parallel = mpq_cmp(size, part) <= 0;
    pv_vec_clear(&edge[0]);
    pv_vec_clear(&edge[1]);
    pv_vec_clear(&n);
    mpq_clears(size, part, NULL);
    return parallel;
}

static void
add_edges(struct meeting *m, int i, int j)
{
    double edge[2][3], n[3];
    for (int s = 0; s < 2; s++) {
        const int *of = m->shape[s]->solid.edge[s == 0 ? i : j];
        for (int k = 0; k < 3; k++) {
            edge[s][k] = m->at[s][of[1]][k] - m->at[s][of[0]][k];
        }
    }
    cross(n, edge[0], edge[1]);
    double whole = sqrt(dot(edge[0], edge[0]) * dot(edge[1], edge[1])), size = sqrt(dot(n, n));
    double sine = size / whole;
    if (!(sine > SINE_ZERO) || (sine < SINE_SURE && are_parallel(m, i, j))) {
        return;
    }
    for (int sign = 1; sign >= -1; sign -= 2) {
        double unit[3] = {sign * n[0] / size, sign * n[1] / size, sign * n[2] / size};
        add_direction(m, 2, i, j, sign, unit, m->blur + 1e-14 * m->size / sine);
    }
}

static void
list_directions(struct meeting *m)
{
    for (int s = 0; s < 2; s++) {
        for (int f = 0; f < m->shape[s]->solid.facet_count; f++) {
            double n[3];
            for (int k = 0; k < 3; k++) {
                double part = pv_double(m->shape[s]->solid.facet[f].normal.c[k]);
                n[k] = s == 0 ? part : -part;
            }
            add_direction(m, s, f, 0, 1, n, m->blur);
        }
    }
    for (int i = 0; i < m->shape[0]->solid.edge_count; i++) {
        for (int j = 0; j < m->shape[1]->solid.edge_count; j++) {
            add_edges(m, i, j);
        }
    }
}

/* unit = the exact direction, from a to b. */
static void
find_unit(const struct meeting *m, const struct direction *d, pv_vec *unit)
{
    if (d->owner < 2) {
        pv_vec_set(unit, &m->shape[d->owner]->solid.facet[d->i].normal);
        if (d->owner == 1) {
            pv_vec_negate(unit);
        }
        return;
    }
    pv_vec edge[2];
    mpq_t size;
    mpq_init(size);
    for (int s = 0; s < 2; s++) {
        const int *of = m->shape[s]->solid.edge[s == 0 ? d->i : d->j];
        pv_vec_init(&edge[s]);
        pv_vec_sub(&edge[s], &m->shape[s]->vertex[of[1]], &m->shape[s]->vertex[of[0]]);
    }
    pv_cross(unit, &edge[0], &edge[1]);
    pv_dot(size, unit, unit);
    pv_root(size, size);
    CN_ASSERT(mpq_sgn(size) > 0); /* parallel edges have no direction */
    if (d->sign < 0) {
        mpq_neg(size, size);
    }
    for (int k = 0; k < 3; k++) {
        mpq_div(unit->c[k], unit->c[k], size);
    }
    pv_vec_clear(&edge[0]);
    pv_vec_clear(&edge[1]);
    mpq_clear(size);
}

/* out = the exact farthest reach of a shape along unit (sign 1), or the least (sign -1). */
static void
exact_reach(const struct meeting *m, int s, const pv_vec *unit, int sign, double blur, mpq_t out)
{
    double n[3];
    for (int k = 0; k < 3; k++) {
        n[k] = pv_double(unit->c[k]);
    }
    double most = reach_along(m, s, n, sign);
    bool has = false;
    mpq_t now;
    mpq_init(now);
    for (int i = 0; i < m->shape[s]->vertex_count; i++) {
        if (fabs(dot(n, m->at[s][i]) - most) > 2.0 * blur) {
            continue;
        }
        pv_dot(now, unit, &m->shape[s]->vertex[i]);
        if (!has || mpq_cmp(now, out) * sign > 0) {
            mpq_set(out, now);
            has = true;
        }
    }
    CN_ASSERT(has);
    mpq_clear(now);
}

/* The exact gap along unit; *offset is the plane of the contact, on a unless b's face is it. */
static void
exact_gap(const struct meeting *m, const struct direction *d, const pv_vec *unit, mpq_t gap,
    mpq_t offset)
{
    mpq_t top;
    mpq_init(top);
    exact_reach(m, 0, unit, 1, m->blur, top);
    exact_reach(m, 1, unit, -1, m->blur, gap);
    mpq_set(offset, d->owner == 1 ? gap : top);
    mpq_sub(gap, gap, top);
    mpq_clear(top);
}

/* Collects the corners of a shape that are near the plane: not lower (a), not higher (b). */
static int
gather(const struct meeting *m, int s, const pv_vec *unit, const mpq_t offset, int *index)
{
    double n[3];
    mpq_t h;
    mpq_init(h);
    for (int k = 0; k < 3; k++) {
        n[k] = pv_double(unit->c[k]);
    }
    pv_dot(h, unit, &m->shape[0]->vertex[0]);
    mpq_sub(h, offset, h);
    double level = pv_double(h);
    int count = 0;
    for (int i = 0; i < m->shape[s]->vertex_count; i++) {
        double above = dot(n, m->at[s][i]) - level, out = s == 0 ? -above : above;
        if (out > m->reach + 2.0 * m->blur) {
            continue;
        }
        if (out > m->reach - 2.0 * m->blur) {
            pv_dot(h, unit, &m->shape[s]->vertex[i]);
            mpq_sub(h, h, offset);
            if (s == 0) {
                mpq_neg(h, h);
            }
            if (mpq_cmp(h, m->near) > 0) {
                continue;
            }
        }
        index[count++] = i;
    }
    mpq_clear(h);
    return count;
}

static void
find_patch(const struct meeting *m, const pv_vec *unit, const mpq_t offset, struct pv_patch *patch)
{
    int *index[2];
    struct pv_near near[2];
    for (int s = 0; s < 2; s++) {
        index[s] = pv_alloc((size_t)m->shape[s]->vertex_count, sizeof(*index[s]));
        near[s] = (struct pv_near){m->shape[s]->vertex, index[s],
            gather(m, s, unit, offset, index[s])};
    }
    pv_patch_init(patch, unit, offset, &near[0], &near[1], m->slack);
    pv_free(index[0]);
    pv_free(index[1]);
}

/* Takes the patch on a parting face if it is better than the best so far. */
static void
weigh_patch(struct meeting *m, const pv_vec *unit, const mpq_t offset)
{
    struct pv_patch patch;
    mpq_t steep;
    mpq_init(steep);
    find_patch(m, unit, offset, &patch);
    pv_dot(steep, unit, m->gravity);
    mpq_abs(steep, steep);
    int order = !m->has_best ? 1 : pv_patch_compare(&patch, &m->best);
    order = order != 0 ? order : mpq_cmp(steep, m->best_steep);
    if (patch.count > 0 && order > 0) {
        struct pv_patch old = m->best;
        m->best = patch;
        patch = old;
        pv_vec_set(&m->best_normal, unit);
        mpq_set(m->best_steep, steep);
        if (!m->has_best) {
            m->has_best = true;
            mpq_clear(steep);
            return;
        }
    }
    pv_patch_finish(&patch);
    mpq_clear(steep);
}

/*
 * Tests every direction that may show the two apart, and finds the patches on parting faces.
 * PV_OVERLAPS: no face parts them, and no direction shows them apart.
 */
static enum pv_touching
try_directions(struct meeting *m)
{
    enum pv_touching touching = PV_OVERLAPS;
    mpq_t gap, offset;
    pv_vec unit;
    mpq_inits(gap, offset, NULL);
    pv_vec_init(&unit);
    for (int k = 0; k < m->count && touching != PV_APART; k++) {
        if (m->direction[k].gap > m->reach + m->direction[k].blur) {
            touching = PV_APART;
        }
    }
    for (int k = 0; k < m->count && touching != PV_APART; k++) {
        const struct direction *d = &m->direction[k];
        double wanted = d->owner < 2 ? -m->reach : m->reach;
        if (d->gap < wanted - d->blur) {
            continue;
        }
        find_unit(m, d, &unit);
        exact_gap(m, d, &unit, gap, offset);
        if (mpq_cmp(gap, m->near) > 0) {
            touching = PV_APART;
        } else if (d->owner < 2 && mpq_cmp(gap, m->sunk) >= 0) {
            touching = PV_TOUCHES;
            weigh_patch(m, &unit, offset);
        }
    }
    pv_vec_clear(&unit);
    mpq_clears(gap, offset, NULL);
    return touching;
}

/* Finds the direction of the greatest exact gap, the first of several. */
static void
find_shallowest(struct meeting *m, pv_vec *normal, mpq_t gap, mpq_t offset)
{
    double least = -HUGE_VAL;
    for (int k = 0; k < m->count; k++) {
        least = fmax(least, m->direction[k].gap - m->direction[k].blur);
    }
    mpq_t now, at;
    pv_vec unit;
    bool has = false;
    mpq_inits(now, at, NULL);
    pv_vec_init(&unit);
    for (int k = 0; k < m->count; k++) {
        const struct direction *d = &m->direction[k];
        if (d->gap + d->blur < least) {
            continue;
        }
        find_unit(m, d, &unit);
        exact_gap(m, d, &unit, now, at);
        if (!has || mpq_cmp(now, gap) > 0) {
            mpq_set(gap, now);
            mpq_set(offset, at);
            pv_vec_set(normal, &unit);
            has = true;
        }
    }
    CN_ASSERT(has);
    mpq_clears(now, at, NULL);
    pv_vec_clear(&unit);
}

static void
take_patch(struct pv_touch *touch, const struct pv_patch *patch)
{
    for (int i = 0; i < patch->count; i++) {
        pv_vec_set(pv_touch_add(touch), &patch->corner[i]);
    }
}

/* No face parts the two: they touch at the edges of the greatest gap, or overlap. */
static enum pv_touching
touch_edges(struct pv_touch *touch, struct meeting *m, double *depth)
{
    enum pv_touching touching = PV_OVERLAPS;
    mpq_t gap, offset;
    mpq_inits(gap, offset, NULL);
    find_shallowest(m, &touch->normal, gap, offset);
    *depth = -pv_double(gap);
    if (mpq_cmp(gap, m->sunk) >= 0) {
        struct pv_patch patch;
        find_patch(m, &touch->normal, offset, &patch);
        take_patch(touch, &patch);
        pv_patch_finish(&patch);
        touching = touch->count > 0 ? PV_TOUCHES : PV_APART;
    }
    mpq_clears(gap, offset, NULL);
    return touching;
}

enum pv_touching
pv_touch_solids(struct pv_touch *touch, const struct pv_shape *a, const struct pv_shape *b,
    const mpq_t near, const pv_vec *gravity, double *depth)
{
    CN_ASSERT(a->solid.facet_count > 0 && b->solid.facet_count > 0);
    struct meeting m;
    meeting_init(&m, a, b, near, gravity);
    list_directions(&m);
    enum pv_touching touching = try_directions(&m);
    if (touching == PV_OVERLAPS) {
        touching = touch_edges(touch, &m, depth);
    } else if (touching == PV_TOUCHES && m.has_best) {
        pv_vec_set(&touch->normal, &m.best_normal);
        take_patch(touch, &m.best);
    } else {
        touching = PV_APART;
    }
    meeting_finish(&m);
    return touching;
}
