/*
 * capsule.c: capsules: their mass, and where they touch; also where a ball touches a hull.  By
 * docs/certificates.md.
 *
 * The plane is treated as the part z = 0 of space.
 */
#include "engine/base/assert.h"
#include "verify/solid.h"

#include <stdlib.h>

/* The core of a shape: corners, edges, and faces (in the plane these are edges). */
struct core {
    int n, edge_count, face_count;
    struct vf_vec *p;
    int (*edge)[2];
    struct vf_vec *normal;
    int *on; /* a corner of each face */
    bool is_flat;
    q radius;
};

struct meeting {
    struct q_pool *pool;
    struct core core[2];
    q near;
    q square; /* of the least distance; NULL: none yet */
    struct vf_vec nearest[2];
};

static struct vf_vec
in_space(struct q_pool *pool, struct vf_vec v)
{
    v.z = v.z != NULL ? v.z : q_int(pool, 0);
    return v;
}

static struct core
core_of(struct q_pool *pool, const struct vf_shape *shape)
{
    bool is_solid = shape->face_count > 0, is_outline = !is_solid && shape->n > 2;
    struct core c = {.n = shape->n, .radius = shape->radius, .is_flat = !is_solid};
    c.edge_count = is_solid ? shape->edge_count : is_outline ? shape->n : 1;
    c.face_count = is_solid ? shape->face_count : is_outline ? shape->n : 0;
    c.p = vf_alloc((size_t)c.n, sizeof(*c.p));
    c.edge = vf_alloc((size_t)c.edge_count, sizeof(*c.edge));
    c.normal = vf_alloc((size_t)c.face_count + 1, sizeof(*c.normal));
    c.on = vf_alloc((size_t)c.face_count + 1, sizeof(*c.on));
    for (int i = 0; i < c.n; i++) {
        c.p[i] = in_space(pool, shape->corner[i]);
    }
    for (int i = 0; i < c.edge_count; i++) {
        c.edge[i][0] = is_solid ? shape->edge[i][0] : i;
        c.edge[i][1] = is_solid ? shape->edge[i][1] : (i + 1) % c.n;
    }
    for (int f = 0; f < c.face_count; f++) {
        c.normal[f] = in_space(pool, is_solid ? shape->face[f].normal : shape->normal[f]);
        c.on[f] = is_solid ? shape->face[f].corner : f;
    }
    return c;
}

static void
core_finish(struct core *c)
{
    free(c->p);
    free(c->edge);
    free(c->normal);
    free(c->on);
}

static q
height(struct meeting *m, const struct core *c, int face, struct vf_vec p)
{
    return vf_dot(m->pool, c->normal[face], vf_sub(m->pool, p, c->p[c->on[face]]));
}

static int
compare_points(struct vf_vec a, struct vf_vec b)
{
    int order = mpq_cmp(a.x, b.x);
    order = order != 0 ? order : mpq_cmp(a.y, b.y);
    return order != 0 ? order : mpq_cmp(a.z, b.z);
}

/* Takes a pair of points, side s first, if it is nearer, or as near and before by x, y, z. */
static void
offer(struct meeting *m, int s, struct vf_vec first, struct vf_vec second)
{
    struct vf_vec pair[2] = {s == 0 ? first : second, s == 0 ? second : first};
    struct vf_vec way = vf_sub(m->pool, pair[1], pair[0]);
    q square = vf_dot(m->pool, way, way);
    int order = m->square == NULL ? -1 : mpq_cmp(square, m->square);
    for (int k = 0; k < 2 && order == 0; k++) {
        order = compare_points(pair[k], m->nearest[k]);
    }
    if (order < 0) {
        m->square = square;
        m->nearest[0] = pair[0];
        m->nearest[1] = pair[1];
    }
}

static struct vf_vec
along(struct meeting *m, struct vf_vec p, struct vf_vec d, q s)
{
    return vf_add(m->pool, p, vf_times(m->pool, s, d));
}

/* Offers the feet of the corners of side 1 - s on edges and faces of side s. */
static void
offer_feet(struct meeting *m, int s)
{
    const struct core *c = &m->core[s], *other = &m->core[1 - s];
    q one = q_int(m->pool, 1), zero = q_int(m->pool, 0);
    for (int i = 0; i < other->n; i++) {
        struct vf_vec p = other->p[i];
        for (int k = 0; k < c->edge_count; k++) {
            struct vf_vec tail = c->p[c->edge[k][0]];
            struct vf_vec d = vf_sub(m->pool, c->p[c->edge[k][1]], tail);
            q size = vf_dot(m->pool, d, d), at = zero;
            if (mpq_sgn(size) > 0) {
                at = q_div(m->pool, vf_dot(m->pool, d, vf_sub(m->pool, p, tail)), size);
            }
            offer(m, s, along(m, tail, d, q_max(zero, q_min(one, at))), p);
        }
        for (int f = 0; f < c->face_count && !c->is_flat; f++) {
            q h = height(m, c, f, p), size = vf_dot(m->pool, c->normal[f], c->normal[f]);
            struct vf_vec foot = along(m, p, c->normal[f], q_neg(m->pool, q_div(m->pool, h, size)));
            bool is_on = mpq_sgn(h) > 0;
            for (int g = 0; g < c->face_count && is_on; g++) {
                is_on = g == f || mpq_sgn(height(m, c, g, foot)) <= 0;
            }
            if (is_on) {
                offer(m, s, foot, p);
            }
        }
    }
}

/* Offers the points where two edges pass each other. */
static void
offer_crossing(struct meeting *m, int i, int j)
{
    const struct core *a = &m->core[0], *b = &m->core[1];
    struct vf_vec p = a->p[a->edge[i][0]], r = b->p[b->edge[j][0]];
    struct vf_vec d = vf_sub(m->pool, a->p[a->edge[i][1]], p);
    struct vf_vec e = vf_sub(m->pool, b->p[b->edge[j][1]], r), way = vf_sub(m->pool, r, p);
    /* (p + s d - r - t e) is at right angles to d and e. */
    q dd = vf_dot(m->pool, d, d), de = vf_dot(m->pool, d, e), ee = vf_dot(m->pool, e, e);
    q wd = vf_dot(m->pool, way, d), we = vf_dot(m->pool, way, e);
    q det = q_sub(m->pool, q_mul(m->pool, dd, ee), q_mul(m->pool, de, de));
    if (mpq_sgn(det) == 0) {
        return;
    }
    q s = q_sub(m->pool, q_mul(m->pool, wd, ee), q_mul(m->pool, we, de));
    q t = q_sub(m->pool, q_mul(m->pool, wd, de), q_mul(m->pool, we, dd));
    s = q_div(m->pool, s, det);
    t = q_div(m->pool, t, det);
    q one = q_int(m->pool, 1);
    if (mpq_sgn(s) >= 0 && mpq_sgn(t) >= 0 && !q_less(one, s) && !q_less(one, t)) {
        offer(m, 0, along(m, p, d, s), along(m, r, e, t));
    }
}

/* Whether the segment of side s meets the other side, which has faces. */
static bool
meets(struct meeting *m, int s)
{
    const struct core *c = &m->core[1 - s], *segment = &m->core[s];
    if (c->face_count == 0 || segment->n > 2) {
        return false;
    }
    struct vf_vec p = segment->p[0], d = vf_sub(m->pool, segment->p[segment->n - 1], p);
    q low = q_int(m->pool, 0), high = q_int(m->pool, 1);
    for (int f = 0; f < c->face_count; f++) { /* height(p) + x slope <= 0 */
        q h = height(m, c, f, p), slope = vf_dot(m->pool, c->normal[f], d);
        if (mpq_sgn(slope) == 0) {
            if (mpq_sgn(h) > 0) {
                return false;
            }
            continue;
        }
        q at = q_neg(m->pool, q_div(m->pool, h, slope));
        if (mpq_sgn(slope) > 0) {
            high = q_min(high, at);
        } else {
            low = q_max(low, at);
        }
    }
    return !q_less(high, low);
}

static void
find_nearest(struct meeting *m)
{
    if (meets(m, 0) || meets(m, 1)) {
        m->square = q_int(m->pool, 0);
        return;
    }
    offer_feet(m, 0);
    offer_feet(m, 1);
    for (int i = 0; i < m->core[0].edge_count; i++) {
        for (int j = 0; j < m->core[1].edge_count; j++) {
            offer_crossing(m, i, j);
        }
    }
}

/* Collects the corners of side s within `near` of its farthest one towards the other side. */
static int
gather(struct meeting *m, int s, struct vf_vec unit, struct vf_vec *out)
{
    const struct core *c = &m->core[s];
    struct vf_vec to = vf_times(m->pool, q_int(m->pool, s == 0 ? 1 : -1), unit);
    q most = NULL;
    for (int i = 0; i < c->n; i++) {
        q h = vf_dot(m->pool, to, c->p[i]);
        most = most == NULL ? h : q_max(most, h);
    }
    int count = 0;
    for (int i = 0; i < c->n; i++) {
        if (!q_less(vf_dot(m->pool, to, c->p[i]), q_sub(m->pool, most, m->near))) {
            out[count++] = c->p[i];
        }
    }
    return count;
}

/* The stations on segment a between which a parallel segment b lies.  False: they share nothing. */
static bool
overlap(struct meeting *m, const struct vf_vec *a, const struct vf_vec *b, q *station)
{
    struct q_pool *pool = m->pool;
    struct vf_vec d = vf_sub(pool, a[1], a[0]), e = vf_sub(pool, b[1], b[0]);
    struct vf_vec n = vf_turned(pool, d, e);
    q dd = vf_dot(pool, d, d);
    q part = q_mul(pool, q_mul(pool, dd, vf_dot(pool, e, e)), q_ratio(pool, 1, 1000000000000ul));
    if (q_less(part, vf_dot(pool, n, n))) {
        return false;
    }
    q at[2];
    for (int k = 0; k < 2; k++) {
        at[k] = q_div(pool, vf_dot(pool, d, vf_sub(pool, b[k], a[0])), dd);
    }
    station[0] = q_max(q_int(pool, 0), q_min(at[0], at[1]));
    station[1] = q_min(q_int(pool, 1), q_max(at[0], at[1]));
    return q_less(station[0], station[1]);
}

/* Finds the points, on the rim of side s, which is round. */
static void
find_points(struct meeting *m, int s, struct vf_found *found)
{
    const struct core *round = &m->core[s];
    struct vf_vec *near = vf_alloc((size_t)m->core[1 - s].n, sizeof(*near)), own[2];
    int own_count = gather(m, s, found->normal, own);
    int count = gather(m, 1 - s, found->normal, near);
    q station[2];
    bool shares = false;
    if (own_count == 2 && count == 2) {
        shares = overlap(m, round->p, near, station);
    } else if (own_count == 2 && count > 2) {
        shares = vf_solid_clip(m->pool, found->normal, round->p, near, count, station);
    }
    found->count = shares ? 2 : 1;
    found->point[0] = m->nearest[s];
    for (int k = 0; k < 2 && shares; k++) {
        struct vf_vec axis = vf_sub(m->pool, round->p[1], round->p[0]);
        found->point[k] = along(m, round->p[0], axis, station[k]);
    }
    q reach = s == 0 ? round->radius : q_neg(m->pool, round->radius);
    for (int k = 0; k < found->count; k++) {
        found->point[k] = along(m, found->point[k], found->normal, reach);
    }
    free(near);
}

void
vf_capsule_meet(struct vf_scene *scene, const struct vf_shape *a, const struct vf_shape *b, q near,
    struct vf_found *found)
{
    CN_ASSERT(a->n > 0 && b->n > 0 && (a->n <= 2 || b->n <= 2));
    struct q_pool *pool = &scene->pool;
    struct meeting m = {.pool = pool, .core = {core_of(pool, a), core_of(pool, b)}, .near = near};
    find_nearest(&m);
    q distance = q_root(pool, m.square);
    q gap = q_sub(pool, distance, q_add(pool, a->radius, b->radius));
    bool has_normal = mpq_sgn(distance) > 0;
    found->overlaps = q_less(gap, q_neg(pool, near)) || (!has_normal && !q_less(near, gap));
    found->normal = in_space(pool, scene->gravity);
    if (has_normal) {
        found->normal = vf_times(pool, q_div(pool, q_int(pool, 1), distance),
            vf_sub(pool, m.nearest[1], m.nearest[0]));
    }
    if (a->n > 2 || b->n > 2) {
        found->normal = (struct vf_vec){q_round(pool, found->normal.x, 48),
            q_round(pool, found->normal.y, 48), q_round(pool, found->normal.z, 48)};
    }
    if (!found->overlaps && !q_less(near, gap)) {
        find_points(&m, a->n <= 2 ? 0 : 1, found);
    }
    for (int i = 0; i < found->count && !scene->is_spatial; i++) {
        found->point[i].z = NULL;
    }
    found->normal.z = scene->is_spatial ? found->normal.z : NULL;
    core_finish(&m.core[0]);
    core_finish(&m.core[1]);
}

/*
 * A cylinder and two half balls.  Its second moments are `side` across the axis, and `end` along
 * it; the inertia is their trace minus themselves.
 */
void
vf_capsule_read(struct q_pool *pool, struct vf_shape *shape, const struct cn_shape_def *def,
    const struct vf_frame *own, const struct vf_frame *body, struct vf_sums *sums)
{
    q r = q_of_double(pool, def->capsule.radius), l = q_of_double(pool, def->capsule.length);
    q half = q_div(pool, l, q_int(pool, 2)), rr = q_mul(pool, r, r);
    q disc = q_mul(pool, q_ratio(pool, 245850922, 78256779ul), rr);
    disc = q_mul(pool, disc, q_of_double(pool, def->density > 0.0 ? def->density : 1.0));
    q middle = q_mul(pool, disc, l), ends = q_mul(pool, disc, q_mul(pool, r, q_ratio(pool, 4, 3)));
    q fifth = q_mul(pool, ends, q_mul(pool, rr, q_ratio(pool, 1, 5)));
    q side = q_add(pool, q_mul(pool, middle, q_mul(pool, rr, q_ratio(pool, 1, 4))), fifth);
    q arm = q_mul(pool, half, q_add(pool, half, q_mul(pool, r, q_ratio(pool, 3, 4))));
    q end = q_mul(pool, middle, q_mul(pool, q_mul(pool, l, l), q_ratio(pool, 1, 12)));
    end = q_add(pool, end, q_add(pool, fifth, q_mul(pool, ends, arm)));
    q mass = q_add(pool, middle, ends);
    sums->by_density = sums->by_density || def->density > 0.0;
    vf_add_diagonal(pool, sums->tensor, q_add(pool, side, end)); /* trace less `side` */
    vf_add_square(pool, sums->tensor, q_sub(pool, side, end), own->axis[1]);
    vf_add_arm(pool, sums->tensor, mass, own->origin);
    sums->mass = q_add(pool, sums->mass, mass);
    sums->first = vf_add(pool, sums->first, vf_times(pool, mass, own->origin));
    shape->n = 2;
    shape->radius = r;
    shape->extent = q_add(pool, l, q_add(pool, r, r));
    for (int i = 0; i < 2; i++) {
        struct vf_vec reach = vf_times(pool, i == 0 ? q_neg(pool, half) : half, own->axis[1]);
        shape->corner[i] = vf_frame_place(pool, body, vf_add(pool, own->origin, reach));
    }
}
