#include "prove/touch_round.h"

#include "engine/base/assert.h"
#include "prove/patch.h"

#define SINE_PARTS 1000000ul /* segments with a smaller sine count as parallel */

/* The nearest points of two cores: point[0] of a, point[1] of b. */
struct nearest {
    bool has;
    mpq_t square; /* of their distance */
    pv_vec point[2];
};

static void
nearest_init(struct nearest *n)
{
    n->has = false;
    mpq_init(n->square);
    pv_vec_init(&n->point[0]);
    pv_vec_init(&n->point[1]);
}

static void
nearest_clear(struct nearest *n)
{
    mpq_clear(n->square);
    pv_vec_clear(&n->point[0]);
    pv_vec_clear(&n->point[1]);
}

static int
edge_count(const struct pv_shape *shape)
{
    return shape->solid.edge_count > 0 ? shape->solid.edge_count
           : shape->vertex_count > 2   ? shape->vertex_count
                                       : 1;
}

/* The corners of an edge; that of a centre is the centre twice. */
static void
find_edge(const struct pv_shape *shape, int edge, const pv_vec **tail, const pv_vec **head)
{
    bool is_solid = shape->solid.edge_count > 0;
    int i = is_solid ? shape->solid.edge[edge][0] : edge;
    int j = is_solid ? shape->solid.edge[edge][1] : (edge + 1) % shape->vertex_count;
    CN_ASSERT(i < shape->vertex_count && j < shape->vertex_count);
    *tail = &shape->vertex[i];
    *head = &shape->vertex[j];
}

static int
facet_count(const struct pv_shape *shape)
{
    return shape->solid.facet_count > 0 ? shape->solid.facet_count
           : shape->vertex_count > 2   ? shape->vertex_count
                                       : 0;
}

/* The normal of a face (in the plane of an edge), and a point on it. */
static const pv_vec *
facet_normal(const struct pv_shape *shape, int f, const pv_vec **on)
{
    bool is_solid = shape->solid.facet_count > 0;
    *on = &shape->vertex[is_solid ? shape->solid.facet[f].corner : f];
    return is_solid ? &shape->solid.facet[f].normal : &shape->normal[f];
}

/* Compares by x, then y, then z. */
static int
compare_points(const pv_vec *p, const pv_vec *q)
{
    int order = 0;
    for (int k = 0; k < 3 && order == 0; k++) {
        order = mpq_cmp(p->c[k], q->c[k]);
    }
    return order;
}

/* Whether two points are nearer than those so far, or as near and before them by x, y, z. */
static bool
is_nearer(const struct nearest *n, const mpq_t square, const pv_vec *on_a, const pv_vec *on_b)
{
    int order = n->has ? mpq_cmp(square, n->square) : -1;
    order = order != 0 ? order : compare_points(on_a, &n->point[0]);
    order = order != 0 ? order : compare_points(on_b, &n->point[1]);
    return order < 0;
}

/* Keeps the points if they are nearer than those so far.  flip: p is of b. */
static void
offer(struct nearest *n, const pv_vec *p, const pv_vec *q, bool flip)
{
    pv_vec d;
    mpq_t square;
    mpq_init(square);
    pv_vec_init(&d);
    pv_vec_sub(&d, q, p);
    pv_dot(square, &d, &d);
    if (is_nearer(n, square, flip ? q : p, flip ? p : q)) {
        n->has = true;
        mpq_set(n->square, square);
        pv_vec_set(&n->point[flip ? 1 : 0], p);
        pv_vec_set(&n->point[flip ? 0 : 1], q);
    }
    pv_vec_clear(&d);
    mpq_clear(square);
}

/* Cuts x to [0, 1]. */
static void
clamp(mpq_t x)
{
    if (mpq_sgn(x) < 0) {
        mpq_set_ui(x, 0, 1);
    } else if (mpq_cmp_ui(x, 1, 1) > 0) {
        mpq_set_ui(x, 1, 1);
    }
}

/* Offers the point of the segment p + s d that is nearest to q. */
static void
offer_foot(struct nearest *n, const pv_vec *p, const pv_vec *d, const pv_vec *q, bool flip)
{
    pv_vec way;
    mpq_t s, square;
    mpq_inits(s, square, NULL);
    pv_vec_init(&way);
    pv_vec_sub(&way, q, p);
    pv_dot(s, &way, d);
    pv_dot(square, d, d);
    if (mpq_sgn(square) > 0) {
        mpq_div(s, s, square);
    }
    clamp(s);
    pv_vec_add_scaled(&way, p, s, d);
    offer(n, &way, q, flip);
    pv_vec_clear(&way);
    mpq_clears(s, square, NULL);
}

/*
 * Offers the points of two lines p + s d and q + t e that are nearest to each other, if both lie
 * within their segments.
 */
static void
offer_crossing(struct nearest *n, const pv_vec *p, const pv_vec *d, const pv_vec *q,
    const pv_vec *e)
{
    pv_vec normal, way, turned;
    mpq_t square, s, t;
    mpq_inits(square, s, t, NULL);
    pv_vec_init(&normal);
    pv_vec_init(&way);
    pv_vec_init(&turned);
    pv_cross(&normal, d, e);
    pv_dot(square, &normal, &normal);
    if (mpq_sgn(square) > 0) {
        pv_vec_sub(&way, q, p);
        pv_cross(&turned, &way, e);
        pv_dot(s, &turned, &normal);
        pv_cross(&turned, &way, d);
        pv_dot(t, &turned, &normal);
        mpq_div(s, s, square);
        mpq_div(t, t, square);
        if (mpq_sgn(s) >= 0 && mpq_cmp_ui(s, 1, 1) <= 0 && mpq_sgn(t) >= 0 &&
            mpq_cmp_ui(t, 1, 1) <= 0) {
            pv_vec_add_scaled(&way, p, s, d);
            pv_vec_add_scaled(&turned, q, t, e);
            offer(n, &way, &turned, false);
        }
    }
    pv_vec_clear(&normal);
    pv_vec_clear(&way);
    pv_vec_clear(&turned);
    mpq_clears(square, s, t, NULL);
}

static void
offer_edges(struct nearest *n, const struct pv_shape *a, int i, const struct pv_shape *b, int j)
{
    const pv_vec *p[2], *q[2];
    pv_vec d, e;
    pv_vec_init(&d);
    pv_vec_init(&e);
    find_edge(a, i, &p[0], &p[1]);
    find_edge(b, j, &q[0], &q[1]);
    pv_vec_sub(&d, p[1], p[0]);
    pv_vec_sub(&e, q[1], q[0]);
    for (int k = 0; k < 2; k++) {
        offer_foot(n, p[0], &d, q[k], false);
        offer_foot(n, q[0], &e, p[k], true);
    }
    offer_crossing(n, p[0], &d, q[0], &e);
    pv_vec_clear(&d);
    pv_vec_clear(&e);
}

/* out = the height of p over a face. */
static void
height_over(mpq_t out, const struct pv_shape *shape, int f, const pv_vec *p)
{
    const pv_vec *on, *normal = facet_normal(shape, f, &on);
    pv_vec d;
    pv_vec_init(&d);
    pv_vec_sub(&d, p, on);
    pv_dot(out, normal, &d);
    pv_vec_clear(&d);
}

/* Offers the foot of p on a face of a solid, if p is above the face and the foot lies on it. */
static void
offer_face(struct nearest *n, const struct pv_shape *solid, int f, const pv_vec *p, bool flip)
{
    const pv_vec *on, *normal = facet_normal(solid, f, &on);
    pv_vec foot;
    mpq_t h, square;
    mpq_inits(h, square, NULL);
    pv_vec_init(&foot);
    height_over(h, solid, f, p);
    if (mpq_sgn(h) > 0) {
        pv_dot(square, normal, normal);
        mpq_div(h, h, square);
        mpq_neg(h, h);
        pv_vec_add_scaled(&foot, p, h, normal);
        bool is_on = true;
        for (int k = 0; k < facet_count(solid) && is_on; k++) {
            height_over(square, solid, k, &foot);
            is_on = k == f || mpq_sgn(square) <= 0;
        }
        if (is_on) {
            offer(n, &foot, p, flip);
        }
    }
    pv_vec_clear(&foot);
    mpq_clears(h, square, NULL);
}

/* Whether the segment or centre `core` meets the inside or the surface of a shape with faces. */
static bool
pierces(const struct pv_shape *core, const struct pv_shape *shape)
{
    mpq_t low, high, h[2];
    mpq_inits(low, high, h[0], h[1], NULL);
    mpq_set_ui(high, 1, 1);
    bool meets = facet_count(shape) > 0;
    for (int f = 0; f < facet_count(shape) && meets; f++) { /* keep low <= s <= high inside */
        height_over(h[0], shape, f, &core->vertex[0]);
        height_over(h[1], shape, f, &core->vertex[core->vertex_count - 1]);
        if (mpq_sgn(h[0]) > 0 && mpq_sgn(h[1]) > 0) {
            meets = false;
        } else if (mpq_sgn(h[0]) > 0 || mpq_sgn(h[1]) > 0) {
            bool enters = mpq_sgn(h[0]) > 0;
            mpq_sub(h[1], h[0], h[1]);
            mpq_div(h[0], h[0], h[1]);
            if (enters && mpq_cmp(h[0], low) > 0) {
                mpq_set(low, h[0]);
            } else if (!enters && mpq_cmp(h[0], high) < 0) {
                mpq_set(high, h[0]);
            }
            meets = mpq_cmp(low, high) <= 0;
        }
    }
    mpq_clears(low, high, h[0], h[1], NULL);
    return meets;
}

static void
find_nearest(struct nearest *n, const struct pv_shape *a, const struct pv_shape *b)
{
    if ((b->vertex_count <= 2 && pierces(b, a)) || (a->vertex_count <= 2 && pierces(a, b))) {
        offer(n, &a->vertex[0], &a->vertex[0], false);
        return;
    }
    for (int i = 0; i < edge_count(a); i++) {
        for (int j = 0; j < edge_count(b); j++) {
            offer_edges(n, a, i, b, j);
        }
    }
    for (int f = 0; f < a->solid.facet_count; f++) {
        for (int i = 0; i < b->vertex_count; i++) {
            offer_face(n, a, f, &b->vertex[i], false);
        }
    }
    for (int f = 0; f < b->solid.facet_count; f++) {
        for (int i = 0; i < a->vertex_count; i++) {
            offer_face(n, b, f, &a->vertex[i], true);
        }
    }
}

/* Collects the corners of a core within `near` of its farthest one along sign times unit. */
static int
gather(const struct pv_shape *shape, const pv_vec *unit, int sign, const mpq_t near, int *index)
{
    mpq_t *h = pv_numbers((size_t)shape->vertex_count), most;
    mpq_init(most);
    for (int i = 0; i < shape->vertex_count; i++) {
        pv_dot(h[i], unit, &shape->vertex[i]);
        if (sign < 0) {
            mpq_neg(h[i], h[i]);
        }
        if (i == 0 || mpq_cmp(h[i], most) > 0) {
            mpq_set(most, h[i]);
        }
    }
    mpq_sub(most, most, near);
    int count = 0;
    for (int i = 0; i < shape->vertex_count; i++) {
        if (mpq_cmp(h[i], most) >= 0) {
            index[count++] = i;
        }
    }
    mpq_clear(most);
    pv_numbers_free(h, (size_t)shape->vertex_count);
    return count;
}

/* Finds the stations from low to high on the segment p that a parallel segment q covers. */
static bool
find_overlap(const pv_vec *const *p, const pv_vec *const *q, mpq_t low, mpq_t high)
{
    pv_vec d, e, n;
    mpq_t size, part, s;
    mpq_inits(size, part, s, NULL);
    pv_vec_init(&d);
    pv_vec_init(&e);
    pv_vec_init(&n);
    pv_vec_sub(&d, p[1], p[0]);
    pv_vec_sub(&e, q[1], q[0]);
    pv_cross(&n, &d, &e);
    pv_dot(size, &d, &d);
    pv_dot(part, &e, &e);
    mpq_mul(part, part, size);
    mpq_set_ui(s, 1, SINE_PARTS);
    mpq_mul(s, s, s);
    mpq_mul(part, part, s);
    pv_dot(s, &n, &n);
    CN_ASSERT(mpq_sgn(size) > 0); /* a capsule has a length */
    bool is_parallel = mpq_cmp(s, part) <= 0;
    for (int k = 0; k < 2 && is_parallel; k++) {
        pv_vec_sub(&e, q[k], p[0]);
        pv_dot(s, &e, &d);
        mpq_div(s, s, size);
        if (k == 0 || mpq_cmp(s, low) < 0) {
            mpq_set(low, s);
        }
        if (k == 0 || mpq_cmp(s, high) > 0) {
            mpq_set(high, s);
        }
    }
    bool is_beside = mpq_sgn(high) < 0 || mpq_cmp_ui(low, 1, 1) > 0;
    clamp(low);
    clamp(high);
    pv_vec_clear(&d);
    pv_vec_clear(&e);
    pv_vec_clear(&n);
    mpq_clears(size, part, s, NULL);
    return is_parallel && !is_beside && mpq_cmp(low, high) < 0;
}

/*
 * Finds the stations on the core of the round shape that the other's near corners cover.  False:
 * they share no length.
 */
static bool
find_stations(const pv_vec *normal, const struct pv_shape *round, const struct pv_near *other,
    mpq_t low, mpq_t high)
{
    const pv_vec *p[2] = {&round->vertex[0], &round->vertex[1]};
    if (other->count == 2) {
        const pv_vec *q[2] = {
            &other->vertex[other->index[0]], &other->vertex[other->index[1]]};
        return find_overlap(p, q, low, high);
    }
    return other->count > 2 && pv_patch_clip(normal, p, other, low, high);
}

/* Adds the contact points: on the rim of the first round shape, `side` of the two. */
static void
add_points(struct pv_touch *touch, const struct pv_shape *const *shape, int side,
    const struct nearest *n, const mpq_t near)
{
    const struct pv_shape *round = shape[side], *other = shape[1 - side];
    int *index = pv_alloc((size_t)(round->vertex_count + other->vertex_count), sizeof(*index));
    int sign = side == 0 ? 1 : -1, count = gather(round, &touch->normal, sign, near, index);
    struct pv_near set = {other->vertex, index,
        gather(other, &touch->normal, -sign, near, index)};
    pv_vec axis;
    mpq_t low, high, reach;
    mpq_inits(low, high, reach, NULL);
    pv_vec_init(&axis);
    if (count == 2 && find_stations(&touch->normal, round, &set, low, high)) {
        pv_vec_sub(&axis, &round->vertex[1], &round->vertex[0]);
        pv_vec_add_scaled(pv_touch_add(touch), &round->vertex[0], low, &axis);
        pv_vec_add_scaled(pv_touch_add(touch), &round->vertex[0], high, &axis);
    } else {
        pv_vec_set(pv_touch_add(touch), &n->point[side]);
    }
    mpq_set(reach, round->radius);
    if (sign < 0) {
        mpq_neg(reach, reach);
    }
    for (int i = 0; i < touch->count; i++) {
        pv_vec_add_scaled(&touch->point[i], &touch->point[i], reach, &touch->normal);
    }
    pv_vec_clear(&axis);
    mpq_clears(low, high, reach, NULL);
    pv_free(index);
}

/* Sets the normal, and returns how the two touch; *gap is between the surfaces. */
static enum pv_touching
judge(struct pv_touch *touch, const struct pv_shape *const *shape, const struct nearest *n,
    const mpq_t near, mpq_t gap)
{
    mpq_t size;
    mpq_init(size);
    pv_root(size, n->square);
    mpq_sub(gap, size, shape[0]->radius);
    mpq_sub(gap, gap, shape[1]->radius);
    pv_vec_sub(&touch->normal, &n->point[1], &n->point[0]);
    for (int k = 0; k < 3 && mpq_sgn(size) > 0; k++) {
        mpq_div(touch->normal.c[k], touch->normal.c[k], size);
    }
    mpq_neg(size, near);
    bool has_normal = mpq_sgn(n->square) > 0;
    enum pv_touching touching = mpq_cmp(gap, near) > 0                  ? PV_APART
                                : mpq_cmp(gap, size) < 0 || !has_normal ? PV_OVERLAPS
                                                                        : PV_TOUCHES;
    mpq_clear(size);
    return touching;
}

enum pv_touching
pv_touch_round(struct pv_touch *touch, const struct pv_shape *a, const struct pv_shape *b,
    const mpq_t near, const pv_vec *gravity, double *depth)
{
    CN_ASSERT(a->vertex_count <= 2 || b->vertex_count <= 2);
    const struct pv_shape *shape[2] = {a, b};
    struct nearest n;
    mpq_t gap;
    mpq_init(gap);
    nearest_init(&n);
    find_nearest(&n, a, b);
    enum pv_touching touching = judge(touch, shape, &n, near, gap);
    *depth = -pv_double(gap);
    if (touching == PV_OVERLAPS && mpq_sgn(n.square) == 0) {
        pv_vec_set(&touch->normal, gravity); /* no side contact */
    }
    if (a->vertex_count > 2 || b->vertex_count > 2) {
        pv_vec_round(&touch->normal, PV_NORMAL_BITS); /* the force still points at the core */
    }
    if (touching == PV_TOUCHES) {
        add_points(touch, shape, a->vertex_count <= 2 ? 0 : 1, &n, near);
    }
    nearest_clear(&n);
    mpq_clear(gap);
    return touching;
}
