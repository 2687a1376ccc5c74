#include "engine/collide/exact/contact.h"

#include "engine/base/assert.h"

#include <math.h>
#include <stddef.h>

/* Two points nearer than this have no direction, and the normal is (0, 1) by definition [m]. */
#define DISTANCE_MIN 1e-12

/* The values from which a contact is placed, in world axes; differences are taken first. */
struct placement {
    cn_vec3 arm_a, arm_b;    /* to the anchors, from the centres of mass */
    cn_vec3 from_a_to_b;     /* anchor to anchor */
    cn_vec3 edge_a, edge_b;  /* of EDGES and LINE_*; else unset */
    double along_a, along_b; /* from the anchors along the edges to the feet [m] */
};

static inline void
make_placement(const struct cn_contact *contact, const cn_pose *pose_a, const cn_pose *pose_b,
    struct placement *p)
{
    p->arm_a = cn_pose_turn(pose_a, contact->anchor_a);
    p->arm_b = cn_pose_turn(pose_b, contact->anchor_b);
    /*
     * Differences first: far from the world's origin the positions are large, but their difference
     * is not.
     */
    cn_vec3 between = cn_vec3_sub(pose_b->position, pose_a->position);
    p->from_a_to_b = cn_vec3_add(between, cn_vec3_sub(p->arm_b, p->arm_a));
    p->along_a = p->along_b = 0.0;
}

static cn_vec3
direction_of(cn_vec3 v, double length)
{
    return length > DISTANCE_MIN ? cn_vec3_scale(v, 1.0 / length) : (cn_vec3){0.0, 1.0, 0.0};
}

/*
 * How far the point of a planar face contact, at `d` from the face's anchor, is beyond the face's
 * ends.
 */
static double
overhang_of_face(const struct cn_contact *contact, cn_vec3 d)
{
    if (contact->face_length <= 0.0) {
        return -HUGE_VAL;
    }
    /* Outlines run counter-clockwise: the face points to the left of its outward normal. */
    double along = contact->kind == CN_CONTACT_FACE_A
                       ? contact->normal.x * d.y - contact->normal.y * d.x
                       : contact->normal.y * d.x - contact->normal.x * d.y;
    double beyond = along - contact->face_length;
    return beyond > -along ? beyond : -along;
}

/* How far a point on an edge, `along` from its anchor, is beyond the nearer end. */
static double
overhang_of_edge(double along, double length)
{
    if (length <= 0.0) {
        return -HUGE_VAL;
    }
    return along - length > -along ? along - length : -along;
}

/*
 * The feet on two lines that cross: from_a_to_b = s eA - t eB + g n, so products with eB and eA
 * give s and t.  Returns eA x eB.
 */
static cn_vec3
cross_edges(const struct cn_contact *contact, const cn_pose *pose_a, const cn_pose *pose_b,
    struct placement *p)
{
    p->edge_a = cn_pose_turn(pose_a, contact->edge_a);
    p->edge_b = cn_pose_turn(pose_b, contact->edge_b);
    cn_vec3 across = cn_vec3_cross(p->edge_a, p->edge_b);
    double square = cn_vec3_dot(across, across);
    if (square > DISTANCE_MIN * DISTANCE_MIN) {
        p->along_a = cn_vec3_dot(cn_vec3_cross(p->from_a_to_b, p->edge_b), across) / square;
        p->along_b = cn_vec3_dot(cn_vec3_cross(p->from_a_to_b, p->edge_a), across) / square;
    }
    return across;
}

/* The foot of the other body's point on a line; returns the vector from A's foot to B's. */
static cn_vec3
drop_on_line(const struct cn_contact *contact, const cn_pose *pose_a, const cn_pose *pose_b,
    struct placement *p)
{
    if (contact->kind == CN_CONTACT_LINE_A) {
        p->edge_a = cn_pose_turn(pose_a, contact->edge_a);
        p->along_a = cn_vec3_dot(p->from_a_to_b, p->edge_a);
        return cn_vec3_add_scaled(p->from_a_to_b, -p->along_a, p->edge_a);
    }
    p->edge_b = cn_pose_turn(pose_b, contact->edge_b);
    p->along_b = -cn_vec3_dot(p->from_a_to_b, p->edge_b);
    return cn_vec3_add_scaled(p->from_a_to_b, p->along_b, p->edge_b);
}

static void
place_points(struct cn_contact *contact, const struct placement *p)
{
    double distance = cn_vec3_length(p->from_a_to_b);
    contact->normal = direction_of(p->from_a_to_b, distance);
    contact->gap = distance - contact->radius;
    if (contact->kind == CN_CONTACT_HOLLOW) {
        contact->normal = cn_vec3_negate(contact->normal);
        contact->gap = -distance - contact->radius;
    }
    contact->overhang = -HUGE_VAL;
}

static void
place_face(struct cn_contact *contact, const cn_pose *owner, const struct placement *p)
{
    contact->normal = cn_pose_turn(owner, contact->face_normal);
    contact->gap = cn_vec3_dot(contact->normal, p->from_a_to_b) - contact->radius;
    bool of_a = contact->kind == CN_CONTACT_FACE_A;
    cn_vec3 from_face = of_a ? p->from_a_to_b : cn_vec3_negate(p->from_a_to_b);
    if (contact->face_core != NULL) {
        CN_ASSERT(0 <= contact->face_index && contact->face_index < contact->face_core->face_count);
        cn_vec3 local = cn_vec3_add(
            of_a ? contact->anchor_a : contact->anchor_b, cn_pose_turn_back(owner, from_face));
        contact->overhang = cn_polytope_beyond(contact->face_core, contact->face_index, local);
    } else {
        contact->overhang = overhang_of_face(contact, from_face);
    }
}

static void
place_edges(
    struct cn_contact *contact, const cn_pose *pose_a, const cn_pose *pose_b, struct placement *p)
{
    cn_vec3 across = cross_edges(contact, pose_a, pose_b, p);
    contact->normal = direction_of(across, cn_vec3_length(across));
    contact->gap = cn_vec3_dot(contact->normal, p->from_a_to_b) - contact->radius;
    double of_a = overhang_of_edge(p->along_a, contact->edge_length_a);
    double of_b = overhang_of_edge(p->along_b, contact->edge_length_b);
    contact->overhang = of_a > of_b ? of_a : of_b;
    p->arm_a = cn_vec3_add_scaled(p->arm_a, p->along_a, p->edge_a);
}

static void
place_line(
    struct cn_contact *contact, const cn_pose *pose_a, const cn_pose *pose_b, struct placement *p)
{
    cn_vec3 across = drop_on_line(contact, pose_a, pose_b, p);
    double distance = cn_vec3_length(across);
    contact->normal = direction_of(across, distance);
    contact->gap = distance - contact->radius;
    if (contact->kind == CN_CONTACT_LINE_A) {
        contact->overhang = overhang_of_edge(p->along_a, contact->edge_length_a);
        p->arm_a = cn_vec3_add_scaled(p->arm_a, p->along_a, p->edge_a);
    } else {
        contact->overhang = overhang_of_edge(p->along_b, contact->edge_length_b);
    }
}

void
cn_contact_place(struct cn_contact *contact, const cn_pose *pose_a, const cn_pose *pose_b)
{
    CN_ASSERT(contact->kind <= CN_CONTACT_LINE_B); /* then one case of the switch places it */
    struct placement p;
    make_placement(contact, pose_a, pose_b, &p);
    switch (contact->kind) {
    case CN_CONTACT_FACE_A:
    case CN_CONTACT_FACE_B:
        place_face(contact, contact->kind == CN_CONTACT_FACE_A ? pose_a : pose_b, &p);
        break;
    case CN_CONTACT_POINTS:
    case CN_CONTACT_HOLLOW:
        place_points(contact, &p);
        break;
    case CN_CONTACT_EDGES:
        place_edges(contact, pose_a, pose_b, &p);
        break;
    case CN_CONTACT_LINE_A:
    case CN_CONTACT_LINE_B:
        place_line(contact, pose_a, pose_b, &p);
        break;
    }
    /* Measured from A's core point; a face of A has none, so then from B's. */
    if (contact->kind == CN_CONTACT_FACE_A) {
        double radius_b = contact->radius - contact->radius_a;
        contact->point = cn_vec3_add_scaled(cn_vec3_add(pose_b->position, p.arm_b),
            -(radius_b + 0.5 * contact->gap), contact->normal);
    } else {
        contact->point = cn_vec3_add_scaled(cn_vec3_add(pose_a->position, p.arm_a),
            contact->radius_a + 0.5 * contact->gap, contact->normal);
    }
}

void
cn_contact_feet(const struct cn_contact *contact, const cn_pose *pose_a, const cn_pose *pose_b,
    cn_vec3 *foot_a, cn_vec3 *foot_b)
{
    /* Two lines, or a line and a point. */
    CN_ASSERT(contact->kind >= CN_CONTACT_EDGES && contact->kind <= CN_CONTACT_LINE_B);
    struct placement p;
    make_placement(contact, pose_a, pose_b, &p);
    *foot_a = p.arm_a;
    *foot_b = p.arm_b;
    if (contact->kind == CN_CONTACT_EDGES) {
        (void)cross_edges(contact, pose_a, pose_b, &p);
        *foot_a = cn_vec3_add_scaled(p.arm_a, p.along_a, p.edge_a);
        *foot_b = cn_vec3_add_scaled(p.arm_b, p.along_b, p.edge_b);
    } else {
        (void)drop_on_line(contact, pose_a, pose_b, &p);
        if (contact->kind == CN_CONTACT_LINE_A) {
            *foot_a = cn_vec3_add_scaled(p.arm_a, p.along_a, p.edge_a);
        } else {
            *foot_b = cn_vec3_add_scaled(p.arm_b, p.along_b, p.edge_b);
        }
    }
}
