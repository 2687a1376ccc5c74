#include "engine/collide/exact/core.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

/* Changes of a unit vector's component below this are ignored. */
#define STEEPNESS_TIE 1e-9

/*
 * As parts of the smaller width.  FACE_TIE_RATIO compares two faces.  It is well above the accuracy
 * of a time of impact and well below the gap at which bodies rest, so that blocks slide over the
 * seam of two others.
 */
#define FACE_TIE_RATIO 1e-7
#define EDGE_TIE_RATIO 1e-9

/* Edges with a smaller sine are parallel: the adjacent faces give their axis. */
#define SINE_MIN 1e-6

void
cn_core_load(
    struct cn_core *core, const struct cn_shape *shape, const cn_pose *pose, cn_vec3 origin)
{
    const struct cn_polytope *p = &shape->core;
    cn_vec3 shift = cn_vec3_sub(pose->position, origin);
    CN_ASSERT(0 < p->vertex_count && p->vertex_count <= CN_HULL_VERTICES_MAX);
    CN_ASSERT(0 <= p->edge_count && p->edge_count <= CN_HULL_EDGES_MAX);
    CN_ASSERT(0 <= p->face_count && p->face_count <= CN_HULL_FACES_MAX);
    core->polytope = p;
    core->vertex_count = p->vertex_count;
    core->edge_count = p->edge_count;
    core->face_count = p->face_count;
    for (int i = 0; i < p->vertex_count; i++) {
        core->vertex[i] = cn_vec3_add(cn_pose_turn(pose, p->vertex[i]), shift);
    }
    for (int i = 0; i < p->edge_count; i++) {
        cn_vec3 between = cn_vec3_sub(core->vertex[p->edge[i].head], core->vertex[p->edge[i].tail]);
        core->length[i] = cn_vec3_length(between);
        core->along[i] = cn_vec3_scale(between, 1.0 / core->length[i]);
    }
    for (int i = 0; i < p->face_count; i++) {
        core->normal[i] = cn_pose_turn(pose, p->face[i].normal);
        core->offset[i] = p->face[i].offset + cn_vec3_dot(core->normal[i], shift);
    }
}

double
cn_core_beyond(const struct cn_core *core, int face, cn_vec3 point)
{
    CN_ASSERT(0 <= face && face < core->face_count);
    const struct cn_face *f = &core->polytope->face[face];
    double beyond = -HUGE_VAL;
    for (int k = 0; k < f->corner_count; k++) {
        const struct cn_corner *corner = &core->polytope->corner[f->corner_first + k];
        bool forward = core->polytope->edge[corner->edge].tail == corner->vertex;
        cn_vec3 along = core->along[corner->edge];
        cn_vec3 side = forward ? cn_vec3_cross(along, core->normal[face])
                               : cn_vec3_cross(core->normal[face], along);
        cn_vec3 from_corner = cn_vec3_sub(point, core->vertex[corner->vertex]);
        beyond = cn_max(beyond, cn_vec3_dot(side, from_corner));
    }
    return beyond;
}

int
cn_core_pick_face(const cn_vec3 *normal, const double *value, int count, double tie)
{
    double largest = -HUGE_VAL;
    for (int i = 0; i < count; i++) {
        largest = cn_max(largest, value[i]);
    }
    int best = -1;
    for (int i = 0; i < count; i++) {
        bool steeper = best < 0 || fabs(normal[i].y) > fabs(normal[best].y) + STEEPNESS_TIE;
        if (value[i] >= largest - tie && steeper) {
            best = i;
        }
    }
    return best;
}

/* The best face of `owner`; its side is -HUGE_VAL when it has no face. */
static struct cn_axis
best_face(const struct cn_core *owner, const struct cn_core *other, bool is_a, double tie)
{
    struct cn_axis axis = {
        .kind = is_a ? CN_AXIS_FACE_A : CN_AXIS_FACE_B, .face = -1, .side = -HUGE_VAL};
    double side[CN_HULL_FACES_MAX];
    for (int i = 0; i < owner->face_count; i++) {
        side[i] = HUGE_VAL;
        for (int k = 0; k < other->vertex_count; k++) {
            side[i] = cn_min(side[i], cn_core_side(owner, i, other->vertex[k]));
        }
    }
    if (owner->face_count > 0) {
        axis.face = cn_core_pick_face(owner->normal, side, owner->face_count, tie);
        axis.side = side[axis.face];
        for (int i = 0; i < owner->face_count; i++) {
            axis.side = cn_max(axis.side, side[i]);
        }
        axis.normal = is_a ? owner->normal[axis.face] : cn_vec3_negate(owner->normal[axis.face]);
    }
    return axis;
}

/*
 * Whether the arc of normals of an edge crosses the plane across a direction; the signs of its
 * ends.
 */
static bool
arc_crosses(const struct cn_core *core, int edge, cn_vec3 direction, double *left)
{
    const struct cn_edge *e = &core->polytope->edge[edge];
    if (core->face_count == 0) {
        *left = 0.0; /* a segment has normals all around */
        return true;
    }
    *left = cn_vec3_dot(core->normal[e->left], direction);
    return *left * cn_vec3_dot(core->normal[e->right], direction) < 0.0;
}

/*
 * Whether the arcs of normals of A's edge and, negated, of B's edge cross.  The ends of each are on
 * both sides of the other's plane, and the arcs are not on opposite sides of the sphere.
 */
static bool
arcs_meet(const struct cn_core *a, int edge_a, const struct cn_core *b, int edge_b)
{
    double left_a, left_b;
    if (!arc_crosses(b, edge_b, a->along[edge_a], &left_b) ||
        !arc_crosses(a, edge_a, b->along[edge_b], &left_a)) {
        return false;
    }
    /* With ends a, b of one arc and c = -left, d = -right of the other: (c . eA) (b . eB) > 0. */
    return a->face_count == 0 || b->face_count == 0 || left_a * left_b > 0.0;
}

/*
 * The normal of two edges, pointing away from A; where A is a segment, away from the inside of B.
 */
static cn_vec3
away_from_a(const struct cn_core *a, int edge_a, const struct cn_core *b, int edge_b, cn_vec3 n)
{
    CN_ASSERT(a->face_count > 0 || b->face_count > 0); /* two segments have no inside */
    cn_vec3 out;
    if (a->face_count > 0) {
        const struct cn_edge *e = &a->polytope->edge[edge_a];
        out = cn_vec3_add(a->normal[e->left], a->normal[e->right]);
    } else {
        const struct cn_edge *e = &b->polytope->edge[edge_b];
        out = cn_vec3_negate(cn_vec3_add(b->normal[e->left], b->normal[e->right]));
    }
    return cn_vec3_dot(n, out) < 0.0 ? cn_vec3_negate(n) : n;
}

static struct cn_axis
best_edges(const struct cn_core *a, const struct cn_core *b)
{
    struct cn_axis best = {.kind = CN_AXIS_EDGES, .side = -HUGE_VAL};
    for (int i = 0; i < a->edge_count; i++) {
        cn_vec3 pa = a->vertex[a->polytope->edge[i].tail];
        for (int k = 0; k < b->edge_count; k++) {
            if (!arcs_meet(a, i, b, k)) {
                continue;
            }
            cn_vec3 n = cn_vec3_cross(a->along[i], b->along[k]);
            double sine = cn_vec3_length(n);
            if (sine < SINE_MIN) {
                continue;
            }
            n = away_from_a(a, i, b, k, cn_vec3_scale(n, 1.0 / sine));
            cn_vec3 pb = b->vertex[b->polytope->edge[k].tail];
            double side = cn_vec3_dot(n, cn_vec3_sub(pb, pa));
            if (side > best.side) {
                best = (struct cn_axis){
                    .kind = CN_AXIS_EDGES, .edge_a = i, .edge_b = k, .normal = n, .side = side};
            }
        }
    }
    return best;
}

struct cn_axis_ties
cn_axis_ties_of(double width, double tie)
{
    return (struct cn_axis_ties){.face = cn_max(tie, FACE_TIE_RATIO * width),
        .owner = tie,
        .edges = cn_max(tie, EDGE_TIE_RATIO * width)};
}

struct cn_axis
cn_core_best_axis(const struct cn_core *a, const struct cn_core *b, const struct cn_axis_ties *ties,
    struct cn_axis *face)
{
    CN_ASSERT(a->face_count > 0 || b->face_count > 0);
    struct cn_axis of_b = best_face(b, a, false, ties->face), edges = best_edges(a, b);
    *face = best_face(a, b, true, ties->face);
    if (of_b.side > face->side + ties->owner) {
        *face = of_b;
    }
    return edges.side > face->side + ties->edges ? edges : *face;
}

int
cn_core_deepest(const struct cn_core *a, const struct cn_core *b, const struct cn_axis *face)
{
    bool of_a = face->kind == CN_AXIS_FACE_A;
    const struct cn_core *owner = of_a ? a : b, *other = of_a ? b : a;
    int deepest = 0;
    for (int i = 1; i < other->vertex_count; i++) {
        if (cn_core_side(owner, face->face, other->vertex[i]) <
            cn_core_side(owner, face->face, other->vertex[deepest])) {
            deepest = i;
        }
    }
    return deepest;
}
