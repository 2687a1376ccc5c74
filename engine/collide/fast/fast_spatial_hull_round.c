/*
 * fast_spatial_hull_round.c: spheres and capsules against hulls.
 *
 * All is computed in the hull's frame.  A capsule's core is a segment p + t w; for a sphere w is 0.
 * While the segment is outside the hull, the nearest points decide: those of an end and a face, or
 * of the segment and an edge.  If it passes through the hull, the axis of least overlap decides.
 */
#include "engine/base/assert.h"
#include "engine/collide/fast/fast_spatial_hull.h"

/* A face is used if the cosine between its normal and the way out is at least this. */
#define FLAT_COSINE 0.998F

struct scene {
    const struct cn_fast_pair *pair;
    const struct cn_fast_hull *hull;
    struct cn_fast_frame frame; /* of the hull, seen from the round shape's centre of mass: A's */
    cn_four p, w;
    bool is_sphere;
    float radius, tie;
    float at_p[CN_FAST_FACES_ROOM], at_q[CN_FAST_FACES_ROOM]; /* sides of both ends */
};

/* A point t of the segment, and the vector to it from the hull. */
struct nearest {
    float square; /* of the distance */
    float t;
    cn_four out;
};

/* How far the nearer end of the segment is beyond face i. */
static float
side_of(const struct scene *s, int i)
{
    return s->at_p[i] < s->at_q[i] ? s->at_p[i] : s->at_q[i];
}

static bool
load(const struct cn_fast_pair *pair, struct scene *s)
{
    struct cn_fast_frame body = cn_fast_body_frame(pair->place_a, cn_four_splat(0.0F));
    s->pair = pair;
    CN_ASSERT(pair->b->form == CN_FAST3_HULL);
    s->hull = pair->b->hull;
    s->frame = cn_fast_body_frame(pair->place_b, pair->between);
    s->is_sphere = pair->a->form == CN_FAST3_SPHERE;
    s->radius = pair->a->radius;
    s->tie = CN_FAST_TIE * (pair->a->width < pair->b->width ? pair->a->width : pair->b->width);
    const float *end = s->is_sphere ? pair->a->center : pair->a->half;
    s->p = cn_fast_invert(&s->frame, cn_fast_apply(&body, cn_four_load(pair->a->center)));
    cn_four q = cn_fast_invert(&s->frame, cn_fast_apply(&body, cn_four_load(end)));
    s->w = q - s->p;
    cn_fast_hull_sides(s->hull, s->p, s->at_p);
    cn_fast_hull_sides(s->hull, q, s->at_q);
    for (int i = 0; i < s->hull->face_count; i++) {
        if (side_of(s, i) > s->radius + pair->margin) {
            return false;
        }
    }
    return true;
}

/* The part of the segment within all faces; false: it is outside. */
static bool
passes_through(const struct scene *s)
{
    float low = 0.0F, high = 1.0F;
    for (int i = 0; i < s->hull->face_count; i++) {
        float p = s->at_p[i], q = s->at_q[i];
        if (p > 0.0F && q > 0.0F) {
            return false;
        }
        if (p > 0.0F) {
            low = fmaxf(low, p / (p - q));
        } else if (q > 0.0F) {
            high = fminf(high, p / (p - q));
        }
    }
    return low <= high;
}

/* Whether a point near face i is over it. */
static bool
is_over(const struct scene *s, int i, cn_four point)
{
    const struct cn_fast_hull *hull = s->hull;
    cn_four normal = cn_fast_hull_normal(hull, i);
    int first = hull->face_first[i], end = hull->face_first[i + 1];
    cn_four tail = cn_fast_hull_vertex(hull, hull->corner_vertex[end - 1]);
    for (int k = first; k < end; k++) {
        cn_four head = cn_fast_hull_vertex(hull, hull->corner_vertex[k]);
        if (cn_four_dot3(cn_four_cross(head - tail, normal), point - tail) > 0.0F) {
            return false;
        }
        tail = head;
    }
    return true;
}

static int
largest_of(const struct scene *s, const float *side)
{
    return cn_fast_largest(side, s->hull->face_room);
}

/*
 * Tries an end of the segment: its nearest face is the one that it is farthest beyond, if it is
 * over that face.
 */
static void
try_end(const struct scene *s, float t, const float *side, struct nearest *best)
{
    int face = largest_of(s, side);
    cn_four point = s->p + cn_four_splat(t) * s->w;
    if (side[face] > 0.0F && is_over(s, face, point)) {
        float square = side[face] * side[face];
        if (square < best->square) {
            cn_four normal = cn_fast_hull_normal(s->hull, face);
            *best = (struct nearest){square, t, cn_four_splat(side[face]) * normal};
        }
    }
}

static float
unit_clamp(float t)
{
    return t < 0.0F ? 0.0F : t > 1.0F ? 1.0F : t;
}

/* The nearest points of the segment and an edge, as in fast_spatial_round.c. */
static void
try_edge(const struct scene *s, const struct cn_edge *edge, float ww, struct nearest *best)
{
    cn_four tail = cn_fast_hull_vertex(s->hull, edge->tail);
    cn_four way = cn_fast_hull_vertex(s->hull, edge->head) - tail, r = s->p - tail;
    float ee = cn_four_dot3(way, way), we = cn_four_dot3(s->w, way);
    float rw = cn_four_dot3(r, s->w), re = cn_four_dot3(r, way);
    float determinant = ww * ee - we * we;
    float t = determinant > 1e-6F * ww * ee ? unit_clamp((we * re - rw * ee) / determinant) : 0.5F;
    float u = unit_clamp((we * t + re) / ee);
    t = ww > 0.0F ? unit_clamp((we * u - rw) / ww) : 0.0F;
    cn_four out = r + cn_four_splat(t) * s->w - cn_four_splat(u) * way;
    float square = cn_four_dot3(out, out);
    if (square < best->square) {
        *best = (struct nearest){square, t, out};
    }
}

/* Tries edges.  Only edges of faces that an end is beyond can be nearest. */
static void
try_edges(const struct scene *s, struct nearest *best)
{
    float ww = cn_four_dot3(s->w, s->w);
    for (int i = 0; i < s->hull->edge_count; i++) {
        const struct cn_edge *edge = &s->hull->edge[i];
        if (s->at_p[edge->left] > 0.0F || s->at_q[edge->left] > 0.0F ||
            s->at_p[edge->right] > 0.0F || s->at_q[edge->right] > 0.0F) {
            try_edge(s, edge, ww, best);
        }
    }
}

static void
add_at(const struct scene *s, float t, cn_four normal, float separation, uint32_t feature)
{
    if (separation > s->pair->margin) {
        return;
    }
    cn_four core = s->p + cn_four_splat(t) * s->w;
    cn_four down = cn_four_splat(s->radius + 0.5F * separation) * normal;
    cn_fast_set_normal(s->pair, -cn_fast_turn(&s->frame, normal));
    cn_fast_add(s->pair, cn_fast_apply(&s->frame, core - down), separation, feature);
}

/* The part of the segment over face i, up to the tie. */
static bool
cut_over(const struct scene *s, int i, float *low, float *high)
{
    const struct cn_fast_hull *hull = s->hull;
    cn_four normal = cn_fast_hull_normal(hull, i);
    int first = hull->face_first[i], end = hull->face_first[i + 1];
    cn_four tail = cn_fast_hull_vertex(hull, hull->corner_vertex[end - 1]);
    for (int k = first; k < end; k++) {
        cn_four head = cn_fast_hull_vertex(hull, hull->corner_vertex[k]);
        cn_four side = cn_four_cross(head - tail, normal);
        float length = sqrtf(cn_four_dot3(side, side));
        float p = cn_four_dot3(side, s->p - tail) - s->tie * length;
        float q = p + cn_four_dot3(side, s->w);
        if (p > 0.0F && q > 0.0F) {
            return false;
        }
        if (p > 0.0F) {
            *low = fmaxf(*low, p / (p - q));
        } else if (q > 0.0F) {
            *high = fminf(*high, p / (p - q));
        }
        tail = head;
    }
    return *low <= *high;
}

/*
 * Adds a point at both ends of the part of the segment above a face.  False, without points, if no
 * separation is at most `most`: then the face ends before the segment's deepest point.
 */
static bool
add_on_face(const struct scene *s, int face, float most)
{
    float at[2] = {0.0F, 1.0F}, separation[2];
    if (!cut_over(s, face, &at[0], &at[1])) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        separation[i] = s->at_p[face] + at[i] * (s->at_q[face] - s->at_p[face]) - s->radius;
    }
    if (fminf(separation[0], separation[1]) > most) {
        return false;
    }
    cn_four normal = cn_fast_hull_normal(s->hull, face);
    add_at(s, at[0], normal, separation[0], 0);
    if (!s->is_sphere) {
        add_at(s, at[1], normal, separation[1], 1);
    }
    return s->pair->out->point_count > 0;
}

/*
 * Adds the nearest point.  A point on the hull's border has no direction of its own; then a face
 * gives the normal.
 */
static bool
add_nearest(const struct scene *s)
{
    struct nearest best = {.square = HUGE_VALF};
    try_end(s, 0.0F, s->at_p, &best);
    if (!s->is_sphere) {
        try_end(s, 1.0F, s->at_q, &best);
    }
    if (!s->is_sphere || best.square == HUGE_VALF) {
        try_edges(s, &best);
    }
    float distance = sqrtf(best.square), separation = distance - s->radius;
    if (!(distance > 0.0F)) {
        return false;
    }
    if (separation > s->pair->margin) {
        return true;
    }
    cn_four normal = best.out / cn_four_splat(distance);
    int face = cn_fast_hull_facing(s->hull, -normal);
    if (!s->is_sphere && cn_four_dot3(normal, cn_fast_hull_normal(s->hull, face)) > FLAT_COSINE &&
        add_on_face(s, face, separation + s->tie)) {
        return true;
    }
    add_at(s, best.t, normal, separation, 2);
    return true;
}

/* An axis normal to the segment and an edge: only where the two faces are on either side of it. */
struct crossing {
    float side, t;
    cn_four normal;
};

static void
try_crossing(const struct scene *s, const struct cn_edge *edge, float ww, struct crossing *best)
{
    cn_four left = cn_fast_hull_normal(s->hull, edge->left);
    cn_four right = cn_fast_hull_normal(s->hull, edge->right);
    if (!(cn_four_dot3(left, s->w) * cn_four_dot3(right, s->w) < 0.0F)) {
        return;
    }
    cn_four tail = cn_fast_hull_vertex(s->hull, edge->tail);
    cn_four way = cn_fast_hull_vertex(s->hull, edge->head) - tail, r = s->p - tail;
    cn_four n = cn_four_cross(way, s->w);
    float square = cn_four_dot3(n, n), ee = cn_four_dot3(way, way);
    if (square <= CN_FAST_PARALLEL * CN_FAST_PARALLEL * ww * ee) {
        return;
    }
    n = n / cn_four_splat(cn_four_dot3(n, left + right) < 0.0F ? -sqrtf(square) : sqrtf(square));
    float side = cn_four_dot3(n, r);
    if (side > best->side) {
        float we = cn_four_dot3(s->w, way);
        float t = (we * cn_four_dot3(r, way) - ee * cn_four_dot3(r, s->w)) / square;
        *best = (struct crossing){side, unit_clamp(t), n};
    }
}

static void
add_deep(const struct scene *s)
{
    float side[CN_FAST_FACES_ROOM];
    for (int i = 0; i < s->hull->face_room; i += 4) {
        cn_four_store(side + i, cn_four_min(cn_four_load(s->at_p + i), cn_four_load(s->at_q + i)));
    }
    int face = largest_of(s, side);
    struct crossing best = {.side = -HUGE_VALF};
    float ww = cn_four_dot3(s->w, s->w);
    for (int i = 0; i < s->hull->edge_count && ww > 0.0F; i++) {
        try_crossing(s, &s->hull->edge[i], ww, &best);
    }
    if (best.side < side[face] - s->tie) {
        if (!add_on_face(s, face, HUGE_VALF)) {
            bool q_is_deeper = s->at_q[face] < s->at_p[face];
            add_at(s, q_is_deeper ? 1.0F : 0.0F, cn_fast_hull_normal(s->hull, face),
                side[face] - s->radius, 2);
        }
    } else if (best.side > side[face] + s->tie ||
               !add_on_face(s, face, side[face] - s->radius + 2.0F * s->tie)) {
        add_at(s, best.t, best.normal, best.side - s->radius, 2);
    }
}

void
cn_fast_round_hull(const struct cn_fast_pair *pair)
{
    CN_ASSERT(pair->a->form == CN_FAST3_SPHERE || pair->a->form == CN_FAST3_CAPSULE);
    struct scene s; /* large; an initializer would clear all of it */
    if (load(pair, &s) && (passes_through(&s) || !add_nearest(&s))) {
        add_deep(&s);
    }
}
