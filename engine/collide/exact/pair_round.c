/*
 * pair_round.c: balls and capsules against each other, against boxes and against hulls.
 *
 * A is a ball or a capsule, so its core is a point or a segment.  While the cores are apart the
 * nearest features of both decide.  A face gives contacts of the features that lie on it
 * (collide/exact/region.h).  An edge gives a contact of a line and a point, or of two edges that
 * cross.  Two vertices give a contact of points.  A segment along an edge gives contacts at both
 * ends of the part that they share.  Where the cores overlap, the axis of least overlap decides, as
 * for polytopes.
 */
#include "engine/collide/exact/region.h"
#include "engine/math/scalar.h"

/* Segments with a smaller sine are parallel: they touch along a length, not at a crossing. */
#define PARALLEL_SINE 1e-4

/* Gaps that differ by less, in parts of the smaller width, are equal. */
#define GAP_TIE_RATIO 1e-9

/* In the order of preference among equals. */
enum feature { ON_FACE, ON_EDGES, ON_LINE_B, ON_LINE_A, ON_VERTICES };

/* The nearest features of two cores. */
struct nearest {
    enum feature feature;
    int of_a, of_b; /* vertex, edge or face */
    double distance;
};

static void
offer_feature(
    struct nearest *best, double tie, enum feature feature, int of_a, int of_b, double distance)
{
    bool equal = fabs(distance - best->distance) <= tie;
    if (equal ? feature < best->feature : distance < best->distance) {
        *best = (struct nearest){feature, of_a, of_b, distance};
    }
}

/* The distance of a point from an edge; *inside says whether its foot is between the ends. */
static double
distance_from_edge(const struct cn_core *core, int edge, cn_vec3 point, double tie, bool *inside)
{
    cn_vec3 from = cn_vec3_sub(point, core->vertex[core->polytope->edge[edge].tail]);
    double foot = cn_vec3_dot(core->along[edge], from);
    *inside = foot >= -tie && foot <= core->length[edge] + tie;
    return cn_vec3_length(cn_vec3_add_scaled(from, -foot, core->along[edge]));
}

/* Tries vertex i of A, outside B or on it, against all of B. */
static void
offer_vertex(const struct cn_meeting *m, int i, struct nearest *best)
{
    cn_vec3 point = m->a->vertex[i];
    double tie = m->in->tie;
    for (int k = 0; k < m->b->face_count; k++) {
        double side = cn_core_side(m->b, k, point);
        if (side >= -tie && cn_core_beyond(m->b, k, point) <= tie) {
            offer_feature(best, tie, ON_FACE, i, k, cn_max(side, 0.0));
        }
    }
    for (int k = 0; k < m->b->edge_count; k++) {
        bool inside;
        double distance = distance_from_edge(m->b, k, point, tie, &inside);
        if (inside) {
            offer_feature(best, tie, ON_LINE_B, i, k, distance);
        }
    }
    for (int k = 0; k < m->b->vertex_count; k++) {
        double distance = cn_vec3_length(cn_vec3_sub(m->b->vertex[k], point));
        offer_feature(best, tie, ON_VERTICES, i, k, distance);
    }
}

/* Tries A's segment against an edge of B, where their lines come nearest inside all ends. */
static void
offer_crossing(const struct cn_meeting *m, int edge, struct nearest *best)
{
    const struct cn_core *a = m->a, *b = m->b;
    cn_vec3 across = cn_vec3_cross(a->along[0], b->along[edge]);
    double square = cn_vec3_dot(across, across), tie = m->in->tie;
    if (square < PARALLEL_SINE * PARALLEL_SINE) {
        return;
    }
    cn_vec3 d =
        cn_vec3_sub(b->vertex[b->polytope->edge[edge].tail], a->vertex[a->polytope->edge[0].tail]);
    double along_a = cn_vec3_dot(cn_vec3_cross(d, b->along[edge]), across) / square;
    double along_b = cn_vec3_dot(cn_vec3_cross(d, a->along[0]), across) / square;
    if (along_a >= -tie && along_a <= a->length[0] + tie && along_b >= -tie &&
        along_b <= b->length[edge] + tie) {
        offer_feature(best, tie, ON_EDGES, 0, edge, fabs(cn_vec3_dot(across, d)) / sqrt(square));
    }
}

static struct nearest
find_nearest(const struct cn_meeting *m)
{
    struct nearest best = {.feature = ON_VERTICES, .distance = HUGE_VAL};
    for (int i = 0; i < m->a->vertex_count; i++) {
        offer_vertex(m, i, &best);
    }
    for (int k = 0; k < m->b->edge_count && m->a->edge_count > 0; k++) {
        offer_crossing(m, k, &best);
    }
    for (int k = 0; k < m->b->vertex_count && m->a->edge_count > 0; k++) {
        bool inside;
        double distance = distance_from_edge(m->a, 0, m->b->vertex[k], m->in->tie, &inside);
        if (inside) {
            offer_feature(&best, m->in->tie, ON_LINE_A, 0, k, distance);
        }
    }
    return best;
}

/* Adds both ends of the part that A's segment and a parallel edge of B share. */
static void
add_shared_ends(const struct cn_meeting *m, int edge)
{
    CN_ASSERT(m->a->vertex_count == 2 && 0 <= edge && edge < m->b->edge_count);
    const struct cn_edge *e = &m->b->polytope->edge[edge];
    const int end_b[2] = {e->tail, e->head};
    double tie = m->in->tie;
    for (int k = 0; k < 2; k++) {
        bool inside;
        (void)distance_from_edge(m->a, 0, m->b->vertex[end_b[k]], tie, &inside);
        if (inside) {
            cn_pair_keep(m->in, m->manifold, cn_pair_on_line(m->in, true, 0, end_b[k]));
        }
    }
    for (int i = 0; i < 2; i++) {
        bool inside, meets_end = false;
        (void)distance_from_edge(m->b, edge, m->a->vertex[i], -tie, &inside);
        for (int k = 0; k < 2; k++) {
            cn_vec3 between = cn_vec3_sub(m->b->vertex[end_b[k]], m->a->vertex[i]);
            meets_end = meets_end || fabs(cn_vec3_dot(m->a->along[0], between)) <= tie;
        }
        if (inside && !meets_end) {
            cn_pair_keep(m->in, m->manifold, cn_pair_on_line(m->in, false, edge, i));
        }
    }
}

static bool
is_along(const struct cn_meeting *m, int edge)
{
    return m->a->edge_count > 0 &&
           cn_vec3_length(cn_vec3_cross(m->a->along[0], m->b->along[edge])) < PARALLEL_SINE;
}

/* An edge of B at a vertex that A's segment runs along; -1: not found. */
static int
edge_along(const struct cn_meeting *m, int vertex)
{
    for (int k = 0; k < m->b->edge_count; k++) {
        const struct cn_edge *e = &m->b->polytope->edge[k];
        if ((e->tail == vertex || e->head == vertex) && is_along(m, k)) {
            return k;
        }
    }
    return -1;
}

/* The vector from A's segment to an edge of B, at their nearest points. */
static cn_vec3
from_a_to_edge(const struct cn_meeting *m, int edge)
{
    cn_vec3 n = cn_vec3_cross(m->a->along[0], m->b->along[edge]);
    cn_vec3 d = cn_vec3_sub(m->b->vertex[m->b->polytope->edge[edge].tail], m->a->vertex[0]);
    return cn_vec3_dot(n, d) < 0.0 ? cn_vec3_negate(n) : n;
}

static void
add_nearest(const struct cn_meeting *m, const struct nearest *nearest)
{
    const struct cn_pair_input *in = m->in;
    int a = nearest->of_a, b = nearest->of_b, along = -1;
    switch (nearest->feature) {
    case ON_FACE: /* a gap below the nearest means a wrong guess of the face */
        cn_region_add(m, false, b, m->manifold->separation - GAP_TIE_RATIO * m->width);
        return;
    case ON_EDGES:
        cn_pair_keep(in, m->manifold, cn_pair_edges(in, a, b, from_a_to_edge(m, b)));
        return;
    case ON_LINE_B:
        along = is_along(m, b) ? b : -1;
        if (along < 0) {
            cn_pair_keep(in, m->manifold, cn_pair_on_line(in, false, b, a));
        }
        break;
    case ON_LINE_A:
        along = edge_along(m, b);
        if (along < 0) {
            cn_pair_keep(in, m->manifold, cn_pair_on_line(in, true, a, b));
        }
        break;
    case ON_VERTICES:
        cn_pair_keep(in, m->manifold, cn_pair_vertices(in, a, b));
        return;
    }
    if (along >= 0) {
        add_shared_ends(m, along);
    }
}

/* The cores overlap: pushes them out along the axis of least overlap. */
static void
add_overlap(const struct cn_meeting *m, const struct cn_axis *axis, const struct cn_axis *face)
{
    if (axis->kind == CN_AXIS_EDGES) {
        cn_pair_keep(
            m->in, m->manifold, cn_pair_edges(m->in, axis->edge_a, axis->edge_b, axis->normal));
        return;
    }
    CN_ASSERT(face->kind == CN_AXIS_FACE_B); /* A has no face */
    cn_region_add(m, false, face->face, -HUGE_VAL);
    if (m->manifold->contact_count == 0) {
        int deepest = cn_core_deepest(m->a, m->b, face);
        cn_pair_keep(m->in, m->manifold, cn_pair_on_face(m->in, false, face->face, deepest));
    }
}

void
cn_pair_round(const struct cn_pair_input *in, struct cn_manifold *manifold)
{
    struct cn_core a, b; /* large; an initializer would clear all of them */
    cn_core_load(&a, in->a, in->pose_a, in->pose_a->position);
    cn_core_load(&b, in->b, in->pose_b, in->pose_a->position);
    CN_ASSERT(a.vertex_count <= 2 && a.face_count == 0);
    struct cn_meeting m = {in, manifold, &a, &b, cn_min(in->a->width, in->b->width)};
    if (b.face_count > 0) {
        struct cn_axis face;
        struct cn_axis_ties ties = cn_axis_ties_of(m.width, in->tie);
        struct cn_axis axis = cn_core_best_axis(&a, &b, &ties, &face);
        if (axis.side <= 0.0) {
            manifold->separation = axis.side - in->radius;
            add_overlap(&m, &axis, &face);
            return;
        }
    }
    struct nearest nearest = find_nearest(&m);
    manifold->separation = nearest.distance - in->radius;
    if (manifold->separation <= in->margin) {
        add_nearest(&m, &nearest);
    }
}
