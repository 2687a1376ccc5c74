/*
 * cuboid.c: where two cuboids touch, by the rules of docs/certificates.md.
 *
 * The part of another cuboid that lies on a face is cut to that face, in the two coordinates of the
 * face.
 */
#include "engine/base/assert.h"
#include "verify/scene.h"

#define POINTS_MAX 16 /* the overlap of two rectangles has at most 8 corners */

/* The foot of a point on a face, in the face's two coordinates. */
struct spot {
    q u, v;
};

/* The part of a cuboid that lies on a face of another. */
struct patch {
    const struct vf_shape *owner;
    int axis, side, count;
    struct spot spot[POINTS_MAX];
    q area, length, steep;
};

struct meeting {
    struct vf_scene *scene;
    struct q_pool *pool;
    const struct vf_shape *a, *b;
    q near, largest; /* largest gap of all tested axes */
    struct vf_vec normal;
    bool parted, apart;
};

static q
coordinate_of(struct meeting *m, const struct vf_shape *shape, int axis, struct vf_vec p)
{
    return vf_dot(m->pool, shape->axis[axis], vf_sub(m->pool, p, shape->center));
}

/*
 * Notes the gap along an axis; true when the axis separates the two, and no axis so far shows them
 * far apart.
 */
static bool
weigh_gap(struct meeting *m, q gap, struct vf_vec normal)
{
    if (m->largest == NULL || q_less(m->largest, gap)) {
        m->largest = gap;
        m->normal = normal;
    }
    bool parts = !q_less(gap, q_neg(m->pool, m->near));
    m->parted = m->parted || parts;
    m->apart = m->apart || q_less(m->near, gap);
    return parts && !m->apart;
}

/* Adds a corner's foot to the patch. */
static void
drop_corner(struct meeting *m, struct patch *patch, const struct vf_shape *other, int corner)
{
    CN_ASSERT(patch->count < POINTS_MAX && 0 <= corner && corner < other->n);
    int axis = patch->axis;
    patch->spot[patch->count++] = (struct spot){
        coordinate_of(m, patch->owner, (axis + 1) % 3, other->corner[corner]),
        coordinate_of(m, patch->owner, (axis + 2) % 3, other->corner[corner])};
}

/* Drops the first face, else edge, else corner of the other cuboid whose corners are all near. */
static void
drop_near_corners(
    struct meeting *m, struct patch *patch, const struct vf_shape *other, const bool *near)
{
    for (int axis = 0; axis < 3; axis++) {
        for (int high = 1; high >= 0; high--) {
            int base = high << axis, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3;
            const int loop[4] = {base, base | u, base | u | v, base | v};
            if (near[loop[0]] && near[loop[1]] && near[loop[2]] && near[loop[3]]) {
                for (int k = 0; k < 4; k++) {
                    drop_corner(m, patch, other, loop[k]);
                }
                return;
            }
        }
    }
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++) {
            int next = i | 1 << k;
            if (next != i && near[i] && near[next]) {
                drop_corner(m, patch, other, i);
                drop_corner(m, patch, other, next);
                return;
            }
        }
    }
    for (int i = 0; i < 8; i++) {
        if (near[i]) {
            drop_corner(m, patch, other, i);
            return;
        }
    }
}

/* Keeps the points with sign * (u or v) <= wall. */
static void
cut_patch(struct meeting *m, struct patch *patch, bool by_v, int sign, q wall)
{
    struct spot kept[POINTS_MAX];
    int count = 0;
    q factor = q_int(m->pool, sign);
    for (int i = 0; i < patch->count; i++) {
        struct spot p = patch->spot[i], n = patch->spot[(i + 1) % patch->count];
        q here = q_sub(m->pool, q_mul(m->pool, factor, by_v ? p.v : p.u), wall);
        q there = q_sub(m->pool, q_mul(m->pool, factor, by_v ? n.v : n.u), wall);
        CN_ASSERT(count + 2 <= POINTS_MAX); /* a cut adds one point to a convex patch */
        if (mpq_sgn(here) <= 0) {
            kept[count++] = p;
        }
        if (mpq_sgn(here) * mpq_sgn(there) < 0) {
            q s = q_div(m->pool, here, q_sub(m->pool, here, there));
            kept[count++] = (struct spot){
                q_add(m->pool, p.u, q_mul(m->pool, s, q_sub(m->pool, n.u, p.u))),
                q_add(m->pool, p.v, q_mul(m->pool, s, q_sub(m->pool, n.v, p.v)))};
        }
    }
    patch->count = count;
    for (int i = 0; i < count; i++) {
        patch->spot[i] = kept[i];
    }
}

/* Drops duplicate points; finds the area, the largest distance, and the steepness of the normal. */
static void
measure_patch(struct meeting *m, struct patch *patch)
{
    int count = 0;
    for (int i = 0; i < patch->count; i++) {
        bool is_new = true;
        for (int k = 0; k < count; k++) {
            is_new = is_new && !(q_same(patch->spot[i].u, patch->spot[k].u) &&
                                   q_same(patch->spot[i].v, patch->spot[k].v));
        }
        if (is_new) {
            patch->spot[count++] = patch->spot[i];
        }
    }
    patch->count = count;
    patch->area = patch->length = q_int(m->pool, 0);
    for (int i = 0; i < count; i++) {
        struct spot p = patch->spot[i], n = patch->spot[(i + 1) % count];
        patch->area = q_add(m->pool, patch->area,
            q_sub(m->pool, q_mul(m->pool, p.u, n.v), q_mul(m->pool, p.v, n.u)));
        for (int k = 0; k < i; k++) {
            q u = q_sub(m->pool, p.u, patch->spot[k].u), v = q_sub(m->pool, p.v, patch->spot[k].v);
            q square = q_add(m->pool, q_mul(m->pool, u, u), q_mul(m->pool, v, v));
            patch->length = q_max(patch->length, square);
        }
    }
    patch->area = q_abs(m->pool, patch->area);
    patch->steep =
        q_abs(m->pool, vf_dot(m->pool, patch->owner->axis[patch->axis], m->scene->gravity));
}

static bool
is_better(const struct patch *patch, const struct patch *best)
{
    if (best->count == 0 || patch->count == 0) {
        return patch->count > 0;
    }
    if (!q_same(patch->area, best->area)) {
        return q_less(best->area, patch->area);
    }
    if (!q_same(patch->length, best->length)) {
        return q_less(best->length, patch->length);
    }
    return q_less(best->steep, patch->steep);
}

static void
try_face(struct meeting *m, struct patch *best, int face)
{
    const struct vf_shape *owner = face < 6 ? m->a : m->b, *other = face < 6 ? m->b : m->a;
    struct patch patch = {.owner = owner, .axis = face % 6 / 2, .side = face % 2 == 0 ? 1 : -1};
    q sign = q_int(m->pool, patch.side), least = NULL;
    bool near[8];
    for (int i = 0; i < 8; i++) {
        q along = coordinate_of(m, owner, patch.axis, other->corner[i]);
        q h = q_sub(m->pool, q_mul(m->pool, sign, along), owner->half[patch.axis]);
        near[i] = !q_less(m->near, h);
        least = least == NULL ? h : q_min(least, h);
    }
    q outward = face < 6 ? sign : q_neg(m->pool, sign);
    if (!weigh_gap(m, least, vf_times(m->pool, outward, owner->axis[patch.axis]))) {
        return;
    }
    drop_near_corners(m, &patch, other, near);
    for (int k = 1; k <= 2; k++) {
        q wall = owner->half[(patch.axis + k) % 3];
        cut_patch(m, &patch, k == 2, 1, wall);
        cut_patch(m, &patch, k == 2, -1, wall);
    }
    measure_patch(m, &patch);
    if (is_better(&patch, best)) {
        *best = patch;
    }
}

static struct vf_vec
farthest_corner(struct meeting *m, const struct vf_shape *shape, struct vf_vec n, q *reach)
{
    struct vf_vec best = shape->corner[0];
    *reach = vf_dot(m->pool, n, best);
    for (int i = 1; i < 8; i++) {
        q now = vf_dot(m->pool, n, shape->corner[i]);
        if (q_less(*reach, now)) {
            *reach = now;
            best = shape->corner[i];
        }
    }
    return best;
}

/* Tests axis i of a across axis j of b.  They touch there if its gap is the largest so far. */
static void
try_edges(struct meeting *m, struct vf_found *found, int i, int j, q *most, bool may_touch)
{
    struct vf_vec d = m->a->axis[i], e = m->b->axis[j], n = vf_turned(m->pool, d, e);
    q square = vf_dot(m->pool, n, n);
    if (mpq_sgn(square) == 0) {
        return;
    }
    q length = q_root(m->pool, square);
    bool backward =
        mpq_sgn(vf_dot(m->pool, vf_sub(m->pool, m->b->center, m->a->center), n)) < 0;
    q scale = q_div(m->pool, q_int(m->pool, backward ? -1 : 1), length);
    struct vf_vec out = vf_times(m->pool, scale, n);
    struct vf_vec in = vf_times(m->pool, q_int(m->pool, -1), out);
    q reach_a, reach_b;
    struct vf_vec p = farthest_corner(m, m->a, out, &reach_a);
    struct vf_vec r = farthest_corner(m, m->b, in, &reach_b);
    q gap = q_neg(m->pool, q_add(m->pool, reach_a, reach_b));
    if (!weigh_gap(m, gap, out) || !may_touch || (*most != NULL && !q_less(*most, gap))) {
        return;
    }
    *most = gap;
    struct vf_vec side = vf_turned(m->pool, vf_sub(m->pool, r, p), e);
    q s = q_div(m->pool, vf_dot(m->pool, side, n), square);
    found->count = 1;
    found->point[0] = vf_add(m->pool, p, vf_times(m->pool, s, d));
    found->normal = out;
}

static void
take_patch(struct meeting *m, struct vf_found *found, const struct patch *best)
{
    CN_ASSERT(0 < best->count && best->count <= POINTS_MAX);
    const struct vf_shape *owner = best->owner;
    q height = q_mul(m->pool, q_int(m->pool, best->side), owner->half[best->axis]);
    struct vf_vec on = vf_add(
        m->pool, owner->center, vf_times(m->pool, height, owner->axis[best->axis]));
    int outward = (owner == m->a) == (best->side > 0) ? 1 : -1;
    found->normal = vf_times(m->pool, q_int(m->pool, outward), owner->axis[best->axis]);
    found->count = best->count;
    for (int i = 0; i < best->count; i++) {
        struct vf_vec u = vf_times(m->pool, best->spot[i].u, owner->axis[(best->axis + 1) % 3]);
        struct vf_vec v = vf_times(m->pool, best->spot[i].v, owner->axis[(best->axis + 2) % 3]);
        found->point[i] = vf_add(m->pool, on, vf_add(m->pool, u, v));
    }
}

void
vf_cuboid_meet(struct vf_scene *scene, const struct vf_shape *a, const struct vf_shape *b, q near,
    struct vf_found *found)
{
    struct meeting meeting = {.scene = scene, .pool = &scene->pool, .a = a, .b = b, .near = near};
    struct meeting *m = &meeting;
    CN_ASSERT(a->kind == CN_SHAPE_BOX && b->kind == CN_SHAPE_BOX);
    struct patch best = {.count = 0};
    for (int face = 0; face < 12 && !m->apart; face++) {
        try_face(m, &best, face);
    }
    bool may_touch = !m->parted;
    q most = NULL;
    for (int k = 0; k < 9 && !m->apart; k++) {
        try_edges(m, found, k / 3, k % 3, &most, may_touch);
    }
    if (m->apart) {
        found->count = 0;
    } else if (best.count > 0) {
        take_patch(m, found, &best);
    } else if (!m->parted) {
        found->overlaps = true;
        found->normal = m->normal;
    }
}
