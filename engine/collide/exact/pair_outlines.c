/*
 * pair_outlines.c: capsules, boxes and polygons against each other.
 *
 *     side of a face     the least distance of the other core's vertices from the face's line,
 *                        along its outward normal; that vertex is the support
 *     reference face     of all faces of both cores the one with the largest side: where the cores
 *                        overlap, the way out along its normal is the shortest
 *     incident edge      the edge at the support that faces the reference most
 *
 * The largest side is negative exactly when the cores overlap.  If they do not, the distance is
 * that side where the support is over the reference face, else that of the nearest features.
 *
 * Contacts are the two ends of the interval along the reference face that the incident edge covers.
 * Each end is a vertex of one core against the edge of the other, with that edge's own normal.  So
 * gap and motion are exact, and it does not matter which of the two cores was the reference.
 *
 * Source: separating axes over both face sets as in Gottschalk, Lin and Manocha, SIGGRAPH 96,
 * section 5, in the plane; the end points after Baraff 1989, section 4.2.
 */
#include "engine/collide/exact/outline.h"
#include "engine/collide/exact/pair.h"
#include "engine/math/scalar.h"

/*
 * Sharp corners nearer than this, in parts of the smaller width, meet.  Tips meet within twice the
 * gap at which bodies touch, so that a tip may rest on a tip.  Corners of faces that lie nearly
 * level on each other (CORNER_RATIO) meet well below the gap at which bodies rest.  That is still
 * well above the accuracy of a time of impact.  So blocks slide over the seam of two others.  The
 * gap is measured along the normal that is chosen for the corners; for the latter it may have the
 * wrong sign by as little.
 */
#define TIP_RATIO 2e-5
#define CORNER_RATIO 1e-7

/*
 * Faces are level when their normals are at least this steep (37 degrees off upright).  Up to
 * PARALLEL_ANGLE [rad] between them they are layers of bricks, and give their normal to corners
 * that meet; up to SEAM_ANGLE there is no tip.
 */
#define PARALLEL_ANGLE 1e-3
#define SEAM_ANGLE 0.35
#define LAYER_STEEPNESS 0.8

/* An interval shorter than this, in parts of the smaller width, counts as a point. */
#define POINT_RATIO 1e-9

/*
 * Two incident edges whose cosines with the reference differ by less face it equally; neither is
 * used.
 */
#define FACING_TIE 1e-9

struct pairing {
    const struct cn_pair_input *in;
    struct cn_manifold *manifold;
    struct cn_outline a, b;
    double width; /* the smaller of both [m] */
};

/* A reference face and the vertex of the other core that is nearest to its line. */
struct reference {
    bool is_a; /* the face is one of A's */
    int face;
    int support;
    double side;
};

static int
next_of(const struct cn_outline *outline, int index)
{
    return index + 1 < outline->count ? index + 1 : 0;
}

static int
previous_of(const struct cn_outline *outline, int index)
{
    return index > 0 ? index - 1 : outline->count - 1;
}

static const struct cn_outline *
owner_of(const struct pairing *p, const struct reference *ref)
{
    return ref->is_a ? &p->a : &p->b;
}

static const struct cn_outline *
other_of(const struct pairing *p, const struct reference *ref)
{
    return ref->is_a ? &p->b : &p->a;
}

/* The vertex of `other` with the least distance from the line of a face; *side is that distance. */
static int
support_of(const struct cn_outline *owner, int face, const struct cn_outline *other, double *side)
{
    int support = 0;
    *side = HUGE_VAL;
    for (int j = 0; j < other->count; j++) {
        cn_vec2 from_face = cn_vec2_sub(other->vertex[j], owner->vertex[face]);
        double distance = cn_vec2_dot(owner->normal[face], from_face);
        if (distance < *side) {
            *side = distance;
            support = j;
        }
    }
    return support;
}

static struct reference
best_face(const struct pairing *p, bool is_a)
{
    struct reference ref = {.is_a = is_a};
    const struct cn_outline *owner = owner_of(p, &ref), *other = other_of(p, &ref);
    double side[CN_POLYGON_VERTICES_MAX];
    for (int i = 0; i < owner->count; i++) {
        support_of(owner, i, other, &side[i]);
    }
    ref.face = cn_outline_pick_face(owner->normal, side, owner->count, p->in->tie);
    CN_ASSERT(ref.face >= 0);
    ref.support = support_of(owner, ref.face, other, &ref.side);
    return ref;
}

/* Vertex `vertex` of the other core, against an edge of the owner. */
static void
add_face(struct pairing *p, bool owner_is_a, int edge, int vertex)
{
    if (owner_is_a) {
        cn_pair_add_face_a(p->in, p->manifold, edge, vertex);
    } else {
        cn_pair_add_face_b(p->in, p->manifold, vertex, edge);
    }
}

static bool
stands_over(const struct cn_outline *owner, int face, cn_vec2 point, double slack)
{
    double foot = cn_outline_foot(owner, face, point);
    return foot >= -slack && foot <= cn_outline_edge_length(owner, face) + slack;
}

/*
 * The edge of the other core at the support that faces the reference most; -1 when two face it
 * equally.
 */
static int
incident_edge(const struct pairing *p, const struct reference *ref)
{
    const struct cn_outline *owner = owner_of(p, ref), *other = other_of(p, ref);
    cn_vec2 n = owner->normal[ref->face];
    int after = ref->support, before = previous_of(other, ref->support);
    double facing_after = -cn_vec2_dot(n, other->normal[after]);
    double facing_before = -cn_vec2_dot(n, other->normal[before]);
    if (fabs(facing_after - facing_before) <= FACING_TIE) {
        return -1;
    }
    return facing_after > facing_before ? after : before;
}

/* One end of the interval: a vertex of the incident edge, or one of the reference face. */
struct end {
    bool is_incident;
    int vertex;           /* of the incident edge or of the reference face */
    int incident_vertex;  /* the incident edge's vertex on this side */
    double incident_foot; /* position of that one along the reference face [m] */
    double along;         /* position of the interval's end [m] */
};

static struct end
incident_end(const struct cn_outline *owner, int face, const struct cn_outline *other, int vertex)
{
    double foot = cn_outline_foot(owner, face, other->vertex[vertex]);
    return (struct end){true, vertex, vertex, foot, foot};
}

static void
add_end(struct pairing *p, const struct reference *ref, int incident, const struct end *end)
{
    const struct cn_outline *owner = owner_of(p, ref), *other = other_of(p, ref);
    double tie = p->in->tie;
    /* Against a steep edge the foot of the reference's vertex may lie beyond the edge's ends. */
    if (!end->is_incident && stands_over(other, incident, owner->vertex[end->vertex], tie)) {
        add_face(p, !ref->is_a, incident, end->vertex);
    } else if (fabs(end->incident_foot - end->along) <= tie) {
        add_face(p, ref->is_a, ref->face, end->incident_vertex);
    }
}

/* Adds the contacts at the ends of the interval that both edges cover, if there is one. */
static void
add_interval(struct pairing *p, const struct reference *ref)
{
    const struct cn_outline *owner = owner_of(p, ref), *other = other_of(p, ref);
    double tie = p->in->tie, point_size = cn_max(tie, POINT_RATIO * p->width);
    int incident = incident_edge(p, ref);
    if (incident < 0) {
        if (stands_over(owner, ref->face, other->vertex[ref->support], point_size)) {
            add_face(p, ref->is_a, ref->face, ref->support);
        }
        return;
    }
    /* Edges that face each other run in opposite directions. */
    struct end high = incident_end(owner, ref->face, other, incident);
    struct end low = incident_end(owner, ref->face, other, next_of(other, incident));
    if (high.along < low.along) {
        struct end swap = high;
        high = low;
        low = swap;
    }
    /* Where both have a vertex B's is taken, whichever is the reference: names must not flicker. */
    double even = ref->is_a ? -tie : tie;
    double length = cn_outline_edge_length(owner, ref->face);
    if (low.along < even) {
        low.is_incident = false;
        low.vertex = ref->face;
        low.along = 0.0;
    }
    if (high.along > length - even) {
        high.is_incident = false;
        high.vertex = next_of(owner, ref->face);
        high.along = length;
    }

    CN_ASSERT(low.vertex < (low.is_incident ? other : owner)->count);
    CN_ASSERT(high.vertex < (high.is_incident ? other : owner)->count);
    double covered = high.along - low.along;
    if (covered > point_size) {
        /* In one order along the line of contact, whichever is the reference. */
        add_end(p, ref, incident, ref->is_a ? &low : &high);
        add_end(p, ref, incident, ref->is_a ? &high : &low);
    } else if (low.is_incident && high.is_incident) {
        add_face(p, ref->is_a, ref->face, ref->support); /* an upright edge: its lower vertex */
    } else if (covered >= -point_size) {
        add_end(p, ref, incident, low.is_incident ? &low : &high);
    }
}

/* The nearest features of two cores that do not overlap. */
struct features {
    struct cn_nearest_feature nearest;
    bool owner_is_a; /* nearest.edge is one of A's */
    int vertex;      /* of the other core */
};

static struct features
nearest_features(const struct pairing *p)
{
    CN_ASSERT(p->a.count >= 2 && p->b.count >= 2);
    struct features best = {.nearest = {.distance = HUGE_VAL}};
    for (int turn = 0; turn < 2; turn++) {
        bool owner_is_a = turn == 0;
        const struct cn_outline *owner = owner_is_a ? &p->a : &p->b;
        const struct cn_outline *other = owner_is_a ? &p->b : &p->a;
        for (int j = 0; j < other->count; j++) {
            struct cn_nearest_feature one = cn_outline_nearest(owner, other->vertex[j], p->in->tie);
            bool equal = fabs(one.distance - best.nearest.distance) <= p->in->tie;
            if (equal ? one.vertex < 0 && best.nearest.vertex >= 0
                      : one.distance < best.nearest.distance) {
                best = (struct features){one, owner_is_a, j};
            }
        }
    }
    return best;
}

/*
 * The face of A at a corner that is level with a face of B at its corner, up to an angle [rad]; -1:
 * not found.
 */
static int
layer_of(const struct pairing *p, int vertex_a, int vertex_b, double angle)
{
    const int face_a[2] = {vertex_a, previous_of(&p->a, vertex_a)};
    const int face_b[2] = {vertex_b, previous_of(&p->b, vertex_b)};
    for (int k = 0; k < 4; k++) {
        cn_vec2 a = p->a.normal[face_a[k / 2]], b = p->b.normal[face_b[k % 2]];
        if (fabs(a.y) >= LAYER_STEEPNESS && cn_vec2_dot(a, b) < 0.0 &&
            fabs(cn_vec2_cross(a, b)) <= angle) {
            return face_a[k / 2];
        }
    }
    return -1;
}

/* The average of the face normals beside two corners, from A to B. */
static cn_vec2
corner_normal(const struct pairing *p, int vertex_a, int vertex_b)
{
    cn_vec2 sum = cn_vec2_add(p->a.normal[vertex_a], p->a.normal[previous_of(&p->a, vertex_a)]);
    sum = cn_vec2_sub(sum, p->b.normal[vertex_b]);
    sum = cn_vec2_sub(sum, p->b.normal[previous_of(&p->b, vertex_b)]);
    return cn_vec2_scale(sum, 1.0 / cn_vec2_length(sum));
}

/* A corner of the reference's owner and a corner of the other core. */
struct corners {
    int of_owner, of_other;
};

/*
 * The corners at which a reference face and a parallel edge would meet: the interval that both
 * cover is a point up to `size`.  False when it is longer.
 */
static bool
corners_of_edges(const struct pairing *p, const struct reference *ref, int incident, double size,
    struct corners *corners)
{
    const struct cn_outline *owner = owner_of(p, ref), *other = other_of(p, ref);
    int after = next_of(other, incident);
    double length = cn_outline_edge_length(owner, ref->face);
    double high = cn_outline_foot(owner, ref->face, other->vertex[incident]);
    double low = cn_outline_foot(owner, ref->face, other->vertex[after]);
    if (fabs(low - length) <= size) {
        *corners = (struct corners){next_of(owner, ref->face), after};
        return true;
    }
    *corners = (struct corners){ref->face, incident};
    return fabs(high) <= size;
}

/*
 * Adds sharp corners that touch, overlap slightly or are slightly apart (TIP_RATIO).  False when
 * the reference face and the features opposite are not such a case.
 */
static bool
add_corners(struct pairing *p, const struct reference *ref)
{
    const struct cn_outline *owner = owner_of(p, ref), *other = other_of(p, ref);
    double size = TIP_RATIO * p->width;
    cn_vec2 normal = owner->normal[ref->face], point = other->vertex[ref->support];
    int incident = incident_edge(p, ref);
    struct corners corners;
    if (incident >= 0 && fabs(cn_vec2_cross(normal, other->normal[incident])) <= PARALLEL_ANGLE) {
        if (!corners_of_edges(p, ref, incident, size, &corners)) {
            return false;
        }
    } else {
        double foot = cn_outline_foot(owner, ref->face, point);
        double length = cn_outline_edge_length(owner, ref->face);
        corners.of_owner = foot < 0.5 * length ? ref->face : next_of(owner, ref->face);
        corners.of_other = ref->support;
        if (ref->side > p->in->tie && stands_over(owner, ref->face, point, 0.0)) {
            return false; /* apart, and over a face */
        }
    }
    cn_vec2 between = cn_vec2_sub(other->vertex[corners.of_other], owner->vertex[corners.of_owner]);
    CN_ASSERT(corners.of_owner < owner->count && corners.of_other < other->count);
    int vertex_a = ref->is_a ? corners.of_owner : corners.of_other;
    int vertex_b = ref->is_a ? corners.of_other : corners.of_owner;
    bool seam = layer_of(p, vertex_a, vertex_b, SEAM_ANGLE) >= 0;
    if (cn_vec2_length(between) > (seam ? CORNER_RATIO * p->width : size)) {
        return false;
    }
    int layer = layer_of(p, vertex_a, vertex_b, PARALLEL_ANGLE);
    if (layer >= 0) {
        cn_pair_add_face_a(p->in, p->manifold, layer, vertex_b);
    } else {
        cn_pair_add_corners(
            p->in, p->manifold, vertex_a, vertex_b, corner_normal(p, vertex_a, vertex_b));
    }
    return true;
}

/* Two cores whose nearest features are two vertices.  Sharp ones give no contact (manifold.h). */
static void
add_vertices(struct pairing *p, const struct features *features)
{
    int of_owner = features->nearest.vertex, of_other = features->vertex;
    if (p->in->radius > 0.0) {
        cn_pair_add_points(p->in, p->manifold, features->owner_is_a ? of_owner : of_other,
            features->owner_is_a ? of_other : of_owner);
    }
}

void
cn_pair_outlines(const struct cn_pair_input *in, struct cn_manifold *manifold)
{
    struct pairing p; /* outlines are large; an initializer would clear all of them */
    p.in = in;
    p.manifold = manifold;
    cn_outline_load(&p.a, in->a, in->pose_a, in->pose_a->position);
    cn_outline_load(&p.b, in->b, in->pose_b, in->pose_a->position);
    p.width = cn_min(in->a->width, in->b->width);

    struct reference ref = best_face(&p, true), of_b = best_face(&p, false);
    if (of_b.side > ref.side + in->tie) {
        ref = of_b;
    }
    const struct cn_outline *owner = owner_of(&p, &ref), *other = other_of(&p, &ref);
    manifold->separation = ref.side - in->radius;
    bool vertices = false;
    struct features features = {.nearest = {.vertex = -1}};
    /* For two segments on one line no side is positive, however far apart they are. */
    bool segments = p.a.count == 2 && p.b.count == 2;
    bool apart = ref.side >= (segments ? -in->tie : 0.0);
    if (apart && !stands_over(owner, ref.face, other->vertex[ref.support], in->tie)) {
        features = nearest_features(&p);
        manifold->separation = features.nearest.distance - in->radius;
        vertices = features.nearest.vertex >= 0 && features.nearest.distance > in->tie;
        if (features.nearest.vertex < 0) {
            ref.is_a = features.owner_is_a;
            ref.face = features.nearest.edge;
            ref.support = features.vertex;
            ref.side = features.nearest.distance;
        }
    }
    if (in->radius == 0.0 && add_corners(&p, &ref)) {
        return;
    }
    if (vertices) {
        add_vertices(&p, &features);
        return;
    }
    add_interval(&p, &ref);
    if (manifold->contact_count == 0) {
        add_face(&p, ref.is_a, ref.face, ref.support); /* a deep overlap beside both edges */
    }
    CN_ASSERT(manifold->contact_count <= 2); /* the ends of an interval */
}
