/*
 * fast_spatial_hulls.c: two hulls, or a box and a hull.
 *
 * The search finds the axis that separates them most, or along which they overlap least.
 *
 * Faces.  The side of face f of R against O is the least height of O's corners above its plane.  So
 * any corner p of O gives an upper bound: the height of p.  The face of the largest bound is tried,
 * and the corner that decides its side lowers the bounds of all faces.  This repeats until the best
 * side found is no less than every bound, usually after a few of many faces.
 *
 * Edges.  An axis normal to two edges lies between the normals of each edge's two faces.  If a
 * point of the other hull is deeper than the best face's side below both faces of an edge, that
 * edge's axes are all worse: with n = x nl + y nr, x + y >= 1, the side is at most the sum of x and
 * y times the heights of the point.  For the edges of the best face's hull, such a point is the
 * corner that decided its side.  For the edges of the other hull it is the corner's foot on the
 * face.  The few edges that remain are tried four at a time.
 *
 * From tick to tick the axis usually stays.  The hint names it, with the deepest separation of the
 * last search.  The axis is taken without a search, at most HINT_AGE_MAX times in a row.  The
 * overlap must be shallow, and the deepest point by this axis must have moved by less than a tie.
 *
 * Source: Gregorius, The Separating Axis Test Between Convex Polyhedra, GDC 2013, for the arcs of
 * edges; the bounds are cutting planes, Kelley 1960.
 */
#include "engine/base/assert.h"
#include "engine/collide/fast/fast_spatial_hull.h"

/*
 * Low bits of a hint: 4 bits of age, and 10 bits of the depth in parts of the tie, counted from
 * HINT_SIDE_ZERO.
 */
#define HINT_AGE_MAX 15
#define HINT_DEPTH_MAX 8.0F /* ties */
#define HINT_SIDE_ZERO 512
#define HINT_SIDE_PARTS 16.0F

struct scene {
    const struct cn_fast_pair *pair;
    struct cn_fast_solid a, b;
    struct cn_fast_turn3 b_in_a, a_in_b;
    cn_four to_b, to_a; /* from each origin to the other's, each in its own frame */
    float tie;
};

/* The best face of one hull: its side, and the other's corner that decides it. */
struct best_face {
    int face, corner;
    float side;
};

/* One of the two hulls, and the other one in its frame. */
struct view {
    const struct cn_fast_hull *hull, *other;
    const struct cn_fast_turn3 *other_in, *own_in_other;
    cn_four to_other;
};

static struct view
view_of(const struct scene *s, bool of_a)
{
    return of_a ? (struct view){s->a.hull, s->b.hull, &s->b_in_a, &s->a_in_b, s->to_b}
                : (struct view){s->b.hull, s->a.hull, &s->a_in_b, &s->b_in_a, s->to_a};
}

static float
side_of(const struct view *v, int face, int *corner)
{
    cn_four normal = cn_fast_hull_normal(v->hull, face);
    float product;
    *corner = cn_fast_hull_lowest(v->other, cn_fast_turn3_apply(v->own_in_other, normal), &product);
    return cn_four_dot3(normal, v->to_other) - cn_fast_hull_offset(v->hull, face) + product;
}

static cn_four
corner_of_other(const struct view *v, int corner)
{
    cn_four place = cn_fast_hull_vertex(v->other, corner);
    return v->to_other + cn_fast_turn3_apply(v->other_in, place);
}

/* Returns false as soon as a face separates the two by more than the margin. */
static bool
search_faces(const struct view *v, float margin, int start, struct best_face *best)
{
    float bound[CN_FAST_FACES_ROOM], most;
    for (int i = 0; i < v->hull->face_room; i++) {
        bound[i] = i < v->hull->face_count ? HUGE_VALF : -HUGE_VALF;
    }
    if (start < 0) {
        float side[CN_FAST_FACES_ROOM];
        cn_fast_hull_sides(v->hull, v->to_other, side);
        start = cn_fast_largest(side, v->hull->face_room);
    }
    CN_ASSERT(0 <= start && start < v->hull->face_room);
    *best = (struct best_face){.face = start, .side = -HUGE_VALF};
    for (int next = start;;) {
        int corner;
        float side = side_of(v, next, &corner);
        if (side > best->side) {
            *best = (struct best_face){next, corner, side};
            if (side > margin) {
                return false;
            }
        }
        bound[next] = -HUGE_VALF;
        next = cn_fast_hull_lower(v->hull, corner_of_other(v, corner), bound, &most);
        if (!(most > best->side)) { /* a NaN ends it too */
            return true;
        }
    }
}

/* An edge in A's frame; the fourth lanes are not used. */
struct edge {
    cn_four tail, way, left, right; /* left and right: the normals of its faces */
};

/* The edges of a hull that remain. */
struct edges {
    int count;
    uint8_t index[CN_HULL_EDGES_MAX];
};

/*
 * Collects the edges of a hull that may separate it from a point of the other by more than `least`.
 */
static void
take_edges(const struct cn_fast_hull *hull, cn_four point, float least, struct edges *edges)
{
    float side[CN_FAST_FACES_ROOM];
    cn_fast_hull_sides(hull, point, side);
    edges->count = 0;
    for (int i = 0; i < hull->face_count; i++) {
        if (side[i] < least) {
            continue;
        }
        for (int k = hull->face_first[i]; k < hull->face_first[i + 1]; k++) {
            const struct cn_edge *edge = &hull->edge[hull->corner_edge[k]];
            /* If both faces are such faces, the left one takes the edge. */
            if (edge->left == i || side[edge->left] < least) {
                CN_ASSERT(edges->count < CN_HULL_EDGES_MAX);
                edges->index[edges->count++] = hull->corner_edge[k];
            }
        }
    }
}

static inline void
load_edge(const struct cn_fast_hull *hull, int index, struct edge *e)
{
    const struct cn_edge *edge = &hull->edge[index];
    e->tail = cn_fast_hull_vertex(hull, edge->tail);
    e->way = cn_fast_hull_vertex(hull, edge->head) - e->tail;
    e->left = cn_fast_hull_normal(hull, edge->left);
    e->right = cn_fast_hull_normal(hull, edge->right);
}

/* Four edges by rows: x, y, z of each in four lanes. */
struct four_edges {
    cn_four tail[3], way[3], left[3], right[3];
};

static inline void
turn_four(const cn_four v[4], cn_four row[3])
{
    cn_four a = v[0], b = v[1], c = v[2], d = v[3];
    cn_four_transpose(&a, &b, &c, &d);
    row[0] = a;
    row[1] = b;
    row[2] = c;
}

/* Loads four of B's edges in A's frame; the last one fills up. */
static void
load_four(const struct scene *s, const uint8_t *index, int count, struct four_edges *four)
{
    cn_four tail[4], way[4], left[4], right[4];
    for (int i = 0; i < 4; i++) {
        struct edge e;
        load_edge(s->b.hull, index[i < count ? i : count - 1], &e);
        tail[i] = s->to_b + cn_fast_turn3_apply(&s->b_in_a, e.tail);
        way[i] = cn_fast_turn3_apply(&s->b_in_a, e.way);
        left[i] = cn_fast_turn3_apply(&s->b_in_a, e.left);
        right[i] = cn_fast_turn3_apply(&s->b_in_a, e.right);
    }
    turn_four(tail, four->tail);
    turn_four(way, four->way);
    turn_four(left, four->left);
    turn_four(right, four->right);
}

static inline cn_four
dot(const cn_four a[3], const cn_four b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline cn_four
dot_one(cn_four a, const cn_four b[3])
{
    return cn_four_order(a, 0, 0, 0, 0) * b[0] + cn_four_order(a, 1, 1, 1, 1) * b[1] +
           cn_four_order(a, 2, 2, 2, 2) * b[2];
}

/*
 * Sides of one of A's edges with four of B's; -HUGE_VAL where their arcs do not cross, or where
 * they are parallel.  nl, nr are the normals of an edge's faces.  The arcs cross where B's normals
 * lie on either side of A's arc, A's on either side of B's, and both on one hemisphere:
 *     (nlB . eA) (nrB . eA) < 0,  (nlA . eB) (nrA . eB) < 0,  (nlB . eA) (nrA . eB) < 0
 */
static inline cn_four
sides_of(const struct edge *a, const struct four_edges *b)
{
    const cn_four zero = cn_four_splat(0.0F), none = cn_four_splat(-HUGE_VALF);
    cn_four b_left = dot_one(a->way, b->left), b_right = dot_one(a->way, b->right);
    cn_four a_left = dot_one(a->left, b->way), a_right = dot_one(a->right, b->way);
    cn_four_mask cross = (b_left * b_right < zero) & (a_left * a_right < zero) &
                         (b_left * a_right < zero);
    if (cn_four_bits(cross) == 0) {
        return none;
    }
    cn_four e[3] = {cn_four_order(a->way, 0, 0, 0, 0), cn_four_order(a->way, 1, 1, 1, 1),
        cn_four_order(a->way, 2, 2, 2, 2)};
    cn_four n[3] = {e[1] * b->way[2] - e[2] * b->way[1], e[2] * b->way[0] - e[0] * b->way[2],
        e[0] * b->way[1] - e[1] * b->way[0]};
    cn_four square = dot(n, n), scale = dot(e, e) * dot(b->way, b->way);
    cross &= square > scale * cn_four_splat(CN_FAST_PARALLEL * CN_FAST_PARALLEL);
    cn_four way[3] = {b->tail[0] - cn_four_order(a->tail, 0, 0, 0, 0),
        b->tail[1] - cn_four_order(a->tail, 1, 1, 1, 1),
        b->tail[2] - cn_four_order(a->tail, 2, 2, 2, 2)};
    cn_four side = dot(n, way) / cn_four_sqrt(cn_four_select(cross, square, scale));
    side = cn_four_select(dot_one(a->left + a->right, n) < zero, -side, side);
    return cn_four_select(cross, side, none);
}

/* The best two edges. */
struct best_edges {
    int a, b;
    float side;
};

static bool
search_edges(const struct scene *s, const struct edges *a, const struct edges *b,
    struct best_edges *best)
{
    *best = (struct best_edges){.side = -HUGE_VALF};
    for (int k = 0; k < b->count; k += 4) {
        struct four_edges four;
        int count = b->count - k < 4 ? b->count - k : 4;
        load_four(s, &b->index[k], count, &four);
        for (int i = 0; i < a->count; i++) {
            struct edge e;
            load_edge(s->a.hull, a->index[i], &e);
            cn_four side = sides_of(&e, &four);
            if (cn_four_bits(side > cn_four_splat(best->side)) == 0) {
                continue;
            }
            for (int lane = 0; lane < count; lane++) {
                if (side[lane] > best->side) {
                    *best = (struct best_edges){a->index[i], b->index[k + lane], side[lane]};
                }
            }
        }
    }
    return best->side <= s->pair->margin;
}

/*
 * Collects the edges of both hulls that may be better than the best face, which is A's (of_a) or
 * B's.  The foot of the deciding corner bounds the other's edges only if it is on the face.
 */
static void
collect_edges(const struct scene *s, bool of_a, const struct best_face *best, struct edges *a,
    struct edges *b)
{
    struct view v = view_of(s, of_a);
    float least = (best->side < 0.0F ? best->side : 0.0F) - s->tie, side[CN_FAST_FACES_ROOM];
    cn_four corner = corner_of_other(&v, best->corner);
    cn_four normal = cn_fast_hull_normal(v.hull, best->face);
    cn_four foot = corner - cn_four_splat(best->side) * normal;
    cn_fast_hull_sides(v.hull, foot, side);
    if (side[cn_fast_largest(side, v.hull->face_room)] > 0.01F * s->tie) {
        foot = cn_fast_hull_vertex(v.hull, v.hull->corner_vertex[v.hull->face_first[best->face]]);
    }
    foot = cn_fast_turn3_apply(v.own_in_other, foot - v.to_other);
    take_edges(s->a.hull, of_a ? corner : foot, least, a);
    take_edges(s->b.hull, of_a ? foot : corner, least, b);
}

static void
make_face(const struct scene *s, bool of_a, const struct best_face *best,
    struct cn_fast_hull_face *f)
{
    struct view v = view_of(s, of_a);
    CN_ASSERT(best->face < v.hull->face_count && best->corner < v.other->vertex_count);
    f->hull = v.hull;
    f->other = v.other;
    f->frame = of_a ? &s->a.frame : &s->b.frame;
    f->other_in = v.other_in;
    f->back = v.own_in_other;
    f->to_other = v.to_other;
    f->is_a = of_a;
    f->face = best->face;
    f->corner = best->corner;
    f->side = best->side;
    f->tie = s->tie;
    f->margin = s->pair->margin;
    f->least = -HUGE_VALF;
}

/* Adds one point for two edges that cross.  False: they miss each other. */
static bool
add_edges(const struct scene *s, int index_a, int index_b)
{
    const struct cn_edge *a = &s->a.hull->edge[index_a], *b = &s->b.hull->edge[index_b];
    cn_four p = cn_fast_hull_vertex(s->a.hull, a->tail);
    cn_four u = cn_fast_hull_vertex(s->a.hull, a->head) - p;
    cn_four q = cn_fast_hull_vertex(s->b.hull, b->tail);
    cn_four v = cn_fast_turn3_apply(&s->b_in_a, cn_fast_hull_vertex(s->b.hull, b->head) - q);
    q = s->to_b + cn_fast_turn3_apply(&s->b_in_a, q);
    cn_four normal = cn_four_cross(u, v), way = q - p;
    float uu = cn_four_dot3(u, u), vv = cn_four_dot3(v, v), uv = cn_four_dot3(u, v);
    float determinant = cn_four_dot3(normal, normal);
    if (determinant <= 0.0F) {
        return false;
    }
    float pu = cn_four_dot3(way, u), pv = cn_four_dot3(way, v);
    float x = (pu * vv - uv * pv) / determinant, y = (uv * pu - uu * pv) / determinant;
    float over_a = s->tie / sqrtf(uu), over_b = s->tie / sqrtf(vv);
    if (!(x >= -over_a && x <= 1.0F + over_a && y >= -over_b && y <= 1.0F + over_b)) {
        return false;
    }
    normal = normal / cn_four_splat(sqrtf(determinant));
    cn_four left = cn_fast_hull_normal(s->a.hull, a->left);
    cn_four out = left + cn_fast_hull_normal(s->a.hull, a->right);
    if (cn_four_dot3(normal, out) < 0.0F) {
        normal = -normal;
    }
    p += cn_four_splat(x) * u;
    q += cn_four_splat(y) * v;
    float separation = cn_four_dot3(normal, q - p);
    if (separation > s->pair->margin) {
        return false;
    }
    cn_fast_set_normal(s->pair, cn_fast_turn(&s->a.frame, normal));
    cn_fast_add(s->pair, cn_fast_apply(&s->a.frame, cn_four_splat(0.5F) * (p + q)), separation,
        cn_fast_feature_edges(true, index_a, index_b));
    return true;
}

/* A separation in whole parts of the tie, as a hint stores it. */
static int
parts_of(const struct scene *s, float separation)
{
    float parts = separation * (HINT_SIDE_PARTS / s->tie);
    parts = parts < -500.0F ? -500.0F : parts > 500.0F ? 500.0F : parts;
    return (int)floorf(parts + 0.5F) + HINT_SIDE_ZERO;
}

/*
 * Sets the hint.  Its age begins with some bits of the position, so that not all pairs search in
 * one tick.
 */
static void
set_hint(const struct scene *s, enum cn_fast_axis kind, int first, int second, float deepest)
{
    uint32_t parts = (uint32_t)parts_of(s, deepest), age = s->pair->out->point[0].feature + parts;
    s->pair->out->hint = cn_fast_hint_pack(kind, first, second) | parts << 4 | (age & 7);
}

/* Whether the deepest separation is that of the search, up to a tie, and shallow. */
static bool
is_as_searched(const struct scene *s, float deepest)
{
    if (deepest < -HINT_DEPTH_MAX * s->tie) {
        return false;
    }
    int searched = (int)(s->pair->hint >> 4 & 1023), now = parts_of(s, deepest);
    int change = now - searched;
    return change * change <= (int)(HINT_SIDE_PARTS * HINT_SIDE_PARTS);
}

/* Keeps the hint for another tick: the age grows, and the depth of the search stays. */
static void
age_hint(const struct scene *s)
{
    s->pair->out->hint = s->pair->hint + 1;
}

static bool
try_face_again(const struct scene *s, bool of_a, int face)
{
    struct view v = view_of(s, of_a);
    if (face >= v.hull->face_count) {
        return false;
    }
    struct best_face best = {.face = face};
    float side = best.side = side_of(&v, face, &best.corner);
    if (side > s->pair->margin) {
        enum cn_fast_axis kind = of_a ? CN_FAST_AXIS_FACE_A : CN_FAST_AXIS_FACE_B;
        s->pair->out->hint = cn_fast_hint_pack(kind, face, 0);
        return true;
    }
    if (s->pair->hint == 0) {
        return false;
    }
    struct cn_fast_hull_face f; /* large; an initializer would clear all of it */
    make_face(s, of_a, &best, &f);
    f.least = side >= 0.0F ? side - 0.1F * s->tie : -HUGE_VALF;
    cn_fast_hull_clip(&f);
    if (f.count == 0 || !is_as_searched(s, f.deepest)) {
        return false;
    }
    cn_fast_hull_emit(s->pair, &f);
    age_hint(s);
    return true;
}

static bool
try_edges_again(const struct scene *s, int index_a, int index_b)
{
    if (index_a >= s->a.hull->edge_count || index_b >= s->b.hull->edge_count) {
        return false;
    }
    struct edge a;
    struct four_edges b;
    const uint8_t only = (uint8_t)index_b;
    load_edge(s->a.hull, index_a, &a);
    load_four(s, &only, 1, &b);
    float side = sides_of(&a, &b)[0];
    if (side > s->pair->margin) {
        s->pair->out->hint = cn_fast_hint_pack(CN_FAST_AXIS_EDGES, index_a, index_b);
        return true;
    }
    if (s->pair->hint == 0 || side == -HUGE_VALF || !is_as_searched(s, side) ||
        !add_edges(s, index_a, index_b)) {
        return false;
    }
    age_hint(s);
    return true;
}

/*
 * Whether the axis of the hint is enough.  If it separates the two, a search would find the same.
 * Otherwise the pair must have touched in the last tick.
 */
static bool
try_hint(const struct scene *s)
{
    uint32_t hint = s->pair->hint != 0 ? s->pair->hint : s->pair->apart;
    int first = (int)(hint >> 22 & 255), second = (int)(hint >> 14 & 255);
    if (s->pair->hint != 0 && (hint & 15) >= HINT_AGE_MAX) {
        return false;
    }
    switch (hint >> 30) {
    case CN_FAST_AXIS_FACE_A:
        return try_face_again(s, true, first);
    case CN_FAST_AXIS_FACE_B:
        return try_face_again(s, false, first);
    case CN_FAST_AXIS_EDGES:
        return try_edges_again(s, first, second);
    default:
        return false;
    }
}

static void
load(const struct cn_fast_pair *pair, struct scene *s)
{
    s->pair = pair;
    cn_fast_solid_load(&s->a, pair->a, pair->place_a, cn_four_splat(0.0F));
    cn_fast_solid_load(&s->b, pair->b, pair->place_b, pair->between);
    struct cn_fast_turn3 world_in_a = cn_fast_frame_back(&s->a.frame);
    s->b_in_a = cn_fast_turn3_of(&world_in_a, &s->b.frame);
    s->a_in_b = cn_fast_turn3_back(&s->b_in_a);
    s->to_b = cn_fast_turn3_apply(&world_in_a, s->b.frame.origin - s->a.frame.origin);
    s->to_a = -cn_fast_turn3_apply(&s->a_in_b, s->to_b);
    s->tie = CN_FAST_TIE * (pair->a->width < pair->b->width ? pair->a->width : pair->b->width);
}

/*
 * Whether the best face is A's: it has the larger side.  In a tie the hull of the last tick stays,
 * else it is A.
 */
static bool
prefers_a(const struct scene *s, const struct best_face *a, const struct best_face *b)
{
    uint32_t kind = s->pair->hint >> 30;
    float more = kind == CN_FAST_AXIS_FACE_B ? -0.5F : kind == CN_FAST_AXIS_FACE_A ? 1.5F : 0.5F;
    return a->side + more * s->tie >= b->side;
}

/* As for boxes, edges must be clearly better, unless the face was a wrong guess. */
static bool
edges_are_better(const struct scene *s, float face, float edges, float deepest)
{
    bool were = s->pair->hint >> 30 == CN_FAST_AXIS_EDGES;
    return edges > deepest + (were ? 0.0F : s->tie) ||
           (edges > face - s->tie && deepest > edges + 2.0F * s->tie);
}

static void
search(const struct scene *s)
{
    struct view a = view_of(s, true), b = view_of(s, false);
    struct best_face best_a, best_b;
    float margin = s->pair->margin;
    uint32_t *hint = &s->pair->out->hint;
    if (!search_faces(&a, margin, -1, &best_a)) {
        *hint = cn_fast_hint_pack(CN_FAST_AXIS_FACE_A, best_a.face, 0);
        return;
    }
    if (!search_faces(&b, margin, -1, &best_b)) {
        *hint = cn_fast_hint_pack(CN_FAST_AXIS_FACE_B, best_b.face, 0);
        return;
    }
    bool of_a = prefers_a(s, &best_a, &best_b);
    const struct best_face *best = of_a ? &best_a : &best_b;
    struct edges edges_a, edges_b;
    struct best_edges edges;
    collect_edges(s, best_a.side >= best_b.side, best_a.side >= best_b.side ? &best_a : &best_b,
        &edges_a, &edges_b);
    if (!search_edges(s, &edges_a, &edges_b, &edges)) {
        *hint = cn_fast_hint_pack(CN_FAST_AXIS_EDGES, edges.a, edges.b);
        return;
    }
    struct cn_fast_hull_face f; /* large; an initializer would clear all of it */
    float most = edges.side > best->side ? edges.side : best->side;
    make_face(s, of_a, best, &f);
    f.least = most >= 0.0F ? most - 0.1F * s->tie : -HUGE_VALF;
    cn_fast_hull_clip(&f);
    if (edges.side > -HUGE_VALF && edges_are_better(s, best->side, edges.side, f.deepest) &&
        add_edges(s, edges.a, edges.b)) {
        set_hint(s, CN_FAST_AXIS_EDGES, edges.a, edges.b, edges.side);
        return;
    }
    if (f.count == 0 && most <= 0.0F) {
        cn_fast_hull_touch(&f);
    }
    cn_fast_hull_emit(s->pair, &f);
    if (f.count == 0) {
        return;
    }
    set_hint(s, of_a ? CN_FAST_AXIS_FACE_A : CN_FAST_AXIS_FACE_B, best->face, 0, f.deepest);
}

void
cn_fast_hulls(const struct cn_fast_pair *pair)
{
    struct scene s; /* large; an initializer would clear all of it */
    load(pair, &s);
    if (!try_hint(&s)) {
        search(&s);
    }
}
