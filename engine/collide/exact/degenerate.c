#include "engine/collide/exact/degenerate.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

/*
 * Sharp features nearer than this, in parts of the smaller width, meet: twice the gap of touching.
 */
#define TIP_RATIO 2e-5

/*
 * SEAM_COSINE is the cosine of SEAM_ANGLE, 0.35 rad; level and upright are within 37 and 12
 * degrees.
 */
#define SEAM_COSINE 0.9393727
#define LEVEL_STEEPNESS 0.8
#define UPRIGHT_STEEPNESS 0.2

/* Edges with a smaller sine are parallel. */
#define PARALLEL_SINE 1e-3

/* A sum of normals shorter than this has no direction. */
#define SUM_MIN 1e-3

/* A corner or an edge, with the sum of the adjacent normals. */
struct tip {
    const struct cn_core *core;
    int vertex, edge; /* one of them, the other is -1 */
};

static bool
has_face(const struct tip *tip, int face)
{
    const struct cn_polytope *p = tip->core->polytope;
    if (tip->edge >= 0) {
        return p->edge[tip->edge].left == face || p->edge[tip->edge].right == face;
    }
    const struct cn_face *f = &p->face[face];
    for (int k = 0; k < f->corner_count; k++) {
        if (p->corner[f->corner_first + k].vertex == tip->vertex) {
            return true;
        }
    }
    return false;
}

static bool
face_each_other(cn_vec3 normal_a, cn_vec3 normal_b)
{
    double steepness = fabs(normal_a.y);
    return cn_vec3_dot(normal_a, normal_b) < -SEAM_COSINE &&
           (steepness >= LEVEL_STEEPNESS || steepness <= UPRIGHT_STEEPNESS);
}

static bool
is_seam(const struct tip *a, const struct tip *b)
{
    for (int i = 0; i < a->core->face_count; i++) {
        for (int k = 0; k < b->core->face_count && has_face(a, i); k++) {
            if (face_each_other(a->core->normal[i], b->core->normal[k]) && has_face(b, k)) {
                return true;
            }
        }
    }
    return false;
}

static cn_vec3
normal_sum(const struct tip *tip)
{
    CN_ASSERT((tip->vertex >= 0) != (tip->edge >= 0)); /* a corner or an edge */
    cn_vec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < tip->core->face_count; i++) {
        if (has_face(tip, i)) {
            sum = cn_vec3_add(sum, tip->core->normal[i]);
        }
    }
    return cn_vec3_scale(sum, 1.0 / cn_vec3_length(sum));
}

static cn_vec3
across_edge(const struct tip *tip, cn_vec3 v)
{
    if (tip->edge < 0) {
        return v;
    }
    cn_vec3 along = tip->core->along[tip->edge];
    return cn_vec3_add_scaled(v, -cn_vec3_dot(along, v), along);
}

/* The chosen normal, from A to B; false when the normals cancel or oppose the axis. */
static bool
choose_normal(const struct tip *a, const struct tip *b, const struct cn_axis *axis, cn_vec3 *normal)
{
    cn_vec3 sum = cn_vec3_sub(normal_sum(a), normal_sum(b));
    sum = across_edge(b, across_edge(a, sum));
    double length = cn_vec3_length(sum);
    if (length < SUM_MIN || cn_vec3_dot(sum, axis->normal) <= 0.0) {
        return false;
    }
    *normal = cn_vec3_scale(sum, 1.0 / length);
    return true;
}

static cn_vec3
tail_of(const struct cn_core *core, int edge)
{
    CN_ASSERT(0 <= edge && edge < core->edge_count);
    return core->vertex[core->polytope->edge[edge].tail];
}

/*
 * The position of a point along an edge, from its tail; returns the distance from the edge's line.
 */
static double
foot_on(const struct cn_core *core, int edge, cn_vec3 point, double *along)
{
    cn_vec3 from = cn_vec3_sub(point, tail_of(core, edge));
    *along = cn_vec3_dot(core->along[edge], from);
    return cn_vec3_length(cn_vec3_add_scaled(from, -*along, core->along[edge]));
}

/* Adds a vertex of the other core on the plane across an edge of A (of_a) or B. */
static void
add_on_edge(const struct cn_meeting *m, bool of_a, int edge, int vertex, cn_vec3 normal)
{
    const struct cn_core *core = of_a ? m->a : m->b, *other = of_a ? m->b : m->a;
    CN_ASSERT(0 <= vertex && vertex < other->vertex_count);
    double along;
    (void)foot_on(core, edge, other->vertex[vertex], &along);
    cn_vec3 foot = cn_vec3_add_scaled(tail_of(core, edge), along, core->along[edge]);
    uint32_t feature = of_a ? cn_feature_pack(CN_FEATURE_LINE_A, edge, vertex)
                            : cn_feature_pack(CN_FEATURE_LINE_B, vertex, edge);
    cn_pair_keep(m->in, m->manifold, cn_pair_on_plane(m->in, of_a, foot, normal, vertex, feature));
}

/* ---- two edges ---- */

static void
add_ridge_ends(const struct cn_meeting *m, int edge_a, int edge_b, cn_vec3 normal)
{
    const struct cn_edge *a = &m->a->polytope->edge[edge_a], *b = &m->b->polytope->edge[edge_b];
    const int end_a[2] = {a->tail, a->head}, end_b[2] = {b->tail, b->head};
    double point_size = m->in->tie, foot_of_b[2];
    for (int k = 0; k < 2; k++) {
        (void)foot_on(m->a, edge_a, m->b->vertex[end_b[k]], &foot_of_b[k]);
        if (foot_of_b[k] >= -point_size && foot_of_b[k] <= m->a->length[edge_a] + point_size) {
            add_on_edge(m, true, edge_a, end_b[k], normal);
        }
    }
    for (int k = 0; k < 2; k++) {
        double foot, place = k == 0 ? 0.0 : m->a->length[edge_a];
        (void)foot_on(m->b, edge_b, m->a->vertex[end_a[k]], &foot);
        bool meets_b =
            fabs(foot_of_b[0] - place) <= point_size || fabs(foot_of_b[1] - place) <= point_size;
        if (foot >= 0.0 && foot <= m->b->length[edge_b] && !meets_b) {
            add_on_edge(m, false, edge_b, end_a[k], normal);
        }
    }
}

/* Whether two edges are parallel, near, and side by side over some length. */
static bool
are_ridges(const struct cn_meeting *m, int edge_a, int edge_b, double size)
{
    if (cn_vec3_length(cn_vec3_cross(m->a->along[edge_a], m->b->along[edge_b])) > PARALLEL_SINE) {
        return false;
    }
    const struct cn_edge *b = &m->b->polytope->edge[edge_b];
    double tail, head;
    if (foot_on(m->a, edge_a, m->b->vertex[b->tail], &tail) > size ||
        foot_on(m->a, edge_a, m->b->vertex[b->head], &head) > size) {
        return false;
    }
    double low = cn_max(0.0, cn_min(tail, head));
    double high = cn_min(m->a->length[edge_a], cn_max(tail, head));
    return high - low > size;
}

static bool
add_ridges(const struct cn_meeting *m, const struct cn_axis *axis, double size)
{
    for (int i = 0; i < m->a->edge_count; i++) {
        for (int k = 0; k < m->b->edge_count; k++) {
            if (!are_ridges(m, i, k, size)) {
                continue;
            }
            struct tip a = {m->a, -1, i}, b = {m->b, -1, k};
            cn_vec3 normal;
            if (is_seam(&a, &b) || !choose_normal(&a, &b, axis, &normal)) {
                return false;
            }
            add_ridge_ends(m, i, k, normal);
            return true;
        }
    }
    return false;
}

/* ---- two corners ---- */

static bool
add_corners(const struct cn_meeting *m, const struct cn_axis *axis, double size)
{
    double nearest = size;
    struct tip a = {m->a, -1, -1}, b = {m->b, -1, -1};
    for (int i = 0; i < m->a->vertex_count; i++) {
        for (int k = 0; k < m->b->vertex_count; k++) {
            double distance = cn_vec3_length(cn_vec3_sub(m->b->vertex[k], m->a->vertex[i]));
            if (distance < nearest) {
                nearest = distance;
                a.vertex = i;
                b.vertex = k;
            }
        }
    }
    cn_vec3 normal;
    if (a.vertex < 0 || is_seam(&a, &b) || !choose_normal(&a, &b, axis, &normal)) {
        return false;
    }
    cn_pair_keep(m->in, m->manifold,
        cn_pair_on_plane(m->in, true, m->a->vertex[a.vertex], normal, b.vertex,
            cn_feature_pack(CN_FEATURE_CORNERS, a.vertex, b.vertex)));
    return true;
}

/* ---- a corner and an edge ---- */

static bool
add_corner_on_edge(
    const struct cn_meeting *m, const struct cn_axis *axis, double size, bool edge_is_a)
{
    const struct cn_core *core = edge_is_a ? m->a : m->b, *other = edge_is_a ? m->b : m->a;
    double nearest = size;
    struct tip edge = {core, -1, -1}, corner = {other, -1, -1};
    for (int i = 0; i < core->edge_count; i++) {
        for (int k = 0; k < other->vertex_count; k++) {
            double along, distance = foot_on(core, i, other->vertex[k], &along);
            if (distance < nearest && along > size && along < core->length[i] - size) {
                nearest = distance;
                edge.edge = i;
                corner.vertex = k;
            }
        }
    }
    cn_vec3 normal;
    const struct tip *a = edge_is_a ? &edge : &corner, *b = edge_is_a ? &corner : &edge;
    if (edge.edge < 0 || is_seam(a, b) || !choose_normal(a, b, axis, &normal)) {
        return false;
    }
    add_on_edge(m, edge_is_a, edge.edge, corner.vertex, normal);
    return true;
}

/* ---- all of it ---- */

/* The dimension of the region that the contacts span, up to `size`. */
enum extent { IN_ONE_PLACE, ALONG_A_LINE, OVER_AN_AREA };

static enum extent
extent_of(const struct cn_manifold *manifold, double size)
{
    cn_vec3 along = {0.0, 0.0, 0.0};
    double length = 0.0;
    for (int i = 1; i < manifold->contact_count; i++) {
        cn_vec3 from = cn_vec3_sub(manifold->contact[i].point, manifold->contact[0].point);
        if (cn_vec3_length(from) > length) {
            length = cn_vec3_length(from);
            along = from;
        }
    }
    if (length <= size) {
        return IN_ONE_PLACE;
    }
    for (int i = 1; i < manifold->contact_count; i++) {
        cn_vec3 from = cn_vec3_sub(manifold->contact[i].point, manifold->contact[0].point);
        if (cn_vec3_length(cn_vec3_cross(along, from)) > size * length) {
            return OVER_AN_AREA;
        }
    }
    return ALONG_A_LINE;
}

void
cn_degenerate_resolve(const struct cn_meeting *meeting, const struct cn_axis *axis)
{
    double size = TIP_RATIO * meeting->width;
    CN_ASSERT(meeting->a->face_count > 0 && meeting->b->face_count > 0); /* corners have faces */
    enum extent extent = extent_of(meeting->manifold, size);
    if (fabs(axis->side) > size || extent == OVER_AN_AREA) {
        return;
    }
    struct cn_manifold tips; /* large; an initializer would clear all of it */
    tips.contact_count = 0;
    struct cn_meeting m = *meeting;
    m.manifold = &tips;
    bool found = add_ridges(&m, axis, size);
    if (!found && extent == IN_ONE_PLACE) {
        found = add_corners(&m, axis, size) || add_corner_on_edge(&m, axis, size, true) ||
                add_corner_on_edge(&m, axis, size, false);
    }
    if (found) {
        CN_ASSERT(tips.contact_count <= CN_MANIFOLD_CONTACTS_MAX); /* pair.h, invariant 1 */
        meeting->manifold->contact_count = tips.contact_count;
        for (int i = 0; i < tips.contact_count; i++) {
            meeting->manifold->contact[i] = tips.contact[i];
        }
    }
}
