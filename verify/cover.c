/*
 * cover.c: what two sets of corners cover of each other in a plane, by docs/certificates.md.
 *
 * The corners of the cover are the corners of each hull that lie in the other, and the points where
 * their edges cross.
 */
#include "engine/base/assert.h"
#include "verify/solid.h"

#include <stdlib.h>

/* A point of the plane, in two of its three coordinates. */
struct spot {
    q u, v;
};

/* The plane, seen along coordinate `seen`. */
struct view {
    struct q_pool *pool;
    struct vf_vec normal;
    q offset;
    q slack; /* a corner at most this far beside an edge lies on it */
    int seen;
};

static q
part(struct vf_vec v, int k)
{
    return k % 3 == 0 ? v.x : k % 3 == 1 ? v.y : v.z;
}

/* > 0: c lies on the left of the line from a to b. */
static q
turn(const struct view *w, struct spot a, struct spot b, struct spot c)
{
    q left = q_mul(w->pool, q_sub(w->pool, b.u, a.u), q_sub(w->pool, c.v, a.v));
    return q_sub(
        w->pool, left, q_mul(w->pool, q_sub(w->pool, b.v, a.v), q_sub(w->pool, c.u, a.u)));
}

/* The side of the line from a to b on which c lies; 0: on it, within the slack. */
static int
side(const struct view *w, struct spot a, struct spot b, struct spot c)
{
    q left = turn(w, a, b, c), du = q_sub(w->pool, b.u, a.u), dv = q_sub(w->pool, b.v, a.v);
    q size = q_add(w->pool, q_mul(w->pool, du, du), q_mul(w->pool, dv, dv));
    q wall = q_mul(w->pool, size, q_mul(w->pool, w->slack, w->slack));
    return q_less(wall, q_mul(w->pool, left, left)) ? mpq_sgn(left) : 0;
}

static int
compare_spots(struct spot a, struct spot b)
{
    int order = mpq_cmp(a.u, b.u);
    return order != 0 ? order : mpq_cmp(a.v, b.v);
}

/* Whether c lies between a and b on their line. */
static bool
is_between(const struct view *w, struct spot a, struct spot b, struct spot c)
{
    return mpq_sgn(turn(w, a, b, c)) == 0 &&
           ((compare_spots(a, c) <= 0 && compare_spots(c, b) <= 0) ||
               (compare_spots(b, c) <= 0 && compare_spots(c, a) <= 0));
}

/* Wraps a string around spots: their hull's corners, counter-clockwise from the least. */
static int
wrap(const struct view *w, const struct spot *spot, int count, struct spot *hull)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        hull[0] = n == 0 || compare_spots(spot[i], hull[0]) < 0 ? spot[i] : hull[0];
        n = 1;
    }
    while (n > 0) {
        struct spot here = hull[n - 1], next = here;
        for (int i = 0; i < count; i++) {
            if (compare_spots(spot[i], here) == 0) {
                continue;
            }
            bool is_first = compare_spots(next, here) == 0;
            int side = is_first ? -1 : mpq_sgn(turn(w, here, next, spot[i]));
            if (side < 0 || (side == 0 && is_between(w, here, spot[i], next))) {
                next = spot[i];
            }
        }
        if (compare_spots(next, hull[0]) == 0 || n > count) {
            break;
        }
        hull[n++] = next;
    }
    return n;
}

/* Whether a spot lies in a hull of any number of corners. */
static bool
is_in(const struct view *w, const struct spot *hull, int n, struct spot s)
{
    if (n == 1) {
        return compare_spots(hull[0], s) == 0;
    }
    if (n == 2) { /* beside it within the slack, and between the ends */
        q du = q_sub(w->pool, hull[1].u, hull[0].u), dv = q_sub(w->pool, hull[1].v, hull[0].v);
        q at = q_add(w->pool, q_mul(w->pool, du, q_sub(w->pool, s.u, hull[0].u)),
            q_mul(w->pool, dv, q_sub(w->pool, s.v, hull[0].v)));
        q whole = q_add(w->pool, q_mul(w->pool, du, du), q_mul(w->pool, dv, dv));
        return side(w, hull[0], hull[1], s) == 0 && mpq_sgn(at) >= 0 && !q_less(whole, at);
    }
    for (int i = 0; i < n; i++) {
        if (side(w, hull[i], hull[(i + 1) % n], s) < 0) {
            return false;
        }
    }
    return true;
}

/* The number of edges of a hull of n corners: a segment has one. */
static int
edges_of(int n)
{
    return n == 2 ? 1 : n < 2 ? 0 : n;
}

/* Collects the spots of both hulls that lie in the other, and the crossings of their edges. */
static int
collect(const struct view *w, const struct spot *a, int an, const struct spot *b, int bn,
    struct spot *out)
{
    int count = 0;
    for (int i = 0; i < an; i++) {
        if (is_in(w, b, bn, a[i])) {
            out[count++] = a[i];
        }
    }
    for (int i = 0; i < bn; i++) {
        bool is_new = true;
        for (int k = 0; k < count; k++) {
            q du = q_abs(w->pool, q_sub(w->pool, out[k].u, b[i].u));
            q dv = q_abs(w->pool, q_sub(w->pool, out[k].v, b[i].v));
            is_new = is_new && (q_less(w->slack, du) || q_less(w->slack, dv));
        }
        if (is_new && is_in(w, a, an, b[i])) {
            out[count++] = b[i];
        }
    }
    for (int i = 0; i < edges_of(an); i++) {
        for (int j = 0; j < edges_of(bn); j++) {
            struct spot p = a[i], r = a[(i + 1) % an], s = b[j], t = b[(j + 1) % bn];
            q from = turn(w, s, t, p), to = turn(w, s, t, r);
            bool crosses = side(w, s, t, p) * side(w, s, t, r) < 0 &&
                           side(w, p, r, s) * side(w, p, r, t) < 0;
            if (crosses) {
                q at = q_div(w->pool, from, q_sub(w->pool, from, to));
                out[count++] = (struct spot){
                    q_add(w->pool, p.u, q_mul(w->pool, at, q_sub(w->pool, r.u, p.u))),
                    q_add(w->pool, p.v, q_mul(w->pool, at, q_sub(w->pool, r.v, p.v)))};
            }
        }
    }
    return count;
}

/* The feet of corners in the plane, in two coordinates, rounded to 2^-64. */
static void
drop_feet(const struct view *w, const struct vf_vec *corner, int count, struct spot *out)
{
    q square = vf_dot(w->pool, w->normal, w->normal);
    for (int i = 0; i < count; i++) {
        q h = q_sub(w->pool, w->offset, vf_dot(w->pool, w->normal, corner[i]));
        struct vf_vec foot = vf_add(
            w->pool, corner[i], vf_times(w->pool, q_div(w->pool, h, square), w->normal));
        out[i] = (struct spot){q_round(w->pool, part(foot, w->seen + 1), 64),
            q_round(w->pool, part(foot, w->seen + 2), 64)};
    }
}

static struct vf_vec
lift_spot(const struct view *w, struct spot s)
{
    q rest = q_sub(w->pool, w->offset, q_mul(w->pool, part(w->normal, w->seen + 1), s.u));
    rest = q_sub(w->pool, rest, q_mul(w->pool, part(w->normal, w->seen + 2), s.v));
    rest = q_div(w->pool, rest, part(w->normal, w->seen));
    q c[3];
    c[w->seen] = rest;
    c[(w->seen + 1) % 3] = s.u;
    c[(w->seen + 2) % 3] = s.v;
    return (struct vf_vec){c[0], c[1], c[2]};
}

static int
compare_points(const void *a, const void *b)
{
    const struct vf_vec *p = a, *r = b;
    int order = mpq_cmp(p->x, r->x);
    order = order != 0 ? order : mpq_cmp(p->y, r->y);
    return order != 0 ? order : mpq_cmp(p->z, r->z);
}

/* The squares of twice the area, and of the greatest distance. */
static void
measure(const struct view *w, const struct vf_vec *corner, int n, q *area, q *length)
{
    q zero = q_int(w->pool, 0);
    struct vf_vec sum = {zero, zero, zero};
    *length = zero;
    for (int i = 0; i < n; i++) {
        sum = vf_add(w->pool, sum, vf_turned(w->pool, corner[i], corner[(i + 1) % n]));
        for (int k = 0; k < i; k++) {
            struct vf_vec d = vf_sub(w->pool, corner[i], corner[k]);
            *length = q_max(*length, vf_dot(w->pool, d, d));
        }
    }
    *area = vf_dot(w->pool, sum, sum);
}

/* Looks along the coordinate in which the normal is longest, the first of several. */
static struct view
view_of(struct q_pool *pool, struct vf_vec normal, q offset)
{
    struct view w = {
        .pool = pool, .normal = normal, .offset = offset, .slack = q_int(pool, 0)};
    for (int k = 1; k < 3; k++) {
        q most = q_abs(pool, part(normal, w.seen));
        w.seen = q_less(most, q_abs(pool, part(normal, k))) ? k : w.seen;
    }
    return w;
}

int
vf_solid_cover(struct q_pool *pool, struct vf_vec normal, q offset, q slack,
    const struct vf_vec *a, int a_count, const struct vf_vec *b, int b_count,
    struct vf_vec *corner, q *area, q *length)
{
    CN_ASSERT(a_count > 0 && b_count > 0 && a_count + b_count <= VF_POINTS_MAX);
    struct view w = view_of(pool, normal, offset);
    w.slack = slack;
    size_t room = (size_t)(a_count + b_count + a_count * b_count + 2);
    struct spot *foot = vf_alloc(room, sizeof(*foot)), *found = vf_alloc(room, sizeof(*found));
    struct spot *hull[2] = {vf_alloc(room, sizeof(*foot)), vf_alloc(room, sizeof(*foot))};
    drop_feet(&w, a, a_count, foot);
    int an = wrap(&w, foot, a_count, hull[0]);
    drop_feet(&w, b, b_count, foot);
    int bn = wrap(&w, foot, b_count, hull[1]);
    int count = collect(&w, hull[0], an, hull[1], bn, found);
    int n = wrap(&w, found, count, foot);
    CN_ASSERT(n <= VF_POINTS_MAX);
    for (int i = 0; i < n; i++) {
        corner[i] = lift_spot(&w, foot[i]);
    }
    if (area != NULL) {
        measure(&w, corner, n, area, length);
    }
    qsort(corner, (size_t)n, sizeof(*corner), compare_points);
    free(foot);
    free(found);
    free(hull[0]);
    free(hull[1]);
    return n;
}

bool
vf_solid_clip(struct q_pool *pool, struct vf_vec normal, const struct vf_vec *p,
    const struct vf_vec *corner, int count, q *station)
{
    struct view w = view_of(pool, normal, q_int(pool, 0));
    struct spot *foot = vf_alloc((size_t)count + 2, sizeof(*foot)), end[2];
    struct spot *hull = vf_alloc((size_t)count + 2, sizeof(*hull));
    drop_feet(&w, corner, count, foot);
    drop_feet(&w, p, 2, end);
    int n = wrap(&w, foot, count, hull);
    bool shares = n >= 3;
    station[0] = q_int(pool, 0);
    station[1] = q_int(pool, 1);
    for (int i = 0; i < n && shares; i++) {
        q from = turn(&w, hull[i], hull[(i + 1) % n], end[0]);
        q to = turn(&w, hull[i], hull[(i + 1) % n], end[1]);
        if (mpq_sgn(from) < 0 && mpq_sgn(to) < 0) {
            shares = false;
        } else if (mpq_sgn(from) < 0) {
            station[0] = q_max(station[0], q_div(pool, from, q_sub(pool, from, to)));
        } else if (mpq_sgn(to) < 0) {
            station[1] = q_min(station[1], q_div(pool, from, q_sub(pool, from, to)));
        }
    }
    free(foot);
    free(hull);
    return shares && q_less(station[0], station[1]);
}

void
vf_found_round(struct q_pool *pool, struct vf_found *found, bool with_normal)
{
    for (int i = 0; i < found->count; i++) {
        struct vf_vec *p = &found->point[i];
        *p = (struct vf_vec){
            q_round(pool, p->x, 64), q_round(pool, p->y, 64), q_round(pool, p->z, 64)};
    }
    if (with_normal && (found->count > 0 || found->overlaps)) {
        struct vf_vec n = found->normal;
        found->normal = (struct vf_vec){
            q_round(pool, n.x, 48), q_round(pool, n.y, 48), q_round(pool, n.z, 48)};
    }
}
