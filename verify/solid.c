/*
 * solid.c: where two hulls, or a hull and a cuboid, touch, by docs/certificates.md.
 *
 * Heights are compared in doubles where these are clearly far from the limit, and exactly where
 * they are not.
 */
#include "verify/solid.h"

#include "engine/base/assert.h"

#include <math.h>
#include <stdlib.h>

/* A direction from a to b, and the plane of the contact along it. */
struct way {
    struct vf_vec unit;
    q gap, offset;
    int face_of; /* 0: face of a, 1: face of b, 2: across edges */
};

struct meeting {
    struct vf_scene *scene;
    struct q_pool *pool;
    const struct vf_shape *shape[2];
    q near, slack;
    double limit, doubt; /* near, and a bound of the error of a gap in doubles */
    double *at[2];       /* three a corner, relative to the first of a */
    struct vf_found best;
    q area, length, steep;
};

void
vf_solid_of_cuboid(struct q_pool *pool, struct vf_shape *shape)
{
    shape->face = vf_alloc(6, sizeof(*shape->face));
    shape->edge = vf_alloc(12, sizeof(*shape->edge));
    shape->face_count = 6;
    for (int axis = 0; axis < 3; axis++) {
        struct vf_vec back = vf_times(pool, q_int(pool, -1), shape->axis[axis]);
        shape->face[2 * axis] = (struct vf_face){shape->axis[axis], 1 << axis};
        shape->face[2 * axis + 1] = (struct vf_face){back, 0};
    }
    for (int i = 0; i < 8; i++) {
        for (int j = i + 1; j < 8; j++) {
            if ((i ^ j) == 1 || (i ^ j) == 2 || (i ^ j) == 4) {
                shape->edge[shape->edge_count][0] = i;
                shape->edge[shape->edge_count++][1] = j;
            }
        }
    }
}

static void
as_doubles(struct vf_vec v, double *out)
{
    out[0] = mpq_get_d(v.x);
    out[1] = mpq_get_d(v.y);
    out[2] = mpq_get_d(v.z);
}

static struct vf_vec
edge_of(struct meeting *m, int s, int edge)
{
    const int *of = m->shape[s]->edge[edge];
    return vf_sub(m->pool, m->shape[s]->corner[of[1]], m->shape[s]->corner[of[0]]);
}

/* The gap along a direction in doubles, of any length. */
static double
rough_gap(const struct meeting *m, const double *n)
{
    double end[2] = {-HUGE_VAL, HUGE_VAL}, size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < m->shape[s]->n; i++) {
            const double *p = &m->at[s][3 * i];
            double h = n[0] * p[0] + n[1] * p[1] + n[2] * p[2];
            end[s] = s == 0 ? fmax(end[s], h) : fmin(end[s], h);
        }
    }
    return (end[1] - end[0]) / size;
}

/* The exact gap of a direction, and its plane: on b's face, or on a. */
static void
measure_way(struct meeting *m, struct way *way)
{
    q end[2] = {NULL, NULL};
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < m->shape[s]->n; i++) {
            q h = vf_dot(m->pool, way->unit, m->shape[s]->corner[i]);
            end[s] = end[s] == NULL ? h : s == 0 ? q_max(end[s], h) : q_min(end[s], h);
        }
    }
    way->gap = q_sub(m->pool, end[1], end[0]);
    way->offset = way->face_of == 1 ? end[1] : end[0];
}

/* Finds the cover of the near corners on both sides of the plane. */
static void
find_cover(struct meeting *m, const struct way *way, struct vf_found *found, q *area, q *length)
{
    struct vf_vec *near[2];
    int count[2] = {0, 0};
    for (int s = 0; s < 2; s++) {
        near[s] = vf_alloc((size_t)m->shape[s]->n, sizeof(*near[s]));
        for (int i = 0; i < m->shape[s]->n; i++) {
            q h = q_sub(m->pool, vf_dot(m->pool, way->unit, m->shape[s]->corner[i]), way->offset);
            h = s == 0 ? q_neg(m->pool, h) : h;
            if (!q_less(m->near, h)) {
                near[s][count[s]++] = m->shape[s]->corner[i];
            }
        }
    }
    found->normal = way->unit;
    found->count = vf_solid_cover(m->pool, way->unit, way->offset, m->slack, near[0], count[0],
        near[1], count[1], found->point, area, length);
    free(near[0]);
    free(near[1]);
}

/* Keeps the cover of a parting face if it is the best so far. */
static void
try_cover(struct meeting *m, const struct way *way)
{
    struct vf_found found = {.count = 0};
    q area, length, steep = q_abs(m->pool, vf_dot(m->pool, way->unit, m->scene->gravity));
    find_cover(m, way, &found, &area, &length);
    if (found.count == 0) {
        return;
    }
    bool better = m->best.count == 0;
    if (!better) {
        int order = mpq_cmp(area, m->area);
        order = order != 0 ? order : mpq_cmp(length, m->length);
        order = order != 0 ? order : mpq_cmp(steep, m->steep);
        better = order > 0;
    }
    if (better) {
        m->best = found;
        m->area = area;
        m->length = length;
        m->steep = steep;
    }
}

static struct way
face_way(struct meeting *m, int s, int face)
{
    struct vf_vec n = m->shape[s]->face[face].normal;
    return (struct way){
        .unit = s == 0 ? n : vf_times(m->pool, q_int(m->pool, -1), n), .face_of = s};
}

/*
 * The direction across two edges, forwards or back.  False: they are parallel, within a sine of
 * 10^-9.
 */
static bool
edge_way(struct meeting *m, int i, int j, int sign, struct way *way)
{
    struct vf_vec d = edge_of(m, 0, i), e = edge_of(m, 1, j), n = vf_turned(m->pool, d, e);
    q size = vf_dot(m->pool, n, n);
    q whole = q_mul(m->pool, vf_dot(m->pool, d, d), vf_dot(m->pool, e, e));
    q part = q_mul(m->pool, whole, q_ratio(m->pool, 1, 1000000000000000000ul));
    if (!q_less(part, size)) {
        return false;
    }
    q scale = q_div(m->pool, q_int(m->pool, sign), q_root(m->pool, size));
    *way = (struct way){.unit = vf_times(m->pool, scale, n), .face_of = 2};
    return true;
}

/* Whether a gap in doubles may be `least` or more. */
static bool
may_reach(const struct meeting *m, double gap, double least, double doubt)
{
    return gap > least - m->doubt - doubt;
}

/* The gap across two edges in doubles; *doubt bounds its error.  False: surely parallel. */
static bool
rough_edges(const struct meeting *m, int i, int j, double *gap, double *doubt)
{
    double e[2][3], n[3];
    for (int s = 0; s < 2; s++) {
        const int *of = m->shape[s]->edge[s == 0 ? i : j];
        for (int k = 0; k < 3; k++) {
            e[s][k] = m->at[s][3 * of[1] + k] - m->at[s][3 * of[0] + k];
        }
    }
    for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        n[k] = e[0][u] * e[1][v] - e[0][v] * e[1][u];
    }
    double whole = sqrt((e[0][0] * e[0][0] + e[0][1] * e[0][1] + e[0][2] * e[0][2]) *
                        (e[1][0] * e[1][0] + e[1][1] * e[1][1] + e[1][2] * e[1][2]));
    double sine = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / whole;
    if (sine < 1e-10) {
        return false;
    }
    double back[3] = {-n[0], -n[1], -n[2]};
    gap[0] = rough_gap(m, n);
    gap[1] = rough_gap(m, back);
    *doubt = 1e-3 * m->doubt / sine;
    return true;
}

/* Whether the direction across some pair of edges shows the two apart. */
static bool
edges_part(struct meeting *m)
{
    for (int i = 0; i < m->shape[0]->edge_count; i++) {
        for (int j = 0; j < m->shape[1]->edge_count; j++) {
            double gap[2], doubt;
            bool may = rough_edges(m, i, j, gap, &doubt);
            for (int k = 0; k < 2 && may; k++) {
                struct way way;
                if (may_reach(m, gap[k], m->limit, doubt) &&
                    edge_way(m, i, j, k == 0 ? 1 : -1, &way)) {
                    measure_way(m, &way);
                    if (q_less(m->near, way.gap)) {
                        return true;
                    }
                }
            }
        }
    }
    return false;
}

/* Finds the way with the greatest gap, the first of several: faces, then edges. */
static struct way
shallowest_way(struct meeting *m)
{
    struct way best = {.gap = NULL};
    double least = -HUGE_VAL;
    for (int s = 0; s < 2; s++) {
        for (int f = 0; f < m->shape[s]->face_count; f++) {
            struct way way = face_way(m, s, f);
            measure_way(m, &way);
            if (best.gap == NULL || q_less(best.gap, way.gap)) {
                best = way;
                least = mpq_get_d(way.gap);
            }
        }
    }
    for (int i = 0; i < m->shape[0]->edge_count; i++) {
        for (int j = 0; j < m->shape[1]->edge_count; j++) {
            double gap[2], doubt;
            bool may = rough_edges(m, i, j, gap, &doubt);
            for (int k = 0; k < 2 && may; k++) {
                struct way way;
                if (may_reach(m, gap[k], least, doubt) &&
                    edge_way(m, i, j, k == 0 ? 1 : -1, &way)) {
                    measure_way(m, &way);
                    if (q_less(best.gap, way.gap)) {
                        best = way;
                        least = mpq_get_d(way.gap);
                    }
                }
            }
        }
    }
    return best;
}

/* Tries all faces.  *parts: one parts the two.  False: one shows them apart. */
static bool
try_faces(struct meeting *m, bool *parts)
{
    for (int s = 0; s < 2; s++) {
        for (int f = 0; f < m->shape[s]->face_count; f++) {
            double n[3];
            struct way way = face_way(m, s, f);
            as_doubles(way.unit, n);
            if (!may_reach(m, rough_gap(m, n), -m->limit, 0.0)) {
                continue;
            }
            measure_way(m, &way);
            if (q_less(m->near, way.gap)) {
                return false;
            }
            if (!q_less(way.gap, q_neg(m->pool, m->near))) {
                *parts = true;
                try_cover(m, &way);
            }
        }
    }
    return true;
}

static void
meeting_init(struct meeting *m)
{
    double size = 0.0;
    for (int s = 0; s < 2; s++) {
        m->at[s] = vf_alloc((size_t)(3 * m->shape[s]->n), sizeof(double));
        for (int i = 0; i < m->shape[s]->n; i++) {
            as_doubles(vf_sub(m->pool, m->shape[s]->corner[i], m->shape[0]->corner[0]),
                &m->at[s][3 * i]);
            for (int k = 0; k < 3; k++) {
                size = fmax(size, fabs(m->at[s][3 * i + k]));
            }
        }
    }
    m->limit = mpq_get_d(m->near);
    m->doubt = 1e-10 * size;
    m->slack = q_mul(m->pool, m->near, q_ratio(m->pool, 1, 1000000));
}

void
vf_solid_meet(struct vf_scene *scene, const struct vf_shape *a, const struct vf_shape *b, q near,
    struct vf_found *found)
{
    CN_ASSERT(a->face_count > 0 && b->face_count > 0);
    struct meeting m = {.scene = scene, .pool = &scene->pool, .shape = {a, b}, .near = near};
    bool parts = false;
    meeting_init(&m);
    if (try_faces(&m, &parts) && !edges_part(&m)) {
        if (parts) {
            *found = m.best;
        } else {
            struct way way = shallowest_way(&m);
            found->overlaps = q_less(way.gap, q_neg(m.pool, near));
            found->normal = way.unit;
            if (!found->overlaps) {
                find_cover(&m, &way, found, NULL, NULL);
            }
        }
    }
    free(m.at[0]);
    free(m.at[1]);
}
