#include "prove/touch.h"

#include "engine/base/assert.h"
#include "prove/patch.h"
#include "prove/touch_round.h"

#define GAP_PARTS 1000000ul         /* shapes touch if |gap| <= smaller extent / GAP_PARTS */
#define ALONG_PARTS 1000000000000ul /* tolerance along a face: smaller extent / ALONG_PARTS */

/* A face of one shape.  The other shape is on its outer side and touches it. */
struct face {
    const struct pv_shape *shape;
    int edge;
    mpq_t begin, end; /* the part that the other covers, as parts of the edge, in [0, 1] */
    mpq_t length;     /* of that part [m] */
    bool opposed;     /* two corners of the other shape lie on it */
    bool at_corner;   /* the part is a point, and a corner of the face */
};

struct meeting {
    const struct pv_shape *a, *b;
    mpq_t gap_near, along_near;
    struct face *face;
    int face_count;
    mpq_t deepest; /* the largest of the faces' least gaps; minus the depth if they overlap */
    struct face shallowest; /* the face of that gap */
    bool is_parted, is_apart; /* a face separates the two, within the tolerance; clearly */
};

static void
meeting_init(struct meeting *m, const struct pv_shape *a, const struct pv_shape *b)
{
    mpq_t extent;
    mpq_inits(m->gap_near, m->along_near, m->deepest, extent, NULL);
    m->a = a;
    m->b = b;
    bool a_rules =
        mpq_sgn(b->extent) == 0 || (mpq_sgn(a->extent) > 0 && mpq_cmp(a->extent, b->extent) < 0);
    mpq_set(extent, a_rules ? a->extent : b->extent);
    mpq_set_ui(m->gap_near, 1, GAP_PARTS);
    mpq_mul(m->gap_near, m->gap_near, extent);
    mpq_set_ui(m->along_near, 1, ALONG_PARTS);
    mpq_mul(m->along_near, m->along_near, extent);
    m->face = pv_alloc((size_t)(a->vertex_count + b->vertex_count), sizeof(*m->face));
    m->face_count = 0;
    m->is_parted = m->is_apart = false;
    mpq_clear(extent);
}

static void
meeting_clear(struct meeting *m)
{
    mpq_clears(m->gap_near, m->along_near, m->deepest, NULL);
    for (int i = 0; i < m->face_count; i++) {
        mpq_clears(m->face[i].begin, m->face[i].end, m->face[i].length, NULL);
    }
    pv_free(m->face);
}

/* out = normal . (p - origin) */
static void
height_over(mpq_t out, const pv_vec *normal, const pv_vec *p, const pv_vec *origin)
{
    pv_vec d;
    pv_vec_init(&d);
    pv_vec_sub(&d, p, origin);
    pv_dot(out, normal, &d);
    pv_vec_clear(&d);
}

/* out = the position of p along the edge: 0 at its start, 1 at its end. */
static void
station_on(mpq_t out, const struct pv_shape *shape, int edge, const pv_vec *p)
{
    CN_ASSERT(0 <= edge && edge < shape->vertex_count);
    pv_vec along, d;
    mpq_t square;
    pv_vec_init(&along);
    pv_vec_init(&d);
    mpq_init(square);
    pv_vec_sub(&along, &shape->vertex[(edge + 1) % shape->vertex_count], &shape->vertex[edge]);
    pv_vec_sub(&d, p, &shape->vertex[edge]);
    pv_dot(square, &along, &along);
    CN_ASSERT(mpq_sgn(square) > 0);
    pv_dot(out, &along, &d);
    mpq_div(out, out, square);
    mpq_clear(square);
    pv_vec_clear(&along);
    pv_vec_clear(&d);
}

/* Cuts [begin, end] to [0, 1].  False: it lies outside by more than `near`. */
static bool
clip_to_face(struct face *face, const mpq_t near)
{
    mpq_t one, reach;
    mpq_inits(one, reach, NULL);
    mpq_set_ui(one, 1, 1);
    mpq_neg(reach, near);
    bool is_on = mpq_cmp(face->end, reach) >= 0;
    mpq_add(reach, one, near);
    is_on = is_on && mpq_cmp(face->begin, reach) <= 0;
    if (mpq_sgn(face->begin) < 0) {
        mpq_set_ui(face->begin, 0, 1);
    }
    if (mpq_cmp(face->end, one) > 0) {
        mpq_set(face->end, one);
    }
    if (mpq_cmp(face->begin, one) > 0) {
        mpq_set(face->begin, one);
    }
    if (mpq_sgn(face->end) < 0) {
        mpq_set_ui(face->end, 0, 1);
    }
    mpq_sub(reach, face->end, face->begin);
    if (mpq_cmp(reach, near) <= 0) {
        mpq_set(face->end, face->begin);
        mpq_sub(reach, one, face->begin);
        face->at_corner = mpq_cmp(face->begin, near) <= 0 || mpq_cmp(reach, near) <= 0;
    }
    mpq_clears(one, reach, NULL);
    return is_on;
}

/* Finds the part of the face that `other` covers within gap_near.  False: it covers nothing. */
static bool
find_cover(const struct meeting *m, const struct pv_shape *other, struct face *face)
{
    mpq_t h, s, near;
    mpq_inits(h, s, near, NULL);
    int count = 0;
    const pv_vec *origin = &face->shape->vertex[face->edge];
    for (int j = 0; j < other->vertex_count; j++) {
        height_over(h, &face->shape->normal[face->edge], &other->vertex[j], origin);
        if (mpq_cmp(h, m->gap_near) > 0) {
            continue;
        }
        station_on(s, face->shape, face->edge, &other->vertex[j]);
        if (count == 0 || mpq_cmp(s, face->begin) < 0) {
            mpq_set(face->begin, s);
        }
        if (count == 0 || mpq_cmp(s, face->end) > 0) {
            mpq_set(face->end, s);
        }
        count++;
    }
    CN_ASSERT(count > 0); /* the face was chosen for a corner within gap_near */
    face->opposed = count >= 2;
    mpq_div(near, m->along_near, face->shape->length[face->edge]);
    bool is_on = clip_to_face(face, near);
    mpq_sub(face->length, face->end, face->begin);
    mpq_mul(face->length, face->length, face->shape->length[face->edge]);
    mpq_clears(h, s, near, NULL);
    return is_on;
}

/* Collects the faces of `shape` that separate it from `other` and touch `other`. */
static void
find_faces(struct meeting *m, const struct pv_shape *shape, const struct pv_shape *other)
{
    mpq_t h, least, sunk;
    mpq_inits(h, least, sunk, NULL);
    mpq_neg(sunk, m->gap_near);
    for (int i = 0; i < shape->vertex_count && !m->is_apart; i++) {
        for (int j = 0; j < other->vertex_count; j++) {
            height_over(h, &shape->normal[i], &other->vertex[j], &shape->vertex[i]);
            if (j == 0 || mpq_cmp(h, least) < 0) {
                mpq_set(least, h);
            }
        }
        bool is_first = shape == m->a && i == 0;
        if (is_first || mpq_cmp(least, m->deepest) > 0) {
            mpq_set(m->deepest, least);
            m->shallowest.shape = shape;
            m->shallowest.edge = i;
        }
        if (mpq_cmp(least, sunk) < 0) {
            continue;
        }
        m->is_parted = true;
        m->is_apart = mpq_cmp(least, m->gap_near) > 0;
        CN_ASSERT(m->face_count < m->a->vertex_count + m->b->vertex_count); /* room of face[] */
        struct face *face = &m->face[m->face_count++];
        *face = (struct face){.shape = shape, .edge = i};
        mpq_inits(face->begin, face->end, face->length, NULL);
        if (m->is_apart || !find_cover(m, other, face)) {
            mpq_clears(face->begin, face->end, face->length, NULL);
            m->face_count--;
        }
    }
    mpq_clears(h, least, sunk, NULL);
}

/* out = |normal . gravity|, by which faces are compared. */
static void
alignment_of(mpq_t out, const struct face *face, const pv_vec *gravity)
{
    pv_dot(out, &face->shape->normal[face->edge], gravity);
    mpq_abs(out, out);
}

/*
 * Returns the face with the longest covered part; else one with a corner inside of it; else the
 * opposed face most aligned with gravity; else NULL.
 */
static const struct face *
choose_face(const struct meeting *m, const pv_vec *gravity)
{
    const struct face *best = NULL;
    for (int i = 0; i < m->face_count; i++) {
        const struct face *face = &m->face[i];
        if (mpq_sgn(face->length) > 0 &&
            (best == NULL || mpq_cmp(face->length, best->length) > 0)) {
            best = face;
        }
    }
    for (int i = 0; i < m->face_count && best == NULL; i++) {
        best = m->face[i].at_corner ? NULL : &m->face[i];
    }
    if (best != NULL) {
        return best;
    }
    mpq_t most, now;
    mpq_inits(most, now, NULL);
    for (int i = 0; i < m->face_count; i++) {
        alignment_of(now, &m->face[i], gravity);
        if (m->face[i].opposed && (best == NULL || mpq_cmp(now, most) > 0)) {
            best = &m->face[i];
            mpq_set(most, now);
        }
    }
    mpq_clears(most, now, NULL);
    return best;
}

static void
point_on(pv_vec *out, const struct face *face, const mpq_t at)
{
    const struct pv_shape *shape = face->shape;
    pv_vec along;
    pv_vec_init(&along);
    pv_vec_sub(&along, &shape->vertex[(face->edge + 1) % shape->vertex_count],
        &shape->vertex[face->edge]);
    pv_vec_add_scaled(out, &shape->vertex[face->edge], at, &along);
    pv_vec_clear(&along);
}

/* v / |v| */
static void
make_unit(pv_vec *v)
{
    mpq_t length;
    mpq_init(length);
    pv_dot(length, v, v);
    pv_root(length, length);
    for (int k = 0; k < 3; k++) {
        mpq_div(v->c[k], v->c[k], length);
    }
    mpq_clear(length);
}

static void
add_normal(const struct meeting *m, int face, pv_vec *sum)
{
    const struct pv_shape *shape = m->face[face].shape;
    mpq_t sign;
    mpq_init(sign);
    mpq_set_si(sign, shape == m->a ? 1 : -1, 1);
    pv_vec_add_scaled(sum, sum, sign, &shape->normal[m->face[face].edge]);
    mpq_clear(sign);
}

/*
 * Corner on corner without opposed faces: the mean of the faces' normals, at the first's corner.
 * The normal of the first face, if the normals cancel.
 */
static void
touch_corners(const struct meeting *m, struct pv_touch *touch)
{
    CN_ASSERT(m->face_count > 0);
    for (int k = 0; k < 3; k++) {
        mpq_set_ui(touch->normal.c[k], 0, 1);
    }
    for (int i = 0; i < m->face_count; i++) {
        add_normal(m, i, &touch->normal);
    }
    if (mpq_sgn(touch->normal.c[0]) == 0 && mpq_sgn(touch->normal.c[1]) == 0) {
        add_normal(m, 0, &touch->normal);
    }
    make_unit(&touch->normal);
    point_on(&touch->point[0], &m->face[0], m->face[0].begin);
    touch->count = 1;
}

static void
touch_face(const struct meeting *m, const struct face *face, struct pv_touch *touch)
{
    CN_ASSERT(face->shape == m->a || face->shape == m->b);
    pv_vec_set(&touch->normal, &face->shape->normal[face->edge]);
    if (face->shape == m->b) {
        pv_vec_negate(&touch->normal);
    }
    point_on(&touch->point[0], face, face->begin);
    touch->count = 1;
    if (mpq_sgn(face->length) > 0) {
        point_on(&touch->point[1], face, face->end);
        touch->count = 2;
    }
}

static enum pv_touching
touch_polygons(struct pv_touch *touch, struct meeting *m, const pv_vec *gravity, double *depth)
{
    find_faces(m, m->a, m->b);
    find_faces(m, m->b, m->a);
    if (m->is_apart) {
        return PV_APART;
    }
    if (!m->is_parted) {
        *depth = -pv_double(m->deepest);
        CN_ASSERT(m->shallowest.edge < m->shallowest.shape->vertex_count);
        pv_vec_set(&touch->normal, &m->shallowest.shape->normal[m->shallowest.edge]);
        return PV_OVERLAPS;
    }
    const struct face *face = choose_face(m, gravity);
    if (face != NULL) {
        touch_face(m, face, touch);
    } else if (m->face_count > 0) {
        touch_corners(m, touch);
    }
    return touch->count > 0 ? PV_TOUCHES : PV_APART;
}

/* Compares a gap with gap_near. */
static enum pv_touching
judge_gap(const struct meeting *m, const mpq_t gap, double *depth)
{
    mpq_t size;
    mpq_init(size);
    mpq_abs(size, gap);
    bool is_near = mpq_cmp(size, m->gap_near) <= 0;
    mpq_clear(size);
    if (is_near) {
        return PV_TOUCHES;
    }
    *depth = -pv_double(gap);
    return mpq_sgn(gap) > 0 ? PV_APART : PV_OVERLAPS;
}

/* Touches two circles, given by centres and radii.  A corner is a circle of radius 0. */
static enum pv_touching
touch_points(struct pv_touch *touch, const struct meeting *m, const pv_vec *from, const pv_vec *to,
    const mpq_t from_radius, const mpq_t to_radius, double *depth)
{
    mpq_t distance, gap;
    mpq_inits(distance, gap, NULL);
    pv_vec_sub(&touch->normal, to, from);
    pv_dot(distance, &touch->normal, &touch->normal);
    pv_root(distance, distance);
    mpq_sub(gap, distance, from_radius);
    mpq_sub(gap, gap, to_radius);
    enum pv_touching touching = judge_gap(m, gap, depth);
    if (touching == PV_TOUCHES) {
        make_unit(&touch->normal);
        pv_vec_add_scaled(&touch->point[0], from, from_radius, &touch->normal);
        touch->count = 1;
    }
    mpq_clears(distance, gap, NULL);
    return touching;
}

/* The face of `shape` above which p is highest; h is that height. */
static int
highest_face(mpq_t h, const struct pv_shape *shape, const pv_vec *p)
{
    CN_ASSERT(shape->vertex_count >= 3);
    mpq_t now;
    mpq_init(now);
    int best = 0;
    for (int i = 0; i < shape->vertex_count; i++) {
        height_over(now, &shape->normal[i], p, &shape->vertex[i]);
        if (i == 0 || mpq_cmp(now, h) > 0) {
            mpq_set(h, now);
            best = i;
        }
    }
    mpq_clear(now);
    return best;
}

/* Touches a polygon and a circle; the normal points from the polygon to the circle. */
static enum pv_touching
touch_circle(struct pv_touch *touch, const struct meeting *m, const struct pv_shape *polygon,
    const struct pv_shape *circle, double *depth)
{
    mpq_t h, s, zero, one;
    mpq_inits(h, s, zero, one, NULL);
    mpq_set_ui(one, 1, 1);
    int edge = highest_face(h, polygon, &circle->vertex[0]);
    station_on(s, polygon, edge, &circle->vertex[0]);
    enum pv_touching touching;
    int n = polygon->vertex_count;
    if (mpq_sgn(s) >= 0 && mpq_cmp(s, one) <= 0) {
        mpq_sub(zero, h, circle->radius);
        touching = judge_gap(m, zero, depth);
        struct face face = {.shape = polygon, .edge = edge};
        point_on(&touch->point[0], &face, s);
        pv_vec_set(&touch->normal, &polygon->normal[edge]);
        touch->count = touching == PV_TOUCHES ? 1 : 0;
    } else {
        int corner = mpq_sgn(s) < 0 ? edge : (edge + 1) % n;
        touching = touch_points(touch, m, &polygon->vertex[corner], &circle->vertex[0], zero,
            circle->radius, depth);
    }
    mpq_clears(h, s, zero, one, NULL);
    return touching;
}

/* Touches a half plane and a polygon or circle; the normal points out of the half plane. */
static enum pv_touching
touch_half_plane(struct pv_touch *touch, const struct meeting *m, const struct pv_shape *plane,
    const struct pv_shape *b, double *depth)
{
    CN_ASSERT(plane->kind == CN_SHAPE_PLANE);
    const pv_vec *normal = &plane->normal[0];
    mpq_t h, s, least, ends[2];
    mpq_inits(h, s, least, ends[0], ends[1], NULL);
    int count = 0;
    for (int j = 0; j < b->vertex_count; j++) {
        pv_dot(h, normal, &b->vertex[j]);
        mpq_sub(h, h, plane->offset);
        mpq_sub(h, h, b->radius);
        if (j == 0 || mpq_cmp(h, least) < 0) {
            mpq_set(least, h);
        }
        if (judge_gap(m, h, depth) != PV_TOUCHES) {
            continue;
        }
        mpq_mul(s, normal->c[0], b->vertex[j].c[1]);
        pv_sub_product(s, normal->c[1], b->vertex[j].c[0]);
        mpq_add(h, h, b->radius);
        mpq_neg(h, h);
        for (int k = 0; k < 2; k++) {
            int side = k == 0 ? -1 : 1;
            if (count == 0 || mpq_cmp(s, ends[k]) * side > 0) {
                mpq_set(ends[k], s);
                pv_vec_add_scaled(&touch->point[k], &b->vertex[j], h, normal);
            }
        }
        count++;
    }
    enum pv_touching touching = judge_gap(m, least, depth);
    touch->count = touching != PV_TOUCHES ? 0 : count >= 2 ? 2 : 1;
    pv_vec_set(&touch->normal, normal);
    mpq_clears(h, s, least, ends[0], ends[1], NULL);
    return touching;
}

enum pv_touching
pv_touch_plane(struct pv_touch *touch, const struct pv_shape *a, const struct pv_shape *b,
    const pv_vec *gravity, double *depth)
{
    struct meeting m;
    meeting_init(&m, a, b);
    touch->count = 0;
    bool flip = b->kind == CN_SHAPE_PLANE ||
                (a->kind == CN_SHAPE_CIRCLE && b->kind != CN_SHAPE_CIRCLE);
    const struct pv_shape *first = flip ? b : a, *second = flip ? a : b;
    enum pv_touching touching;
    bool has_capsule = a->kind == CN_SHAPE_CAPSULE || b->kind == CN_SHAPE_CAPSULE;
    if (has_capsule && first->kind != CN_SHAPE_PLANE) {
        flip = false;
        touching = pv_touch_round(touch, a, b, m.gap_near, gravity, depth);
    } else if (first->kind == CN_SHAPE_PLANE) {
        touching = touch_half_plane(touch, &m, first, second, depth);
    } else if (first->kind == CN_SHAPE_CIRCLE) {
        touching = touch_points(touch, &m, &first->vertex[0], &second->vertex[0], first->radius,
            second->radius, depth);
    } else if (second->kind == CN_SHAPE_CIRCLE) {
        touching = touch_circle(touch, &m, first, second, depth);
    } else {
        flip = false;
        touching = touch_polygons(touch, &m, gravity, depth);
    }
    if (flip) {
        pv_vec_negate(&touch->normal);
    }
    CN_ASSERT(touch->count <= 2 && (touching != PV_TOUCHES || touch->count > 0));
    meeting_clear(&m);
    return touching;
}
