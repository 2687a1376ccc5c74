/* touch_space.c: touching cuboids, balls and half spaces. */
#include "prove/touch.h"

#include "engine/base/assert.h"
#include "prove/touch_round.h"
#include "prove/touch_solid.h"

#include <stdlib.h>

#define GAP_PARTS 1000000ul
#define CLIP_MAX 16

/* The part of a face that the other cuboid covers: a polygon, segment or point, in the world. */
struct patch {
    const struct pv_shape *owner;
    int axis, side; /* the face's outward normal is `side` times that axis */
    pv_vec corner[CLIP_MAX];
    int count;
    mpq_t area, length, steep; /* area and length are squared, up to a common factor */
};

struct meeting {
    const struct pv_shape *a, *b;
    mpq_t near, sunk;
    mpq_t shallowest; /* the largest gap along any axis so far */
    pv_vec normal;    /* that axis, from a to b */
    bool is_parted, is_apart, has_gap; /* parted: within the tolerance; apart: clearly */
};

static void
patch_init(struct patch *patch)
{
    mpq_inits(patch->area, patch->length, patch->steep, NULL);
    for (int i = 0; i < CLIP_MAX; i++) {
        pv_vec_init(&patch->corner[i]);
    }
    patch->count = 0;
}

static void
patch_clear(struct patch *patch)
{
    mpq_clears(patch->area, patch->length, patch->steep, NULL);
    for (int i = 0; i < CLIP_MAX; i++) {
        pv_vec_clear(&patch->corner[i]);
    }
}

/* out = the height of p over the face whose normal is `side` times `axis`. */
static void
height_over(mpq_t out, const struct pv_shape *shape, int axis, int side, const pv_vec *p)
{
    pv_vec d;
    pv_vec_init(&d);
    pv_vec_sub(&d, p, &shape->center);
    pv_dot(out, &shape->normal[axis], &d);
    if (side < 0) {
        mpq_neg(out, out);
    }
    mpq_sub(out, out, shape->length[axis]);
    pv_vec_clear(&d);
}

/* Collects the corners of the other's face, else edge, else corner that is near this face. */
static void
gather_corners(struct patch *patch, const struct pv_shape *other, const bool *is_near)
{
    static const int loop[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    CN_ASSERT(other->vertex_count == 8);
    patch->count = 0;
    for (int f = 0; f < 6 && patch->count == 0; f++) { /* a whole face */
        int axis = f / 2, u = (axis + 1) % 3, v = (axis + 2) % 3, index[4];
        bool all = true;
        for (int k = 0; k < 4; k++) {
            index[k] = (f % 2 == 0 ? 1 << axis : 0) | loop[k][0] << u | loop[k][1] << v;
            all = all && is_near[index[k]];
        }
        for (int k = 0; k < 4 && all; k++) {
            pv_vec_set(&patch->corner[patch->count++], &other->vertex[index[k]]);
        }
    }
    for (int i = 0; i < 8 && patch->count == 0; i++) { /* an edge */
        for (int k = 0; k < 3 && patch->count == 0; k++) {
            if ((i >> k & 1) == 0 && is_near[i] && is_near[i | 1 << k]) {
                pv_vec_set(&patch->corner[patch->count++], &other->vertex[i]);
                pv_vec_set(&patch->corner[patch->count++], &other->vertex[i | 1 << k]);
            }
        }
    }
    for (int i = 0; i < 8 && patch->count == 0; i++) {
        if (is_near[i]) {
            pv_vec_set(&patch->corner[patch->count++], &other->vertex[i]);
        }
    }
}

/* Cuts off the part beyond another face of the same cuboid (Sutherland and Hodgman). */
static void
cut_patch(struct patch *patch, int axis, int side)
{
    CN_ASSERT(0 <= axis && axis < 3 && axis != patch->axis);
    pv_vec kept[CLIP_MAX], edge;
    mpq_t here, there, part;
    int count = 0;
    mpq_inits(here, there, part, NULL);
    pv_vec_init(&edge);
    for (int i = 0; i < CLIP_MAX; i++) {
        pv_vec_init(&kept[i]);
    }
    for (int i = 0; i < patch->count; i++) {
        const pv_vec *p = &patch->corner[i], *q = &patch->corner[(i + 1) % patch->count];
        CN_ASSERT(count + 2 <= CLIP_MAX); /* a cut adds a corner at most: four cuts make 8 of 4 */
        height_over(here, patch->owner, axis, side, p);
        height_over(there, patch->owner, axis, side, q);
        if (mpq_sgn(here) <= 0) {
            pv_vec_set(&kept[count++], p);
        }
        if (mpq_sgn(here) * mpq_sgn(there) < 0) {
            mpq_sub(part, here, there);
            mpq_div(part, here, part);
            pv_vec_sub(&edge, q, p);
            pv_vec_add_scaled(&kept[count++], p, part, &edge);
        }
    }
    for (int i = 0; i < count; i++) {
        pv_vec_set(&patch->corner[i], &kept[i]);
    }
    patch->count = count;
    for (int i = 0; i < CLIP_MAX; i++) {
        pv_vec_clear(&kept[i]);
    }
    pv_vec_clear(&edge);
    mpq_clears(here, there, part, NULL);
}

static bool
same_points(const pv_vec *a, const pv_vec *b)
{
    return mpq_equal(a->c[0], b->c[0]) && mpq_equal(a->c[1], b->c[1]) &&
           mpq_equal(a->c[2], b->c[2]);
}

/* Projects the corners onto the face, and drops duplicates. */
static void
project_corners(struct patch *patch)
{
    mpq_t h;
    int count = 0;
    mpq_init(h);
    for (int i = 0; i < patch->count; i++) {
        pv_vec *p = &patch->corner[i];
        height_over(h, patch->owner, patch->axis, patch->side, p);
        if (patch->side > 0) {
            mpq_neg(h, h);
        }
        pv_vec_add_scaled(p, p, h, &patch->owner->normal[patch->axis]);
        bool is_new = true;
        for (int k = 0; k < count; k++) {
            is_new = is_new && !same_points(p, &patch->corner[k]);
        }
        if (is_new) {
            pv_vec_set(&patch->corner[count++], p);
        }
    }
    patch->count = count;
    mpq_clear(h);
}

static void
measure_patch(struct patch *patch, const pv_vec *gravity)
{
    pv_vec sum, part, d, e;
    mpq_t square;
    mpq_init(square);
    pv_vec_init(&sum);
    pv_vec_init(&part);
    pv_vec_init(&d);
    pv_vec_init(&e);
    for (int i = 0; i < patch->count; i++) {
        pv_vec_sub(&d, &patch->corner[i], &patch->corner[0]);
        pv_vec_sub(&e, &patch->corner[(i + 1) % patch->count], &patch->corner[0]);
        pv_cross(&part, &d, &e);
        for (int k = 0; k < 3; k++) {
            mpq_add(sum.c[k], sum.c[k], part.c[k]);
        }
        for (int j = 0; j < i; j++) {
            pv_vec_sub(&d, &patch->corner[i], &patch->corner[j]);
            pv_dot(square, &d, &d);
            if (mpq_cmp(square, patch->length) > 0) {
                mpq_set(patch->length, square);
            }
        }
    }
    pv_dot(patch->area, &sum, &sum);
    pv_dot(patch->steep, &patch->owner->normal[patch->axis], gravity);
    mpq_abs(patch->steep, patch->steep);
    pv_vec_clear(&sum);
    pv_vec_clear(&part);
    pv_vec_clear(&d);
    pv_vec_clear(&e);
    mpq_clear(square);
}

/* Compares by area, then by length, then by steepness. */
static bool
is_better(const struct patch *patch, const struct patch *best)
{
    if (patch->count == 0 || best->count == 0) {
        return patch->count > 0;
    }
    int order = mpq_cmp(patch->area, best->area);
    order = order != 0 ? order : mpq_cmp(patch->length, best->length);
    order = order != 0 ? order : mpq_cmp(patch->steep, best->steep);
    return order > 0;
}

static void
patch_swap(struct patch *a, struct patch *b)
{
    struct patch c = *a; /* GMP numbers may be moved in memory */
    *a = *b;
    *b = c;
}

/* Records the gap along an axis.  True: the axis separates the two, and none shows them apart. */
static bool
note_gap(struct meeting *m, const mpq_t gap, const pv_vec *normal, int sign)
{
    if (!m->has_gap || mpq_cmp(gap, m->shallowest) > 0) {
        mpq_set(m->shallowest, gap);
        pv_vec_set(&m->normal, normal);
        if (sign < 0) {
            pv_vec_negate(&m->normal);
        }
        m->has_gap = true;
    }
    m->is_apart = m->is_apart || mpq_cmp(gap, m->near) > 0;
    bool parts = mpq_cmp(gap, m->sunk) >= 0;
    m->is_parted = m->is_parted || parts;
    return parts && !m->is_apart;
}

static void
try_faces(struct meeting *m, struct patch *best, const pv_vec *gravity)
{
    struct patch patch;
    mpq_t h, least;
    mpq_inits(h, least, NULL);
    for (int f = 0; f < 12 && !m->is_apart; f++) {
        const struct pv_shape *owner = f < 6 ? m->a : m->b, *other = f < 6 ? m->b : m->a;
        int axis = f % 6 / 2, side = f % 2 == 0 ? 1 : -1;
        bool is_near[8];
        for (int i = 0; i < 8; i++) {
            height_over(h, owner, axis, side, &other->vertex[i]);
            is_near[i] = mpq_cmp(h, m->near) <= 0;
            if (i == 0 || mpq_cmp(h, least) < 0) {
                mpq_set(least, h);
            }
        }
        if (!note_gap(m, least, &owner->normal[axis], f < 6 ? side : -side)) {
            continue;
        }
        patch_init(&patch);
        patch.owner = owner;
        patch.axis = axis;
        patch.side = side;
        gather_corners(&patch, other, is_near);
        for (int k = 1; k <= 2; k++) {
            cut_patch(&patch, (axis + k) % 3, 1);
            cut_patch(&patch, (axis + k) % 3, -1);
        }
        project_corners(&patch);
        measure_patch(&patch, gravity);
        if (is_better(&patch, best)) {
            patch_swap(&patch, best);
        }
        patch_clear(&patch);
    }
    mpq_clears(h, least, NULL);
}

/* Finds the farthest corner along n, and its distance `reach` along n. */
static void
farthest_corner(mpq_t reach, pv_vec *corner, const struct pv_shape *shape, const pv_vec *n)
{
    mpq_t now;
    mpq_init(now);
    for (int i = 0; i < 8; i++) {
        pv_dot(now, n, &shape->vertex[i]);
        if (i == 0 || mpq_cmp(now, reach) > 0) {
            mpq_set(reach, now);
            pv_vec_set(corner, &shape->vertex[i]);
        }
    }
    mpq_clear(now);
}

/* out = the point on the line p + s d nearest to the line q + t e; n = d x e. */
static void
crossing_point(pv_vec *out, const pv_vec *p, const pv_vec *d, const pv_vec *q, const pv_vec *e,
    const pv_vec *n)
{
    pv_vec between, turned;
    mpq_t s, square;
    mpq_inits(s, square, NULL);
    pv_vec_init(&between);
    pv_vec_init(&turned);
    pv_vec_sub(&between, q, p);
    pv_cross(&turned, &between, e);
    pv_dot(s, &turned, n);
    pv_dot(square, n, n);
    CN_ASSERT(mpq_sgn(square) > 0); /* the lines are not parallel */
    mpq_div(s, s, square);
    pv_vec_add_scaled(out, p, s, d);
    pv_vec_clear(&between);
    pv_vec_clear(&turned);
    mpq_clears(s, square, NULL);
}

/*
 * Tests the nine axes that are normal to an edge of each.  may_touch: no face separates the two, so
 * they touch at the axis of the largest gap.
 */
static void
try_edges(struct meeting *m, struct pv_touch *touch, bool may_touch)
{
    pv_vec n, unit, p, q;
    mpq_t size, reach, gap, most;
    bool has_most = false;
    mpq_inits(size, reach, gap, most, NULL);
    pv_vec_init(&n);
    pv_vec_init(&unit);
    pv_vec_init(&p);
    pv_vec_init(&q);
    for (int k = 0; k < 9 && !m->is_apart; k++) {
        const pv_vec *d = &m->a->normal[k / 3], *e = &m->b->normal[k % 3];
        pv_cross(&n, d, e);
        pv_dot(size, &n, &n);
        if (mpq_sgn(size) == 0) {
            continue;
        }
        pv_root(size, size);
        pv_vec_sub(&unit, &m->b->center, &m->a->center);
        pv_dot(gap, &unit, &n);
        if (mpq_sgn(gap) < 0) {
            mpq_neg(size, size);
        }
        for (int i = 0; i < 3; i++) {
            mpq_div(unit.c[i], n.c[i], size);
        }
        farthest_corner(reach, &p, m->a, &unit);
        pv_vec_negate(&unit);
        farthest_corner(gap, &q, m->b, &unit);
        pv_vec_negate(&unit);
        mpq_add(gap, gap, reach);
        mpq_neg(gap, gap);
        if (note_gap(m, gap, &unit, 1) && may_touch && (!has_most || mpq_cmp(gap, most) > 0)) {
            has_most = true;
            mpq_set(most, gap);
            pv_vec_set(&touch->normal, &unit);
            crossing_point(&touch->point[0], &p, d, &q, e, &n);
            touch->count = 1;
        }
    }
    pv_vec_clear(&n);
    pv_vec_clear(&unit);
    pv_vec_clear(&p);
    pv_vec_clear(&q);
    mpq_clears(size, reach, gap, most, NULL);
}

static enum pv_touching
touch_cuboids(struct pv_touch *touch, struct meeting *m, const pv_vec *gravity, double *depth)
{
    CN_ASSERT(m->a->vertex_count == 8 && m->b->vertex_count == 8);
    struct patch best;
    patch_init(&best);
    try_faces(m, &best, gravity);
    bool faces_part = m->is_parted;
    if (!m->is_apart) {
        try_edges(m, touch, !faces_part);
    }
    if (!m->is_apart && best.count > 0) {
        CN_ASSERT(best.count <= PV_TOUCH_ROOM);
        touch->count = best.count;
        for (int i = 0; i < best.count; i++) {
            pv_vec_set(&touch->point[i], &best.corner[i]);
        }
        pv_vec_set(&touch->normal, &best.owner->normal[best.axis]);
        if ((best.owner == m->b) != (best.side < 0)) {
            pv_vec_negate(&touch->normal);
        }
    }
    patch_clear(&best);
    if (m->is_apart) {
        touch->count = 0;
        return PV_APART;
    }
    if (!m->is_parted) {
        *depth = -pv_double(m->shallowest);
        pv_vec_set(&touch->normal, &m->normal);
        return PV_OVERLAPS;
    }
    return touch->count > 0 ? PV_TOUCHES : PV_APART;
}

/* Touches two balls, given by centres and radii; the contact is on the surface of the first. */
static enum pv_touching
touch_centers(struct pv_touch *touch, struct meeting *m, const pv_vec *from, const pv_vec *to,
    const mpq_t from_radius, const mpq_t to_radius, const pv_vec *gravity, double *depth)
{
    mpq_t distance, gap;
    mpq_inits(distance, gap, NULL);
    pv_vec_sub(&touch->normal, to, from);
    pv_dot(distance, &touch->normal, &touch->normal);
    pv_root(distance, distance);
    if (mpq_sgn(distance) == 0) { /* any normal will do, if the contact is no side contact */
        pv_vec_set(&touch->normal, gravity);
        mpq_set_ui(distance, 1, 1);
    } else {
        mpq_set(gap, distance);
    }
    for (int k = 0; k < 3; k++) {
        mpq_div(touch->normal.c[k], touch->normal.c[k], distance);
    }
    mpq_sub(gap, gap, from_radius);
    mpq_sub(gap, gap, to_radius);
    bool is_near = mpq_cmp(gap, m->near) <= 0, is_deep = mpq_cmp(gap, m->sunk) < 0;
    *depth = -pv_double(gap);
    pv_vec_add_scaled(&touch->point[0], from, from_radius, &touch->normal);
    touch->count = is_near && !is_deep ? 1 : 0;
    mpq_clears(distance, gap, NULL);
    return is_deep ? PV_OVERLAPS : is_near ? PV_TOUCHES : PV_APART;
}

/* Touches a cuboid and a ball at the point of the cuboid nearest to the ball's centre. */
static enum pv_touching
touch_ball(struct pv_touch *touch, struct meeting *m, const struct pv_shape *cuboid,
    const struct pv_shape *ball, const pv_vec *gravity, double *depth)
{
    CN_ASSERT(cuboid->vertex_count == 8 && ball->vertex_count == 1);
    pv_vec out, nearest;
    mpq_t at, none;
    mpq_inits(at, none, NULL);
    pv_vec_init(&out);
    pv_vec_init(&nearest);
    pv_vec_sub(&out, &ball->vertex[0], &cuboid->center);
    pv_vec_set(&nearest, &cuboid->center);
    for (int k = 0; k < 3; k++) {
        pv_dot(at, &out, &cuboid->normal[k]);
        if (mpq_cmp(at, cuboid->length[k]) > 0) {
            mpq_set(at, cuboid->length[k]);
        }
        mpq_neg(at, at);
        if (mpq_cmp(at, cuboid->length[k]) > 0) {
            mpq_set(at, cuboid->length[k]);
        }
        mpq_neg(at, at);
        pv_vec_add_scaled(&nearest, &nearest, at, &cuboid->normal[k]);
    }
    enum pv_touching touching = touch_centers(
        touch, m, &nearest, &ball->vertex[0], none, ball->radius, gravity, depth);
    pv_vec_clear(&out);
    pv_vec_clear(&nearest);
    mpq_clears(at, none, NULL);
    return touching;
}

/* Whether hulls or capsules take part: their contacts have rules of their own. */
static bool
is_general(const struct pv_shape *shape)
{
    return shape->kind == CN_SHAPE_HULL || shape->kind == CN_SHAPE_CAPSULE;
}

/* Whether the shape is a ball or a capsule. */
static bool
is_round(const struct pv_shape *shape)
{
    return shape->vertex_count == 1 || shape->vertex_count == 2;
}

/* Touches two shapes that are no planes. */
static enum pv_touching
touch_shapes(struct pv_touch *touch, struct meeting *m, const pv_vec *gravity, double *depth)
{
    if (is_general(m->a) || is_general(m->b)) {
        bool has_round = is_round(m->a) || is_round(m->b);
        return (has_round ? pv_touch_round : pv_touch_solids)(
            touch, m->a, m->b, m->near, gravity, depth);
    }
    bool a_is_ball = m->a->kind == CN_SHAPE_CIRCLE, b_is_ball = m->b->kind == CN_SHAPE_CIRCLE;
    if (a_is_ball && b_is_ball) {
        return touch_centers(touch, m, &m->a->vertex[0], &m->b->vertex[0], m->a->radius,
            m->b->radius, gravity, depth);
    }
    if (b_is_ball) {
        return touch_ball(touch, m, m->a, m->b, gravity, depth);
    }
    if (a_is_ball) {
        enum pv_touching touching = touch_ball(touch, m, m->b, m->a, gravity, depth);
        pv_vec_negate(&touch->normal);
        return touching;
    }
    return touch_cuboids(touch, m, gravity, depth);
}

/* Touches a half space with the cuboid's near corners or the ball's lowest point. */
static enum pv_touching
touch_half_space(struct pv_touch *touch, struct meeting *m, const struct pv_shape *plane,
    const struct pv_shape *solid, double *depth)
{
    CN_ASSERT(plane->kind == CN_SHAPE_PLANE && touch->count == 0);
    mpq_t h;
    mpq_init(h);
    pv_vec_set(&touch->normal, &plane->normal[0]);
    for (int i = 0; i < solid->vertex_count; i++) {
        pv_dot(h, &plane->normal[0], &solid->vertex[i]);
        mpq_sub(h, h, plane->offset);
        mpq_sub(h, h, solid->radius);
        if (i == 0 || mpq_cmp(h, m->shallowest) < 0) {
            mpq_set(m->shallowest, h);
        }
        if (mpq_cmp(h, m->near) <= 0) {
            mpq_add(h, h, solid->radius);
            mpq_neg(h, h);
            pv_vec_add_scaled(pv_touch_add(touch), &solid->vertex[i], h, &plane->normal[0]);
        }
    }
    mpq_clear(h);
    if (mpq_cmp(m->shallowest, m->sunk) < 0) {
        *depth = -pv_double(m->shallowest);
        touch->count = 0;
        return PV_OVERLAPS;
    }
    return touch->count > 0 ? PV_TOUCHES : PV_APART;
}

enum pv_touching
pv_touch_space(struct pv_touch *touch, const struct pv_shape *a, const struct pv_shape *b,
    const pv_vec *gravity, double *depth)
{
    struct meeting m = {.a = a, .b = b};
    mpq_inits(m.near, m.sunk, m.shallowest, NULL);
    pv_vec_init(&m.normal);
    bool a_rules =
        mpq_sgn(b->extent) == 0 || (mpq_sgn(a->extent) > 0 && mpq_cmp(a->extent, b->extent) < 0);
    mpq_set_ui(m.near, 1, GAP_PARTS);
    mpq_mul(m.near, m.near, a_rules ? a->extent : b->extent);
    mpq_neg(m.sunk, m.near);
    touch->count = 0;
    enum pv_touching touching;
    if (a->kind == CN_SHAPE_PLANE) {
        touching = touch_half_space(touch, &m, a, b, depth);
    } else if (b->kind == CN_SHAPE_PLANE) {
        touching = touch_half_space(touch, &m, b, a, depth);
        pv_vec_negate(&touch->normal);
    } else {
        touching = touch_shapes(touch, &m, gravity, depth);
    }
    bool has_hull = a->kind == CN_SHAPE_HULL || b->kind == CN_SHAPE_HULL;
    if (has_hull && !is_round(a) && !is_round(b)) { /* a force on what is round must not turn it */
        pv_touch_round_off(touch, a->kind != CN_SHAPE_PLANE && b->kind != CN_SHAPE_PLANE);
    }
    CN_ASSERT(touching != PV_TOUCHES || touch->count > 0);
    mpq_clears(m.near, m.sunk, m.shallowest, NULL);
    pv_vec_clear(&m.normal);
    return touching;
}
