/*
 * pair_borders.c: outlines of straight edges and arcs, convex or not, against anything planar.
 *
 * Features are tried pair by pair.  A pair touches only where the normals allow it: a corner
 * touches features that face it between the normals of its two edges, and an arc touches features
 * within its sector.
 *
 *     corner, edge       FACE     gap = n . (p - edge)
 *     corner, arc        POINTS   gap = |p - c| - r           HOLLOW   gap = R - |p - c|
 *     arc, edge          FACE     gap = n . (c - edge) - r
 *     arc, arc           POINTS   gap = |c - c'| - r - r'     HOLLOW   gap = R - r - |c - c'|
 *
 * The slack of a corner is wide (SLACK_CORNER): when a box rocks, both corners of the lower face
 * are near the ground.  A point deeper than half the thinner shape comes from the far side and is
 * left out.  So is a point below the line of an edge that is not in the solid.  A point in the
 * solid gives only the contacts on its shortest way out: near a convex corner that is one face, in
 * a notch two.
 *
 * Two corners that meet tip to tip have no normal of their own; the mean of the normals of their
 * four edges is used (Baraff 1989, section 4.1).  Corners that are apart give no contact: the
 * motion decides which face will be met.
 *
 * Where an arc joins an edge smoothly there is no corner, yet a flat side that rocks ends there.
 * This end touches like a corner wherever the arc itself does not face.
 *
 * One-sided chains follow the same rule: nothing behind them faces.
 */
#include "engine/collide/exact/pair.h"
#include "engine/collide/exact/rim.h"
#include "engine/math/scalar.h"

#include <math.h>

#define SLACK_CORNER 0.35 /* sine, of a corner against an edge */
#define SLACK_TIGHT 1e-9  /* sine, of sectors, and of corners against arcs */
#define DEPTH_FRACTION 0.5
#define TIP_RATIO 1e3  /* of the tie: corners nearer than this meet */
#define SAME_RATIO 1e4 /* of the tie: contacts nearer than this with one normal are one */
#define CORNER_BIT 0x80

/* The core point of one side, relative to the other, for which a contact was found. */
struct tip_note {
    bool of_a, is_buried; /* its core is below the surface of the other's core */
    int index;
    cn_vec2 point, out; /* unit, out of the other */
    double depth;       /* of the core [m] */
};

struct rims {
    const struct cn_pair_input *in;
    struct cn_manifold *manifold;
    struct cn_rim a, b;
    struct tip_note note[CN_MANIFOLD_CONTACTS_MAX]; /* of each contact */
    double depth_max;
    double lower; /* lower bound of the distance where no contact gives it */
};

static cn_vec3
local_point(const cn_pose *pose, cn_vec3 origin, cn_vec2 p)
{
    cn_vec3 from_center = {
        p.x - (pose->position.x - origin.x), p.y - (pose->position.y - origin.y), 0.0};
    return cn_pose_turn_back(pose, from_center);
}

static cn_vec3
lift(cn_vec2 v)
{
    return (cn_vec3){v.x, v.y, 0.0};
}

static bool
is_known(const struct rims *r, const struct cn_contact *contact)
{
    for (int i = 0; i < r->manifold->contact_count; i++) {
        const struct cn_contact *other = &r->manifold->contact[i];
        cn_vec3 apart = cn_vec3_sub(other->point, contact->point);
        if (cn_vec3_length(apart) <= SAME_RATIO * r->in->tie &&
            cn_vec3_dot(other->normal, contact->normal) > 1.0 - SLACK_TIGHT) {
            return true;
        }
    }
    return false;
}

static void
remove_contact(struct rims *r, int i)
{
    struct cn_manifold *m = r->manifold;
    CN_ASSERT(0 <= i && i < m->contact_count);
    m->contact_count--;
    for (; i < m->contact_count; i++) {
        m->contact[i] = m->contact[i + 1];
        r->note[i] = r->note[i + 1];
    }
}

/*
 * Keeps a contact; when there are too many keeps the deepest, in the order in which they were
 * found.
 */
static void
keep_contact(struct rims *r, struct cn_contact contact, const struct tip_note *note)
{
    struct cn_manifold *m = r->manifold;
    cn_contact_place(&contact, r->in->pose_a, r->in->pose_b);
    if (contact.gap < -r->depth_max || contact.gap > r->in->margin) {
        if (contact.gap > 0.0) {
            r->lower = cn_min(r->lower, contact.gap);
        }
        return;
    }
    if (is_known(r, &contact)) {
        return;
    }
    if (m->contact_count == CN_MANIFOLD_CONTACTS_MAX) {
        int highest = 0;
        for (int i = 1; i < m->contact_count; i++) {
            highest = m->contact[i].gap > m->contact[highest].gap ? i : highest;
        }
        if (contact.gap >= m->contact[highest].gap) {
            return;
        }
        remove_contact(r, highest);
    }
    CN_ASSERT(m->contact_count < CN_MANIFOLD_CONTACTS_MAX); /* pair.h, invariant 1 */
    r->note[m->contact_count] = *note;
    m->contact[m->contact_count++] = contact;
}

/* Whether a core point below a surface is in the solid at all; fills the note. */
static bool
note_tip(struct rims *r, bool of_a, int index, cn_vec2 point, cn_vec2 out, double above,
    struct tip_note *note)
{
    *note = (struct tip_note){of_a, above < -r->in->tie, index, point, out, -above};
    return !note->is_buried || cn_rim_holds(of_a ? &r->b : &r->a, point);
}

/* Drops contacts of a buried core point that its shortest way out makes unnecessary. */
static void
drop_needless(struct rims *r)
{
    for (int i = 0; i < r->manifold->contact_count; i++) {
        const struct tip_note *first = &r->note[i];
        if (!first->is_buried) {
            continue;
        }
        for (int k = r->manifold->contact_count - 1; k >= 0; k--) {
            const struct tip_note *deeper = &r->note[k];
            if (k == i || !deeper->is_buried || deeper->of_a != first->of_a ||
                deeper->index != first->index || deeper->depth < first->depth) {
                continue;
            }
            cn_vec2 outside =
                cn_vec2_add_scaled(first->point, first->depth + 2.0 * r->in->tie, first->out);
            if (!cn_rim_holds(first->of_a ? &r->b : &r->a, outside)) {
                remove_contact(r, k);
                i -= k < i;
                first = &r->note[i];
            }
        }
    }
}

/* A core point of one side, with its rounding. */
struct tip {
    cn_vec2 point;
    double radius;
    int index;
};

/* `tip` belongs to A where of_a, else to B; the edge belongs to the other. */
static void
add_face(struct rims *r, bool of_a, const struct tip *tip, const struct cn_rim_edge *edge, int i)
{
    const struct cn_pair_input *in = r->in;
    const cn_pose *owner = of_a ? in->pose_b : in->pose_a;
    cn_vec3 origin = in->pose_a->position;
    cn_vec3 at_tip = local_point(of_a ? in->pose_a : in->pose_b, origin, tip->point);
    cn_vec3 at_edge = local_point(owner, origin, edge->edge.from);
    cn_vec2 normal = of_a ? cn_vec2_scale(edge->normal, -1.0) : edge->normal;
    double above = cn_vec2_dot(edge->normal, cn_vec2_sub(tip->point, edge->edge.from));
    struct tip_note note;
    if (!note_tip(r, of_a, tip->index, tip->point, edge->normal, above, &note)) {
        return;
    }
    keep_contact(r,
        (struct cn_contact){
            .feature = of_a ? cn_feature_pack(CN_FEATURE_FACE_B, tip->index, i)
                            : cn_feature_pack(CN_FEATURE_FACE_A, i, tip->index),
            .kind = of_a ? CN_CONTACT_FACE_B : CN_CONTACT_FACE_A,
            .anchor_a = of_a ? at_tip : at_edge,
            .anchor_b = of_a ? at_edge : at_tip,
            .face_normal = cn_pose_turn_back(owner, lift(normal)),
            .face_length = edge->is_endless ? 0.0 : edge->length,
            .radius = tip->radius + edge->radius,
            .radius_a = of_a ? tip->radius : edge->radius,
        },
        &note);
}

static void
add_round(struct rims *r, const struct tip *a, const struct tip *b)
{
    cn_vec3 origin = r->in->pose_a->position;
    bool hollow = a->radius < 0.0 || b->radius < 0.0;
    /*
     * The one with the smaller radius is the tip; of two arcs neither core is below the other's
     * surface.
     */
    bool of_a = fabs(a->radius) <= fabs(b->radius);
    const struct tip *tip = of_a ? a : b, *other = of_a ? b : a;
    cn_vec2 out = cn_vec2_sub(tip->point, other->point);
    double distance = cn_vec2_length(out), sign = other->radius < 0.0 ? -1.0 : 1.0;
    double above = sign * distance - other->radius;
    struct tip_note note;
    if (!note_tip(
            r, of_a, tip->index, tip->point, cn_vec2_scale(out, sign / distance), above, &note)) {
        return;
    }
    keep_contact(r,
        (struct cn_contact){
            .feature = cn_feature_pack(CN_FEATURE_POINTS, a->index, b->index),
            .kind = hollow ? CN_CONTACT_HOLLOW : CN_CONTACT_POINTS,
            .anchor_a = local_point(r->in->pose_a, origin, a->point),
            .anchor_b = local_point(r->in->pose_b, origin, b->point),
            .radius = a->radius + b->radius,
            .radius_a = a->radius,
        },
        &note);
}

static bool
is_straight(const struct cn_rim_edge *e)
{
    return !e->is_arc && !e->is_corner_only;
}

/* A point over an edge, between its ends. */
static bool
is_over(const struct cn_rim_edge *edge, cn_vec2 point, double tie)
{
    cn_vec2 n = edge->normal, along = {-n.y, n.x};
    double foot = cn_vec2_dot(along, cn_vec2_sub(point, edge->edge.from));
    return edge->is_endless || (foot >= -tie && foot <= edge->length + tie);
}

static struct tip
corner_tip(const struct cn_rim_edge *corner, int i)
{
    CN_ASSERT(i < CORNER_BIT); /* arcs have the names without the bit */
    return (struct tip){corner->edge.from, 0.0, i | CORNER_BIT};
}

static struct tip
arc_tip(const struct cn_rim_edge *arc, int i)
{
    CN_ASSERT(arc->is_arc && i < CORNER_BIT);
    return (struct tip){arc->center, arc->radius, i};
}

/* Whether a bulging arc that begins or ends at the start of edge i faces a direction. */
static bool
arc_beside_faces(const struct cn_rim *rim, int i, cn_vec2 direction)
{
    const struct cn_rim_edge *after = &rim->edge[i];
    const struct cn_rim_edge *before = &rim->edge[(i + rim->count - 1) % rim->count];
    return (after->is_arc && after->radius > 0.0 &&
               cn_rim_arc_faces(after, direction, SLACK_TIGHT)) ||
           (before->is_arc && before->radius > 0.0 &&
               cn_rim_arc_faces(before, direction, SLACK_TIGHT));
}

/* The corner at the start of edge i, of A where of_a, against edge k of the other. */
static void
corner_on_edge(struct rims *r, bool of_a, int i, int k)
{
    CN_ASSERT(i < (of_a ? &r->a : &r->b)->count && k < (of_a ? &r->b : &r->a)->count);
    const struct cn_rim_edge *corner = of_a ? &r->a.edge[i] : &r->b.edge[i];
    const struct cn_rim_edge *edge = of_a ? &r->b.edge[k] : &r->a.edge[k];
    if (!corner->has_corner) {
        return;
    }
    struct tip tip = corner_tip(corner, i);
    if (is_straight(edge)) {
        cn_vec2 down = cn_vec2_scale(edge->normal, -1.0);
        if (is_over(edge, tip.point, r->in->tie) &&
            cn_rim_corner_faces(corner, down, SLACK_CORNER) &&
            !(corner->is_smooth && arc_beside_faces(of_a ? &r->a : &r->b, i, down))) {
            add_face(r, of_a, &tip, edge, k);
        }
        return;
    }
    if (!edge->is_arc) {
        return;
    }
    cn_vec2 out = cn_vec2_sub(tip.point, edge->center);
    double distance = cn_vec2_length(out);
    if (distance <= r->in->tie || !cn_rim_arc_faces(edge, out, SLACK_TIGHT)) {
        return;
    }
    cn_vec2 towards = cn_vec2_scale(out, (edge->radius < 0.0 ? 1.0 : -1.0) / distance);
    if (corner->is_smooth && arc_beside_faces(of_a ? &r->a : &r->b, i, towards)) {
        return;
    }
    if (cn_rim_corner_faces(corner, towards, edge->radius < 0.0 ? SLACK_CORNER : SLACK_TIGHT)) {
        struct tip round = arc_tip(edge, k);
        add_round(r, of_a ? &tip : &round, of_a ? &round : &tip);
    }
}

/* An arc of A where of_a, against a straight edge of the other. */
static void
arc_on_edge(struct rims *r, bool of_a, int i, int k)
{
    const struct cn_rim_edge *round = of_a ? &r->a.edge[i] : &r->b.edge[i];
    const struct cn_rim_edge *edge = of_a ? &r->b.edge[k] : &r->a.edge[k];
    if (!round->is_arc || round->radius < 0.0 || !is_straight(edge)) {
        return;
    }
    if (is_over(edge, round->center, r->in->tie) &&
        cn_rim_arc_faces(round, cn_vec2_scale(edge->normal, -1.0), SLACK_TIGHT)) {
        struct tip tip = arc_tip(round, i);
        add_face(r, of_a, &tip, edge, k);
    }
}

static void
arc_on_arc(struct rims *r, int i, int k)
{
    const struct cn_rim_edge *a = &r->a.edge[i], *b = &r->b.edge[k];
    bool a_hollow = a->radius < 0.0, b_hollow = b->radius < 0.0;
    if (!a->is_arc || !b->is_arc || (a_hollow && b_hollow)) {
        return;
    }
    cn_vec2 between = cn_vec2_sub(b->center, a->center);
    if (cn_vec2_length(between) <= r->in->tie) {
        return;
    }
    cn_vec2 back = cn_vec2_scale(between, -1.0);
    bool faces_a, faces_b;
    if (a_hollow || b_hollow) {
        if (a->radius + b->radius >= 0.0) {
            return; /* the round one does not fit into the hollow one: its ends touch it */
        }
        cn_vec2 way = a_hollow ? between : back; /* from the hollow one's centre */
        faces_a = cn_rim_arc_faces(a, way, SLACK_TIGHT);
        faces_b = cn_rim_arc_faces(b, way, SLACK_TIGHT);
    } else {
        faces_a = cn_rim_arc_faces(a, between, SLACK_TIGHT);
        faces_b = cn_rim_arc_faces(b, back, SLACK_TIGHT);
    }
    if (faces_a && faces_b) {
        struct tip tip_a = arc_tip(a, i), tip_b = arc_tip(b, k);
        add_round(r, &tip_a, &tip_b);
    }
}

/* Corners tip to tip, where nothing else touches. */
static void
add_tip_contacts(struct rims *r)
{
    const struct cn_pair_input *in = r->in;
    for (int i = 0; i < r->a.count; i++) {
        for (int k = 0; k < r->b.count; k++) {
            const struct cn_rim_edge *a = &r->a.edge[i], *b = &r->b.edge[k];
            cn_vec2 apart = cn_vec2_sub(b->edge.from, a->edge.from);
            if (!a->has_corner || !b->has_corner || cn_vec2_length(apart) > TIP_RATIO * in->tie) {
                continue;
            }
            cn_vec2 of_a = cn_vec2_add(a->corner_first, a->corner_last);
            cn_vec2 of_b = cn_vec2_add(b->corner_first, b->corner_last);
            cn_vec2 mean = cn_vec2_sub(of_a, of_b);
            double length = cn_vec2_length(mean);
            if (length > SLACK_TIGHT) {
                cn_vec3 normal = lift(cn_vec2_scale(mean, 1.0 / length));
                cn_vec3 origin = in->pose_a->position;
                struct tip_note note = {0};
                keep_contact(r,
                    (struct cn_contact){
                        .feature =
                            cn_feature_pack(CN_FEATURE_CORNERS, i | CORNER_BIT, k | CORNER_BIT),
                        .kind = CN_CONTACT_FACE_A,
                        .anchor_a = local_point(in->pose_a, origin, a->edge.from),
                        .anchor_b = local_point(in->pose_b, origin, b->edge.from),
                        .face_normal = cn_pose_turn_back(in->pose_a, normal),
                    },
                    &note);
            }
        }
    }
}

/* How far apart the bounds of two edges are: 0 where they overlap. */
static double
bounds_apart(const struct cn_rim_edge *a, const struct cn_rim_edge *b)
{
    double x = cn_max(cn_max(a->low.x - b->high.x, b->low.x - a->high.x), 0.0);
    double y = cn_max(cn_max(a->low.y - b->high.y, b->low.y - a->high.y), 0.0);
    return sqrt(x * x + y * y);
}

static double
lower_bound(const struct cn_rim_edge *a, const struct cn_rim_edge *b)
{
    double apart = bounds_apart(a, b);
    if (a->is_endless || b->is_endless || a->is_round || b->is_round) {
        return apart;
    }
    double rounding = (a->is_arc ? 0.0 : a->radius) + (b->is_arc ? 0.0 : b->radius);
    return cn_max(apart, cn_border_distance(&a->edge, &b->edge) - rounding);
}

void
cn_pair_borders(const struct cn_pair_input *in, struct cn_manifold *manifold)
{
    struct rims r = {.in = in, .manifold = manifold, .lower = HUGE_VAL};
    r.depth_max = DEPTH_FRACTION * cn_min(in->a->width, in->b->width);
    cn_rim_load(&r.a, in->a, in->pose_a, in->pose_a->position);
    cn_rim_load(&r.b, in->b, in->pose_b, in->pose_a->position);
    for (int i = 0; i < r.a.count; i++) {
        for (int k = 0; k < r.b.count; k++) {
            int before = manifold->contact_count;
            double beyond = r.lower;
            if (bounds_apart(&r.a.edge[i], &r.b.edge[k]) > in->margin) {
                r.lower = cn_min(r.lower, bounds_apart(&r.a.edge[i], &r.b.edge[k]));
                continue;
            }
            corner_on_edge(&r, true, i, k);
            corner_on_edge(&r, false, k, i);
            arc_on_edge(&r, true, i, k);
            arc_on_edge(&r, false, k, i);
            arc_on_arc(&r, i, k);
            if (manifold->contact_count == before && r.lower == beyond) {
                r.lower = cn_min(r.lower, lower_bound(&r.a.edge[i], &r.b.edge[k]));
            }
        }
    }
    drop_needless(&r);
    if (manifold->contact_count == 0) {
        add_tip_contacts(&r);
    }
    manifold->separation = r.lower;
    for (int i = 0; i < manifold->contact_count; i++) {
        manifold->separation = cn_min(manifold->separation, manifold->contact[i].gap);
    }
}
