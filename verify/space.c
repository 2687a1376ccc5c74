/*
 * space.c: cuboids and half spaces, from docs/certificates.md.
 *
 * A cuboid is a centre, three axes of unit length and three half sizes.  The part of another
 * cuboid that lies on one of its faces is cut to that face, in the two coordinates of the face.
 */
#include "engine/base/assert.h"
#include "verify/scene.h"

#include <stdlib.h>

/* A frame: its axes and its origin, in the frame around it. */
struct frame {
    struct vf_vec axis[3], origin;
};

/* Sums over a body's cuboids in its frame; the tensor is about the frame's origin. */
struct sums {
    q mass, tensor[9];
    struct vf_vec first;
    bool by_density;
};

static struct vf_vec
exact_vector(struct q_pool *pool, cn_vec3 v)
{
    return (struct vf_vec){
        q_of_double(pool, v.x), q_of_double(pool, v.y), q_of_double(pool, v.z)};
}

static struct vf_vec
unit_axis(struct q_pool *pool, int k)
{
    return (struct vf_vec){q_int(pool, k == 0), q_int(pool, k == 1), q_int(pool, k == 2)};
}

/* Axis k turned by the quaternion: v + 2 (w p x v + p x (p x v)) / q.q, p its vector. */
static struct frame
frame_of(struct q_pool *pool, cn_vec3 position, cn_quat quat)
{
    struct frame frame = {.origin = exact_vector(pool, position)};
    bool none = quat.w == 0.0 && quat.x == 0.0 && quat.y == 0.0 && quat.z == 0.0;
    q w = q_of_double(pool, none ? 1.0 : quat.w);
    struct vf_vec p = exact_vector(pool, cn_vec3_make(quat.x, quat.y, quat.z));
    q size = q_add(pool, q_mul(pool, w, w), vf_dot(pool, p, p));
    CN_ASSERT(mpq_sgn(size) > 0);
    q two = q_div(pool, q_int(pool, 2), size);
    for (int k = 0; k < 3; k++) {
        struct vf_vec v = unit_axis(pool, k), pv = vf_turned(pool, p, v);
        struct vf_vec bend = vf_add(pool, vf_times(pool, w, pv), vf_turned(pool, p, pv));
        frame.axis[k] = vf_add(pool, v, vf_times(pool, two, bend));
    }
    return frame;
}

static struct vf_vec
turn_by_frame(struct q_pool *pool, const struct frame *f, struct vf_vec v)
{
    return vf_add(pool,
        vf_add(pool, vf_times(pool, v.x, f->axis[0]), vf_times(pool, v.y, f->axis[1])),
        vf_times(pool, v.z, f->axis[2]));
}

static struct vf_vec
place_by_frame(struct q_pool *pool, const struct frame *f, struct vf_vec v)
{
    return vf_add(pool, f->origin, turn_by_frame(pool, f, v));
}

static q
part_of(struct vf_vec v, int k)
{
    CN_ASSERT(0 <= k && k < 3);
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/* tensor += s a a' */
static void
add_square(struct q_pool *pool, q *tensor, q s, struct vf_vec a)
{
    for (int k = 0; k < 9; k++) {
        q product = q_mul(pool, q_mul(pool, part_of(a, k / 3), part_of(a, k % 3)), s);
        tensor[k] = q_add(pool, tensor[k], product);
    }
}

static void
add_diagonal(struct q_pool *pool, q *tensor, q s)
{
    for (int k = 0; k < 9; k += 4) {
        tensor[k] = q_add(pool, tensor[k], s);
    }
}

/* tensor += m (c.c 1 - c c') */
static void
add_arm(struct q_pool *pool, q *tensor, q m, struct vf_vec c)
{
    add_diagonal(pool, tensor, q_mul(pool, m, vf_dot(pool, c, c)));
    add_square(pool, tensor, q_neg(pool, m), c);
}

/*
 * A cuboid of half sizes h: second moments m h h / 3 along its axes; the inertia is their trace
 * minus these.
 */
static void
weigh_cuboid(struct q_pool *pool, struct sums *sums, const struct frame *own, const q *half,
    double density)
{
    q mass = q_of_double(pool, density > 0.0 ? density : 1.0);
    sums->by_density = sums->by_density || density > 0.0;
    for (int k = 0; k < 3; k++) {
        mass = q_mul(pool, mass, q_add(pool, half[k], half[k]));
    }
    q third = q_mul(pool, mass, q_ratio(pool, 1, 3));
    for (int k = 0; k < 3; k++) {
        q moment = q_mul(pool, third, q_mul(pool, half[k], half[k]));
        add_diagonal(pool, sums->tensor, moment);
        add_square(pool, sums->tensor, q_neg(pool, moment), own->axis[k]);
    }
    add_arm(pool, sums->tensor, mass, own->origin);
    sums->mass = q_add(pool, sums->mass, mass);
    sums->first = vf_add(pool, sums->first, vf_times(pool, mass, own->origin));
}

static void
read_plane(struct q_pool *pool, struct vf_shape *shape, const struct cn_shape_def *def,
    const struct frame *own, const struct frame *body)
{
    struct vf_vec n = exact_vector(pool, def->plane.normal);
    q scale = q_div(pool, q_int(pool, 1), q_root(pool, vf_dot(pool, n, n)));
    n = turn_by_frame(pool, own, vf_times(pool, scale, n));
    q offset = q_mul(pool, scale, q_of_double(pool, def->plane.offset));
    offset = q_add(pool, offset, vf_dot(pool, n, own->origin));
    shape->normal[0] = turn_by_frame(pool, body, n);
    shape->offset = q_add(pool, offset, vf_dot(pool, shape->normal[0], body->origin));
}

/* Reads a ball: volume 4/3 pi r^3, inertia 2/5 m r^2 about every axis. */
static void
read_ball(struct q_pool *pool, struct vf_shape *shape, const struct cn_shape_def *def,
    const struct frame *own, const struct frame *body, struct sums *sums)
{
    q r = q_of_double(pool, def->sphere.radius), rr = q_mul(pool, r, r);
    q mass = q_of_double(pool, def->density > 0.0 ? def->density : 1.0);
    mass = q_mul(pool, mass, q_ratio(pool, 4 * 245850922l, 3 * 78256779ul));
    mass = q_mul(pool, mass, q_mul(pool, r, rr));
    shape->n = 1;
    shape->is_disc = true;
    shape->radius = r;
    shape->extent = q_add(pool, r, r);
    shape->center = shape->corner[0] = place_by_frame(pool, body, own->origin);
    sums->by_density = sums->by_density || def->density > 0.0;
    add_diagonal(pool, sums->tensor, q_mul(pool, q_ratio(pool, 2, 5), q_mul(pool, mass, rr)));
    add_arm(pool, sums->tensor, mass, own->origin);
    sums->mass = q_add(pool, sums->mass, mass);
    sums->first = vf_add(pool, sums->first, vf_times(pool, mass, own->origin));
}

static void
read_shape(struct vf_scene *scene, int body_index, const struct cn_shape_def *def,
    const struct frame *body, struct sums *sums)
{
    struct q_pool *pool = &scene->pool;
    struct vf_shape *shape = &scene->shape[scene->shape_count++];
    bool is_plane = def->kind == CN_SHAPE_PLANE;
    *shape = (struct vf_shape){
        .body = body_index, .material = def->material, .n = is_plane ? 0 : 8};
    shape->filter = def->has_filter ? def->filter : CN_FILTER_DEFAULT;
    shape->corner = vf_alloc(9, sizeof(*shape->corner));
    shape->normal = vf_alloc(9, sizeof(*shape->normal));
    shape->extent = shape->radius = q_int(pool, 0);
    struct frame own = frame_of(pool, def->position, def->orientation);
    if (is_plane) {
        read_plane(pool, shape, def, &own, body);
        return;
    }
    if (def->kind == CN_SHAPE_SPHERE) {
        read_ball(pool, shape, def, &own, body, sums);
        return;
    }
    struct vf_vec size = exact_vector(pool, def->box.size);
    shape->extent = q_max(size.x, q_max(size.y, size.z));
    shape->center = place_by_frame(pool, body, own.origin);
    for (int k = 0; k < 3; k++) {
        shape->half[k] = q_div(pool, part_of(size, k), q_int(pool, 2));
        shape->axis[k] = turn_by_frame(pool, body, own.axis[k]);
    }
    for (int i = 0; i < 8; i++) { /* bit k of i: the side along axis k */
        shape->corner[i] = shape->center;
        for (int k = 0; k < 3; k++) {
            q reach = (i >> k & 1) != 0 ? shape->half[k] : q_neg(pool, shape->half[k]);
            shape->corner[i] =
                vf_add(pool, shape->corner[i], vf_times(pool, reach, shape->axis[k]));
        }
    }
    weigh_cuboid(pool, sums, &own, shape->half, def->density);
}

static bool
read_tensor(struct q_pool *pool, q *tensor, const cn_mat33 *m)
{
    const cn_vec3 column[3] = {m->cx, m->cy, m->cz};
    bool given = false;
    for (int c = 0; c < 3; c++) {
        struct vf_vec v = exact_vector(pool, column[c]);
        for (int r = 0; r < 3; r++) {
            tensor[3 * r + c] = part_of(v, r);
            given = given || mpq_sgn(part_of(v, r)) != 0;
        }
    }
    return given;
}

/* out = a tensor in the body's axes, turned to the world's axes. */
static void
turn_tensor(struct q_pool *pool, q *out, const q *tensor, const struct frame *frame)
{
    for (int k = 0; k < 9; k++) {
        out[k] = q_int(pool, 0);
    }
    for (int k = 0; k < 9; k++) { /* sum over tensor entries: t_ij axis_i axis_j' */
        struct vf_vec a = frame->axis[k / 3], b = frame->axis[k % 3];
        for (int e = 0; e < 9; e++) {
            q product = q_mul(pool, q_mul(pool, part_of(a, e / 3), part_of(b, e % 3)), tensor[k]);
            out[e] = q_add(pool, out[e], product);
        }
    }
}

/* A direction or a point in a body's frame, transformed to the world. */
struct vf_vec
vf_space_place(struct q_pool *pool, const struct cn_body_def *def, cn_vec3 v, bool is_point)
{
    struct frame frame = frame_of(pool, def->position, def->orientation);
    struct vf_vec own = exact_vector(pool, v);
    return is_point ? place_by_frame(pool, &frame, own) : turn_by_frame(pool, &frame, own);
}

void
vf_space_body(struct vf_scene *scene, int index, const struct cn_body_def *def)
{
    CN_ASSERT(0 <= index && index < scene->body_count);
    struct q_pool *pool = &scene->pool;
    struct vf_body *body = &scene->body[index];
    q zero = q_int(pool, 0);
    struct sums sums = {.mass = zero, .first = {zero, zero, zero}};
    for (int k = 0; k < 9; k++) {
        sums.tensor[k] = zero;
        body->tensor[k] = zero;
    }
    struct frame frame = frame_of(pool, def->position, def->orientation);
    for (int k = 0; k < def->shape_count; k++) {
        if (!def->shapes[k].sensor) {
            read_shape(scene, index, &def->shapes[k], &frame, &sums);
        }
    }
    body->is_fixed = def->type != CN_DYNAMIC;
    body->mass = body->inertia = zero;
    bool has_volume = mpq_sgn(sums.mass) > 0;
    struct vf_vec center = {zero, zero, zero};
    if (has_volume) {
        center = vf_times(pool, q_div(pool, q_int(pool, 1), sums.mass), sums.first);
        add_arm(pool, sums.tensor, q_neg(pool, sums.mass), center);
    }
    if (def->has_center) {
        center = (struct vf_vec){q_of_double(pool, def->center_of_mass.x),
            q_of_double(pool, def->center_of_mass.y), q_of_double(pool, def->center_of_mass.z)};
    }
    body->center = place_by_frame(pool, &frame, center);
    if (body->is_fixed) {
        return;
    }
    body->mass = def->mass > 0.0   ? q_of_double(pool, def->mass)
                 : sums.by_density ? sums.mass
                                   : q_int(pool, 1);
    if (!read_tensor(pool, body->tensor, &def->inertia_tensor)) {
        for (int k = 0; k < 9 && has_volume; k++) {
            q scaled = q_mul(pool, sums.tensor[k], body->mass);
            body->tensor[k] = q_div(pool, scaled, sums.mass);
        }
    }
    q own[9];
    for (int k = 0; k < 9; k++) {
        own[k] = body->tensor[k];
    }
    turn_tensor(pool, body->tensor, own, &frame);
}

/* The foot of a point on a face, in the face's two coordinates. */
struct spot {
    q u, v;
};

/* The part of a cuboid that lies on a face of another. */
struct patch {
    const struct vf_shape *owner;
    int axis, side, count;
    struct spot spot[VF_POINTS_MAX];
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
    CN_ASSERT(patch->count < VF_POINTS_MAX && 0 <= corner && corner < other->n);
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
    struct spot kept[VF_POINTS_MAX];
    int count = 0;
    q factor = q_int(m->pool, sign);
    for (int i = 0; i < patch->count; i++) {
        struct spot p = patch->spot[i], n = patch->spot[(i + 1) % patch->count];
        q here = q_sub(m->pool, q_mul(m->pool, factor, by_v ? p.v : p.u), wall);
        q there = q_sub(m->pool, q_mul(m->pool, factor, by_v ? n.v : n.u), wall);
        CN_ASSERT(count + 2 <= VF_POINTS_MAX); /* a cut adds one point to a convex patch */
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
    CN_ASSERT(0 < best->count && best->count <= VF_POINTS_MAX);
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

static void
meet_cuboids(struct meeting *m, struct vf_found *found)
{
    CN_ASSERT(m->a->n == 8 && m->b->n == 8);
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

const char *
vf_space_meet(struct vf_scene *scene, const struct cn_world_def *def, const struct vf_shape *a,
    const struct vf_shape *b, bool side_contacts, bool friction)
{
    struct q_pool *pool = &scene->pool;
    size_t mark = q_mark(pool);
    struct meeting m = {.scene = scene, .pool = pool, .a = a, .b = b};
    q extent = a->n == 0 ? b->extent : b->n == 0 ? a->extent : q_min(a->extent, b->extent);
    m.near = q_mul(pool, extent, q_ratio(pool, 1, 1000000));
    struct vf_found found = {.count = 0};
    if (a->n == 0) {
        vf_half_space_meet(pool, a, b, m.near, &found);
    } else if (b->n == 0) {
        vf_half_space_meet(pool, b, a, m.near, &found);
        found.normal = vf_times(pool, q_int(pool, -1), found.normal);
    } else if (a->is_disc || b->is_disc) {
        vf_ball_meet(scene, a, b, m.near, &found);
    } else {
        meet_cuboids(&m, &found);
    }
    CN_ASSERT(0 <= found.count && found.count <= VF_POINTS_MAX && a->body != b->body);
    int before = scene->contact_count;
    const char *why = vf_scene_keep(scene, def, a, b, &found, side_contacts, friction);
    if (scene->contact_count == before) {
        q_release(pool, mark);
    }
    return why;
}
